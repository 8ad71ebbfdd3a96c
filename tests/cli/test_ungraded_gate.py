"""Outputs that no grade was got from count as failures of a gate on all outputs."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from command import Command, fiducial, typed
from provider_server import Answer, ProviderServer


def judged_run(
    server: ProviderServer, folder: Path, cases: int, outputs: Sequence[Mapping[str, Any]]
) -> Command:
    """`fiducial run` on so many cases; replies about `evil` have no score."""
    server.script = lambda seen: Answer("hm" if "evil" in seen.text else "<S0>t</S0><S1>ok</S1><S2>1</S2>")
    asked = [
        {
            "id": f"c{n}",
            "kind": "open_answer",
            "messages": [{"role": "user", "content": f"Say {n}."}],
            "reference": {"criterion": "It says it."},
        }
        for n in range(cases)
    ]
    for name, rows in {"cases": asked, "outputs": outputs}.items():
        (folder / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    at = typed(
        folder / "cases.jsonl",
        outputs=folder / "outputs.jsonl",
        judge="rubric/reasons",
        model="m",
        base_url=server.base_url,
        out="run",
        retry_unreadable=0,
    )
    return lambda *more: fiducial("run", *at, *more)


@pytest.fixture
def judged(server: ProviderServer, tmp_path: Path) -> Command:
    """`fiducial run` on two systems; ten of 20 replies about `evil` have no score."""
    outputs = [
        {"case_id": f"c{n}", "system": system, "text": f"{system if n % 2 else 'good'} {n}"}
        for system in ("evil", "fine")
        for n in range(20)
    ]
    return judged_run(server, tmp_path, 20, outputs)


def test_a_gate_counts_unreadable_replies_as_failures_and_prints_both_numbers(judged: Command):
    result = judged("--fail-under", "overall=0.9")
    assert result.code == 1
    assert (
        "evil: overall 0.5000 with 10 unparsable as failures (1.0000 with `--ungraded ignore`)" in result.out
    )
    assert "fine: overall" not in result.out
    (evil, fine) = json.loads(Path("run/run.json").read_text())["results"]
    assert (evil["withheld"], fine.get("withheld", {})) == ({"unparsable": 10}, {})


def test_ungraded_ignore_gives_the_rate_of_graded_outputs(judged: Command):
    assert judged("--fail-under", "overall=0.9", "--ungraded", "ignore").code == 0


def test_a_gate_that_holds_prints_both_numbers(judged: Command):
    result = judged("--fail-under", "overall=0.4")
    assert (result.code, "gate: evil: overall 0.5000 with 10 unparsable" in result.out) == (0, True)


def test_the_first_screen_names_the_system_whose_replies_have_no_grade(judged: Command):
    words = " ".join(judged().out.split())
    assert "evil: judges gave no grade for 10 of 20 outputs, for 0 of 20 of the others" in words


def test_a_trial_of_several_counts_as_its_share_of_the_case(server: ProviderServer, tmp_path: Path):
    # Of the first case all four trials have no grade; of the second, one of two; the third has no output.
    tried = [(0, trial, "evil") for trial in range(4)] + [(1, 0, "evil"), (1, 1, "good")]
    outputs = [
        {"case_id": f"c{n}", "system": "me", "trial": trial, "text": f"{word} {n} {trial}"}
        for n, trial, word in tried
    ]
    # One half of the second case passes, of three cases: 1/6, where outputs alone would give 1/7.
    result = judged_run(server, tmp_path, 3, outputs)("--fail-under", "overall=0.5")
    assert (result.code, "overall 0.1667 with" in result.out) == (1, True)
