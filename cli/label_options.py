"""Options for the meaning of grades in tables and labels."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import click

from ..errors import UsageError
from ..records.grades import require_chosen_scores
from .param_types import NamedScaleType, Number, ScaleType
from .shared_options import compose, option, pairs

_GRADES = f"{__name__}.grades"


def _store(ctx: click.Context, param: click.Parameter, value: Any) -> None:
    if value:
        ctx.meta.setdefault(_GRADES, {})[param.name] = value


grade_options = compose(
    option("--label-scale", type=ScaleType(), metavar="WORST:BEST", expose_value=False, callback=_store,
           help="Scale of the labels: 1:5, or 5:1 if 1 is best."),
    option("--label-pass-at", type=Number(), metavar="GRADE", expose_value=False, callback=_store,
           help="Worst label that passes, as it is written: 4.  [default: fractions are kept]"),
    option("--map-label", multiple=True, metavar="WORD=SCORE", expose_value=False, callback=_store,
           help="Score of a word in labels: grounded=1, timeout= for no grade; may be given several times. Pass, fail, yes, no, good, bad, ok, up and down are known."),
)  # fmt: skip

label_columns_option = option(
    "--map", multiple=True, metavar="NAME=COLUMN", expose_value=False, callback=_store,
    help="Name a column of the --labels table that is not recognised: id=ticket, label=verdict.",
)  # fmt: skip

label_options = compose(grade_options, label_columns_option)

score_scale_option = option(
    "--score-scale",
    type=NamedScaleType(),
    multiple=True,
    metavar="[JUDGE=]WORST:BEST",
    expose_value=False,
    callback=_store,
    help="Scale of judges' scores in a file: 1:5, or gpt=1:5 for one judge; may be given several times.",
)


def grade_words() -> list[str]:
    """Return the typed grade options as words of a command line, for proposed commands."""
    grades: dict[str, Any] = click.get_current_context().meta.get(_GRADES, {})
    words: list[str] = []
    for name, value in grades.items():
        for each in value if name in {"map", "map_label", "score_scale"} else [value]:
            words += [f"--{name.replace('_', '-')}", _as_typed(name, each)]
    return words


def _as_typed(name: str, value: Any) -> str:
    if name == "score_scale":
        judge, scale = value
        return f"{judge}={_as_typed('label_scale', scale)}" if judge else _as_typed("label_scale", scale)
    return f"{value[0]:g}:{value[1]:g}" if name == "label_scale" else str(value)


def _scores_of_words(words: Iterable[str]) -> dict[str, float | None]:
    """Parse ``WORD=SCORE``; ``WORD=`` stands for no grade."""
    typed = [text.rpartition("=") for text in words]
    require_chosen_scores({word: score for word, _, score in typed})
    scores: dict[str, float | None] = {}
    for word, equals, score in typed:
        is_readable = bool(word and equals)
        try:
            scores[word] = float(score) if score.strip() else None
        except ValueError:
            is_readable = False
        if not is_readable:
            text = f"{word}{equals}{score}"
            raise UsageError(f"--map-label expects WORD=SCORE, or WORD= for no grade, got {text!r}")
    return scores


def _scales_by_judge(scales: Iterable[tuple[str, tuple[float, float]]]) -> dict[str, tuple[float, float]]:
    by_judge: dict[str, tuple[float, float]] = {}
    for judge, scale in scales:
        if by_judge.setdefault(judge, scale) != scale:
            raise UsageError(f"--score-scale: two scales for {judge or 'all judges'}; give one")
    return by_judge


def grade_arguments() -> dict[str, Any]:
    """Return the grade options as arguments of the Python API."""
    grades: dict[str, Any] = dict(click.get_current_context().meta.get(_GRADES, {}))
    if "map_label" in grades:
        grades["map_label"] = _scores_of_words(grades["map_label"])
    if "score_scale" in grades:
        grades["score_scale"] = _scales_by_judge(grades["score_scale"])
    if "map" in grades:
        grades["map"] = pairs("--map", grades["map"])
    return grades
