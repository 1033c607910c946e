"""The talker and code predictor of Qwen3-TTS 12 Hz: the reference's operations, any size.

state_dict() has the names of the published file without their first "talker.".
"""
import dataclasses

import torch
import torch.nn as nn
import torch.nn.functional as F

from train.model import layout
from train.model.parts import MLP, RMSNorm, heads, joined, rope, rotate


@dataclasses.dataclass(frozen=True)
class BodySize:
    """A transformer's."""
    hidden: int
    layers: int
    inner: int
    heads: int
    kv: int
    head_dim: int = 32
    theta: float = 10000.0
    eps: float = 1e-6


@dataclasses.dataclass(frozen=True)
class TalkerSize:
    text: int                       # entries of the tokenizer
    text_hidden: int = 128
    talker: BodySize = BodySize(256, 6, 640, 8, 4)
    predictor: BodySize = BodySize(128, 2, 384, 4, 2)


class Attention(nn.Module):
    def __init__(self, s):
        super().__init__()
        self.heads, self.kv, self.scale = s.heads, s.kv, s.head_dim ** -0.5
        self.q_proj = nn.Linear(s.hidden, s.heads * s.head_dim, bias=False)
        self.k_proj = nn.Linear(s.hidden, s.kv * s.head_dim, bias=False)
        self.v_proj = nn.Linear(s.hidden, s.kv * s.head_dim, bias=False)
        self.o_proj = nn.Linear(s.heads * s.head_dim, s.hidden, bias=False)
        self.q_norm, self.k_norm = RMSNorm(s.head_dim, s.eps), RMSNorm(s.head_dim, s.eps)

    def forward(self, x, turn, cache=None, watch=0):
        """cache: {} or what an earlier call left in it, whose keys and values come first.
        -> result, and of the first `watch` heads the scores before mask and softmax"""
        q = rotate(self.q_norm(heads(self.q_proj(x), self.heads)), turn)
        k = rotate(self.k_norm(heads(self.k_proj(x), self.kv)), turn)
        v = heads(self.v_proj(x), self.kv)
        if cache is not None:
            if cache:
                k, v = torch.cat([cache["k"], k], 2), torch.cat([cache["v"], v], 2)
            cache["k"], cache["v"] = k, v
        k, v = (y.repeat_interleave(self.heads // self.kv, 1) for y in (k, v))
        scores = q[:, :watch] @ k[:, :watch].transpose(2, 3) * self.scale if watch else None
        with torch.autocast("cpu", enabled=False):     # slow in bfloat16
            y = F.scaled_dot_product_attention(q.float(), k.float(), v.float(),
                                               is_causal=x.shape[1] > 1)
        return self.o_proj(joined(y)), scores


class Layer(nn.Module):
    def __init__(self, s):
        super().__init__()
        self.self_attn, self.mlp = Attention(s), MLP(s.hidden, s.inner)
        self.input_layernorm = RMSNorm(s.hidden, s.eps)
        self.post_attention_layernorm = RMSNorm(s.hidden, s.eps)

    def forward(self, x, turn, cache=None, watch=0):
        y, scores = self.self_attn(self.input_layernorm(x), turn, cache, watch)
        x = x + y
        return x + self.mlp(self.post_attention_layernorm(x)), scores


class Body(nn.Module):
    """Layers and the last norm; the caller brings the rows."""

    def __init__(self, s):
        super().__init__()
        self.size = s
        self.layers = nn.ModuleList(Layer(s) for _ in range(s.layers))
        self.norm = RMSNorm(s.hidden, s.eps)
        for name, w in self.named_parameters():
            if name.endswith(("o_proj.weight", "down_proj.weight")):
                w.data.mul_(0.4)

    def turn(self, start, stop):
        return rope(start, stop, self.size.head_dim, self.size.theta)

    def forward(self, x, caches=None):
        """caches: a list with a dictionary for each layer, empty at the start"""
        past = caches[0]["k"].shape[2] if caches and caches[0] else 0
        turn = self.turn(past, past + x.shape[1])
        for i, layer in enumerate(self.layers):
            x, _ = layer(x, turn, caches[i] if caches is not None else None)
        return self.norm(x)


class TalkerBody(Body):
    def __init__(self, size):
        super().__init__(size.talker)
        self.text_embedding = nn.Embedding(size.text, size.text_hidden)
        self.codec_embedding = nn.Embedding(layout.VOCABULARY, size.talker.hidden)
        nn.init.normal_(self.text_embedding.weight, std=0.3)
        nn.init.normal_(self.codec_embedding.weight, std=0.1)


class TextProjection(nn.Module):
    def __init__(self, n, hidden):
        super().__init__()
        self.linear_fc1, self.linear_fc2 = nn.Linear(n, n), nn.Linear(n, hidden)

    def forward(self, x):
        return self.linear_fc2(F.silu(self.linear_fc1(x)))


class PredictorBody(Body):
    def __init__(self, size):
        super().__init__(size.predictor)
        self.codec_embedding = nn.ModuleList(
            nn.Embedding(layout.CODES, size.talker.hidden) for _ in range(layout.COUNT - 1))
        for table in self.codec_embedding:
            nn.init.normal_(table.weight, std=0.1)


class CodePredictor(nn.Module):
    def __init__(self, size):
        super().__init__()
        wide, n = size.talker.hidden, size.predictor.hidden
        self.model = PredictorBody(size)
        self.lm_head = nn.ModuleList(
            nn.Linear(n, layout.CODES, bias=False) for _ in range(layout.COUNT - 1))
        if n != wide:
            self.small_to_mtp_projection = nn.Linear(wide, n)

    def enter(self, x):
        """rows as wide as the talker's -> as wide as the predictor's"""
        return self.small_to_mtp_projection(x) if hasattr(self, "small_to_mtp_projection") else x

    def head(self, group, x):
        """logits of one group, 1..15"""
        return self.lm_head[group - 1](x)

    def heads(self, x):
        """[N, 15, hidden] -> logits of the groups 1..15, [N, 15, codes]"""
        return torch.einsum("ngp,gvp->ngv", x, torch.stack([h.weight for h in self.lm_head]))


class Talker(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.size = size
        self.model = TalkerBody(size)
        self.text_projection = TextProjection(size.text_hidden, size.talker.hidden)
        self.codec_head = nn.Linear(size.talker.hidden, layout.VOCABULARY, bias=False)
        self.code_predictor = CodePredictor(size)

    def text_rows(self, ids):
        """The vocabulary is small, so the whole table is projected and rows are picked from it."""
        return F.embedding(ids, self.text_projection(self.model.text_embedding.weight))

    def prompt_rows(self, text, codec):
        """text ids and codec ids, the latter -1 where there is none -> rows"""
        codec_rows = self.model.codec_embedding(codec.clamp(min=0)) * (codec >= 0)[..., None]
        return self.text_rows(text) + codec_rows

    def code_table(self, group):
        """embedding of the codes of a group, 0..15: each is as wide as the talker"""
        return self.code_predictor.model.codec_embedding[group - 1].weight if group \
            else self.model.codec_embedding.weight[:layout.CODES]

    def code_rows(self, codes):
        """frames [N, 16] -> the sum of their embeddings, [N, hidden]"""
        table = torch.cat([self.code_table(g) for g in range(layout.COUNT)])
        shift = torch.arange(layout.COUNT) * layout.CODES
        return F.embedding_bag(codes + shift, table, mode="sum")

    def predict(self, hidden, codes):
        """The code predictor on given codes: [N, hidden], [N, 16] -> logits [N, 15, codes]"""
        p = self.code_predictor
        rows = [hidden] + [F.embedding(codes[:, g], self.code_table(g))
                           for g in range(layout.COUNT - 1)]
        return p.heads(p.model(p.enter(torch.stack(rows, 1)))[:, 1:])
