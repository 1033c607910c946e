# What differs on a terminal: no sound into it, playback, colour, waiting for text. Needs script(1).
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
typed "NO_COLOR=1 $K Hello"
grep -q "$(printf '\033')" "$work/typed" && fail "colour in spite of NO_COLOR"

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
(sleep 1; printf '\004') | script -qec "$K say -o $work/t.wav" /dev/null >"$work/typed" 2>&1
grep -q "waiting for text" "$work/typed" || fail "no word about waiting for text"
finish
