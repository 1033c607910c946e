#!/bin/sh
# What is installed can be used as docs/API.md says: through pkg-config, shared and static, through
# CMake, by running the program, also after the folder was moved. What is uninstalled is gone, and
# nothing else. test_install.sh ROOT BUILD
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
for file in include/kazeia.h share/kazeia/voice/voice.kz share/kazeia/voice/README.md \
    share/doc/kazeia/README.md \
    share/doc/kazeia/docs/FORMATS.md; do
    [ -f "$prefix/$file" ] || fail "$file was not installed"
done
for file in libkazeia.a libkazeia.so pkgconfig/kazeia.pc cmake/kazeia/kazeiaConfig.cmake; do
    [ -f "$libdir/$file" ] || fail "$file was not installed in $libdir"
done
objdump -p "$libdir/libkazeia.so" | grep -q 'SONAME  *libkazeia[.]so[.][0-9][0-9]*$' ||
    fail "the library has no soname with the number of its ABI"
[ -e "$libdir/$(objdump -p "$libdir/libkazeia.so" | sed -n 's/ *SONAME *//p')" ] ||
    fail "the library's soname was not installed"
[ "$(ls -A "$prefix/share/kazeia/voice" | paste -s -d ' ' -)" = "README.md voice.kz" ] ||
    fail "of the voice this was installed: $(ls -A "$prefix/share/kazeia/voice")"
cmp -s "$root/voice/voice.kz" "$prefix/share/kazeia/voice/voice.kz" || fail "another voice was installed"
headers=$(cd "$prefix/include" && find . -type f | sort | tr '\n' ' ')
if [ -e "$build/libkazeia-audio.so" ]; then
    [ "$headers" = "./kazeia-audio.h ./kazeia.h " ] || fail "these headers were installed: $headers"
    for file in libkazeia-audio.a libkazeia-audio.so pkgconfig/kazeia-audio.pc; do
        [ -f "$libdir/$file" ] || fail "$file was not installed in $libdir"
    done
else
    [ "$headers" = "./kazeia.h " ] || fail "these headers were installed: $headers"
    echo "the library of recordings is not tested: it was not built"
fi
grep -rIl -e "$root" -e "$build" "$prefix" | grep . &&
    fail "these installed texts name the source folder"

# block LANGUAGE: the block of docs/API.md.
block() {
    awk -v fence='```'"$1" '$0 == fence { on = 1; next } /^```/ { on = 0 } on' "$root/docs/API.md"
}

cat >"$work/program.c" <<'END'
#include <kazeia.h>
#include <stdio.h>
int main(void) {
    size_t count = 0;
    kz_split("One. Two.", 9, NULL, NULL, 0, &count, NULL, 0); /* needs the Unicode tables */
    return count != 1 || printf("%s %d\n", kz_version(), KZ_ABI) < 0;
}
END
export PKG_CONFIG_PATH="$libdir/pkgconfig"
version=$(pkg-config --modversion kazeia) || exit 1
[ "$(pkg-config --cflags-only-I kazeia | tr -d ' ')" != "" ] || fail "no include path"
abi=$(readelf -d "$libdir/libkazeia.so" | sed -n 's/.*SONAME.*libkazeia\.so\.\([0-9]*\)].*/\1/p')
[ -n "$abi" ] || fail "the shared library's name has no number"
# The lines of docs/API.md. The last one needs static libraries that not every system has.
cd "$work" || exit 2
block sh | sed -e ':a' -e '/\\$/N; s/\\\n//; ta' >lines
[ "$(wc -l <lines)" -eq 3 ] || fail "docs/API.md has $(wc -l <lines) lines for the shell, not 3"
echo 'int main(void) { return 0; }' >none.c
if ! ${CC:-cc} -static none.c $(pkg-config --libs jansson libutf8proc) -o none 2>/dev/null; then
    echo "a program that is static as a whole is not tested: the static libraries are not there"
    sed -i 3d lines
fi
cc() {
    ${CC:-command cc} "$@"
}
while read -r line; do
    eval "$line" || fail "docs/API.md: $line"
    made=$(echo "$line" | sed 's/.* -o \([a-z_]*\).*/\1/')
    [ "$(LD_LIBRARY_PATH=$libdir "./$made")" = "$version $abi" ] || fail "$made: version, number"
    needs=$(readelf -d "$made" | grep -c 'NEEDED.*libkazeia')
    case $made:$needs in
    program:1 | program_*:0) ;;
    *) fail "$made needs the shared library $needs times" ;;
    esac
done <lines

# The library of recordings, shared and static, needs libkazeia in neither case.
if [ -e "$libdir/libkazeia-audio.so" ]; then
    cat >reads.c <<'END'
#include <kazeia-audio.h>
#include <stdio.h>
int main(int argc, char **argv) {
    char error[512] = "";
    kz_audio *audio = NULL;
    kz_status status = kz_audio_read_file(argv[argc - 1], NULL, &audio, error, sizeof error);
    kz_audio_free(audio);
    return status != KZ_ERR_INPUT || printf("%s %d %s\n", kz_audio_version(), KZ_AUDIO_ABI, error) < 0;
}
END
    cc reads.c -o reads $(pkg-config --cflags --libs kazeia-audio) || fail "kazeia-audio.pc"
    cc reads.c -o reads_static $(pkg-config --cflags kazeia-audio) \
        "$(pkg-config --variable=libdir kazeia-audio)/libkazeia-audio.a" \
        $(pkg-config --libs sndfile soxr) -lm || fail "libkazeia-audio.a"
    for made in reads reads_static; do
        text=$(LD_LIBRARY_PATH=$libdir "./$made" reads.c) || fail "$made fails"
        case $text in
        "$version 0 'reads.c' is no recording"*) ;;
        *) fail "$made says $text" ;;
        esac
        readelf -d "$made" | grep -q 'NEEDED.*libkazeia[.]' && fail "$made needs libkazeia"
    done
fi

mkdir "$work/user" && cd "$work/user" || exit 2
block cmake >CMakeLists.txt
cp ../program.c .
if [ -e "$libdir/libkazeia-audio.so" ]; then
    cp ../reads.c .
    sed -i 's/^find_package(kazeia.* REQUIRED/& COMPONENTS audio/' CMakeLists.txt
    for made in reads reads_static; do
        echo "add_executable($made reads.c)"
        echo "target_link_libraries($made kazeia::kazeia_audio${made#reads})"
    done >>CMakeLists.txt
fi
{
    cmake -S . -B out -DCMAKE_PREFIX_PATH="$prefix" && cmake --build out
} >"$work/log" 2>&1 || {
    cat "$work/log"
    exit 1
}
for made in program program_static; do
    [ "$(out/$made)" = "$version $abi" ] || fail "$made through CMake: version, number"
done
if [ -x out/reads ]; then
    for made in reads reads_static; do
        "out/$made" reads.c | grep -q "^$version 0 'reads.c' is no" || fail "$made through CMake"
    done
    # Where the second library is not installed, as with Debian's packages, the first is found.
    rm -r "$prefix/include/kazeia-audio.h" "$libdir"/libkazeia-audio* "$libdir"/*/kazeia-audio.pc \
        "$libdir"/cmake/kazeia/kazeiaAudio* || fail "the second library has other files"
    cmake -S . -B without -DCMAKE_PREFIX_PATH="$prefix" >"$work/log" 2>&1 &&
        fail "COMPONENTS audio without the second library"
    grep -q 'libkazeia-audio is not installed' "$work/log" || fail "$(cat "$work/log")"
    block cmake >CMakeLists.txt
    cmake -S . -B alone -DCMAKE_PREFIX_PATH="$prefix" >"$work/log" 2>&1 || fail "$(cat "$work/log")"
fi
if [ -x "$prefix/bin/kazeia" ]; then
    for file in man/man1/kazeia.1 bash-completion/completions/kazeia \
        zsh/site-functions/_kazeia fish/vendor_completions.d/kazeia.fish; do
        [ -s "$prefix/share/$file" ] || fail "$file was not installed"
    done
    speakers=$("$build/kazeia" voices -m "$root/voice/voice.kz")
    [ -n "$speakers" ] || fail "the voice has no speakers"
    [ "$(cd / && "$build/kazeia" voices)" = "$speakers" ] || fail "the built program finds no voice"
    mkdir "$work/links" && ln -s "$prefix/bin/kazeia" "$work/links/kazeia"
    [ "$("$work/links/kazeia" voices)" = "$speakers" ] || fail "through a link it finds no voice"
    strings -a "$prefix/bin/kazeia" 2>/dev/null | grep -q "^$root/voice" &&
        fail "the program names the voice of the source folder"
    # The voice is found beside the program, not in the source tree.
    text=$("$prefix/bin/kazeia" --version) || fail "the installed program does not start"
    [ -n "$text" ] || fail "the installed program does not tell its version"
    "$prefix/bin/kazeia" say -q --frames 2 -o "$work/a.wav" Hello || fail "the installed program is mute"
    : >"$prefix/share/kazeia/voice/voice.kz"
    "$prefix/bin/kazeia" say -q --frames 2 -o "$work/b.wav" Hello 2>"$work/log" &&
        fail "the installed program speaks with another voice than the installed one"
fi
exit 0
