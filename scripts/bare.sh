# Shared by bare_debian.sh and try_deb.sh (sourced): a Debian that has nothing but git and a shell,
# and steps that are taken in it. Takes $root, $suite and $work (a folder) and sets $tree.
#
# The base system is made once by debootstrap, as $work/$suite-base; each trial has a fresh copy of
# it. Output of all steps goes to $work/$suite.log; $bad is 1 once a step did not end as it should.

if [ "$(id -u)" -ne 0 ] || ! command -v debootstrap >/dev/null 2>&1; then
    echo "$(basename "$0") needs root and debootstrap" >&2
    exit 1
fi
# Mounts of the trial live in a name space of their own and go with it.
if [ -z "$KZ_BARE_INSIDE" ]; then
    KZ_BARE_INSIDE=1 exec unshare --mount --propagation private "$0" "$@"
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

# A fresh system in $tree.
fresh_system() {
    remove
    cp -a "$base" "$tree" || exit 1
    cp /etc/resolv.conf "$tree/etc/resolv.conf"
    mount -t proc proc "$tree/proc" && mount -t tmpfs tmpfs "$tree/dev/shm" &&
        mount -t devpts -o newinstance,ptmxmode=0666 devpts "$tree/dev/pts" &&
        ln -sf pts/ptmx "$tree/dev/ptmx" || exit 1
    mkdir -p "$tree/srv/kazeia"
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

# sound FILE: in the tree, 24 kHz, mono, 16 bit, its data whole and 0.3 to 10 seconds long.
sound() {
    wav=$tree$1
    size=$(wc -c <"$wav")
    form=$(od -An -tu2 -j 20 -N 4 "$wav" | tr -s ' ')$(od -An -tu4 -j 24 -N 4 "$wav" | tr -s ' ')
    form=$form$(od -An -tu2 -j 34 -N 2 "$wav" | tr -s ' ')
    data=$(od -An -tu4 -j 40 -N 4 "$wav" | tr -d ' ')
    if [ "$form" = ' 1 1 24000 16' ] && [ $((data + 44)) -eq "$size" ] &&
        [ "$data" -ge 14400 ] && [ "$data" -le 480000 ]; then
        echo "    $(basename "$1"): 24 kHz mono 16 bit, $((data / 48)) ms"
    else
        echo "BAD $1: $size bytes, format$form, $data bytes of data"
        bad=1
    fi
}

: >"$work/$suite.log"
