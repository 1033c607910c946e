"""What the transformers of talker, code predictor and speech decoder have in common."""
import torch
import torch.nn as nn
import torch.nn.functional as F


class RMSNorm(nn.Module):
    def __init__(self, n, eps):
        super().__init__()
        self.weight, self.eps = nn.Parameter(torch.ones(n)), eps

    def forward(self, x):
        return F.rms_norm(x, (x.shape[-1],), self.weight, self.eps)


class MLP(nn.Module):
    def __init__(self, n, inner):
        super().__init__()
        self.gate_proj = nn.Linear(n, inner, bias=False)
        self.up_proj = nn.Linear(n, inner, bias=False)
        self.down_proj = nn.Linear(inner, n, bias=False)

    def forward(self, x):
        return self.down_proj(F.silu(self.gate_proj(x)) * self.up_proj(x))


def rope(start, stop, dim, theta):
    """Cosines and sines of the positions start..stop-1, [positions, dim] each."""
    f = 1 / theta ** (torch.arange(0, dim, 2).float() / dim)
    angle = torch.outer(torch.arange(start, stop).float(), f)
    angle = torch.cat((angle, angle), -1)
    return angle.cos(), angle.sin()


def rotate(x, turn):
    a, b = x.chunk(2, -1)
    return x * turn[0] + torch.cat((-b, a), -1) * turn[1]


def heads(x, count):
    """[batch, time, count * dim] -> [batch, count, time, dim]"""
    return x.view(*x.shape[:2], count, -1).transpose(1, 2)


def joined(x):
    return x.transpose(1, 2).flatten(2)
