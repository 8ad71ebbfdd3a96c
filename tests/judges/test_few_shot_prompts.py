"""Prompts with examples: not from the suite, unforgeable, and in the parser's form."""

from __future__ import annotations

import calendar
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from each_row import each_row

from fiducial.data import demo_path
from fiducial.judges import load_judge, shipped_prompts
from fiducial.judges.catalogue import DEFAULT_VARIANTS, PromptName
from fiducial.judges.prompt_file import read_prompt_file

FEW_SHOT = {name: path for name, path in shipped_prompts().items() if name.variant == "few_shot"}
PREFIXED = {name: path for name, path in shipped_prompts().items() if name.variant == "examples"}
WITH_EXAMPLES = FEW_SHOT | PREFIXED
every_one_with_examples = each_row("path", WITH_EXAMPLES.values())
every_one = each_row("path", FEW_SHOT.values())

_OF_EVERYBODY = {"English", "German", "Polish", "Python", "Celsius"}
_AT_THE_START = {"According", "Either"}  # of a sentence, in both; neither has them in lower case
NO_NAMES = {*calendar.month_name, *calendar.day_name, *_OF_EVERYBODY, *_AT_THE_START}
_RUN = 5


def examples_of(path: Path) -> list[str]:
    """The worked examples of a prompt, one by one."""
    template = read_prompt_file(path).template
    shown, _, _ = template.partition("Now comes what you have to judge.")
    return re.split(r"^Example [A-Z], ", shown, flags=re.MULTILINE)[1:]


def replies_of(path: Path) -> Iterator[str]:
    for example in examples_of(path):
        said = example.partition("Right reply:\n")[2].strip()
        yield (
            said[: said.rindex("</S2>") + len("</S2>")]
            if path.stem == "few_shot"
            else said[: said.index("</S2>") + len("</S2>")]
        )


def words(text: str) -> list[str]:
    return re.findall(r"\w+", text)


def runs(text: str) -> set[tuple[str, ...]]:
    found = words(text.lower())
    return set(zip(*(found[start:] for start in range(_RUN)), strict=False))


@pytest.fixture(scope="module")
def suite() -> str:
    """Everything in the suite that a judge is shown or that labels say."""
    return "\n".join(
        demo_path(name).read_text("utf-8") for name in ("cases.jsonl", "outputs.jsonl", "labels.jsonl")
    )


def test_every_judge_has_one() -> None:
    assert {name.judge for name in FEW_SHOT} == set(DEFAULT_VARIANTS)


@every_one_with_examples
def test_the_examples_share_no_names_values_or_phrases_with_the_suite(path: Path, suite: str) -> None:
    shown = "\n".join(examples_of(path))
    of_suite = set(words(suite))
    ordinary = {word for word in words(shown + suite) if word[0].islower()}
    names = {word for word in words(shown) if word[0].isupper() and word.lower() not in ordinary}
    values = {word for word in words(shown) if word.isdigit() and len(word) >= 3} - {"000"}
    tools = {word for word in words(shown) if "_" in word}
    assert len(names) > 5
    assert names & of_suite <= NO_NAMES
    assert values & of_suite == set()
    assert tools & of_suite == set()
    assert runs(shown) & runs(suite) == set()


@every_one_with_examples
def test_the_right_replies_of_the_examples_are_read_as_they_are_meant(path: Path) -> None:
    parse = load_judge(str(path), model="m").parse
    scores = [parse(reply).score for reply in replies_of(path)]
    assert len(scores) >= 4
    assert min(scores) < 1
    assert max(scores) > 0.5


@every_one
def test_examples_stand_before_all_material_and_hold_no_fence(path: Path) -> None:
    template = read_prompt_file(path).template
    system, _, user = template.partition("\nuser:\n")
    shown = "\n".join(examples_of(path))
    assert all(example in system for example in examples_of(path))
    assert "Example" not in user
    assert "{{" not in shown
    assert "===" not in shown
    assert not re.search(r"[0-9a-f]{20}", shown)
    assert system.index("{{fence}}") > system.index(examples_of(path)[-1])


@each_row("name", PREFIXED)
def test_a_variant_with_all_that_is_constant_first_shows_the_same_rules_and_examples(
    name: PromptName,
) -> None:
    first, second = (
        read_prompt_file(paths[name._replace(variant=variant)])
        for paths, variant in ((FEW_SHOT, "few_shot"), (PREFIXED, "examples"))
    )
    shown = zip(examples_of(first.path), examples_of(second.path), strict=False)
    assert all(longer.startswith(example.rstrip()) for example, longer in shown)
    assert (second.parse, second.scale, second.parameters) == (first.parse, first.scale, first.parameters)
    constant, _, material = second.template.partition("\nuser:\n")
    assert "{{" not in constant
    assert re.match(r"The code is {{(material_)?fence}}\.", material)
    form = first.template.rpartition("Reply in exactly this form")[2].strip()
    assert form in constant


@every_one
def test_one_example_holds_words_to_the_judge_that_are_not_followed(path: Path) -> None:
    addressed = [example for example in examples_of(path) if " to the judge" in example.splitlines()[0]]
    assert len(addressed) == 1
    judge = load_judge(str(path), model="m")
    assert judge.parse(addressed[0].partition("Right reply:\n")[2].strip()).score < 1


def test_the_cases_that_judges_differ_on_are_shown() -> None:
    titles = {
        name.judge: " ".join(example.splitlines()[0] for example in examples_of(path))
        for name, path in FEW_SHOT.items()
    }
    assert "invented parameter" in titles["tool_call_accuracy"]
    assert "another language" in titles["tool_call_accuracy"]
    assert "contradict each other" in titles["groundedness"]
    assert "more general and more specific" in titles["groundedness"]
    assert "side by side" in titles["memory_answer"]
    assert "another name" in titles["memory_answer"]
    assert "sources that disagree" in titles["web_search_answer"]
    assert "announced" in titles["task_completion"]
    assert "claim instead of the thing" in titles["rubric"]
