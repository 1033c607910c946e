"""Small judges of sound for the last part of the decoder's training: what is real, what is made?

One looks at the samples folded at several periods, one at spectra of several sizes. Both return
their opinion and what lies between, so that the decoder can be taught to match it.
"""
import torch
import torch.nn as nn
import torch.nn.functional as F

PERIODS, SPECTRA = (3, 5, 11), (512, 1024)


def stack(channels, kernel, stride, pad):
    """2-d convolutions 1 -> channels... -> 1"""
    sizes = [1, *channels]
    layers = [nn.Conv2d(a, b, kernel, stride, pad) for a, b in zip(sizes, sizes[1:])]
    return nn.ModuleList([*layers, nn.Conv2d(sizes[-1], 1, (3, 1), 1, (1, 0))])


def opinions(layers, x):
    seen = []
    for layer in layers[:-1]:
        x = F.leaky_relu(layer(x), 0.1)
        seen.append(x)
    return layers[-1](x), seen


class Discriminator(nn.Module):
    def __init__(self, channels=(16, 32, 64)):
        super().__init__()
        self.folded = nn.ModuleList(stack(channels, (5, 1), (3, 1), (2, 0)) for _ in PERIODS)
        self.spectral = nn.ModuleList(stack(channels, (5, 3), (2, 1), (2, 1)) for _ in SPECTRA)

    def forward(self, x):
        """[batch, samples] -> [(opinion, [layer])]"""
        out = []
        for period, layers in zip(PERIODS, self.folded):
            n = x.shape[1] // period
            out.append(opinions(layers, x[:, None, :n * period].unflatten(2, (n, period))))
        for size, layers in zip(SPECTRA, self.spectral):
            s = torch.stft(x, size, size // 4, window=torch.hann_window(size), return_complex=True)
            out.append(opinions(layers, torch.log(s.abs() + 1e-3)[:, None]))
        return out


def judge_loss(real, made):
    return sum(((1 - a) ** 2).mean() + (b ** 2).mean() for (a, _), (b, _) in zip(real, made))


def maker_loss(real, made):
    """-> to be taken for real; to match what lies between"""
    fool = sum(((1 - b) ** 2).mean() for b, _ in made)
    match = sum((x.detach() - y).abs().mean()
                for (_, p), (_, q) in zip(real, made) for x, y in zip(p, q))
    return fool, match
