# Codes out of say and into decode and validate; wrong files are named.
. "$(dirname "$0")/lib.sh"
K=$KAZEIA
small

"$K" say --frames 20 --seed 1 --json --hash --codes "$work/c.npy" -o "$work/a.wav" Hello \
    >"$work/said" 2>"$work/err" </dev/null || fail "say --codes: $(cat "$work/err")"
"$K" say --frames 20 --seed 1 -q --codes "$work/c.txt" -o "$work/a.wav" Hello </dev/null ||
    fail "txt"
equal 20 "$(wc -l <"$work/c.txt" | tr -d ' ')" "frames in text"
equal 320 "$(wc -w <"$work/c.txt" | tr -d ' ')" "codes in text"
equal $((192 + 20 * 16 * 4)) "$(size_of "$work/c.npy")" "bytes of .npy"
for codes in c.npy c.txt; do
    for packet in 1 7 20; do
        expect 0 "" "$K" decode "$work/$codes" --packet $packet --json --hash -o "$work/b.wav"
        equal "$(member hash "$work/said")" "$(member hash "$work/out")" \
            "hash of $codes, packet $packet"
    done
    cmp -s "$work/a.wav" "$work/b.wav" || fail "decode $codes gives another file"
done
# Each arithmetic of the decoder has samples of its own, whatever the packet; the default has a name.
"$K" say -m "$small" --frames 20 --seed 1 --json --hash --codes "$work/s.npy" -o "$work/a.wav" Hello \
    >"$work/said" 2>"$work/err" </dev/null || fail "say with the small model: $(cat "$work/err")"
for how in direct winograd int8; do
    for packet in 1 7; do
        run "$K" decode -m "$small" "$work/s.npy" --decoder $how --packet $packet --hash --json -o "$work/b.wav"
        member hash "$work/out" >>"$work/$how"
        grep -q "\"decoder\":\"$how\"" "$work/out" || fail "the record does not name $how"
    done
    equal 1 "$(sort -u "$work/$how" | wc -l | tr -d ' ')" "hashes of --decoder $how"
done
equal "$(member hash "$work/said")" "$(head -n 1 "$work/winograd")" "hash of --decoder winograd"
equal 3 "$(cat "$work/direct" "$work/winograd" "$work/int8" | sort -u | wc -l | tr -d ' ')" \
    "hashes of all ways"
expect 2 "direct|winograd|int8" "$K" decode "$work/c.npy" --decoder f32 -o "$work/b.wav"
expect 0 "" "$K" info "$small" --decoder int8
grep -q '^decoder  *int8$' "$work/out" || fail "info does not show the decoder"
expect 4 "no frames" "$K" decode - -q -o "$work/x.wav"
"$K" decode - -q -o "$work/b.wav" <"$work/c.npy" || fail "codes from standard input"

# B220: codes of 5, 20 and 60 s are decoded in the same memory, but for the codes themselves; packets
# as long as the sound do not change that.
for how in 63 250 750 "250 --packet=1000"; do
    frames=${how%% *}
    awk -v n="$frames" 'BEGIN { for (i = 0; i < n; i++) {
        for (k = 0; k < 16; k++) printf "%d ", (i * 7 + k * 3) % 64
        print "" } }' >"$work/some.txt"
    # shellcheck disable=SC2086
    run "$K" decode "$work/some.txt" ${how#"$frames"} -q --json -o "$work/b.wav"
    equal "$frames" "$(member frames "$work/out")" "frames decoded"
    bytes=$(member session_bytes "$work/out")
    [ "$how" = 63 ] && least=$bytes
    [ "$bytes" -le $((least + 4 * 16 * frames * 2)) ] ||
        fail "$how frames: a session of $bytes bytes, of 63 frames $least"
done

# npy DESCR SHAPE: a header of 128 bytes as numpy writes it; data follow on standard input.
npy() {
    awk -v d="$1" -v s="$2" 'BEGIN {
        q = "\047"
        h = "{" q "descr" q ": " q d q ", " q "fortran_order" q ": False, " q "shape" q ": " s ", }"
        printf "%-117s\n", h }' >"$work/dictionary"
    printf '\223NUMPY\001\000\166\000'
    cat "$work/dictionary"
    cat
}
zeros() {
    head -c "$1" /dev/zero
}
zeros 32 | npy '|u1' '(2, 16)' >"$work/u1.npy"
expect 0 "" "$K" decode "$work/u1.npy" -o "$work/b.wav"
zeros 256 | npy '>i8' '(2, 16)' >"$work/i8.npy"
expect 0 "" "$K" decode "$work/i8.npy" -o "$work/b.wav"
rm -f "$work/b.wav"
zeros 128 | npy '<f4' '(2, 16)' >"$work/f4.npy"
expect 4 "integers" "$K" decode "$work/f4.npy" -o "$work/b.wav"
zeros 32 | npy '|u1' '(16, 2)' >"$work/turned.npy"
expect 4 "frames, 16" "$K" decode "$work/turned.npy" -o "$work/b.wav"
zeros 32 | npy '|u1' '(32,)' >"$work/flat.npy"
expect 4 "frames, 16" "$K" decode "$work/flat.npy" -o "$work/b.wav"
zeros 31 | npy '|u1' '(2, 16)' >"$work/short.npy"
expect 4 "short.npy" "$K" decode "$work/short.npy" -o "$work/b.wav"
zeros 0 | npy '|u1' '(0, 16)' >"$work/none.npy"
expect 4 "no frames" "$K" decode "$work/none.npy" -o "$work/b.wav"
{ zeros 20; printf '\377'; zeros 11; } | npy '|u1' '(2, 16)' >"$work/range.npy"
expect 4 "frame 1, codebook 4 holds 255" "$K" decode "$work/range.npy" -o "$work/b.wav"
head -c 50 "$work/c.npy" >"$work/cut.npy"
expect 4 "cut.npy" "$K" decode "$work/cut.npy" -o "$work/b.wav"
echo "1 2 3" >"$work/few.txt"
expect 4 "line 1 has 3" "$K" decode "$work/few.txt" -o "$work/b.wav"
echo "0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 -1" >"$work/minus.txt"
expect 4 "codebook 15 holds -1" "$K" decode "$work/minus.txt" -o "$work/b.wav"
expect 4 "not a whole number" "$K" decode "$0" -o "$work/b.wav"
: >"$work/empty.txt"
expect 4 "no frames" "$K" decode "$work/empty.txt" -o "$work/b.wav"
expect 4 "" "$K" decode "$work" -o "$work/b.wav"
[ -e "$work/b.wav" ] && fail "a file was made for codes that were refused"

# validate: a greedy run against itself is equal, one changed code is found.
speaker=$(speakers | head -n 1)
"$K" say --greedy --whole-text --max-frames 5 -v "$speaker" -q --codes "$work/g.txt" -o "$work/a.wav" \
    Hello there </dev/null || fail "say --greedy --codes"
frames=$(wc -l <"$work/g.txt" | tr -d ' ')
golden() {
    printf '{"format": "kazeia-golden", "version": 1, "checkpoint": "voice", "request": '
    printf '{"text": "Hello there", "voice": "%s", "live_text": false, "max_frames": 5}, ' "$speaker"
    printf '"finish": "length", "codes": ['
    sed 's/ /,/g; s/^/[/; s/$/]/' "$1" | paste -s -d , -
    printf ']}'
}
golden "$work/g.txt" >"$work/golden.json"
expect 0 "" "$K" validate "$KZT_VOICE" "$work/golden.json"
grep -q "codes equal  *$((frames * 16)) / $((frames * 16))" "$work/out" || fail "$(cat "$work/out")"
expect 0 "" "$K" validate "$KZT_VOICE" "$work/golden.json" --json --cpu scalar -t 1
equal true "$(member all_equal "$work/out")" "all_equal"
awk 'NR == 2 { $4 = ($4 + 1) % 64 } { print }' "$work/g.txt" >"$work/changed.txt"
golden "$work/changed.txt" >"$work/changed.json"
expect 1 "" "$K" validate "$KZT_VOICE" "$work/changed.json"
grep -q "frame 1, codebook 3: got" "$work/out" || fail "first difference: $(cat "$work/out")"
grep -q "codes equal  *$((frames * 16 - 1)) /" "$work/out" || fail "count: $(cat "$work/out")"
grep -qx "per codebook  *$frames $frames $frames $((frames - 1))\( $frames\)\{12\} of $frames" \
    "$work/out" || fail "codes equal per codebook: $(cat "$work/out")"
expect 1 "" "$K" validate "$KZT_VOICE" "$work/changed.json" --json
grep -q "\"equal_per_codebook\":\[$frames,$frames,$frames,$((frames - 1)),$frames,.*$frames\]" \
    "$work/out" || fail "codes equal per codebook in --json: $(cat "$work/out")"
grep -q '"first_difference":{"frame":1,"codebook":3,' "$work/out" || fail "$(cat "$work/out")"
head -n $((frames - 1)) "$work/g.txt" >"$work/less.txt"
golden "$work/less.txt" >"$work/less.json"
expect 1 "" "$K" validate "$KZT_VOICE" "$work/less.json"
grep -q "recorded run had ended" "$work/out" || fail "a longer run passes: $(cat "$work/out")"
echo '{"format": "kazeia-golden", "version": 1, "request": {"text": "Hi"}, "codes": [[1]]}' \
    >"$work/d.json"
expect 4 "frame 0" "$K" validate "$KZT_VOICE" "$work/d.json"
echo '{"format": "kazeia-golden", ' >"$work/d.json"
expect 4 "not JSON" "$K" validate "$KZT_VOICE" "$work/d.json"
finish
