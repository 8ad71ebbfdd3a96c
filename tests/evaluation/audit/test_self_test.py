"""The audit finds every planted weakness, and none that is not there."""

from __future__ import annotations

from pathlib import Path

import pytest
from audit_self_test import PLANTED, audit_of, found_in, table

SAMPLE = {"trusts the first passage only": 50}
"""Probes of a sort that it takes to find a weakness; 16 of most."""


@pytest.mark.parametrize("name", PLANTED)
def test_what_is_found_is_what_was_planted(name: str, probes: Path, tmp_path: Path):
    planted = PLANTED[name]
    audit = audit_of(planted, probes, tmp_path / "audit", SAMPLE.get(name, 16))
    assert found_in(audit) == planted.expected, "\n".join(table({name: (planted.expected, audit)}))
