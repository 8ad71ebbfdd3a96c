"""Recorded replies of a real model: every disagreement with suite or probes is explained."""

from __future__ import annotations

from pathlib import Path

import pytest
from scripts import script

recorded_audit = script("benchmarks/recorded_audit.py")


@pytest.mark.reference
def test_the_suite_and_a_real_model_disagree_only_where_it_is_explained(reference: Path):
    said, replies, _ = recorded_audit.ask_suite(reference / "recorded" / "suite.jsonl")
    assert list(recorded_audit.report(said, {})) == []
    print(f"{replies} recorded replies apply to the suite")
    assert len(said) > 1_600


@pytest.mark.reference
def test_no_probe_that_a_real_model_judged_is_in_dispute(reference: Path, tmp_path: Path):
    probes = recorded_audit.make_probes(tmp_path)
    said, replies, _ = recorded_audit.ask_probes(probes, reference / "recorded" / "audit.jsonl")
    assert list(recorded_audit.report(said, {})) == []
    print(f"{replies} recorded replies apply to probes")
    assert len(said) > 900
