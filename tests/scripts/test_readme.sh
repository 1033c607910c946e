#!/bin/sh
# The documents name what is there: files that they link to or quote, targets of make. Their C
# compiles without a warning, as C++ too where a compiler is there; the whole programs link with the
# shared library and speak. docs/API.md has every call. test_readme.sh ROOT BUILD
root=$1
build=$2
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
for document in README.md docs/API.md docs/ARCHITECTURE.md docs/FORMATS.md docs/KERNELS.md docs/MODEL.md \
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
for call in $(cat "$root"/include/*.h | tr '\n' ' ' | grep -oE 'KZ_API [^;{]*\(' |
    grep -oE 'kz_[a-z0-9_]+ *\(' | tr -d ' (' | sed 's/_init_sized/_init/'); do
    grep -qE "^\\| \`$call\` \\| (any|one|alone|the batch)[^|]*\\| \`(src|apps)/[a-z_/]*\.c\` \\|" "$root/docs/API.md" || {
        echo "docs/API.md has no row for $call"
        exit 1
    }
    file=$(sed -n "s/^| \`$call\` .*| \`\([^\`]*\)\` |/\1/p" "$root/docs/API.md")
    grep -qE "^[^ ].*\<$call(_sized)?\(" "$root/$file" || {
        echo "docs/API.md has $call in $file, where it is not"
        exit 1
    }
done

# ---- C in the documents: blocks without includes get these, and follow each other in one file ----
for document in README.md docs/API.md; do
    name=$(basename "$document" .md)
    printf '#include <kazeia.h>\n#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n' \
        >"$work/$name-parts.c"
    awk -v whole="$work/$name.c" -v parts="$work/$name-parts.c" '
        /^```c$/ { on = 1; text = ""; next }
        /^```/ && on {
            on = 0
            if (text ~ /int main\(/) printf "%s", text >whole
            else printf "%s", text >>parts
        }
        on { text = text $0 "\n" }' "$root/$document"
    if [ ! -s "$work/$name.c" ]; then
        echo "$document holds no C program"
        exit 1
    fi
    for source in "$name" "$name-parts"; do
        ${CC:-cc} -std=c99 -Wall -Wextra -Wpedantic -Werror -I"$root/include" -c "$work/$source.c" \
            -o "$work/$source.o" || exit 1
        if command -v c++ >/dev/null 2>&1; then
            c++ -x c++ -std=c++11 -Wall -Wextra -Wpedantic -Werror -I"$root/include" \
                -c "$work/$source.c" -o "$work/$source.o" || exit 1
        else
            echo "there is no C++ compiler: the C of $document is not tested as C++"
        fi
    done
    ${CC:-cc} -std=c99 -I"$root/include" "$work/$name.c" -o "$work/$name" \
        -L"$build" -lkazeia -Wl,-rpath,"$build" || exit 1
    # Run where there is no model, it says so and fails.
    if "$work/$name" "$work/absent" "Hello." >"$work/out" 2>"$work/err"; then
        echo "the program of $document accepts a model that is not there"
        exit 1
    fi
    if [ ! -s "$work/err" ] || [ -s "$work/out" ]; then
        echo "the program of $document does not say on standard error what is wrong"
        exit 1
    fi
    # With the voice in the box it makes sound: floats, whole frames, over a quarter of a second.
    "$work/$name" "$root/voice/voice.kz" "Hello." >"$work/out" || exit 1
    bytes=$(wc -c <"$work/out")
    if [ "$bytes" -lt 24000 ] || [ $((bytes % 7680)) -ne 0 ]; then
        echo "the program of $document wrote $bytes bytes, not whole frames of 7680"
        exit 1
    fi
done
