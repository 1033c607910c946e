#!/bin/sh
# Tries the packages of `make deb` on a Debian that has nothing but git and a shell:
#
#     scripts/try_deb.sh [SUITE [FOLDER [PACKAGES]]]    (root; needs debootstrap)
#
# Installs them, uses the command as a user and the library as a program, removes them, and looks for
# what was left. FOLDER (default build-bare/) has the base system, PACKAGES (default build-deb/) the
# packages. Prints what was seen; all output is in FOLDER/SUITE.log. Exits with 0 if all was right.
root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd) || exit 1
suite=${1:-bookworm}
work=${2:-$root/build-bare}
packages=${3:-$root/build-deb}
. "$root/scripts/bare.sh"

# Files that begin with the name of a package, but those of apt's own book-keeping.
traces() {
    (cd "$tree" && find usr etc opt var lib bin -name '*kazeia*' ! -path 'var/log/*') | sort
}

fresh_system
chroot "$tree" useradd -m -s /bin/sh plain || exit 1
for package in kazeia kazeia-voice libkazeia0 libkazeia-dev; do
    cp "$packages/${package}_"*.deb "$tree/srv/kazeia/" || exit 1
done
names='kazeia kazeia-voice libkazeia0 libkazeia-dev'
echo "$suite: $(ls "$tree/srv/kazeia" | tr '\n' ' ')"
inside root 'apt-get update' >>"$work/$suite.log" 2>&1 || exit 1

try install root 'apt-get install -y ./*.deb' 0
try speak plain 'cd /tmp && kazeia say Hello -o x.wav' 0
sound /tmp/x.wav
try speak plain 'cd /tmp && kazeia say Hello -o x.flac && head -c 4 x.flac | grep fLaC' 0
try version plain 'kazeia --version' 0
expect '^kazeia [0-9]'
try bits plain 'kazeia selftest' 0
try pages root 'apt-get install -y --no-install-recommends man-db' 0
try pages plain 'man kazeia' 0
expect 'EXIT STATUS'
try pages plain "bash -c '. /usr/share/bash-completion/completions/kazeia && complete -p kazeia'" 0
try program root 'apt-get install -y --no-install-recommends gcc libc6-dev pkg-config' 0
cat >"$tree/tmp/build.sh" <<'END'
set -e
cd /tmp
cp /usr/share/doc/libkazeia-dev/examples/*.c .
for source in *.c; do
    cc -Wall -Werror "$source" $(pkg-config --cflags --libs kazeia) -pthread -lm -o "${source%.c}"
done
cc -Wall -Werror say_push.c -Wl,-Bstatic $(pkg-config --cflags --libs kazeia) -Wl,-Bdynamic \
    $(pkg-config --libs-only-l --static kazeia | sed 's/-lkazeia//') -pthread -o static
ldd say_push | grep libkazeia.so.0
! ldd static | grep kazeia
END
try program plain 'sh /tmp/build.sh' 0
try program plain '/tmp/say_push /usr/share/kazeia/voice Hello >/tmp/heard && test -s /tmp/heard' 0
try program plain '/tmp/static /usr/share/kazeia/voice Hello | cmp - /tmp/heard' 0
traces >>"$work/$suite.log"
try remove root "apt-get remove -y $names" 0
if [ -n "$(traces)" ]; then
    echo "BAD was left: $(traces | tr '\n' ' ')"
    bad=1
fi
try remove root "dpkg-query -W $names" 1

remove
exit $bad
