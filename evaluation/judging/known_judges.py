"""Judges of a run: unique display names, and the order in which verdicts count."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from pathlib import Path

from ...calibration.agreement.calibration_results import CalibrationNumbers, JudgeCalibration
from ...judges.baseline import VARIANT
from ...judges.catalogue import JUDGED_KINDS, LOCALISING, OF_TRANSCRIPTS, PAIRWISE, SPLITTER
from ...records import JudgeId
from ...records.verdict import marked
from ..store.manifest import KnownJudge

RESERVED = frozenset(
    {*JUDGED_KINDS, *PAIRWISE, *LOCALISING, SPLITTER.judge, VARIANT, "jury", "share", "split", "criteria"}
)
"""Names of ours and of roles: no name of a custom prompt begins with one of these and a variant."""


def shown_apart(judges: Sequence[KnownJudge], known_judges: Collection[KnownJudge]) -> dict[JudgeId, str]:
    """Name judges.

    A judge that is known keeps its name. Any other is called by its plain name, unless another would be shown alike: then by the
    shortest end of its prompt file's path that differs, or, if paths do not tell them apart, by the beginning of its fingerprint.
    """
    names = {judge.id: judge.by for judge in known_judges}
    taken = set(names.values())
    alike = defaultdict[str, list[KnownJudge]](list)
    for judge in judges:
        if judge.id not in names:
            alike[judge.id.plain].append(judge)
    crowded: list[list[KnownJudge]] = []
    for plain, group in alike.items():
        rivals = [judge for judge in known_judges if judge.id.plain == plain]
        if len(group) > 1 or rivals or plain in taken:
            crowded.append([*group, *rivals])
        else:
            names[group[0].id] = plain
            taken.add(plain)
    for group in crowded:
        new = [judge for judge in group if judge.id not in names]
        found = next(found for found in _candidates(group, new) if taken.isdisjoint(found))
        names |= {judge.id: name for judge, name in zip(new, found, strict=True)}
        taken.update(found)
    return names


def _candidates(group: Sequence[KnownJudge], new: Sequence[KnownJudge]) -> Iterator[list[str]]:
    """Names for some of the judges of a group that would be shown alike, the shortest first."""
    paths = [_parts(judge) for judge in group]
    if all(paths) and len(set(paths)) == len(paths):
        for depth in range(2, max(map(len, paths)) + 1):
            ends = [path[-depth:] for path in paths]
            if len(set(ends)) == len(ends) and not any(end[0] in RESERVED for end in ends):
                yield [f"{'/'.join(_parts(judge)[-depth:])}@{judge.id.model}" for judge in new]
    for length in range(6, 65):
        named = [marked(judge.id.plain, judge.id, length) for judge in new]
        if len(set(named)) == len(named):
            yield named


def _parts(judge: KnownJudge) -> tuple[str, ...]:
    """Return the parts of a prompt file's path, ending with its stem; empty without a file."""
    if judge.prompt is None:
        return ()
    path = Path(judge.prompt).with_suffix("")
    return tuple(part for part in path.parts if part != path.anchor)


_RATES = ("true_positive_rate", "true_negative_rate")


def judge_order(known_judges: Iterable[KnownJudge], calibration: CalibrationNumbers | None) -> list[JudgeId]:
    """Order judges by fit to the kind of case, then by calibrated lower bound, then as given."""
    panels = {} if calibration is None else calibration.judges
    ranked = sorted(known_judges, key=lambda judge: (_fit(judge), _errors(panels.get(judge.by))))
    return [judge.id for judge in ranked]


def _fit(judge: KnownJudge) -> int:
    """Return a judge's fit: 0 for certain kinds of case, 1 with others' transcripts, 2 for any."""
    return 2 if judge.kinds is None else int(judge.id.name in OF_TRANSCRIPTS)


def _errors(panel: JudgeCalibration | None) -> list[float]:
    """Return the worst-case errors of both rates, larger first; 2 for an unknown rate."""
    found = [None if panel is None else panel.statistics.get(name) for name in _RATES]
    ends = [2.0 if each is None or each.low is None else 1.0 - each.low for each in found]
    return sorted(ends, reverse=True)
