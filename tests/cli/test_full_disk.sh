# A disk that is full, as a small file system in memory: exit code 5 and a sentence, nothing half is
# left, and what was there stays (B232 B233). Needs the right to mount: root's, or that of a
# namespace of one's own.
. "$(dirname "$0")/lib.sh"
K=$KAZEIA
if [ "${1:-}" != inside ]; then
    if ! unshare -rm sh -c 'mount -t tmpfs -o size=64k none "$0"' "$work" 2>"$work/err"; then
        echo "skipped: no small file system can be mounted here: $(head -n 1 "$work/err")"
        exit 77
    fi
    unshare -rm sh "$0" inside
    exit
fi
small
mkdir "$work/disk"
trap 'cd /; umount "$work/disk"; rm -rf "$work"' EXIT
mount -t tmpfs -o size=64k none "$work/disk" || exit 1
cd "$work/disk" || exit 1

# full WHAT COMMAND...: as `expect`, and nothing new is left.
full() {
    what=$1
    shift
    expect 5 "$what.*: No space left on device" "$@"
    equal old.wav "$(ls -A)" "files after: $*"
    equal old "$(cat old.wav)" "the file that was there"
}
echo old >old.wav
full "cannot write 'old.wav'" "$K" say -q --frames 100 -o old.wav Hello
full "cannot write 'new.wav'" "$K" say -q --frames 100 -o new.wav Hello
full "cannot write 'new.raw'" "$K" say -q --frames 100 --bits 32f -o new.raw Hello
full "cannot write 'm.kz'" "$K" convert "$small" -o m.kz
ln -s disk/old.wav "$work/link.wav"
full "cannot write '$work/link.wav'" "$K" say -q --frames 100 -o "$work/link.wav" Hello
"$K" say -q --frames 100 --codes "$work/c.txt" -o "$work/a.wav" Hello </dev/null || fail "codes"
full "cannot write 'd.wav'" "$K" decode "$work/c.txt" -q -o d.wav
full "cannot write 'r.npy'" "$K" prompt --npy r.npy "$(awk 'BEGIN { while (i++ < 99) print "word" }')"

# The disk is full before the first byte.
head -c 60000 /dev/zero >filler
head -c 60000 /dev/zero >>filler 2>/dev/null
"$K" say -q --frames 2 -o new.wav Hello >"$work/out" 2>"$work/err" </dev/null
equal 5 $? "exit code where nothing fits"
grep -q "cannot write 'new.wav': No space" "$work/err" || fail "nothing fits: $(cat "$work/err")"
"$K" say -q --frames 2 --codes c.npy -o "$work/a.wav" Hello >"$work/out" 2>"$work/err" </dev/null
equal 5 $? "exit code where the codes do not fit"
wav_in_file "$work/a.wav"
"$K" say -q --frames 2 --dump dump -o "$work/a.wav" Hello >"$work/out" 2>"$work/err" </dev/null
equal 5 $? "exit code where the dump does not fit"
"$K" say --frames 2 --json -o "$work/a.wav" Hello >record 2>"$work/err" </dev/null
equal 5 $? "exit code where the record does not fit"
rm -rf filler dump record
equal old.wav "$(ls -A)" "files in the end"

# Sound to standard output, and the files of a batch.
"$K" say --frames 100 Hello >out.wav 2>"$work/err" </dev/null
equal 5 $? "exit code of a redirection that is full"
rm out.wav
printf '{"text": "One.", "frames": 2}\n{"text": "Two.", "frames": 100}\n' >"$work/lines"
expect 5 "No space left" "$K" batch "$work/lines" -o .
grep -q '"line":2,.*No space left on device","code":5' "$work/out" || fail "record of a full disk"
equal "000001.wav old.wav" "$(echo $(ls -A))" "files of a batch on a full disk"

# A saved voice stays as it was.
if [ -x "${KZT_VOICE_CHECK:-}" ]; then
    checkpoints base-eq
    for pitch in 150 220; do
        "$KZT_VOICE_CHECK" make "$models/base-eq" eva '' $pitch "$work/$pitch.kzv" || fail "no voice"
    done
    rm 000001.wav
    export KAZEIA_VOICES_DIR="$work/disk/voices"
    expect 0 "" "$K" voices import -q "$work/150.kzv"
    head -c 60000 /dev/zero >filler 2>/dev/null
    head -c 60000 /dev/zero >>filler 2>/dev/null
    expect 5 "eva.kzv': No space left" "$K" voices import "$work/220.kzv" --replace
    expect 5 "No space left" "$K" voices import "$work/220.kzv" --name other
    expect 5 "cannot write 'out.kzv': No space left" "$K" voices export eva -o out.kzv
    cmp -s "$work/150.kzv" voices/eva.kzv || fail "a full disk changed a saved voice"
    equal eva.kzv "$(ls -A voices)" "saved voices on a full disk"
    equal "filler old.wav voices" "$(echo $(ls -A))" "files beside them"
else
    echo "saved voices were not tried: tests/voice_check was not built"
fi

# What is always full.
expect 5 "cannot write '/dev/full': No space" "$K" say --frames 2 -q --format wav -o /dev/full Hello
finish
