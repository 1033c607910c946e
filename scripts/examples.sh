#!/bin/sh
# The examples, as C and as C++, compared with the program's sound: as they are, under valgrind (any
# error and any block that is left fail), and built with the sanitizers, the library too:
# examples.sh [BUILD]; the program is BUILD's. Takes minutes.
root=$(cd "$(dirname -- "$0")/.." && pwd) || exit 2
build=$(cd "${1:-$root/build}" && pwd) || exit 2
bad=0

# try NAME FOLDER [WRAPPER...]
try() {
    try_name=$1
    try_folder=$2
    shift 2
    if "$root/tests/scripts/test_examples.sh" "$root" "$try_folder" "$build/kazeia" "$@"; then
        echo "$try_name: passed"
    elif [ $? -eq 77 ]; then
        echo "$try_name: left out"
    else
        echo "$try_name: FAILED"
        bad=1
    fi
}

try "C" "$build/examples"
try "C++" "$build/examples_cpp"
for pair in asan=address,undefined tsan=thread; do
    folder=$root/build-${pair%%=*}
    kind=${pair#*=}
    {
        cmake -S "$root" -B "$folder" -DCMAKE_BUILD_TYPE=Release -DKAZEIA_SANITIZE="$kind" &&
            cmake --build "$folder" --parallel "${JOBS:-2}" --target all_examples
    } >"$folder.log" 2>&1 || {
        tail -n 40 "$folder.log"
        exit 1
    }
    rm -f "$folder.log"
    try "C, $kind" "$folder/examples"
    try "C++, $kind" "$folder/examples_cpp"
done
if command -v valgrind >/dev/null 2>&1; then
    try "C, valgrind" "$build/examples" valgrind -q --error-exitcode=9 --leak-check=full \
        --show-leak-kinds=all --errors-for-leak-kinds=all
else
    echo "C, valgrind: left out, it is not there (Debian: valgrind)"
fi
exit $bad
