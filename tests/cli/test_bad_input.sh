# Input that cannot be used: one sentence that names the thing and what was allowed, the right exit
# code, and no file. Numbers and spellings on the line are in unit.args.
. "$(dirname "$0")/lib.sh"
K=$KAZEIA
small
cd "$work" || exit 1

# refused CODE PATTERN COMMAND...: one line on standard error, no byte on standard output, no file.
refused() {
    expect "$@"
    equal 1 "$(wc -l <err | tr -d ' ')" "lines on standard error: $*"
    equal 0 "$(size_of out)" "bytes on standard output: $*"
    [ -e x.wav ] && fail "a file was made: $*"
    rm -f x.wav
}

# ---- texts, from a file, from standard input, line by line and live -----------------------------

# text NAME BYTES PATTERN: what printf makes of BYTES is refused with these words.
text() {
    printf "$2" >text
    refused 4 "$3" "$K" say -o x.wav -f text
    for how in "" "--split=off" "--lines" "--live-text"; do
        "$K" say -o x.wav $how <text >out 2>err
        equal 4 $? "exit code for $1, $how on standard input"
        grep -q -- "$3" err || fail "$1, $how: $(cat err)"
        [ -e x.wav ] && fail "a file was made for $1, $how"
        rm -f x.wav
    done
    refused 4 "$3" "$K" tokenize -f text
}
text empty '' 'the text is empty'
text blank ' \t\r\n \n' 'the text is blank'
text "an invalid byte" 'abc\377def' 'not valid UTF-8 at byte offset 3 (byte 0xFF)$'
text "a lone continuation" 'ab\200' 'not valid UTF-8 at byte offset 2 (byte 0x80)$'
text "an overlong form" 'a\300\200' 'not valid UTF-8 at byte offset 1 (byte 0xC0)$'
text "a surrogate" 'a\355\240\200' 'not valid UTF-8 at byte offset 1 (byte 0xED)$'
text "more than Unicode has" 'ab\364\220\200\200' 'not valid UTF-8 at byte offset 2 (byte 0xF4)$'
text "a cut character" 'abc\303' 'not valid UTF-8 at byte offset 3 (byte 0xC3)$'
text Latin-1 'caf\351 au lait' 'not valid UTF-8 at byte offset 3 (byte 0xE9)$'
text "a zero byte" 'abc\000def' 'a zero byte at byte offset 3, as UTF-16 has; it must be UTF-8$'
text "UTF-16, little end" 'H\000i\000' 'byte offset 1, as UTF-16 has; it must be UTF-8$'
text "UTF-16, big end" '\000H\000i' 'byte offset 0, as UTF-16 has; it must be UTF-8$'
text "UTF-16, little end, mark" '\377\376H\000i\000' \
    'offset 0 (byte 0xFF): it begins with the mark of UTF-16; it must be UTF-8$'
text "UTF-16, big end, mark" '\376\377\000H\000i' \
    'offset 0 (byte 0xFE): it begins with the mark of UTF-16; it must be UTF-8$'
refused 4 'not valid UTF-8 at byte offset 2' "$K" say -o x.wav "$(printf 'ab\300\200')"
refused 4 'the text is empty' "$K" say -o x.wav ""
refused 4 'the text is blank' "$K" say -o x.wav " " "	"
refused 4 'the text is empty' "$K" say -o x.wav

# ---- files of text --------------------------------------------------------------------------------

mkdir folder
for verb in "say -o x.wav" tokenize prompt; do
    # shellcheck disable=SC2086
    {
        refused 4 "cannot read 'folder': Is a directory" "$K" $verb -f folder
        refused 4 "cannot read 'absent': No such file" "$K" $verb -f absent
        refused 4 "cannot read 'folder/absent/x': No such file" "$K" $verb -f folder/absent/x
        refused 4 'the text is empty' "$K" $verb -f /dev/null
        refused 2 'is empty; it needs a value (FILE)' "$K" $verb -f ""
        refused 2 'given twice' "$K" $verb -f text Hello
    }
done
echo Hello >unreadable
chmod 000 unreadable
mkdir closed
echo old >closed/old.wav
chmod 444 closed/old.wav
chmod 555 closed
chmod 755 "$work"
# Root may read and write everything: what is not allowed is tried as somebody else.
user="$K"
if [ "$(id -u)" -eq 0 ]; then
    user="setpriv --reuid=65534 --regid=65534 --clear-groups $K"
fi
if $user --version >out 2>err; then
    # shellcheck disable=SC2086
    {
        refused 4 "cannot read 'unreadable': Permission denied" $user say -o x.wav -f unreadable
        refused 5 "cannot write 'closed/x.wav': Permission denied" \
            $user say -m "$KZT_VOICE" --frames 2 -q -o closed/x.wav Hello
        refused 5 "cannot write 'closed/old.wav': Permission denied" \
            $user say -m "$KZT_VOICE" --frames 2 -q -o closed/old.wav Hello
        equal "old" "$(cat closed/old.wav)" "a file that may not be replaced"
    }
else
    echo "not tested: the program cannot be run as somebody other than root"
fi
chmod 755 closed
head -c 67108865 /dev/zero | tr '\0' a >large
refused 4 "'large' is longer than the 67108864 bytes allowed" "$K" say -o x.wav -f large
rm large
"$K" say -o x.wav <&- >out 2>err
equal 4 $? "exit code with standard input closed"
grep -q "cannot read 'standard input': Bad file descriptor" err || fail "closed: $(cat err)"

# ---- names that say nothing, or not what is there ---------------------------------------------------

for option in model codec voice language output file codes dump cpu pause; do
    refused 2 "--$option is empty; it needs a value" "$K" say "--$option=" -o x.wav Hello
done
refused 2 "--npy is empty" "$K" prompt --npy= Hello
for name in x.mp5 x.txt x .wav x.wav.gz folder/x; do
    refused 2 "the ending of '$name' says no format.*\.wav .*\.raw" "$K" say -o $name Hello
done
for name in x.csv x; do
    refused 2 "codes are written to .npy or .txt; '$name'" "$K" say --codes $name -o x.wav Hello
done
refused 2 "allowed: 16|24|32f" "$K" say --bits 8 -o x.wav Hello
refused 2 "allowed: f32|bf16|q8|q4" "$K" say --type q5 -o x.wav Hello
refused 2 "allowed: direct|winograd|int8" "$K" say --decoder exact -o x.wav Hello
refused 2 '"quantum" cannot be used here, these can: scalar' "$K" say --cpu quantum -o x.wav Hello
for pause in 61 nan -1 1,2,3 , 1e1 x; do
    refused 2 "the pause is '$pause'; seconds from 0 to 60" "$K" say --pause=$pause -o x.wav Hello
done
refused 4 'voice "nobody" is not known; this model has: '"$(speakers | joined)\$" "$K" say -v nobody -o x.wav Hello
refused 4 'language "xx" is not known; this model has: auto, '"$(languages | joined)\$" "$K" say -l xx -o x.wav Hello
refused 4 "'me.kzv' is a file, and those are for base models.*own: $(speakers | joined)" \
    "$K" say -v me.kzv -o x.wav Hello
refused 3 "absent" "$K" say -m absent -o x.wav Hello
refused 3 "absent" "$K" say -m "$small" --codec absent -o x.wav Hello

# ---- what contradicts itself ------------------------------------------------------------------------

for pair in "--greedy --temperature=1" "--greedy --cp-temperature=1" "--frames=3 --max-frames=4" \
    "--frames=3 --min-frames=2" "--whole-text --live-text" "--quiet --verbose" \
    "--lines --live-text" "--lines --dump=d" "--lines --split=off" "--lines --pause=1" \
    "--live-text --split=off" "--live-text --pause=1" "--live-text --parallel=2"; do
    # shellcheck disable=SC2086
    refused 2 "^kazeia: error: --[a-z-]* and --[a-z-]* contradict each other$" \
        "$K" say $pair -o x.wav Hello
done
refused 2 "min-frames 9 is more than --max-frames 3" \
    "$K" say --min-frames 9 --max-frames 3 -o x.wav Hello
[ -e d ] && fail "a dump was begun for what was refused"

# ---- places that cannot be written --------------------------------------------------------------------

refused 5 "cannot write 'folder': it is a folder" "$K" say -o folder Hello
refused 5 "cannot write 'folder/': it is a folder" "$K" say -o folder/ Hello
refused 5 "cannot write 'absent/x.wav': No such file" "$K" say --frames 2 -q -o absent/x.wav Hello
refused 5 "cannot write 'text/x.wav': Not a directory" "$K" say --frames 2 -q -o text/x.wav Hello
refused 5 "cannot write 'absent/c.npy'" "$K" say --frames 2 -q --codes absent/c.npy -o x.wav Hello
refused 5 "cannot make the folder 'absent/d'" "$K" say --frames 2 -q --dump absent/d -o x.wav Hello
refused 5 "cannot write 'absent/r.npy'" "$K" prompt --npy absent/r.npy Hello
refused 5 "cannot write 'absent/m.kz'" "$K" convert "$small" -o absent/m.kz
finish
