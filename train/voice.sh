#!/bin/sh
# From the teacher's speech to a voice: voice.sh WORK [quick]     after run.sh WORK [quick]
#
# Data sets, decoder and talker side by side, the checkpoint folder WORK/voice, its packed file
# WORK/voice.kz, pictures (WORK/curves.png, spectrogram.png) and the report (WORK/report.md). Each
# step goes on where it was. DECODER_MINUTES, TALKER_MINUTES: of the clock, in all;
# DECODER_OPTIONS, TALKER_OPTIONS: of the two programs (--size ..., --finish 0.15); KAZEIA: the
# engine's program, build/kazeia. START: a packed voice of the same sizes to go on from.
set -e
here=$(cd "$(dirname "$0")/.." && pwd)
if [ "$2" = quick ]; then
    minutes=1.5 prepare="--valid-every 4" decoder="--segment 6 --low-segment 8 --low-batch 2"
    common="--batch 2 --reports 4" talker="" sentences=1
else
    minutes=240 prepare="" decoder="--finish 0.15" common="" talker="--quick" sentences=100
fi
work=$(cd "$1" && pwd)
PYTHON=${PYTHON:-$work/python/bin/python}
KAZEIA=${KAZEIA:-$here/build/kazeia}
export KAZEIA
# Without these, glibc gives every large tensor back to the kernel, and page faults double the time.
export MALLOC_MMAP_MAX_=0 MALLOC_TRIM_THRESHOLD_=34359738368 MALLOC_TOP_PAD_=67108864
export OMP_NUM_THREADS=1 MKL_NUM_THREADS=1

cd "$here"
start_talker="" start_decoder=""
if [ -n "$START" ]; then
    [ -e "$work/decoder-start.pt" ] || "$PYTHON" -m train.unpack "$START" "$work"
    start_talker="--start $work/talker-start.pt" start_decoder="--start $work/decoder-start.pt"
fi
# shellcheck disable=SC2086
"$PYTHON" -m train.prepare "$work" $prepare
# shellcheck disable=SC2086
"$PYTHON" -m train.decoder "$work" --minutes "${DECODER_MINUTES:-$minutes}" $common $decoder \
    $start_decoder $DECODER_OPTIONS >"$work/decoder.log" 2>&1 &
other=$!
trap 'kill $other 2>/dev/null' EXIT
# shellcheck disable=SC2086
"$PYTHON" -m train.talker "$work" --minutes "${TALKER_MINUTES:-$minutes}" $common $talker \
    $start_talker $TALKER_OPTIONS
wait $other || { tail -n 3 "$work/decoder.log" >&2; exit 1; }
trap - EXIT
"$PYTHON" -m train.export "$work" "$work/voice"
"$KAZEIA" convert -q "$work/voice" -o "$work/voice.kz" --type q8 --compact
"$KAZEIA" say -q -m "$work/voice.kz" --seed 1 -o "$work/sentence.wav" \
    "Good morning, how are you today?"
"$PYTHON" -m train.curves "$work/curves.png" "$work/talker.pt.jsonl" "$work/decoder.pt.jsonl"
"$PYTHON" -m train.curves "$work/spectrogram.png" "$work/sentence.wav"
"$PYTHON" -m train.eval.teacher "$work" $sentences
# shellcheck disable=SC2086
"$PYTHON" -m train.evaluate "$work" "$work/voice.kz" $2
ls -l "$work/voice.kz" "$work/report.md"
