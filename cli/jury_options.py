"""Options that combine verdicts into one: a jury's, or those on an answer's statements."""

from __future__ import annotations

from typing import TypedDict

import click

from ..errors import UsageError
from .shared_options import option, section
from .typed_options import RunOptions

jury_options = section(
    "Juries, and answers judged by statements",
    option("--jury", type=click.Choice(["majority", "mean", "escalate"]),
           help="Also count the judges' verdicts (and repeats) into one; escalate: the second judge is asked where the first is unsure."),
    option("--weights", metavar="W,W...", help="What each judge weighs in the jury.  [default: 1 each]"),
    option("--unsure", metavar="LOW-HIGH", default="0.2-0.8",
           help="Scores of the first judge that --jury escalate hands on; 0-0.5 hands on all that fail."),
    option("--split-statements", is_flag=True,
           help="Split long answers into statements and judge each (groundedness, prompts of your own); one verdict an answer beside."),
    option("--split-model", metavar="MODEL", help="The model that splits answers.  [default: the judge's]"),
)  # fmt: skip


class JuryFields(TypedDict, total=False):
    """Arguments of `plan_of` for juries and for splitting answers."""

    jury: str
    weights: tuple[float, ...]
    unsure: tuple[float, float]
    split: bool
    split_model: str | None


def jury_options_of(options: RunOptions) -> JuryFields:
    """Return the options for juries and for splitting answers, as arguments of `plan_of`."""
    if options.split_model is not None and not options.split_statements:
        raise UsageError("--split-model goes with --split-statements")
    fields = JuryFields(split=options.split_statements, split_model=options.split_model)
    if options.jury is None:
        if options.weights is not None:
            raise UsageError("--weights goes with --jury")
        return fields
    low, high = _numbers("--unsure", options.unsure, "-", 2)
    if not low <= high:
        raise UsageError(f"--unsure: expected LOW-HIGH, got {options.unsure!r}, which no score lies in")
    weights = () if options.weights is None else _numbers("--weights", options.weights, ",", None)
    fields |= {"jury": options.jury, "weights": weights, "unsure": (low, high)}
    return fields


def _numbers(option: str, text: str, separator: str, count: int | None) -> tuple[float, ...]:
    try:
        numbers = tuple(map(float, text.split(separator)))
    except ValueError:
        numbers = ()
    if not numbers or (count is not None and len(numbers) != count):
        raise UsageError(f"{option}: expected numbers separated by {separator!r}, got {text!r}")
    return numbers
