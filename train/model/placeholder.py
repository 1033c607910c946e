"""The speech encoder that completes the published layout: as small as the loaders accept, of random
numbers. This voice does not clone, so nothing ever runs it."""
import re

import torch

from train.model import layout

ENCODER = dict(
    _frame_rate=12.5, attention_bias=False, attention_dropout=0.0, audio_channels=1,
    codebook_dim=2, codebook_size=2, compress=2, dilation_growth_rate=2, dtype="float32",
    head_dim=4, hidden_act="gelu", hidden_size=4, initializer_range=0.02, intermediate_size=4,
    kernel_size=7, last_kernel_size=3, layer_scale_initial_scale=0.01,
    max_position_embeddings=8000, norm_eps=1e-5, normalize=False, num_attention_heads=1,
    num_filters=2, num_hidden_layers=1, num_key_value_heads=1, num_quantizers=layout.COUNT,
    num_residual_layers=1, num_semantic_quantizers=1, pad_mode="constant", residual_kernel_size=3,
    rope_theta=10000.0, sampling_rate=layout.RATE, sliding_window=250, trim_right_ratio=1.0,
    upsample_groups=4, upsampling_ratios=[8, 6, 5, 4], use_cache=False, use_causal_conv=True,
    use_conv_shortcut=False, use_streaming=False, vector_quantization_hidden_dimension=2)


def convolutions():
    """name, output channels, input channels, kernel"""
    c, wide, i = ENCODER, ENCODER["num_filters"], 1
    yield "0", wide, c["audio_channels"], c["kernel_size"]
    for r in reversed(c["upsampling_ratios"]):
        yield "%d.block.1" % i, wide // c["compress"], wide, c["residual_kernel_size"]
        yield "%d.block.3" % i, wide, wide // c["compress"], 1
        yield "%d" % (i + 2), 2 * wide, wide, 2 * r
        wide, i = 2 * wide, i + 3
    yield "%d" % (i + 1), c["hidden_size"], wide, c["last_kernel_size"]


def shapes():
    c, n, out = ENCODER, ENCODER["hidden_size"], {}
    for name, o, k, size in convolutions():
        out["encoder.layers.%s.conv.weight" % name] = (o, k, size)
        out["encoder.layers.%s.conv.bias" % name] = (o,)
    layer, inner = "encoder_transformer.layers.0.", c["intermediate_size"]
    for norm in ("input_layernorm", "post_attention_layernorm"):
        out[layer + norm + ".weight"] = out[layer + norm + ".bias"] = (n,)
    out.update((layer + "self_attn.%s_proj.weight" % x, (n, n)) for x in "qkvo")
    out[layer + "mlp.fc1.weight"], out[layer + "mlp.fc2.weight"] = (inner, n), (n, inner)
    out.update((layer + x + "_layer_scale.scale", (n,)) for x in ("self_attn", "mlp"))
    out["downsample.conv.weight"] = (n, n, 4)
    semantic, dim = c["num_semantic_quantizers"], c["codebook_dim"]
    for part, books in (("semantic", semantic), ("acoustic", c["num_quantizers"] - semantic)):
        q = "quantizer.%s_residual_vector_quantizer." % part
        out[q + "input_proj.weight"], out[q + "output_proj.weight"] = (dim, n, 1), (n, dim, 1)
        for k in range(books):
            book = q + "layers.%d.codebook." % k
            out[book + "embed_sum"] = (c["codebook_size"], dim)
            out[book + "initialized"], out[book + "cluster_usage"] = (1,), (c["codebook_size"],)
    return out


def encoder_tensors():
    ones, gen = re.compile(r"norm\.weight|initialized|cluster_usage"), torch.Generator()
    gen.manual_seed(0)
    return {"encoder." + name: torch.ones(shape) if ones.search(name) else
            torch.zeros(shape) if name.endswith("bias") else
            torch.randn(shape, generator=gen) * 0.05 for name, shape in shapes().items()}
