"""A small byte-level BPE tokenizer in the published file layout.

Its vocabulary is a cut of the published one: the 256 byte symbols, the first merges, and every
merge that the listed words need. Ranks keep their order, so the cut is a tokenizer of its own:
vocab.json, merges.txt and tokenizer_config.json with new ids, the added tokens after the last entry.
"""
import json
import os

FIRST_MERGES = 320

# "assistant" must be one token: the prompt is cut at fixed positions.
WORDS = """assistant user Hello hello world the quick brown voice speak slowly morning
people today where water little night after again because through question answer
warm calm happy young old man woman Der die und nicht Straße été être avec para por está
mañana não também della città привет мир спасибо сегодня 你好 今天 天气 我们 世界 声音
こんにちは 世界 です ます 日本 안녕하세요 오늘 한국""".split()
SPACED = ["\n\n", "\n", ".\n", "  ", "   ", "...", " 😀", "😀", ",", "://"]

ADDED = """<|endoftext|> <|im_start|> <|im_end|> <|object_ref_start|> <|object_ref_end|>
<|box_start|> <|box_end|> <|quad_start|> <|quad_end|> <|vision_start|> <|vision_end|>
<|vision_pad|> <|image_pad|> <|video_pad|> <tool_call> </tool_call> <|fim_prefix|>
<|fim_middle|> <|fim_suffix|> <|fim_pad|> <|repo_name|> <|file_sep|> <tool_response>
</tool_response> <think> </think> <|audio_start|> <|audio_end|> <tts_pad> <tts_text_bos>
<tts_text_eod> <tts_text_bos_single> <|audio_pad|>""".split()
NOT_SPECIAL = {"<tool_call>", "</tool_call>", "<tool_response>", "</tool_response>", "<think>",
               "</think>"} | {a for a in ADDED if "fim_" in a or "repo_" in a or "file_" in a}


def byte_symbols():
    keep = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    symbols, extra = {}, 0
    for b in range(256):
        if b in keep:
            symbols[b] = chr(b)
        else:
            symbols[b] = chr(256 + extra)
            extra += 1
    return symbols


def used_merges(word, ranks, symbols):
    parts = [symbols[b] for b in word.encode()]
    used = set()
    while True:
        pairs = [(ranks[p], p) for p in zip(parts, parts[1:]) if p in ranks]
        if not pairs:
            return used
        pair = min(pairs)[1]
        used.add(pair)
        out, i = [], 0
        while i < len(parts):
            if i + 1 < len(parts) and (parts[i], parts[i + 1]) == pair:
                out.append(parts[i] + parts[i + 1])
                i += 2
            else:
                out.append(parts[i])
                i += 1
        parts = out


def build(full_dir):
    """-> (vocab dict, merge pairs, added token ids)."""
    with open(os.path.join(full_dir, "merges.txt"), encoding="utf-8") as f:
        merges = [tuple(line.split(" ")) for line in f.read().split("\n") if line]
    ranks = {m: i for i, m in enumerate(merges)}
    symbols = byte_symbols()
    keep = set(merges[:FIRST_MERGES])
    for word in WORDS:
        keep |= used_merges(word, ranks, symbols) | used_merges(" " + word, ranks, symbols)
    for word in SPACED:
        keep |= used_merges(word, ranks, symbols)
    vocab = {s: i for i, s in enumerate(sorted(symbols.values()))}
    pairs = sorted(keep, key=ranks.get)
    for a, b in pairs:
        vocab.setdefault(a + b, len(vocab))
    return vocab, pairs, added_after(vocab)


def write(out, vocab, pairs, added):
    os.makedirs(out, exist_ok=True)
    with open(os.path.join(out, "vocab.json"), "w", encoding="utf-8") as f:
        json.dump(vocab, f, ensure_ascii=False, separators=(",", ":"))
    with open(os.path.join(out, "merges.txt"), "w", encoding="utf-8") as f:
        f.writelines(a + " " + b + "\n" for a, b in pairs)
    write_config(out, added)


def added_after(vocab):
    return {t: len(vocab) + i for i, t in enumerate(ADDED)}


def write_config(out, added):
    decoder = {str(i): {"content": t, "lstrip": False, "normalized": False, "rstrip": False,
                        "single_word": False, "special": t not in NOT_SPECIAL}
               for t, i in added.items()}
    config = {"add_prefix_space": False, "added_tokens_decoder": decoder, "bos_token": None,
              "eos_token": "<|im_end|>", "errors": "replace", "model_max_length": 131072,
              "pad_token": "<|endoftext|>", "tokenizer_class": "Qwen2Tokenizer", "unk_token": None}
    with open(os.path.join(out, "tokenizer_config.json"), "w", encoding="utf-8") as f:
        json.dump(config, f, ensure_ascii=False, indent=1)
        f.write("\n")
