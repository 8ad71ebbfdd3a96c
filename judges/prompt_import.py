"""Makes a prompt file of a prompt that exists elsewhere: chat messages in JSON, or another tool's ``.prompty`` file."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from ..errors import UsageError
from .chat_import import import_chat
from .declared_scale import scale_from_option
from .front_matter import is_prompt_text, split_front_matter
from .inputs import INPUTS, nearest_input, refuse_unfillable
from .parsing import make_parser
from .prompt_file import PromptFile, prompt_of
from .prompty_import import import_prompty
from .rendering import compile_prompt


def import_prompt(
    path: Path, out: Path, inputs: Iterable[str] = (), scale: str | None = None, step: float | None = None
) -> tuple[str, PromptFile]:
    """Make a prompt file.

    Args:
        path: A JSON file with a chat message or several, or a ``.prompty`` file.
        out: Where the prompt file is to stand.
        inputs: What is to be judged: ``OURS``, or ``THEIRS=OURS``.
        scale: The worst score and the best, such as ``1-5``; None when the file says it.
        step: Distance of neighbouring scores; None when any number in between is one.

    Returns:
        Its text, and what it says.

    Raises:
        UsageError: An input is none of ours, or the scale is none.
        InputError: It cannot be imported.
        PromptError: It cannot be read, or would not be a prompt file that can be used.
    """
    sources = dict(_source(each) for each in inputs)
    try:
        declared = None if scale is None else scale_from_option(scale, step)
    except ValueError as error:
        raise UsageError(f"--scale {scale}: {error}") from error
    if is_prompt_text(path):
        if step is not None and declared is None:
            raise UsageError("--step goes with --scale: say which scores are the worst and the best")
        text = import_prompty(path, sources, declared)
    else:
        text = import_chat(path, sources, declared, step)
    prompt = prompt_of(split_front_matter(text, out))
    refuse_unfillable(prompt)
    make_parser(prompt)
    compile_prompt(prompt)
    return text, prompt


def _source(given: str) -> tuple[str, str]:
    theirs, equals, ours = given.partition("=")
    source = ours if equals else theirs
    if source not in INPUTS:
        near = nearest_input(source)
        hint = f"did you mean {near}? " if near else ""
        raise UsageError(
            f"--input {given}: unknown input {source!r}; {hint}inputs that exist: {', '.join(INPUTS)}"
        )
    return theirs, source
