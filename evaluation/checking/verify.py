"""Verification of stored verdicts: a sample of the outputs is checked again."""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping
from itertools import islice
from typing import Any

from ...deterministic.checkers import check
from ...deterministic.options import CheckOptions
from ...errors import RecordError, RunFolderError
from ...records import CaseIndex, InputPath, ItemKey, Output, Verdict, decode_record, kind_spec
from ...spelling import flag
from ...version import VERSION
from ..inputs import keyed_lines
from ..store.journal import VerdictJournal
from ..store.journal_rows import StoredVerdict
from ..store.manifest import Manifest
from ..store.run_store import RunStore
from .rules_version import text_rule_of

SAMPLE = 20
"""Number of stored verdicts to verify."""

_CANDIDATES = 20 * SAMPLE
"""Number of verdicts that are drawn to find these: not all are by checkers that can be repeated."""


def require_right_checks(
    journal: VerdictJournal, manifest: Manifest, cases: CaseIndex, files: Iterable[InputPath]
) -> None:
    """Check a sample of a run's outputs again; refuse the run if a verdict differs.

    A run of another version of fiducial is not checked.
    """
    versions, rules = manifest.versions or {}, manifest.identity.get("rules")
    # Another version may decide otherwise, which is no edit.
    if rules is None or versions.get("fiducial") != VERSION:
        return
    sample = _draw_sample(journal, cases)
    # Of most outputs only the key is parsed; outputs in the sample are parsed in full.
    for key, line, _, raw in (keyed_line for path in files for keyed_line in keyed_lines(path)):
        if not sample:
            return
        stored = sample.pop(key, None)
        if stored is not None:
            output = decode_record(raw, Output, line=line)
            _require_right(journal, stored, cases, output, _possible_options(manifest.identity))


def require_right_checks_of(store: RunStore) -> None:
    """Check a sample of a finished run's outputs again, if its inputs still exist."""
    try:
        inputs = store.inputs
    except RunFolderError:  # without the inputs nothing can be checked again
        return
    with CaseIndex(inputs.cases, validated=True) as index:
        require_right_checks(store.verdicts, store.manifest, index, inputs.outputs)


def _draw_sample(journal: VerdictJournal, cases: CaseIndex) -> dict[ItemKey, StoredVerdict]:
    """Draw stored verdicts of checkers; the journal's hash is the seed."""
    # The same journal gives the same sample, so a refused run is refused again.
    generator = random.Random(journal.seal.sha256)  # noqa: S311 - it may be predictable
    standing = journal.standing
    rows = generator.sample(range(len(standing)), min(len(standing), _CANDIDATES))
    verdicts = (standing[row] for row in rows)
    of_checkers = (
        verdict
        for verdict in verdicts
        if verdict.source == "checker"
        and verdict.outcome in {"graded", "undecided"}
        and verdict.key.case_id in cases
        and kind_spec(cases.facts(verdict.key.case_id).kind).pure
    )
    return {verdict.key: verdict for verdict in islice(of_checkers, SAMPLE)}


def _possible_options(identity: Mapping[str, Any]) -> list[CheckOptions]:
    """Return a run's options for each form of names that the system may have been given."""
    rules, names, text = identity["rules"], identity.get("names", "auto"), text_rule_of(identity)
    return [
        CheckOptions(rules=rules, names=form, text=text)
        for form in ("dotted", "underscored")
        if names in {"auto", form}
    ]


def _require_right(
    journal: VerdictJournal,
    stored: StoredVerdict,
    cases: CaseIndex,
    output: Output,
    possible_options: list[CheckOptions],
) -> None:
    case = cases[output.case_id]
    new_verdicts = [check(case, output, options) for options in possible_options]
    if not any(_is_same(stored, verdict) for verdict in new_verdicts):
        raise RecordError(
            f"{stored.by} says {_grade_text(stored)} here, and {_grade_text(new_verdicts[0])} when it checks this output again: the row was changed (run, calibrate, compare and estimate go on with {flag('accept_edited')})",
            path=journal.path,
            line=journal.line_number(stored.row),
        )


def _is_same(stored: StoredVerdict, verdict: Verdict) -> bool:
    return (stored.by, stored.outcome, stored.score, stored.error_type) == (
        verdict.by,
        verdict.outcome,
        verdict.score,
        verdict.error_type,
    )


def _grade_text(verdict: StoredVerdict | Verdict) -> str:
    score = verdict.outcome if verdict.score is None else f"{verdict.score:g}"
    return score if verdict.error_type is None else f"{score} ({verdict.error_type})"
