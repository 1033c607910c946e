#!/bin/sh
# The determinism contract as a table: one hash per model, whatever the level, threads, packets, cache,
# placement, packed or not; then batches and known prompt rows against lone runs.
# Native levels first, then 64-bit ARM under QEMU, then, where this processor has no AVX-512, its kernels
# one by one in Bochs. What cannot run here is named. Run by `make determinism` after a build.
set -u
cd "$(dirname "$0")/.." || exit 1
failed=0

# spoken COMMAND...: the hash of what the program says, one row of the table.
spoken() {
    "$@" say -m voice/voice.kz --frames 5 --seed 20260101 --hash -q -o build/row.wav \
        "The same words, the same sound." | cut -d ' ' -f 2
}

for test in matrix batch prefix primed; do
    build/tests/invariance_test_$test >build/$test.log 2>&1 || failed=1
    grep -v '^\[' build/$test.log
done

if command -v aarch64-linux-gnu-gcc >/dev/null && command -v qemu-aarch64 >/dev/null &&
    cmake -S . -B build-arm -DCMAKE_BUILD_TYPE=Release \
        -DCMAKE_TOOLCHAIN_FILE=cmake/aarch64.cmake >/dev/null 2>&1 &&
    cmake --build build-arm --parallel 2 --target invariance_test_matrix kazeia_cli \
        >/dev/null 2>&1; then
    echo "64-bit ARM under QEMU:"
    qemu-aarch64 -cpu max build-arm/tests/invariance_test_matrix >build-arm/matrix.log 2>&1 ||
        failed=1
    grep -v '^\[' build-arm/matrix.log
    here=$(spoken build/kazeia)
    old=$(spoken qemu-aarch64 -cpu cortex-a53 build-arm/kazeia)
    echo "voice        cortex-a53 ${old:-says nothing}"
    [ -n "$here" ] && [ "$here" = "$old" ] || failed=1
else
    echo "64-bit ARM: not run (needs gcc-aarch64-linux-gnu, qemu-user and the libraries for arm64)"
fi

tests/bochs/run.sh --if-needed build
status=$?
[ $status -eq 0 ] || [ $status -eq 77 ] || failed=1
[ $failed -eq 0 ] && echo "every row has the hash of its model" || echo "ROWS DIFFER"
exit $failed
