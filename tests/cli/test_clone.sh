# A voice from a recording: saved, in a file, or in one go; against the recorded runs of the official
# package; recordings, transcripts and models that do not do (B100 B103 B104 B105 B108 B110-B113 B116
# B121).
. "$(dirname "$0")/lib.sh"
K=$KAZEIA
reads_recordings
checkpoints base-eq base-mtp base-stop custom-eq design-eq
goldens=$(dirname "$0")/../data/golden
audio=$(dirname "$0")/../data/audio
M=$models/base-eq
recordings low high long
store=$work/data/kazeia/voices
said="Seventeen frames of clip."

# clone ARGS...: with the model and the recording that most tests take.
clone() {
    wanted=$1
    pattern=$2
    shift 2
    expect "$wanted" "$pattern" "$K" clone -m "$M" "$work/low.wav" "$@"
}

# ---- the official package's runs, from the recording on ---------------------------------------------

# field NAME: of the request in $run; numbers and words as they are, strings without their marks.
field() {
    sed -n 's/^"request":{\(.*\)},$/,\1,/p' "$run" |
        sed -n "s/.*,\"$1\":\(\"[^\"]*\"\|[^,]*\),.*/\1/p" | tr -d '"'
}
count=0
for run in "$goldens"/base-*/golden.json; do
    name=$(sed -n 's,^"recording":"\.\./recording-\([a-z]*\)\.npy".*,\1,p' "$run")
    kind=$(sed -n 's/^"checkpoint":"\([a-z-]*\)",$/\1/p' "$run")
    transcript=$(field reference_text)
    flag=--whole-text
    [ "$(field live_text)" = true ] && flag=--live-text
    sed -n '/^"codes":\[/,$p' "$run" | grep '^\[[0-9]' | tr -d '[]}' | sed 's/,$//; s/,/ /g' \
        >"$work/wanted.txt"
    expect 0 "" "$K" say -m "$models/$kind" --ref-audio "$work/$name.wav" \
        ${transcript:+"--ref-text=$transcript"} --as-reference --greedy $flag \
        -l "$(field language)" --max-frames "$(field max_frames)" --codes "$work/c.txt" \
        -o "$work/x.wav" "$(field text)"
    cmp -s "$work/c.txt" "$work/wanted.txt" || fail "$run: other codes than the package's"
    [ -s "$work/wanted.txt" ] || fail "$run: no codes in it"
    if [ -n "$transcript" ]; then
        grep -q "no transcript" "$work/err" && fail "$run: a notice in spite of the transcript"
    elif ! grep -q "note: there is no transcript" "$work/err"; then
        fail "$run: no notice of the missing transcript"
    fi
    count=$((count + 1))
done
[ "$count" -ge 10 ] || fail "only $count recorded runs"

# ---- saved, and in files ----------------------------------------------------------------------------

clone 0 "saved 'anna' in $store/anna.kzv (1.3 s); to use it: kazeia say -m $M -v anna TEXT" \
    --name anna --ref-text "$said" -l en --consent "Anna said yes." --json
for pair in name=anna language=english transcript="$said" consent="Anna said yes." frames=23 \
    tail_ms=500 seconds=1.31 vector_only=false vector_length=72; do
    equal "${pair#*=}" "$(member "${pair%%=*}" "$work/out")" "${pair%%=*} in the record"
done
equal "[]" "$(member notices "$work/out")" "notices"
for name in checksum voice_ms read_ms load_ms; do
    [ -n "$(member $name "$work/out")" ] || fail "no $name in the record"
done
cp "$store/anna.kzv" "$work/first.kzv"
clone 2 "there is a voice 'anna' already .*--replace" --name anna --ref-text "$said"
clone 2 "there is a voice 'ANNA' already .*anna.kzv" --name ANNA --ref-text "$said"
cmp -s "$store/anna.kzv" "$work/first.kzv" || fail "a refused name changed the voice"
clone 0 "saved 'anna'" --name anna --replace --vector-only
cmp -s "$store/anna.kzv" "$work/first.kzv" && fail "--replace replaced nothing"
clone 0 "saved 'anna' in $work/a.kzv" --name anna -o "$work/a.kzv" -l en --ref-text "$said" \
    --consent "Anna said yes."
cmp -s "$work/a.kzv" "$work/first.kzv" || fail "the file differs from the saved voice"
clone 0 "saved $work/b.kzv .*say -m $M -v $work/b.kzv TEXT" -o "$work/b.kzv" --ref-text "$said"
clone 0 "" --name anna -o - -l en --ref-text "$said" --consent "Anna said yes."
cmp -s "$work/out" "$work/first.kzv" || fail "standard output differs from the saved voice"
clone 0 "-v 'two words' TEXT" --name "two words" --ref-text "$said"

# say, prompt and batch: with the saved voice, its file, and in one go: the same samples.
hash_of() {
    expect 0 "" "$K" "$@" -m "$M" --frames 3 --seed 4 --hash --json -q -o "$work/x.wav"
    member hash "$work/out"
}
same=$(hash_of say -v "two words" Hello)
equal 64 "${#same}" "length of a hash"
equal "$same" "$(hash_of say -v "$work/b.kzv" Hello)" "hash with the voice's file"
equal "$same" "$(hash_of say --ref-audio "$work/low.wav" --ref-text "$said" Hello)" \
    "hash in one go"
# shellcheck disable=SC2002
equal "$same" "$(cat "$work/low.wav" | "$K" say -m "$M" --frames 3 --seed 4 --hash --json -q \
    --ref-audio - --ref-text "$said" -o "$work/x.wav" Hello | tr ',' '\n' |
    sed -n 's/.*"hash":"\(.*\)".*/\1/p')" "hash with a recording from a pipe" # B104
[ "$same" != "$(hash_of say --ref-audio "$work/low.wav" Hello)" ] || fail "no use of the transcript"
[ "$same" != "$(hash_of say --ref-audio "$work/low.wav" --ref-text "$said" --tail 0 Hello)" ] ||
    fail "--tail has no effect"
printf '{"text": "Hello"}\n{"text": "Hello", "voice": "two words"}\n{"text": "x", "ref_audio": "y"}\n' \
    >"$work/lines"
expect 4 "field 'ref_audio' belongs to the batch as a whole: give --ref-audio" "$K" batch -m "$M" \
    "$work/lines" --frames 3 --seed 4 --hash -o "$work/batch" --ref-audio "$work/low.wav" \
    --ref-text "$said"
equal 2 "$(grep -c "\"hash\":\"$same\"" "$work/out")" "items of a batch with the voice"
"$K" prompt -m "$M" --ref-audio "$work/low.wav" --ref-text "$said" --json Hello >"$work/one" ||
    fail "prompt --ref-audio"
"$K" prompt -m "$M" -v "two words" --json Hello >"$work/two" || fail "prompt --voice"
cmp -s "$work/one" "$work/two" || fail "prompt: other rows in one go than with the saved voice"
grep -q '"role":"reference"' "$work/one" || fail "prompt shows no frame of the reference"

# Threads and levels change no byte of a voice (B101), nor does the way of the transcript (B112).
printf '\357\273\277  Seventeen frames of clip.\r\n\r\n' >"$work/said.txt"
printf 'Seventeen frames of clip.' >"$work/plain.txt"
for how in "-t 1" "-t 2" "-t 3" "-f $work/said.txt" "-f $work/plain.txt" \
    $("$K" info | sed -n 's/^kernels *//p' | tr ' ' '\n' | sed '/^$/d; s/.*/--cpu=&/'); do
    case $how in
    -f*) set -- ;;
    *) set -- --ref-text "$said" ;;
    esac
    # shellcheck disable=SC2086
    clone 0 "" -q -o "$work/x.kzv" $how "$@"
    cmp -s "$work/x.kzv" "$work/b.kzv" || fail "another voice with $how"
done
"$K" clone -m "$M" "$work/low.wav" -q -o "$work/x.kzv" -f - <"$work/said.txt" || fail "-f -"
cmp -s "$work/x.kzv" "$work/b.kzv" || fail "another voice with a transcript from standard input"

# ---- before the work: usage, names, models ----------------------------------------------------------

refused() {
    wanted=$1
    pattern=$2
    shift 2
    expect "$wanted" "$pattern" "$K" clone "$@" -o "$work/no.kzv"
    [ -e "$work/no.kzv" ] && fail "a voice was made: $*"
    equal 1 "$(grep -c 'error: ' "$work/err")" "sentences of error: $*"
}
clone 2 "where does the voice go? --name NAME .* -o FILE.kzv" --ref-text x
clone 2 "name ends in .kzv; '.*x.wav' does not" -o "$work/x.wav"
clone 2 "given twice" --name x --ref-text x -f "$work/said.txt"
clone 2 "contradict each other" --name x --ref-text x --vector-only
clone 2 "contradict each other" --name x -f "$work/said.txt" --vector-only
refused 2 "takes one recording, 0 were given" -m "$M"
refused 2 "takes one recording, 2 were given" -m "$M" a.wav b.wav
refused 2 "cannot be the recording and the transcript" -m "$M" - -f -
clone 2 "empty" --name "" --vector-only
for name in a/b .hidden "a\\b" x.kzv "$(printf 'a\tb')" "$(printf '%065d' 0)"; do
    expect 4 "name" "$K" clone -m "$M" "$work/absent.wav" --name "$name" --vector-only
done
refused 4 'language "klingon" is not known' -m "$M" "$work/absent.wav" -l klingon
# B121 B116: the kind of the model is known before the recording is read.
refused 3 "Base model; this is a custom voice model, which has speakers of its own: serena, ryan" \
    -m "$models/custom-eq" "$work/absent.wav" --ref-text x
refused 3 "Base model; this is a voice design model, which takes a description" \
    -m "$models/design-eq" "$work/absent.wav" --ref-text x
refused 3 "Base model; this is a custom voice model.*: $(speakers | joined)" "$work/absent.wav"
grep -q "Qwen3-TTS-12Hz-0.6B-Base.*--model" "$work/err" || fail "no word about models that clone"
expect 3 "Base model; this is a custom voice model" "$K" say --ref-audio "$work/absent.wav" Hello
# A packed model makes the voice of its folder.
expect 0 "" "$K" convert "$M" --type q4 -q -o "$work/packed.kz"
for model in "$M" "$work/packed.kz"; do
    expect 0 "" "$K" clone -m "$model" "$work/low.wav" --ref-text "$said" -q \
        -o "$work/$(basename "$model").kzv"
done
cmp "$work/base-eq.kzv" "$work/packed.kz.kzv" || fail "another voice with a packed model"
expect 5 "cannot" "$K" clone -m "$M" "$work/low.wav" --vector-only -o "$work/absent/x.kzv"

# --ref-audio has a use for what belongs to it, and none for a voice.
say() {
    wanted=$1
    pattern=$2
    shift 2
    rm -f "$work/no.wav"
    expect "$wanted" "$pattern" "$K" say -m "$M" --frames 2 -o "$work/no.wav" "$@"
    [ "$wanted" = 0 ] || [ ! -e "$work/no.wav" ] || fail "a file was made: $*"
}
say 2 "contradict each other" --ref-audio "$work/low.wav" -v anna Hello
say 2 "ref-text belongs to --ref-audio" --ref-text x Hello
say 2 "trim belongs to --ref-audio" --trim Hello
say 2 "tail belongs to --ref-audio" --tail 9 Hello
say 2 "cannot be the recording and the text" --ref-audio -
expect 2 "cannot be the recording and the text" "$K" batch -m "$M" --ref-audio -
expect 2 "ref-text belongs to --ref-audio" "$K" prompt -m "$M" --ref-text x Hello
# B113: no transcript is a notice, the same for all; with --strict an error.
for how in "say --frames 2 -o $work/no.wav" prompt; do
    # shellcheck disable=SC2086
    expect 0 "note: there is no transcript" "$K" $how -m "$M" --ref-audio "$work/low.wav" Hello
    # shellcheck disable=SC2086
    expect 4 "error: there is no transcript" "$K" $how -m "$M" --ref-audio "$work/low.wav" \
        --strict Hello
done
clone 0 "note: there is no transcript" -o "$work/x.kzv"
clone 4 "error: there is no transcript" -o "$work/no.kzv" --strict
clone 0 "" -o "$work/x.kzv" --strict --vector-only
grep -q "no transcript" "$work/err" && fail "a notice of what is wanted"

# ---- transcripts ------------------------------------------------------------------------------------

: >"$work/empty.txt"
printf ' \r\n\t\n' >"$work/blank.txt"
head -c 70000 /dev/zero | tr '\0' a >"$work/huge.txt"
printf 'abc\000def' >"$work/binary.txt"
printf 'abc\377def' >"$work/latin.txt"
refused 4 "empty.txt') is empty" -m "$M" "$work/low.wav" -f "$work/empty.txt"   # B112, to latin.txt
refused 4 "blank.txt') is blank" -m "$M" "$work/low.wav" -f "$work/blank.txt"
refused 4 "huge.txt' is longer than the 65536 bytes" -m "$M" "$work/low.wav" -f "$work/huge.txt"
refused 4 "binary.txt') is no text: byte 3 is 0x00" -m "$M" "$work/low.wav" -f "$work/binary.txt"
refused 4 "the transcript: " -m "$M" "$work/low.wav" -f "$work/latin.txt"
refused 4 "cannot read '.*missing.txt'" -m "$M" "$work/low.wav" -f "$work/missing.txt"
refused 4 "is no text\|is blank\|no sound" -m "$M" "$work/low.wav" -f "$work/low.wav"
refused 4 "is blank" -m "$M" "$work/low.wav" --ref-text " "
# B110 B111: too long, too short, a placeholder; told, and with --strict refused.
long=$(printf 'This was never said in so short a time, not even by a quick one. %.0s' 1 2 3)
clone 0 "note: the transcript is long for the recording" --ref-text "$long" -o "$work/x.kzv" --json
grep -q '"notices":\["the transcript is long' "$work/out" || fail "no notice in the record"
refused 4 "error: the transcript is long" -m "$M" "$work/low.wav" --ref-text "$long" --strict
expect 0 "note: the transcript is short" "$K" clone -m "$M" "$work/long.wav" --ref-text "Yes." \
    -o "$work/x.kzv"
refused 4 "error: the transcript is short" -m "$M" "$work/long.wav" --ref-text "Yes." --strict
expect 0 "note: the transcript is short" "$K" say -m "$M" --ref-audio "$work/long.wav" \
    --ref-text "(text)" --frames 2 -o "$work/x.wav" Hello
# A language that is not the recording's.
clone 0 "" -l en --ref-text "$said" -q -o "$work/en.kzv"
say 0 "note: the voice's recording is in english, the text in german" -v "$work/en.kzv" -l de Hallo
say 4 "error: the voice's recording is in english" -v "$work/en.kzv" -l de --strict Hallo
say 0 "" -v "$work/en.kzv" -l en Hello
grep -q "recording is in" "$work/err" && fail "a notice of a language that fits"

# ---- recordings -------------------------------------------------------------------------------------

# B103: other rates, channels and formats; the file's length in the voice is that in the model's rate.
for kind in "16 8000" "16 16000" "24 22050" "32f 44100" "24 48000"; do
    # shellcheck disable=SC2086
    set -- $kind
    "$KZT_SOUND_CHECK" write wav "$1" "$2" "$(($2 * 2 - 1))" 0.5 "$work/r.wav"
    expect 0 "" "$K" clone -m "$M" "$work/r.wav" --ref-text "Two seconds of sound." --tail 0 --json \
        -o "$work/x.kzv"
    equal "$2 25" "$(member source_rate "$work/out") $(member frames "$work/out")" \
        "rate and frames at $2 Hz"
    expect 0 "" "$K" say -m "$M" -v "$work/x.kzv" --frames 2 -q -o "$work/x.wav" Hello
done
for format in mp3 ogg opus; do
    "$KZT_SOUND_CHECK" write $format 16 24000 24000 0.5 "$work/x.$format" 2>/dev/null || continue
    expect 0 "note: .*recording.$format' has 0.25 s" "$K" clone -m "$M" "$audio/recording.$format" \
        --vector-only -o "$work/x.kzv"
done
"$KZT_SOUND_CHECK" write wav 16 24000 7200 0.5 "$work/short.wav"
"$KZT_SOUND_CHECK" write wav 16 24000 48000 3 "$work/clipped.wav"
"$KZT_SOUND_CHECK" write wav 16 24000 24000 0 "$work/silent.wav"
"$KZT_SOUND_CHECK" clip 3 1680000 "$work/70.wav"
: >"$work/empty.wav"
printf '\000\000\000\040ftypM4A \000\000\000\000M4A mp42isom' >"$work/phone.m4a"
refused 4 "empty" -m "$M" "$work/empty.wav" --vector-only
refused 4 "silen" -m "$M" "$work/silent.wav" --vector-only
refused 4 "M4A .*ffmpeg" -m "$M" "$work/phone.m4a" --vector-only # B104
refused 4 "is no recording, but a saved voice" -m "$M" "$work/b.kzv" --vector-only
for pair in "short:has 0.30 s of sound" "clipped:is clipped" "70:has 70.00 s of sound"; do # B105 B108
    file=${pair%%:*}.wav
    expect 0 "note: .*$file' ${pair#*:}" "$K" clone -m "$M" "$work/$file" --vector-only \
        -o "$work/x.kzv"
    refused 4 "error: .*$file' ${pair#*:}" -m "$M" "$work/$file" --vector-only --strict
    say 4 "error: .*$file' ${pair#*:}" --ref-audio "$work/$file" --strict Hello
done

# Names that are no UTF-8: the records are there all the same.
odd=$(printf 'b\377d')
cp "$work/low.wav" "$work/$odd.wav"
expect 0 "" "$K" clone -m "$M" "$work/$odd.wav" --vector-only --json -o "$work/$odd.kzv"
equal 0 "$(grep -c '"file":null' "$work/out")" "a record without the file's name"
grep -q '"recording":".*b\\\\xFFd.wav"' "$work/out" || fail "the record: $(cat "$work/out")"
expect 0 "" "$K" encode -m "$M" "$work/$odd.wav" --json -o "$work/$odd.npy"
grep -q '"file":".*b\\\\xFFd.npy"' "$work/out" || fail "the record: $(cat "$work/out")"

# ---- Ctrl-C -----------------------------------------------------------------------------------------

said=$(printf 'Seventy seconds of a sound that no one would call speech. %.0s' 1 2 3 4 5 6 7 8)
for how in "-o $work/cut.kzv" "--name cut"; do
    # shellcheck disable=SC2086
    "$K" clone -m "$M" "$work/70.wav" --ref-text "$said" --cpu scalar -t 1 $how \
        2>"$work/err" </dev/null &
    pid=$!
    sleep 2
    kill -TERM $pid
    wait $pid
    equal 130 $? "exit code after SIGTERM, $how"
    grep -q "error: interrupted$" "$work/err" || fail "clone says $(cat "$work/err")"
done
[ -e "$work/cut.kzv" ] || [ -e "$store/cut.kzv" ] && fail "half a voice"
equal 0 "$(ls -A "$work" "$store" | grep -c '^\.kazeia')" "files left beside"
if script -qec true /dev/null </dev/null >/dev/null 2>&1; then
    (sleep 3; printf '\003') | script -qec "$K clone -m $M $work/70.wav --ref-text '$said' \
        --cpu scalar -t 1 --name cut" /dev/null >"$work/typed" 2>&1
    equal 130 $? "exit code after Ctrl-C"
    grep -q "making the voice: [0-9]* %" "$work/typed" || fail "no progress on a terminal"
    grep -q "making the voice: 100 %" "$work/typed" && fail "Ctrl-C was not heard before the end"
    typed=$(script -qec "$K clone -m $M $work/low.wav --vector-only -o -" /dev/null </dev/null)
    case $typed in
    *"not written to a terminal"*) ;;
    *) fail "a voice went to a terminal: $typed" ;;
    esac
fi
finish
