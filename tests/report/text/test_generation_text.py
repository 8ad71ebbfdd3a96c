"""Text for the result of a generation."""

from __future__ import annotations

from collections import Counter

import pytest

from fiducial.evaluation.generation.generate import GenerationTally
from fiducial.report.text.generation_text import generation_lines


@pytest.mark.parametrize(("reasons", "hidden"), [(6, "1 more reason"), (8, "3 more reasons")])
def test_hidden_reasons_are_counted_with_their_noun(reasons: int, hidden: str):
    failures = Counter({f"HTTP {400 + number}": 1 for number in range(reasons)})
    lines = generation_lines(GenerationTally(wanted=reasons, failures=failures), "me")
    assert lines[-1] == f"no output, the call failed: {hidden}"
