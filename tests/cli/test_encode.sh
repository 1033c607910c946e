# A recording to codes: from files of all kinds and pipes, and back to sound (B103 B104 B105 B106).
. "$(dirname "$0")/lib.sh"
K=$KAZEIA
reads_recordings
checkpoints base-eq custom-eq
data=$(dirname "$0")/../data
M=$models/base-eq
recordings low

# The codes are those that the official package found, as text and as .npy, from file, pipe, FIFO.
tail -c +129 "$data/golden/base-eq-icl/reference_codes.npy" | od -An -v -td4 -w64 |
    sed 's/^ *//; s/  */ /g' >"$work/wanted.txt"
frames=$(wc -l <"$work/wanted.txt" | tr -d ' ')
expect 0 "" "$K" encode -m "$M" "$work/low.wav"
cmp -s "$work/out" "$work/wanted.txt" || fail "codes on standard output are not the package's"
expect 0 "$frames frames" "$K" encode -m "$M" "$work/low.wav" -o "$work/c.txt"
cmp -s "$work/c.txt" "$work/wanted.txt" || fail "codes in a .txt are not the package's"
expect 0 "" "$K" encode -m "$M" "$work/low.wav" -q -o "$work/c.npy"
equal "" "$(cat "$work/err")" "--quiet says"
tail -c +193 "$work/c.npy" | od -An -v -td4 -w64 | sed 's/^ *//; s/  */ /g' >"$work/c.txt"
cmp -s "$work/c.txt" "$work/wanted.txt" || fail "codes in a .npy are not the package's"
"$K" encode -m "$M" - <"$work/low.wav" >"$work/piped.txt" || fail "encode of standard input"
cmp -s "$work/piped.txt" "$work/wanted.txt" || fail "other codes from standard input"
# shellcheck disable=SC2002
cat "$work/low.wav" | "$K" encode -m "$M" - >"$work/piped.txt" || fail "encode of a pipe"
cmp -s "$work/piped.txt" "$work/wanted.txt" || fail "other codes from a pipe"
mkfifo "$work/fifo"
cat "$work/low.wav" >"$work/fifo" &
expect 0 "" "$K" encode -m "$M" "$work/fifo"
cmp -s "$work/out" "$work/wanted.txt" || fail "other codes from a FIFO"
wait

# Threads and levels change no code; a model of another kind that has an encoder has codes too.
for how in "-t 1" "-t 2" "-t 3" $("$K" info | sed -n 's/^kernels *//p' | tr ' ' '\n' |
    sed '/^$/d; s/.*/--cpu=&/'); do
    # shellcheck disable=SC2086
    expect 0 "" "$K" encode -m "$M" "$work/low.wav" $how
    cmp -s "$work/out" "$work/wanted.txt" || fail "other codes with $how"
done
expect 0 "" "$K" encode -m "$models/custom-eq" "$work/low.wav"
equal "$frames" "$(wc -l <"$work/out" | tr -d ' ')" "frames with a model of named speakers"

# The record.
expect 0 "" "$K" encode -m "$M" "$work/low.wav" --json -o "$work/c.npy"
for pair in frames=$frames codes_per_frame=16 source_rate=24000 channels=1 samples=31440; do
    equal "${pair#*=}" "$(member "${pair%=*}" "$work/out")" "${pair%=*} in the record"
done
equal "" "$(cat "$work/err" | grep -v 'frames of')" "messages beside --json"
expect 0 "" "$K" encode -m "$M" "$work/low.wav" --json
cmp -s "$work/out" "$work/wanted.txt" || fail "--json mixes with the codes"
grep -q '"frames":'"$frames" "$work/err" || fail "no record on standard error"

# There and back: what is left of a clip is what the official package leaves of it, to 0.1 dB
# (tests/data/encoder/eq.json).
back() {
    "$KZT_SOUND_CHECK" clip "$1" "$2" "$work/clip.wav" || fail "no clip"
    expect 0 "" "$K" encode -m "$M" "$work/clip.wav" -q -o "$work/clip.npy"
    expect 0 "" "$K" decode -m "$M" "$work/clip.npy" -q --bits 24 -o "$work/back.wav"
    line=$(grep "\"samples\":$2,\"seed\":$1," "$data/encoder/eq.json")
    wanted=$(printf '%s\n' "$line" | sed 's/.*"snr":\([-0-9.]*\),.*/\1/')
    got=$("$KZT_SOUND_CHECK" compare "$work/clip.wav" "$work/back.wav" | cut -d ' ' -f 3)
    echo "clip of $2 samples: $got dB, the package's $wanted"
    awk -v a="$got" -v b="$wanted" 'BEGIN { d = a - b; exit !(b != "" && d < 0.1 && d > -0.1) }' ||
        fail "there and back: $got dB, the package has $wanted"
}
back 5 1921
back 6 12000
back 7 79200

# Sound of other rates and kinds: as many frames as the length in the model's rate asks for.
for kind in "16 8000 4000 7" "24 22050 11025 7" "32f 44100 22050 7" "16 48000 24000 7"; do
    # shellcheck disable=SC2086
    set -- $kind
    "$KZT_SOUND_CHECK" write wav "$1" "$2" "$3" 0.5 "$work/x.wav"
    expect 0 "" "$K" encode -m "$M" "$work/x.wav"
    equal "$4" "$(wc -l <"$work/out" | tr -d ' ')" "frames of half a second of $1 bits at $2 Hz"
done
for format in flac ogg opus mp3; do
    "$KZT_SOUND_CHECK" write $format 16 24000 24000 0.5 "$work/x.$format" 2>"$work/why" || {
        echo "left out: $format ($(cat "$work/why"))"
        continue
    }
    expect 0 "" "$K" encode -m "$M" "$work/x.$format"
    equal 13 "$(wc -l <"$work/out" | tr -d ' ')" "frames of a second of $format"
    [ $format = flac ] || expect 0 "" "$K" encode -m "$M" "$data/audio/recording.$format"
done

# --trim: silence at the ends goes, but for 50 ms.
"$KZT_SOUND_CHECK" write raw 16 24000 24000 0.5 "$work/tone.raw"
{
    printf 'RIFF'
    le32 $((36 + 3 * 48000))
    printf 'WAVEfmt \020\000\000\000\001\000\001\000'
    le32 24000
    le32 48000
    printf '\002\000\020\000data'
    le32 $((3 * 48000))
    head -c 48000 /dev/zero
    cat "$work/tone.raw"
    head -c 48000 /dev/zero
} >"$work/gap.wav"
expect 0 "" "$K" encode -m "$M" "$work/gap.wav"
equal 38 "$(wc -l <"$work/out" | tr -d ' ')" "frames of three seconds"
expect 0 "" "$K" encode -m "$M" "$work/gap.wav" --trim
equal 14 "$(wc -l <"$work/out" | tr -d ' ')" "frames of 1.1 s that --trim leaves"

# What is told and what is refused; nothing is left where a file would have been.
rm -f "$work"/c.*
refused() {
    wanted=$1
    pattern=$2
    shift 2
    expect "$wanted" "$pattern" "$K" encode -m "$M" "$@" -o "$work/c.npy"
    [ -e "$work/c.npy" ] && fail "a file was made: $*"
    equal 1 "$(grep -c 'error: ' "$work/err")" "sentences of error: $*"
}
"$KZT_SOUND_CHECK" write wav 16 24000 7200 0.5 "$work/short.wav"
"$KZT_SOUND_CHECK" write wav 16 24000 48000 3 "$work/clipped.wav"
"$KZT_SOUND_CHECK" write wav 16 24000 24000 0 "$work/silent.wav"
"$KZT_SOUND_CHECK" write wav 16 24000 0 0 "$work/none.wav"
: >"$work/empty.wav"
printf '\000\000\000\040ftypM4A \000\000\000\000M4A mp42isom' >"$work/phone.m4a"
printf '\000\000\000\040ftypisom\000\000\002\000isomiso2avc1mp41' >"$work/film.mp4"
printf '\377\361\120\200\001\177\374\041' >"$work/x.aac"
refused 4 "phone.m4a' is M4A .*ffmpeg" "$work/phone.m4a" # B104
refused 4 "film.mp4' is an MP4 video .*ffmpeg" "$work/film.mp4"
refused 4 "x.aac' is AAC sound.*ffmpeg" "$work/x.aac"
refused 4 "empty" "$work/empty.wav"
refused 4 "no samples\|no sound\|empty" "$work/none.wav"
refused 4 "silen" "$work/silent.wav"
refused 4 "cannot read '.*absent.wav'" "$work/absent.wav"
refused 4 "is no recording, but a text" "$0"
refused 4 "short.wav' has 0.30 s of sound" --strict "$work/short.wav" # B105
refused 4 "clipped.wav' is clipped" --strict "$work/clipped.wav"
refused 2 "takes one recording, 2 were given" "$work/low.wav" "$work/low.wav"
refused 2 "takes one recording, 0 were given"
expect 0 "note: .*short.wav' has 0.30 s of sound" "$K" encode -m "$M" "$work/short.wav" --json \
    -o "$work/c.npy"
grep -q '"notices":\[".*0.30 s of sound' "$work/out" || fail "no notice in the record"
expect 0 "note: .*clipped.wav' is clipped" "$K" encode -m "$M" "$work/clipped.wav"
"$KZT_SOUND_CHECK" clip 3 1680000 "$work/long.wav"
expect 0 "note: .*long.wav' has 70.00 s of sound" "$K" encode -m "$M" "$work/long.wav" \
    -o "$work/long.npy"
equal $((192 + 875 * 64)) "$(size_of "$work/long.npy")" "bytes of 70 s of codes"
expect 2 "npy or .txt; '.*c.wav' is neither" "$K" encode -m "$M" "$work/low.wav" -o "$work/c.wav"
expect 5 "cannot" "$K" encode -m "$M" "$work/low.wav" -o "$work/absent/c.npy"
# A packed Base model gives the same codes; one of a model that clones nothing has no encoder.
expect 0 "" "$K" convert "$M" --type q4 -q -o "$work/packed.kz"
expect 0 "" "$K" encode -m "$work/packed.kz" "$work/low.wav"
cmp -s "$work/out" "$work/wanted.txt" || fail "other codes with a packed model"
expect 0 "" "$K" convert "$models/custom-eq" -q -o "$work/packed.kz"
expect 3 "packed.kz' holds no codec encoder.*: take the folder" "$K" encode -m "$work/packed.kz" \
    "$work/low.wav"

# Ctrl-C: nothing is left, exit 130.
rm -f "$work/c.npy"
"$K" encode -m "$M" "$work/long.wav" --cpu scalar -t 1 -o "$work/c.npy" 2>"$work/err" </dev/null &
pid=$!
for _ in 1 2 3 4 5 6 7 8 9 10; do
    sleep 0.2
    [ "$(ls -A "$work" | grep -c '^\.kazeia')" -gt 0 ] && break
done
[ -e "$work/c.npy" ] && fail "the file was there before it was whole"
kill -TERM $pid
wait $pid
equal 130 $? "exit code after SIGTERM"
grep -q "error: interrupted$" "$work/err" || fail "encode says $(cat "$work/err")"
[ -e "$work/c.npy" ] && fail "half a file of codes"
equal 0 "$(ls -A "$work" | grep -c '^\.kazeia')" "files left beside"
finish
