"""Items of verdicts: refusal of unknown ones, and recognition of parts of outputs.

Some readers would drop a verdict on an unknown item, and others would count it.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable
from itertools import compress
from typing import TYPE_CHECKING

from ...errors import RecordError
from ...judges.statements import case_of, is_statement
from ...records import CaseIndex, InputPath, ItemKey, JudgeId
from ...records.verdict import PART_KINDS
from ..inputs import keyed_lines
from .journal import VerdictJournal
from .journal_rows import StoredVerdict
from .kept_inputs import RunInputs

if TYPE_CHECKING:
    from .manifest import JudgeRecord
    from .verdict_index import VerdictIndex


def require_same_items(
    journal: VerdictJournal, cases: CaseIndex, systems: Container[str], outputs: Iterable[InputPath]
) -> None:
    """Refuse verdicts on cases, systems or outputs that the run is not about."""
    standing, statements = journal.standing, set[str]()
    for case_id in standing.cases:
        if case_id in cases:
            continue
        if not is_statement(case_id, cases):
            row = next(verdict.row for verdict in standing if verdict.key.case_id == case_id)
            message = f"no case has the id {case_id!r} in {cases.path}"
            raise RecordError(message, path=journal.path, line=journal.line_number(row), field="case_id")
        statements.add(case_id)
    for system in standing.systems:
        if system not in systems:
            row = next(verdict.row for verdict in standing if verdict.system == system)
            message = f"no output is of {system!r}"
            raise RecordError(message, path=journal.path, line=journal.line_number(row), field="system")
    if (verdict := _without_output(journal, statements, outputs)) is not None:
        case_id, system, trial = _output_of(verdict.key, statements)
        message = f"{system!r} has no output for case {case_id!r}, trial {trial}"
        raise RecordError(message, path=journal.path, line=journal.line_number(verdict.row))


def require_known(journal: VerdictJournal, inputs: RunInputs, systems: Container[str]) -> None:
    """Refuse verdicts on items that a finished run lacks; see `require_same_items`."""
    with CaseIndex(inputs.cases, validated=True) as index:
        require_same_items(journal, index, systems, inputs.outputs)


def _without_output(
    journal: VerdictJournal, statements: Container[str], outputs: Iterable[InputPath]
) -> StoredVerdict | None:
    """Return the first verdict on an output, or a statement, that these files do not contain."""
    standing = journal.standing
    missing = {_output_of(verdict.key, statements) for verdict in standing} if statements else set[ItemKey]()
    is_unmatched = bytearray(b"\1") * len(standing)  # a byte for each row, since there may be millions
    for key in (key for path in outputs for key, *_ in keyed_lines(path)):
        for row in standing.rows_of(key):
            is_unmatched[row] = 0
        missing.discard(key)
    for row in compress(range(len(is_unmatched)), is_unmatched):
        verdict = standing[row]
        if verdict.key.case_id not in statements or _output_of(verdict.key, statements) in missing:
            return verdict
    return None


def _output_of(key: ItemKey, statements: Container[str]) -> ItemKey:
    return key._replace(case_id=case_of(key.case_id)) if key.case_id in statements else key


def part_test(standing: VerdictIndex, judges: Iterable[JudgeRecord]) -> Callable[[ItemKey], bool]:
    """Return a predicate that is true for a statement or a criterion of an output.

    A checker gives every output a verdict, and parts none. In a run without checkers an item is a part if a judge combined verdicts
    on parts of the output in its name.
    """
    if standing.sources - {"judge"}:
        return standing.lacks_other_verdicts
    divided_outputs = _divided_outputs(standing, judges)
    return lambda item: item._replace(case_id=case_of(item.case_id)) in divided_outputs


def _divided_outputs(standing: VerdictIndex, judges: Iterable[JudgeRecord]) -> set[ItemKey]:
    """Return the outputs that were judged by statement or by criterion."""
    combining_judges = {
        author for author in standing.authors if isinstance(author, JudgeId) and author.kind in PART_KINDS
    }
    if not combining_judges:
        return set()
    on_criteria = {judge.id.on_criteria for judge in judges if judge.is_prompt}
    return {
        verdict.key._replace(case_id=case_of(verdict.key.case_id))
        if verdict.author in on_criteria
        else verdict.key
        for verdict in standing
        if verdict.author in combining_judges
    }
