"""The prompts that come with fiducial, and how a prompt is found by name or path."""

from __future__ import annotations

import difflib
from pathlib import Path
from typing import NamedTuple

from ..errors import PromptError, UsageError

SUFFIX = ".prompty"
_FOLDER = Path(__file__).parent.parent / "prompts"

DEFAULT_VARIANTS: dict[str, str] = dict.fromkeys(
    ("groundedness", "memory_answer", "rubric", "task_completion", "tool_call_accuracy", "web_search_answer"),
    "reasons",
)
"""The variant that a judge's bare name means: reasons first, which costs tokens and shows what a score rests on."""


class PromptName(NamedTuple):
    """A judge and one of its variants."""

    judge: str
    variant: str

    def __str__(self) -> str:
        return f"{self.judge}/{self.variant}"


SPLITTER = PromptName("statements", "split")
"""The prompt that splits long answers into statements; no judge."""


def shipped_prompts() -> dict[PromptName, Path]:
    """Every judge's prompt that comes with fiducial, sorted by name."""
    return {name: file for name, file in all_prompts().items() if name != SPLITTER}


def all_prompts() -> dict[PromptName, Path]:
    """Every prompt that comes with fiducial, sorted by name; with those that are no judge."""
    files = sorted(_FOLDER.glob(f"*/*{SUFFIX}"))
    return {PromptName(file.parent.name, file.stem): file for file in files}


def find_prompt(spec: str) -> tuple[PromptName, Path]:
    """Find a prompt.

    Args:
        spec: ``judge`` (its default variant), ``judge/variant``, or a path to a ``.prompty`` file. A file is named by its
            stem, with the variant ``custom``.

    Returns:
        Its name and its file.

    Raises:
        PromptError: There is no such file.
        UsageError: There is no such judge; the message lists what there is.
    """
    if spec.endswith(SUFFIX):
        path = Path(spec)
        if not path.is_file():
            raise PromptError(f"{spec}: there is no such prompt file")
        return PromptName(path.stem, "custom"), path
    judge, slash, variant = spec.partition("/")
    name = PromptName(judge, variant if slash else DEFAULT_VARIANTS.get(judge, ""))
    shipped = all_prompts()
    if name in shipped:
        return name, shipped[name]
    known = [str(entry) for entry in shipped_prompts()]
    close = difflib.get_close_matches(spec, [*known, *DEFAULT_VARIANTS], 1)
    hint = f"did you mean {close[0]}?" if close else f"there are {', '.join(known)}, or name a {SUFFIX} file"
    raise UsageError(f"no judge {spec!r}: {hint}")
