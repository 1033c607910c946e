"""Confirms a greedy run in float64, from the weights, without the package.

All rows of the finished run go through the talker once, all its frames as one batch of 16
positions through the predictor; penalty and masks are applied at each draw. When every argmax is
the recorded code, a free run in float64 gives the same codes, by induction.
"""
import torch
from safetensors.torch import load_file


def rmsnorm(x, w, eps):
    return x / torch.sqrt((x * x).mean(-1, keepdim=True) + eps) * w


def rope(x, base):
    n, d = x.shape[-2], x.shape[-1]
    f = base ** (-2.0 * torch.arange(d // 2, dtype=torch.float64) / d)
    a = torch.arange(n, dtype=torch.float64)[:, None] * f
    lo, hi = x[..., :d // 2], x[..., d // 2:]
    return torch.cat((lo * a.cos() - hi * a.sin(), hi * a.cos() + lo * a.sin()), -1)


class Confirmer:
    def __init__(self, path, config):
        self.w = {k: v.double() for k, v in load_file(path + "/model.safetensors").items()}
        self.tc = config["talker_config"]
        self.cp = self.tc["code_predictor_config"]

    def stack(self, x, p, c):
        """Rows [batch, n, hidden] through all layers and the final norm."""
        w, heads, kv, d = (self.w, c["num_attention_heads"], c["num_key_value_heads"],
                           c["head_dim"])
        batch, n, _ = x.shape
        mask = torch.full((n, n), float("-inf"), dtype=torch.float64).triu(1)
        for i in range(c["num_hidden_layers"]):
            q = "%slayers.%d." % (p, i)

            def split(y, m):
                return y.view(batch, n, m, d)

            y = rmsnorm(x, w[q + "input_layernorm.weight"], c["rms_norm_eps"])
            query = split(y @ w[q + "self_attn.q_proj.weight"].T, heads)
            key = split(y @ w[q + "self_attn.k_proj.weight"].T, kv)
            value = split(y @ w[q + "self_attn.v_proj.weight"].T, kv).transpose(1, 2)
            query = rmsnorm(query, w[q + "self_attn.q_norm.weight"], c["rms_norm_eps"])
            key = rmsnorm(key, w[q + "self_attn.k_norm.weight"], c["rms_norm_eps"])
            query = rope(query.transpose(1, 2), c["rope_theta"])
            key = rope(key.transpose(1, 2), c["rope_theta"]).repeat_interleave(heads // kv, 1)
            value = value.repeat_interleave(heads // kv, 1)
            a = torch.softmax(query @ key.transpose(2, 3) * d ** -0.5 + mask, -1) @ value
            x = x + a.transpose(1, 2).reshape(batch, n, -1) @ w[q + "self_attn.o_proj.weight"].T
            y = rmsnorm(x, w[q + "post_attention_layernorm.weight"], c["rms_norm_eps"])
            gate = torch.nn.functional.silu(y @ w[q + "mlp.gate_proj.weight"].T)
            x = x + (gate * (y @ w[q + "mlp.up_proj.weight"].T)) @ w[q + "mlp.down_proj.weight"].T
        return rmsnorm(x, w[p + "norm.weight"], c["rms_norm_eps"])

    def embed(self, codes):
        """Codes [n, 16] -> the rows that positions 1..16 of the predictor would read."""
        rows = [self.w["talker.model.codec_embedding.weight"][codes[:, 0]]]
        for g in range(15):
            name = "talker.code_predictor.model.codec_embedding.%d.weight" % g
            rows.append(self.w[name][codes[:, g + 1]])
        return torch.stack(rows, 1)

    def predictor_logits(self, hidden, rows):
        p, w = "talker.code_predictor.", self.w
        x = torch.cat((hidden[:, None], rows[:, :15]), 1)
        if p + "small_to_mtp_projection.weight" in w:
            x = x @ w[p + "small_to_mtp_projection.weight"].T \
                + w[p + "small_to_mtp_projection.bias"]
        y = self.stack(x, p + "model.", self.cp)
        return torch.stack([y[:, g + 1] @ w[p + "lm_head.%d.weight" % g].T for g in range(15)], 1)

    def talker_scores(self, logits, sampled, penalty=1.05):
        """Raw logits -> what the argmax sees at each draw."""
        out, eos = logits.clone(), self.tc["codec_eos_token_id"]
        first = self.tc["vocab_size"] - 1024
        for k in range(len(out)):
            seen = sorted(set(sampled[:k]))
            if seen:
                s = out[k, seen]
                out[k, seen] = torch.where(s < 0, s * penalty, s / penalty)
            keep = out[k, eos].item() if k >= 2 else float("-inf")
            out[k, first:] = float("-inf")
            out[k, eos] = keep
        return out

    def check(self, run):
        """-> smallest gap between the best two scores; raises where a choice differs."""
        codes = torch.from_numpy(run["codes"].astype("int64"))
        n, sampled = len(codes), run["sampled"]
        rows = self.embed(codes)
        text = [torch.from_numpy(run["trailing"][k] if k < len(run["trailing"])
                                 else run["tts_pad"]).double() for k in range(n)]
        prompt = torch.from_numpy(run["prompt"]).double()
        x = torch.cat((prompt, rows.sum(1) + torch.stack(text)))
        hidden = self.stack(x[None], "talker.model.", self.tc)[0, len(prompt) - 1:]
        logits = hidden @ self.w["talker.codec_head.weight"].T
        scores = self.talker_scores(logits, sampled)
        groups = [(scores, torch.tensor(sampled)),
                  (self.predictor_logits(hidden[:n], rows).flatten(0, 1), codes[:, 1:].flatten())]
        gap = float("inf")
        for s, chosen in groups:
            best, index = s.topk(2, -1)
            if not torch.equal(index[:, 0], chosen):
                raise SystemExit("float64 chooses other codes")
            gap = min(gap, (best[:, 0] - best[:, 1]).min().item())
        return gap
