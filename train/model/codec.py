"""The speech decoder of Qwen3-TTS 12 Hz: the reference's operations and parameter names, any size.

state_dict() has the names of the published file without their first "decoder.".
"""
import dataclasses

import torch
import torch.nn as nn
import torch.nn.functional as F

from train.model import layout
from train.model.parts import MLP, RMSNorm, heads, joined, rope, rotate
from train.model.snake import snake

UP_LOW, UP_HIGH = (2, 2), (8, 5, 4, 3)             # 12.5 Hz -> 50 Hz -> 24 kHz


@dataclasses.dataclass(frozen=True)
class CodecSize:
    codebook_dim: int = 128         # of the sum of the codebooks, which are half as wide
    latent: int = 128               # of everything at 12.5 to 50 Hz
    hidden: int = 128               # of the transformer
    inner: int = 256
    layers: int = 2
    heads: int = 4
    head_dim: int = 32
    window: int = 8                 # frames that attention looks back, with its own
    width: int = 256                # channels at 50 Hz; halved at each of the four steps
    scale: float = 0.3              # start of the layer scales: large, for short runs
    theta: float = 10000.0
    eps: float = 1e-5


class SnakeBeta(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.alpha, self.beta = nn.Parameter(torch.zeros(n)), nn.Parameter(torch.zeros(n))

    def forward(self, x):
        return snake(x, self.alpha.exp(), 1 / (self.beta.exp() + 1e-9))


class Conv(nn.Module):
    """Causal: zeros on the left."""

    def __init__(self, n_in, n_out, kernel, dilation=1, groups=1):
        super().__init__()
        self.conv = nn.Conv1d(n_in, n_out, kernel, dilation=dilation, groups=groups)
        self.past = (kernel - 1) * dilation

    def forward(self, x):
        return self.conv(F.pad(x, (self.past, 0)) if self.past else x)


class Upsample(nn.Module):
    """Causal transposed convolution: what reaches beyond the last input is dropped."""

    def __init__(self, n_in, n_out, kernel, stride):
        super().__init__()
        self.conv, self.stride = nn.ConvTranspose1d(n_in, n_out, kernel, stride=stride), stride

    def forward(self, x):
        return self.conv(x)[..., :x.shape[-1] * self.stride]


class ConvNeXt(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.dwconv, self.norm = Conv(n, n, 7, groups=n), nn.LayerNorm(n, eps=1e-6)
        self.pwconv1, self.pwconv2 = nn.Linear(n, 4 * n), nn.Linear(4 * n, n)
        self.gamma = nn.Parameter(torch.full((n,), 0.5))

    def forward(self, x):
        h = self.norm(self.dwconv(x).transpose(1, 2))
        return x + (self.gamma * self.pwconv2(F.gelu(self.pwconv1(h)))).transpose(1, 2)


class LayerScale(nn.Module):
    def __init__(self, n, start):
        super().__init__()
        self.scale = nn.Parameter(torch.full((n,), start))

    def forward(self, x):
        return self.scale * x


class Attention(nn.Module):
    def __init__(self, s):
        super().__init__()
        wide, self.heads = s.heads * s.head_dim, s.heads
        self.q_proj = nn.Linear(s.hidden, wide, bias=False)
        self.k_proj = nn.Linear(s.hidden, wide, bias=False)
        self.v_proj = nn.Linear(s.hidden, wide, bias=False)
        self.o_proj = nn.Linear(wide, s.hidden, bias=False)

    def forward(self, x, turn, mask):
        q, k, v = (heads(p(x), self.heads) for p in (self.q_proj, self.k_proj, self.v_proj))
        return self.o_proj(joined(F.scaled_dot_product_attention(
            rotate(q, turn), rotate(k, turn), v, attn_mask=mask)))


class Layer(nn.Module):
    def __init__(self, s):
        super().__init__()
        self.self_attn, self.mlp = Attention(s), MLP(s.hidden, s.inner)
        self.input_layernorm = RMSNorm(s.hidden, s.eps)
        self.post_attention_layernorm = RMSNorm(s.hidden, s.eps)
        self.self_attn_layer_scale = LayerScale(s.hidden, s.scale)
        self.mlp_layer_scale = LayerScale(s.hidden, s.scale)

    def forward(self, x, turn, mask):
        x = x + self.self_attn_layer_scale(self.self_attn(self.input_layernorm(x), turn, mask))
        return x + self.mlp_layer_scale(self.mlp(self.post_attention_layernorm(x)))


class Transformer(nn.Module):
    def __init__(self, s):
        super().__init__()
        self.size = s
        self.input_proj = nn.Linear(s.latent, s.hidden)
        self.layers = nn.ModuleList(Layer(s) for _ in range(s.layers))
        self.norm = RMSNorm(s.hidden, s.eps)
        self.output_proj = nn.Linear(s.hidden, s.latent)

    def forward(self, x):
        s, t = self.size, torch.arange(x.shape[1])
        age = t[:, None] - t[None]
        mask = (age >= 0) & (age < s.window)
        turn = rope(0, len(t), s.head_dim, s.theta)
        x = self.input_proj(x)
        for layer in self.layers:
            x = layer(x, turn, mask)
        return self.output_proj(self.norm(x))


class ResidualUnit(nn.Module):
    def __init__(self, n, dilation):
        super().__init__()
        self.act1, self.conv1 = SnakeBeta(n), Conv(n, n, 7, dilation)
        self.act2, self.conv2 = SnakeBeta(n), Conv(n, n, 1)
        with torch.no_grad():
            self.conv2.conv.weight.mul_(0.3)       # close to passing x through at the start

    def forward(self, x):
        return x + self.conv2(self.act2(self.conv1(self.act1(x))))


class Block(nn.Module):
    def __init__(self, n, rate):
        super().__init__()
        self.block = nn.Sequential(SnakeBeta(n), Upsample(n, n // 2, 2 * rate, rate),
                                   *(ResidualUnit(n // 2, d) for d in (1, 3, 9)))

    def forward(self, x):
        return self.block(x)


class Codebook(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.cluster_usage = nn.Parameter(torch.ones(layout.CODES), requires_grad=False)
        self.embedding_sum = nn.Parameter(torch.randn(layout.CODES, dim) * 0.3)

    def forward(self, codes):
        return F.embedding(codes, self.embedding_sum / self.cluster_usage[:, None].clamp(min=1e-5))


class Quantizer(nn.Module):
    """Some of the groups: codes [batch, groups, time] -> [batch, dim, time]. input_proj is the
    encoder's way in: part of the layout, of no use here."""

    def __init__(self, groups, dim):
        super().__init__()
        self.vq = nn.ModuleDict({"layers": nn.ModuleList(
            nn.ModuleDict({"_codebook": Codebook(dim // 2)}) for _ in range(groups))})
        self.output_proj = nn.Conv1d(dim // 2, dim, 1, bias=False)
        self.input_proj = nn.Conv1d(dim, dim // 2, 1, bias=False).requires_grad_(False)

    def forward(self, codes):
        rows = sum(layer["_codebook"](codes[:, i]) for i, layer in enumerate(self.vq["layers"]))
        return self.output_proj(rows.transpose(1, 2))


class Decoder(nn.Module):
    """codes [batch, 16, T] -> sound [batch, 1920 T]"""

    def __init__(self, size=CodecSize()):
        super().__init__()
        self.size, s = size, size
        self.quantizer = nn.ModuleDict({"rvq_first": Quantizer(1, s.codebook_dim),
                                        "rvq_rest": Quantizer(layout.COUNT - 1, s.codebook_dim)})
        self.pre_conv, self.pre_transformer = Conv(s.codebook_dim, s.latent, 3), Transformer(s)
        self.upsample = nn.ModuleList(
            nn.Sequential(Upsample(s.latent, s.latent, r, r), ConvNeXt(s.latent)) for r in UP_LOW)
        last = s.width >> len(UP_HIGH)
        self.decoder = nn.Sequential(
            Conv(s.latent, s.width, 7), *(Block(s.width >> i, r) for i, r in enumerate(UP_HIGH)),
            SnakeBeta(last), Conv(last, 1, 7))

    def low_rate(self, codes):
        """The part at 12.5 to 50 Hz: -> [batch, latent, 4 T]"""
        h = self.quantizer["rvq_first"](codes[:, :1]) + self.quantizer["rvq_rest"](codes[:, 1:])
        h = self.pre_transformer(self.pre_conv(h).transpose(1, 2)).transpose(1, 2)
        for part in self.upsample:
            h = part(h)
        return h

    def forward(self, codes):
        return self.decoder(self.low_rate(codes))[:, 0]
