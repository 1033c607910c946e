# Shared by check_symbols and check_baseline (sourced): object files of a CMake build folder. Takes
# $root and $build (absolute), goes to $build, and names objects relative to it, so that the names
# hold no blanks.

cd "$build" || exit 2

# objects TARGET: paths of the target's objects whose source is still in the tree.
objects() {
    [ -d "CMakeFiles/$1.dir" ] || return 0
    find "CMakeFiles/$1.dir" -name '*.o' | sort | while read -r object; do
        source=${object#"CMakeFiles/$1.dir/"}
        [ -f "$root/${source%.o}" ] && printf '%s\n' "$object"
    done
    return 0
}

kernel_targets() {
    ls -d CMakeFiles/kernels_*.dir 2>/dev/null | sed 's,.*/,,; s,\.dir$,,'
}
