#!/bin/sh
# Installs what a build folder holds, and removes it again:
#
#     scripts/install.sh install|uninstall BUILD [PREFIX]     ($DESTDIR is obeyed)
#
# BUILD/installed.txt lists what was installed from there, whatever the prefix and however often, so
# that exactly that is removed; folders go with it where they are empty and Kazeia's own.
what=$1
build=$2
prefix=$3
case $what in
install | uninstall) ;;
*)
    echo "usage: install.sh install|uninstall BUILD [PREFIX]" >&2
    exit 2
    ;;
esac
if [ ! -f "$build/CMakeCache.txt" ]; then
    echo "install.sh: there is no build in $build" >&2
    exit 1
fi
list=$build/installed.txt
if [ -z "$prefix" ]; then
    prefix=$(sed -n 's/^CMAKE_INSTALL_PREFIX:[A-Z]*=//p' "$build/CMakeCache.txt")
fi

# absolute FOLDER: without a slash at the end.
absolute() {
    case $1 in
    '' | /*) printf '%s\n' "$1" ;;
    *) printf '%s\n' "$(pwd)/$1" ;;
    esac | sed 's,//*$,,'
}
DESTDIR=$(absolute "$DESTDIR")
prefix=$(absolute "$prefix")
export DESTDIR
top=$DESTDIR$prefix

install_all() {
    cmake --install "$build" --prefix "${prefix:-/}" >"$build/install.log" 2>&1 || {
        tail -n 5 "$build/install.log" >&2
        exit 1
    }
    # The manifest does not know of DESTDIR, and only of the last time.
    {
        [ ! -f "$list" ] || cat "$list"
        awk '{ print ENVIRON["DESTDIR"] $0 }' "$build/install_manifest.txt"
    } | LC_ALL=C sort -u >"$list.new" && mv "$list.new" "$list" || exit 1
    echo "installed below ${top:-/}: $(awk 'END { print NR }' "$build/install_manifest.txt") files"
}

# remove_folders FILE: those above it that are empty and named kazeia, or lie in such a one.
remove_folders() {
    folder=$(dirname "$1")
    while [ "$folder" != "$top" ]; do
        case ${folder#"$top"}/ in
        */kazeia/*) rmdir "$folder" 2>/dev/null || return 0 ;;
        *) return 0 ;;
        esac
        folder=$(dirname "$folder")
    done
}

uninstall_all() {
    count=0
    left=0
    : >"$list.new" || exit 1
    while IFS= read -r file <&3; do
        case $file in
        "$top"/*)
            rm -f "$file" && count=$((count + 1)) && remove_folders "$file" && continue
            left=$((left + 1))
            ;;
        esac
        printf '%s\n' "$file" >>"$list.new"
    done 3<"$list"
    mv "$list.new" "$list" || exit 1
    [ -s "$list" ] || rm "$list"
    echo "removed from ${top:-/}: $count files"
    [ $left -eq 0 ]
}

if [ "$what" = install ]; then
    install_all
elif [ -f "$list" ] && awk -v top="$top/" 'index($0, top) == 1 { found = 1 } END { exit !found }' \
    "$list"; then
    uninstall_all
else
    echo "install.sh: nothing was installed below ${top:-/} from $build" >&2
    exit 1
fi
