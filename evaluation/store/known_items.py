"""Check that a run's verdicts are on its own outputs.

Some readers would drop a verdict on another, and others count it.
"""

from __future__ import annotations

from collections.abc import Container, Iterable
from itertools import compress

from ...errors import RecordError
from ...judges.statements import case_of, is_statement
from ...records import CaseIndex, InputPath, ItemKey
from ..inputs import keyed_lines
from .journal import VerdictJournal
from .journal_rows import StoredVerdict
from .kept_inputs import RunInputs


def refuse_others(
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
            raise RecordError(message, path=journal.path, line=journal.line_of(row), field="case_id")
        statements.add(case_id)
    for system in standing.systems:
        if system not in systems:
            row = next(verdict.row for verdict in standing if verdict.system == system)
            message = f"no output is of {system!r}"
            raise RecordError(message, path=journal.path, line=journal.line_of(row), field="system")
    if (verdict := _without_output(journal, statements, outputs)) is not None:
        case_id, system, trial = _output_of(verdict.key, statements)
        message = f"{system!r} has no output for case {case_id!r}, trial {trial}"
        raise RecordError(message, path=journal.path, line=journal.line_of(verdict.row))


def refuse_unknown(journal: VerdictJournal, inputs: RunInputs, systems: Container[str]) -> None:
    """Refuse verdicts on items that a finished run lacks; see `refuse_others`."""
    with CaseIndex(inputs.cases, validated=True) as index:
        refuse_others(journal, index, systems, inputs.outputs)


def _without_output(
    journal: VerdictJournal, statements: Container[str], outputs: Iterable[InputPath]
) -> StoredVerdict | None:
    """Return the first verdict on an output, or a statement, that these files do not hold."""
    standing = journal.standing
    split = {_output_of(said.key, statements) for said in standing} if statements else set[ItemKey]()
    is_missing = bytearray(b"\1") * len(standing)
    for key in (key for path in outputs for key, *_ in keyed_lines(path)):
        for row in standing.of(key):
            is_missing[row] = 0
        split.discard(key)
    found = (standing[row] for row in compress(range(len(is_missing)), is_missing))
    return next(
        (
            said
            for said in found
            if said.key.case_id not in statements or _output_of(said.key, statements) in split
        ),
        None,
    )


def _output_of(key: ItemKey, statements: Container[str]) -> ItemKey:
    return key._replace(case_id=case_of(key.case_id)) if key.case_id in statements else key
