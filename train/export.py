"""Trained talker and decoder -> a checkpoint folder in the published layout, in bfloat16.

usage: python3 -m train.export WORK OUT
reads WORK/talker.pt, WORK/decoder.pt (their averaged weights) and WORK/tokenizer
"""
import json
import os
import sys

import torch
from safetensors.torch import save_file

from train.model import layout
from train.model.codec import UP_HIGH, UP_LOW, CodecSize, Decoder
from train.model.placeholder import ENCODER, encoder_tensors
from train.model.talker import BodySize, Talker, TalkerSize
from train.model.tokenizer import ROLE, Tokenizer

TEMPERATURE = 0.15                  # higher ones stumble: the codes have one right reading
VERSION = "4.57.3"                  # of the transformers that the layout is from
# Code 0 is a phone, which may come again: no repetition penalty.
GENERATION = dict(
    do_sample=True, max_new_tokens=1024, repetition_penalty=1.0, subtalker_dosample=True,
    subtalker_temperature=TEMPERATURE, subtalker_top_k=50, subtalker_top_p=1.0,
    temperature=TEMPERATURE, top_k=50, top_p=1.0)


def body_config(size):
    return dict(attention_bias=False, attention_dropout=0, head_dim=size.head_dim,
                hidden_act="silu", hidden_size=size.hidden, initializer_range=0.02,
                intermediate_size=size.inner, num_attention_heads=size.heads,
                num_code_groups=layout.COUNT, num_hidden_layers=size.layers,
                num_key_value_heads=size.kv, rms_norm_eps=size.eps, rope_theta=size.theta,
                sliding_window=None, use_cache=True, use_sliding_window=False)


def sections(head_dim):
    """mrope_section: three streams that are always equal; only their sum means something"""
    third = head_dim // 6
    return [head_dim // 2 - 2 * third, third, third]


def talker_config(size):
    p, c = size.predictor, layout.CONTROL
    predictor = dict(body_config(p), layer_types=["full_attention"] * p.layers,
                     max_position_embeddings=65536, max_window_layers=p.layers,
                     model_type="qwen3_tts_talker_code_predictor", rope_scaling=None,
                     vocab_size=layout.CODES)
    return dict(
        body_config(size.talker), code_predictor_config=predictor,
        codec_bos_id=c["bos"], codec_eos_token_id=c["eos"], codec_language_id=layout.LANGUAGE_ID,
        codec_nothink_id=c["nothink"], codec_pad_id=c["pad"], codec_think_bos_id=c["think_bos"],
        codec_think_eos_id=c["think_eos"], codec_think_id=c["think"],
        max_position_embeddings=32768, model_type="qwen3_tts_talker", pad_token_id=c["pad"],
        position_id_per_seconds=13, spk_id=layout.SPEAKER_ID,
        spk_is_dialect=dict.fromkeys(layout.SPEAKERS, False), text_hidden_size=size.text_hidden,
        text_vocab_size=size.text, vocab_size=layout.VOCABULARY,
        rope_scaling=dict(interleaved=True, mrope_section=sections(size.talker.head_dim),
                          rope_type="default", type="default"))


def main_config(tok, size):
    sp = tok.special
    return dict(
        architectures=["Qwen3TTSForConditionalGeneration"], assistant_token_id=tok.encode(ROLE)[0],
        im_start_token_id=sp["<|im_start|>"], im_end_token_id=sp["<|im_end|>"],
        tts_bos_token_id=sp["<tts_text_bos>"], tts_eos_token_id=sp["<tts_text_eod>"],
        tts_pad_token_id=sp["<tts_pad>"], model_type="qwen3_tts",
        tokenizer_type="qwen3_tts_tokenizer_12hz", tts_model_size="tiny",
        tts_model_type="custom_voice", talker_config=talker_config(size),
        transformers_version=VERSION)


def codec_config(s):
    decoder = dict(
        attention_bias=False, attention_dropout=0.0, codebook_dim=s.codebook_dim,
        codebook_size=layout.CODES, decoder_dim=s.width, head_dim=s.head_dim, hidden_act="silu",
        hidden_size=s.hidden, intermediate_size=s.inner, latent_dim=s.latent,
        layer_scale_initial_scale=s.scale, max_position_embeddings=8000,
        num_attention_heads=s.heads, num_hidden_layers=s.layers, num_key_value_heads=s.heads,
        num_quantizers=layout.COUNT, num_semantic_quantizers=1, rms_norm_eps=s.eps,
        rope_theta=s.theta, semantic_codebook_size=layout.CODES, sliding_window=s.window,
        upsample_rates=list(UP_HIGH), upsampling_ratios=list(UP_LOW),
        vector_quantization_hidden_dimension=s.codebook_dim)
    return dict(
        architectures=["Qwen3TTSTokenizerV2Model"], decode_upsample_rate=layout.FRAME,
        decoder_config=decoder, encode_downsample_rate=layout.FRAME, encoder_config=ENCODER,
        encoder_valid_num_quantizers=layout.COUNT, input_sample_rate=layout.RATE,
        model_type="qwen3_tts_tokenizer_12hz", output_sample_rate=layout.RATE,
        transformers_version=VERSION)


EXTRACTOR = dict(
    chunk_length_s=None, feature_extractor_type="EncodecFeatureExtractor", feature_size=1,
    overlap=None, padding_side="right", padding_value=0.0, return_attention_mask=True,
    sampling_rate=layout.RATE)


def write(talker, decoder, tok, out):
    """Modules -> OUT. Weights become bfloat16."""
    speech = os.path.join(out, "speech_tokenizer")
    os.makedirs(speech, exist_ok=True)

    def text(folder, name, value):
        with open(os.path.join(folder, name), "w", encoding="utf-8") as f:
            f.write(json.dumps(value, indent=2, ensure_ascii=False) + "\n")

    def tensors(folder, values):
        path = os.path.join(folder, "model.safetensors")
        save_file({k: v.detach().to(torch.bfloat16).contiguous() for k, v in values.items()}, path,
                  metadata={"format": "pt"})
        os.chmod(path, 0o644)
    tensors(out, {"talker." + k: v for k, v in talker.state_dict().items()})
    tensors(speech, {**{"decoder." + k: v for k, v in decoder.state_dict().items()},
                     **encoder_tensors()})
    tok.save(out)
    text(out, "config.json", main_config(tok, talker.size))
    text(out, "generation_config.json", GENERATION)
    text(speech, "config.json", codec_config(decoder.size))
    text(speech, "preprocessor_config.json", EXTRACTOR)


def talker_size(about):
    """dataclasses.asdict() undone"""
    return TalkerSize(**dict(about, talker=BodySize(**about["talker"]),
                             predictor=BodySize(**about["predictor"])))


def load(work):
    """-> tokenizer, talker and decoder with their averaged weights"""
    saved = {n: torch.load(os.path.join(work, n + ".pt"), weights_only=False)
             for n in ("talker", "decoder")}
    talker = Talker(talker_size(saved["talker"]["about"]["talker"]))
    decoder = Decoder(CodecSize(**saved["decoder"]["about"]["decoder"]))
    talker.load_state_dict(saved["talker"]["average"])
    decoder.load_state_dict(saved["decoder"]["average"])
    return Tokenizer.load(os.path.join(work, "tokenizer")), talker.eval(), decoder.eval()


def main(work, out):
    tok, talker, decoder = load(work)
    write(talker, decoder, tok, out)
    print("%s: talker and predictor %.2f M parameters, decoder %.2f M"
          % (out, *(sum(w.numel() for w in m.parameters()) / 1e6 for m in (talker, decoder))))


if __name__ == "__main__":
    main(*sys.argv[1:3])
