# The first signal ends the file cleanly; what was made is kept.
. "$(dirname "$0")/lib.sh"
K=$KAZEIA

"$K" say --frames 20000 --seed 1 --json -o "$work/cut.wav" --codes "$work/cut.txt" Hello \
    >"$work/out" 2>"$work/err" </dev/null &
pid=$!
sleep 2
[ -e "$work/cut.wav" ] && fail "the file was there before it was whole"
kill -TERM $pid
wait $pid
equal 130 $? "exit code after SIGTERM"
wav_in_file "$work/cut.wav"
equal cancelled "$(member finish "$work/out")" "finish"
frames=$(member frames "$work/out")
[ "$frames" -gt 0 ] || fail "nothing was made in two seconds"
[ "$(size_of "$work/cut.wav")" -gt 44 ] || fail "nothing was kept"
equal "$frames" "$(wc -l <"$work/cut.txt" | tr -d ' ')" "frames of codes"
equal 0 "$(ls -A "$work" | grep -c '^\.kazeia')" "files left beside"

# The same word for it everywhere.
"$K" bench "$KZT_VOICE" --frames 20000 --repeat 1 >"$work/out" 2>"$work/err" </dev/null &
pid=$!
sleep 2
kill -TERM $pid
wait $pid
equal 130 $? "exit code of bench after SIGTERM"
grep -q "error: interrupted$" "$work/err" || fail "bench says $(cat "$work/err")"
equal 0 "$(size_of "$work/out")" "bench shows half a result"

# The second signal kills, here while a reader does not read.
mkfifo "$work/full"
"$K" say --frames 20000 -o "$work/full" Hello 2>"$work/err" </dev/null &
pid=$!
exec 4<"$work/full"
sleep 2
kill -TERM $pid
sleep 1
kill -TERM $pid 2>/dev/null
wait $pid
code=$?
[ $code -eq 143 ] || [ $code -eq 130 ] || fail "exit $code after two SIGTERM"
exec 4<&-

# The same while text is awaited.
mkfifo "$work/feed"
"$K" say --live-text -o "$work/live.wav" <"$work/feed" >"$work/out" 2>"$work/err" &
pid=$!
exec 3>"$work/feed"
sleep 2
kill -TERM $pid
wait $pid
equal 130 $? "exit code after SIGTERM while waiting for text"
exec 3>&-
"$K" say --lines -o "$work/lines.wav" <"$work/feed" >"$work/out" 2>"$work/err" &
pid=$!
exec 3>"$work/feed"
sleep 1
kill -TERM $pid
wait $pid
equal 130 $? "exit code after SIGTERM while waiting for a line"
exec 3>&-
equal 0 "$(ls -A "$work" | grep -c '^\.kazeia')" "files left beside"

# And while a FIFO waits for its reader.
"$K" say --frames 2 -o "$work/feed" Hello >"$work/out" 2>"$work/err" </dev/null &
pid=$!
sleep 2
kill -TERM $pid
wait $pid
equal 130 $? "exit code after SIGTERM while a FIFO waits"
finish
