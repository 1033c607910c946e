# Where sound goes: files, pipes, FIFOs, links, readers that leave.
. "$(dirname "$0")/lib.sh"
K=$KAZEIA
say() {
    "$K" say --frames 4 --seed 1 "$@" 2>"$work/err" </dev/null
}

# One utterance in every place has the same samples, and a header that fits the place (B090 B091
# B139 B225).
say -q -o "$work/file.wav" Hello || fail "file"
wav_in_file "$work/file.wav"
equal $((44 + 4 * 1920 * 2)) "$(size_of "$work/file.wav")" "size of four frames"
hash=$(data_hash "$work/file.wav")
say -q Hello | cat >"$work/pipe.wav"
wav_in_pipe "$work/pipe.wav"
equal "$hash" "$(data_hash "$work/pipe.wav")" "samples in a pipe"
say -q -o - Hello | cat >"$work/dash.wav"
cmp -s "$work/pipe.wav" "$work/dash.wav" || fail "'-o -' differs from no -o"
say -q -o /dev/stdout Hello >"$work/named.wav"
cmp -s "$work/file.wav" "$work/named.wav" || fail "/dev/stdout differs from a file"
say -q Hello >"$work/redirected.wav"
cmp -s "$work/file.wav" "$work/redirected.wav" || fail "a redirected file differs from -o FILE"
mkfifo "$work/fifo"
cat "$work/fifo" >"$work/from-fifo.wav" &
say -q -o "$work/fifo" Hello || fail "FIFO"
wait
cmp -s "$work/pipe.wav" "$work/from-fifo.wav" || fail "a FIFO differs from a pipe"
[ -p "$work/fifo" ] || fail "the FIFO was replaced"
say -q -o /dev/null Hello || fail "/dev/null"
printf 'before' >"$work/appended"
say -q Hello >>"$work/appended"
tail -c +7 "$work/appended" >"$work/appended.wav"
cmp -s "$work/pipe.wav" "$work/appended.wav" || fail "appending differs from a pipe"

# B096: of a few sentences nothing is cut, whether a reader trusts the sizes or reads to the end.
three="She went to the market and bought some bread and butter. Then it rained all day, until the"
three="$three evening came. The kettle is on the stove, and the tea is almost ready for us."
say -q --json -o "$work/three.wav" "$three" >"$work/out" || fail "three sentences"
wav_in_file "$work/three.wav"
samples=$(awk -v s="$(member seconds "$work/out")" 'BEGIN { printf "%d", s * 24000 + 0.5 }')
[ "$samples" -gt $((2 * 4 * 1920)) ] || fail "$samples samples are not several pieces"
equal $((2 * samples)) "$(u32 "$work/three.wav" 40)" "size of the data, as the record has it"
say -q "$three" | cat >"$work/three-pipe.wav"
wav_in_pipe "$work/three-pipe.wav"
equal "$(data_hash "$work/three.wav")" "$(data_hash "$work/three-pipe.wav")" "three in a pipe"

# Raw is the data chunk (B128), 16 bits where nothing else is said (B134).
say -q -o "$work/a.raw" Hello || fail "raw"
equal $((4 * 1920 * 2)) "$(size_of "$work/a.raw")" "bytes of raw sound"
equal "$hash" "$(cksum <"$work/a.raw")" "raw sound"
say -q -o "$work/A.RAW" --format wav Hello
wav_in_file "$work/A.RAW"
for bits in 16:2:44 24:3:44 32f:4:58; do
    width=${bits#*:}
    say -q --bits "${bits%%:*}" -o "$work/bits.wav" Hello || fail "--bits $bits"
    equal $((${width#*:} + 4 * 1920 * ${width%:*})) "$(size_of "$work/bits.wav")" \
        "size, --bits $bits"
done

# Endings that are not there.
for name in x.aac x.txt x wav .wav x.wav.; do
    expect 2 "ending" "$K" say -o "$work/$name" Hello
    [ -e "$work/$name" ] && fail "$name was made"
done

# The old file stays until the new one is whole; links are followed; nothing is left beside.
mkdir "$work/clean"
echo old >"$work/clean/old.wav"
expect 4 "" "$K" say -v nobody -o "$work/clean/old.wav" Hello
equal old "$(cat "$work/clean/old.wav")" "the old file"
ln -s old.wav "$work/clean/link.wav"
say -q -o "$work/clean/link.wav" Hello || fail "link"
[ -L "$work/clean/link.wav" ] || fail "the link was replaced"
cmp -s "$work/file.wav" "$work/clean/old.wav" || fail "the link was not followed"
equal 2 "$(ls -A "$work/clean" | wc -l | tr -d ' ')" "files in the folder"
if [ "$(id -u)" -ne 0 ]; then
    chmod a-w "$work/clean/old.wav"
    expect 5 "" "$K" say -o "$work/clean/old.wav" Hello
    chmod a-w "$work/clean"
    expect 5 "" "$K" say -o "$work/clean/new.wav" Hello
    chmod u+w "$work/clean"
fi

# A reader that leaves: a quiet 0, and soon (B233).
{
    "$K" say --frames 20000 --seed 1 Hello 2>"$work/err" </dev/null
    echo $? >"$work/code"
} | head -c 100 >"$work/head.wav"
equal 0 "$(cat "$work/code")" "exit code with a closed pipe"
equal 100 "$(size_of "$work/head.wav")" "bytes that the reader took"
[ -s "$work/err" ] && fail "a closed pipe is not quiet: $(cat "$work/err")"
for verb in "info" "help say" "tokenize Hello" "voices"; do
    {
        # shellcheck disable=SC2086
        "$K" $verb 2>"$work/err" </dev/null
        echo $? >"$work/code"
    } | true
    equal 0 "$(cat "$work/code")" "exit code of '$verb' with a closed pipe"
done

# JSON and hash go to standard output beside a file, to standard error beside sound.
say --json --hash -o "$work/a.wav" Hello >"$work/out"
equal 1 "$(wc -l <"$work/out" | tr -d ' ')" "lines of JSON"
equal 64 "$(member hash "$work/out" | tr -d '\n' | wc -c | tr -d ' ')" "digits of the hash"
hex=$(member hash "$work/out")
say --json --hash Hello | cat >"$work/mixed.wav"
wav_in_pipe "$work/mixed.wav"
equal "$hash" "$(data_hash "$work/mixed.wav")" "sound beside JSON"
equal "$hex" "$(member hash "$work/err")" "hash on standard error"
say --hash -o "$work/a.wav" Hello >"$work/out"
grep -q "^sha256 $hex arithmetic [0-9]*$" "$work/out" || fail "line of --hash: $(cat "$work/out")"
say --bits 32f --hash -o "$work/f.wav" Hello >"$work/out"
if command -v sha256sum >/dev/null; then
    equal "$hex" "$(tail -c +59 "$work/f.wav" | sha256sum | cut -d ' ' -f 1)" "SHA-256 of floats"
fi

finish
