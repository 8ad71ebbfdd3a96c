"""Refusals told from replies in the wrong form."""

from __future__ import annotations

import pytest

from fiducial.judges.parsing import is_refusal


@pytest.mark.parametrize(
    "reply",
    [
        "I'm sorry, but I can't assist with that request.",
        "I\u2019m sorry, I can\u2019t help with that.",
        "Sorry, I cannot comply.",
        "I cannot fulfill this request.",
        "As an AI language model, I am unable to evaluate such content.",
        "I won't engage with this.",
    ],
)
def test_a_refusal_is_recognised(reply: str) -> None:
    assert is_refusal(reply)


@pytest.mark.parametrize(
    "reply",
    [
        "",
        "I am sorry, I cannot decide between {these} options: maybe.",
        "The agent said: I can't help with that.",
        "Maybe.",
        "I can't find a fault.",
    ],
)
def test_a_judge_at_a_loss_has_not_refused(reply: str) -> None:
    assert not is_refusal(reply)
