"""Runs the official package greedily in float32 and collects what passes between its parts."""
import os
import warnings

os.environ.setdefault("HF_HUB_OFFLINE", "1")
os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
warnings.filterwarnings("ignore")

import numpy as np
import torch
from qwen_tts import Qwen3TTSModel
from transformers.models.mimi.modeling_mimi import MimiEuclideanCodebook

torch.set_grad_enabled(False)
torch.set_num_threads(1)


def array(t):
    return t.detach().to(torch.float32).numpy()


class EncoderMargin:
    """Smallest gap of squared distances between the best two entries, over the 16 codebooks."""

    def __enter__(self):
        self.gaps, self.real = [], MimiEuclideanCodebook.quantize
        MimiEuclideanCodebook.quantize = self.watch(self.real)
        return self

    def __exit__(self, *_):
        MimiEuclideanCodebook.quantize = self.real

    def watch(self, real):
        def quantize(book, rows):
            d = torch.cdist(rows.double(), book.embed.double()) ** 2
            best = d.topk(3, largest=False).values      # the two dead entries tie exactly
            gap = best[:, 1:] - best[:, :1]
            self.gaps.append(torch.where(gap[:, 0] > 0, gap[:, 0], gap[:, 1]).min().item())
            return real(book, rows)
        return quantize

    def smallest(self):
        return min(self.gaps[:16])


class Official:
    """A loaded checkpoint; run() gives one utterance as a dict of arrays."""

    def __init__(self, path):
        self.tts = Qwen3TTSModel.from_pretrained(path, dtype=torch.float32,
                                                 attn_implementation="sdpa")
        self.model = self.tts.model
        self.codec = self.model.speech_tokenizer
        self.decode = self.codec.decode
        self.got = {}
        talker = self.model.talker
        self.talker_generate, talker.generate = talker.generate, self._talker
        predictor = talker.code_predictor
        self.predictor_generate, predictor.generate = predictor.generate, self._predictor

    def _talker(self, **kw):
        self.got.update(prompt=array(kw["inputs_embeds"][0]),
                        trailing=array(kw["trailing_text_hidden"][0]),
                        tts_pad=array(kw["tts_pad_embed"][0, 0]))
        result = self.talker_generate(output_logits=True, **kw)
        self.got["sampled"] = result.sequences[0].tolist()
        self.got["talker_logits"] = np.stack([array(x[0]) for x in result.logits[:4]])
        return result

    def _predictor(self, **kw):
        first = "predictor_logits" not in self.got
        result = self.predictor_generate(output_scores=first, **kw)
        if first:
            self.got["predictor_logits"] = np.stack([array(x[0]) for x in result.scores])
        return result

    def _decode(self, real):
        """Keeps the codes that become sound; decodes only where the sound is wanted."""
        def decode(items):
            self.got["decoded_codes"] = items[0]["audio_codes"].numpy().astype(np.int32)
            if real:
                return self.decode(items)
            return [np.zeros(1920 * len(self.got["decoded_codes"]), np.float32)], 24000
        return decode

    def clone_prompt(self, recording, text):
        """-> (prompt items, {vector, codes, margin}) of a recording, a path or (samples, rate); no
        text: the vector only."""
        with EncoderMargin() as margin:
            items = self.tts.create_voice_clone_prompt(recording, ref_text=text,
                                                       x_vector_only_mode=text is None)
        parts = {"vector": array(items[0].ref_spk_embedding), "codes": None}
        if text is not None:
            parts.update(codes=items[0].ref_code.numpy().astype(np.int32),
                         margin=margin.smallest())
        return items, parts

    def run(self, request, clone=None, sound=False):
        """One utterance. sound: decode it for real (in full, with the package's chunks)."""
        self.got = {}
        self.codec.decode = self._decode(sound)
        args = dict(text=request["text"], language=request["language"],
                    non_streaming_mode=not request["live_text"], do_sample=False,
                    subtalker_dosample=False, max_new_tokens=request["max_frames"] + 1)
        kind = self.model.tts_model_type
        if kind == "custom_voice":
            waves, _ = self.tts.generate_custom_voice(
                speaker=request["voice"] or "", instruct=request.get("instruct"), **args)
        elif kind == "voice_design":
            waves, _ = self.tts.generate_voice_design(instruct=request.get("instruct", ""), **args)
        else:
            waves, _ = self.tts.generate_voice_clone(voice_clone_prompt=clone, **args)
        got, reference = self.got, 0
        if clone is not None and clone[0].ref_code is not None:
            reference = len(clone[0].ref_code)
        got["codes"] = got["decoded_codes"][reference:]
        got["wave"] = waves[0] if sound else None
        eos = self.model.config.talker_config.codec_eos_token_id
        got["finish"] = "stop" if got["sampled"][-1] == eos else "length"
        return got

    def sound_of(self, codes):
        """Samples of some codes, as the package decodes them."""
        return self.decode([{"audio_codes": torch.from_numpy(codes.astype(np.int64))}])[0][0]

    def ids(self, request):
        """Token ids of the strings that the package tokenizes, wrapped as it wraps them."""
        def of(text):
            return self.tts._tokenize_texts([text])[0][0].tolist()

        instruct, reference = request.get("instruct"), request.get("reference_text")
        return {"text": of(self.tts._build_assistant_text(request["text"])),
                "instruct": of(self.tts._build_instruct_text(instruct)) if instruct else None,
                "reference": of(self.tts._build_ref_text(reference)) if reference else None}
