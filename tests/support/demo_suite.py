"""Demo suite, read once: its cases, its outputs, and the labels they were written to have."""

from __future__ import annotations

from functools import cache

from fiducial.data import demo_path
from fiducial.deterministic import CheckOptions, Rules, check
from fiducial.records import Case, ItemKey, Kind, Output, Verdict, read_records

SYSTEMS = {"careful", "hasty", "sloppy"}

NEVER_CHECKED: frozenset[Kind] = frozenset({"grounded_answer", "open_answer"})
"""Kinds that no checker decides."""


@cache
def cases() -> dict[str, Case]:
    return {case.id: case for case in read_records(demo_path("cases.jsonl"), Case)}


@cache
def outputs() -> dict[ItemKey, Output]:
    return {output.key: output for output in read_records(demo_path("outputs.jsonl"), Output)}


@cache
def labels() -> list[Verdict]:
    return list(read_records(demo_path("labels.jsonl"), Verdict))


def case_of(label: Verdict) -> Case:
    return cases()[label.case_id]


def checked(label: Verdict, rules: Rules) -> Verdict:
    return check(case_of(label), outputs()[label.key], CheckOptions(rules=rules))


def misjudged(label: Verdict) -> bool:
    """Return whether BFCL's rules are known to misjudge the labelled output."""
    return label.evidence.get("misjudged_by") == "bfcl"


def cases_of(kind: Kind) -> list[Case]:
    return [case for case in cases().values() if case.kind == kind]
