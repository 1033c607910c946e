"""Codes that a trained voice speaks -> tests/data/guard/natural.json: the loop guard lets them pass.

Run with the Python that has the reference installed:
    python scripts/reference/make_guard_codes.py VOICE_FOLDER

The official package speaks ordinary sentences and texts that repeat themselves (counting,
laughing, a word said many times), sampled with the voice's own settings. A run that does not end by
itself is left out: it is no natural speech. `tokens` is an estimate for the published vocabulary,
4.5 characters each.
"""
import json
import os
import sys

os.environ["HF_HUB_OFFLINE"] = os.environ["TRANSFORMERS_OFFLINE"] = "1"
import torch
from qwen_tts import Qwen3TTSModel

LIMIT = 240
TEXTS = [
    "Good morning, how are you today?",
    "The meeting starts at half past nine.",
    "It was raining all day, so we stayed at home.",
    "Don't forget to buy bread and eggs.",
    "no no no no no no no no no no no no",
    "No, no, no, no, no, no, no, no.",
    "ha ha ha ha ha ha ha ha ha ha ha ha ha ha",
    "la la la la la la la la la la la la la la la la la la la la",
    "five five five five five five five five five five",
    "one two three, one two three, one two three, one two three.",
    "very very very very very very very very very good",
    "The train is late. The train is late. The train is late. The train is late.",
    "We are going home, we are going home, we are going home.",
    "row, row, row your boat, gently down the stream",
    "bye bye bye bye bye bye bye bye",
    "so so so so so so so so so so so so so so so so so so",
    "to be or not to be, to be or not to be, to be or not to be.",
    "Tell me more, and more, and more, and more, and more, and more.",
]


def main(folder):
    torch.set_num_threads(1)
    model = Qwen3TTSModel.from_pretrained(folder, dtype=torch.float32, attn_implementation="sdpa")
    tokenizer = model.model.speech_tokenizer
    kept = []
    decode = tokenizer.decode

    def capture(encoded, *args, **kwargs):
        kept.append(encoded)
        return decode(encoded, *args, **kwargs)

    tokenizer.decode = capture
    out = []
    for n, text in enumerate(TEXTS):
        torch.manual_seed(n)
        kept.clear()
        model.generate_custom_voice(text=text, speaker="ada", language="english",
                                    max_new_tokens=LIMIT)
        codes = kept[0][0]["audio_codes"] if isinstance(kept[0], list) else kept[0]["audio_codes"]
        codes = codes[0] if codes.dim() == 3 else codes
        rows = codes.tolist()
        ended = len(rows) < LIMIT - 1
        print(len(rows), "ended" if ended else "LEFT OUT", text, flush=True)
        if ended:
            out.append(dict(text=text, tokens=max(1, round(len(text) / 4.5)), codes=rows))
    target = os.path.join(os.path.dirname(__file__), "../../tests/data/guard")
    os.makedirs(target, exist_ok=True)
    with open(os.path.join(target, "natural.json"), "w") as f:
        f.write("[\n" + ",\n".join(json.dumps(c, separators=(",", ":")) for c in out) + "\n]\n")


main(sys.argv[1])
