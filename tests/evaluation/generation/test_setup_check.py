"""Failures that are alike from the start are of the setup."""

from __future__ import annotations

import pytest

from fiducial.errors import AgentSetupError
from fiducial.evaluation.generation.attempt import Attempt, MadeOutput
from fiducial.evaluation.generation.attempt_store import MemoryAttempts
from fiducial.evaluation.generation.setup_check import SetupCheck
from fiducial.records import Case, Output


def made(number: int, error: str | None, trial: int = 0) -> MadeOutput:
    case = Case(id=f"case-{number}", kind="no_call")
    output = Output(case_id=case.id, system="me", trial=trial, text="x", error=error)
    return MadeOutput(output, Attempt(case=case))


def kept(*all_made: MadeOutput) -> int:
    store = MemoryAttempts()
    check = SetupCheck(store)
    for output in all_made:
        check.add(output)
    check.settle()
    return len(store.outputs)


@pytest.mark.parametrize(
    "error",
    [
        "exit code 1: no luck",
        "KeyError: 'case-{}'",
        "FileNotFoundError: /tmp/x{}/y",
        "took {} s",
    ],
)
def test_eight_failures_alike_keep_nothing(error: str):
    store = MemoryAttempts()
    check = SetupCheck(store)
    for number in range(7):
        check.add(made(number, error.format(number)))
    with pytest.raises(AgentSetupError, match="failed alike on the first 8 cases"):
        check.add(made(7, error.format(7)))
    assert not store.outputs


def test_an_id_that_is_part_of_a_word_is_no_difference():
    check = SetupCheck(MemoryAttempts())
    failures = [
        MadeOutput(Output(case_id=letter, system="me", error=f"no bread for {letter}"), made(0, None).attempt)
        for letter in "abcdefgh"
    ]
    for failure in failures[:7]:
        check.add(failure)
    with pytest.raises(AgentSetupError, match="failed alike"):
        check.add(failures[7])


def test_fewer_cases_do_not_tell():
    assert kept(*(made(number, "no luck") for number in range(7))) == 7
    assert kept(*(made(0, "no luck", trial) for trial in range(20))) == 20


def test_an_answer_or_another_failure_settles_it():
    failures = [made(number, "no luck") for number in range(20)]
    assert kept(made(20, None), *failures) == 21
    assert kept(*failures[:7], made(20, None), *failures[7:]) == 21
    assert kept(*failures[:7], made(20, "another reason"), *failures[7:]) == 21


def test_what_is_held_back_when_work_is_broken_off_is_not_kept():
    store = MemoryAttempts()
    check = SetupCheck(store)
    check.add(made(0, "no luck"))
    assert not store.outputs
