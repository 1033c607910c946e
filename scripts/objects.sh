# Shared by check_symbols and check_baseline (sourced): object files of a CMake build folder.

# objects TARGET: paths of the target's objects whose source is still in the tree.
objects() {
    objects_dir=$build/CMakeFiles/$1.dir
    [ -d "$objects_dir" ] || return 0
    find "$objects_dir" -name '*.o' | sort | while read -r object; do
        source=${object#"$objects_dir"/}
        [ -f "$root/${source%.o}" ] && printf '%s\n' "$object"
    done
    return 0
}

kernel_targets() {
    ls -d "$build"/CMakeFiles/kernels_*.dir 2>/dev/null | sed 's,.*/,,; s,\.dir$,,'
}
