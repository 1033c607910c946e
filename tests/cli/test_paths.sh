# Paths with blanks, accents, CJK, emoji, quotes and great length, for everything that takes one
# (B215).
. "$(dirname "$0")/lib.sh"
K=$KAZEIA
number=0
lengthy=$(awk 'BEGIN { for (i = 0; i < 230; i++) printf "x" }')
for name in 'with blanks' 'naïve-é' '模型' 'voice 🔊' "it's \"quoted\"" '-dash' '100%s' "$lengthy"; do
    number=$((number + 1))
    mkdir -p "$work/$number"
    home=$work/$number/$name
    mkdir -p "$home"
    ln -s "$KZT_VOICE" "$home/model"
    expect 0 "" "$K" say -m "$home/model" --frames 2 --seed 1 -q -o "$home/ö.wav" \
        --codes "$home/名.npy" Hello
    wav_in_file "$home/ö.wav"
    echo Hello >"$home/text ÿ"
    expect 0 "" "$K" say -m "$home/model" --frames 2 --seed 1 -q -f "$home/text ÿ" -o "$home/b.wav"
    cmp -s "$home/ö.wav" "$home/b.wav" || fail "text from '$name'"
    expect 0 "" "$K" decode -m "$home/model" "$home/名.npy" -q -o "$home/c.wav"
    cmp -s "$home/ö.wav" "$home/c.wav" || fail "codes from '$name'"
    expect 0 "" "$K" info "$home/model"
    expect 0 "" "$K" say -m "$home/model" --frames 2 -q --dump "$home/dump" -o "$home/d.wav" Hello
    [ -f "$home/dump/index.csv" ] || fail "dump in '$name'"
    expect 4 "" "$K" decode -m "$home/model" "$home/absent" -o "$home/e.wav"
done
# A name of its own that is at the limit of the file system.
long=$(awk 'BEGIN { for (i = 0; i < 251; i++) printf "y" }').wav
expect 0 "" "$K" say --frames 2 -q -o "$work/$long" Hello
expect 5 "" "$K" say --frames 2 -q -o "$work/y$long" Hello
cd "$work" || exit 1
expect 0 "" "$K" say --frames 2 -q -o=plain.wav Hello
expect 0 "" "$K" say --frames 2 -q --output=-dash.wav Hello
[ -f "./-dash.wav" ] || fail "-dash.wav"
finish
