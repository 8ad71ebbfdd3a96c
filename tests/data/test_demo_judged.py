"""Judges' part of the suite: claims, tasks in environments, open answers; none in a prompt."""

from __future__ import annotations

import inspect
import json
import re
from collections.abc import Iterator
from functools import cache

import msgspec
from demo_suite import case_of, cases, cases_of, labels, outputs
from each_row import failing

from fiducial.deterministic import CheckOptions, check
from fiducial.deterministic.environments import ENVIRONMENTS
from fiducial.judges.catalogue import shipped_prompts
from fiducial.records import Case, Claim, Output, Verdict

_RUN = 6
"""So many words in a row are no coincidence."""

_FEW_CHARACTERS = 12
"""A text this short may be anybody's."""


def _claims(case: Case) -> list[Claim]:
    return msgspec.convert(case.reference.get("claims") or [], list[Claim])


def _labels_of(kind: str) -> list[Verdict]:
    return [label for label in labels() if case_of(label).kind == kind]


def test_a_grounded_answer_is_labelled_with_the_share_of_its_claims_that_are_supported():
    grounded = {str(label.key): label for label in _labels_of("grounded_answer")}

    def attempt(key: str) -> None:
        label = grounded[key]
        text = outputs()[label.key].text or ""
        made = [claim for claim in _claims(case_of(label)) if claim.text in text]
        supported = sum(claim.supported for claim in made)
        assert label.evidence == {"supported": supported, "pieces": len(made)}
        assert label.score == supported / len(made)

    assert len(grounded) == 60
    assert failing(grounded, attempt) == {}


def test_every_claim_is_made_by_some_output_and_names_the_results_that_support_it():
    for case in cases_of("grounded_answer"):
        said = _said()[case.id]
        results = {item.id for item in case.context}
        for claim in _claims(case):
            assert any(claim.text in text for text in said), claim
            assert claim.supported == bool(claim.indexes), claim
            assert set(claim.indexes) <= results, claim


def test_support_comes_from_single_results_from_several_and_against_contradiction():
    counts = {len(claim.indexes) for case in cases_of("grounded_answer") for claim in _claims(case)}
    assert counts == {0, 1, 2}
    fractions = {label.score for label in _labels_of("grounded_answer")}
    assert len(fractions) >= 5
    contexts = [item for case in cases_of("grounded_answer") for item in case.context]
    assert {type(item.content) for item in contexts} >= {str, dict}
    assert any(isinstance(item.request, dict) for item in contexts)


def test_the_tools_of_a_task_are_calls_of_its_world():
    for case in cases_of("multi_turn"):
        (world,) = (ENVIRONMENTS[name] for name in case.reference["classes"])
        for tool in case.tools:
            function = tool["function"]
            at = (case.id, function["name"])
            signature = inspect.signature(getattr(world, function["name"])).parameters
            documented = function["parameters"]["properties"]
            assert set(documented) <= set(signature), at
            required = {name for name, item in signature.items() if item.default is inspect.Parameter.empty}
            assert required - {"self"} == set(function["parameters"]["required"]), at


def test_the_reference_of_a_task_passes_and_uses_the_tools_on_offer():
    tasks = {case.id: case for case in cases_of("multi_turn")}

    def attempt(case_id: str) -> None:
        case = tasks[case_id]
        calls = case.reference["calls"]
        output = Output(
            case_id=case.id,
            system="reference",
            turns=[[f"[{', '.join(turn)}]"] if turn else [] for turn in calls],
        )
        for rules in ("bfcl", "strict"):
            assert check(case, output, CheckOptions(rules=rules)).score == 1.0, rules
        offered = {tool["function"]["name"] for tool in case.tools}
        assert {call.partition("(")[0] for turn in calls for call in turn} <= offered

    assert failing(tasks, attempt) == {}


def test_tasks_are_short_and_play_in_every_built_in_world():
    tasks = cases_of("multi_turn")
    assert {name for case in tasks for name in case.reference["classes"]} == set(ENVIRONMENTS)
    for case in tasks:
        assert 1 <= len(case.turns) == len(case.reference["calls"]) <= 3
        assert len(json.dumps(case.reference["initial_config"])) < 1_000


def test_no_prompt_shows_anything_of_the_suite():
    prompts = "\n".join(file.read_text("utf-8") for file in shipped_prompts().values())
    shown = set(_runs(prompts))
    assert shown
    for case in cases().values():
        for text in _texts(case):
            assert len(text) < _FEW_CHARACTERS or text not in prompts, (case.id, text)
            assert shown.isdisjoint(_runs(text)), (case.id, text)


def _runs(text: str) -> Iterator[tuple[str, ...]]:
    """Every run of a few words."""
    words = re.findall(r"\w+", text.lower())
    return zip(*(words[start:] for start in range(_RUN)), strict=False)


def _texts(case: Case) -> Iterator[str]:
    """Yield the texts of a case and of the outputs for it."""
    yield from (str(message["content"]) for turn in case.turns for message in turn)
    yield from (str(item.content) for item in case.context)
    yield from (str(case.reference[name]) for name in ("criterion", "answer") if name in case.reference)
    yield from (claim.text for claim in _claims(case))
    yield from _said()[case.id]


@cache
def _said() -> dict[str, list[str]]:
    """Return the systems' text answers, by case."""
    texts: dict[str, list[str]] = {case_id: [] for case_id in cases()}
    for output in outputs().values():
        steps = [step for turn in output.turns or [] for step in turn if isinstance(step, str)]
        texts[output.case_id] += [*steps, output.text or ""]
    return texts
