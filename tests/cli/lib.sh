# Small asserts for tests of the program. KAZEIA is the program, KZT_VOICE the voice in the box, a
# packed file. Tests of what takes a folder use the small checkpoint of random weights (`small`).
set -u
: "${KAZEIA:?the path of the program}"
: "${KZT_VOICE:?the file of the voice in the box}"
if [ ! -f "$KZT_VOICE" ]; then
    echo "skipped: no voice at $KZT_VOICE"
    exit 77
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# What bench --auto kept for this machine, and this user's saved voices, are not for tests.
export XDG_CACHE_HOME="$work/cache" XDG_DATA_HOME="$work/data"
failures=0

fail() {
    echo "FAIL: $*"
    failures=$((failures + 1))
}

# run COMMAND...: standard output in $work/out, error in $work/err, exit code in $code.
run() {
    "$@" >"$work/out" 2>"$work/err" </dev/null
    code=$?
}

# expect CODE PATTERN COMMAND...: the exit code, and a line of standard error that matches.
expect() {
    wanted=$1
    pattern=$2
    shift 2
    run "$@"
    if [ "$code" -ne "$wanted" ]; then
        fail "exit $code, not $wanted: $*"
        sed 's/^/    /' "$work/err"
    elif [ -n "$pattern" ] && ! grep -q -- "$pattern" "$work/err"; then
        fail "standard error does not say '$pattern': $*"
        sed 's/^/    /' "$work/err"
    fi
}

# equal WANTED GOT WHAT
equal() {
    [ "$1" = "$2" ] || fail "$3: '$2', not '$1'"
}

size_of() {
    wc -c <"$1" | tr -d ' '
}

# u32 FILE OFFSET: a little-endian number.
u32() {
    od -An -tu1 -j "$2" -N 4 "$1" |
        awk '{ printf "%.0f\n", $1 + 256 * ($2 + 256 * ($3 + 256 * $4)) }'
}

# le32 NUMBER: four little-endian bytes.
le32() {
    for shift in 0 8 16 24; do
        # shellcheck disable=SC2059
        printf "\\$(printf '%03o' $(($1 >> shift & 255)))"
    done
}

# tag FILE OFFSET: four characters.
tag() {
    dd if="$1" bs=1 skip="$2" count=4 2>/dev/null
}

# data_hash FILE: of what follows the 44 bytes of header.
data_hash() {
    tail -c +45 "$1" | cksum
}

# wav_in_file FILE: a whole 16-bit file with true sizes.
wav_in_file() {
    equal RIFF "$(tag "$1" 0)" "$1 begins"
    equal data "$(tag "$1" 36)" "$1 has data at 36"
    equal "$(($(size_of "$1") - 8))" "$(u32 "$1" 4)" "$1 RIFF size"
    equal "$(($(size_of "$1") - 44))" "$(u32 "$1" 40)" "$1 data size"
}

# wav_in_pipe FILE: what came out of a pipe: one header with open sizes.
wav_in_pipe() {
    equal RIFF "$(tag "$1" 0)" "$1 begins"
    equal data "$(tag "$1" 36)" "$1 has data at 36"
    equal 4294967295 "$(u32 "$1" 4)" "$1 RIFF size"
    equal 4294967295 "$(u32 "$1" 40)" "$1 data size"
    equal 1 "$(tr -c '[:print:]' '\n' <"$1" | grep -c RIFF)" "$1 headers"
}

# member NAME FILE: the value of a member of one-line JSON.
member() {
    tr ',{}' '\n\n\n' <"$2" | sed -n "s/^\"$1\"://p" | head -n 1 | tr -d '"'
}

# speakers, languages: those of the voice in the box, a line each.
speakers() {
    "$KAZEIA" voices -m "$KZT_VOICE" --json | sed 's/,"languages":.*//' | tr '{' '\n' |
        sed -n 's/^"name":"\([^"]*\)".*/\1/p'
}
languages() {
    "$KAZEIA" voices -m "$KZT_VOICE" --json | sed 's/.*,"languages":\[\([^]]*\)\].*/\1/' |
        tr ',' '\n' | tr -d '"'
}

# joined: lines of standard input as sentences list them.
joined() {
    paste -s -d , - | sed 's/,/, /g'
}

# small: the folder of the small checkpoint, as $small.
small() {
    checkpoints small
    small=$models/small
}

# copy_small FOLDER: a copy of it that may be damaged.
copy_small() {
    cp -R "$small" "$1"
    chmod -R u+w "$1"
}

# tensor_at FILE NAME: where the bytes of a tensor begin.
tensor_at() {
    header=$(u32 "$1" 0)
    dd if="$1" bs=1 skip=8 count="$header" 2>/dev/null | tr '{' '\n' |
        awk -F '"' -v name="$2" -v base="$((8 + header))" '
            here { gsub(/.*data_offsets":\[/, ""); split($0, part, ","); print base + part[1]; exit }
            NF > 1 && $(NF - 1) == name { here = 1 }'
}

# poke FILE OFFSET BYTES: writes the bytes, in the form of printf, over those that are there.
poke() {
    printf "$3" | dd of="$1" bs=1 seek="$2" conv=notrunc 2>/dev/null
}

# checkpoints NAME...: the small ones of tests/data/ckpt, below $models.
checkpoints() {
    models=$(dirname "$KAZEIA")/checkpoints
    if [ ! -x "${KZT_VOICE_CHECK:?the program tests/voice_check}" ]; then
        echo "skipped: tests/voice_check was not built"
        exit 77
    fi
    for kind in "$@"; do
        "$KZT_VOICE_CHECK" checkpoint "$kind" >"$work/made" 2>&1 || fail "$(cat "$work/made")"
    done
}

# recordings NAME...: those of the golden runs, as $work/NAME.wav.
recordings() {
    for name in "$@"; do
        npy=$(dirname "$0")/../data/golden/recording-$name.npy
        bytes=$(($(size_of "$npy") - 128))
        {
            printf RIFF
            le32 $((36 + bytes))
            printf 'WAVEfmt \020\000\000\000\001\000\001\000'
            le32 24000
            le32 48000
            printf '\002\000\020\000data'
            le32 $bytes
            tail -c +129 "$npy"
        } >"$work/$name.wav"
    done
}

# reads_recordings: else the test ends here, when the build says what it lacks.
reads_recordings() {
    "$KAZEIA" --version | grep -q '^recordings: read with' && return
    for line in "clone x.wav --name x" "encode x.wav" "say --ref-audio x.wav Hello"; do
        # shellcheck disable=SC2086
        expect 7 "this build is without libsndfile or libsoxr" "$KAZEIA" $line
    done
    [ "$failures" -eq 0 ] || finish
    echo "skipped: this build reads no recordings (without libsndfile or libsoxr)"
    exit 77
}

finish() {
    if [ "$failures" -ne 0 ]; then
        echo "$failures failed"
        exit 1
    fi
    exit 0
}
