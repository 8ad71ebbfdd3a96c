"""A judge: a prompt, a model, a way to read replies, and a fingerprint of all that."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from ..errors import UsageError
from ..records import Case, Message, Output
from .catalogue import PromptName, find_prompt
from .inputs import fill_inputs
from .parsing import LOGPROBS, PARSER_VERSION, STATEMENTS, ReplyParser, make_parser, statements_beside
from .prompt_file import PromptFile, read_prompt_file
from .rendering import Render, compile_prompt

_WITH_LOGPROBS: Mapping[str, Any] = {"logprobs": True, "top_logprobs": 5}
"""Decoding parameters that ask for log-probabilities; five alternatives are what every provider gives."""


@dataclass(frozen=True, slots=True)
class Judge:
    """A prompt that is asked of a model.

    Attributes:
        name: The prompt's judge and variant.
        model: The model's name at the endpoint.
        prompt: The prompt file.
        parameters: Decoding parameters: the prompt's, with the user's on top.
        parse: Reads replies.
        fingerprint: Hash of prompt, model, decoding parameters and parser version; equal fingerprints mean comparable scores.
        render: Makes messages of values.
    """

    name: PromptName
    model: str
    prompt: PromptFile
    parameters: Mapping[str, Any]
    parse: ReplyParser
    fingerprint: str
    render: Render

    @property
    def by(self) -> str:
        """How its verdicts are signed: ``judge/variant@model``."""
        return f"{self.name}@{self.model}"

    def messages(self, case: Case, output: Output) -> list[Message]:
        """What is sent to the model for one output.

        Args:
            case: What was to be done.
            output: What the system produced.

        Returns:
            Chat messages.

        Raises:
            NotApplicableError: The item lacks what this judge judges by.
            PromptError: The template cannot be rendered.
        """
        return self.render(fill_inputs(self.prompt.inputs, case, output))

    @property
    def weighs(self) -> bool:
        """Whether its score is the probability of the best score, by the reply's log-probabilities."""
        return (self.prompt.parse or {}).get("mode") == LOGPROBS

    @property
    def splits(self) -> bool:
        """Whether it splits answers into statements instead of judging them."""
        return (self.prompt.parse or {}).get("mode") == STATEMENTS

    def beside(self, case: Case, output: Output) -> Judge:
        """The same with a parser that knows the item, where a reply can only be read beside it.

        Args:
            case: What was to be done.
            output: What the system produced.

        Returns:
            This very judge, unless it splits answers.
        """
        if not self.splits:
            return self
        shown = fill_inputs(self.prompt.inputs, case, output)
        return replace(self, parse=statements_beside(shown["response"], shown.get("query", "")))


def load_judge(spec: str, *, model: str, parameters: Mapping[str, Any] | None = None) -> Judge:
    """Load a judge.

    Args:
        spec: ``judge`` (its default variant), ``judge/variant``, ``statements/split``, or a path to a ``.prompty`` file.
        model: The model's name at the endpoint.
        parameters: Decoding parameters that replace the prompt's; None as a value leaves one out.

    Returns:
        The judge.

    Raises:
        UsageError: There is no such judge, or no model is named.
        PromptError: The prompt file cannot be used.
    """
    if not model:
        raise UsageError("a judge needs a model: name one with --model")
    name, path = find_prompt(spec)
    prompt = read_prompt_file(path)
    weighs = (prompt.parse or {}).get("mode") == LOGPROBS
    merged = {**(_WITH_LOGPROBS if weighs else {}), **prompt.parameters, **(parameters or {})}
    merged = {key: value for key, value in merged.items() if value is not None}
    return Judge(
        name=name,
        model=model,
        prompt=prompt,
        parameters=merged,
        parse=make_parser(prompt),
        fingerprint=_fingerprint(path, model, merged),
        render=compile_prompt(prompt),
    )


def _fingerprint(path: Path, model: str, parameters: Mapping[str, Any]) -> str:
    settings = json.dumps([model, parameters, PARSER_VERSION], sort_keys=True)
    return hashlib.sha256(path.read_bytes() + b"\0" + settings.encode()).hexdigest()
