"""Recorded replies lead to the recorded results, worlds and official verdicts."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from scripts import script


@pytest.mark.reference
@pytest.mark.parametrize(
    ("system", "entries", "conversations"),
    [("gpt-oss-20b-harmony-fixes", 4241, 582), ("meta-llama_Llama-3.1-8B-Instruct", 3639, 0)],
)
def test_recorded_replies_lead_to_the_recorded_results(
    reference: Path, tmp_path: Path, system: str, entries: int, conversations: int
):
    found: dict[str, Any] = script("benchmarks/generation_replay.py").compare(reference, system, tmp_path)
    assert not [difference for each in found.values() for difference in each.differences]
    assert sum(each.entries for each in found.values()) == entries
    assert sum(each.results for each in found.values()) == entries
    assert sum(each.verdicts for each in found.values()) == entries
    assert sum(each.worlds for each in found.values()) == conversations


@pytest.mark.reference
def test_reference_calls_lead_every_conversation_to_a_right_end(reference: Path, tmp_path: Path):
    found: dict[str, Any] = script("benchmarks/generation_replay.py").compare_truth(reference, tmp_path)
    assert {name: (each.results, each.verdicts) for name, each in found.items()} == {
        f"multi_turn_{name}": (200, 200) for name in ("base", "miss_func", "miss_param", "long_context")
    }
