#!/bin/sh
# The last line of ./test: counts of single tests, a crash counts as a failure, nothing run is no
# success. Skips are told with their reason. test_summary.sh ROOT
root=$1
failures=0
# summary WANTED STATUS: standard input through summary.awk ends with the wanted line and status.
summary() {
    got=$(awk -f "$root/scripts/summary.awk")
    status=$?
    last=$(printf '%s\n' "$got" | tail -n 1)
    if [ "$last" != "$1" ] || [ $status -ne "$2" ]; then
        echo "FAILED: wanted '$1' and status $2, got '$last' and status $status"
        return 1
    fi
}
result() {
    printf '1/3 Test #%d: %s ......   %s    0.01 sec\n' "$@"
}
good() {
    printf '%d: [       OK ] test_%s\n' "$1" "$2"
}

summary '0 passed, 0 failed' 1 </dev/null || failures=1
{
    good 1 a
    good 2 x
    good 1 b
    result 1 unit.one Passed
    result 2 unit.two Passed
    result 3 check.form Passed
} | summary '4 passed, 0 failed' 0 || failures=1
{
    good 1 a
    printf '1: [  SKIPPED ] test_b\n1: [  SKIPPED ] 1 test(s), listed below:\n'
    printf '1: [  SKIPPED ] test_b\n1:  1 SKIPPED TEST(S)\n'
    result 1 unit.one Passed
    result 2 check.baseline '***Skipped'
} | summary '1 passed, 0 failed, 2 skipped' 0 || failures=1
{
    good 1 a
    printf '1: [  FAILED  ] test_b\n1: [  FAILED  ] test_c\n'
    printf '1: [  FAILED  ] 2 test(s), listed below:\n1: [  FAILED  ] test_b\n'
    printf '1: [  FAILED  ] test_c\n1:  2 FAILED TEST(S)\n'
    result 1 unit.one '***Failed'
} | summary '1 passed, 2 failed' 1 || failures=1
{
    good 1 a
    result 1 unit.one '***Exception: SegFault'
    result 2 unit.two '***Timeout'
    result 3 unit.three '***Not Run'
} | summary '1 passed, 3 failed' 1 || failures=1
told=$({
    good 1 a
    printf '1: skipped: no & files in \\1\n'
    printf '1: [  SKIPPED ] test_b\n1: [  SKIPPED ] test_c\n1: [  SKIPPED ] test_b\n'
    result 1 unit.one Passed
    printf '2: not this machine\n'
    result 2 check.baseline '***Skipped'
} | awk -f "$root/scripts/summary.awk" | grep '^skipped')
if [ "$told" != 'skipped  unit.one.test_b: no & files in \1
skipped  unit.one.test_c: no & files in \1
skipped  check.baseline: not this machine' ]; then
    echo "FAILED: skips are told as '$told'"
    failures=1
fi
result 1 check.form '***Failed' | summary '0 passed, 1 failed' 1 || failures=1
exit $failures
