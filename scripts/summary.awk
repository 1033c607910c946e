# Reads `ctest -V`: prints a line for each program, all output of those that failed, and at the end
# 'N passed, N failed' over the single tests (cmocka's), or programs where they are not divided.
# Ends with 0 only if at least one passed and none failed.

# Output lines are "12: text"; results are " 3/40 Test #12: name ....   Passed    0.01 sec".
match($0, /^[0-9]+: /) {
    id = substr($0, 1, RLENGTH - 2) + 0
    text = substr($0, RLENGTH + 1)
    output[id] = output[id] text "\n"
    if (text ~ /^\[       OK \]/) {
        ok[id]++
    } else if (text ~ /^\[  SKIPPED \]/ && text !~ /listed below/) {
        if (!((id, text) in seen)) {
            skips[id]++
        }
        seen[id, text] = 1
    } else if (text ~ /^\[  FAILED  \]/ && text !~ /listed below/) {
        if (!((id, text) in seen)) {
            bad[id]++
        }
        seen[id, text] = 1
    }
    next
}

/^ *[0-9]+\/[0-9]+ Test +#[0-9]+:/ {
    line = $0
    sub(/^ *[0-9]+\/[0-9]+ Test +#/, "", line)
    id = line + 0
    sub(/^[0-9]+: /, "", line)
    name = line
    sub(/ .*/, "", name)
    good = line ~ /   Passed /
    skip = line ~ /\*\*\*Skipped|\*\*\*Not Run \(Disabled\)/
    if (good || skip) {
        passed += ok[id]
        skipped += skips[id]
        if (!ok[id] && !skips[id]) {
            passed += good
            skipped += skip
        }
        printf "%-8s %s\n", good ? "ok" : "skipped", name
    } else {
        passed += ok[id]
        skipped += skips[id]
        failed += bad[id] ? bad[id] : 1
        printf "%-8s %s\n%s", "FAILED", name, output[id]
        print line
    }
    delete output[id]
    next
}

/^(CMake|ctest|Could not|No tests were found|Errors while|Unknown)/ && !/Errors while running CTest/ {
    print
}

END {
    printf "%d passed, %d failed", passed, failed
    if (skipped) {
        printf ", %d skipped", skipped
    }
    printf "\n"
    exit !(passed > 0 && !failed)
}
