# Compressed sound, decoded by other programs and held against the WAV of the same samples. Prints a
# table; exits with 77 where a format has no decoder here. Bounds of the SNR in dB are those below.
. "$(dirname "$0")/lib.sh"
K=$KAZEIA
check=${KZT_SOUND_CHECK:?the program tests/sound_check}
cd "$work" || exit 1
if "$K" --version | grep -q 'without libsndfile'; then
    expect 2 "without libsndfile); it writes: .wav .raw$" "$K" say -o x.flac Hello
    equal "" "$(ls | grep '^x')" "a file of a format that is not there"
    [ "$failures" -eq 0 ] || finish
    echo "skipped: this build is without libsndfile, so that flac, ogg, opus and mp3 went unchecked"
    exit 77
fi
say() {
    "$K" say -q --seed 1 "$@" 2>err </dev/null || fail "say $*: $(cat err)"
}

# ---- decoders: none of them uses libsndfile --------------------------------------------------

# sox has no bounds of MP3's sound, and ffmpeg counts the samples of short Vorbis files (oggenc's as
# well) otherwise than libvorbis.
decoders_of() {
    case $1 in
    flac) set -- flac sox ffmpeg ;;
    ogg) set -- oggdec sox ;;
    opus) set -- opusdec ffmpeg ;;
    mp3) set -- lame mpg123 ffmpeg ;;
    esac
    for program in "$@"; do
        command -v "$program" >/dev/null && printf '%s ' "$program"
    done
}

# decode PROGRAM FILE WAV
decode() {
    case $1 in
    flac) flac -s -d -f -o "$3" "$2" ;;
    sox) sox "$2" "$3" ;;
    oggdec) oggdec -Q -o "$3" "$2" ;;
    opusdec) opusdec --quiet --rate 48000 "$2" "$3" ;;
    lame) lame --quiet --decode "$2" "$3" ;;
    mpg123) mpg123 -q -w "$3" "$2" ;;
    ffmpeg) ffmpeg -v error -nostdin -y -i "$2" -c:a pcm_s24le "$3" ;;
    esac </dev/null >decoder.log 2>&1 || fail "$1 cannot decode $2: $(cat decoder.log)"
}

# The lowest SNR that is good, of all and of the last 200 ms: for a chirp; for what the small checkpoint
# says, which is noise that no lossy format keeps well (a sample too early or late leaves less than
# 0); and for speech, which may be one frame alone and ends in silence.
bounds_of() {
    case "$1 $2" in
    flac*) echo 999 999 ;;
    "ogg chirp"*) echo 25 25 ;;
    "opus chirp"*) echo 25 20 ;;
    "mp3 chirp"*) echo 30 30 ;;
    *noise*) echo 3 -99 ;;
    "mp3 say, one frame") echo 8 -99 ;; # too short for the encoder to settle
    ogg* | opus*) echo 18 -99 ;;
    mp3*) echo 15 -99 ;;
    esac
}

magic_of() {
    case $1 in
    flac) echo fLaC ;;
    ogg | opus) echo OggS ;;
    esac
}

# B123: magic bytes and decoders agree that FILE is of the format, with the samples of WAV.
same_sound() {
    format=$1
    if [ "$format" = mp3 ]; then
        equal " ff f3" "$(od -An -tx1 -N 2 "$2" | sed 's/ f[23]$/ f3/; s/ f[ab]$/ f3/')" "$2 begins"
    else
        equal "$(magic_of "$format")" "$(tag "$2" 0)" "$2 begins"
    fi
    case $format in
    ogg) equal vorbis "$(dd if="$2" bs=1 skip=29 count=6 2>/dev/null)" "codec of $2" ;;
    opus) equal OpusHead "$(dd if="$2" bs=1 skip=28 count=8 2>/dev/null)" "codec of $2" ;;
    esac
    for program in $(decoders_of "$format"); do
        rm -f decoded.wav
        decode "$program" "$2" decoded.wav
        "$check" compare "$3" decoded.wav >numbers 2>err || fail "$2: $(cat err)"
        echo "$(bounds_of "$format" "$4") $(cat numbers)" | awk -v what="$4" -v format="$format" \
            -v program="$program" '{
                bad = NF != 6 || $3 != $4 || $5 < $1 || $6 < $2
                printf "%-6s %-8s %9s %9s %8s %8s  %s%s\n", format, program, $3, $4,
                    $5 == 999 ? "equal" : $5, $6 == 999 ? "equal" : $6, what, bad ? "  BAD" : ""
                exit bad
            }' || fail "$2 by $program: $(cat numbers)"
    done
}

formats=$("$K" --version | tr ' ' '\n' | sed -n 's/^\.\(flac\|ogg\|opus\|mp3\)$/\1/p' | xargs)
unchecked=
for format in flac ogg opus mp3; do
    case " $formats " in
    *" $format "*) [ -n "$(decoders_of $format)" ] || unchecked="$unchecked $format" ;;
    *) unchecked="$unchecked $format" ;;
    esac
done
printf '%-6s %-8s %9s %9s %8s %8s  %s\n' format decoder samples expected "SNR, dB" "200 ms" sound

# ---- known sound -----------------------------------------------------------------------------

# B124: a chirp that is loud to its last sample, from a frame (80 ms) to 70 s.
for samples in 1920 2400 2401 12347 192000 1680001; do
    "$check" write wav 16 24000 $samples 1 chirp.wav || fail "the chirp"
    for format in $formats; do
        "$check" write $format 16 24000 $samples 1 "chirp.$format" || fail "$format"
        same_sound $format "chirp.$format" chirp.wav "chirp, $samples"
    done
done

# FLAC holds the integers of WAV, also where they are at their limits.
for bits in 16 24; do
    "$check" write wav $bits 24000 50001 1.3 loud.wav || fail "a loud chirp"
    "$check" write flac $bits 24000 50001 1.3 loud.flac || fail "a loud FLAC"
    same_sound flac loud.flac loud.wav "clipped, $bits bits"
done

# B127: other rates.
for rate in 16000 22050 48000; do
    "$check" write wav 16 $rate 50001 1 rate.wav || fail "rate $rate"
    for format in $formats; do
        [ "$format $rate" = "opus 22050" ] && continue
        "$check" write $format 16 $rate 50001 1 "rate.$format" || fail "$format, rate $rate"
        [ "$format $rate" = "opus 16000" ] && continue # decoders give 48000, three times as much
        same_sound $format "rate.$format" rate.wav "chirp, $rate Hz"
    done
done

# ---- say, decode, batch ----------------------------------------------------------------------

sentence="The kettle is on the stove, and the tea is almost ready for us."
say -o said.wav "$sentence"
say --bits 24 -o said-24.wav "$sentence"
for format in $formats; do
    say -o "said.$format" "$sentence"
    same_sound $format "said.$format" said.wav "say"
    say --format $format "$sentence" | cat >"piped.$format"
    same_sound $format "piped.$format" said.wav "say, in a pipe"
done
say --bits 24 -o said.flac "$sentence"
same_sound flac said.flac said-24.wav "say, 24 bits"

say --frames 1 -o one.wav Hello
say --frames 7 --codes seven.txt -o seven.wav Hello
for format in $formats; do
    say --frames 1 -o "one.$format" Hello
    same_sound $format "one.$format" one.wav "say, one frame"
    "$K" decode seven.txt -q -o "seven.$format" || fail "decode to $format"
    same_sound $format "seven.$format" seven.wav "decode"
done

# In every place the same: a redirected file, one that is appended to, a FIFO, a link, any name.
say --frames 7 -o seven.flac Hello
say --frames 7 --format flac Hello >redirected
cmp -s seven.flac redirected || fail "a redirected file differs from -o FILE"
printf before >appended
say --frames 7 --format flac Hello >>appended
tail -c +7 appended | cmp -s - seven.flac || fail "appending differs from -o FILE"
mkfifo fifo
cat fifo >from-fifo &
say --frames 7 --format flac -o fifo Hello
wait
cmp -s seven.flac from-fifo || fail "a FIFO differs from -o FILE"
[ -p fifo ] || fail "the FIFO was replaced"
ln -s target.flac link.flac
say --frames 7 -o link.flac Hello
cmp -s seven.flac target.flac || fail "a link is not followed"
say --frames 7 --format FLAC -o name.txt Hello
cmp -s seven.flac name.txt || fail "--format does not beat the name"
say --frames 7 -o NAME.FLAC Hello
cmp -s seven.flac NAME.FLAC || fail "capitals in an ending"
say --frames 2 --format ogg -o /dev/null Hello
equal "" "$(ls -A | grep kazeia)" "files left beside"

# A batch by --format and by the names of its items (an item's name beats what it contradicts).
printf '{"id": "a", "text": "Hello", "seed": 1, "frames": 7}\n' >items
for format in $formats; do
    expect 0 "1 of 1 done" "$K" batch items -o sounds --format $format
    same_sound $format "sounds/a.$format" seven.wav "batch --format"
    printf '{"text": "Hello", "seed": 1, "frames": 7, "output": "b.%s"}\n' $format >>named.jsonl
done
expect 0 "4 of 4 done" "$K" batch named.jsonl -o sounds --bits 24
for format in ogg opus mp3; do
    same_sound $format "sounds/b.$format" seven.wav "batch, by name"
done
say --frames 7 --bits 24 -o seven-24.wav Hello
same_sound flac sounds/b.flac seven-24.wav "batch, by name"
equal 8 "$(ls -A sounds | wc -l | tr -d ' ')" "files of the batches"
expect 0 "1 skipped" "$K" batch items -o sounds --format ogg --resume
expect 2 "contradict" "$K" batch items -o sounds --format ogg --bits 24

# ---- what does not go together ---------------------------------------------------------------

for options in "--bits 24 -o x.ogg" "--bits 16 --format ogg -o x.wav" "--bits 32f -o x.flac"; do
    # shellcheck disable=SC2086
    expect 2 "contradict each other" "$K" say $options Hello
done
expect 2 ": .wav .raw .flac .ogg.*; or give" "$K" say -o x.aac Hello
expect 2 "wav|raw|flac|ogg|opus|mp3" "$K" say --format aac -o x.wav Hello
equal "" "$(ls | grep '^x')" "files of runs that are refused"
# A variable gives way to an option; two variables contradict each other.
KAZEIA_BITS=24 say --frames 7 -o bits.flac Hello
same_sound flac bits.flac seven-24.wav "KAZEIA_BITS=24"
KAZEIA_BITS=32f say --frames 7 -o bits.flac Hello
same_sound flac bits.flac seven.wav "KAZEIA_BITS=32f"
KAZEIA_BITS=24 say --frames 7 -o bits.ogg Hello
same_sound ogg bits.ogg seven.wav "KAZEIA_BITS=24"
KAZEIA_FORMAT=flac say --frames 7 -o named.ogg Hello
same_sound ogg named.ogg seven.wav "KAZEIA_FORMAT=flac"
KAZEIA_FORMAT=flac say --frames 7 Hello | cmp -s - seven.flac || fail "KAZEIA_FORMAT in a pipe"
KAZEIA_FORMAT=ogg say --frames 7 --bits 24 Hello | cat >bits.wav
equal "$(data_hash seven-24.wav)" "$(data_hash bits.wav)" "--bits beside KAZEIA_FORMAT"
expect 2 "contradict" env KAZEIA_FORMAT=ogg KAZEIA_BITS=24 "$K" say Hello

# B127: the rate of the model, or a clear word.
small
copy_small model
sed 's/"output_sample_rate": 24000/"output_sample_rate": 48000/' \
    "$small/speech_tokenizer/config.json" >model/speech_tokenizer/config.json
say -m model --frames 7 -o rate.wav Hello
equal 48000 "$(u32 rate.wav 24)" "rate of the WAV"
for format in $formats; do
    say -m model --frames 7 -o "rate.$format" Hello
    same_sound $format "rate.$format" rate.wav "noise, 48000 Hz"
done
sed 's/"output_sample_rate": 24000/"output_sample_rate": 22050/' \
    "$small/speech_tokenizer/config.json" >model/speech_tokenizer/config.json
case $formats in
*opus*)
    expect 2 "22050 Hz, which .opus cannot hold; what can: .wav .raw .flac .ogg" \
        "$K" say -m model --frames 7 -o x.opus Hello
    [ -e x.opus ] && fail "x.opus was made"
    ;;
esac
say -m model --frames 7 -o rate.wav Hello
for format in flac ogg mp3; do
    say -m model --frames 7 -o "rate.$format" Hello
    same_sound $format "rate.$format" rate.wav "noise, 22050 Hz"
done

# ---- runs that end early ---------------------------------------------------------------------

# B233: full disks (a limit on files stands for one), readers that leave.
mkdir beside
for format in $formats; do
    (
        ulimit -f 2 # kilobytes or half of them
        "$K" say -q --frames 60 -o "beside/x.$format" Hello >beside/out 2>beside/err </dev/null
        echo $? >beside/code
    )
    equal 5 "$(cat beside/code)" "exit code on a full disk, $format"
    grep -q "cannot write 'beside/x.$format': " beside/err || fail "it says $(cat beside/err)"
    equal "" "$(cat beside/out)" "standard output on a full disk"
    expect 5 "cannot write '/dev/full': " "$K" say --frames 2 --format $format -o /dev/full Hello
    {
        "$K" say --frames 20000 --format $format Hello 2>err </dev/null
        echo $? >code
    } | true
    equal 0 "$(cat code)" "exit code with a closed pipe, $format"
    [ -s err ] && fail "a closed pipe is not quiet: $(cat err)"
done
equal "code err out" "$(ls -A beside | tr '\n' ' ' | sed 's/ $//')" "files left on a full disk"
expect 5 "cannot write '/dev/null/kazeia-" env TMPDIR=/dev/null "$K" say --format ogg -o /dev/full x

# The first signal ends the file cleanly: it decodes to the samples that the record counts.
# interrupted FILE WHAT: as soon as something is in FILE the process $pid gets a signal.
interrupted() {
    for second in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
        # shellcheck disable=SC2086
        [ -s "$(echo $1)" ] && break
        sleep 1
    done
    kill -TERM $pid
    wait $pid
    equal 130 $? "exit code after SIGTERM, $2"
    samples=$(member samples "$3")
    [ "$samples" -gt 0 ] || fail "nothing was made in $second seconds, $2"
    "$K" decode cut.txt -q -o whole.wav || fail "decode"
    head -c $((44 + 2 * samples)) whole.wav >cut.wav
}
mkdir cut
for format in $formats; do
    "$K" say --frames 20000 --seed 1 --json -o "cut/x.$format" --codes cut.txt Hello >out 2>err \
        </dev/null &
    pid=$!
    interrupted 'cut/.kazeia-*' $format out
    same_sound $format "cut/x.$format" cut.wav "interrupted"
done
"$K" say --frames 20000 --seed 1 --json --format flac --codes cut.txt Hello 2>err </dev/null \
    >cut.flac &
pid=$!
interrupted cut.flac redirected err
same_sound flac cut.flac cut.wav "interrupted, redirected"
equal "" "$(ls -A . cut | grep kazeia)" "files left beside"

# ---- a libsndfile that lacks formats ---------------------------------------------------------

cat >lacks.c <<'END'
/* sf_command without FLAC among the formats, as of a library built without it. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <string.h>
int sf_command(void *file, int command, void *data, int size);
int sf_command(void *file, int command, void *data, int size) {
    int (*real)(void *, int, void *, int) = NULL;
    *(void **)&real = dlsym(RTLD_NEXT, "sf_command");
    int code = real(file, command, data, size);
    if (command == 0x1031 && *(int *)data == 0x170000) *(int *)data = 0;
    return code;
}
END
if ! grep -aq -e __asan_init -e __tsan_init "$K" &&
    ${CC:-cc} -shared -fPIC -o lacks.so lacks.c -ldl 2>cc.log; then
    expect 2 "cannot write .flac (libsndfile.*); it writes: .wav .raw .ogg" \
        env LD_PRELOAD="$work/lacks.so" "$K" say -o x.flac Hello
    expect 2 "cannot write .flac" env LD_PRELOAD="$work/lacks.so" "$K" batch items --format flac
    expect 2 "written: .wav .raw .ogg.*; or" \
        env LD_PRELOAD="$work/lacks.so" "$K" say -o x.aac Hello
    [ -e x.flac ] && fail "x.flac was made"
fi

[ "$failures" -eq 0 ] || finish
if [ -n "$unchecked" ]; then
    echo "skipped: no program is there that decodes, or no library that writes,$unchecked"
    exit 77
fi
finish
