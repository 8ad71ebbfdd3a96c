"""The audit finds every planted weakness, and none that is not there."""

from __future__ import annotations

from pathlib import Path

import pytest
from audit_self_test import PLANTED, Planted, audit_of, found_in, table
from provider_server import Seen
from scripted_judges import Shown

SAMPLE = {"trusts the first passage only": 50}
"""Probes of a sort that it takes to find a weakness; 16 of most."""


TOGETHER = (
    "blind to wrong enums",
    "prefers long answers",
    "obeys injected verdicts",
    "obeys verdicts in plain words",
)
"""Each passes what is wrong, and each is found by operators of its own: one judge has them all."""


def passes_what_any_passes(shown: Shown, seen: Seen) -> float:
    return max(PLANTED[name].weakness(shown, seen) for name in TOGETHER)


@pytest.mark.parametrize("name", [name for name in PLANTED if name not in TOGETHER])
def test_what_is_found_is_what_was_planted(name: str, probes: Path, tmp_path: Path):
    planted = PLANTED[name]
    audit = audit_of(planted, probes, tmp_path / "audit", SAMPLE.get(name, 16))
    assert found_in(audit) == planted.expected, "\n".join(table({name: (planted.expected, audit)}))


def test_of_a_judge_with_several_weaknesses_each_is_found_and_nothing_else(probes: Path, tmp_path: Path):
    planted = frozenset(found for name in TOGETHER for found in PLANTED[name].expected)
    audit = audit_of(Planted(passes_what_any_passes, planted), probes, tmp_path / "audit", 16)
    assert found_in(audit) == planted, "\n".join(table({"several": (planted, audit)}))
