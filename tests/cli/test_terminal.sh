# What differs on a terminal: no sound into it, playback, colour, progress, waiting for text, Ctrl-C.
# Needs script(1).
. "$(dirname "$0")/lib.sh"
K=$KAZEIA
if ! script -qec true /dev/null </dev/null >/dev/null 2>&1; then
    echo "skipped: no script(1), or no terminal to be had here"
    exit 77
fi

# typed COMMAND: runs it on a terminal; what appears there in $work/typed, exit code in $code.
typed() {
    script -qec "$1" /dev/null </dev/null >"$work/typed" 2>&1
    code=$?
}

# Sound never goes to a terminal; colour obeys NO_COLOR.
typed "$K say -o - Hello"
equal 2 $code "exit code for sound on a terminal"
grep -q RIFF "$work/typed" && fail "sound was written to a terminal"
equal 2 "$(typed "$K say -o /dev/tty --format wav --frames 2 Hello"; echo $code)" \
    "exit code for sound into the terminal by its name"
escape=$(printf '\033')
typed "$K Hello"
grep -q "kazeia: $escape\[31merror: $escape\[0m" "$work/typed" || fail "no colour on a terminal"
typed "NO_COLOR=1 $K Hello"
grep -q "$escape" "$work/typed" && fail "colour in spite of NO_COLOR"
typed "NO_COLOR= $K Hello"
grep -q "$escape" "$work/typed" || fail "no colour although NO_COLOR is empty"
typed "$K Hello 2>$work/err"
grep -q "$escape" "$work/err" && fail "colour where standard error is no terminal"

# Progress is for runs of more than a second, on a terminal, and wiped in the end (B211). Ctrl-C ends
# the file.
begin=$(date +%s%N)
typed "$K say --frames 2 -o $work/t.wav Hello"
took=$((($(date +%s%N) - begin) / 1000000))
[ $took -ge 900 ] || ! grep -q "$escape" "$work/typed" || fail "progress of a run of $took ms"
# pressed SECONDS COMMAND: Ctrl-C after that time.
pressed() {
    (sleep "$1"; printf '\003') | script -qec "$2" /dev/null >"$work/typed" 2>&1
    code=$?
}
pressed 3 "$K say --frames 20000 -o $work/t.wav Hello"
equal 130 $code "exit code after Ctrl-C"
wav_in_file "$work/t.wav"
[ "$(size_of "$work/t.wav")" -gt 44 ] || fail "nothing was kept after Ctrl-C"
grep -q "[0-9] s of sound" "$work/typed" || fail "no progress of a run of three seconds"
wiped=$(tr '\r' '\n' <"$work/typed" | grep . | tail -n 1)
equal "$escape[K" "$wiped" "the end of the progress line"
for how in "NO_COLOR=1 $K say --quiet" "$K say 2>/dev/null"; do
    pressed 2 "${how%% 2>*} --frames 20000 -o $work/t.wav Hello ${how#"${how%% 2>*}"}"
    grep -q "of sound" "$work/typed" && fail "progress with '$how'"
done
# What computes without a word for more than a second has a line as well.
pressed 2 "$K bench $KZT_VOICE --frames 20000 --repeat 1"
equal 130 $code "exit code of bench after Ctrl-C"
grep -q "probing the machine\|run 1 of 1" "$work/typed" || fail "no progress of bench"

# Without -o it plays; where there is no device it says what to do.
typed "$K say --frames 2 Hello"
[ $code -eq 0 ] || [ $code -eq 7 ] || fail "exit $code for playback"
if [ $code -eq 7 ]; then
    grep -q -- "-o FILE" "$work/typed" || fail "no hint at -o without a sound device"
fi
grep -q ALSA "$work/typed" && fail "ALSA's chatter came through"

# Every sample reaches the device: ALSA's own file device keeps them as floats.
mkdir "$work/home"
cat >"$work/home/.asoundrc" <<END
pcm.!default { type file slave.pcm "null" file "$work/home/heard" format "raw" }
pcm.null { type null }
ctl.!default { type null }
END
typed "HOME=$work/home $K say --frames 4 --seed 1 -q Hello"
if [ $code -eq 0 ] && [ -s "$work/home/heard" ]; then
    run "$K" say --frames 4 --seed 1 -q --format raw --bits 32f -o "$work/floats.raw" Hello
    cmp -s "$work/home/heard" "$work/floats.raw" || fail "other samples were heard than written"
fi

# With a terminal as standard input it says that it waits (B226).
for verb in "say -o $work/t.wav" "say --lines -o $work/t.wav" "say --live-text -o $work/t.wav" \
    tokenize prompt; do
    (sleep 1; printf '\004') | script -qec "$K $verb" /dev/null >"$work/typed" 2>&1
    equal 4 $? "exit code of '$verb' without text"
    grep -q "waiting for text; Ctrl-D on an empty line ends it" "$work/typed" ||
        fail "no word about waiting for text: $verb"
done
(sleep 1; printf 'Hello\n'; sleep 1; printf '\004') |
    script -qec "$K say --frames 2 -q -o $work/t.wav" /dev/null >"$work/typed" 2>&1
equal 0 $? "exit code with a typed text"
grep -q "waiting" "$work/typed" && fail "--quiet is not quiet on a terminal"
pressed 1 "$K say -o $work/absent.wav"
equal 130 $code "exit code after Ctrl-C while text is awaited"
[ -e "$work/absent.wav" ] && fail "a file although no text came"
finish
