"""Scores that a prompt file allows, and errors for a file that does not say."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from each_row import each_row
from judge_items import Judging, make_case, make_output
from provider_server import Answer, ProviderServer

from fiducial.errors import PromptError
from fiducial.judges import load_judge
from fiducial.judges.catalogue import all_prompts
from fiducial.judges.front_matter import read_front_matter
from fiducial.judges.prompt_file import STATEMENTS, read_prompt_file
from fiducial.judges.prompt_scale import listed_scale, scale_from_option, scale_line, scale_of, scale_text
from fiducial.records.scale import Scale

pytestmark = pytest.mark.usefixtures("typed_options")

QUERY = "inputs:\n  query: {type: string, kind: string}"


def write(folder: Path, front: str, body: str = "user:\n{{query}}\nRate it from 1 to 5.") -> str:
    path = folder / "mine.prompty"
    path.write_text(f"---\nname: mine\n{QUERY}\n{front}---\n{body}\n", encoding="utf-8")
    return str(path)


@each_row(
    ("body", "line"),
    [
        ("Rate it from 1 to 5.", "scale: {minimum: 1, maximum: 5, step: 1}"),
        ("An integer between 1 and 10, please.", "scale: {minimum: 1, maximum: 10, step: 1}"),
        ("**Score** (1-5)", "scale: {minimum: 1, maximum: 5, step: 1}"),
        ('Reply either "0" or "1".', "scale: {minimum: 0, maximum: 1, step: 1}"),
        ("A number from 0 to 1.", "scale: {minimum: 0, maximum: 1}"),
        ("Is it good?", "scale: {minimum: 0, maximum: 1, step: 1}"),
        ("As of 2024-01-05, at 1.5-2.5 km: is it good?", "scale: {minimum: 0, maximum: 1, step: 1}"),
    ],
)
def test_a_scale_that_nobody_declared_is_refused_with_the_line_to_add(
    tmp_path: Path, body: str, line: str
) -> None:
    spec = write(tmp_path, "", f"user:\n{{{{query}}}}\n{body}")
    with pytest.raises(
        PromptError, match=r"mine\.prompty:5: scale: .*not declared; add this line"
    ) as refused:
        load_judge(spec, model="m")
    assert f": {line} (" in str(refused.value)
    assert "\n" not in str(refused.value)
    assert (
        scale_line(load_judge(write(tmp_path, f"{line}\n", body="user:\nx"), model="m").prompt.scale) == line
    )


@pytest.mark.parametrize("declared", ["scale:\n", "scale: null\n"])
def test_an_empty_declaration_is_none(tmp_path: Path, declared: str) -> None:
    with pytest.raises(PromptError, match="not declared"):
        load_judge(write(tmp_path, declared), model="m")


@each_row("declared", ["{minimum: 1}", "{maximum: 5}", "{}", "5", "{minimum: 1, maximum: 5, better: less}"])
def test_half_a_declaration_is_refused(tmp_path: Path, declared: str) -> None:
    with pytest.raises(PromptError, match=r"mine\.prompty:5: scale: "):
        load_judge(write(tmp_path, f"scale: {declared}\n"), model="m")


def schema(score: str) -> str:
    return (
        "model: {parameters: {response_format: {type: json_schema, json_schema: {name: r, schema: "
        f"{{type: object, properties: {{score: {score}}}}}}}}}}}}}\n"
    )


@pytest.mark.parametrize(
    ("score", "scale"),
    [
        ("{type: integer, enum: [0, 1]}", Scale(0, 1, 1)),
        ("{enum: [5, 3, 1]}", Scale(1, 5, 2)),
        ('{type: string, enum: ["1", "2", "3"]}', Scale(1, 3, 1)),
        ("{type: integer, minimum: 1, maximum: 5}", Scale(1, 5, 1)),
    ],
)
def test_a_response_format_that_lists_the_scores_declares_the_scale(
    tmp_path: Path, score: str, scale: Scale
) -> None:
    assert read_prompt_file(Path(write(tmp_path, schema(score)))).scale == scale


@each_row(
    "score",
    [
        "{type: integer}",
        "{type: number, minimum: 0, maximum: 1}",
        "{type: integer, minimum: 5, maximum: 1}",
        "{enum: [0, 1, 5]}",
        "{enum: [bad, good]}",
        "{enum: [false, true]}",
        "{enum: [1]}",
    ],
)
def test_one_that_lists_none_does_not(tmp_path: Path, score: str) -> None:
    with pytest.raises(PromptError, match="not declared"):
        read_prompt_file(Path(write(tmp_path, schema(score))))


def test_every_shipped_prompt_that_scores_declares_its_scale() -> None:
    for path in all_prompts().values():
        front = read_front_matter(path)
        assert ("scale" in front.values) == ((front.values["parse"] or {})["mode"] != STATEMENTS)


@pytest.mark.parametrize(("said", "score"), [("1", 1.0), ("2", 0.75), ("5", 0.0)])
def test_where_low_is_better_the_least_is_1_and_the_number_given_is_kept(
    server: ProviderServer, judging: Judging, tmp_path: Path, said: str, score: float
) -> None:
    server.script = lambda seen: Answer(said)
    spec = write(tmp_path, "scale: {minimum: 1, maximum: 5, step: 1, better: low}\n")
    (verdict,) = judging([(make_case(), make_output())], spec=spec)
    assert (verdict.score, verdict.evidence["raw_score"]) == (score, float(said))


def test_the_worst_grade_of_five_is_0_and_not_the_best(
    server: ProviderServer, judging: Judging, tmp_path: Path
) -> None:
    server.script = lambda seen: Answer("1")
    (verdict,) = judging(
        [(make_case(), make_output())], spec=write(tmp_path, "scale: {minimum: 1, maximum: 5}\n")
    )
    assert (verdict.score, verdict.evidence) == (0.0, {"raw_score": 1.0})


@each_row(
    ("text", "scale"),
    [
        ("1-5", Scale(1, 5, None)),
        ("5-1", Scale(1, 5, None, "low")),
        ("1 to 5", Scale(1, 5, None)),
        ("-1..1", Scale(-1, 1, None)),
        ("{minimum: 1, maximum: 5, better: low}", Scale(1, 5, None, "low")),
        ("scale: {minimum: 0, maximum: 1, step: 1}", Scale(0, 1, 1)),
    ],
)
def test_a_command_line_says_a_scale_by_its_worst_and_its_best_score(text: str, scale: Scale) -> None:
    assert scale_from_option(text) == scale


def test_what_a_message_says_to_say_is_understood() -> None:
    for scale in (Scale(1, 5, 1), Scale(0, 1, None), Scale(1, 5, None, "low")):
        words = scale_text(scale).removeprefix("--scale ").split(" --step ")
        assert scale_from_option(words[0], float(words[1]) if len(words) > 1 else None) == scale


@each_row("text", ["", "5", "1-1", "[1, 5]", "{minimum: 1}", "{", "good-bad"])
def test_what_is_no_scale_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        scale_from_option(text)


def test_a_threshold_is_a_score_in_0_to_1(tmp_path: Path) -> None:
    scale = "scale: {minimum: 1, maximum: 5}\n"
    assert read_prompt_file(Path(write(tmp_path, f"{scale}pass_at: 0.75\n"))).pass_at == 0.75
    assert read_prompt_file(Path(write(tmp_path, scale))).pass_at is None
    for wrong in ("4", "-0.1", ".nan", "true", "high"):
        with pytest.raises(PromptError, match=r"mine\.prompty:6: pass_at: "):
            read_prompt_file(Path(write(tmp_path, f"{scale}pass_at: {wrong}\n")))


def test_a_scale_has_the_same_defaults_in_a_prompt_file_and_in_code():
    assert scale_of({"minimum": 0, "maximum": 1}) == Scale()
    assert not Scale().is_binary


@pytest.mark.parametrize(
    "schema", [{"enum": [0, 10**400]}, {"type": "integer", "minimum": 0, "maximum": 10**400}]
)
def test_a_number_beyond_floating_point_declares_no_scale(schema: dict[str, Any]):
    parameters = {"response_format": {"json_schema": {"schema": {"properties": {"score": schema}}}}}
    assert listed_scale(parameters, "score") is None
