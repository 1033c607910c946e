#!/bin/sh
# Tries ./demo and ./test of the committed tree on a Debian that has nothing but git and a shell:
#
#     scripts/bare_debian.sh [SUITE [FOLDER]]      (root; needs debootstrap; about 1.5 GB in FOLDER)
#
# as root, as a user with sudo, and as a user without, each in a fresh copy of the base system that
# debootstrap made once in FOLDER (default build-bare/); and in a fresh clone without a network, once
# the packages are there. Prints what was seen, how long it took and how much was downloaded; all
# output is in FOLDER/SUITE-*.log. Exits with 0 if every case ended as it should.
root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd) || exit 1
suite=${1:-bookworm}
work=${2:-$root/build-bare}
if [ "$(id -u)" -ne 0 ] || ! command -v debootstrap >/dev/null 2>&1; then
    echo "bare_debian.sh needs root and debootstrap" >&2
    exit 1
fi
# Mounts of the trial live in a name space of their own and go with it.
if [ -z "$KZ_BARE_INSIDE" ]; then
    KZ_BARE_INSIDE=1 exec unshare --mount --propagation private "$0" "$suite" "$work"
fi
mkdir -p "$work" || exit 1
work=$(cd "$work" && pwd)
base=$work/$suite-base
tree=$work/$suite-tree
bad=0
exec 9>"$work/$suite.lock"
flock -n 9 || {
    echo "another trial of $suite is running in $work" >&2
    exit 1
}

if [ ! -d "$base/usr/bin" ]; then
    echo "making the base system $suite"
    debootstrap --variant=minbase --include=git "$suite" "$base" >"$work/$suite-base.log" 2>&1 || {
        tail -n 20 "$work/$suite-base.log" >&2
        rm -rf "$base"
        exit 1
    }
fi

remove() {
    umount "$tree/proc" "$tree/dev/shm" "$tree/dev/pts" 2>/dev/null
    rm -rf --one-file-system "$tree" || exit 1
}

# A fresh system with the tree in /srv/kazeia, owned by $1.
fresh() {
    remove
    cp -a "$base" "$tree" || exit 1
    cp /etc/resolv.conf "$tree/etc/resolv.conf"
    mount -t proc proc "$tree/proc" && mount -t tmpfs tmpfs "$tree/dev/shm" &&
        mount -t devpts -o newinstance,ptmxmode=0666 devpts "$tree/dev/pts" &&
        ln -sf pts/ptmx "$tree/dev/ptmx" || exit 1
    git clone -q --no-hardlinks "$root" "$tree/srv/kazeia" || exit 1
    if [ "$1" != root ]; then
        chroot "$tree" useradd -m -s /bin/sh "$1" || exit 1
        chroot "$tree" chown -R "$1:" /srv/kazeia
    fi
}

# inside USER COMMAND: runs it in the tree without standard input; output goes to the log. $network
# may hold a command that takes the network away.
network=
inside() {
    $network chroot --userspec="$1:$1" --groups="$1" "$tree" env -i "HOME=/tmp" "USER=$1" LANG=C.UTF-8 \
        PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
        sh -c "cd /srv/kazeia && $2" </dev/null
}

# try CASE USER COMMAND WANTED: the command ends with the wanted status.
try() {
    begin=$(date +%s)
    inside "$2" "$3" >"$work/$suite-step.log" 2>&1
    status=$?
    seconds=$(($(date +%s) - begin))
    {
        printf '==== %s: %s -> %d\n' "$1" "$3" "$status"
        cat "$work/$suite-step.log"
    } >>"$work/$suite.log"
    mark=ok
    if [ "$status" -ne "$4" ]; then
        mark=BAD
        bad=1
    fi
    printf '%-3s %-8s %-38s exit %d %4d s  %s\n' "$mark" "$1" "$3" "$status" "$seconds" \
        "$(tail -n 1 "$work/$suite-step.log" | cut -c1-60)"
}

# expect WORDS: the last step said so.
expect() {
    grep -q -- "$1" "$work/$suite-step.log" && return 0
    echo "BAD it did not say: $1"
    bad=1
}

# sound: kazeia-demo.wav is 24 kHz, mono, 16 bit, its data whole and 1 to 10 seconds long.
sound() {
    wav=$tree/srv/kazeia/kazeia-demo.wav
    size=$(wc -c <"$wav")
    form=$(od -An -tu2 -j 20 -N 4 "$wav" | tr -s ' ')$(od -An -tu4 -j 24 -N 4 "$wav" | tr -s ' ')
    form=$form$(od -An -tu2 -j 34 -N 2 "$wav" | tr -s ' ')
    data=$(od -An -tu4 -j 40 -N 4 "$wav" | tr -d ' ')
    if [ "$form" = ' 1 1 24000 16' ] && [ $((data + 44)) -eq "$size" ] &&
        [ "$data" -ge 48000 ] && [ "$data" -le 480000 ]; then
        echo "    kazeia-demo.wav: 24 kHz mono 16 bit, $((data / 48)) ms"
    else
        echo "BAD kazeia-demo.wav: $size bytes, format$form, $data bytes of data"
        bad=1
    fi
}

# download: what the last step fetched, as apt-get tells it.
download() {
    sed -n 's/^Need to get \(.* of archives\)\..*/    fetched \1/p' \
        "$tree/srv/kazeia/build/setup.log"
}

# quiet: the compiler had nothing to say. The log is that of the latest ./demo or ./test.
quiet() {
    grep ':[0-9]*: warning: ' "$tree/srv/kazeia/build/setup.log" || return 0
    echo "BAD warnings of $(chroot "$tree" cc --version | head -n 1)"
    bad=1
}

# skips: what ./test skipped, and why.
skips() {
    grep '^skipped ' "$work/$suite-step.log" | cut -c1-100 | sed 's/^/    /'
}

: >"$work/$suite.log"
echo "$suite, $(git -C "$root" rev-parse --short HEAD)"

fresh root
try root root './demo "Good morning, how are you?"' 0
expect 'wrote /srv/kazeia/kazeia-demo.wav'
sound
download
quiet
try root root ./test 0
expect '^[0-9]* passed, 0 failed'
download
skips
quiet
try again root './demo "Once more."' 0
try again root ./test 0
try clean root 'test -z "$(git status --porcelain)"' 0

rm -rf "$tree/srv/kazeia"
git clone -q --no-hardlinks "$root" "$tree/srv/kazeia" || exit 1
network='unshare --net'
try offline root ./demo 0
sound
try offline root ./test 0
expect '^[0-9]* passed, 0 failed'
network=

fresh plain
try 'no root' plain ./demo 1
expect 'apt-get install .*cmake'
try 'no root' plain ./test 1
expect 'apt-get install .*libcmocka-dev'

fresh admin
# The user may become root; apt-get update and sudo itself are the system's, not the trial's.
inside root 'apt-get update && apt-get install -y --no-install-recommends sudo &&
    echo "admin ALL=(ALL) NOPASSWD: ALL" >/etc/sudoers.d/admin && rm -rf /var/lib/apt/lists/*' \
    >>"$work/$suite.log" 2>&1 || exit 1
try sudo admin ./demo 0
sound
try sudo admin ./test 0

remove
exit $bad
