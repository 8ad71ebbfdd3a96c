"""The prompt-mode prompt."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

import pytest
from each_row import each_row

from fiducial.formats.bfcl import CATEGORIES, CONFIGURATIONS, assemble_prompt, open_source, read_cases
from fiducial.records import Message

PromptOf: TypeAlias = Callable[..., list[Message]]


@pytest.fixture
def prompt_of(bfcl_data: Path):
    source = open_source(bfcl_data)

    def prompt_of(name: str, index: int = 0):
        return assemble_prompt(list(read_cases(source, CATEGORIES[name]))[index])

    return prompt_of


def test_instructions_come_first_and_the_question_after_them(prompt_of: PromptOf):
    system, user = prompt_of("simple_python")
    assert system["role"] == "system"
    assert system["content"].startswith("You are an expert in composing functions.")
    assert '"name": "garden.water"' in system["content"]
    assert user == {"role": "user", "content": "Water the rose bed with ten litres."}


def test_a_system_message_of_the_entry_is_kept_below_the_instructions(
    prompt_of: PromptOf,
):
    system, user = prompt_of("live_simple")
    assert system["content"].endswith("\n\nYou keep a garden.")
    assert user["content"] == "Gieße die Kräuter."


def test_java_values_are_asked_for_as_source_text(prompt_of: PromptOf):
    text = prompt_of("simple_java")[0]["content"]
    assert "Java source syntax" in text
    assert '"description": "Which door. (Java type: integer)"' in text
    assert '"type": "integer"' not in text


@each_row("index", range(len(CONFIGURATIONS)))
def test_every_configuration_shapes_the_prompt(prompt_of: PromptOf, index: int):
    configuration = CONFIGURATIONS[index]
    text = prompt_of("format_sensitivity", index)[0]["content"]
    assert ("<TOOLCALL>" in text) == configuration.tool_call_tag
    assert ("def garden.water(" in text) == (configuration.func_doc_fmt == "python")
    assert ('<function name="garden.water">' in text) == (configuration.func_doc_fmt == "xml")
    assert ('"name": "garden.water"' in text) == (configuration.func_doc_fmt == "json")
    assert ("## Functions" in text) == (configuration.prompt_fmt == "markdown")
    assert text.startswith("Your job") == (configuration.style == "experimental")
    assert ('{"function": "func_name1"' in text) == (configuration.ret_fmt == "json")
    assert ('value="params_value1"' in text) == (configuration.ret_fmt == "verbose_xml")
    assert (">params_value1</param>" in text) == (configuration.ret_fmt == "concise_xml")


def test_no_two_configurations_give_the_same_prompt(prompt_of: PromptOf):
    texts = {prompt_of("format_sensitivity", index)[0]["content"] for index in range(len(CONFIGURATIONS))}
    assert len(texts) == len(CONFIGURATIONS)


def test_dollar_signs_and_braces_in_documents_stay_as_they_are(bfcl_data: Path):
    case = next(read_cases(open_source(bfcl_data), CATEGORIES["simple_python"]))
    case.tools[0]["function"]["description"] = "Costs $5 {per bed}."
    assert "Costs $5 {per bed}." in assemble_prompt(case)[0]["content"]


@pytest.mark.reference
def test_the_prompt_of_the_worked_example_is_the_one_that_is_printed(reference: Path):
    seed = next((reference / "seeds").glob("001_*.txt")).read_text("utf-8")
    printed = seed[seed.index("  You are an expert") : seed.index("  - role: user")]
    cases = read_cases(open_source(reference / "bfcl/data"), CATEGORIES["live_simple"])
    system, user = assemble_prompt(next(case for case in cases if case.id == "live_simple_4-3-0"))
    # The printed example is wrapped to the width of a screen and indented.
    assert system["content"].split() == printed.split()
    assert user["content"] in seed
