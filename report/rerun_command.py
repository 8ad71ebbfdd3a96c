"""Command that regrades the outputs of a run with other cases, in another folder."""

from __future__ import annotations

import shlex
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path

_ONE_TIME = ("--generate", "--agent", "--labels-patch", "--again")
"""Options that make outputs or cases, so that their command cannot be repeated with other cases."""


def rerun_command(
    words: Sequence[str],
    case_arguments: Collection[str],
    *,
    cases: Path,
    outputs: Sequence[str],
    labels: Path | None,
    out: Path,
) -> str:
    """Return the command of a run with other cases and another folder.

    Args:
        words: The original command, word by word.
        case_arguments: The words of it that name the cases.
        cases: The cases that take their place.
        outputs: The run's outputs.
        labels: Labels that the run keeps.
        out: The other folder.
    """
    repeatable = words[1:2] in (["run"], ["judge"]) and set(case_arguments) <= {*words}
    if repeatable and not any(word.split("=")[0] in _ONE_TIME for word in words):
        command = ["fiducial", "run", str(cases), *_without(words[2:], case_arguments)]
    else:
        command = ["fiducial", "run", str(cases), "--outputs", *outputs]
    if labels is not None and not any(word.split("=")[0] == "--labels" for word in command):
        command += ["--labels", str(labels)]
    return shlex.join([*command, "--out", str(out)])


def _without(words: Sequence[str], case_arguments: Collection[str]) -> Iterator[str]:
    """Yield the words of a command except its cases and folder."""
    remaining, is_folder = set(case_arguments), False
    for word in words:
        if is_folder or word.startswith("--out="):
            is_folder = False
        elif word == "--out":
            is_folder = True
        elif word in remaining:
            remaining.remove(word)
        else:
            yield word
