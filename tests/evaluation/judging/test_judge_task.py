"""Results of calls, for judges that see them."""

from __future__ import annotations

from typing import Any

import pytest
from each_row import each_row

from fiducial.errors import UsageError
from fiducial.evaluation.judging.judge_task import JudgeOn, parse_judge_on, replay_in, select_outputs
from fiducial.evaluation.judging.tasks import judge_task
from fiducial.judges import load_judge
from fiducial.records import Case, Outcome, Output, Verdict


class Bell:
    """Rings."""

    def load(self, config: dict[str, Any]) -> None:
        self.tone: str = config.get("tone", "dull")

    def ring(self) -> str:
        return self.tone


def case_of(**fields: Any) -> Case:
    reference = {"classes": ["Bell"], "initial_config": {"Bell": {"tone": "clear"}}, "calls": [["ring()"]]}
    settings: dict[str, Any] = {"id": "bell", "kind": "multi_turn", "reference": reference}
    return Case(**settings | fields)


OUTPUT = Output(case_id="bell", system="s", turns=[["[ring()]"]])


def test_calls_are_executed_in_worlds_of_ones_own():
    episode = replay_in({"Bell": Bell})(case_of(), OUTPUT)
    assert episode is not None
    assert list(episode[0][0].results) == ["clear"]


@pytest.mark.parametrize(
    "case", [case_of(kind="open_answer"), case_of(reference={"classes": [], "calls": [[]]})]
)
def test_a_case_without_worlds_has_nothing_to_execute(case: Case):
    assert replay_in({"Bell": Bell})(case, OUTPUT) is None


def test_what_a_judge_is_shown_is_part_of_its_fingerprint(tmp_path: Any):
    shipped = load_judge("task_completion/reasons", model="m").fingerprint
    assert judge_task("task_completion/reasons", "m").id.fingerprint == shipped
    own = tmp_path / "own.prompty"
    own.write_text(
        "---\ninputs:\n  transcript: {type: string}\nscale: {minimum: 0, maximum: 1, step: 1}\n---\nuser:\n{{transcript}}"
    )
    blind, seeing = load_judge(str(own), model="m"), load_judge(str(own), model="m", replay=replay_in({}))
    assert blind.fingerprint != seeing.fingerprint
    assert seeing.fingerprint == load_judge(str(own), model="m", replay=replay_in({"Bell": Bell})).fingerprint


def verdict(number: int, outcome: Outcome) -> Verdict:
    score = 1.0 if outcome == "graded" else None
    return Verdict(case_id=str(number), system="s", by="c", source="checker", outcome=outcome, score=score)


VERDICTS = [verdict(n, "graded") for n in range(100)] + [verdict(n, "undecided") for n in range(100, 110)]


def test_open_means_what_no_checker_decided():
    is_open, sampled = select_outputs(VERDICTS, "open")
    assert ({key.case_id for key in is_open}, sampled) == ({str(n) for n in range(100, 110)}, set())


def test_all_means_open_and_decided():
    is_open, sampled = select_outputs(VERDICTS, "all")
    assert (len(is_open), len(sampled)) == (10, 100)


def test_outputs_that_are_named_are_judged_and_no_others():
    named = frozenset(verdict(number, "graded").key for number in (3, 105, 999))
    is_open, sampled = select_outputs(VERDICTS, named)
    assert {key.case_id for key in is_open | sampled} == {"3", "105"}
    assert {key.case_id for key in is_open} == {"105"}


def test_a_number_adds_that_many_decided_outputs():
    is_open, sampled = select_outputs(VERDICTS, 30)
    assert (len(is_open), len(sampled)) == (10, 30)


def test_the_sample_does_not_depend_on_the_order_and_grows_without_changing():
    _, small = select_outputs(VERDICTS, 20)
    _, large = select_outputs(reversed(VERDICTS), 50)
    assert small < large


def test_the_sample_is_the_same_in_every_version():
    # A run that is resumed by a later version asks about the outputs it has asked about.
    _, sampled = select_outputs(VERDICTS, 5)
    assert sorted(key.case_id for key in sampled) == ["12", "59", "83", "88", "95"]
    assert select_outputs(VERDICTS, 0)[1] == set()


@each_row("judge_on", ["all", 10, frozenset({verdict(1, "failed").key})])
@each_row("outcome", ["not_applicable", "failed"])
def test_what_no_checker_graded_or_left_undecided_is_never_judged(judge_on: JudgeOn, outcome: Outcome):
    assert select_outputs([verdict(1, outcome)], judge_on) == (set(), set())


@pytest.mark.parametrize(("text", "choice"), [("open", "open"), ("all", "all"), ("0", 0), ("200", 200)])
def test_the_option_is_read(text: str, choice: object):
    assert parse_judge_on(text) == choice


@each_row("text", ["some", "-1", "1.5", "", "²"])
def test_anything_else_is_a_usage_error(text: str):
    with pytest.raises(UsageError, match="expects open, all or a number"):
        parse_judge_on(text)
