#!/bin/sh
# From the teachers' speech to a voice: voice.sh WORK OUT [quick]     after run.sh WORK [quick]
#
# Data sets, decoder and talker side by side, the checkpoint folder OUT, pictures of the curves.
# Each step goes on where it was. DECODER_MINUTES, TALKER_MINUTES: of the clock, in all;
# DECODER_OPTIONS, TALKER_OPTIONS: of the two programs (--size ..., --finish 0.15).
set -e
here=$(cd "$(dirname "$0")/.." && pwd)
work=$1 out=$2
if [ "$3" = quick ]; then
    minutes=1 prepare="--valid-every 4" quick="--batch 2 --reports 4"
    decoder="--segment 6 --low-segment 8 --low-batch 2"
else
    minutes=240 prepare="" quick="" decoder="--finish 0.15"
fi
work=$(cd "$work" && pwd)
mkdir -p "$out"
out=$(cd "$out" && pwd)
PYTHON=${PYTHON:-$work/python/bin/python}
# Without these, glibc gives every large tensor back to the kernel, and page faults double the time.
export MALLOC_MMAP_MAX_=0 MALLOC_TRIM_THRESHOLD_=34359738368 MALLOC_TOP_PAD_=67108864
export OMP_NUM_THREADS=1 MKL_NUM_THREADS=1

cd "$here"
# shellcheck disable=SC2086
"$PYTHON" -m train.prepare "$work" $prepare
# shellcheck disable=SC2086
"$PYTHON" -m train.decoder "$work" --minutes "${DECODER_MINUTES:-$minutes}" $quick $decoder \
    $DECODER_OPTIONS >"$work/decoder.log" 2>&1 &
other=$!
# shellcheck disable=SC2086
"$PYTHON" -m train.talker "$work" --minutes "${TALKER_MINUTES:-$minutes}" $quick $TALKER_OPTIONS
wait $other || { tail -n 3 "$work/decoder.log" >&2; exit 1; }
"$PYTHON" -m train.export "$work" "$out"
"$PYTHON" -m train.curves "$work/curves.png" "$work/talker.pt.jsonl" "$work/decoder.pt.jsonl"
