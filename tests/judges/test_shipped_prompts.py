"""Shipped prompts: equal messages in promptflow and prompty, goldens, and reply form."""

from __future__ import annotations

import hashlib
import re
from pathlib import Path
from typing import Any

import pytest
from each_row import each_row
from judge_items import Judging, make_case, make_output, make_pair
from other_renderers import promptflow_renders, prompty_renders
from provider_server import ProviderServer, in_the_form_asked_for

from fiducial.judges import find_prompt, load_judge, shipped_prompts
from fiducial.judges.catalogue import (
    DEFAULT_VARIANTS,
    PromptName,
    all_prompts,
    decision_prompts,
    known_prompts,
)
from fiducial.judges.prompt_file import read_prompt_file
from fiducial.judges.prompt_inputs import FENCES, fill_inputs
from fiducial.judges.prompt_text import portability_problems
from fiducial.judges.prompt_variables import INPUT_BUILDERS
from fiducial.judges.rendering import compile_prompt
from fiducial.records import Message

GOLDEN = Path(__file__).parent / "golden"
SHIPPED, ALL = shipped_prompts(), all_prompts()
every_prompt = each_row("path", ALL.values())
every_judge = pytest.mark.parametrize("path", SHIPPED.values(), ids=map(str, SHIPPED))


def values_for(path: Path) -> dict[str, Any]:
    judge = load_judge(f"{path.parent.name}/{path.stem}", model="any")
    output = make_pair() if judge.compares else make_output()
    return fill_inputs(read_prompt_file(path).inputs, make_case(), output, judge.input_builders)


def ours(path: Path) -> list[Message]:
    return compile_prompt(read_prompt_file(path))(values_for(path))


@every_prompt
def test_promptflow_renders_the_same_messages(path: Path) -> None:
    theirs, parameters = promptflow_renders(path, values_for(path))
    assert theirs == ours(path)
    assert parameters == read_prompt_file(path).parameters


@every_prompt
def test_prompty_renders_the_same_messages(path: Path) -> None:
    assert prompty_renders(path, values_for(path)) == ours(path)


@every_prompt
def test_the_rendering_is_the_golden_one(path: Path) -> None:
    rendered = "".join(f"[{message['role']}]\n{message['content']}\n\n" for message in ours(path))
    golden = GOLDEN / f"{path.parent.name}.{path.stem}.txt"
    assert rendered == golden.read_text(encoding="utf-8"), f"if the change is meant, update {golden.name}"


@each_row("name", {**ALL, **decision_prompts()})
def test_it_never_changes(name: PromptName) -> None:
    known = known_prompts().get(name)
    assert known is not None, "a new prompt needs a table in prompts/recorded.toml"
    written = hashlib.sha256(find_prompt(str(name))[1].read_bytes()).hexdigest()
    assert written == known.sha256, "its recorded replies answer another text: write a new variant instead"


def test_no_prompt_is_known_that_is_not_there() -> None:
    assert set(known_prompts()) == {*ALL, *decision_prompts()}


@every_prompt
def test_nothing_keeps_other_tools_from_loading_it(path: Path) -> None:
    assert portability_problems(read_prompt_file(path)) == []


@every_prompt
def test_it_uses_known_inputs_and_encloses_them_in_fences(path: Path) -> None:
    prompt = read_prompt_file(path)
    assert set(prompt.inputs) <= {*INPUT_BUILDERS, *FENCES}
    (fence,) = (value for name, value in values_for(path).items() if name in FENCES)
    last = ours(path)[-1]["content"]
    assert last.count(f"=== {fence} begin") == last.count(f"=== {fence} end") == len(prompt.inputs) - 1
    assert ours(path)[-1]["role"] == "user"


def test_there_is_a_golden_rendering_of_every_prompt_and_of_nothing_else() -> None:
    assert {path.name for path in GOLDEN.iterdir()} == {f"{name.judge}.{name.variant}.txt" for name in ALL}


@every_judge
@pytest.mark.parametrize("score", [0, 1])
def test_a_provider_that_follows_the_stated_form_is_understood(
    server: ProviderServer, judging: Judging, path: Path, score: int
) -> None:
    server.script = in_the_form_asked_for(lambda seen: score)
    spec = f"{path.parent.name}/{path.stem}"
    (verdict,) = judging([(make_case(), make_output())], spec=spec)
    assert (verdict.outcome, verdict.score, verdict.by) == ("graded", score, f"{spec}@judge")


@pytest.mark.parametrize("variant", ["direct", "explicit", "reasons"])
@pytest.mark.parametrize("score", [0, 1])
def test_a_provider_that_chooses_in_the_stated_form_is_understood(
    server: ProviderServer, judging: Judging, variant: str, score: int
) -> None:
    server.script = in_the_form_asked_for(lambda seen: score)
    (verdict,) = judging([(make_case(), make_pair())], spec=f"preference/{variant}")
    assert (verdict.outcome, verdict.score, verdict.system) == ("graded", score, "agent vs other")


def test_each_judge_has_three_variants_and_a_default() -> None:
    judges = {name.judge for name in SHIPPED}
    assert set(DEFAULT_VARIANTS) == judges
    for judge in judges:
        assert sum(name.judge == judge for name in SHIPPED) >= 3
        assert find_prompt(judge)[0] in SHIPPED


def test_every_variant_states_its_reason() -> None:
    descriptions = [read_prompt_file(path).description for path in ALL.values()]
    assert len(set(descriptions)) == len(descriptions)
    assert all(len(re.findall(r"\w+", description)) >= 8 for description in descriptions)


def test_the_fingerprint_depends_on_prompt_model_and_parameters() -> None:
    prints = {
        load_judge("tool_call_accuracy", model="a").id.fingerprint,
        load_judge("tool_call_accuracy", model="b").id.fingerprint,
        load_judge("tool_call_accuracy/direct", model="a").id.fingerprint,
        load_judge("tool_call_accuracy", model="a", parameters={"temperature": 1}).id.fingerprint,
    }
    assert len(prints) == 4
    again = load_judge("tool_call_accuracy", model="a").id.fingerprint
    assert again in prints
