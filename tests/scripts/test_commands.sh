#!/bin/sh
# Every command that the help, the man page and README.md show does what it says: it is typed on a
# terminal, in a folder with stand-ins for what is the reader's own (MODEL, texts, a player), and
# leaves the files that it names. test_commands.sh ROOT BUILD
root=$1
build=$2
if ! script -qec true /dev/null </dev/null >/dev/null 2>&1; then
    echo "skipped: no script(1), or no terminal to be had here"
    exit 77
fi
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
for name in $(env | sed -n 's/^\(KAZEIA_[A-Z_]*\)=.*/\1/p'); do unset "$name"; done
failures=0

# What the reader has. Sound goes to a device that swallows it, where ALSA can have one.
mkdir "$work/bin" "$work/here" "$work/home"
cd "$work/here" || exit 2
ln -s "$build/kazeia" "$work/bin/kazeia"
cat >"$work/bin/aplay" <<'END'
#!/bin/sh
[ "$(head -c 4)" = RIFF ] && cat >/dev/null
END
printf '#!/bin/sh\necho A kettle is on the stove.\n' >"$work/bin/fortune"
printf '#!/bin/sh\ncat "$WRITES"\n' >"$work/bin/some-program"
chmod +x "$work/bin/"*
cat >"$work/home/.asoundrc" <<'END'
pcm.!default { type null }
ctl.!default { type null }
END
ln -s "$("$build/tests/voice_check" checkpoint small)" MODEL || exit 1
ln -s "$("$build/tests/voice_check" checkpoint base-eq)" BASE || exit 1
printf 'Good evening.\nThe tea is ready.\n' | tee story.txt text.txt letter.txt >book.txt
printf '{"text": "Good evening."}\n{"id": "b", "text": "Hello."}\n' >lines.jsonl
export PATH="$work/bin:$PATH" HOME="$work/home" XDG_CACHE_HOME="$work/home" LC_ALL=C.UTF-8
export XDG_DATA_HOME="$work/home/data"
kazeia say -m MODEL --greedy --whole-text --max-frames 9 -q -v ryan --codes codes.txt -o codes.wav Hello || exit 1
{
    printf '{"format": "kazeia-golden", "version": 1, "checkpoint": "small", "request": '
    printf '{"text": "Hello", "voice": "ryan", "live_text": false, "max_frames": 9}, '
    printf '"finish": "length", "codes": ['
    sed 's/ /,/g; s/^/[/; s/$/]/' codes.txt | paste -s -d , -
    printf ']}'
} >run.json
rm codes.txt codes.wav
echo 'What is said there.' >said.txt
kazeia say -q -f said.txt -o recording.wav || exit 1
"$build/tests/voice_check" make BASE eva 'What is said there.' 150 eva.kzv || exit 1
kazeia voices import -q eva.kzv || exit 1

# levels_there LINE: the kernel levels that it names are this machine's.
levels=" $(kazeia info | sed -n 's/^kernels *//p') "
levels_there() {
    for level in $(printf '%s\n' "$1" | grep -oE -- '--(cpu|alternate)[ =][a-z0-9]+' |
        sed 's/.*[ =]//'); do
        case $levels in
        *" $level "*) ;;
        *) return 1 ;;
        esac
    done
}

# typed LINE: as a reader types it. Runs that only measure are cut short.
typed() {
    line=$1
    WRITES=story.txt
    case $line in
    *'kazeia batch'*) WRITES=lines.jsonl ;;
    *'kazeia say -m'*) line="KAZEIA_MAX_FRAMES=20 $line" ;; # weights of a formula never end
    *'kazeia bench'*) line="KAZEIA_REPEAT=1 KAZEIA_FRAMES=2 $(printf '%s\n' "$1" |
        sed 's/--minutes [0-9]*/--minutes 2/')" ;;
    esac
    export WRITES
    script -qec "$line" /dev/null </dev/null >"$work/seen" 2>&1
}

try() {
    if ! levels_there "$1"; then
        echo "left out, this machine lacks a level: $1"
        return
    fi
    typed "$1"
    code=$?
    if [ $code -eq 2 ] && grep -q 'this build cannot write' "$work/seen"; then
        echo "left out, this build lacks a format: $1"
        return
    fi
    if [ $code -eq 7 ] && grep -q 'reads no recordings' "$work/seen"; then
        echo "left out, this build reads no recordings: $1"
        return
    fi
    # Without a device, sound on a terminal is exit 7 with the hint.
    if [ $code -eq 7 ] && grep -q -- '-o FILE' "$work/seen"; then
        code=0
    fi
    made=$(printf '%s\n' "$1" | grep -oE -- '(-o|>|--npy|--codes) [^ ]+' | sed 's/.* //')
    for file in $made; do
        [ -s "$file" ] || code="$code, without $file"
    done
    [ "$code" = 0 ] && return
    echo "FAILED: $1: exit $code"
    sed 's/^/    /' "$work/seen"
    failures=$((failures + 1))
}

echo '@examples@' >"$work/template"
"$build/kazeia_pages" "$work/template" "$work/lines" || exit 1
sed -n 's,^    build/\(kazeia .*\),\1,p' "$root/README.md" | sed 's/  *#.*//' >"$work/readme"
for list in lines readme; do
    if [ "$(wc -l <"$work/$list")" -lt 5 ]; then
        echo "FAILED: too few commands to be true:"
        cat "$work/$list"
        exit 1
    fi
done
cat "$work/lines" "$work/readme" >"$work/all"
while IFS= read -r line <&3; do
    try "$line"
done 3<"$work/all"
[ $failures -eq 0 ] || exit 1
