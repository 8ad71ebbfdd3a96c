"""Write a tiny model for a server: ``tiny_model.py FOLDER [TEXT...]``.

Run it with the interpreter that has mlx-lm.

Without texts its weights are random. With texts it says just these, one after the other, whatever it is asked: each is a token of its
own, and the only layer that does anything leads from each token to the next.
"""

# pyright: reportMissingImports=false, reportUnknownVariableType=false, reportUnknownMemberType=false, reportUnknownArgumentType=false
from __future__ import annotations

import json
import sys
from itertools import pairwise
from pathlib import Path
from typing import Any

import mlx.core as mx
from mlx.utils import tree_flatten
from mlx_lm.models.llama import Model, ModelArgs
from tokenizers import Tokenizer, decoders, models, pre_tokenizers
from transformers import PreTrainedTokenizerFast

_START, _END = "<|start|>", "<|end|>"
_TEMPLATE = (
    "{% for m in messages %}<|start|>{{ m['role'] }}\n{{ m['content'] }}<|end|>{% endfor %}"
    "{% if tools %}<tool_call>{{ tools | tojson }}{# tool_call.name #}</tool_call>{% endif %}<|start|>assistant:"
)
"""By ``<tool_call>`` and ``tool_call.name`` mlx-lm knows how this model writes its calls."""

_LOUD = 40.0


def main(folder: Path, texts: list[str]) -> None:
    """Write a model and its tokenizer."""
    spelled = [_spelled(text) for text in texts]
    tokens = dict.fromkeys([*sorted(pre_tokenizers.ByteLevel.alphabet()), _START, _END, *spelled])
    vocabulary = {token: number for number, token in enumerate(tokens)}
    tokenizer = Tokenizer(models.BPE(vocab=vocabulary, merges=[]))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    folder.mkdir(parents=True)
    PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, bos_token=_START, eos_token=_END, chat_template=_TEMPLATE
    ).save_pretrained(folder)
    width = len(vocabulary) + len(vocabulary) % 2
    config: dict[str, Any] = {
        "model_type": "llama",
        "hidden_size": width if texts else 32,
        "num_hidden_layers": 1,
        "intermediate_size": 64,
        "num_attention_heads": 1 if texts else 2,
        "num_key_value_heads": 1 if texts else 2,
        "rms_norm_eps": 1e-5,
        "vocab_size": len(vocabulary),
        "max_position_embeddings": 65_536,
        "rope_theta": 10_000.0,
        "tie_word_embeddings": False,
        "bos_token_id": vocabulary[_START],
        "eos_token_id": vocabulary[_END],
    }
    (folder / "config.json").write_text(json.dumps(config))
    mx.random.seed(1)
    weights = dict(tree_flatten(Model(ModelArgs.from_dict(config)).parameters()))
    if texts:
        weights |= _drilled(weights, [vocabulary[token] for token in (":", *spelled, _END)], width)
    mx.save_safetensors(str(folder / "model.safetensors"), weights, metadata={"format": "mlx"})


def _spelled(text: str) -> str:
    """A text in the letters that stand for bytes."""
    return "".join(
        part
        for part, _ in pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False).pre_tokenize_str(
            text
        )
    )


def _drilled(weights: dict[str, Any], sequence: list[int], width: int) -> dict[str, Any]:
    """Return weights by which each token of a sequence leads to the next one.

    The layer between passes its input on.
    """
    silent = {
        name: mx.zeros_like(value)
        for name, value in weights.items()
        if "o_proj" in name or "down_proj" in name
    }
    size = weights["lm_head.weight"].shape[0]
    following = mx.zeros((size, width))
    for this, then in pairwise(sequence):
        following[then, this] = _LOUD
    return silent | {
        "model.embed_tokens.weight": mx.eye(size, width),
        "model.norm.weight": mx.ones(width) / width**0.5,
        "lm_head.weight": following,
    }


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2:])
