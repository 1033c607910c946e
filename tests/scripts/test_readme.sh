#!/bin/sh
# The documents name what is there: files that they link to or quote, targets of make. The C program
# of README.md compiles without a warning, links with the shared library, and speaks; the header is
# C++ too, where a compiler is there. test_readme.sh ROOT BUILD
root=$1
build=$2
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
for document in README.md docs/ARCHITECTURE.md docs/FORMATS.md docs/KERNELS.md docs/MODEL.md \
    scripts/reference/README.md; do
    folder=$root/$(dirname "$document")
    for name in $(grep -oE '\]\([^):#]+\)' "$root/$document" | tr -d '()]'); do
        [ -e "$folder/$name" ] || echo "$document links to $name"
    done
    for name in $(grep -oE '`[^`]*`|^    .*' "$root/$document" | tr '` ' '\n\n' | grep -xE \
        '(src|include|apps|docs|examples|bench|tests|scripts|cmake)/[A-Za-z0-9_./-]*'); do
        [ -e "$root/$name" ] || echo "$document names $name"
    done
    for name in $(grep -oE 'build/(tests/)?[a-z_]+' "$root/$document" | sort -u); do
        [ -e "$build/${name#build/}" ] || echo "$document names $name, which is not built"
    done
    for name in $(grep -oE '(`|^    )make [a-z -]+' "$root/$document" | sed 's/.*make //'); do
        grep -qE "^$name:" "$root/Makefile" || echo "$document names 'make $name'"
    done
done >"$work/absent"
if [ -s "$work/absent" ]; then
    cat "$work/absent"
    exit 1
fi
awk '/^```c$/ { on = 1; next } /^```/ { on = 0 } on' "$root/README.md" >"$work/example.c"
if ! grep -q 'int main' "$work/example.c"; then
    echo "README.md holds no C program"
    exit 1
fi
${CC:-cc} -std=c99 -Wall -Wextra -Wpedantic -Werror -I"$root/include" "$work/example.c" \
    -o "$work/example" -L"$build" -lkazeia -Wl,-rpath,"$build" || exit 1
if command -v c++ >/dev/null 2>&1; then
    printf '#include <kazeia.h>\nint main() { return kz_version() == nullptr; }\n' >"$work/plus.cc"
    c++ -std=c++11 -Wall -Wextra -Wpedantic -Werror -I"$root/include" "$work/plus.cc" \
        -o "$work/plus" -L"$build" -lkazeia -Wl,-rpath,"$build" && "$work/plus" || exit 1
fi
# Run where there is no model, it says so and fails.
if "$work/example" "$work/absent" "Hello." >"$work/out" 2>"$work/err"; then
    echo "the example accepts a model that is not there"
    exit 1
fi
if [ ! -s "$work/err" ] || [ -s "$work/out" ]; then
    echo "the example does not say on standard error what is wrong"
    exit 1
fi
# With the voice in the box it makes sound: floats, whole frames, more than a quarter of a second.
"$work/example" "$root/voice" "Hello." >"$work/out" || exit 1
bytes=$(wc -c <"$work/out")
if [ "$bytes" -lt 24000 ] || [ $((bytes % 7680)) -ne 0 ]; then
    echo "the example wrote $bytes bytes, not whole frames of 7680"
    exit 1
fi
