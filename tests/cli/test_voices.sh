# Saved voices: by name and by file, for requests and for the verb `voices`. Voices are made of a
# formula by the library alone, with the small base models of the golden tests.
. "$(dirname "$0")/lib.sh"
K=$KAZEIA
check=${KZT_VOICE_CHECK:?the program tests/voice_check}
checkpoints base-eq base-mtp custom-eq design-eq
narrow=$models/base-eq wide=$models/base-mtp custom=$models/custom-eq design=$models/design-eq
store=$XDG_DATA_HOME/kazeia/voices
cd "$work" || exit 1

# voice MODEL NAME TRANSCRIPT PITCH FILE
voice() {
    "$check" make "$@" 2>"$work/err" || fail "no voice: $(cat "$work/err")"
}
# hash_of OPTION...: of a short utterance by the narrow model.
hash_of() {
    "$K" say -q -m "$narrow" --seed 3 --frames 4 --hash -o hashed.wav "$@" 'Good evening.' \
        2>"$work/err" </dev/null >"$work/out" || fail "say $*: $(cat "$work/err")"
    sed 's/^sha256 \([0-9a-f]*\).*/\1/' "$work/out"
}
voice "$narrow" Eva 'What is said here.' 150 eva.kzv
voice "$narrow" Eva 'What is said here.' 220 eva2.kzv
voice "$narrow" '' '' 180 plain.kzv
voice "$wide" Wide 'What is said here.' 150 wide.kzv

# ---- taken in, listed, shown, and all that by later processes (B122)
expect 0 '' "$K" voices
equal "$(speakers)" "$(cat "$work/out")" "voices without saved ones"
[ -e "$store" ] && fail "listing made the folder"
expect 0 "'Eva' is in '$store/Eva.kzv'" "$K" voices import eva.kzv
expect 0 "'plain' is in" "$K" voices import plain.kzv wide.kzv
expect 0 '' "$K" voices
equal "$(echo $(speakers) Eva plain Wide)" "$(echo $(cut -f1 "$work/out"))" "names"
grep -q '^Eva	saved, 2.0 s, with transcript$' "$work/out" || fail "Eva: $(grep Eva "$work/out")"
grep -q '^plain	saved, 2.0 s, without transcript$' "$work/out" || fail "plain: $(cat "$work/out")"
expect 0 'names no speakers' "$K" voices -m "$narrow"
equal 2 "$(grep -c 'transcript$' "$work/out")" "voices that fit"
grep -q '^Wide.*; not for this model: .*speaker vector' "$work/out" || fail "Wide fits"
expect 0 '' "$K" voices --json -m "$narrow"
grep -q '"name":"Eva","file":"'"$store"'/Eva.kzv","fits":true,"seconds":2.0,"language":"","with_transcript":true' \
    "$work/out" || fail "JSON of Eva: $(cat "$work/out")"
grep -q '"name":"Wide",.*"fits":false,"why":"' "$work/out" || fail "JSON of Wide: $(cat "$work/out")"
expect 0 '' "$K" voices show EVA
for line in 'name          Eva' 'recording     2.00 s' 'transcript    What is said here.' \
    'codes         32 frames, 500 ms of silence at their end' 'consent       no note'; do
    grep -qx "$line" "$work/out" || fail "show has no '$line': $(cat "$work/out")"
done
expect 0 '' "$K" voices show ./eva.kzv --json -m "$wide"
equal "72 32 500 24000 false" "$(for name in vector_length frames tail_ms sample_rate fits; do
    member $name "$work/out"
done | paste -s -d ' ')" "numbers of a voice"
equal "$("$K" voices show eva | sed -n 's/^checksum *//p')" "$(member checksum "$work/out")" "checksum"

# ---- who speaks
hash=$(hash_of -v Eva)
equal "$("$check" say "$narrow" eva.kzv 3 4 'Good evening.')" "$hash" "hash by the library"
equal "$hash" "$(hash_of -v eVA)" "hash in another case"
equal "$hash" "$(hash_of -v ./eva.kzv)" "hash of the file"
equal "$hash" "$(hash_of -v eva.kzv)" "hash of the file"
equal "$hash" "$(KAZEIA_VOICE=eva hash_of)" "hash by the variable"
equal "$hash" "$(KAZEIA_VOICES_DIR=$store XDG_DATA_HOME=/nowhere hash_of -v eva)" "hash of the folder"
[ "$hash" != "$(hash_of -v eva2.kzv)" ] || fail "another voice has the same samples"
[ "$hash" != "$(hash_of -v plain)" ] || fail "a voice without transcript has the same samples"
expect 0 'voice         Eva, made from a recording of 2.0 s, with its transcript' "$K" say \
    -m "$narrow" -v eva --frames 2 --verbose -o x.wav Hello
expect 0 '' "$K" prompt -m "$narrow" -v eva Hello
equal 32 "$(cut -f5 "$work/out" | grep -c frame)" "frames in the prompt"
equal 1 "$(cut -f5 "$work/out" | grep -c vector)" "vectors in the prompt"
printf 'One is here.\nTwo is there.\n' >lines
one=$("$K" say -q -m "$narrow" -v eva --lines --seed 1 --frames 3 --hash --parallel 1 -o x.wav <lines)
four=$("$K" say -q -m "$narrow" -v eva --lines --seed 1 --frames 3 --hash --parallel 4 -o x.wav <lines)
equal "$one" "$four" "hash of lines side by side"

# ---- who does not: one sentence each, exit 4, no file
silent() {
    pattern=$1
    shift
    expect 4 "$pattern" "$K" say --frames 2 -o none.wav "$@" Hello
    equal 1 "$(wc -l <"$work/err" | tr -d ' ')" "lines of error for $*"
    [ -e none.wav ] && fail "a file for $*"
}
silent "base model: .*fit: Eva, plain)" -m "$narrow"
silent "no saved voice 'nobody', and this is a base model: .*fit: Eva, plain)" -m "$narrow" -v nobody
silent "(no saved one fits it); 'kazeia clone'" -m "$wide" --voices-dir "$work"/empty
# B120: a voice of another width.
silent "'Wide' was made for another model.* 88, this model's 72" -m "$narrow" -v wide
silent "'Eva' was made for another model.* 72, this model's 88" -m "$wide" -v ./eva.kzv
# B116: never the first speaker in place of a voice.
silent "'eva' is a saved voice.*speakers of its own: serena, ryan" -m "$custom" -v eva
silent "/eva.kzv' is a file.*speakers of its own: serena, ryan" -m "$custom" -v "$work/eva.kzv"
silent "/clip.wav' is a file.*speakers of its own: serena, ryan" -m "$custom" -v "$work/clip.wav"
silent "'eva' is a saved voice.*--instruct" -m "$design" -v eva
silent 'voice "nobody" is not known; this model has: serena' -m "$custom" -v nobody
silent "cannot read './none.kzv'" -m "$narrow" -v ./none.kzv
silent "cannot read 'none.kzv'" -m "$narrow" -v none.kzv
expect 4 "no saved voice 'nobody'" "$K" prompt -m "$narrow" -v nobody Hello
expect 4 "'eva' is a saved voice" "$K" prompt -m "$custom" -v eva Hello
cp "$narrow/config.json" clip
expect 4 "it is no saved voice" "$K" say -m "$narrow" -v ./clip -o none.wav Hello
grep -q -- '--ref-audio' "$work/err" || fail "no word of --ref-audio: $(cat "$work/err")"

# A saved voice never hides a speaker of the model.
before=$("$K" say -q -m "$custom" -v ryan --seed 1 --frames 2 --hash -o x.wav Hello)
expect 0 '' "$K" voices import eva.kzv --name Ryan
expect 0 "model's speaker; the saved voice .* --voice '$store/Ryan.kzv'" "$K" say -m "$custom" \
    -v RYAN --seed 1 --frames 2 --hash -o x.wav Hello
equal "$before" "$(cat "$work/out")" "the speaker with a namesake"
equal "$hash" "$(hash_of -v ryan)" "the namesake itself"
expect 0 '' "$K" voices remove RYAN

# ---- a batch: a voice is read at its line
{
    echo '{"text": "Good evening.", "voice": "EVA"}'
    echo '{"text": "Good evening.", "voice": "./eva2.kzv"}'
    echo '{"text": "Good evening."}'
    echo '{"text": "Good evening.", "voice": "nobody"}'
    echo '{"text": "Good evening.", "voice": "wide"}'
} >lines
expect 4 "line 4: there is no saved voice 'nobody'" "$K" batch -m "$narrow" -v plain --seed 3 \
    --frames 4 --hash -o batch lines
line_hash() {
    grep "\"line\":$1," "$work/out" | sed -n 's/.*"hash":"\([0-9a-f]*\)".*/\1/p'
}
equal "$hash" "$(line_hash 1)" "hash in a batch"
equal "$(hash_of -v eva2.kzv)" "$("$K" batch -q -m "$narrow" --seed 3 --frames 4 --hash -o batch lines \
    2>"$work/err" | grep '"line":2,' | sed 's/.*"hash":"\([0-9a-f]*\)".*/\1/')" "hash of a file in a batch"
expect 4 '' "$K" batch -q -m "$narrow" -v plain --seed 3 --frames 4 --hash -o batch lines
equal 3 "$(grep -c '"code":0' "$work/out")" "items that were done"
grep -q '"line":5,.*made for another model.*"code":4' "$work/out" || fail "line 5: $(cat "$work/out")"

# B119: another voice in a file of the same size and time is another voice, in the next run and at
# the next line of a batch.
cp -p eva.kzv same.kzv
touch -r eva.kzv stamp
[ "$(size_of eva.kzv)" = "$(size_of eva2.kzv)" ] || fail "the files differ in size"
equal "$hash" "$(hash_of -v ./same.kzv)" "hash before the change"
other=$(hash_of -v ./eva2.kzv)
cat eva2.kzv >same.kzv
touch -r stamp same.kzv
equal "$other" "$(hash_of -v ./same.kzv)" "hash after the change"
cat eva.kzv >same.kzv
touch -r stamp same.kzv
mkfifo feed
"$K" batch -q -m "$narrow" --seed 3 --frames 4 --hash -o batch feed >records 2>"$work/err" &
run=$!
{
    echo '{"text": "Good evening.", "voice": "./same.kzv"}'
    for i in $(seq 300); do
        grep -q '"line":1,' records && break
        sleep 0.1
    done
    cat eva2.kzv >same.kzv
    touch -r stamp same.kzv
    echo '{"text": "Good evening.", "voice": "./same.kzv"}'
} >feed
wait $run || fail "the batch: $(cat "$work/err")"
equal "$hash $other" "$(sed 's/.*"hash":"\([0-9a-f]*\)".*/\1/' records | paste -s -d ' ')" \
    "hashes before and after a change within a batch"

# ---- replace, export, remove
expect 2 "a voice 'Eva' already .*--replace" "$K" voices import eva2.kzv
cmp -s eva.kzv "$store/Eva.kzv" || fail "a refused import changed the voice"
expect 0 '' "$K" voices import eva2.kzv --replace --json
equal '{"saved":[{"name":"Eva","file":"'"$store"'/Eva.kzv"}]}' "$(cat "$work/out")" "record of import"
cmp -s eva2.kzv "$store/Eva.kzv" || fail "--replace has not replaced"
expect 0 "'Eva' is in 'Eva.kzv'" "$K" voices export eva
cmp -s eva2.kzv Eva.kzv || fail "export changes the voice"
expect 2 "'Eva.kzv' is there already: --replace" "$K" voices export eva
expect 0 '' "$K" voices export eva --replace
expect 0 '' "$K" voices export eva -o -
cmp -s eva2.kzv "$work/out" || fail "export to standard output changes the voice"
expect 5 'cannot write' "$K" voices export eva -o /nowhere/eva.kzv
expect 2 'standard output' "$K" voices export eva -o - --json
"$K" voices import -q - --name 'From a pipe' <eva.kzv || fail "import from standard input"
equal 'From a pipe' "$("$K" voices show 'from a pipe' | sed -n 's/^name *//p')" "the name inside"
equal "$hash" "$(hash_of -v 'from a pipe')" "hash under another name"
"$K" voices import - <plain.kzv 2>"$work/err"
equal "2 1" "$? $(grep -c -- '--name NAME' "$work/err")" "a voice without a name from standard input"
# Copied by hand: the file's name counts, and it goes out under that name.
cp eva.kzv "$store/hand made.kzv"
equal "$hash" "$(hash_of -v 'Hand Made')" "hash of a voice copied by hand"
expect 0 '' "$K" voices export 'hand made'
equal 'hand made' "$("$K" voices show './hand made.kzv' | sed -n 's/^name *//p')" "exported name"
# Nothing goes, or comes, where one of several is bad.
count=$(ls "$store" | wc -l)
expect 4 "no saved voice 'nobody', so nothing is removed" "$K" voices remove eva nobody plain
expect 4 'nobody.kzv' "$K" voices import "$work/hand made.kzv" nobody.kzv --replace
rm "$store/hand made.kzv"
expect 4 'nobody.kzv' "$K" voices import "$work/hand made.kzv" nobody.kzv
expect 2 "'Eva' already" "$K" voices import "$work/hand made.kzv" eva.kzv
[ -e "$store/hand made.kzv" ] && fail "an import was half done"
expect 0 '' "$K" voices remove 'FROM A PIPE' plain --json
equal '{"removed":["FROM A PIPE","plain"]}' "$(cat "$work/out")" "record of remove"
equal $((count - 3)) "$(ls "$store" | wc -l)" "voices that are left"

# ---- usage
for line in 'list x' 'show' 'show a b' 'remove' 'export' 'export a b' 'import' 'sing' \
    'show eva -o x' 'remove eva --replace' 'list --name x' 'import a b --name c'; do
    # shellcheck disable=SC2086
    expect 2 "'voices\|--name" "$K" voices $line
done

# ---- names
for name in 'a b' con -x~ '*' "a'b" '声音' '😀' \
    0123456789012345678901234567890123456789012345678901234567890123; do
    expect 0 '' "$K" voices import eva.kzv --name="$name"
    [ -f "$store/$name.kzv" ] || fail "no file for '$name'"
    "$K" voices | grep -q "^$(printf '%s' "$name" | sed 's/[*]/[*]/')	saved" || fail "'$name' is not listed"
    equal "$hash" "$(hash_of "--voice=$name")" "hash of '$name'"
    expect 0 '' "$K" voices remove -- "$name"
done
for name in ../x a/b .x 'x ' x.kzv con.KZV "$(printf 'x\ny')" \
    01234567890123456789012345678901234567890123456789012345678901234; do
    expect 4 'name' "$K" voices import eva.kzv --name "$name"
    expect 4 'no saved voice' "$K" voices remove "$name"
done
composed=$(printf 'Zo\303\253') decomposed=$(printf 'Zoe\314\210')
expect 0 '' "$K" voices import eva.kzv --name "$decomposed"
[ -f "$store/$composed.kzv" ] || fail "a name is not kept in normalisation form C"
equal "$hash" "$(hash_of -v "$decomposed")" "hash by a name in another form"
expect 2 'already' "$K" voices import eva.kzv --name "$(printf 'ZO\303\253')"
expect 0 '' "$K" voices remove "$decomposed"

# ---- damaged ones are told, and hide nothing
changed() {
    cp eva.kzv "$store/$1.kzv"
    poke "$store/$1.kzv" "$2" "$3"
}
changed flip 200 '\377'
changed future 8 '\002'
changed other 0 'RIFF'
head -c 500 eva.kzv >"$store/cut.kzv"
: >"$store/empty.kzv"
cat eva.kzv eva.kzv >"$store/twice.kzv"
expect 0 '' "$K" voices --json -m "$narrow"
equal 6 "$(grep -o '"problem":"' "$work/out" | wc -l | tr -d ' ')" "problems in JSON"
grep -q '"name":"Eva",.*"fits":true' "$work/out" || fail "damaged voices hide a good one"
expect 0 '' "$K" voices
equal 6 "$(grep -c '	saved, damaged: ' "$work/out")" "damaged voices"
for name in flip:checksum future:newer other:'no saved voice' cut:'cut short' empty:'no saved voice' \
    twice:'more in the file'; do
    silent "${name#*:}" -m "$narrow" -v "${name%%:*}"
    expect 4 "${name#*:}" "$K" voices show "${name%%:*}"
    expect 4 "${name#*:}" "$K" voices import "$store/${name%%:*}.kzv" --name fine
    expect 4 "${name#*:}" "$K" voices export "${name%%:*}" -o none.kzv
done
[ -e none.kzv ] && fail "a damaged voice was exported"
expect 0 '' "$K" voices import eva.kzv --name flip --replace
expect 0 '' "$K" voices remove flip future other cut empty twice

# ---- folders
expect 4 "cannot read the saved voices in 'eva.kzv'" "$K" voices --voices-dir eva.kzv
expect 5 "Not a directory" "$K" voices import eva.kzv --voices-dir eva.kzv/x
expect 2 'empty' "$K" voices --voices-dir ''
expect 0 'neither XDG_DATA_HOME nor HOME' env -u HOME -u XDG_DATA_HOME "$K" voices
equal "$(speakers)" "$(cat "$work/out")" "speakers without a home"
expect 0 '' env -u HOME -u XDG_DATA_HOME "$K" say -v ada --frames 2 -o x.wav Hello
expect 2 'neither XDG_DATA_HOME nor HOME' env -u HOME -u XDG_DATA_HOME "$K" voices import eva.kzv
expect 0 '' env XDG_DATA_HOME=not/absolute HOME="$work/home" "$K" voices import eva.kzv
[ -f home/.local/share/kazeia/voices/Eva.kzv ] || fail "a relative XDG_DATA_HOME is not ignored"
equal drwx------ "$(ls -ld home/.local/share/kazeia | cut -c1-10)" "mode of a folder that was made"

# ---- killed at any moment while it saves: the old voice or the new one, whole
if timeout -s KILL 5 true 2>/dev/null; then
    first=$("$K" voices show ./eva.kzv --json) && first=${first##*checksum}
    second=$("$K" voices show ./eva2.kzv --json) && second=${second##*checksum}
    killed=0 done=0
    for i in $(seq 60); do
        file=eva.kzv
        [ $((i % 2)) -eq 0 ] || file=eva2.kzv
        delay=$(awk -v i="$i" 'BEGIN { printf "%.4f", 0.0005 + i * 0.0003 }')
        timeout -s KILL "$delay" "$K" voices import $file --replace >"$work/out" 2>&1
        case $? in
        0) done=$((done + 1)) ;;
        137) killed=$((killed + 1)) ;;
        *) fail "import: $(cat "$work/out")" ;;
        esac
        now=$("$K" voices show eva --json) || fail "after a kill there is no whole voice"
        case ${now##*checksum} in
        "$first" | "$second") ;;
        *) fail "after a kill there is another voice" ;;
        esac
    done
    echo "killed while saving: $killed, done: $done"
    [ $killed -gt 0 ] || fail "nothing was killed"
    equal "Eva.kzv Wide.kzv" "$(echo $(ls "$store"))" "files after all that"
else
    echo "not tried, without timeout(1): a kill while it saves"
fi
finish
