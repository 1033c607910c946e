#!/bin/sh
# What is installed can be used: through pkg-config, through CMake, by running the program, also after
# the folder was moved. What is uninstalled is gone, and nothing else. test_install.sh ROOT BUILD
root=$1
build=$2
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
fail() {
    echo "$*"
    exit 1
}
unset KAZEIA_MODEL DESTDIR
# files FOLDER: all that is in it but folders.
files() {
    (cd "$1" && find . ! -type d | LC_ALL=C sort)
}
cmake --install "$build" --prefix "$work/first" >"$work/log" 2>&1 || {
    cat "$work/log"
    exit 1
}
files "$work/first" >"$work/wanted"

# ---- install and uninstall: below a prefix that others use too, and below DESTDIR ----
setup() {
    "$root/scripts/install.sh" "$@" >"$work/log" 2>&1
}
shared="$work/a prefix"
mkdir -p "$shared/bin" "$shared/share/kazeia/voice" "$shared/share/man/man1" "$shared/share/empty"
touch "$shared/bin/other" "$shared/share/kazeia/voice/own" "$shared/share/man/man1/other.1"
files "$shared" >"$work/others"
(cd "$work" && setup install "$build" 'a prefix') || fail "install: $(cat "$work/log")"
setup install "$build" "$shared/" || fail "install once more: $(cat "$work/log")"
files "$shared" | comm -3 - "$work/others" | cmp -s - "$work/wanted" ||
    fail "install.sh and cmake --install leave different files"
DESTDIR=$work/dest setup install "$build" /opt/kazeia || fail "install: $(cat "$work/log")"
files "$work/dest/opt/kazeia" | cmp -s - "$work/wanted" || fail "other files below DESTDIR"

setup uninstall "$build" /opt/kazeia && fail "uninstall without DESTDIR did something"
grep -q 'nothing was installed below /opt/kazeia ' "$work/log" || fail "$(cat "$work/log")"
setup uninstall "$build" "$shared" || fail "uninstall: $(cat "$work/log")"
files "$shared" | cmp -s - "$work/others" || {
    files "$shared" | diff - "$work/others"
    fail "uninstall left something, or took what is others'"
}
[ -d "$shared/share/empty" ] || fail "uninstall removed a folder that was not its own"
(cd "$shared" && find . -name '*kazeia*' ! -path './share/kazeia*') | grep . && fail "was left"
files "$work/dest/opt/kazeia" | cmp -s - "$work/wanted" || fail "uninstall took more than asked"
DESTDIR=$work/dest setup uninstall "$build" /opt/kazeia || fail "uninstall: $(cat "$work/log")"
find "$work/dest" ! -type d -o -name kazeia ! -path '*/opt/kazeia' | grep . &&
    fail "was left below DESTDIR"
DESTDIR=$work/dest setup uninstall "$build" /opt/kazeia && fail "uninstall twice"
for what in install uninstall; do
    make -n -C "$root" $what PREFIX=/p DESTDIR=/d 2>/dev/null |
        grep -q "DESTDIR=\"/d\" scripts/install.sh $what build \"/p\"" ||
        fail "make $what does not pass PREFIX and DESTDIR on"
done

# ---- as moved elsewhere ----
mv "$work/first" "$work/moved" || exit 2
prefix=$work/moved
libdir=$(dirname "$(find "$prefix" -name 'libkazeia.so')")
for file in include/kazeia.h share/kazeia/voice/config.json \
    share/kazeia/voice/speech_tokenizer/model.safetensors share/doc/kazeia/README.md \
    share/doc/kazeia/docs/FORMATS.md; do
    [ -f "$prefix/$file" ] || fail "$file was not installed"
done
for file in libkazeia.a libkazeia.so pkgconfig/kazeia.pc cmake/kazeia/kazeiaConfig.cmake; do
    [ -f "$libdir/$file" ] || fail "$file was not installed in $libdir"
done
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
    for file in man/man1/kazeia.1 bash-completion/completions/kazeia \
        zsh/site-functions/_kazeia fish/vendor_completions.d/kazeia.fish; do
        [ -s "$prefix/share/$file" ] || fail "$file was not installed"
    done
    (cd / && "$build/kazeia" voices) | grep -qx ada || fail "the built program finds no voice"
    mkdir "$work/links" && ln -s "$prefix/bin/kazeia" "$work/links/kazeia"
    "$work/links/kazeia" voices | grep -qx ada || fail "through a link it finds no voice"
    strings -a "$prefix/bin/kazeia" 2>/dev/null | grep -q "^$root/voice" &&
        fail "the program names the voice of the source folder"
    # The voice is found beside the program, not in the source tree.
    text=$("$prefix/bin/kazeia" --version) || fail "the installed program does not start"
    [ -n "$text" ] || fail "the installed program does not tell its version"
    "$prefix/bin/kazeia" say -q --frames 2 -o "$work/a.wav" Hello || fail "the installed program is mute"
    : >"$prefix/share/kazeia/voice/model.safetensors"
    "$prefix/bin/kazeia" say -q --frames 2 -o "$work/b.wav" Hello 2>"$work/log" &&
        fail "the installed program speaks with another voice than the installed one"
fi
exit 0
