# What the program tells about itself: help, version, verbs that are named and not there.
. "$(dirname "$0")/lib.sh"
K=$KAZEIA
verbs="say batch info voices tokenize prompt decode validate convert bench selftest"

# -h is short, --help long: with examples, variables and exit codes. Both on standard output.
for verb in $verbs; do
    expect 0 "" "$K" "$verb" -h
    cp "$work/out" "$work/short"
    equal 0 "$(size_of "$work/err")" "bytes on standard error, $verb -h"
    grep -q "^usage: kazeia $verb " "$work/short" || fail "no usage line, $verb -h"
    grep -q "Example" "$work/short" && fail "examples in $verb -h"
    expect 0 "" "$K" "$verb" --help
    grep -q "^Examples\{0,1\}:$" "$work/out" || fail "no examples in $verb --help"
    grep -q "^  kazeia $verb\|| kazeia $verb" "$work/out" || fail "no example of $verb"
    grep -q "^Exit codes:$" "$work/out" || fail "no exit codes in $verb --help"
    grep -q "^  KAZEIA_JSON  *--json" "$work/out" || fail "no variables in $verb --help"
    [ "$(wc -l <"$work/out")" -gt "$(wc -l <"$work/short")" ] || fail "$verb --help is not longer"
    cp "$work/out" "$work/long"
    expect 0 "" "$K" help "$verb"
    cmp -s "$work/out" "$work/long" || fail "'help $verb' is not '$verb --help'"
    # Wherever it stands, and whatever else is wrong.
    expect 0 "" "$K" "$verb" --bogus x --help
    cmp -s "$work/out" "$work/long" || fail "--help behind others"
    grep -o '^  *\(-., \)\{0,1\}--[a-z-]*' "$work/short" | sed 's/.*--//' >"$work/names"
    [ -s "$work/names" ] || fail "no options in $verb -h"
    while read -r name; do
        grep -q -- "--$name" "$work/long" || fail "--$name is not in $verb --help"
    done <"$work/names"
done
for how in "" -h --help help; do
    # shellcheck disable=SC2086
    run "$K" $how
    [ -n "$how" ] || cp "$work/err" "$work/out"
    for verb in $verbs; do
        grep -q "^  $verb " "$work/out" || fail "kazeia $how does not list $verb"
    done
done
expect 2 "usage: kazeia" "$K"
equal 0 "$(size_of "$work/out")" "bytes on standard output without a verb"
# A text that is -h or --help goes behind "--".
expect 0 "" "$K" tokenize -- --help
grep -q usage "$work/out" && fail "'-- --help' shows help"

# Version, features of the build, level in use.
expect 0 "" "$K" --version
cp "$work/out" "$work/version"
expect 0 "" "$K" info --json
version=$(member version "$work/out")
equal "kazeia $version" "$(sed -n 1p "$work/version")" "first line of --version"
grep -q '^[0-9]*\.[0-9]*\.[0-9]*$' <<END || fail "the version is '$version'"
$version
END
equal "cpu level in use: $(member cpu "$work/out")" "$(sed -n 3p "$work/version")" "third line"
for word in "kernels up to" f32 bf16 q8 q4 "decoder direct, winograd, int8" \
    "arithmetic $(member arithmetic "$work/out")$"; do
    sed -n 2p "$work/version" | grep -q "$word" || fail "--version does not tell '$word'"
done
grep -q '^recordings: read with libsndfile.*libsoxr\|^recordings: not read (without ' \
    "$work/version" || fail "--version does not tell what reads recordings"

# A text without a verb; verbs and options that are nearly right.
expect 2 "to speak a text: kazeia say TEXT" "$K" "Good evening."
expect 2 "did you mean 'say'" "$K" SAY Hello
expect 2 "did you mean 'validate'" "$K" valid
expect 2 "did you mean '--version'" "$K" --verison
expect 2 "did you mean '--version'" "$K" -V
expect 2 "did you mean '--help'" "$K" --hlep
expect 2 "'--verbose' comes after the verb" "$K" --verbose say Hello
expect 2 "did you mean 'tokenize'" "$K" help tokenise
expect 2 "did you mean '--output'" "$K" say --out-file x.wav Hello
expect 2 "did you mean '--output'" "$K" say --out_file=x.wav Hello

# Named, and not there yet.
for verb in serve pull list verify book; do
    for how in "$verb" "$verb --help" "$verb x -o y" "help $verb"; do
        # shellcheck disable=SC2086
        expect 2 "'$verb' (.*) is not available in this version" "$K" $how
    done
done
for option in --rate=2 --normalize; do
    expect 2 "${option%%=*} is not available in this version" "$K" say $option -o "$work/x.wav" Hello
done
expect 0 "" "$K" voices list
equal "$(speakers)" "$(cat "$work/out")" "voices list"
finish
