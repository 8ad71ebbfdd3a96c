"""Climbed ladders: levels found, questions asked, and resumption of a start cut short."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Callable
from pathlib import Path

import pytest

import fiducial as fd
from fiducial.api.auditing import audit_plan, forecast_audit
from fiducial.api.audits import Audit
from fiducial.deterministic.mutation import DIALS, Dial, Rung
from fiducial.errors import ConfigurationError, RunFolderError, UsageError
from fiducial.evaluation.audit.ladder.ladder_results import LadderResult
from fiducial.evaluation.judging.access import ModelAccess
from fiducial.plugins import JUDGES, OPERATORS
from fiducial.records import read_records
from fiducial.settings.verbs.audit import AuditRunSettings

pytestmark = pytest.mark.usefixtures("coarse_curves")

PLANTED = {"parallel_calls": 10.0, "passages": 20.0}
FLAT = "number_error"


def _chance(case_id: str) -> float:
    return int.from_bytes(hashlib.sha256(case_id.encode()).digest()[:8], "big") / 2**64


def planted(case: fd.Case, output: fd.Output) -> float:
    """Judge with a planted level: catches 80 % there, less above; passes right outputs.

    Wrong digits are always caught.
    """
    dial, level, _ = case.id.split("/")
    if output.system == "right":
        return 1.0
    if dial not in PLANTED:
        return 0.0
    odds = 4.0 * math.log(int(level) / PLANTED[dial]) - math.log(4.0)
    return float(_chance(case.id) > 1 / (1 + math.exp(odds)))


Named = Callable[[str, Callable[[fd.Case, fd.Output], float]], str]


@pytest.fixture
def judge_named(monkeypatch: pytest.MonkeyPatch) -> Named:
    """Registers functions as judges for one test."""
    monkeypatch.setattr(JUDGES, "_registered", {})

    def register(name: str, function: Callable[[fd.Case, fd.Output], float]) -> str:
        fd.judge_function(name)(function)
        return name

    return register


def ladders(found: Audit) -> dict[str, LadderResult]:
    """By dial."""
    (judge,) = found.judges
    return {ladder.dial: ladder for ladder in judge.ladders}


def climb(judge: str, out: Path | None = None, *, calls: int, only: tuple[str, ...]) -> Audit:
    """Audit by ladders alone."""
    return fd.audit(None, judge, ladder=True, only=only, calls=calls, out=out)


def test_planted_levels_are_found_and_what_does_not_break_is_said_not_to(judge_named: Named):
    found = ladders(climb(judge_named("planted", planted), calls=150, only=(*PLANTED, FLAT)))
    for dial, level in PLANTED.items():
        threshold = found[dial].threshold
        assert threshold.level == pytest.approx(level, rel=0.25)
        assert threshold.low is not None
        assert threshold.high is not None
        assert threshold.low < level < threshold.high
        assert found[dial].found
    assert found[FLAT].breaks == "not reached up to 9 (the last of eight)"
    assert found[FLAT].flat
    assert not found[FLAT].found
    assert found["passages"].failed_right.value == 0.0


def test_a_judge_that_fails_everything_is_said_to_fail_what_is_right(judge_named: Named):
    audit = climb(judge_named("fails", lambda case, output: 0.0), only=("inference",), calls=50)
    assert ladders(audit)["inference"].failed_right.value == 1.0
    assert "fails right outputs, too" in str(audit)


def test_a_start_that_was_cut_short_goes_on_to_the_same_end(tmp_path: Path, judge_named: Named):
    out, judge, dials = tmp_path / "out", judge_named("planted", planted), ("passages", FLAT)
    whole = ladders(climb(judge, out, calls=150, only=dials))
    asked, said = out / "ladder.jsonl", out / "verdicts.jsonl"
    rounds, verdicts = asked.read_bytes(), said.read_bytes().splitlines(keepends=True)
    assert rounds.count(b"\n") == len(dials) * 3
    # As a power cut in the second round leaves it: written down what is asked, answered some of it, and half a line.
    asked.write_bytes(b"".join(rounds.splitlines(keepends=True)[: len(dials) * 2]))
    said.write_bytes(b"".join(verdicts[: 100 + 40]) + verdicts[140][:30])
    assert ladders(climb(judge, out, calls=150, only=dials)) == whole
    assert asked.read_bytes() == rounds


def test_the_same_command_again_asks_nothing_and_more_calls_go_on(tmp_path: Path, judge_named: Named):
    asked: list[str] = []

    def counting(case: fd.Case, output: fd.Output) -> float:
        asked.append(f"{case.id} {output.system}")
        return planted(case, output)

    judge, out, dials = judge_named("counting", counting), tmp_path / "out", ("passages",)
    for _ in range(2):
        climb(judge, out, calls=60, only=dials)
        assert len(asked) == 60 * len(dials)
    more = climb(judge, out, calls=80, only=dials)
    assert len(asked) == len(set(asked)) == 80 * len(dials)
    assert ladders(more)["passages"].drop.n == 72


def test_a_judge_of_whom_nothing_can_be_graded_is_asked_one_round_only(tmp_path: Path, judge_named: Named):
    def broken(case: fd.Case, output: fd.Output) -> float:
        raise ValueError("no")

    audit = climb(judge_named("broken", broken), tmp_path / "out", only=("passages",), calls=100)
    assert ladders(audit)["passages"].ungraded == {"failed": 50}
    assert ladders(audit)["passages"].breaks == "not known: nothing was graded"
    assert audit.failed == 50


def test_what_is_to_be_read_is_there_with_cases_and_outputs(tmp_path: Path, judge_named: Named):
    climb(judge_named("planted", planted), tmp_path / "out", only=("passages",), calls=50)
    rows = [json.loads(line) for line in (tmp_path / "out" / "to_read.jsonl").read_text().splitlines()]
    cases = {case.id: case for case in read_records(tmp_path / "out" / "to_read_cases.jsonl", fd.Case)}
    outputs = {output.key for output in read_records(tmp_path / "out" / "to_read_outputs.jsonl", fd.Output)}
    assert {row["what"] for row in rows} == {"survivor"}
    assert {row["case_id"] for row in rows} == cases.keys() == {key.case_id for key in outputs}


def test_probes_and_ladders_go_together(judge_named: Named):
    cases = [DIALS["number_error"].make(seed, 3).case for seed in range(6)]
    named = [{**json.loads(json.dumps(each)), "id": f"case-{n}"} for n, each in enumerate(map(_plain, cases))]
    probes = fd.mutate(named, only=["off_by_one"])

    def right_or_wrong(case: fd.Case, output: fd.Output) -> float:
        return fd.check(case, output).score or 0.0

    audit = fd.audit(
        probes, judge_named("both", right_or_wrong), ladder=True, only=["number_error"], calls=50
    )
    (judge,) = audit.judges
    assert {operator.operator for operator in judge.operators} == {"off_by_one", "original"}
    assert [ladder.dial for ladder in judge.ladders] == ["number_error"]
    assert judge.asked == 50 + 6 * 2 + sum(
        operator.rate.n for operator in judge.operators if operator.operator == "off_by_one"
    )


def _plain(case: fd.Case) -> dict[str, object]:
    return {"kind": case.kind, "messages": case.messages, "tools": case.tools, "reference": case.reference}


def test_neither_probes_nor_ladders_is_refused():
    with pytest.raises(UsageError, match="nothing to judge"):
        fd.audit(None, "tool_call_accuracy", model="baseline")


def test_a_dial_that_is_none_is_refused_by_name():
    with pytest.raises(UsageError, match="typo: no such dial; there are tools_offered"):
        fd.audit(None, "tool_call_accuracy", model="baseline", ladder=True, only=["typo"])


def test_judges_are_asked_about_dials_for_their_kinds_alone():
    only = ["number_error", "inference", "nesting", "claim_error"]
    audit = fd.audit(None, "groundedness", model="baseline", ladder=True, only=only, calls=2)
    assert [ladder.dial for ladder in audit.judges[0].ladders] == ["inference", "claim_error"]


def test_a_forecast_asks_nobody_and_counts_what_would_be_asked_on_all_dials(tmp_path: Path):
    options = AuditRunSettings(
        judges=("groundedness",), model="m", out=tmp_path / "out", ladder=True, calls=10
    )
    (forecast,) = forecast_audit(audit_plan(options, command="test"), ModelAccess()).judges
    assert forecast.outputs == 10 * sum(dial.family == "groundedness" for dial in DIALS.values()) > 10
    assert not (tmp_path / "out").exists()


def _swapped(seed: int, level: int) -> Rung:
    rung = DIALS["nesting"].make(seed, level)
    return Rung(rung.case, rung.faulty, rung.right, rung.change)


def test_a_dial_whose_outputs_the_checker_judges_otherwise_is_refused(
    judge_named: Named, monkeypatch: pytest.MonkeyPatch
):
    own = Dial("swapped", "tool_call", _swapped, (1, 2, 3), "levels", "right and wrong in each other's place")
    monkeypatch.setattr(OPERATORS, "_registered", {"swapped": own})
    with pytest.raises(ConfigurationError, match="dial 'swapped', level 1, seed 0: strict rules give its"):
        climb(judge_named("planted", planted), only=("swapped",), calls=20)


def test_a_dial_that_was_changed_does_not_go_on_in_the_same_folder(
    tmp_path: Path, judge_named: Named, monkeypatch: pytest.MonkeyPatch
):
    def named(seeds: int) -> Dial:
        return Dial(
            "own",
            "tool_call",
            lambda seed, level: DIALS["nesting"].make(seed + seeds, level),
            (1, 2, 3),
            "levels",
            "",
        )

    judge = judge_named("planted", lambda case, output: 1.0)
    monkeypatch.setattr(OPERATORS, "_registered", {"own": named(0)})
    climb(judge, tmp_path / "out", only=("own",), calls=20)
    monkeypatch.setattr(OPERATORS, "_registered", {"own": named(1)})
    with pytest.raises(RunFolderError, match="differs in dial own"):
        climb(judge, tmp_path / "out", only=("own",), calls=20)


def test_evenly_asks_all_levels_at_once_and_what_is_known_before(tmp_path: Path, judge_named: Named):
    judge = judge_named("planted", planted)
    found = fd.audit(
        None, judge, ladder=True, evenly=True, only=["parallel_calls"], calls=60, out=tmp_path / "out"
    )
    (row,) = [json.loads(line) for line in (tmp_path / "out" / "ladder.jsonl").read_text().splitlines()]
    levels = DIALS["parallel_calls"].levels
    assert row["faulty"] == [levels[number % 11] for number in range(54)]
    assert row["right"] == list(levels[:6])
    assert {level.faulty for level in ladders(found)["parallel_calls"].levels} == {4, 5}
