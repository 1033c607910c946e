# Reads `ctest -V`: prints a line for each program, what was skipped and why, all output of those
# that failed, and at the end 'N passed, N failed' over the single tests (cmocka's), or programs
# where they are not divided.
# Ends with 0 only if at least one passed and none failed.

# first(ID, TEXT): cmocka lists its skipped and failed tests again at the end; true the first time.
function first(id, text) {
    if (text ~ /listed below/ || (id, text) in seen) {
        return 0
    }
    seen[id, text] = 1
    return 1
}

function tell_skipped(id, names, count, i) {
    count = split(skipped_names[id], names, " ")
    for (i = 1; i <= count; i++) {
        printf "%-8s %s%s\n", "skipped", name "." names[i], reason[id]
    }
}

# Output lines are "12: text"; results are " 3/40 Test #12: name ....   Passed    0.01 sec".
match($0, /^[0-9]+: /) {
    id = substr($0, 1, RLENGTH - 2) + 0
    text = substr($0, RLENGTH + 1)
    output[id] = output[id] text "\n"
    if (text ~ /^\[       OK \]/) {
        ok[id]++
    } else if (text ~ /^\[  SKIPPED \]/) {
        if (first(id, text)) {
            skips[id]++
            skipped_names[id] = skipped_names[id] " " substr(text, 14)
        }
    } else if (text ~ /^\[  FAILED  \]/) {
        bad[id] += first(id, text)
    } else if (text ~ /^skipped: /) {
        reason[id] = ": " substr(text, 10)
    } else if (text ~ /[^ ]/ && !(id in reason)) {
        last[id] = ": " text
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
    passed += ok[id]
    skipped += skips[id]
    if (good || skip) {
        if (!ok[id] && !skips[id]) {
            passed += good
            skipped += skip
        }
        printf "%-8s %s%s\n", good ? "ok" : "skipped", name,
            good ? "" : (id in reason ? reason[id] : last[id])
    } else {
        failed += bad[id] ? bad[id] : 1
        printf "%-8s %s\n%s", "FAILED", name, output[id]
        print line
    }
    tell_skipped(id)
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
