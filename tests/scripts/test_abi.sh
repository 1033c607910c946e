#!/bin/sh
# scripts/abi tells what was added to the binary interface and refuses what was changed: the kept
# dump is compared with one that has something else. test_abi.sh ROOT BUILD
root=$1
build=$2
if ! command -v abidiff >/dev/null 2>&1; then
    echo "abidiff is not there (Debian: abigail-tools): the check of the binary interface is not tested"
    exit 77
fi
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
bad=0
complain() {
    echo "$1"
    bad=1
}

# of NAME: the library whose dumps are compared.
of() {
    library=$1
    now=$(find "$root/abi" -name "$1-[0-9]*.abixml")
    [ -n "$now" ] || complain "no dump of lib$1 is kept"
}

# expect CODE PART WHAT: how the dump $work/kept compares with today's, and a part of what is said.
expect() {
    "$root/scripts/abi" compare "$build" "$root" "$library" "$work/kept" "$now" >"$work/said" 2>&1
    code=$?
    if [ $code -ne "$1" ] || ! grep -q -- "$2" "$work/said"; then
        complain "$3: exit $code, not $1, and '$(head -n 3 "$work/said")' without '$2'"
    fi
    cmp -s "$work/kept" "$now" && complain "$3: the dump is as it was"
}

# last STRUCT BITS: the kept struct has so many bits and is without its last member.
last() {
    awk -v name="$1" -v bits="$2" '
        index($0, "<class-decl name=\047" name "\047") {
            sub("size-in-bits=\047[0-9]*\047", "size-in-bits=\047" bits "\047")
            on = 1
        }
        on && /<\/class-decl>/ {
            for (i = 1; i <= count - 3; i++) print lines[i]
            on = 0
        }
        on { lines[++count] = $0 }
        !on { print }
        ' "$now" >"$work/kept"
}

of kazeia
sed "s/kz_version'/kz_former'/g" "$now" >"$work/kept"
expect 1 "1 Removed function" "a function is gone"
sed -e "/<elf-symbol name='kz_version'/d" -e "/<function-decl name='kz_version'/,/<\/function-decl>/d" \
    "$now" >"$work/kept"
expect 0 "1 Added function" "a function was added"
last kz_probe 192
expect 0 "added to the binary interface" "kz_probe grew"
last kz_packet 320
expect 0 "added to the binary interface" "kz_packet grew"
last kz_piece 128
expect 1 "'struct kz_piece' changed" "kz_piece, which stands in arrays, grew"
sed "s/name='KZ_DONE' value='1'/name='KZ_DONE' value='6'/" "$now" >"$work/kept"
expect 1 "KZ_DONE" "a value of an enum changed"
sed "s/name='libkazeia.so/&/; s/soname='libkazeia.so.[0-9]*'/soname='libkazeia.so.99'/" "$now" >"$work/kept"
expect 1 "SONAME" "the name of the library changed"
# Two members of a struct that may grow have changed places.
sed -e "s/'fma_gflops'/'a'/; s/'read_gbps'/'fma_gflops'/; s/'a'/'read_gbps'/" \
    -e "/name='kz_probe'/,/class-decl>/s/'read_gbps' type-id='[0-9a-f]*'/'read_gbps' type-id='b59d7dce'/" \
    "$now" >"$work/kept"
expect 1 "kz_probe" "members of kz_probe changed"

of kazeia-audio
sed "s/kz_audio_version'/kz_audio_former'/g" "$now" >"$work/kept"
expect 1 "1 Removed function" "a function of libkazeia-audio is gone"
last kz_audio_info 768
expect 0 "libkazeia-audio.so: added to the binary interface" "kz_audio_info grew"
sed "s/soname='libkazeia-audio.so.[0-9]*'/soname='libkazeia-audio.so.9'/" "$now" >"$work/kept"
expect 1 "SONAME" "the name of libkazeia-audio changed"
exit $bad
