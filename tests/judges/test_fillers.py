from __future__ import annotations

from typing import Any

import pytest

from fiducial.judges.fillers import challenge_criterion
from fiducial.records import Case


def criterion(**ground: Any) -> str | None:
    return challenge_criterion(
        Case(id="c", kind="artifact", reference={"ground": {"files": [".txt"], **ground}})
    )


@pytest.mark.parametrize("template", ["reference", "rubric", "question"])
def test_the_template_says_what_the_answer_is(template: str):
    words = criterion(answer="A plan {answer}.", eval={"type": "llm", "template": template})
    assert words is not None
    assert words.endswith(":\nA plan {answer}.")


def test_without_a_template_the_answer_stands_by_itself():
    assert criterion(answer="A plan.") == "A plan."
    assert criterion(answer="A plan.", eval={"type": "llm", "template": "custom"}) == "A plan."


def test_examples_come_after_it():
    words = criterion(answer="A plan.", eval={"type": "llm", "examples": "x: 0.5"})
    assert words == "A plan.\n\nExamples:\nx: 0.5"


def test_without_an_answer_there_is_no_criterion():
    assert criterion() is None
