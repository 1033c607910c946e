"""A folder in the published layout -> tokenizer, talker and decoder, for whoever wants to speak or
to measure with what was exported."""
import json
import os

from safetensors.torch import load_file

from train.model.codec import CodecSize, Decoder
from train.model.talker import BodySize, Talker, TalkerSize
from train.model.tokenizer import Tokenizer


def body_size(c):
    return BodySize(c["hidden_size"], c["num_hidden_layers"], c["intermediate_size"],
                    c["num_attention_heads"], c["num_key_value_heads"], c["head_dim"],
                    c["rope_theta"], c["rms_norm_eps"])


def talker_size(c):
    return TalkerSize(c["text_vocab_size"], c["text_hidden_size"], body_size(c),
                      body_size(c["code_predictor_config"]))


def codec_size(c):
    return CodecSize(c["codebook_dim"], c["latent_dim"], c["hidden_size"], c["intermediate_size"],
                     c["num_hidden_layers"], c["num_attention_heads"], c["head_dim"],
                     c["sliding_window"], c["decoder_dim"], c["layer_scale_initial_scale"],
                     c["rope_theta"], c["rms_norm_eps"])


def _fill(module, path, prefix):
    values = load_file(os.path.join(path, "model.safetensors"))
    module.load_state_dict({k[len(prefix):]: v.float() for k, v in values.items()
                            if k.startswith(prefix)})
    return module.eval()


def load(folder):
    """-> tokenizer, talker, decoder; the weights are those of the file, in float32"""
    speech = os.path.join(folder, "speech_tokenizer")
    with open(os.path.join(folder, "config.json"), encoding="utf-8") as f:
        main = json.load(f)["talker_config"]
    with open(os.path.join(speech, "config.json"), encoding="utf-8") as f:
        codec = json.load(f)["decoder_config"]
    return (Tokenizer.load(folder), _fill(Talker(talker_size(main)), folder, "talker."),
            _fill(Decoder(codec_size(codec)), speech, "decoder."))
