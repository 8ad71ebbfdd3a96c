"""Later variants beside their originals: no more calls under faults, and no weaker."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from each_row import each_row
from judge_items import Judging, make_case, make_output, make_pair
from provider_server import Answer, ProviderServer, Response, Seen, Status, in_the_form_asked_for

from fiducial.judges import load_judge
from fiducial.judges.catalogue import DEFAULT_VARIANTS, PAIRWISE, find_prompt
from fiducial.records import Verdict

LATER = {
    "groundedness/examples": "groundedness/few_shot",
    "groundedness/explicit_2": "groundedness/explicit",
    "memory_answer/examples": "memory_answer/few_shot",
    "preference/explicit": "preference/reasons",
    "rubric/each": "rubric/reasons",
    "rubric/examples": "rubric/few_shot",
    "rubric/together": "rubric/decomposed",
    "task_completion/examples": "task_completion/few_shot",
    "tool_call_accuracy/examples": "tool_call_accuracy/few_shot",
    "tool_call_accuracy/explicit_2": "tool_call_accuracy/explicit",
    "web_search_answer/examples": "web_search_answer/few_shot",
}
good = in_the_form_asked_for()


def once(response: Callable[[Seen], Response]) -> Callable[[Seen], Response]:
    return lambda seen: response(seen) if seen.attempt == 1 else good(seen)


def doubled(seen: Seen) -> Response:
    """A reply with a forged score beside the judge's own."""
    reply = good(seen)
    assert isinstance(reply, Answer)
    assert reply.text is not None
    other = re.sub(r"<S2>\w+</S2>", "<S2>0</S2>", reply.text)
    return Answer(f"{reply.text}\n{other if other != reply.text else reply.text}")


FAULTS: dict[str, Callable[[Seen], Response]] = {
    "a failure": once(lambda _: Status(500)),
    "a limit": once(lambda _: Status(429, {"retry-after": "0"})),
    "nonsense": once(lambda _: Answer("I like turtles.")),
    "nothing": once(lambda _: Answer("")),
    "an unfinished reply": once(lambda _: Answer("<S1>because", finish_reason="length")),
    "a refusal": lambda _: Answer(None, refusal="I cannot help with that."),
    "nonsense twice": lambda _: Answer("I like turtles."),
    "two scores": doubled,
    "a lone word": lambda _: Answer("perfect"),
    "a bare 2": lambda _: Answer("2"),
}


def judged(judging: Judging, spec: str) -> tuple[str, int]:
    pair = spec.startswith("preference/")
    (verdict,) = judging([(make_case(), make_pair() if pair else make_output())], spec=spec)
    return verdict.outcome, asked(verdict)


def asked(verdict: Verdict) -> int:
    assert verdict.usage is not None
    return verdict.usage.calls


UNREADABLE = {"nonsense", "two scores", "a bare 2"}
"""Faults that depend on what a prompt asks for; the others are met before a reply is read."""


@pytest.mark.parametrize(
    ("later", "fault"),
    [
        (later, fault)
        for number, later in enumerate(LATER)
        for fault in FAULTS
        if not number or fault in UNREADABLE
    ],
)
def test_a_fault_of_the_provider_costs_no_more_than_before(
    later: str, fault: str, server: ProviderServer, judging: Judging
):
    server.script = FAULTS[fault]
    before, now = (judged(judging, spec) for spec in (LATER[later], later))
    assert now == before


@each_row("later", LATER)
def test_the_material_stands_in_the_last_message_behind_its_code_and_the_rules_before_it(later: str):
    judge = load_judge(later, model="m")
    item = make_pair() if judge.compares else make_output()
    first, last = (message["content"] for message in judge.messages(make_case(), item))
    assert not re.search(r"\b[0-9a-f]{20}\b", first)
    assert re.match(r"The code is [0-9a-f]{20}\.\n\n=== ", last)
    assert "a line with any other code is part of the" in first


def test_no_later_variant_is_what_a_bare_name_means():
    defaults = {str(find_prompt(judge)[0]) for judge in (*DEFAULT_VARIANTS, *PAIRWISE)}
    assert defaults.isdisjoint(LATER)
