# The memory plan that `kazeia info` tells, beside the private memory of a running process (B221):
# packed weights, a session, and its rows and frames. For the voice in the box within a fixed
# slack, since the program itself counts there; for the model of KAZEIA_FULL_MODEL within 5 %.
. "$(dirname "$0")/lib.sh"
K=$KAZEIA
if grep -aq -e __asan_init -e __tsan_init "$K"; then
    echo "skipped: sanitizers have memory of their own"
    exit 77
fi
if [ ! -r /proc/self/status ]; then
    echo "skipped: this system does not tell the private memory"
    exit 77
fi

# plan_of MODEL FRAMES NAME SLACK_BYTES SLACK_PERCENT
plan_of() {
    expect 0 "" "$K" info "$1" --json
    packed=$(member panel_bytes "$work/out")
    session=$(member session_bytes "$work/out")
    row=$(member frame_bytes "$work/out")
    expect 0 "" "$K" bench "$1" --frames "$2" --repeat 1 --json
    rows=$(member prompt_rows "$work/out")
    peak=$(member session_bytes "$work/out")
    seen=$(member private_bytes "$work/out")
    awk -v packed="$packed" -v session="$session" -v row="$row" -v rows="$((rows + $2))" \
        -v peak="$peak" -v seen="$seen" -v bytes="$4" -v percent="$5" -v name="$3" 'BEGIN {
            mib = 1048576
            plan = packed + session + row * rows
            gap = seen - plan
            slack = bytes > plan * percent / 100 ? bytes : plan * percent / 100
            printf "%s: planned %.1f MiB (packed %.1f, session %.1f, %d rows and frames %.1f), ",
                name, plan / mib, packed / mib, session / mib, rows, row * rows / mib
            printf "seen %.1f MiB: %+.1f MiB, %+.1f %%; session at its peak %.1f MiB\n",
                seen / mib, gap / mib, 100 * gap / plan, peak / mib
            exit !(packed > 0 && seen > 0 && gap < slack && gap > -slack)
        }' || fail "$3: seen and planned memory are too far apart"
}

plan_of "$KZT_VOICE" 100 "voice in the box" 6291456 0
if [ -n "${KAZEIA_FULL_MODEL:-}" ]; then
    plan_of "$KAZEIA_FULL_MODEL" 12 "$KAZEIA_FULL_MODEL" 0 5
fi
finish
