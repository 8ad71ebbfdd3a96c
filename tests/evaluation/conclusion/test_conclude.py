from __future__ import annotations

from pathlib import Path
from typing import cast

import msgspec
from judge_ids import judge_id

from fiducial.evaluation.conclusion.conclude import OTHER_REASONS, judge_uses
from fiducial.evaluation.store.manifest import KnownJudge
from fiducial.evaluation.store.run_writer import RunWriter
from fiducial.records import Outcome, Usage, Verdict


def judged(case_id: str, outcome: Outcome, *, calls: int, cached: bool = False) -> Verdict:
    return Verdict(
        case_id=case_id,
        system="s",
        by="mine@m",
        source="judge",
        outcome=outcome,
        score=1.0 if outcome == "graded" else None,
        reason="the endpoint was away" if outcome == "failed" else "",
        usage=Usage(calls=calls, prompt_tokens=100 * calls, completion_tokens=10 * calls, cached=cached),
    )


def test_a_verdict_counts_as_it_stands_and_every_call_that_led_to_it_was_paid_for(tmp_path: Path):
    with RunWriter(tmp_path / "run") as folder:
        for verdict in (
            judged("1", "failed", calls=3),
            judged("1", "graded", calls=1),
            judged("2", "graded", calls=0, cached=True),
        ):
            folder.verdicts.append(verdict)
        folder.verdicts.flush()
        (use,) = judge_uses(folder)
    assert use.outcomes == {"graded": 2}
    assert (use.calls, use.prompt_tokens, use.completion_tokens, use.from_cache) == (4, 400, 40, 1)


def test_a_judge_that_found_nothing_to_judge_is_there_with_nothing(tmp_path: Path):
    with RunWriter(tmp_path / "run") as folder:
        idle, mine = judge_id("idle"), judge_id("mine")
        folder.enlist(KnownJudge(by=f"{each.name}@m", id=each) for each in (idle, mine))
        folder.verdicts.append(msgspec.structs.replace(judged("1", "graded", calls=1), judge=mine))
        folder.verdicts.flush()
        heard, silent = judge_uses(folder)
    assert (heard.name, heard.id, heard.fingerprint) == ("mine@m", mine, mine.fingerprint)
    assert (silent.name, silent.id, silent.outcomes, silent.calls) == ("idle@m", idle, {}, 0)


def test_a_judge_that_was_not_asked_is_not_said_to_have_found_nothing(tmp_path: Path):
    with RunWriter(tmp_path / "run") as folder:
        folder.enlist([KnownJudge(by="mine@m", id=judge_id("mine"))])
        assert judge_uses(folder, asked=False) == []


def test_what_was_asked_again_is_counted_apart(tmp_path: Path):
    with RunWriter(tmp_path / "run") as folder:
        for case_id, reasked in (("1", 1), ("2", 0), ("3", 1)):
            usage = Usage(calls=1 + reasked, reasked=reasked)
            folder.verdicts.append(msgspec.structs.replace(judged(case_id, "graded", calls=1), usage=usage))
        folder.verdicts.flush()
        (use,) = judge_uses(folder)
    assert (use.calls, use.reasked) == (5, 2)


def test_why_verdicts_failed_is_counted(tmp_path: Path):
    with RunWriter(tmp_path / "run") as folder:
        folder.verdicts.append(judged("1", "failed", calls=3))
        folder.verdicts.flush()
        (use,) = judge_uses(folder)
    assert (use.outcomes, use.reasons) == ({"failed": 1}, {"failed": {"the endpoint was away": 1}})


def test_why_verdicts_have_no_score_is_counted_by_outcome(tmp_path: Path):
    with RunWriter(tmp_path / "run") as folder:
        for case_id, outcome, reason in (
            ("1", "unparsable", "no score"),
            ("2", "not_applicable", "the case has no context"),
            ("3", "unparsable", "no score"),
            ("4", "graded", "all is well"),
        ):
            row = msgspec.structs.replace(judged(case_id, cast("Outcome", outcome), calls=1), reason=reason)
            folder.verdicts.append(row)
        folder.verdicts.flush()
        (use,) = judge_uses(folder)
    assert use.reasons == {"unparsable": {"no score": 2}, "not_applicable": {"the case has no context": 1}}


def test_reasons_that_are_all_different_are_counted_together_beyond_a_hundred(tmp_path: Path):
    with RunWriter(tmp_path / "run") as folder:
        for number in range(150):
            row = judged(str(number), "failed", calls=1)
            folder.verdicts.append(msgspec.structs.replace(row, reason=f"reason {number}"))
        folder.verdicts.flush()
        (use,) = judge_uses(folder)
    assert len(use.reasons["failed"]) == 101
    assert use.reasons["failed"][OTHER_REASONS] == 50


def test_what_checkers_said_is_no_use_of_a_judge(tmp_path: Path):
    with RunWriter(tmp_path / "run") as folder:
        folder.verdicts.append(
            Verdict(case_id="1", system="s", by="ast/bfcl", source="checker", outcome="graded", score=1.0)
        )
        folder.verdicts.flush()
        assert judge_uses(folder) == []
