# Many texts: lines of JSON in, files and records out.
. "$(dirname "$0")/lib.sh"
K=$KAZEIA
first="The kettle is on the stove, and the tea is almost ready for us."
second="She went to the market and bought some bread and butter."
long="$first $second Then it rained all day. $second"
cd "$work" || exit 1

# hash_of LINE FILE: what the record of a line says.
hash_of() {
    grep "^{\"line\":$1," "$2" >"$work/one"
    member hash "$work/one"
}

# The samples are those of `say`, in any order and number of neighbours.
printf '%s' "$long" >text.txt
cat >items <<END
{"id": "a", "text": "Hello there.", "seed": 11}
{"id": "b", "text": "$long", "seed": 12, "max_frames": 12, "pause": 0.1}
{"id": "c", "text": "$first", "seed": 13, "temperature": 1.3, "top_k": 20, "frames": 9}
{"id": "d", "file": "text.txt", "seed": "14", "max_frames": 9, "pause": "0.3,1"}
{"id": "e", "text": "Good evening.", "seed": 15, "greedy": true, "voice": "Ada"}
{"id": "f", "text": "$second", "seed": 16, "split": "off", "language": "english"}
{"id": "g", "text": "Yes.", "seed": 17, "cp_temperature": 0.5, "min_frames": 5, "packet": 2}
END
say() {
    name=$1
    shift
    "$K" say -q --json --hash -o "$work/say.wav" "$@" >"$work/out" 2>"$work/err" ||
        fail "say for $name: $(cat "$work/err")"
    echo "$name $(member hash "$work/out") $(data_hash "$work/say.wav")" >>"$work/wanted"
}
say a --seed 11 "Hello there."
say b --seed 12 --max-frames 12 --pause 0.1 "$long"
say c --seed 13 --temperature 1.3 --top-k 20 --frames 9 "$first"
say d --seed 14 --max-frames 9 --pause 0.3,1 -f text.txt
say e --seed 15 --greedy -v ada "Good evening."
say f --seed 16 --split off -l en "$second"
say g --seed 17 --cp-temperature 0.5 --min-frames 5 "Yes."
for parallel in 1 2 5 16; do
    rm -rf sounds
    awk -v k="$parallel" '{ printf "%d %s\n", (NR * 5 * k + k) % 7, $0 }' items | sort -n |
        cut -d ' ' -f 2- >shuffled
    expect 0 "7 of 7 done" "$K" batch shuffled -o sounds --hash --parallel "$parallel"
    while read -r name hash data; do
        grep "\"id\":\"$name\"" out >one || fail "no record of $name"
        equal "$hash" "$(member hash one)" "hash of $name, --parallel $parallel"
        equal "sounds/$name.wav" "$(member output one)" "output of $name"
        equal "$data" "$(data_hash "sounds/$name.wav")" "file of $name, --parallel $parallel"
        wav_in_file "sounds/$name.wav"
    done <wanted
    equal 7 "$(ls -A sounds | wc -l | tr -d ' ')" "files, --parallel $parallel"
done
equal stop "$(grep '"a"' out >one; member finish one)" "finish"
equal length "$(grep '"b"' out >one; member finish one)" "finish at a limit"
grep '"b"' out >one
equal $((12 * $(member pieces one))) "$(member frames one)" "frames of the pieces"

# An option is the default of all; a field beats it, and what it contradicts.
printf '{"text": "Hello there."}\n{"text": "Hello there.", "seed": 9}\n' >two
printf '{"text": "Hello there.", "greedy": true}\n' >>two
expect 0 "" "$K" batch two -o sounds --hash --seed 11 --temperature 0.9
want=$(hash_of 1 out)
say x --seed 11 --temperature 0.9 "Hello there."
grep -q "x $want" wanted || fail "an option is no default"
[ "$want" != "$(hash_of 2 out)" ] || fail "a field does not beat an option"
say y --seed 11 --greedy "Hello there."
grep -q "y $(hash_of 3 out)" wanted || fail "a field does not beat what it contradicts"
# The seed of an item says all: neither its line nor the others count.
tail -n 1 two >alone
expect 0 "" "$K" batch alone -o sounds --hash --seed 11
equal "$(grep '^y' wanted | cut -d ' ' -f 2)" "$(hash_of 1 out)" "a line by itself"
# A drawn seed is told, and gives the same again.
printf '{"text": "Hello there."}\n{"text": "Hello there."}\n' >drawn
expect 0 "" "$K" batch drawn -o sounds --hash
hash=$(hash_of 2 out)
seed=$(grep '"line":2' out >one; member seed one)
[ "$hash" != "$(hash_of 1 out)" ] || fail "two items draw the same seed"
expect 0 "" "$K" say -q --seed "$seed" --hash --json -o s.wav "Hello there."
equal "$hash" "$(member hash out)" "samples of a drawn seed"

# (B016 B017: blank texts among them, refused as by `say`, and no file of them is made.)
# What is wrong with a line is told in its record and on standard error, and stops no other.
rm -rf sounds
cat >bad <<'END'
{"text": "One.", "frames": 2}
{"text": "x", "txt": 1}
{"text": "x", "temprature": 1}
{"text": 5}
{"text": "x", "max_frames": 1.5}
{"text": "x", "greedy": 1}
{"text": "x", "voice": ["ada"]}
nonsense
{"text": "x"
[1]
"text"
{"text": "x", "file": "text.txt"}
{"id": 4}
{"id": {}, "text": "x"}
{"id": "a/b", "text": "x"}
{"id": "..", "text": "x"}
{"text": "x", "output": "../x.wav"}
{"text": "x", "output": "a/../../x.wav"}
{"text": "x", "output": "/x.wav"}
{"text": "x", "output": ""}
{"text": "x", "output": "a/"}
{"text": "x", "output": "x.aac"}
{"text": "x", "voice": "nobody"}
{"text": "x", "language": "klingon"}
{"text": "x", "temperature": -1}
{"text": "x", "seed": -5}
{"text": "x", "greedy": true, "temperature": 1}
{"text": "x", "min_frames": 9, "max_frames": 3}
{"text": "x", "pause": "long"}
{"text": "x", "voice": "me.kzv"}
{"text": "   "}
{"text": ""}
{"file": "absent.txt"}
{"file": "-"}
{"text": "a", "text": "b"}
{"text": "nul \u0000"}
{"text": "x", "decoder": "int8"}
{"text": "x", "seed": 18446744073709551615}
END
printf '{"text": "caf\377"}\n\n   \n{"text": "Two.", "frames": 2, "voice": null}\r\n' >>bad
bad=$(($(wc -l <bad) - 4))
expect 4 "2 of $((bad + 2)) done" "$K" batch bad -o sounds
equal $((bad + 2)) "$(wc -l <out | tr -d ' ')" "records"
equal "$bad" "$(grep -c '"error":".*"code":4' out)" "records of failures"
equal "$bad" "$(grep -c '^kazeia: error: line ' err)" "errors"
equal "000001.wav 000042.wav" "$(echo $(ls -A sounds))" "files of the good lines"
says() {
    grep "\"line\":$1," out | grep -qF "$2" || fail "line $1: $(grep "\"line\":$1," out)"
}
says 2 "did you mean 'text'"
says 3 "did you mean 'temperature'"
says 4 "is a whole number; a string"
says 5 "a whole number is allowed"
says 6 "true or false"
says 8 "not JSON"
says 12 "both 'text' and 'file'"
says 13 "no 'text'"
says 17 "'../x.wav'"
says 19 "absolute"
says 22 "ending"
says 23 "$(speakers | joined)"
says 24 "$(languages | joined)"
says 31 "blank"
says 33 "absent.txt"
says 37 "belongs to the batch as a whole: give --decoder"
says 38 "a seed as large as that is given as a string"
says 39 "byte 13"

# A byte-order mark in front of the first line is none of it.
printf '\357\273\277{"text": "One.", "frames": 2}\n' >marked
expect 0 "1 of 1 done" "$K" batch marked -o sounds

# Two items with one file; paths that are the same in the end.
cat >same <<'END'
{"text": "One.", "frames": 2, "output": "deep/er/a.wav"}
{"text": "Two.", "frames": 3, "output": "./deep//er/./a.wav"}
{"text": "Three.", "frames": 4, "output": "000004.wav"}
{"text": "Four.", "frames": 5}
END
expect 4 "earlier line" "$K" batch same -o sounds
equal $((44 + 2 * 1920 * 2)) "$(size_of sounds/deep/er/a.wav)" "the first item's file"
equal $((44 + 4 * 1920 * 2)) "$(size_of sounds/000004.wav)" "the third item's file"
# Without -o an absolute path is one.
printf '{"text": "One.", "frames": 2, "output": "%s"}\n' "$work/new/abs.raw" >absolute
expect 0 "" "$K" batch absolute
equal 7680 "$(size_of new/abs.raw)" "raw file"

# --resume passes over what is there, an older file is replaced without it.
rm -rf sounds
expect 0 "" "$K" batch items -o sounds
rm sounds/c.wav sounds/f.wav
echo old >sounds/a.wav
expect 0 "2 of 7 done, 5 skipped" "$K" batch items -o sounds --resume --hash
equal 5 "$(grep -c '"skipped":true' out)" "records of skipped items"
grep '"c"' out >one
equal "$(grep '^c' wanted | cut -d ' ' -f 2)" "$(member hash one)" "hash of a resumed item"
equal old "$(cat sounds/a.wav)" "a file that was there"
expect 0 "7 of 7 done" "$K" batch items -o sounds
wav_in_file sounds/a.wav

# --strict: the first failure ends it.
printf '{"text": 1}\n{"text": "One."}\n' >stop
expect 4 "0 of 1 done" "$K" batch stop -o sounds --strict
equal 1 "$(wc -l <out | tr -d ' ')" "records with --strict"

# The exit code is that of the first failure; the guard keeps the sound and has its own.
printf '{"text": "One.", "output": "sub.wav/x.wav"}\n{"text": 1}\n' >codes
mkdir -p codes.d && : >codes.d/sub.wav
expect 5 "folder" "$K" batch codes -o codes.d
equal 5 "$(grep '"line":1' out >one; member code one)" "code of the first"
equal 4 "$(grep '"line":2' out >one; member code one)" "code of the second"

# Usage, folders, models.
expect 2 "one file" "$K" batch a b
expect 2 "folder" "$K" batch items -o -
expect 2 "does not take" "$K" batch items --lines
expect 2 "0 to 100" "$K" batch items --temperature 500
expect 2 "1 and up to 16\|from 1 to 16" "$K" batch items --parallel 17
expect 4 "absent" "$K" batch absent -o sounds
expect 4 "is a folder" "$K" batch sounds -o sounds
expect 5 "cannot make the folder" "$K" batch items -o no/such/place
expect 5 "is no folder" "$K" batch items -o items
expect 3 "" "$K" batch items -o sounds -m nowhere
if [ "$(id -u)" -ne 0 ]; then
    mkdir closed && chmod a-w closed
    expect 5 "closed" "$K" batch items -o closed
fi
expect 0 "" "$K" batch /dev/null -o fresh
equal 0 "$(size_of out)" "records of nothing"

# A full disk, for a file and for the records.
# shellcheck disable=SC2016
run sh -c 'trap "" XFSZ; ulimit -f 8; exec "$@"' sh "$K" batch items -o full -q
equal 5 "$code" "exit code on a full disk: $(head -n 2 err)"
grep -q '"code":5' out || fail "no record tells of the full disk"
equal 0 "$(ls -A full | grep -c '^\.kazeia')" "half files on a full disk"
"$K" batch items -o sounds >/dev/full 2>err </dev/null
equal 5 $? "exit code where records cannot be written"

# A line without end, and a text that is long.
{
    printf '{"text": "'
    head -c 1100000 /dev/zero | tr '\0' x
    printf '"}\n{"text": "One.", "frames": 2}\n'
} >huge
expect 4 "line 1: longer than the 1048576 bytes" "$K" batch huge -o sounds
equal 2 "$(wc -l <out | tr -d ' ')" "records with a long line"

# A record is there as soon as its item is over, while the next line is awaited.
mkfifo feed
"$K" batch -o sounds -q <feed >live 2>err &
pid=$!
exec 3>feed
printf '{"text": "One.", "frames": 2}\n{"text": "unfinished' >&3
tries=0
while [ ! -s live ] && [ $tries -lt 100 ]; do
    sleep 0.1
    tries=$((tries + 1))
done
equal 1 "$(wc -l <live | tr -d ' ')" "records while a line is awaited"
[ -f sounds/000001.wav ] || fail "no file while a line is awaited"
# The first signal drops what is running; nothing half is left.
kill -TERM $pid
wait $pid
equal 130 $? "exit code after SIGTERM while a line is awaited"
exec 3>&-
rm -rf sounds
{
    printf '{"id": "short", "text": "One.", "frames": 2}\n'
    for i in 1 2 3; do printf '{"id": "l%d", "text": "%s", "frames": 20000}\n' $i "$first"; done
} >running
"$K" batch running -o sounds -q >out 2>err </dev/null &
pid=$!
sleep 2
kill -TERM $pid
wait $pid
equal 130 $? "exit code after SIGTERM"
equal short.wav "$(ls -A sounds)" "files after SIGTERM"
equal 4 "$(wc -l <out | tr -d ' ')" "records after SIGTERM"
equal 3 "$(grep -c '"error":"interrupted","code":130' out)" "records of what was dropped"

# Readers of records that leave do not stop the work.
rm -rf sounds
"$K" batch items -o sounds -q 2>err | head -n 1 >one
equal 1 "$(wc -l <one | tr -d ' ')" "records that were read"
sleep 1
equal 7 "$(ls sounds | wc -l | tr -d ' ')" "files although the reader has gone"

# Memory does not grow with the number of items.
if ! grep -aq -e __asan_init -e __tsan_init "$K"; then
    peak_of() {
        awk -v n="$1" 'BEGIN { for (i = 0; i < n; i++)
            printf "{\"text\": \"Number %d.\", \"frames\": 2, \"output\": \"x%d.raw\"}\n", i, i }' \
            >numbers
        "$K" batch numbers -o many -q >out 2>err &
        pid=$!
        peak=0
        while kill -0 $pid 2>/dev/null; do
            now=$(sed -n "s/^VmHWM:[^0-9]*\([0-9]*\).*/\1/p" /proc/$pid/status 2>/dev/null)
            [ -n "$now" ] && peak=$now
            sleep 0.02
        done
        wait $pid || fail "$1 items: $(cat err)"
    }
    if [ -r /proc/self/status ]; then
        peak_of 60
        few=$peak
        peak_of 600
        many=$peak
        echo "peak of 60 items $few KiB, of 600 $many KiB"
        [ "$many" -le $((few + 4096)) ] || fail "600 items took $many KiB, 60 took $few KiB"
    fi
fi
finish
