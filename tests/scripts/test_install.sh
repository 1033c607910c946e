#!/bin/sh
# What `cmake --install` leaves can be used: through pkg-config, through CMake, by running the
# program, also after the folder was moved. test_install.sh ROOT BUILD
root=$1
build=$2
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
fail() {
    echo "$*"
    exit 1
}
cmake --install "$build" --prefix "$work/first" >"$work/log" 2>&1 || {
    cat "$work/log"
    exit 1
}
mv "$work/first" "$work/moved" || exit 2
prefix=$work/moved
libdir=$(dirname "$(find "$prefix" -name 'libkazeia.so')")
for file in include/kazeia.h share/kazeia/voice/config.json \
    share/kazeia/voice/speech_tokenizer/model.safetensors; do
    [ -f "$prefix/$file" ] || fail "$file was not installed"
done
for file in libkazeia.a libkazeia.so pkgconfig/kazeia.pc cmake/kazeia/kazeiaConfig.cmake; do
    [ -f "$libdir/$file" ] || fail "$file was not installed in $libdir"
done
objdump -p "$libdir/libkazeia.so" | grep -q 'SONAME  *libkazeia[.]so[.][0-9][0-9]*$' ||
    fail "the library has no soname with the number of its ABI"
[ -e "$libdir/$(objdump -p "$libdir/libkazeia.so" | sed -n 's/ *SONAME *//p')" ] ||
    fail "the library's soname was not installed"
[ ! -e "$prefix/share/kazeia/voice/recipe" ] || fail "the voice's recipe was installed"
[ "$(find "$prefix/include" -type f | wc -l)" -eq 1 ] || fail "more than one header was installed"
grep -rIl -e "$root" -e "$build" "$prefix" | grep . &&
    fail "these installed texts name the source folder"

cat >"$work/one.c" <<'END'
#include <kazeia.h>
#include <stdio.h>
int main(void) { return puts(kz_version()) < 0; }
END
export PKG_CONFIG_PATH="$libdir/pkgconfig"
version=$(pkg-config --modversion kazeia) || exit 1
[ "$(pkg-config --cflags-only-I kazeia | tr -d ' ')" != "" ] || fail "no include path"
${CC:-cc} "$work/one.c" $(pkg-config --cflags --libs kazeia) -o "$work/shared" || exit 1
[ "$(LD_LIBRARY_PATH=$libdir "$work/shared")" = "$version" ] || fail "the shared library's version"
# Static: the archive and what pkg-config says that it needs.
libs=$(pkg-config --static --libs kazeia | sed "s,-lkazeia\>,$libdir/libkazeia.a,")
${CC:-cc} "$work/one.c" $(pkg-config --cflags kazeia) $libs -o "$work/static" || exit 1
[ "$("$work/static")" = "$version" ] || fail "the static library's version"

mkdir "$work/user" && cd "$work/user" || exit 2
cat >CMakeLists.txt <<'END'
cmake_minimum_required(VERSION 3.18)
project(user C)
find_package(kazeia 0.1 REQUIRED)
add_executable(shared ../one.c)
target_link_libraries(shared kazeia::kazeia)
add_executable(static ../one.c)
target_link_libraries(static kazeia::kazeia_static)
END
{
    cmake -S . -B out -DCMAKE_PREFIX_PATH="$prefix" && cmake --build out
} >"$work/log" 2>&1 || {
    cat "$work/log"
    exit 1
}
for kind in shared static; do
    [ "$(out/$kind)" = "$version" ] || fail "the $kind library's version through CMake"
done
if [ -x "$prefix/bin/kazeia" ]; then
    # The voice is found beside the program, not in the source tree.
    text=$("$prefix/bin/kazeia" --version) || fail "the installed program does not start"
    [ -n "$text" ] || fail "the installed program does not tell its version"
    "$prefix/bin/kazeia" say -q --frames 2 -o "$work/a.wav" Hello || fail "the installed program is mute"
    : >"$prefix/share/kazeia/voice/model.safetensors"
    "$prefix/bin/kazeia" say -q --frames 2 -o "$work/b.wav" Hello 2>"$work/log" &&
        fail "the installed program speaks with another voice than the installed one"
fi
exit 0
