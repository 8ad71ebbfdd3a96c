"""Rubric scores of a run: judges' verdicts on criteria, compared with labels of criteria."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping
from typing import Any, NamedTuple, TypeAlias

from ...calibration.rubrics.rubric_results import Rubrics
from ...calibration.rubrics.rubric_scores import (
    JudgedCriterion,
    JudgedRubric,
    judges_on_criteria,
    rubric_of_judge,
)
from ...errors import InputError
from ...judges.criteria import criteria_of, criterion_key
from ...records import Author, CaseIndex, Criterion, InputPath, ShownNames, Verdict, nearest
from ...records.rubric_points import tag_names
from ...records.scale import UNDECLARED_SCALE
from ...tables.grades import UnknownGradeError, grade_score
from ...tables.header import OF_SECOND_TABLE
from ...tables.table_rows import UnreadRows, read_table_rows
from ..store.run_store import RunStore

_CASE_COLUMNS = ("item", "id", "case_id", "case", "prompt_id")
_CRITERION_COLUMNS = ("criterion", "criteria", "rubric")
_LABEL_COLUMNS = ("label", "met", "score", "criteria_met", "grade")

CriterionName: TypeAlias = tuple[str, str, str | None]
"""Case, key of the criterion, and system, or None for every system."""


class _Labels(NamedTuple):
    """Labels of criteria.

    Attributes:
        met: Degree to which each labelled criterion is met, from 0 to 1.
        used: Labelled criteria that were looked up so far.
    """

    met: Mapping[CriterionName, float]
    used: set[CriterionName]

    def of(self, case_id: str, key: str, system: str) -> float | None:
        """Return the label of a criterion for this system, else its label for all systems."""
        for name in ((case_id, key, system), (case_id, key, None)):
            if name in self.met:
                self.used.add(name)
                return self.met[name]
        return None


def rubric_scores(store: RunStore, labels: InputPath | None = None, *, level: float = 0.95) -> Rubrics:
    """Return the rubric scores of a run, judge by judge.

    Raises:
        InputError: No judge was asked about criteria, or a label cannot be used.
    """
    with CaseIndex(store.inputs.cases) as cases:
        unread = UnreadRows()
        met = {} if labels is None else dict(_read_labels(labels, cases, unread))
        criterion_labels = _Labels(met, set())
        texts: dict[str, str] = {}
        judges = {
            name: [
                _judged_rubric(verdict, cases, store.clusters, criterion_labels, texts)
                for verdict in verdicts
            ]
            for name, verdicts in verdicts_on_rubrics(store, cases).items()
        }
    if not judges:
        raise InputError(
            "no judge was asked about criteria: ask rubric/each or rubric/together about cases with criteria",
            path=str(store.path),
        )
    if labels is not None and not criterion_labels.used:
        raise InputError("no label is of a criterion that was judged", path=labels)
    return Rubrics(
        judges=[
            rubric_of_judge(name, items, lambda key: texts.get(key, key), level=level)
            for name, items in judges.items()
        ],
        unmatched=len(criterion_labels.met.keys() - criterion_labels.used),
        pairs=judges_on_criteria(judges, level=level),
        skipped=unread.count,
        first_skipped="" if unread.first is None else str(unread.first),
    )


def verdicts_on_rubrics(store: RunStore, cases: Container[str]) -> dict[str, list[Verdict]]:
    """Return the first verdicts on outputs, not on parts, of each judge that judged criteria."""
    names = ShownNames()
    by_author: dict[Author, list[Verdict]] = {}
    judged_criteria: set[Author] = set()
    for verdict in store.verdicts.read():
        if verdict.source == "judge" and verdict.repeat == 0 and verdict.case_id in cases:
            by_author.setdefault(verdict.author, []).append(verdict)
            if "possible" in verdict.evidence:  # points that can be reached: evidence of rubrics only
                judged_criteria.add(verdict.author)
    return {
        names.of(author, verdicts[0].by): verdicts
        for author, verdicts in by_author.items()
        if author in judged_criteria
    }


def _judged_rubric(
    verdict: Verdict, cases: CaseIndex, clusters: Mapping[str, str], labels: _Labels, texts: dict[str, str]
) -> JudgedRubric:
    """Return the criteria of the verdict, else those of the case, with judgments and labels."""
    criteria = criteria_of(cases[verdict.case_id])
    texts |= {criterion_key(criterion): criterion.text for criterion in criteria}
    rows: list[dict[str, Any]] = verdict.evidence.get("criteria") or [
        {"criterion": criterion_key(criterion), "points": criterion.points, "tags": criterion.tags}
        for criterion in criteria
    ]
    judged_criteria = tuple(
        JudgedCriterion(
            key=row["criterion"],
            points=row["points"],
            tags=tuple(tag_names(row.get("tags", ()))),
            met=row.get("met"),
            label=labels.of(verdict.case_id, row["criterion"], verdict.system),
        )
        for row in rows
    )
    cluster = clusters.get(verdict.case_id, verdict.case_id)
    return JudgedRubric(str(verdict.key), verdict.system, cluster, judged_criteria)


def _read_labels(
    path: InputPath, cases: CaseIndex, unread: UnreadRows
) -> Iterator[tuple[CriterionName, float]]:
    """Read labels of criteria, one per row: case, criterion, label, and optionally system."""
    for line, row in unread.without(read_table_rows(path, header=OF_SECOND_TABLE), path):
        item, criterion, label = (
            _first_cell(row, names, path, line)
            for names in (_CASE_COLUMNS, _CRITERION_COLUMNS, _LABEL_COLUMNS)
        )
        case_id = str(item)
        if case_id not in cases:
            hint = nearest(case_id, cases)
            raise InputError(
                f"no case has the id {case_id!r}{hint}", path=path, line=line, field=_CASE_COLUMNS[0]
            )
        key = _criterion_key(str(criterion), criteria_of(cases[case_id]), path, line)
        try:
            met = grade_score(label, UNDECLARED_SCALE)
        except UnknownGradeError:
            message = f"expected whether it is met, 1 or 0, got {label!r}"
            raise InputError(message, path=path, line=line, field=_LABEL_COLUMNS[0]) from None
        if met is not None:
            system = next((value for name, value in row.items() if name.lower() == "system"), None)
            yield (case_id, key, None if system is None or system == "" else str(system)), met


def _first_cell(row: Mapping[str, Any], names: Iterable[str], path: InputPath, line: int) -> Any:
    """Return the cell of the first of these columns that exists, in any case of letters."""
    cells = {name.lower(): value for name, value in row.items()}
    for name in names:
        if name in cells:
            return cells[name]
    expected = " or ".join(names)
    raise InputError(f"expected a column {expected}; the columns are {', '.join(row)}", path=path, line=line)


def _criterion_key(name: str, criteria: list[Criterion], path: InputPath, line: int) -> str:
    """Return the key of a criterion that is given by its text, its key, or its number from 1."""
    for criterion in criteria:
        if name.strip() in {criterion.text.strip(), criterion_key(criterion)}:
            return criterion_key(criterion)
    if name.isdecimal() and 1 <= int(name) <= len(criteria):
        return criterion_key(criteria[int(name) - 1])
    raise InputError(
        f"the case has no criterion {name[:60]!r}; name it by its text, or by its number from 1 to {len(criteria)}",
        path=path,
        line=line,
        field=_CRITERION_COLUMNS[0],
    )
