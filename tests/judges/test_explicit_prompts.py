"""The variants that settle what readers of the other prompts found open."""

from __future__ import annotations

import pytest
from each_row import each_row
from judge_items import make_case, make_output

from fiducial.judges import find_prompt, load_judge
from fiducial.judges.catalogue import PromptName, all_prompts, known_prompts
from fiducial.records import ContextItem

SETTLED = {
    "tool_call_accuracy": [
        "a required value is not known",
        "merely likely",
        "documented default",
        "a year that it filled in",
        "the state or country of a city",
        "may not be left out because its parameter is optional",
        "a_b means the listed tool a.b",
        "6:00 is not HH:MM",
        "with sentences around them",
        "a bracket missing",
        "[None]",
        "A vague wish",
        "in quotes is a text",
    ],
    "groundedness": ["advice", "qualifiers", "A weekday", "A source", "calendar", "[result-1] and not [1]"],
    "task_completion": [
        "also before it was asked for",
        "the removal of the original instead of a move",
        "Values of another type",
        "whose result is an error",
        "tools_added",
        "no text of that turn was recorded",
    ],
}


@each_row(("judge", "words"), [(judge, words) for judge, list_ in SETTLED.items() for words in list_])
def test_what_was_open_is_settled(judge: str, words: str):
    assert words in load_judge(f"{judge}/explicit", model="m").prompt.template


def test_a_bare_task_completion_means_the_variant_that_is_shown_results():
    assert find_prompt("task_completion")[0] == PromptName("task_completion", "explicit")
    shown = [
        name.variant
        for name, known in known_prompts().items()
        if name.judge == "task_completion" and name in all_prompts() and known.transcript == "full"
    ]
    assert shown == ["explicit"]


@pytest.mark.parametrize("ids", [("result-1", "result-2"), ("1", "2")])
def test_pieces_may_name_results_by_any_ids(ids: tuple[str, str]):
    judge = load_judge("groundedness/explicit", model="m")
    context = [ContextItem(id=name, content="x") for name in ids]
    (shown,) = [
        message["content"] for message in judge.messages(make_case(context=context), make_output())[1:]
    ]
    assert all(f"Index: {name}\n" in shown for name in ids)
    reply = f"<S1>1. one, indexes [{ids[0]}, {ids[1]}] <P>1</P>\n2. two, indexes [] <P>0</P></S1><S2>0.5</S2>"
    assert judge.parse(reply).score == 0.5
