"""Options for the meaning of grades in tables and labels."""

from __future__ import annotations

from collections.abc import Iterable
from csv import reader
from typing import Any

from ..errors import UsageError
from ..proposed_steps import Option
from ..settings.labels_settings import (
    GradesSettings,
    HeaderSettings,
    LabelColumnsSettings,
    ScoreKindsSettings,
    ScoreScalesSettings,
)
from ..settings.setting import names_of
from ..spelling import spelled_scale
from ..tables.grades import UNKNOWN, require_chosen_scores
from .forms import stored_values
from .shared_options import pairs

_GRADE_OPTIONS = frozenset[str]().union(
    *map(names_of, (GradesSettings, LabelColumnsSettings, ScoreKindsSettings, ScoreScalesSettings))
)


_HEADER_OPTIONS = frozenset(names_of(HeaderSettings))
_REPEATABLE_OPTIONS = {"map", "map_label", "score_scale"}


def _typed_grades() -> dict[str, Any]:
    return {
        name: value
        for name, value in stored_values().items()
        if name in _GRADE_OPTIONS and value is not False
    }


def grade_options() -> tuple[Option, ...]:
    """Return the typed options of grades and of a header, for proposed commands."""
    from ..settings.typed_commands import options_named

    typed_options: dict[str, Any] = {}
    for name, value in _typed_grades().items():
        if name == "scores_are":  # the proposed commands do not use kinds of scores
            continue
        texts = [_as_typed(name, item) for item in (value if name in _REPEATABLE_OPTIONS else [value])]
        typed_options[name] = True if value is True else texts
    typed_options |= {name: value for name, value in stored_values().items() if name in _HEADER_OPTIONS}
    return options_named("plan", **typed_options)


def _as_typed(name: str, value: Any) -> str:
    if name == "score_scale":
        judge, scale = value
        return f"{judge}={_as_typed('label_scale', scale)}" if judge else _as_typed("label_scale", scale)
    if name != "label_scale":
        return str(value)
    return ":".join(end if isinstance(end, str) else f"{end:g}" for end in value)


def _scores_of_words(words: Iterable[str]) -> dict[str, float | None]:
    """Parse ``WORD=SCORE``; ``WORD=`` stands for no grade."""
    word_parts = [text.rpartition("=") for text in words]
    require_chosen_scores({word: score for word, _, score in word_parts})
    scores: dict[str, float | None] = {}
    for word, equals, score in word_parts:
        is_readable = bool(word and equals)
        try:
            scores[word] = float(score) if score.strip() else None
        except ValueError:
            is_readable = False
        if not is_readable:
            text = f"{word}{equals}{score}"
            raise UsageError(f"--map-label expects WORD=SCORE, or WORD= for no grade, got {text!r}")
    return scores


def _has_open_choice(name: str, value: Any) -> bool:
    """Return whether an option has a ``?`` that the user has to replace."""
    if name == "map_label":
        return str(value).endswith(f"={UNKNOWN}")
    if name == "map":
        return UNKNOWN in str(value).split("=")
    return UNKNOWN in (value[1] if name == "score_scale" else value)


def without_open_choices(grades: dict[str, Any]) -> dict[str, Any]:
    """Return grade options without those that have a ``?``."""
    settled: dict[str, Any] = {}
    for name, value in grades.items():
        if name in {"map", "map_label", "score_scale"}:
            settled[name] = tuple(choice for choice in value if not _has_open_choice(name, choice))
        elif name != "label_scale" or not _has_open_choice(name, value):
            settled[name] = value
    return settled


def _require_ends(name: str, scale: Any, judge: str = "") -> None:
    if UNKNOWN in scale:
        option = spelled_scale(name, ":".join(map(str, scale)), judge or None)
        raise UsageError(f"replace each ? in {option} with the worst and the best grade")


def _scales_by_judge(scales: Iterable[tuple[str, tuple[float, float]]]) -> dict[str, tuple[float, float]]:
    by_judge: dict[str, tuple[float, float]] = {}
    for judge, scale in scales:
        _require_ends("score_scale", scale, judge)
        if by_judge.setdefault(judge, scale) != scale:
            raise UsageError(f"--score-scale: two scales for {judge or 'all judges'}; give one")
    return by_judge


def header_arguments() -> dict[str, Any]:
    """Return the options of a header as arguments of the Python API."""
    typed_options = stored_values()
    if typed_options.get("header") and typed_options.get("no_header"):
        raise UsageError("--header and --no-header exclude each other")
    column_names = typed_options.get("column_names")
    header = None
    if typed_options.get("header") or typed_options.get("no_header"):
        header = bool(typed_options.get("header"))
    return {
        "header": header,
        "column_names": None if column_names is None else next(reader([column_names]), list[str]()),
    }


def grade_arguments(*, dry_run: bool = False) -> dict[str, Any]:
    """Return the grade options as Python arguments; in a dry run without those with ``?``."""
    grades = without_open_choices(_typed_grades()) if dry_run else _typed_grades()
    if "label_scale" in grades and grades["label_scale"] is not None:
        _require_ends("label_scale", grades["label_scale"])
    if "map_label" in grades:
        grades["map_label"] = _scores_of_words(grades["map_label"])
    if "score_scale" in grades:
        grades["score_scale"] = _scales_by_judge(grades["score_scale"])
    if "scores_are" in grades:
        grades["scores_are"] = dict(grades["scores_are"])
    if "map" in grades:
        grades["map"] = pairs("--map", grades["map"])
    return grades
