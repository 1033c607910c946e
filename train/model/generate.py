"""Speaks: text -> codes, greedy or drawn, with key-value caches as an engine has them."""
import numpy as np
import torch

from train.model import layout, prompt


def draw(logits, temperature, top_k=50):
    """temperature 0: the greatest"""
    if temperature <= 0:
        return int(logits.argmax())
    values, ids = logits.topk(min(top_k, len(logits)))
    return int(ids[torch.multinomial((values / temperature).softmax(-1), 1)])


def allowed(logits, frames):
    """Codes, and the end of speech from the third draw on."""
    end = layout.CONTROL["eos"]
    out = torch.full_like(logits, float("-inf"))
    out[:layout.CODES] = logits[:layout.CODES]
    if frames >= 2:
        out[end] = logits[end]
    return out


def rest_of_frame(m, hidden, first, temperature):
    """The code predictor's 15 codes behind code 0 -> all 16"""
    p, frame = m.code_predictor, [first]
    caches = [{} for _ in p.model.layers]
    x = torch.stack([hidden, m.code_table(0)[first]])
    for g in range(1, layout.COUNT):
        h = p.model(p.enter(x)[None], caches)[0, -1]
        frame.append(draw(p.head(g, h), temperature))
        x = m.code_table(g)[frame[-1]][None]
    return frame


@torch.no_grad()
def generate(m, tok, text, speaker, language, live=False, temperature=0.0, sub_temperature=0.0,
             limit=400):
    """-> codes [T, 16], T at most limit. Draws with torch's random numbers."""
    p = prompt.build(tok, tok.encode(text), speaker, language, live)
    x = m.prompt_rows(torch.tensor(p.text), torch.tensor(p.codec))[None]
    caches, out = [{} for _ in m.model.layers], []
    while len(out) < limit:
        hidden = m.model(x, caches)[0, -1]
        first = draw(allowed(m.codec_head(hidden), len(out)), temperature)
        if first == layout.CONTROL["eos"]:
            break
        frame = rest_of_frame(m, hidden, first, sub_temperature)
        came = m.text_rows(torch.tensor([p.frame_text(len(out))]))
        out.append(frame)
        x = (m.code_rows(torch.tensor([frame])) + came)[None]
    return np.array(out, np.int64).reshape(-1, layout.COUNT)


@torch.no_grad()
def sound(decoder, codes):
    """codes [T, 16] -> samples, float32, 24 kHz"""
    # Filled up to few lengths: PyTorch takes seconds to prepare for a new one.
    more = np.pad(codes, ((0, -len(codes) % 64), (0, 0)))
    y = decoder(torch.as_tensor(more).long().T[None])[0].clamp(-1, 1).numpy()
    return y[:len(codes) * layout.FRAME]
