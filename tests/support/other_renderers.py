"""Prompt files as promptflow-core and prompty render them."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from typing import Any


def promptflow_renders(path: Path, values: Mapping[str, Any]) -> tuple[list[dict[str, str]], dict[str, Any]]:
    """The messages and the decoding parameters, by promptflow-core; nothing is sent."""
    with warnings.catch_warnings():
        # Where promptflow is installed in full its schemas are made at import, in a way that marshmallow will give up.
        warnings.simplefilter("ignore", DeprecationWarning)
        core: Any = import_module("promptflow.core")
        internals: Any = import_module("promptflow.core._prompty_utils")
    model = {
        "configuration": {"type": "openai", "model": "m", "base_url": "http://127.0.0.1", "api_key": "k"}
    }
    loaded = core.Prompty.load(source=str(path), model=model)
    inputs = loaded._resolve_inputs(values)
    messages = internals.convert_prompt_template(loaded._template, inputs, loaded._model.api)
    return messages, loaded._model.parameters


def prompty_renders(path: Path, values: Mapping[str, Any]) -> list[dict[str, str]]:
    """The messages, by prompty 2."""
    prompty: Any = import_module("prompty")
    messages = prompty.prepare(prompty.load(path), dict(values))
    return [
        {"role": str(message.role), "content": "".join(part.value for part in message.parts)}
        for message in messages
    ]
