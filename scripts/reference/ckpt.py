"""Tiny Qwen3-TTS checkpoints in the published layout, from a formula.

describe() writes the small files and tensors.json, from which write_weights() here and
kzt_make_checkpoint() in tests/harness/ckpt.c make the same safetensors files, bit for bit.

Value i of a tensor:
    s = seed XOR fnv1a64(name)
    z = s + (i + 1) * 0x9E3779B97F4A7C15                     (modulo 2^64, as all that follows)
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9;  z = (z ^ z >> 27) * 0x94D049BB133111EB;  z ^= z >> 31
    u = (z >> 40) - 2^23                                     (24 bits, signed)
    x = f32(f32(u) * f32(std * sqrt(3) / 2^23)) + f32(mean)  (scale in double, rounded once)
    x = f32(x * f32(gain))                                   (only in rows that have a gain)
then rounded to the tensor's type, nearest even.
"""
import json
import math
import os
import shutil

import numpy as np

import tinytok

CONTROL = {"codec_pad_id": 91, "codec_bos_id": 87, "codec_eos_token_id": 110, "codec_think_id": 99,
           "codec_nothink_id": 102, "codec_think_bos_id": 95, "codec_think_eos_id": 104}
LANGUAGES = {"chinese": 7, "english": 2, "german": 5, "italian": 22, "portuguese": 23, "spanish": 6,
             "japanese": 10, "korean": 16, "french": 13, "russian": 21}
DIALECTS = {"beijing_dialect": 26, "sichuan_dialect": 14}
SPEAKERS = {"serena": (1018, False), "ryan": (1013, False), "ono_anna": (825, False),
            "eric": (827, "sichuan_dialect"), "dylan": (830, "beijing_dialect")}

# Every width differs from the others of its form; few are multiples of 8, fewer of 16.
FORMS = {
    "eq": {
        "tag": "0b6", "text_hidden": 44, "codebook": 128,
        "talker": dict(hidden=72, inter=104, layers=3, heads=6, kv=2, head_dim=20),
        "predictor": dict(hidden=72, inter=92, layers=2, heads=4, kv=1, head_dim=28),
        "mrope": [4, 3, 3],
        "speaker": dict(channels=24, out=72, scale=4, se=10, att=14),
        "decoder": dict(codebook_dim=40, latent_dim=36, hidden_size=28, intermediate_size=52,
                        num_hidden_layers=2, num_attention_heads=6, num_key_value_heads=3,
                        head_dim=10, sliding_window=13, decoder_dim=96),
        "encoder": dict(num_filters=4, hidden_size=30, intermediate_size=46, num_hidden_layers=2,
                        heads=5, head_dim=8, codebook_dim=18),
    },
    "mtp": {
        "tag": "1b7", "text_hidden": 60, "codebook": 164,
        "talker": dict(hidden=88, inter=152, layers=4, heads=8, kv=2, head_dim=12),
        "predictor": dict(hidden=56, inter=100, layers=3, heads=6, kv=3, head_dim=26),
        "mrope": [2, 2, 2],
        "speaker": dict(channels=32, out=96, scale=8, se=12, att=18),
        "decoder": dict(codebook_dim=48, latent_dim=42, hidden_size=34, intermediate_size=58,
                        num_hidden_layers=3, num_attention_heads=4, num_key_value_heads=4,
                        head_dim=14, sliding_window=22, decoder_dim=80),
        "encoder": dict(num_filters=6, hidden_size=24, intermediate_size=38, num_hidden_layers=2,
                        heads=4, head_dim=10, codebook_dim=22),
    },
    # Widths as a real model has them, whole blocks of 32, but for the predictor's inner one; the codec
    # in 16 bits, as that of the voice in the box.
    "small": {
        "tag": "tiny", "text_hidden": 64, "codebook": 128, "codec": "BF16",
        "talker": dict(hidden=96, inter=160, layers=3, heads=4, kv=2, head_dim=32),
        "predictor": dict(hidden=64, inter=104, layers=2, heads=4, kv=2, head_dim=32),
        "mrope": [6, 5, 5],
        "decoder": dict(codebook_dim=64, latent_dim=64, hidden_size=64, intermediate_size=96,
                        num_hidden_layers=2, num_attention_heads=4, num_key_value_heads=4,
                        head_dim=16, sliding_window=8, decoder_dim=128),
        "encoder": dict(num_filters=4, hidden_size=32, intermediate_size=48, num_hidden_layers=1,
                        heads=2, head_dim=16, codebook_dim=16),
    },
}

ENCODER_CODES = 128     # the package wants a power of two here; at most the form's codebook

# name: (form, kind, seed, gain of the end-of-speech row, types of the main tensors)
CHECKPOINTS = {
    "custom-eq": ("eq", "custom_voice", 11, 0.0, ("BF16",)),
    "custom-mtp": ("mtp", "custom_voice", 12, 0.0, ("BF16",)),
    "design-eq": ("eq", "voice_design", 13, 0.0, ("BF16",)),
    "design-mtp": ("mtp", "voice_design", 14, 0.0, ("F16", "F32", "BF16")),
    "base-eq": ("eq", "base", 15, 0.0, ("BF16",)),
    "base-mtp": ("mtp", "base", 16, 0.0, ("BF16",)),
    "custom-stop": ("eq", "custom_voice", 17, 1.0, ("BF16",)),
    "base-stop": ("mtp", "base", 18, 0.8, ("BF16",)),
    "small": ("small", "custom_voice", 19, 1.0, ("BF16",)),
}

GENERATION = {"do_sample": True, "max_new_tokens": 8192, "repetition_penalty": 1.05,
              "subtalker_dosample": True, "subtalker_temperature": 0.9, "subtalker_top_k": 50,
              "subtalker_top_p": 1.0, "temperature": 0.9, "top_k": 50, "top_p": 1.0}
PREPROCESSOR = {"chunk_length_s": None, "feature_extractor_type": "EncodecFeatureExtractor",
                "feature_size": 1, "overlap": None, "padding_side": "right", "padding_value": 0.0,
                "return_attention_mask": True, "sampling_rate": 24000}


# ---------------------------------------------------------------- configurations

def block_config(b):
    return {"attention_bias": False, "attention_dropout": 0, "head_dim": b["head_dim"],
            "hidden_act": "silu", "hidden_size": b["hidden"], "initializer_range": 0.02,
            "intermediate_size": b["inter"], "num_attention_heads": b["heads"],
            "num_code_groups": 16, "num_hidden_layers": b["layers"],
            "num_key_value_heads": b["kv"], "rms_norm_eps": 1e-06, "rope_theta": 1000000,
            "sliding_window": None, "use_cache": True, "use_sliding_window": False}


def main_config(form, kind, added, text_rows):
    f = FORMS[form]
    base, custom = f["codebook"], kind == "custom_voice"
    predictor = block_config(f["predictor"])
    predictor.update(layer_types=["full_attention"] * f["predictor"]["layers"],
                     max_position_embeddings=65536, max_window_layers=28, rope_scaling=None,
                     model_type="qwen3_tts_talker_code_predictor", vocab_size=base)
    talker = block_config(f["talker"])
    languages = {**LANGUAGES, **(DIALECTS if custom else {})}
    talker.update({k: base + v for k, v in CONTROL.items()})
    talker.update(
        code_predictor_config=predictor, max_position_embeddings=32768,
        model_type="qwen3_tts_talker", position_id_per_seconds=13,
        codec_language_id={k: base + v for k, v in languages.items()},
        spk_id={k: base + v for k, (v, _) in SPEAKERS.items()} if custom else {},
        spk_is_dialect={k: d for k, (_, d) in SPEAKERS.items()} if custom else {},
        rope_scaling={"interleaved": True, "mrope_section": f["mrope"], "rope_type": "default",
                      "type": "default"},
        text_hidden_size=f["text_hidden"], text_vocab_size=text_rows, vocab_size=base + 1024)
    config = {"architectures": ["Qwen3TTSForConditionalGeneration"], "model_type": "qwen3_tts",
              "im_start_token_id": added["<|im_start|>"], "im_end_token_id": added["<|im_end|>"],
              "assistant_token_id": added["assistant"], "tts_pad_token_id": added["<tts_pad>"],
              "tts_bos_token_id": added["<tts_text_bos>"],
              "tts_eos_token_id": added["<tts_text_eod>"],
              "tokenizer_type": "qwen3_tts_tokenizer_12hz", "tts_model_size": f["tag"],
              "tts_model_type": kind, "talker_config": talker, "transformers_version": "4.57.3"}
    if kind == "base":
        s = f["speaker"]
        config["speaker_encoder_config"] = {
            "enc_dim": f["talker"]["hidden"], "sample_rate": 24000, "mel_dim": 128,
            "enc_channels": [s["channels"]] * 4 + [s["out"]], "enc_kernel_sizes": [5, 3, 3, 3, 1],
            "enc_dilations": [1, 2, 3, 4, 1], "enc_attention_channels": s["att"],
            "enc_res2net_scale": s["scale"], "enc_se_channels": s["se"]}
    return config


def speech_config(form):
    f = FORMS[form]
    decoder = {"attention_bias": False, "attention_dropout": 0.0, "codebook_size": f["codebook"],
               "hidden_act": "silu", "layer_scale_initial_scale": 0.01,
               "max_position_embeddings": 8000, "num_quantizers": 16, "num_semantic_quantizers": 1,
               "rms_norm_eps": 1e-05, "rope_theta": 10000, "semantic_codebook_size": 4096,
               "upsample_rates": [8, 5, 4, 3], "upsampling_ratios": [2, 2],
               "vector_quantization_hidden_dimension": 512, **f["decoder"]}
    e = dict(f["encoder"])
    heads, dim = e.pop("heads"), e["codebook_dim"]
    encoder = {"_frame_rate": 12.5, "attention_bias": False, "attention_dropout": 0.0,
               "audio_channels": 1, "codebook_size": ENCODER_CODES, "compress": 2,
               "dilation_growth_rate": 2, "dtype": "float32", "hidden_act": "gelu",
               "initializer_range": 0.02, "kernel_size": 7, "last_kernel_size": 3,
               "layer_scale_initial_scale": 0.01, "max_position_embeddings": 8000,
               "norm_eps": 1e-05, "normalize": False, "num_attention_heads": heads,
               "num_key_value_heads": heads, "num_quantizers": 32, "num_residual_layers": 1,
               "num_semantic_quantizers": 1, "pad_mode": "constant", "residual_kernel_size": 3,
               "rope_theta": 10000.0, "sampling_rate": 24000, "sliding_window": 250,
               "trim_right_ratio": 1.0, "upsample_groups": e["hidden_size"],
               "upsampling_ratios": [8, 6, 5, 4], "use_cache": False, "use_causal_conv": True,
               "use_conv_shortcut": False, "use_streaming": False,
               "vector_quantization_hidden_dimension": dim, **e}
    return {"architectures": ["Qwen3TTSTokenizerV2Model"], "model_type": "qwen3_tts_tokenizer_12hz",
            "encoder_valid_num_quantizers": 16, "input_sample_rate": 24000,
            "output_sample_rate": 24000, "decode_upsample_rate": 1920,
            "encode_downsample_rate": 1920, "decoder_config": decoder, "encoder_config": encoder,
            "transformers_version": "4.57.3"}


# ---------------------------------------------------------------- tensor lists

class Tensors(list):
    """Tensor descriptions [name, shape, mean, std]; gains keep activations of order one."""

    def add(self, name, shape, mean, std):
        self.append([name, list(shape), float(mean), float("%.6g" % std)])

    def mat(self, name, shape, gain=1.0, fan_in=None):
        self.add(name, shape, 0.0, gain / math.sqrt(fan_in or math.prod(shape[1:])))

    def bias(self, name, n):
        self.add(name, (n,), 0.0, 0.05)

    def norm(self, name, n):
        self.add(name, (n,), 1.0, 0.1)

    def conv(self, prefix, out_ch, in_ch, k, gain=1.0, bias=True):
        self.mat(prefix + ".weight", (out_ch, in_ch, k), gain)
        if bias:
            self.bias(prefix + ".bias", out_ch)

    def attention(self, p, hidden, q_dim, kv_dim, gain=1.0):
        self.mat(p + "q_proj.weight", (q_dim, hidden))
        self.mat(p + "k_proj.weight", (kv_dim, hidden))
        self.mat(p + "v_proj.weight", (kv_dim, hidden))
        self.mat(p + "o_proj.weight", (hidden, q_dim), gain)

    def mlp(self, p, hidden, inter, gain=1.0):
        self.mat(p + "gate_proj.weight", (inter, hidden))
        self.mat(p + "up_proj.weight", (inter, hidden))
        self.mat(p + "down_proj.weight", (hidden, inter), gain)

    def qwen3_layers(self, p, b):
        h, d = b["hidden"], b["head_dim"]
        damp = 1.0 / math.sqrt(2.0 * b["layers"])
        for i in range(b["layers"]):
            q = "%slayers.%d." % (p, i)
            self.norm(q + "input_layernorm.weight", h)
            self.attention(q + "self_attn.", h, b["heads"] * d, b["kv"] * d, damp)
            self.norm(q + "self_attn.q_norm.weight", d)
            self.norm(q + "self_attn.k_norm.weight", d)
            self.norm(q + "post_attention_layernorm.weight", h)
            self.mlp(q + "mlp.", h, b["inter"], damp)
        self.norm(p + "norm.weight", h)


def main_tensors(form, kind, text_rows):
    f, t = FORMS[form], Tensors()
    h, th, ch, cb = (f["talker"]["hidden"], f["text_hidden"], f["predictor"]["hidden"],
                     f["codebook"])
    t.add("talker.model.text_embedding.weight", (text_rows, th), 0, 0.8)
    t.add("talker.model.codec_embedding.weight", (cb + 1024, h), 0, 0.15)
    t.mat("talker.text_projection.linear_fc1.weight", (th, th), 1.2)
    t.bias("talker.text_projection.linear_fc1.bias", th)
    t.mat("talker.text_projection.linear_fc2.weight", (h, th))
    t.bias("talker.text_projection.linear_fc2.bias", h)
    t.qwen3_layers("talker.model.", f["talker"])
    t.mat("talker.codec_head.weight", (cb + 1024, h), 1.2)
    p = "talker.code_predictor."
    for g in range(15):
        t.add(p + "model.codec_embedding.%d.weight" % g, (cb, h), 0, 0.12)
    t.qwen3_layers(p + "model.", f["predictor"])
    for g in range(15):
        t.mat(p + "lm_head.%d.weight" % g, (cb, ch), 1.2)
    if ch != h:
        t.mat(p + "small_to_mtp_projection.weight", (ch, h))
        t.bias(p + "small_to_mtp_projection.bias", ch)
    if kind == "base":
        speaker_tensors(t, h, **f["speaker"])
    return t


def speaker_tensors(t, dim, channels, out, scale, se, att):
    p = "speaker_encoder."
    t.conv(p + "blocks.0.conv", channels, 128, 5, 0.3)
    for i in (1, 2, 3):
        b = p + "blocks.%d." % i
        t.conv(b + "tdnn1.conv", channels, channels, 1)
        for j in range(scale - 1):
            n = channels // scale
            t.conv(b + "res2net_block.blocks.%d.conv" % j, n, n, 3)
        t.conv(b + "tdnn2.conv", channels, channels, 1)
        t.conv(b + "se_block.conv1", se, channels, 1)
        t.conv(b + "se_block.conv2", channels, se, 1)
    t.conv(p + "mfa.conv", out, out, 1)
    t.conv(p + "asp.tdnn.conv", att, out * 3, 1)
    t.conv(p + "asp.conv", out, att, 1)
    t.conv(p + "fc", dim, out * 2, 1, 0.5)


def codec_decoder_tensors(t, c):
    d, bins, vq = "decoder.", c["codebook_size"], c["codebook_dim"] // 2
    for part, n in (("rvq_first", 1), ("rvq_rest", 15)):
        q = d + "quantizer." + part + "."
        t.mat(q + "input_proj.weight", (vq, c["codebook_dim"], 1))
        t.mat(q + "output_proj.weight", (c["codebook_dim"], vq, 1))
        for i in range(n):
            t.add(q + "vq.layers.%d._codebook.cluster_usage" % i, (bins,), 2.0, 0.5)
            t.add(q + "vq.layers.%d._codebook.embedding_sum" % i, (bins, vq), 0.0, 0.6)
    lat, hid, hd = c["latent_dim"], c["hidden_size"], c["head_dim"]
    t.conv(d + "pre_conv.conv", lat, c["codebook_dim"], 3)
    p = d + "pre_transformer."
    t.mat(p + "input_proj.weight", (hid, lat))
    t.bias(p + "input_proj.bias", hid)
    t.mat(p + "output_proj.weight", (lat, hid))
    t.bias(p + "output_proj.bias", lat)
    t.norm(p + "norm.weight", hid)
    for i in range(c["num_hidden_layers"]):
        b = p + "layers.%d." % i
        t.norm(b + "input_layernorm.weight", hid)
        t.attention(b + "self_attn.", hid, c["num_attention_heads"] * hd,
                    c["num_key_value_heads"] * hd)
        t.add(b + "self_attn_layer_scale.scale", (hid,), 0.5, 0.1)
        t.norm(b + "post_attention_layernorm.weight", hid)
        t.mlp(b + "mlp.", hid, c["intermediate_size"])
        t.add(b + "mlp_layer_scale.scale", (hid,), 0.5, 0.1)
    for i, r in enumerate(c["upsampling_ratios"]):
        b = d + "upsample.%d." % i
        t.mat(b + "0.conv.weight", (lat, lat, r), fan_in=lat)    # transposed: in, out, tap
        t.bias(b + "0.conv.bias", lat)
        t.mat(b + "1.dwconv.conv.weight", (lat, 1, 7))
        t.bias(b + "1.dwconv.conv.bias", lat)
        t.norm(b + "1.norm.weight", lat)
        t.bias(b + "1.norm.bias", lat)
        t.mat(b + "1.pwconv1.weight", (4 * lat, lat))
        t.bias(b + "1.pwconv1.bias", 4 * lat)
        t.mat(b + "1.pwconv2.weight", (lat, 4 * lat))
        t.bias(b + "1.pwconv2.bias", lat)
        t.add(b + "1.gamma", (lat,), 0.3, 0.1)
    codec_vocoder_tensors(t, d + "decoder.", lat, c["decoder_dim"], c["upsample_rates"])


def codec_vocoder_tensors(t, p, lat, ch, rates):
    def snake(name, n):
        t.add(name + "alpha", (n,), 0.0, 0.2)
        t.add(name + "beta", (n,), 0.3, 0.2)

    t.conv(p + "0.conv", ch, lat, 7)
    for i, r in enumerate(rates):
        b, out = p + "%d.block." % (i + 1), ch // 2
        snake(b + "0.", ch)
        t.mat(b + "1.conv.weight", (ch, out, 2 * r), 0.6, fan_in=2 * ch)  # two taps an output
        t.bias(b + "1.conv.bias", out)
        for j in (2, 3, 4):
            snake(b + "%d.act1." % j, out)
            snake(b + "%d.act2." % j, out)
            t.conv(b + "%d.conv1.conv" % j, out, out, 7, 0.5)
            t.conv(b + "%d.conv2.conv" % j, out, out, 1, 0.3)
        ch = out
    snake(p + "%d." % (len(rates) + 1), ch)
    t.conv(p + "%d.conv" % (len(rates) + 2), 1, ch, 7, 0.8)


def codec_encoder_tensors(t, c):
    p, ch, idx = "encoder.encoder.layers.", c["num_filters"], 1
    t.conv(p + "0.conv", ch, 1, c["kernel_size"], 8.0)       # speech has an RMS near 0.1
    for r in reversed(c["upsampling_ratios"]):
        mid = ch // c["compress"]
        t.conv(p + "%d.block.1.conv" % idx, mid, ch, c["residual_kernel_size"])
        t.conv(p + "%d.block.3.conv" % idx, ch, mid, 1, 0.3)
        t.conv(p + "%d.conv" % (idx + 2), 2 * ch, ch, 2 * r, 1.3)
        ch *= 2
        idx += 3
    hid = c["hidden_size"]
    t.conv(p + "%d.conv" % (idx + 1), hid, ch, c["last_kernel_size"])
    width = c["num_attention_heads"] * c["head_dim"]
    for i in range(c["num_hidden_layers"]):
        b = "encoder.encoder_transformer.layers.%d." % i
        for n in ("input_layernorm", "post_attention_layernorm"):
            t.norm(b + n + ".weight", hid)
            t.bias(b + n + ".bias", hid)
        t.attention(b + "self_attn.", hid, width, width)
        t.mat(b + "mlp.fc1.weight", (c["intermediate_size"], hid))
        t.mat(b + "mlp.fc2.weight", (hid, c["intermediate_size"]))
        t.add(b + "self_attn_layer_scale.scale", (hid,), 0.3, 0.1)
        t.add(b + "mlp_layer_scale.scale", (hid,), 0.3, 0.1)
    t.conv("encoder.downsample.conv", hid, hid, 4, bias=False)
    vq, bins = c["codebook_dim"], c["codebook_size"]
    for part, n in (("semantic", 1), ("acoustic", c["num_quantizers"] - 1)):
        q = "encoder.quantizer.%s_residual_vector_quantizer." % part
        t.mat(q + "input_proj.weight", (vq, hid, 1), 1.5)
        t.mat(q + "output_proj.weight", (hid, vq, 1))
        for i in range(n):
            t.add(q + "layers.%d.codebook.initialized" % i, (1,), 1.0, 0.0)
            t.add(q + "layers.%d.codebook.cluster_usage" % i, (bins,), 2.0, 0.5)
            t.add(q + "layers.%d.codebook.embed_sum" % i, (bins, vq), 0.0, 0.6)


PIECE = 1 << 22         # values made at once
DEAD_ROWS = (5, 77)     # codebook entries without members: usage 0, sum 0


def tensor_files(name, text_rows, speech):
    form, kind, seed, eos_gain, types = CHECKPOINTS[name]
    main = main_tensors(form, kind, text_rows)
    eos = FORMS[form]["codebook"] + CONTROL["codec_eos_token_id"]
    codec = Tensors()
    codec_decoder_tensors(codec, speech["decoder_config"])
    codec_encoder_tensors(codec, speech["encoder_config"])

    def entry(t, dtype):
        e = {"name": t[0], "dtype": dtype, "shape": t[1], "mean": t[2], "std": t[3]}
        if t[0] == "talker.codec_head.weight":
            e["rows"] = [[eos, eos_gain]]
        if t[0].endswith(("cluster_usage", "embedding_sum", "embed_sum")):
            e["rows"] = [[r, 0.0] for r in DEAD_ROWS]
        return e

    return [{"path": "model.safetensors", "seed": seed,
             "tensors": [entry(t, types[i % len(types)]) for i, t in enumerate(main)]},
            {"path": "speech_tokenizer/model.safetensors",
             "seed": 100 + sorted(FORMS).index(form),
             "tensors": [entry(t, FORMS[form].get("codec", "F32")) for t in codec]}]


# ---------------------------------------------------------------- weights

def fnv1a64(text):
    h = 0xCBF29CE484222325
    for b in text.encode():
        h = ((h ^ b) * 0x100000001B3) & 0xFFFFFFFFFFFFFFFF
    return h


def values(seed, name, shape, mean, std, rows=(), first=0):
    """Rows first, first + 1, ... of a tensor, as many as shape says."""
    n = math.prod(shape)
    start = first * math.prod(shape[1:])
    z = np.arange(start + 1, start + n + 1, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    z += np.uint64(seed ^ fnv1a64(name))
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    z ^= z >> np.uint64(31)
    u = (z >> np.uint64(40)).astype(np.int64) - (1 << 23)
    x = u.astype(np.float32) * np.float32(std * math.sqrt(3.0) / 8388608.0)
    x += np.float32(mean)
    x = x.reshape(shape)
    for row, gain in rows:
        if first <= row < first + shape[0]:
            x[row - first] *= np.float32(gain)
    return x


def encode(x, dtype):
    if dtype == "F32":
        return x.astype("<f4").tobytes()
    if dtype == "F16":
        return x.astype("<f2").tobytes()
    u = x.view(np.uint32)
    return ((u + np.uint32(0x7FFF) + ((u >> np.uint32(16)) & np.uint32(1)))
            >> np.uint32(16)).astype("<u2").tobytes()


def write_safetensors(path, seed, tensors):
    parts, at = ['{"__metadata__":{"format":"pt"}'], 0
    for t in tensors:
        size = math.prod(t["shape"]) * {"F32": 4, "F16": 2, "BF16": 2}[t["dtype"]]
        parts.append('"%s":{"dtype":"%s","shape":[%s],"data_offsets":[%d,%d]}' % (
            t["name"], t["dtype"], ",".join(map(str, t["shape"])), at, at + size))
        at += size
    head = (",".join(parts) + "}").encode()
    head += b" " * (-len(head) % 8)
    with open(path, "wb") as f:
        f.write(len(head).to_bytes(8, "little") + head)
        for t in tensors:
            rows, row = t["shape"][0], t["shape"][1:]
            step = max(1, PIECE // max(1, math.prod(row)))
            for first in range(0, rows, step):
                x = values(seed, t["name"], [min(step, rows - first), *row], t["mean"], t["std"],
                           t.get("rows", ()), first)
                f.write(encode(x, t["dtype"]))


def write_weights(spec_dir, out_dir):
    """The Python twin of kzt_make_checkpoint()."""
    with open(os.path.join(spec_dir, "tensors.json"), encoding="utf-8") as f:
        spec = json.load(f)
    os.makedirs(os.path.join(out_dir, "speech_tokenizer"), exist_ok=True)
    for dst, src in spec["copy"]:
        shutil.copyfile(os.path.join(spec_dir, src), os.path.join(out_dir, dst))
    for f in spec["files"]:
        write_safetensors(os.path.join(out_dir, f["path"]), f["seed"], f["tensors"])


# ---------------------------------------------------------------- small files

def write_json(path, obj):
    with open(path, "w", encoding="utf-8") as f:
        json.dump(obj, f, ensure_ascii=False, indent=1)
        f.write("\n")


def write_spec(path, copy, files):
    """tensors.json with one tensor a line."""
    def compact(x):
        return json.dumps(x, separators=(",", ":"))

    with open(path, "w", encoding="utf-8") as f:
        f.write('{"format":"kazeia-tensors","version":1,\n"copy":%s,\n"files":[' % compact(copy))
        for i, part in enumerate(files):
            f.write('%s\n{"path":"%s","seed":%d,"tensors":[\n' % ("," * (i > 0), part["path"],
                                                                part["seed"]))
            f.write(",\n".join(map(compact, part["tensors"])))
            f.write("]}")
        f.write("\n]}\n")


def describe(root, full_tokenizer):
    """Writes root/tokenizer and root/NAME for every checkpoint."""
    vocab, pairs, added = tinytok.build(full_tokenizer)
    tinytok.write(os.path.join(root, "tokenizer"), vocab, pairs, added)
    ids = {**added, "assistant": vocab["assistant"]}
    text_rows = len(vocab) + len(added) + 13
    shared = ("vocab.json", "merges.txt", "tokenizer_config.json")
    own = ("config.json", "generation_config.json", "speech_tokenizer/config.json",
           "speech_tokenizer/preprocessor_config.json")
    copy = [[n, "../tokenizer/" + n] for n in shared] + [[n, n] for n in own]
    for name, (form, kind, *_) in CHECKPOINTS.items():
        d = os.path.join(root, name)
        os.makedirs(os.path.join(d, "speech_tokenizer"), exist_ok=True)
        speech = speech_config(form)
        contents = (main_config(form, kind, ids, text_rows), GENERATION, speech, PREPROCESSOR)
        for path, obj in zip(own, contents):
            write_json(os.path.join(d, path), obj)
        write_spec(os.path.join(d, "tensors.json"), copy, tensor_files(name, text_rows, speech))
