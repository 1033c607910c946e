# The table of exit codes (B232), with the sentence that goes with each.
. "$(dirname "$0")/lib.sh"
K=$KAZEIA
small

expect 0 "" "$K" say --frames 2 -o "$work/a.wav" Hello
expect 0 "" "$K" --version
expect 0 "" "$K" --help
expect 0 "" "$K" -h
expect 0 "" "$K" help
for verb in say info voices tokenize prompt decode validate convert bench selftest batch; do
    expect 0 "" "$K" help $verb
    expect 0 "" "$K" $verb --help
    expect 0 "" "$K" $verb -h
    grep -q "usage: kazeia $verb" "$work/out" || fail "no usage line of $verb"
done

# 2: usage
expect 2 "usage: kazeia" "$K"
expect 2 "kazeia say TEXT" "$K" Hello
expect 2 "did you mean 'say'" "$K" sya Hello
expect 2 "did you mean 'tokenize'" "$K" tokenise Hello
expect 2 "after the verb" "$K" --json
for verb in serve pull list verify book; do
    expect 2 "not available in this version" "$K" $verb
done
expect 2 "takes list" "$K" voices lsit
expect 2 "twice" "$K" say -f "$0" Hello
expect 2 "kazeia validate MODEL GOLDEN" "$K" validate "$KZT_VOICE"
expect 2 "one file of codes" "$K" decode
expect 2 "one model" "$K" info a b
expect 2 "" "$K" say --cpu quantum -o "$work/a.wav" Hello

# 3: model
expect 3 "" "$K" say -m "$work/nowhere" -o "$work/a.wav" Hello
expect 3 "" "$K" info "$work/nowhere"
mkdir "$work/empty"
expect 3 "" "$K" say -m "$work/empty" -o "$work/a.wav" Hello
copy_small "$work/cut"
head -c 100000 "$small/model.safetensors" >"$work/cut/model.safetensors"
expect 3 "model.safetensors" "$K" say -m "$work/cut" -o "$work/b.wav" Hello
[ -e "$work/b.wav" ] && fail "a file was made although the model is damaged"

# 4: input
expect 4 ": $(speakers | joined)\$" "$K" say -v nobody -o "$work/b.wav" Hello
expect 4 ", $(languages | joined)\$" "$K" say -l klingon -o "$work/b.wav" Hello
expect 4 "" "$K" say -f "$work/no-such-text" -o "$work/b.wav"
expect 4 "" "$K" decode "$work/no-such-codes.npy" -o "$work/b.wav"
echo '{"format": "other"}' >"$work/golden.json"
expect 4 "not a golden run" "$K" validate "$KZT_VOICE" "$work/golden.json"
[ -e "$work/b.wav" ] && fail "a file was made although the input was bad"

# 5: output
expect 5 "No space left" "$K" say --frames 2 --format wav -o /dev/full Hello
expect 5 "" "$K" say --frames 2 -o "$work/no/such/folder/a.wav" Hello
expect 5 "folder" "$K" say --frames 2 --format wav -o "$work" Hello
expect 5 "" "$K" say --frames 2 --codes "$work/no/such.npy" -o "$work/a.wav" Hello
"$K" say --frames 2 Hello >/dev/full 2>"$work/err" </dev/null
equal 5 $? "exit code with a full standard output"
"$K" info >/dev/full 2>"$work/err" </dev/null
equal 5 $? "exit code of info with a full standard output"

# 7: resource (127: not even the program itself fits)
if ! grep -aq -e __asan_init -e __tsan_init "$K"; then
    for limit in "-v 20000" "-v 40000" "-v 60000"; do
        # shellcheck disable=SC2016
        run sh -c 'ulimit $0 2>/dev/null || exit 7; exec "$@"' "$limit" "$K" say --frames 2 \
            -o "$work/b.wav" Hello
        [ "$code" -eq 7 ] || [ "$code" -eq 127 ] ||
            fail "exit $code with ulimit $limit: $(cat "$work/err")"
    done
fi
[ -e "$work/b.wav" ] && fail "a file was made without memory"

# A limit that the user set is no failure, and is told (B038).
expect 0 "length" "$K" say --max-frames 2 --min-frames 2 -o "$work/a.wav" Hello there my friend
expect 0 "" "$K" say --max-frames 2 --json -o "$work/a.wav" Hello there my friend
equal length "$(member finish "$work/out")" "finish"
equal 2 "$(member frames "$work/out")" "frames"
finish
