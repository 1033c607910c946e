#!/bin/sh
# Runs the AVX2 and AVX-512 kernels in Bochs, from a boot image of our own, against the scalar
# reference; for machines without AVX-512. One line per kernel; exit 0: all equal, 77: no Bochs.
#     run.sh [--if-needed] [BUILD_FOLDER]
# --if-needed: skips where the processor has AVX-512 with VNNI itself.
if [ "$1" = --if-needed ]; then
    shift
    if grep -qs avx512_vnni /proc/cpuinfo; then
        echo "this processor runs AVX-512 with VNNI itself"
        exit 77
    fi
fi
root=$(cd "$(dirname -- "$0")/../.." && pwd) || exit 2
work=${1:-$root/build}/bochs
here=$root/tests/bochs

if [ "$(uname -m)" != x86_64 ] || ! command -v bochs >/dev/null; then
    echo "bochs is not here (Debian: bochs, bochsbios, vgabios)"
    exit 77
fi
plugins=$(find /usr/lib /usr/local/lib -name 'libbx_*_gui.so' 2>/dev/null)
case $plugins in
*nogui*) display=nogui ;;
*rfb*) display='rfb, options="timeout=0"' ;;
*term*) display=term ;;
*)
    echo "Bochs has no display that works without a screen (nogui, rfb, term)"
    exit 77
    ;;
esac

set -e
mkdir -p "$work"
cd "$work"
rm -f ./*.o out.txt
flags="-std=c11 -O2 -ffp-contract=off -ffreestanding -fno-pic -fno-pie -mno-red-zone
    -fno-stack-protector -fno-asynchronous-unwind-tables -I$root/src -I$root/include
    -Wall -Wextra -Werror"
# compile LEVEL FLAGS FILES: kernels of a level
compile() {
    level=$1
    extra=$2
    shift 2
    for file; do
        # shellcheck disable=SC2086
        gcc $flags $extra -c "$file" -o "$level-$(basename "$file" .c).o"
    done
}
have='-DKZ__HAVE_avx2=1 -DKZ__HAVE_avx512=1 -DKZ__HAVE_avx512vnni=1'
compile scalar "$have" "$root"/src/kernels/*.c "$root"/src/kernels/ref/*.c "$here"/image_main.c
compile avx2 '-mavx2 -mfma -mf16c -O3 -DKZ__LEVEL_NAME=avx2' "$root"/src/kernels/avx2/*.c
compile avx512 '-mavx512f -mavx512vl -mavx512bw -mavx512dq -mavx2 -mfma -mf16c -O3
    -DKZ__LEVEL_NAME=avx512' "$root"/src/kernels/avx512/*.c
compile avx512vnni '-mavx512vnni -mavx512f -mavx512vl -mavx512bw -mavx512dq -mavx2 -mfma -mf16c -O3
    -DKZ__LEVEL_NAME=avx512vnni' "$root"/src/kernels/avx512vnni/*.c
gcc -c "$here/entry.S" -o entry.o
ld -T "$here/image.ld" -o image.elf entry.o scalar-*.o avx2-*.o avx512-*.o avx512vnni-*.o
objcopy -O binary -j .text -j .rodata -j .data image.elf image.bin
sectors=$((($(wc -c <image.bin) + 511) / 512))
if [ $sectors -gt 1000 ]; then
    echo "the image does not fit below 0x8d000: $sectors sectors"
    exit 2
fi
gcc -DSECTORS=$sectors -c "$here/boot.S" -o boot.o
ld -Ttext 0x7c00 -e _start -o boot.elf boot.o
objcopy -O binary -j .text boot.elf boot.bin
cat boot.bin image.bin >disk.img
truncate -s $((2 * 16 * 63 * 512)) disk.img

share=/usr/share/bochs
cat >bochsrc <<END
cpu: model=corei7_icelake_u, ips=200000000
megs: 32
romimage: file=$share/BIOS-bochs-latest
vgaromimage: file=$share/VGABIOS-lgpl-latest
boot: disk
ata0-master: type=disk, path=disk.img, mode=flat, cylinders=2, heads=16, spt=63
port_e9_hack: enabled=1
display_library: $display
sound: waveoutdrv=dummy, waveindrv=dummy, midioutdrv=dummy
speaker: enabled=0
log: bochs.log
panic: action=fatal
error: action=report
info: action=report
END
set +e
# "c": go on, for a Bochs that was built with its debugger
echo c | timeout 600 bochs -q -f bochsrc >out.txt 2>&1
tr -d '\r' <out.txt | grep -aE '^[a-z0-9]+/[a-z0-9_]+ (equal|DIFFERENT)$|not there$|^result: '
grep -qa '^result: equal' out.txt
