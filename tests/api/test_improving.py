from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from audit_items import calls
from ruled_prompt import ruled_prompt
from scripted_access import ScriptedAccess

import fiducial as fd
from fiducial.api.improving import Improvement
from fiducial.api.prompts import prompt_text
from fiducial.deterministic.mutation import right_output
from fiducial.errors import InputError, UsageError
from fiducial.records import Case, Output, Verdict


@pytest.fixture
def prompts(tmp_path: Path, bare_environment: None) -> tuple[Path, Path]:
    """A prompt that is right on two items of three, and one that is always right."""
    for name in ("current", "better"):
        (tmp_path / f"{name}.prompty").write_text(ruled_prompt(f"{name} rule"))
    return tmp_path / "current.prompty", tmp_path / "better.prompty"


def said(text: str) -> str:
    found = re.findall(r"answer (\d+)", text)
    if not found:
        return "0"
    number = int(found[-1])
    return str(number % 2 if "better rule" in text or number % 3 else 1 - number % 2)


def records(count: int = 120) -> tuple[list[Case], list[Output], list[Verdict]]:
    cases = [
        Case(
            id=f"q{n}",
            kind="open_answer",
            messages=[{"role": "user", "content": f"question {n}"}],
            reference={"criterion": "is right"},
        )
        for n in range(count)
    ]
    outputs = [Output(case_id=f"q{n}", system="s", text=f"answer {n}") for n in range(count)]
    labels = [
        Verdict.on(output.key, by="ann", source="human", score=float(n % 2))
        for n, output in enumerate(outputs)
    ]
    return cases, outputs, labels


def improved(given: Any, prompts: tuple[Path, Path], out: str = "out", **options: Any) -> Improvement:
    access = ScriptedAccess(said=said)
    return fd.improve(
        given,
        prompts[0],
        candidates=prompts[1:],
        model="m",
        out=out,
        access=lambda: access,
        progress=False,
        **options,
    )


def rows(count: int = 120) -> list[dict[str, Any]]:
    return [
        {"id": f"q{n}", "question": f"question {n}", "answer": f"answer {n}", "label": n % 2}
        for n in range(count)
    ]


def test_rows_of_a_table_are_enough(prompts: tuple[Path, Path]):
    found = improved(rows(), prompts)
    assert found.improved
    assert found.gain is not None
    assert found.gain.new.value == 1.0
    assert Path(found.written or "").read_bytes() == prompts[1].read_bytes()
    assert list(found.to_frame()["candidate"]) == ["better"]
    assert "better is better than current/custom@m" in str(found)


def test_a_run_brings_its_labels_and_decisions(prompts: tuple[Path, Path], tmp_path: Path):
    cases, outputs, labels = records()
    run = fd.evaluate(cases, outputs, labels=labels, out=tmp_path / "run", progress=False)
    decided = [
        {
            "case_id": f"q{n}",
            "system": "s",
            "by": "bea",
            "source": "human",
            "outcome": "graded",
            "score": float(n % 2),
        }
        for n in range(10)
    ]
    (tmp_path / "run" / "adjudications.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in decided))
    for given in (run, tmp_path / "run"):
        found = improved(given, prompts, out=f"out-{given.__class__.__name__}")
        assert found.improved
        assert found.development.adjudicated + found.holdout.adjudicated == 10


def test_an_import_brings_its_labels(prompts: tuple[Path, Path], tmp_path: Path):
    fd.read(rows()).save(tmp_path / "imported")
    assert improved(tmp_path / "imported", prompts).improved


def test_probes_of_ones_own_take_the_place_of_those_of_the_holdout(
    prompts: tuple[Path, Path], tmp_path: Path
):
    cases, outputs, _ = records(30)
    answers = [
        fd.Case(
            id=case.id,
            kind="web_search_answer",
            messages=case.messages,
            reference={"answers": [output.text or ""]},
        )
        for case, output in zip(cases, outputs, strict=True)
    ]
    probes = fd.mutate(answers, out=tmp_path / "probes", progress=False)
    found = improved(rows(), prompts, probes=probes)
    operators = {name for change in found.changes for name in change.operators}
    assert "answer_plain_verdict" in operators
    assert "labelled_wrong" not in operators


def test_a_prompt_that_says_the_same_as_another_is_tried_once(prompts: tuple[Path, Path], tmp_path: Path):
    copy = tmp_path / "copy.prompty"
    copy.write_bytes(prompts[1].read_bytes())
    found = improved(rows(), (*prompts, copy))  # pyright: ignore[reportArgumentType] - as many as one likes
    assert [prompt.refused for prompt in found.tried] == [None, "is the same as better"]


def test_a_candidate_that_cannot_be_used_is_named_by_its_own_file(prompts: tuple[Path, Path], tmp_path: Path):
    bad = tmp_path / "bad.prompty"
    bad.write_text(re.sub(r"(?m)^scale:.*\n", "", prompts[1].read_text()))
    tried = improved(rows(), (*prompts, bad)).tried  # pyright: ignore[reportArgumentType] - as many as one likes
    assert (tried[1].refused or "").startswith(f"{bad}:")


def test_without_a_wrong_output_no_attack_can_be_tried_and_nothing_is_written(prompts: tuple[Path, Path]):
    right = [{**row, "label": 1, "answer": f"answer {2 * n + 1}"} for n, row in enumerate(rows())]
    found = improved(right, prompts)
    assert found.answer == "worse on probes"
    assert found.changes == []
    assert "no probes show" in str(found)


def test_what_is_missing_is_named(prompts: tuple[Path, Path]):
    with pytest.raises(UsageError, match="name the judging model"):
        fd.improve(rows(), prompts[0], candidates=prompts[1:], out="out")
    with pytest.raises(UsageError, match="no model writes candidates"):
        fd.improve(rows(), f"{prompts[0]}@m", out="out")
    with pytest.raises(UsageError, match="asks about each criterion by itself"):
        fd.improve(rows(), "rubric/each", candidates=prompts[1:], model="m", out="out")
    with pytest.raises(InputError, match="has a label"):
        improved([{"id": "a", "question": "q", "answer": "answer 1"}], prompts)


def test_a_shipped_prompt_for_tool_calls_is_audited_by_the_operators_of_its_cases(
    prompts: tuple[Path, Path], tmp_path: Path
):
    cases = list(calls(60))
    outputs = [right_output(case, "agent") for case in cases]
    wrong = [Output(case_id=case.id, system="lazy", text="no") for case in cases]
    run = fd.evaluate(cases, [*filter(None, outputs), *wrong], out=tmp_path / "run", progress=False)
    candidate = tmp_path / "exact.prompty"
    shipped = prompt_text("tool_call_accuracy/direct")
    candidate.write_text(
        shipped.replace("user:", "user:\nBe exact.", 1).replace("\nscale:", "\npass_at: 0.5\nscale:")
    )

    def careless(text: str) -> str:
        """Right of calls, and of their absence only where it is told to be exact."""
        called = re.search(r"(rooms|tables)[._](book|reserve)", text.rpartition("begin calls")[2])
        return str(int(called is not None or "Be exact." not in text))

    access = ScriptedAccess(said=careless)
    found = fd.improve(
        run, "tool_call_accuracy/direct", candidates=[candidate], model="m", out="out", sample=40,
        access=lambda: access, progress=False,
    )  # fmt: skip
    assert [prompt.refused for prompt in found.tried] == [None]
    assert found.improved, str(found)
    assert {"swapped_enum", "original"} <= {name for change in found.changes for name in change.operators}


def test_the_output_folder_is_on_this_machine(prompts: tuple[Path, Path]):
    with pytest.raises(UsageError, match="only inputs and run folders can be addresses"):
        improved(rows(), prompts, out="memory://bucket/out")
