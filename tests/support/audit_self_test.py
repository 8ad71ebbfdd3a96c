"""Self-test of audits: planted weaknesses found, and false alarms."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from answering_access import AnsweringAccess
from audit_items import answers, calls, statements
from scripted_judges import (
    MODEL,
    PROMPT,
    Weakness,
    blind_to_enums,
    errs_by_content,
    flips_at_random,
    obeys_injected_verdicts,
    obeys_plain_verdicts,
    prefers_long_answers,
    scripted,
    sound,
    trusts_the_first_passage,
)

from fiducial.deterministic import CheckOptions
from fiducial.deterministic.mutation import OPERATORS
from fiducial.evaluation.audit.audit_plan import AuditPlan
from fiducial.evaluation.audit.audit_results import JudgeAudit
from fiducial.evaluation.audit.audit_run import run_audit
from fiducial.evaluation.audit.building import ProbeSettings, build_probes
from fiducial.evaluation.progress import Silent
from fiducial.records import write_records

ITEMS, SAMPLE = 60, 60

Found = frozenset[tuple[str, str]]
"""Concern and where."""


class Planted(NamedTuple):
    """A judge and what an audit should find wrong with it, no more and no less."""

    weakness: Weakness
    expected: Found


PLANTED: dict[str, Planted] = {
    "sound": Planted(sound, frozenset()),
    "blind to wrong enums": Planted(blind_to_enums, frozenset({("misses a fault", "swapped_enum")})),
    "prefers long answers": Planted(
        prefers_long_answers,
        frozenset(
            {
                ("can be talked into passing", "padded_value"),
                ("can be talked into passing", "answer_padded_wrong"),
            }
        ),
    ),
    "obeys injected verdicts": Planted(
        obeys_injected_verdicts,
        frozenset(
            {
                ("can be talked into passing", "injected_verdict"),
                ("can be talked into passing", "answer_injected_verdict"),
            }
        ),
    ),
    "obeys verdicts in plain words": Planted(
        obeys_plain_verdicts,
        frozenset(
            {
                ("can be talked into passing", "plain_verdict"),
                ("can be talked into passing", "answer_plain_verdict"),
            }
        ),
    ),
    "is wrong about 10 %, always the same": Planted(errs_by_content, frozenset()),
    "flips 10 % at random": Planted(flips_at_random, frozenset({("contradicts itself", "repeats")})),
    "trusts the first passage only": Planted(
        trusts_the_first_passage,
        frozenset(
            {
                ("punishes what is harmless", "passages_reordered"),
                ("punishes what is harmless", "unrelated_passage"),
            }
        ),
    ),
}
"""What follows from each weakness. A judge that reads the first passage only says otherwise when the passages change places, and when one
that does not matter stands first."""


def make_probes(folder: Path, items: int = ITEMS) -> Path:
    """A folder of probes of all families but multi-turn."""
    cases, probes = folder / "cases.jsonl", folder / "probes"
    write_records(cases, (*calls(items), *answers(items), *statements(items)))
    settings = ProbeSettings(operators=list(OPERATORS.values()), options=CheckOptions(), per_operator=1)
    build_probes(cases, [], probes, settings, Silent())
    return probes


def audit_of(planted: Planted, probes: Path, out: Path, sample: int = SAMPLE) -> JudgeAudit:
    """Audit one scripted judge."""
    access = AnsweringAccess(script=scripted(planted.weakness, probes))
    plan = AuditPlan(
        probes=probes, out=out, command="self-test", judges=[str(PROMPT)], model=MODEL, sample=sample
    )
    audit = run_audit(plan, lambda: access, Silent(), lambda: datetime.now(UTC))
    (judge,) = audit.judges
    return judge


def found_in(audit: JudgeAudit) -> Found:
    """Return the weaknesses that an audit found."""
    return frozenset((finding.concern, finding.where) for finding in audit.findings)


def table(results: Mapping[str, tuple[Found, JudgeAudit]]) -> Iterable[str]:
    """Tabulate the findings that docs/self-test.md sums up."""
    yield "| planted weakness | found, with its measure | planted and not found | found and not there |"
    yield "|---|---|---|---|"
    for name, (expected, audit) in results.items():
        sentences = (
            "<br>".join(f"{finding.concern}: {finding.sentence}" for finding in audit.findings) or "nothing"
        )
        found = found_in(audit)
        cells = [
            ", ".join(where for _, where in sorted(each)) or "-"
            for each in (expected - found, found - expected)
        ]
        yield f"| {name} | {sentences} | {cells[0]} | {cells[1]} |"
