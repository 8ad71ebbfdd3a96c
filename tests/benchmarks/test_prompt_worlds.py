"""The fast way through simulated worlds of prompts decides as `fiducial.improve` does."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "benchmarks"))

from simulation.prompt_worlds import PromptWorld, answer_of, improved


@pytest.mark.parametrize(
    "world",
    [
        PromptWorld(items=160),
        PromptWorld(items=240, gain=0.1, per_group=2),
        PromptWorld(items=240, gain=0.15, believes=0.4),
        PromptWorld(items=160, label_errors=0.15, adjudicated=True),
    ],
)
def test_verdicts_alone_lead_to_the_answer_of_the_whole_way(world: PromptWorld):
    assert [answer_of(world, seed) for seed in (1, 2)] == [improved(world, seed).answer for seed in (1, 2)]
