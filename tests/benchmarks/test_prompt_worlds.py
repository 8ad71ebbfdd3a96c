"""The fast way through simulated worlds of prompts decides as `fiducial.improve` does."""

from __future__ import annotations

from typing import Any

import pytest
from scripts import script

worlds = script("benchmarks/simulation/prompt_worlds.py")


@pytest.mark.parametrize(
    "told",
    [
        {"items": 160},
        {"items": 240, "gain": 0.1, "per_group": 2},
        {"items": 240, "gain": 0.15, "believes": 0.4},
        {"items": 160, "label_errors": 0.15, "adjudicated": True},
    ],
)
def test_verdicts_alone_lead_to_the_answer_of_the_whole_way(told: dict[str, Any]):
    world = worlds.PromptWorld(**told)
    quickly = [worlds.answer_of(world, seed) for seed in (1, 2)]
    assert quickly == [worlds.improved(world, seed).answer for seed in (1, 2)]
