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
. "$root/scripts/bare.sh"

# A fresh system with the tree in /srv/kazeia, owned by $1.
fresh() {
    fresh_system
    git clone -q --no-hardlinks "$root" "$tree/srv/kazeia" || exit 1
    if [ "$1" != root ]; then
        chroot "$tree" useradd -m -s /bin/sh "$1" || exit 1
        chroot "$tree" chown -R "$1:" /srv/kazeia
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

echo "$suite, $(git -C "$root" rev-parse --short HEAD)"

fresh root
try root root './demo "Good morning, how are you?"' 0
expect 'wrote /srv/kazeia/kazeia-demo.wav'
sound /srv/kazeia/kazeia-demo.wav
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
sound /srv/kazeia/kazeia-demo.wav
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
sound /srv/kazeia/kazeia-demo.wav
try sudo admin ./test 0

remove
exit $bad
