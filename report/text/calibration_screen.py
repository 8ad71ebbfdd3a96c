"""One screen of a calibration: verdicts on the judges, their rates and limits."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import get_args

import msgspec

from ...calibration.agreement.calibration_results import Calibration, JudgeCalibration
from ...calibration.pass_threshold import ThresholdSource
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

_PEOPLE = "human_human"
"""Panel of two people's labels of the same items, which is no baseline."""

_KAPPA = "cohen_kappa"
"""The one coefficient of agreement on this screen."""


_UNDECLARED: tuple[ThresholdSource, ...] = ("told", "costs", "default")
"""Sources of thresholds that the judge's prompt does not declare."""

_LABEL_RATIO = 1.2
"""Largest ratio of label counts at which the best of several judges is named."""


def calibration_screen(calibration: Calibration, *, slices: Iterable[str] = ()) -> Document:
    """Answer how far each judge can be trusted."""
    if not any(panel.n for panel in calibration.judges.values()):
        return _unlabelled(calibration)
    return _pieces(calibration, slices)


def _unlabelled(calibration: Calibration) -> Iterator[Piece]:
    rows = sum(panel.n_missing + panel.n_unlabelled for panel in calibration.judges.values())
    judges = number_text.counted(len(calibration.judges), "judge")
    yield f"{judges} and no label in {number_text.counted(rows, 'row')}: untested. Draw items to label:"
    yield CommandLine(number_text.draw_command())
    yield ""
    yield from jury_lines(calibration.juries)
    yield from judges_alone_pieces(calibration)


def _pieces(calibration: Calibration, slices: Iterable[str]) -> Iterator[Piece]:
    trust = list(trust_of(calibration))
    names = judge_names([each.judge for each in trust])
    yield verdicts_sentence(trust)
    if best := _best(trust, len(calibration.judges)):
        yield best
    yield from _one_sided(trust)
    yield ""
    yield from _judges(trust, controls_of(calibration), names)
    yield from _thresholds(calibration)
    yield from probability_lines(calibration)
    yield from adjudicated_lines(trust)
    yield from jury_lines(calibration.juries)
    yield from recalibration_lines(calibration)
    yield from requested_pieces(calibration)
    yield _baseline_accuracies(calibration)
    yield from _custom(trust)
    for column in slices:
        yield _slice(column, calibration.slices.get(column, {}), names)
    yield from _suspects(calibration)
    judged = _of_judges(calibration, {each.judge for each in trust})
    yield from brief(judged.cautions, judged.judges)
    yield from uneven_slices(judged)
    yield from only_ranking(calibration)
    yield from only_curve(calibration)


def _of_judges(calibration: Calibration, judges: Collection[str]) -> Calibration:
    """Return a calibration whose cautions and tests are of these judges, without the baselines."""
    cautions = [
        msgspec.structs.replace(caution, about=about)
        for caution in calibration.cautions
        for about in [
            {
                name: value
                for name, value in caution.about.items()
                if name in judges or name not in calibration.judges
            }
        ]
        if about or not caution.about
    ]
    tests = {
        column: {name: test for name, test in by_judge.items() if name in judges}
        for column, by_judge in calibration.homogeneity.items()
    }
    return msgspec.structs.replace(calibration, cautions=cautions, homogeneity=tests)


def _best(trust: Sequence[Trust], at_once: int) -> str:
    """Name the judge with the highest balanced accuracy, if there are several.

    Its interval holds for so many judges at once.
    """
    panels = [(each.judge, each.panel) for each in trust]
    known = [
        (judge, panel.balanced_accuracy_at_once or panel.statistics.get("balanced_accuracy"))
        for judge, panel in panels
    ]
    rates = [
        (rate.value, judge, rate) for judge, rate in known if rate is not None and rate.value is not None
    ]
    labels = [rate.n for _, _, rate in rates]
    if len(rates) < 2 or max(labels) > _LABEL_RATIO * min(labels):  # noqa: PLR2004 - a single judge is not compared
        return ""
    _, judge, rate = max(rates, key=lambda each: each[0])
    return f"{judge} has the highest balanced accuracy: {number_text.statistic(rate)}, n {rate.n:,} ({at_once} at once)."


def _one_sided(trust: Sequence[Trust]) -> Iterator[str]:
    """Ask for labels of a class that has none."""
    for present, absent, judges in (
        ("pass", "fail", [each for each in trust if each.good and not each.bad]),
        ("fail", "pass", [each for each in trust if each.bad and not each.good]),
    ):
        if judges:
            count = judges[0].good + judges[0].bad
            labels = f"{count:,} labels" if len(judges) == 1 and count > 1 else "labels"
            names = number_text.listed([judge.judge for judge in judges])
            of_judges = "" if len(judges) == len(trust) else f" of {names}"
            yield f"All {labels}{of_judges} {present}: label some outputs that {absent}."


def _judges(trust: Sequence[Trust], controls: Sequence[Trust], names: ShortNames) -> Iterator[Piece]:
    """Yield the judges by verdict, then the baselines; kappa has its interval if there is room."""
    words: tuple[TrustWord, ...] = get_args(TrustWord)
    groups: dict[str, Sequence[Trust]] = {
        heading_of(word): [each for each in trust if each.word == word] for word in words
    } | {CONTROL: controls}
    title = "judge" + (f" ({names.shared})" if names.shared else "")
    wide, narrow = (_table(title, groups, names, kappa_interval=each) for each in (True, False))
    untitled = _table("judge", groups, names, kappa_interval=False)
    if _columns(wide) <= WIDTH:
        yield wide
    elif _columns(narrow) <= max(WIDTH, _columns(untitled)):
        yield narrow
    else:
        yield f"judges {names.shared}"
        yield untitled


def _thresholds(calibration: Calibration) -> Iterator[str]:
    """Yield the thresholds that no judge declares, if scores are not all 0 or 1."""
    judges: dict[tuple[float, str], list[str]] = {}
    for judge in calibration.probability:
        panel = calibration.judges[judge]
        source: str = panel.pass_at_source
        if source in _UNDECLARED and not is_baseline_name(judge):
            by = "error_costs" if source == "costs" else "pass_at"
            judges.setdefault((panel.pass_at, by), []).append(judge)
    for (at, by), names in judges.items():
        subject = names[0] if len(names) == 1 else number_text.counted(len(names), "judge")
        yield f"{subject}: scores from {at:.4g} pass ({setting(by)})."


def _columns(table: DocumentTable) -> int:
    return max(map(columns_of, table.lines()))


def _table(
    title: str, groups: Mapping[str, Sequence[Trust]], names: ShortNames, *, kappa_interval: bool
) -> DocumentTable:
    rows: list[tuple[str, ...]] = []
    for heading, group in groups.items():
        rows += [(f"{heading}:", "", "", "", "")] if group else []
        rows += [
            (
                f"  {group_label(result, _name(names, result[0].judge))}",
                *_cells(result[0].panel, kappa_interval=kappa_interval),
            )
            for result in same_results(group)
        ]
    return DocumentTable(
        (title, PASSED_BAD, FAILED_GOOD, "kappa", "bad+good"), rows, left_aligned=FIRST, indent=0
    )


def _name(names: ShortNames, judge: str) -> str:
    """Return a judge's short name, or of a baseline the judge that it stands for."""
    return names.of(judge) if judge in names.short else judge.partition("/")[0]


def _cells(panel: JudgeCalibration, *, kappa_interval: bool) -> tuple[str, ...]:
    kappa = panel.statistics.get(_KAPPA)
    value = None if kappa is None else kappa.value
    shown = statistic_text(kappa) if kappa_interval else "-" if value is None else number_text.decimal(value)
    return (
        *map(statistic_text, error_rates(panel)),
        shown,
        f"{panel.fp + panel.tn:,}+{panel.tp + panel.fn:,}",
    )


def _baseline_accuracies(calibration: Calibration) -> str:
    """Return the accuracies to beat by their n, and how often two people agree."""
    names_by_n: dict[int, list[str]] = {}
    people = ""
    for name, panel in calibration.baselines.items():
        accuracy = panel.statistics.get("accuracy")
        if accuracy is None or accuracy.value is None:
            continue
        if name == _PEOPLE:
            agreeing = round(accuracy.value * accuracy.n)
            people = f" Two people agree on {agreeing:,} of {accuracy.n:,}."
            continue
        value, n = _for_only_judge(calibration, name, accuracy.n) or (accuracy.value, accuracy.n)
        names_by_n.setdefault(n, []).append(f"{BASELINE_NAMES.get(name, name)} {number_text.decimal(value)}")
    texts = [f"{', '.join(names)} (n {n:,})" for n, names in names_by_n.items()]
    return f"Accuracy of baselines: {'; '.join(texts)}.{people}" if texts else people.strip()


def _for_only_judge(calibration: Calibration, baseline: str, labelled: int) -> tuple[float, int] | None:
    """Return a constant baseline's accuracy and n on the labels that the only judge grades.

    None if it grades all, for several judges, which may grade different items, and for other baselines.
    """
    judges = list(trust_of(calibration))
    if len(judges) != 1 or baseline not in CONSTANTS:
        return None
    panel = judges[0].panel
    good, bad = panel.tp + panel.fn, panel.fp + panel.tn
    hits = good if baseline == CONSTANTS[0] else bad
    return (hits / (good + bad), good + bad) if 0 < good + bad < labelled else None


def _custom(trust: Sequence[Trust]) -> Iterator[str]:
    """Yield the custom statistics, one line per judge."""
    for each in trust:
        statistics = statistics_of(each.panel, "custom")
        if texts := [f"{name} {number_text.statistic(statistic)}" for name, statistic in statistics.items()]:
            yield f"{each.judge}: {', '.join(texts)}"


def _slice(
    column: str, values: Mapping[str, Mapping[str, JudgeCalibration]], names: ShortNames
) -> DocumentTable:
    rows = [
        (f"{value}: {names.of(judge)}", *_cells(panel, kappa_interval=False))
        for value, panels in values.items()
        for judge, panel in panels.items()
    ]
    return DocumentTable((f"by {column}", PASSED_BAD, FAILED_GOOD, "kappa", "bad+good"), rows, indent=0)


def _suspects(calibration: Calibration) -> Iterator[str]:
    if calibration.suspected_label_errors and len(calibration.judges) > 1:
        first = calibration.suspected_label_errors[0].item_id
        labels = number_text.counted(calibration.suspected_count, "label")
        yield f"Most judges contradict {labels}; look first at {first}."
