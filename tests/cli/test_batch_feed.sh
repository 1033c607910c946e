# B227: a program that lives long is fed line by line; it waits for the record of each item before it
# writes the next line. A bad line has a record too and stops nothing; the end of the input ends it.
. "$(dirname "$0")/lib.sh"
K=$KAZEIA
cd "$work" || exit 1

# begin OPTIONS...: the program, with its input at descriptor 3 and its records at 4.
begin() {
    rm -f feed records
    mkfifo feed records
    "$K" batch -q -o sounds "$@" <feed >records 2>err &
    pid=$!
    exec 3>feed 4<records
}

# told LINE: writes a line and waits for its record, at most ten seconds; the record is in `one`.
told() {
    printf '%s\n' "$1" >&3
    : >one
    timeout 10 head -n 1 <&4 >one
    [ -s one ] || fail "no record within ten seconds: $1"
}

# ended CODE: the input ends, and with it the program.
ended() {
    exec 3>&-
    tries=0
    while kill -0 $pid 2>/dev/null && [ $tries -lt 100 ]; do
        sleep 0.1
        tries=$((tries + 1))
    done
    kill -0 $pid 2>/dev/null && fail "the end of the input does not end it"
    wait $pid
    equal "$1" $? "exit code"
    equal 0 "$(wc -c <&4 | tr -d ' ')" "bytes behind the last record"
    exec 4<&-
}

for parallel in 1 4; do
    rm -rf sounds
    begin --parallel $parallel
    for i in 1 2 3 4 5; do
        told "{\"id\": \"item$i\", \"text\": \"Number $i.\", \"frames\": $i, \"seed\": 7}"
        equal "item$i" "$(member id one)" "id of item $i"
        equal "$i" "$(member frames one)" "frames of item $i"
        equal 0 "$(member code one)" "code of item $i"
        # The record comes when the file is whole.
        wav_in_file "sounds/item$i.wav"
        equal $((44 + i * 1920 * 2)) "$(size_of "sounds/item$i.wav")" "bytes of item $i"
        equal "$i" "$(ls -A sounds | wc -l | tr -d ' ')" "files after item $i"
    done
    ended 0
done

# Bad lines between good ones.
rm -rf sounds
begin
told '{"text": "One.", "frames": 2}'
equal 0 "$(member code one)" "code of a good line"
for line in 'nonsense' '{"text": 5}' '{"text": "x", "voice": "nobody"}' '{"text": "  "}' '{' '[]' \
    '{"text": "x", "temperature": "hot"}' '{"file": "absent"}'; do
    told "$line"
    equal 4 "$(member code one)" "code of the line $line"
    grep -q '"error":"..*"' one || fail "no error in the record of $line: $(cat one)"
done
told '{"text": "Two.", "frames": 2}'
equal 0 "$(member code one)" "code of a good line after bad ones"
equal 10 "$(member line one)" "its number"
equal 2 "$(ls -A sounds | wc -l | tr -d ' ')" "files of two good lines"
ended 4

# Blank lines are none; a last line without an end is one.
begin
printf '\n  \n' >&3
told '{"text": "One.", "frames": 2}'
equal 3 "$(member line one)" "number of a line after blank ones"
printf '{"text": "Last.", "frames": 3}' >&3
exec 3>&-
timeout 10 head -n 1 <&4 >one
equal 3 "$(member frames one)" "frames of a last line without an end"
wait $pid
equal 0 $? "exit code"
exec 4<&-

# Nothing at all.
begin
ended 0
finish
