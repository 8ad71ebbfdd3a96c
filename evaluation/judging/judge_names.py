"""Unique display names of a run's judges, and the order of precedence of their verdicts."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from pathlib import Path

from ...calibration.agreement.calibration_results import Calibration, JudgeCalibration
from ...judges.baseline import VARIANT
from ...judges.catalogue import JUDGED_KINDS, LOCALISING, OF_TRANSCRIPTS, PAIRWISE, SPLITTER
from ...records import JudgeId
from ...records.verdict import name_with_fingerprint
from ..store.manifest import JudgeRecord

RESERVED = frozenset(
    {*JUDGED_KINDS, *PAIRWISE, *LOCALISING, SPLITTER.judge, VARIANT, "jury", "share", "split", "criteria"}
)
"""First parts of names of shipped judges and roles, with which no custom prompt's display name may begin."""


def display_names(judges: Sequence[JudgeRecord], known_judges: Collection[JudgeRecord]) -> dict[JudgeId, str]:
    """Return the display names of known judges, and unique ones for new judges.

    A known judge keeps its name. A new one gets its plain name. If another judge has the same, it gets the shortest end of its prompt
    file's path that differs, or, if the paths are equal, its plain name with the beginning of its fingerprint.
    """
    names = {judge.id: judge.by for judge in known_judges}
    names_taken = set(names.values())
    new_by_plain = defaultdict[str, list[JudgeRecord]](list)
    for judge in judges:
        if judge.id not in names:
            new_by_plain[judge.id.plain].append(judge)
    groups: list[list[JudgeRecord]] = []
    for plain_name, group in new_by_plain.items():
        rivals = [judge for judge in known_judges if judge.id.plain == plain_name]
        if len(group) > 1 or rivals or plain_name in names_taken:
            groups.append([*group, *rivals])
        else:
            names[group[0].id] = plain_name
            names_taken.add(plain_name)
    for group in groups:
        new_judges = [judge for judge in group if judge.id not in names]
        new_names = next(
            candidate for candidate in _candidates(group, new_judges) if names_taken.isdisjoint(candidate)
        )
        names |= {judge.id: name for judge, name in zip(new_judges, new_names, strict=True)}
        names_taken.update(new_names)
    return names


def _candidates(group: Sequence[JudgeRecord], new_judges: Sequence[JudgeRecord]) -> Iterator[list[str]]:
    """Yield names for the new judges of a group that share a plain name, the shortest first."""
    paths = [_path_parts(judge) for judge in group]
    if all(paths) and len(set(paths)) == len(paths):
        for depth in range(2, max(map(len, paths)) + 1):  # from 2: the stem alone is the plain name
            ends = [path[-depth:] for path in paths]
            if len(set(ends)) == len(ends) and not any(end[0] in RESERVED for end in ends):
                yield [f"{'/'.join(_path_parts(judge)[-depth:])}@{judge.id.model}" for judge in new_judges]
    for length in range(6, 65):  # up to the 64 digits of a whole fingerprint, which no two judges share
        names = [name_with_fingerprint(judge.id.plain, judge.id, length) for judge in new_judges]
        if len(set(names)) == len(names):
            yield names


def _path_parts(judge: JudgeRecord) -> tuple[str, ...]:
    """Return the parts of a prompt file's path, ending with its stem; empty without a file."""
    if judge.prompt is None:
        return ()
    path = Path(judge.prompt).with_suffix("")
    return tuple(part for part in path.parts if part != path.anchor)


_RATES = ("true_positive_rate", "true_negative_rate")
"""Statistics of a judge's calibration by which its verdicts take precedence."""


def judge_order(known_judges: Iterable[JudgeRecord], calibration: Calibration | None) -> list[JudgeId]:
    """Order judges: specialised ones first, then by calibrated worst-case error, then as given."""
    calibrations = {} if calibration is None else calibration.judges
    ranked = sorted(
        known_judges, key=lambda judge: (_breadth(judge), _worst_errors(calibrations.get(judge.by)))
    )
    return [judge.id for judge in ranked]


def _breadth(judge: JudgeRecord) -> int:
    """Return 0 for a judge of some kinds of case, 1 if also of transcripts, 2 if of any kind."""
    return 2 if judge.kinds is None else int(judge.id.name in OF_TRANSCRIPTS)


def _worst_errors(calibration: JudgeCalibration | None) -> list[float]:
    """Return the worst-case errors of both rates, larger first; 2, beyond any error, if unknown."""
    rates = [None if calibration is None else calibration.statistics.get(name) for name in _RATES]
    errors = [2.0 if rate is None or rate.low is None else 1.0 - rate.low for rate in rates]
    return sorted(errors, reverse=True)
