"""What is known of each prompt is what the page of evidence says, and is shown."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
from command import fiducial

from fiducial.api.prompts import prompts
from fiducial.judges.catalogue import DEFAULT_VARIANTS, MeasuredPrompt, known_prompts

PAGE = (Path(__file__).resolve().parents[2] / "docs/evidence.md").read_text(encoding="utf-8")
SECTIONS = {"suite": "## The built-in suite\n", "real": "## Real tool calls\n"}
THREE = "direct, reasons, decomposed"


def rows(section: str) -> Iterator[tuple[str, list[str]]]:
    """Each row of the tables of a section: a prompt, and the other cells."""
    for line in PAGE.partition(section)[2].partition("\n## ")[0].splitlines():
        first, *cells = (cell.strip() for cell in line.strip("|").split("|"))
        judge, _, variants = first.partition(": ")
        if line.startswith("| ") and judge != "judge":
            for variant in (variants or THREE).split(", "):
                yield f"{judge}/{variant}", cells


def of_the_page(data: str) -> dict[str, dict[str, object]]:
    """Facts on the page about each prompt, by the keys of recorded.toml."""
    facts: dict[str, dict[str, object]] = {}
    for prompt, cells in rows(SECTIONS[data]):
        n, told, last = int(cells[0].split()[0]), [float(cell) for cell in number(cells[1])], cells[-1]
        if len(cells) == 4:
            facts[prompt] = {"n": n, "accuracy": told[0]}
        else:
            assert facts[prompt]["n"] == n
            facts[prompt] |= dict(zip(("difference", "low", "high"), told, strict=True))
            facts[prompt] |= {"against": "reasons", "p": float(last)}
    for right, n in re.findall(r"`first_wrong_step/reasons` agrees .* on (\d+) of (\d+)", PAGE):
        if data == "suite":
            facts["first_wrong_step/reasons"] = {"n": int(n), "accuracy": int(right) / int(n)}
    return facts


def number(cell: str) -> list[str]:
    return re.findall(r"-?\d\.\d+", cell)


def kept(data: str) -> Mapping[str, MeasuredPrompt]:
    return {
        str(name): prompt
        for name, known in known_prompts().items()
        for prompt in known.measured
        if prompt.data == data
    }


@pytest.mark.parametrize("data", SECTIONS)
def test_the_facts_kept_with_prompts_are_those_of_the_page_of_evidence(data: str):
    page, facts = of_the_page(data), kept(data)
    assert facts.keys() == page.keys()
    for prompt, said in page.items():
        keys = ("n", "accuracy", "against", "difference", "low", "high", "p")
        assert {key: getattr(facts[prompt], key) for key in keys} == {key: said.get(key) for key in keys}
        assert facts[prompt].model == "claude"


def test_longer_rules_are_known_to_judge_tool_calls_worse():
    found = {prompt: measured.found for prompt, measured in kept("real").items()}
    assert found["tool_call_accuracy/explicit"] == found["tool_call_accuracy/explicit_2"] == "worse"
    assert found["tool_call_accuracy/direct"] == "no difference shown"
    assert found["tool_call_accuracy/reasons"] is None
    assert DEFAULT_VARIANTS["tool_call_accuracy"] == "reasons"


def test_no_variant_is_known_to_be_better_than_a_default_and_no_default_to_be_worse():
    for name, known in known_prompts().items():
        default = name.variant == DEFAULT_VARIANTS.get(name.judge)
        found = {prompt.found for prompt in known.measured}
        assert ("worse" if default else "better") not in found


def test_only_a_significant_difference_makes_a_variant_better_or_worse():
    def found(difference: float | None, p: float | None) -> str | None:
        return MeasuredPrompt(
            model="m", data="real", n=9, accuracy=0.5, against="other", difference=difference, p=p
        ).found

    assert (found(0.1, 0.05), found(-0.1, 0.05)) == ("better", "worse")
    assert found(0.1, 0.06) == found(0.1, None) == found(None, 0.01) == "no difference shown"


def test_nothing_is_measured_without_a_recording():
    assert [name for name, known in known_prompts().items() if known.measured and not known.recorded] == []


def test_every_variant_without_a_recording_is_shown_as_experimental():
    without = {str(name) for name, known in known_prompts().items() if not known.recorded}
    listed = json.loads(fiducial("prompts", "list", "--json").out)
    names = {f"{prompt['judge']}/{prompt['variant']}" for prompt in listed}
    assert {
        f"{prompt['judge']}/{prompt['variant']}" for prompt in listed if prompt["experimental"]
    } == without & names
    assert sum("[Experimental: " in line for line in str(prompts()).splitlines()) == len(without & names)


def test_what_was_measured_is_listed_with_the_variant():
    listed = json.loads(fiducial("prompts", "list", "--json").out)
    (worse,) = (
        prompt
        for prompt in listed
        if prompt["variant"] == "explicit_2" and prompt["judge"].startswith("tool")
    )
    (measured,) = worse["measured"]
    assert (measured["found"], measured["against"], measured["n"]) == ("worse", "reasons", 462)
    assert "worse than reasons" in " ".join(str(prompts()).split())
