# Ctrl-C, SIGTERM and a terminal that closes, at any moment of a run: exit code 130, or 0 where it
# was over; the file is the old one or a whole one; nothing is left beside; nothing is said.
. "$(dirname "$0")/lib.sh"
K=$KAZEIA
if ! timeout --foreground --preserve-status -s INT 5 true 2>/dev/null; then
    echo "skipped: no timeout(1) that takes --foreground"
    exit 77
fi
now_ms() {
    echo $(($(date +%s%N) / 1000000))
}

# Where text is awaited nothing is there to be ended: at once, and with 130 exactly.
mkfifo "$work/feed"
for name in INT TERM HUP; do
    # The opener of the FIFO keeps it open, so that the program waits for text.
    sleep 30 >"$work/feed" &
    opener=$!
    timeout --foreground --preserve-status -s $name 0.5 "$K" say -o "$work/x.wav" <"$work/feed" \
        >"$work/out" 2>"$work/err"
    equal 130 $? "exit code for SIG$name while text is awaited"
    kill $opener
    wait $opener 2>/dev/null
    [ -e "$work/x.wav" ] && fail "a file after SIG$name while text is awaited"
    [ -s "$work/err" ] && fail "said after SIG$name: $(cat "$work/err")"
done

# moments COUNT SECONDS: COUNT delays from 0 to SECONDS, spread over all of it.
moments() {
    awk -v n="$1" -v most="$2" -v seed="$seed" 'BEGIN {
        srand(seed)
        for (i = 0; i < n; i++) printf "%.4f\n", (i + rand()) * most / n
    }'
}

# struck SIGNAL DELAY FOLDER COMMAND...: what is left of it in FOLDER, one file.
struck() {
    name=$1
    delay=$2
    folder=$3
    shift 3
    # timeout takes 0 for never.
    timeout --foreground --preserve-status -s "$name" "$(awk -v d="$delay" \
        'BEGIN { print (d > 0.0005 ? d : 0.0005) }')" "$@" >"$work/out" 2>"$work/err" </dev/null
    code=$?
    what="SIG$name after $delay s"
    case $code in
    0) done=$((done + 1)) ;;
    130) stopped=$((stopped + 1)) ;;
    129 | 143) # before the first line of the program; 130 for SIGINT
        early=$((early + 1))
        awk -v d="$delay" -v most="$start" 'BEGIN { exit d > most }' || fail "exit $code for $what"
        ;;
    *) fail "exit $code for $what: $(cat "$work/err")" ;;
    esac
    equal 1 "$(ls -A "$folder" | wc -l | tr -d ' ')" "files after $what"
    grep -qv '^kazeia: error: interrupted$' "$work/err" &&
        fail "said after $what: $(cat "$work/err")"
}

seed=${KAZEIA_TEST_SEED:-$(date +%s)}
mkdir "$work/place"
begin=$(now_ms)
"$K" --version >"$work/out" || fail "--version"
start=$(awk -v ms=$(($(now_ms) - begin)) 'BEGIN { print 0.1 + 3 * ms / 1000 }')
begin=$(now_ms)
"$K" say -q --frames 120 --seed 1 -o "$work/whole.wav" Hello </dev/null || fail "the run itself"
length=$(awk -v ms=$(($(now_ms) - begin)) 'BEGIN { print 1.2 * ms / 1000 }')
echo "delays of up to $length s, seed $seed (KAZEIA_TEST_SEED)"
done=0 stopped=0 early=0 cut=0
for name in INT TERM HUP; do
    for delay in $(moments 12 "$length"); do
        echo old >"$work/place/a.wav"
        struck $name "$delay" "$work/place" \
            "$K" say -q --frames 120 --seed 1 -o "$work/place/a.wav" Hello
        if [ "$(head -c 3 "$work/place/a.wav")" = old ]; then
            [ $code -ne 0 ] || fail "exit 0 and no file for $what"
            continue
        fi
        wav_in_file "$work/place/a.wav"
        bytes=$(size_of "$work/place/a.wav")
        tail -c +45 "$work/place/a.wav" >"$work/made"
        tail -c +45 "$work/whole.wav" | head -c $((bytes - 44)) | cmp -s - "$work/made" ||
            fail "other samples after $what"
        [ "$bytes" -lt "$(size_of "$work/whole.wav")" ] && cut=$((cut + 1))
        [ $code -ne 0 ] || equal "$(size_of "$work/whole.wav")" "$bytes" "bytes with exit 0, $what"
    done
done
echo "say: $done were over, $stopped stopped ($cut with a part of the sound), $early not begun"
[ $stopped -gt 0 ] || fail "no run was stopped"

# A packed file is there as a whole or not at all.
small
begin=$(now_ms)
"$K" convert "$small" -q --type q8 -o "$work/whole.kz" </dev/null || fail "convert"
length=$(awk -v ms=$(($(now_ms) - begin)) 'BEGIN { print 1.2 * ms / 1000 }')
rm "$work/place/a.wav"
done=0 stopped=0 early=0
for delay in $(moments 8 "$length"); do
    echo old >"$work/place/m.kz"
    struck TERM "$delay" "$work/place" "$K" convert "$small" -q --type q8 -o "$work/place/m.kz"
    [ "$(head -c 3 "$work/place/m.kz")" = old ] || cmp -s "$work/whole.kz" "$work/place/m.kz" ||
        fail "half a packed file after $what"
done
echo "convert: $done were over, $stopped stopped, $early not begun"
finish
