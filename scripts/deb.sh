#!/bin/sh
# Builds the Debian packages: deb.sh [FOLDER]    (default build-deb/; what is missing is named)
#
# From a copy of the tree in FOLDER, which dpkg-buildpackage writes beside. Ends with 0 only if
# lintian has no error and no warning.
root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd) || exit 1
work=${1:-$root/build-deb}
export LC_ALL=C.UTF-8
cd "$root" || exit 1

missing=
command -v dpkg-buildpackage >/dev/null 2>&1 || missing='dpkg-dev debhelper'
command -v lintian >/dev/null 2>&1 || missing="$missing lintian"
if command -v dpkg-checkbuilddeps >/dev/null 2>&1; then
    unmet=$(dpkg-checkbuilddeps debian/control 2>&1 | sed -n 's/.*dependencies: //p' |
        sed 's/debhelper-compat ([^)]*)/debhelper/; s/ ([^)]*)//g')
    missing="$missing $unmet"
fi
if [ -n "${missing# }" ]; then
    echo "To build the packages, install these first (Debian, Ubuntu):" >&2
    echo "  apt-get install" $missing >&2
    exit 1
fi

version=$(dpkg-parsechangelog -S Version) || exit 1
tree=$work/kazeia-$version
mkdir -p "$work" || exit 1
rm -rf "$tree" "$work"/*kazeia*_"$version"*
mkdir "$tree" || exit 1
tar -c --exclude-vcs --exclude='./build*' --exclude=./.cache --exclude=./.ci --exclude='./*.wav' . |
    tar -x -C "$tree" || exit 1

echo "building the packages in $work"
(cd "$tree" && dpkg-buildpackage -us -uc) >"$work/build.log" 2>&1 </dev/null || {
    tail -n 40 "$work/build.log" >&2
    echo "dpkg-buildpackage failed; all of it: $work/build.log" >&2
    exit 1
}
lintian --fail-on error,warning --info "$work/kazeia_${version}_"*.changes || exit 1
ls -l "$work"/*.deb
