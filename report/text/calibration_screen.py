"""One screen of a calibration: verdicts on the judges, their rates and limits.

`calibration_text` shows the same calibration in full.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import get_args

import msgspec

from ...calibration.agreement.calibration_results import Calibration, JudgeCalibration
from ...calibration.pass_threshold import ThresholdSource
from ...calibration.statistic import Caution
from ...judges.baseline import is_baseline_name
from ...spelling import setting
from ..document import CommandLine, Document, Piece
from ..document_parts import FIRST, DocumentTable
from ..first_answers import adjudicated_lines, verdicts_sentence
from ..items.naming import ShortNames
from . import number_text
from .agreement_text import judges_alone_pieces, jury_lines, recalibration_lines
from .calibration_text import requested_pieces, statistics_of, uneven_slices
from .caution_text import brief
from .judges_text import (
    BASELINE_NAMES,
    CONSTANTS,
    CONTROL,
    FAILED_GOOD,
    PASSED_BAD,
    group_label,
    heading_of,
    same_results,
)
from .one_screen import statistic_text
from .probability_text import only_curve, only_ranking, probability_lines
from .safe_text import WIDTH, columns_of
from .systems_text import judge_names
from .trust_words import Trust, TrustWord, controls_of, error_rates, trust_of

_TWO_PEOPLE = "human_human"
"""Key among the baselines for two people who label the same items; people are no baseline."""

_KAPPA = "cohen_kappa"
"""The only chance-corrected coefficient of agreement on this screen."""


_UNDECLARED: tuple[ThresholdSource, ...] = ("told", "costs", "default")
"""Sources of thresholds that the judge's prompt does not declare."""

_MAX_LABEL_RATIO = 1.2
"""Largest ratio of two judges' label counts at which the best judge is named."""


def calibration_screen(calibration: Calibration, *, slices: Iterable[str] = ()) -> Document:
    """Build the screen that says how far each judge can be trusted."""
    if not any(panel.n for panel in calibration.judges.values()):
        return _unlabelled_pieces(calibration)
    return _labelled_pieces(calibration, slices)


def _unlabelled_pieces(calibration: Calibration) -> Iterator[Piece]:
    rows = sum(panel.n_missing + panel.n_unlabelled for panel in calibration.judges.values())
    judges = number_text.counted(len(calibration.judges), "judge")
    yield f"{judges} and no label in {number_text.counted(rows, 'row')}: untested. Draw items to label:"
    yield CommandLine(number_text.draw_command())
    yield ""
    yield from jury_lines(calibration.juries)
    yield from judges_alone_pieces(calibration)


def _labelled_pieces(calibration: Calibration, slices: Iterable[str]) -> Iterator[Piece]:
    verdicts = list(trust_of(calibration))
    names = judge_names([verdict.judge for verdict in verdicts])
    yield verdicts_sentence(verdicts)
    if best := _best_judge(verdicts, len(calibration.judges)):
        yield best
    yield from _missing_class(verdicts)
    yield ""
    yield from _judge_tables(verdicts, controls_of(calibration), names)
    yield from _undeclared_thresholds(calibration)
    yield from probability_lines(calibration)
    yield from adjudicated_lines(verdicts)
    yield from jury_lines(calibration.juries)
    yield from recalibration_lines(calibration)
    yield from requested_pieces(calibration)
    yield _baseline_accuracies(calibration)
    yield from _custom_statistics(verdicts)
    for column in slices:
        yield _slice_table(column, calibration.slices.get(column, {}), names)
    yield from _suspected_labels(calibration)
    without_baselines = _restricted_to(calibration, {verdict.judge for verdict in verdicts})
    yield from brief(without_baselines.cautions, without_baselines.judges)
    yield from uneven_slices(without_baselines)
    yield from only_ranking(calibration)
    yield from only_curve(calibration)


def _restricted_to(calibration: Calibration, judges: Collection[str]) -> Calibration:
    """Return the calibration with cautions and homogeneity tests of these judges only."""
    cautions: list[Caution] = []
    for caution in calibration.cautions:
        # Names of other things than judges, such as strata, stay.
        about = {
            name: value
            for name, value in caution.about.items()
            if name in judges or name not in calibration.judges
        }
        if about or not caution.about:
            cautions.append(msgspec.structs.replace(caution, about=about))
    tests = {
        column: {name: test for name, test in by_judge.items() if name in judges}
        for column, by_judge in calibration.homogeneity.items()
    }
    return msgspec.structs.replace(calibration, cautions=cautions, homogeneity=tests)


def _best_judge(trust: Sequence[Trust], judge_count: int) -> str:
    """Name the judge with the highest balanced accuracy; empty if there are not several.

    Its interval holds for ``judge_count`` judges at once, since the judge is chosen by these numbers.
    """
    accuracies = [
        (
            verdict.judge,
            verdict.panel.balanced_accuracy_at_once or verdict.panel.statistics.get("balanced_accuracy"),
        )
        for verdict in trust
    ]
    rates = [
        (rate.value, judge, rate) for judge, rate in accuracies if rate is not None and rate.value is not None
    ]
    labels = [rate.n for _, _, rate in rates]
    if len(rates) < 2 or max(labels) > _MAX_LABEL_RATIO * min(labels):  # noqa: PLR2004 - a single judge is not compared
        return ""
    _, judge, rate = max(rates, key=lambda entry: entry[0])
    return f"{judge} has the highest balanced accuracy: {number_text.statistic(rate)}, n {rate.n:,} ({judge_count} at once)."


def _missing_class(trust: Sequence[Trust]) -> Iterator[str]:
    """Ask for labels of the other class where all labels of a judge pass, or all fail."""
    for present, absent, judges in (
        ("pass", "fail", [verdict for verdict in trust if verdict.good and not verdict.bad]),
        ("fail", "pass", [verdict for verdict in trust if verdict.bad and not verdict.good]),
    ):
        if judges:
            label_count = judges[0].good + judges[0].bad
            labels = f"{label_count:,} labels" if len(judges) == 1 and label_count > 1 else "labels"
            names = number_text.listed([judge.judge for judge in judges])
            of_judges = "" if len(judges) == len(trust) else f" of {names}"
            yield f"All {labels}{of_judges} {present}: label some outputs that {absent}."


def _judge_tables(trust: Sequence[Trust], controls: Sequence[Trust], names: ShortNames) -> Iterator[Piece]:
    """Yield the table of judges by verdict, then the baselines.

    The widest form that fits the screen is shown: with intervals of kappa, without, or with the shared part of names above.
    """
    words: tuple[TrustWord, ...] = get_args(TrustWord)
    groups: dict[str, Sequence[Trust]] = {
        heading_of(word): [verdict for verdict in trust if verdict.word == word] for word in words
    } | {CONTROL: controls}
    title = "judge" + (f" ({names.shared})" if names.shared else "")
    wide, narrow = (
        _judge_table(title, groups, names, kappa_interval=with_interval) for with_interval in (True, False)
    )
    names_above = _judge_table("judge", groups, names, kappa_interval=False)
    if _width(wide) <= WIDTH:
        yield wide
    elif _width(narrow) <= max(WIDTH, _width(names_above)):
        yield narrow
    else:
        yield f"judges {names.shared}"
        yield names_above


def _undeclared_thresholds(calibration: Calibration) -> Iterator[str]:
    """Yield the thresholds that come from the user or the default, not from a judge's prompt.

    Judges whose scores are all 0 or 1 need none.
    """
    judges_by_threshold: dict[tuple[float, str], list[str]] = {}
    for judge in calibration.probability:
        panel = calibration.judges[judge]
        source: str = panel.pass_at_source
        if source in _UNDECLARED and not is_baseline_name(judge):
            setting_name = "error_costs" if source == "costs" else "pass_at"
            judges_by_threshold.setdefault((panel.pass_at, setting_name), []).append(judge)
    for (threshold, setting_name), names in judges_by_threshold.items():
        subject = names[0] if len(names) == 1 else number_text.counted(len(names), "judge")
        yield f"{subject}: scores from {threshold:.4g} pass ({setting(setting_name)})."


def _width(table: DocumentTable) -> int:
    return max(map(columns_of, table.lines()))


def _judge_table(
    title: str, groups: Mapping[str, Sequence[Trust]], names: ShortNames, *, kappa_interval: bool
) -> DocumentTable:
    rows: list[tuple[str, ...]] = []
    for heading, group in groups.items():
        rows += [(f"{heading}:", "", "", "", "")] if group else []
        rows += [
            (
                f"  {group_label(variants, _short_name(names, variants[0].judge))}",
                *_rate_cells(variants[0].panel, kappa_interval=kappa_interval),
            )
            for variants in same_results(group)
        ]
    return DocumentTable(
        (title, PASSED_BAD, FAILED_GOOD, "kappa", "bad+good"), rows, left_aligned=FIRST, indent=0
    )


def _short_name(names: ShortNames, judge: str) -> str:
    """Return a judge's short name; for a baseline, the judge whose place it takes."""
    return names.of(judge) if judge in names.short else judge.partition("/")[0]


def _rate_cells(panel: JudgeCalibration, *, kappa_interval: bool) -> tuple[str, ...]:
    kappa = panel.statistics.get(_KAPPA)
    value = None if kappa is None else kappa.value
    kappa_text = (
        statistic_text(kappa) if kappa_interval else "-" if value is None else number_text.decimal(value)
    )
    return (
        *map(statistic_text, error_rates(panel)),
        kappa_text,
        f"{panel.fp + panel.tn:,}+{panel.tp + panel.fn:,}",
    )


def _baseline_accuracies(calibration: Calibration) -> str:
    """Return the baselines' accuracies, grouped by n, and how often two people agree."""
    names_by_n: dict[int, list[str]] = {}
    people_sentence = ""
    for name, panel in calibration.baselines.items():
        accuracy = panel.statistics.get("accuracy")
        if accuracy is None or accuracy.value is None:
            continue
        if name == _TWO_PEOPLE:
            agreements = round(accuracy.value * accuracy.n)
            people_sentence = f" Two people agree on {agreements:,} of {accuracy.n:,}."
            continue
        value, n = _accuracy_on_judged_labels(calibration, name, accuracy.n) or (accuracy.value, accuracy.n)
        names_by_n.setdefault(n, []).append(f"{BASELINE_NAMES.get(name, name)} {number_text.decimal(value)}")
    texts = [f"{', '.join(names)} (n {n:,})" for n, names in names_by_n.items()]
    return (
        f"Accuracy of baselines: {'; '.join(texts)}.{people_sentence}" if texts else people_sentence.strip()
    )


def _accuracy_on_judged_labels(
    calibration: Calibration, baseline: str, labelled: int
) -> tuple[float, int] | None:
    """Return a constant baseline's accuracy and n on the labels that the only judge grades.

    None if that judge grades all labelled items, if there are several judges (which may grade different items), and for
    baselines that are not constant.
    """
    judges = list(trust_of(calibration))
    if len(judges) != 1 or baseline not in CONSTANTS:
        return None
    panel = judges[0].panel
    good, bad = panel.tp + panel.fn, panel.fp + panel.tn
    correct = good if baseline == CONSTANTS[0] else bad
    return (correct / (good + bad), good + bad) if 0 < good + bad < labelled else None


def _custom_statistics(trust: Sequence[Trust]) -> Iterator[str]:
    for verdict in trust:
        statistics = statistics_of(verdict.panel, "custom")
        if texts := [f"{name} {number_text.statistic(statistic)}" for name, statistic in statistics.items()]:
            yield f"{verdict.judge}: {', '.join(texts)}"


def _slice_table(
    column: str, values: Mapping[str, Mapping[str, JudgeCalibration]], names: ShortNames
) -> DocumentTable:
    rows = [
        (f"{value}: {names.of(judge)}", *_rate_cells(panel, kappa_interval=False))
        for value, panels in values.items()
        for judge, panel in panels.items()
    ]
    return DocumentTable((f"by {column}", PASSED_BAD, FAILED_GOOD, "kappa", "bad+good"), rows, indent=0)


def _suspected_labels(calibration: Calibration) -> Iterator[str]:
    if calibration.suspected_label_errors and len(calibration.judges) > 1:
        first_item = calibration.suspected_label_errors[0].item_id
        labels = number_text.counted(calibration.suspected_count, "label")
        yield f"Most judges contradict {labels}; look first at {first_item}."
