"""Check that a run's verdicts are on its own cases and systems.

Some readers would drop an unknown case, and others count it.
"""

from __future__ import annotations

from collections.abc import Container

from ...errors import RecordError
from ...judges.statements import is_statement
from ...records import CaseIndex
from .journal import VerdictJournal
from .kept_inputs import RunInputs


def refuse_others(journal: VerdictJournal, cases: CaseIndex, systems: Container[str]) -> None:
    """Refuse verdicts on cases, or on outputs of systems, that the run is not about."""
    standing = journal.standing
    for case_id in standing.cases:
        if case_id not in cases and not is_statement(case_id, cases):
            row = next(said.row for said in standing if said.key.case_id == case_id)
            message = f"no case has the id {case_id!r} in {cases.path}"
            raise RecordError(message, path=journal.path, line=journal.line_of(row), field="case_id")
    for system in standing.systems:
        if system not in systems:
            row = next(said.row for said in standing if said.system == system)
            message = f"no output is of {system!r}"
            raise RecordError(message, path=journal.path, line=journal.line_of(row), field="system")


def refuse_unknown(journal: VerdictJournal, inputs: RunInputs, systems: Container[str]) -> None:
    """Refuse verdicts on cases or systems that a finished run lacks; see `refuse_others`."""
    with CaseIndex(inputs.cases, again=True) as index:
        refuse_others(journal, index, systems)
