"""Command that regrades the outputs of a run with other cases, in another folder."""

from __future__ import annotations

import shlex
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path

_ONE_TIME = ("--generate", "--agent", "--labels-patch", "--again")
"""Options that make outputs or cases, so that their command cannot be repeated with other cases."""


def rerun_command(
    typed: Sequence[str],
    named: Collection[str],
    *,
    cases: Path,
    outputs: Sequence[str],
    labels: Path | None,
    out: Path,
) -> str:
    """Return the command of a run with other cases and another folder.

    Args:
        typed: The words of the original command.
        named: The cases as named in it.
        cases: The cases that take their place.
        outputs: The run's outputs.
        labels: Labels that the run keeps.
        out: The other folder.
    """
    repeatable = typed[1:2] in (["run"], ["judge"]) and set(named) <= {*typed}
    if repeatable and not any(word.split("=")[0] in _ONE_TIME for word in typed):
        words = ["fiducial", "run", str(cases), *_without(typed[2:], named)]
    else:
        words = ["fiducial", "run", str(cases), "--outputs", *outputs]
    if labels is not None and not any(word.split("=")[0] == "--labels" for word in words):
        words += ["--labels", str(labels)]
    return shlex.join([*words, "--out", str(out)])


def _without(words: Sequence[str], named: Collection[str]) -> Iterator[str]:
    """Yield the words of a command except its cases and folder."""
    remaining, is_folder = set(named), False
    for word in words:
        if is_folder or word.startswith("--out="):
            is_folder = False
        elif word == "--out":
            is_folder = True
        elif word in remaining:
            remaining.remove(word)
        else:
            yield word
