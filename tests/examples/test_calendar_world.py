from __future__ import annotations

from pathlib import Path
from typing import TypeVar

import msgspec
import pytest

from fiducial.deterministic.checkers import check
from fiducial.deterministic.options import CheckOptions
from fiducial.deterministic.registration import load_environments
from fiducial.records import Case, Output, Verdict

HERE = Path(__file__).parent
T = TypeVar("T")


@pytest.fixture(scope="module")
def options() -> CheckOptions:
    return CheckOptions(
        rules="bfcl", environments=load_environments(["calendar_world:Calendar"], folder=HERE)
    )


@pytest.fixture(scope="module")
def verdicts(options: CheckOptions) -> dict[str, Verdict]:
    (case,) = _lines("calendar_cases.jsonl", Case)
    return {
        output.system: check(case, output, options) for output in _lines("calendar_outputs.jsonl", Output)
    }


def _lines(name: str, kind: type[T]) -> list[T]:
    return [msgspec.json.decode(line, type=kind) for line in (HERE / name).read_bytes().splitlines()]


@pytest.mark.parametrize("system", ["careful", "writes-calls-as-text"])
def test_the_reference_trajectory_passes_however_the_calls_are_written(
    verdicts: dict[str, Verdict], system: str
) -> None:
    assert verdicts[system].score == 1.0
    assert verdicts[system].by == "state/bfcl"


def test_a_wrong_state_names_turn_attribute_expected_and_got(verdicts: dict[str, Verdict]) -> None:
    verdict = verdicts["wrong-hour"]
    assert verdict.error_type == "multi_turn:instance_state_mismatch"
    assert verdict.reason == "turn 2 of 4: Calendar.events['event-1']['hour'] should be 13, is 11"
    assert verdict.evidence["turn_index"] == 1
    assert (verdict.evidence["expected"], verdict.evidence["got"]) == (13, 11)


def test_a_result_that_never_appeared_is_named_with_its_call(verdicts: dict[str, Verdict]) -> None:
    verdict = verdicts["never-looks"]
    assert verdict.error_type == "multi_turn:execution_response_mismatch"
    assert verdict.evidence["call"] == "list_events(day='tue')"
    assert (
        verdict.evidence["expected"]
        == '{"events": {"event-1": {"title": "review", "day": "tue", "hour": 12}}}'
    )


def test_a_call_made_too_early_goes_unseen_until_the_turn_that_needs_it(verdicts: dict[str, Verdict]) -> None:
    assert verdicts["guesses"].score == 1.0


def test_strict_rules_leave_a_right_guess_to_a_judge(options: CheckOptions) -> None:
    (case,) = _lines("calendar_cases.jsonl", Case)
    output = next(o for o in _lines("calendar_outputs.jsonl", Output) if o.system == "guesses")
    verdict = check(case, output, msgspec.structs.replace(options, rules="strict"))
    assert (verdict.outcome, verdict.evidence["turn_index"]) == ("undecided", 2)


def test_private_attributes_are_not_compared(verdicts: dict[str, Verdict]) -> None:
    # "never-looks" differs from the reference in _lookups from its first turn on, and fails for another reason.
    assert verdicts["never-looks"].error_type != "multi_turn:instance_state_mismatch"
