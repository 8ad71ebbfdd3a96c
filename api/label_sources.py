"""Labels in any form: verdicts, or tables of grades."""

from __future__ import annotations

import math
import os
import reprlib
from collections.abc import Mapping, Sequence
from numbers import Real
from pathlib import Path
from typing import Any, TypeAlias, TypedDict, Unpack, cast

from ..errors import UsageError
from ..records import InputPath
from ..records.scale import Scale, distance, is_finite
from ..records.score_kinds import ScoreKind
from ..spelling import setting, spelled_pairs
from ..tables.grades import plain_word
from ..tables.gzipped import unpacked
from ..tables.header import OF_SECOND_TABLE
from ..tables.label_table import LabelTable, is_verdicts, label_table
from ..tables.several_label_files import joined_label_files
from .argument_checks import require_choice, require_declared, require_range
from .paths import FilePath, Labels, source

GivenScale: TypeAlias = tuple[float, float] | Mapping[str, tuple[float, float]]
"""The worst and the best score as they are written, ``(1, 5)``, or those of each judge; the name "" stands for all other judges."""

GivenKind: TypeAlias = ScoreKind | Mapping[str, ScoreKind]
"""Kind of judges' scores, ``probabilities`` that an output passes or ``grades``; or the kind by judge."""

LabelFiles: TypeAlias = Labels | Sequence[FilePath]
"""Labels, or several files of them."""


class LabelReading(TypedDict, total=False):
    """Options for reading a table of labels.

    Attributes:
        map: What unrecognised columns hold: column names by field, or fields by column name.
        label_scale: The worst and the best label, as they are written.
        label_pass_at: The worst label that passes, as it is written.
        map_label: Scores of words, or None if a word is not a grade.
        all_alike: Whether to accept a ``map_label`` by which all labels pass, or all fail.
    """

    map: Mapping[str, str] | None
    label_scale: tuple[float, float] | None
    label_pass_at: float | None
    map_label: Mapping[str, float | None] | None
    all_alike: bool


def unpacked_source(name: str, labels: Labels) -> InputPath:
    """Return the source of labels, unpacked if it is a gzip file."""
    path = source(name, labels)
    return unpacked(path) if isinstance(path, Path) else path


def unread_note(labels: InputPath | None) -> str:
    """Return how many rows of a table of labels were skipped, and why; empty if none was."""
    return labels.unread.note() if isinstance(labels, LabelTable) else ""


def label_source(labels: Labels, grades: Scale, columns: Mapping[str, str] | None = None) -> InputPath:
    """Return the source of labels: verdicts, or a table of grades.

    Raises:
        InputError: A table cannot be read, or a value is not a grade.
        UsageError: Options for tables were given with verdicts, or the argument is neither.
    """
    path = unpacked_source("labels", labels)
    if is_verdicts(path):
        if grades.reads_numbers:  # a scale or threshold was given
            raise UsageError(
                f"{setting('label_scale')} and {setting('label_pass_at')} are about tables of grades; verdicts are in [0, 1]"
            )
        return path
    return label_table(path, grades, columns or {}, header=OF_SECOND_TABLE)


def label_files(labels: LabelFiles, grades: Scale, columns: Mapping[str, str] | None = None) -> InputPath:
    """Return the source of labels that may be in several files.

    Raises:
        InputError: See `label_source`.
        UsageError: See `label_source`; or some files hold verdicts, others are tables.
    """
    files: Sequence[Labels] = [cast("Labels", labels)]
    if (
        isinstance(labels, (list, tuple))
        and labels
        and all(isinstance(label, (str, os.PathLike)) for label in labels)
    ):
        files = cast("Sequence[Labels]", labels)
    return joined_label_files([label_source(file, grades, columns) for file in files])


def label_input(labels: Labels, **reading: Unpack[LabelReading]) -> InputPath:
    """Return the source of labels from the options for reading a table; see `label_source`."""
    return label_source(labels, grade_meaning(**reading), reading.get("map"))


def grade_meaning(**reading: Unpack[LabelReading]) -> Scale:
    """Return the meaning of grades from the options for reading a table; see `grade_scale`."""
    require_declared(reading, LabelReading)
    return grade_scale(
        reading.get("label_scale"),
        reading.get("label_pass_at"),
        reading.get("map_label"),
        all_alike=reading.get("all_alike", False),
    )


def grade_scale(
    ends: tuple[float, float] | None,
    pass_at: float | None,
    words: Mapping[str, float | None] | None,
    *,
    name: str = "label_scale",
    all_alike: bool = False,
) -> Scale:
    """Return the meaning of grades from their scale's ends, a threshold and scores of words.

    Raises:
        UsageError: The ends are equal, the threshold is not between them, or a word's score is not in [0, 1].
    """
    if ends is not None:
        _require_scale(ends, name)
        ends = (float(ends[0]), float(ends[1]))
    require_range("label_pass_at", pass_at, -math.inf, math.inf)
    if pass_at is not None and ends is not None and not min(ends) <= pass_at <= max(ends):
        raise UsageError(
            f"{setting('label_pass_at', f'{pass_at:g}')} is not on the scale {ends[0]:g}:{ends[1]:g}"
        )
    for word, score in (words or {}).items():
        if score is not None and not (isinstance(score, Real) and 0.0 <= score <= 1.0):  # pyright: ignore[reportUnnecessaryIsInstance] - callers are not all typed
            raise UsageError(f"{spelled_pairs('map_label', {word: score})}: expected a score in [0, 1]")
    score_by_word = {plain_word(word): score for word, score in (words or {}).items()}
    return Scale.from_ends(ends, pass_at=pass_at, words=score_by_word, all_alike=all_alike)


def score_scales(
    scale: GivenScale | None,
    words: Mapping[str, float | None] | None,
    *,
    all_alike: bool = False,
) -> dict[str, Scale]:
    """Return the scales of judges' scores, by judge; the name "" stands for all others.

    Raises:
        UsageError: See `grade_scale`.
    """
    ends: dict[str, tuple[float, float]] = {}
    if scale is not None:
        ends = dict(scale) if isinstance(scale, Mapping) else {"": scale}
    scales = {
        judge: grade_scale(ends_of_judge, None, words, name="score_scale", all_alike=all_alike)
        for judge, ends_of_judge in ends.items()
    }
    return {"": grade_scale(None, None, words, all_alike=all_alike)} | scales


def score_kinds(given: GivenKind | None) -> Mapping[str, ScoreKind]:
    """Return the declared kinds of scores by judge; the name "" stands for all others."""
    kinds: Mapping[str, ScoreKind] = {}
    if given is not None:
        kinds = given if isinstance(given, Mapping) else {"": given}
    for kind in kinds.values():
        require_choice("scores_are", kind, ScoreKind)
    return kinds


def _require_scale(ends: Any, name: str) -> None:
    """Raise a UsageError for anything but two different numbers, finite like their distance."""
    pair = cast("Sequence[Any]", ends if isinstance(ends, Sequence) and not isinstance(ends, str) else ())
    is_pair = len(pair) == 2 and all(isinstance(end, Real) and is_finite(end) for end in pair)  # noqa: PLR2004 - both ends
    if not is_pair:
        raise UsageError(
            f"{name} expects the worst and the best grade, (1, 5), got {reprlib.repr(cast(object, ends))}"
        )
    if distance(*pair) is None:
        raise UsageError(f"{setting(name)} expects grades at a finite distance, got {pair[0]:g}:{pair[1]:g}")
    if float(pair[0]) == float(pair[1]):
        raise UsageError(f"{setting(name)} expects two different grades, got {pair[0]:g}:{pair[1]:g}")
