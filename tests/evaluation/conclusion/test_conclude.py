from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from judge_ids import judge_id
from msgspec import convert, to_builtins
from msgspec.json import decode, encode
from msgspec.structs import replace

from fiducial.evaluation.conclusion.conclude import OTHER_REASONS, judge_uses, take_tally
from fiducial.evaluation.conclusion.run_results import JudgeUse
from fiducial.evaluation.store.manifest import JudgeRecord
from fiducial.evaluation.store.run_writer import RunWriter
from fiducial.judges.prices import price_list
from fiducial.records import NO_USAGE, Case, CaseIndex, ItemKey, Outcome, Usage, Verdict, write_records
from fiducial.tables.standing_labels import effective_source, majority_verdict, standing_labels


def judged(case_id: str, outcome: Outcome, *, calls: int, cached: bool = False) -> Verdict:
    return Verdict(
        case_id=case_id,
        system="s",
        by="mine@m",
        source="judge",
        outcome=outcome,
        score=1.0 if outcome == "graded" else None,
        usage=Usage(calls=calls, prompt_tokens=100 * calls, completion_tokens=10 * calls, cached=cached),
    )


def uses_after(folder: RunWriter, *verdicts: Verdict) -> list[JudgeUse]:
    """Return the uses of judges after these were journaled."""
    for verdict in verdicts:
        folder.verdicts.append(verdict)
    folder.verdicts.flush()
    return judge_uses(folder)


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[RunWriter]:
    with RunWriter(tmp_path / "run") as opened:
        yield opened


def test_a_verdict_counts_as_it_stands_and_every_call_that_led_to_it_was_paid_for(folder: RunWriter):
    (use,) = uses_after(
        folder,
        judged("1", "failed", calls=3),
        judged("1", "graded", calls=1),
        judged("2", "graded", calls=0, cached=True),
    )
    assert use.outcomes == {"graded": 2}
    assert (use.calls, use.prompt_tokens, use.completion_tokens, use.from_cache) == (4, 400, 40, 1)


def test_judges_cost_together_what_each_costs_and_an_unknown_price_is_not_nothing(folder: RunWriter):
    prices = price_list(["cheap=1/1"], listed=lambda _: None)
    judges = [judge_id("one", model="cheap"), judge_id("two", model="cheap"), judge_id("three", model="dear")]
    for judge in judges:
        folder.verdicts.append(replace(judged("1", "graded", calls=1), judge=judge))
    folder.verdicts.flush()
    uses = judge_uses(folder, prices)
    assert [use.cost for use in uses] == [pytest.approx(0.00011), pytest.approx(0.00011), None]
    assert sum((use.usage for use in uses[:2]), NO_USAGE).dollars == pytest.approx(0.00022)
    assert sum((use.usage for use in uses), NO_USAGE).dollars is None


def test_uses_in_manifests_of_earlier_versions_are_read():
    old = {
        "name": "j@m",
        "fingerprint": "f",
        "outcomes": {"graded": 2},
        "calls": 1,
        "from_cache": 1,
        "cost": 0.5,
    }
    use = convert(old, JudgeUse)
    assert use.usage == Usage(calls=1, cached=1, dollars=0.5)
    assert old.items() <= to_builtins(use).items()


def test_a_judge_that_found_nothing_to_judge_is_there_with_nothing(folder: RunWriter):
    idle, mine = judge_id("idle"), judge_id("mine")
    folder.enlist(JudgeRecord(by=f"{id_.name}@m", id=id_) for id_ in (idle, mine))
    heard, silent = uses_after(folder, replace(judged("1", "graded", calls=1), judge=mine))
    assert (heard.name, heard.id, heard.fingerprint) == ("mine@m", mine, mine.fingerprint)
    assert (silent.name, silent.id, silent.outcomes, silent.calls) == ("idle@m", idle, {}, 0)


def test_a_judge_that_was_not_asked_is_not_said_to_have_found_nothing(folder: RunWriter):
    folder.enlist([JudgeRecord(by="mine@m", id=judge_id("mine"))])
    assert judge_uses(folder, judged=False) == []


def test_what_was_asked_again_is_counted_apart(folder: RunWriter):
    rows = (
        replace(judged(case_id, "graded", calls=1), usage=Usage(calls=1 + reasked, reasked=reasked))
        for case_id, reasked in (("1", 1), ("2", 0), ("3", 1))
    )
    (use,) = uses_after(folder, *rows)
    assert (use.calls, use.reasked) == (5, 2)


def test_why_verdicts_have_no_score_is_counted_by_outcome(folder: RunWriter):
    said: list[tuple[Outcome, str]] = [
        ("unparsable", "no score"),
        ("not_applicable", "the case has no context"),
        ("unparsable", "no score"),
        ("graded", "all is well"),
        ("failed", "the endpoint was away"),
    ]
    rows = (
        replace(judged(str(number), outcome, calls=1), reason=reason)
        for number, (outcome, reason) in enumerate(said)
    )
    (use,) = uses_after(folder, *rows)
    assert use.reasons == {
        "unparsable": {"no score": 2},
        "not_applicable": {"the case has no context": 1},
        "failed": {"the endpoint was away": 1},
    }


def test_reasons_that_are_all_different_are_counted_together_beyond_a_hundred(folder: RunWriter):
    failed = judged("", "failed", calls=1)
    rows = (replace(failed, case_id=str(number), reason=f"reason {number}") for number in range(150))
    (use,) = uses_after(folder, *rows)
    assert len(use.reasons["failed"]) == 101
    assert use.reasons["failed"][OTHER_REASONS] == 50


def test_what_checkers_said_is_no_use_of_a_judge(folder: RunWriter):
    checked = replace(judged("1", "graded", calls=0), by="ast/bfcl", source="checker")
    assert uses_after(folder, checked) == []


def test_a_judge_of_decided_outputs_has_no_part_in_the_open_rate(folder: RunWriter, tmp_path: Path):
    write_records(tmp_path / "cases.jsonl", (Case(id=number, kind="any_call") for number in "12"))
    checked = replace(judged("1", "graded", calls=0), by="relevance/strict", source="checker")
    left_open = replace(checked, case_id="2", outcome="undecided", score=None)
    uses_after(folder, checked, left_open, judged("1", "graded", calls=1), judged("2", "graded", calls=1))
    with CaseIndex(tmp_path / "cases.jsonl") as cases:
        tally = take_tally(folder, cases)
    assert (tally.checked["s"].graded, tally.opened["s"]["mine@m"].graded) == (1, 1)
    assert [key.case_id for key in tally.open_scores["s"]["mine@m"].keys] == ["2"]


def test_a_judge_asked_before_the_checkers_counts_on_the_same_outputs(folder: RunWriter, tmp_path: Path):
    write_records(tmp_path / "cases.jsonl", (Case(id=number, kind="any_call") for number in "12"))
    checked = replace(judged("1", "graded", calls=0), by="relevance/strict", source="checker")
    left_open = replace(checked, case_id="2", outcome="undecided", score=None)
    uses_after(folder, judged("1", "graded", calls=1), judged("2", "graded", calls=1), checked, left_open)
    with CaseIndex(tmp_path / "cases.jsonl") as cases:
        tally = take_tally(folder, cases)
    assert (tally.checked["s"].graded, tally.opened["s"]["mine@m"].graded) == (1, 1)
    assert [key.case_id for key in tally.open_scores["s"]["mine@m"].keys] == ["2"]


def test_outputs_without_a_grade_are_counted_by_what_came_of_the_calls(folder: RunWriter, tmp_path: Path):
    write_records(tmp_path / "cases.jsonl", (Case(id=number, kind="any_call") for number in "12345"))
    other = judge_id("other")
    first = [judged(number, "failed", calls=1) for number in "1234"]
    second: list[tuple[str, Outcome]] = [
        ("1", "failed"),
        ("2", "refused"),
        ("3", "graded"),
        ("5", "unparsable"),
    ]
    rows = [
        replace(judged(number, outcome, calls=1), judge=other, by="other@m") for number, outcome in second
    ]
    uses_after(folder, *first, *rows)
    with CaseIndex(tmp_path / "cases.jsonl") as cases:
        tally = take_tally(folder, cases)
    # The second judge was not asked about the fourth.
    assert tally.failed_calls == {"s": 2}
    assert tally.withheld == {"s": {"refused": 1, "unparsable": 1}}


def test_checked_outputs_that_people_grade_otherwise_are_counted(folder: RunWriter, tmp_path: Path):
    write_records(tmp_path / "cases.jsonl", (Case(id=number, kind="any_call") for number in "1234"))
    checked = replace(judged("1", "graded", calls=0), by="relevance/strict", source="checker", score=0.0)
    uses_after(folder, *(replace(checked, case_id=number) for number in "123"))
    label = replace(checked, by="ann", source="human", score=1.0)
    folder.put_labels([label, replace(label, case_id="2", score=0.0), replace(label, case_id="4")])
    with CaseIndex(tmp_path / "cases.jsonl") as cases:
        assert take_tally(folder, cases).against_people == {(False, True): 1, (False, False): 1}


def test_people_who_disagree_contradict_no_checker_and_their_majority_is_people(
    folder: RunWriter, tmp_path: Path
):
    write_records(tmp_path / "cases.jsonl", (Case(id=number, kind="any_call") for number in "12"))
    checked = replace(judged("1", "graded", calls=0), by="relevance/strict", source="checker", score=0.0)
    uses_after(folder, *(replace(checked, case_id=number) for number in "12"))
    grades = {"1": {"ann": 0.0, "bob": 1.0}, "2": {"ann": 0.0, "bob": 0.0}}
    folder.put_labels(
        [
            label
            for case, by in grades.items()
            for label in [
                *(replace(checked, case_id=case, by=name, source="human", score=score) for name, score in by.items()),
                majority_verdict(ItemKey(case, "s", 0), by),
            ]
        ]
    )  # fmt: skip
    with CaseIndex(tmp_path / "cases.jsonl") as cases:
        assert take_tally(folder, cases).against_people == {(False, False): 1}
    assert {effective_source(label) for label in standing_labels(folder.labels).values()} == {"human"}


def test_the_use_of_a_judge_without_calls_is_read_as_it_was_written(folder: RunWriter):
    (use,) = uses_after(folder, replace(judged("1", "graded", calls=0), usage=None))
    assert decode(encode(use), type=JudgeUse) == use
