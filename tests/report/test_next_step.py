"""The next step is the first rule that applies; each rule at its bounds."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from each_row import each_row
from found_results import judged, systems
from judge_ids import judge_id

from fiducial.calibration.agreement.adjudication_results import (
    AdjudicatedJudge,
    Adjudication,
    Adjudicators,
    ReviewedRows,
)
from fiducial.calibration.agreement.calibration_results import Calibration, JudgeCalibration
from fiducial.calibration.agreement.diagnosis_results import SuspectedLabel
from fiducial.calibration.statistic import AgreementCaution, Caution
from fiducial.evaluation.conclusion.run_results import (
    ALL,
    ALL_CORRECTED,
    ALL_UNCORRECTED,
    DECIDED,
    OPEN,
    FaultExample,
    JudgeUse,
    StratumRate,
    SystemResult,
)
from fiducial.evaluation.conclusion.run_summary import RunSummary
from fiducial.judges.catalogue import no_model
from fiducial.records import JudgeId
from fiducial.records.output import EMPTY_ANSWER
from fiducial.report.next_step import next_step
from fiducial.report.ranking import Answer
from fiducial.report.text.trust_words import Trust, TrustWord

UNDECIDED: dict[str, Any] = {"unjudged": {"open_answer": 3}, "unjudged_steps": {}}


def step(**known: Any) -> Answer:
    given: dict[str, Any] = {"systems": systems("a")} | known
    return next_step(RunSummary(**given), ())


def use(**outcomes: int) -> JudgeUse:
    return JudgeUse(name="j", fingerprint="f", outcomes=outcomes)  # pyright: ignore[reportArgumentType]


def test_failed_calls_are_repeated_before_missing_outputs_are_added():
    told = step(systems=systems("a", missing=2), judges=judged("j", failed=1), command="fiducial run X")
    assert told.text.startswith("1 verdict missing")
    assert told.command == "fiducial run X"


def test_checks_that_failed_are_repeated_with_the_commonest_reason():
    reasons = {"it raised KeyError: 'day' (own.py:5)": 2, "it returned 2.0": 1}
    failed = systems("a", outcomes={"checker": {"failed": 3}}, failures=reasons)
    told = step(systems=failed, command="fiducial run X")
    assert told.text == (
        "3 outputs not checked, because a custom checker failed: it raised KeyError: 'day' (own.py:5); "
        "the same command retries only these; a changed checker needs a new --out."
    )
    assert told.command == "fiducial run X"


@pytest.mark.parametrize(
    ("command", "typed"),
    [
        ("fiducial run X", "--allow-code and use a new --out"),
        ("fiducial.evaluate", "allow_code=True and use a new out"),
    ],
)
def test_code_that_may_not_run_is_allowed_before_cases_are_added(command: str, typed: str):
    told = step(systems=systems("a", faults={"code_not_allowed": 10, "missing_file": 3}), command=command)
    assert told.text == f"10 outputs not checked, because code may not run. Add {typed}."


def test_missing_outputs_are_added_before_undecided_ones_are_judged():
    told = step(systems=systems("a", missing=2, **UNDECIDED), command="fiducial run X")
    assert told.text.startswith("2 cases have no output.")


def test_a_judge_that_cannot_be_read_is_changed_before_missing_outputs_are_added():
    told = step(systems=systems("a", missing=2), judges=[use(unparsable=6)])
    assert told.text.startswith("j gave no readable score for 6 of 6 outputs.")


@pytest.mark.parametrize(("failed", "first"), [(1, "j gave no readable score"), (30, "30 verdicts missing")])
def test_unreadable_replies_come_before_fewer_failed_calls(failed: int, first: str):
    told = step(
        judges=[use(unparsable=20, graded=2), use(failed=failed, graded=40)], command="fiducial run X"
    )
    assert told.text.startswith(first)


def test_unreadable_replies_to_a_custom_prompt_are_read_again_without_calls():
    judge = msgspec.structs.replace(
        use(unparsable=37, graded=2, failed=1),
        id=judge_id("helpful"),
        reasons={"unparsable": {"no score alone in the reply, but 'Reason: meh. Score: 5'": 37}},
    )
    told = step(
        judges=[judge],
        command="fiducial judge c --judge my/helpful.prompty --model m --out 'a run'",
        folder="a run",
    )
    assert told.text.endswith(
        "for 37 of 40 outputs (no score alone in the reply, but 'Reason: meh. Score: 5'). "
        "Make `parse:` in my/helpful.prompty read such replies. Then read them again, without calls:"
    )
    assert told.command == "fiducial judge --reparse 'a run'"


def test_a_judge_that_refuses_most_outputs_is_changed_and_outputs_without_a_text_do_not_count():
    told = step(judges=[use(refused=3, graded=2, not_applicable=9)])
    assert told.text.startswith("j refused to grade 3 of 5 outputs. Use another --model")


def test_a_reason_that_is_a_sentence_keeps_no_full_stop_within_another():
    judge = msgspec.structs.replace(use(refused=3), reasons={"refused": {"I cannot help with that.": 3}})
    assert "3 of 3 outputs (I cannot help with that). Use another" in step(judges=[judge]).text


@pytest.mark.parametrize(
    ("outcomes", "changes"),
    [
        ({"graded": 1}, False),
        ({"graded": 5, "unparsable": 5}, False),
        ({"graded": 5, "unparsable": 6}, True),
        ({"graded": 3, "refused": 3, "unparsable": 6}, False),
    ],
)
def test_a_judge_is_changed_where_most_replies_hold_no_score(outcomes: dict[str, int], changes: bool):
    told = step(judges=[use(**outcomes)])
    assert ("Use another --model or variant" in told.text) == changes


@each_row(
    ("options", "needed"),
    [
        ("", True),
        ("--model m", True),
        ("--base-url http://127.0.0.1:1/v1 --model m", False),
        ("--replay replies.jsonl", False),
        ("--model baseline", False),
        ("--model=baseline", False),
    ],
)
def test_a_judge_to_add_says_what_it_needs_unless_a_model_is_reached(options: str, needed: bool):
    told = step(systems=systems("a", **UNDECIDED), command=f"fiducial run X {options}".rstrip())
    assert told.text.startswith("Add a judge for the 3 undecided outputs")
    assert ("needs OPENAI_API_KEY" in told.text) == needed
    assert told.command.count("--model") == 1


@pytest.mark.parametrize(
    ("options", "is_new"),
    [
        ("--out rubric/run", True),
        ("--judge groundedness --out rubric", True),
        ("--judge=groundedness rubric@m --out run", False),
        ("--judge groundedness rubric/reasons", False),
    ],
)
def test_only_a_value_of_the_option_names_a_judge(options: str, is_new: bool):
    told = step(systems=systems("a", **UNDECIDED), command=f"fiducial run X {options}")
    assert told.text.startswith("Add a judge" if is_new else "Reach a model")
    assert ("--judge rubric --model" in told.command) == is_new


def test_a_model_that_is_not_reached_despite_an_endpoint_has_its_reason():
    why = "--api-key-env NOPE: this variable is not set"
    typed = "fiducial run X --judge rubric --model m --base-url http://h/v1 --api-key-env NOPE"
    told = step(systems=systems("a", **UNDECIDED), command=typed, not_judged=why)
    assert f"({why}); the same command continues." in told.text
    assert "OPENAI_API_KEY" not in told.text


def test_a_command_that_names_no_model_is_proposed_with_one():
    undecided = systems("a", **UNDECIDED)
    told = step(systems=undecided, command="fiducial run X --judge rubric", not_judged=no_model())
    assert told.text.startswith("Name a model for the 3 undecided outputs (needs OPENAI_API_KEY")
    assert told.command == "fiducial run X --judge rubric --model gpt-4.1-mini"
    told = step(systems=undecided, command="fiducial run X --judge groundedness", not_judged=no_model())
    assert told.command == "fiducial run X --judge groundedness --judge rubric --model gpt-4.1-mini"


def test_a_function_that_judges_names_no_model():
    judge = msgspec.structs.replace(use(graded=1), id=CALLABLE)
    told = step(systems=systems("a", **UNDECIDED), judges=[judge], command="fiducial run X --judge mine")
    assert told.command == "fiducial run X --judge mine --judge rubric --model gpt-4.1-mini"


def test_a_judge_to_add_in_python_keeps_those_of_the_run():
    baseline = msgspec.structs.replace(SHIPPED, kind="baseline", variant="lexical", model="baseline")
    for identity, kept in ((baseline, '"groundedness"'), (CALLABLE, "*judges")):
        named = msgspec.structs.replace(identity, name="groundedness", model="baseline")
        judge = msgspec.structs.replace(use(graded=1), id=named)
        told = step(systems=systems("a", **UNDECIDED), judges=[judge], command="fiducial.evaluate")
        assert told.command == f'fd.evaluate(..., judges=[{kept}, "rubric"], model="baseline")'


@pytest.mark.parametrize(
    ("folder", "failed", "text"),
    [
        ("", True, 'fix the checker and call fd.evaluate again; with out="RUN" it repeats only failed calls of judges.'),
        ("run", True, "fix the checker and call fd.evaluate again with a new out."),
        ("run", False, "call fd.evaluate again, which retries only these."),
    ],
)  # fmt: skip
def test_failed_work_in_python_is_repeated_by_a_call_that_needs_no_command(
    folder: str, failed: bool, text: str
):
    given = systems("a", outcomes={"checker": {"failed": 3}}) if failed else systems("a")
    told = step(systems=given, judges=judged("j", failed=1), command="fiducial.evaluate", folder=folder)
    assert (told.text.endswith(text), told.command) == (True, "")


@pytest.mark.parametrize(("judges", "whose"), [(1, "the judge's rates"), (2, "the judges' rates")])
def test_labels_correct_the_rates_of_the_judge_or_the_judges(judges: int, whose: str):
    part = StratumRate(name=OPEN, by="j", n=5, of=5, value=0.5, low=0.4, high=0.6)
    told = step(systems=systems("a", strata=[part]), judges=judged(*"jk"[:judges]))
    assert told.text == f"Label the 5 judged outputs to correct {whose}:"


@pytest.mark.parametrize(
    ("left", "some"),
    [(1, "Label the judged output to"), (50, "Label the 50 judged"), (51, "Label 50 of the 51 judged")],
)
def test_at_most_fifty_labels_are_asked_for_at_once(left: int, some: str):
    part = StratumRate(name=OPEN, by="j", n=left, of=left, value=0.5, low=0.4, high=0.6)
    told = step(systems=systems("a", strata=[part]))
    assert told.text.startswith(some)
    assert told.command == "fiducial review RUN"


@pytest.mark.parametrize(("low", "high", "wide"), [(0.4, 0.6, False), (0.4, 0.61, True)])
def test_cases_are_added_where_the_interval_of_one_system_is_wide(low: float, high: float, wide: bool):
    part = StratumRate(name=DECIDED, n=90, of=90, value=0.5, low=low, high=high)
    told = step(systems=systems("a", strata=[part]))
    assert told.text.startswith("The interval is wide; add cases. About 330 more outputs") == wide


def test_more_cases_are_not_the_step_where_judges_leave_outputs_ungraded():
    checked = StratumRate(name=DECIDED, n=4, of=40, value=0.0, low=0.0, high=0.49)
    whole = StratumRate(name=ALL, n=34, of=40, undefined="only 30 of 36 undecided outputs are graded")
    told = step(systems=[SystemResult(system="a", strata=[checked], overall=whole)])
    assert told.text.startswith("Judges left 6 outputs ungraded, too many for a rate of all.")
    assert not told.command


@pytest.mark.parametrize(
    ("crashes", "reason", "fixes"),
    [(3, "ZeroDivisionError: division by zero.", True), (2, "boom", False), (3, EMPTY_ANSWER, False)],
)
def test_a_system_whose_most_common_failure_is_a_crash_is_fixed_first(crashes: int, reason: str, fixes: bool):
    failing = {
        "faults": {"value_error:string": 3, "system_error": crashes},
        "examples": {"system_error": FaultExample(item="t0|a|0", reason=reason)},
        "outcomes": {"checker": {"graded": 12}},
    }
    told = step(systems=systems("a", **failing, **UNDECIDED)).text
    said = "Fix the agent: it crashed 3 of 12 times (ZeroDivisionError: division by zero)."
    assert (told == said) == fixes
    rare = step(systems=systems("a", **failing | {"outcomes": {"checker": {"graded": 61}}}, **UNDECIDED)).text
    assert not rare.startswith("Fix")


def test_a_function_that_judges_is_fixed_since_it_has_no_model_to_change():
    judge = msgspec.structs.replace(use(unparsable=3), name="mine", id=CALLABLE)
    told = step(judges=[judge]).text
    assert told == (
        "mine gave no readable score for 3 of 3 outputs. "
        "Fix mine: return a score in [0, 1], a boolean, or (score, reason)."
    )


def test_cases_to_add_are_counted_by_the_rate_of_all_outputs():
    checked = StratumRate(name=DECIDED, n=16, of=24, value=0.88, low=0.64, high=0.97)
    whole = StratumRate(name=ALL, n=24, of=24, value=0.58, low=0.44, high=0.71)
    told = step(systems=[SystemResult(system="a", strata=[checked], overall=whole)])
    assert told.text == (
        "The interval is wide; add cases. About 180 more outputs estimate the pass rate to within 0.05."
    )


@pytest.mark.parametrize(
    ("passed", "told"), [(60, "All 60 passed."), (58, "Review the 2 failures in the report.")]
)
def test_where_everything_is_graded_the_failures_are_left_if_there_are_any(passed: int, told: str):
    rate = StratumRate(name=ALL, n=60, of=60, value=passed / 60, low=0.9, high=1.0)
    part = StratumRate(name=DECIDED, n=60, of=60, value=passed / 60, low=0.9, high=1.0)
    whole = [SystemResult(system="a", strata=[part], overall=rate)]
    assert step(systems=whole).text == f"Everything is graded. {told}"


def test_failures_that_an_estimate_counts_are_none_of_the_report():
    """The corrected rate says that more fail than the judge failed: no page lists them."""
    rate = StratumRate(name=ALL_CORRECTED, n=60, of=60, value=0.8, low=0.75, high=0.85)
    assert (
        step(systems=[SystemResult(system="a", strata=[], overall=rate)]).text
        == "Review the failures in the report."
    )


def test_labels_are_asked_for_of_the_outputs_of_all_judges_together():
    whole = StratumRate(name=ALL_UNCORRECTED, n=294, of=294, value=0.8, low=0.75, high=0.85)
    parts = [
        StratumRate(name=DECIDED, n=49, of=294, value=0.8, low=0.7, high=0.9),
        StratumRate(name=OPEN, by="j", n=79, of=79, value=0.8),
        StratumRate(name=OPEN, by="k", n=166, of=166, value=0.8),
    ]
    told = step(systems=[SystemResult(system="a", strata=parts, overall=whole)])
    assert told.text.startswith("Label 50 of the 245 judged outputs ")


def test_all_labels_that_most_judges_contradict_are_counted():
    found = Calibration(
        judges={"j": JudgeCalibration(), "k": JudgeCalibration()},
        suspected_label_errors=[SuspectedLabel(item_id="i", label=1.0, contradicted_by=["j", "k"], agreed_by=[], evidence=3.0)],
        more_suspected=13,
    )  # fmt: skip
    assert step(calibration=found).text == "Most judges contradict 14 labels. Decide who is right:"


@pytest.mark.parametrize(
    ("command", "again"),
    [
        ("fiducial run X", "fiducial run X"),
        ("fiducial run X --replay replies.jsonl", ""),
        ("fiducial merge A B", ""),
    ],
)
def test_failed_calls_are_repeated_only_where_a_model_would_answer(command: str, again: str):
    assert step(judges=judged("j", failed=1), command=command).command == again


ONE = {"j": JudgeCalibration()}


def adjudicated(disagreements: dict[str, int], agreements: dict[str, int] | None = None) -> Adjudication:
    """Return decisions on one judge."""
    unused = ("as_labelled", "adjudicated", "lowest", "highest", "corrected", "label_errors")
    none: dict[str, Any] = {name: {} for name in unused}
    judge = AdjudicatedJudge(
        disagreements=ReviewedRows(**disagreements), agreements=ReviewedRows(**agreements or {}), **none
    )
    return Adjudication(
        by=Adjudicators(people={"ann": 9}, models={}, items=9), faults={}, judges={"j": judge}
    )


@pytest.mark.parametrize(
    ("disagreements", "agreements", "wrong"),
    [
        ({"judge_right": 2, "judge_wrong": 5}, {}, 2),
        ({}, {"judge_right": 5, "judge_wrong": 3}, 3),
        ({"judge_right": 2}, {"judge_wrong": 3}, 5),
        ({"judge_wrong": 5}, {"judge_right": 5}, 0),
    ],
)
def test_references_are_corrected_of_all_labels_that_people_found_wrong(
    disagreements: dict[str, int], agreements: dict[str, int], wrong: int
):
    found = adjudicated(disagreements, agreements)
    told = step(calibration=Calibration(judges=ONE, adjudication=found))
    assert told.command.startswith("fiducial labels export RUN ") == (wrong > 0)
    assert (f" {wrong} label" in told.text) == (wrong > 0)


@pytest.mark.parametrize(
    ("judges", "left", "decides"), [("jk", None, True), ("j", None, False), ("jk", 1, True), ("jk", 0, False)]
)
def test_people_decide_on_labels_that_most_of_several_judges_contradict_until_none_is_left(
    judges: str, left: int | None, decides: bool
):
    suspected = SuspectedLabel(item_id="i", label=1.0, contradicted_by=[*judges], agreed_by=[], evidence=3.0)
    told = step(
        calibration=Calibration(
            judges={name: JudgeCalibration() for name in judges},
            suspected_label_errors=[suspected],
            adjudication=None if left is None else adjudicated({"rows": 9, "judge_wrong": 9 - left}),
        )
    )
    assert (told.command == "fiducial review RUN --of suspects") == decides


@pytest.mark.parametrize(
    ("kind", "baseline", "moved"),
    [("another_threshold", False, True), ("another_threshold", True, False), ("few_clusters", False, False)],
)
def test_the_threshold_of_a_judge_is_moved_where_another_does_better_but_no_baselines(
    kind: AgreementCaution, baseline: bool, moved: bool
):
    identity = msgspec.structs.replace(SHIPPED, kind="baseline") if baseline else SHIPPED
    told = step(
        judges=[msgspec.structs.replace(use(graded=9), id=identity)],
        calibration=Calibration(judges=ONE, cautions=[Caution(kind, {"j": 0.75})]),
        command="fiducial run X",
    )
    assert (told.command == "fiducial run X --pass-at j=0.75") == moved


def judge_step(word: TrustWord, labels: int, identity: JudgeId, **known: Any) -> Answer:
    """Return the step of a run with one judge of this verdict."""
    calibrated = JudgeCalibration(n=labels)
    trust = Trust(judge="j", word=word, why="", panel=calibrated)
    used = msgspec.structs.replace(use(graded=labels), id=identity)
    return next_step(RunSummary(systems=systems("a"), judges=[used], **known), [trust])


SHIPPED = JudgeId(kind="shipped", name="rubric", variant="reasons", model="m", fingerprint="f")
OWN = JudgeId(kind="own", name="mine", variant="custom", model="m", fingerprint="f")
CALLABLE = JudgeId(kind="callable", name="mine", variant="function", fingerprint="f")


@pytest.mark.parametrize(
    ("identity", "labels", "typed"),
    [
        (SHIPPED, 40, "fiducial improve RUN --prompt rubric/reasons --model m --base-url http://x --out RUN-better"),
        (OWN, 40, "fiducial improve RUN --prompt my/mine.prompty --model m --base-url http://x --out RUN-better"),
        (SHIPPED, 39, "fiducial review RUN --of disagreements"),
        (CALLABLE, 400, "fiducial review RUN --of disagreements"),
    ],
)  # fmt: skip
def test_a_judge_no_better_than_chance_is_improved_or_its_errors_are_read(
    identity: JudgeId, labels: int, typed: str
):
    command = "fiducial run X --judge my/mine.prompty rubric --base-url http://x"
    step_of_judge = judge_step("no better than chance", labels, identity, command=command)
    assert step_of_judge.text.startswith("j is no better than chance. ")
    unsure = judge_step("not shown to be better", labels, identity, command=command)
    assert unsure.text.startswith("j is not shown to be better than chance. ")
    assert step_of_judge.command == typed


def test_a_search_for_a_better_prompt_reaches_the_model_as_the_run_did():
    access = "--endpoint http://x,key-env=K --api-key-env L"
    step_of_judge = judge_step(
        "no better than chance", 40, SHIPPED, command=f"fiducial run X --judge rubric {access}"
    )
    assert access in step_of_judge.command


def test_a_search_for_a_better_prompt_reaches_every_endpoint_of_the_run():
    access = "--endpoint http://x --endpoint http://y"
    typed = f"fiducial run X --judge rubric {access} --out 'a --connection'"
    assert judge_step("no better than chance", 40, SHIPPED, command=typed).command.endswith(
        f"--model m {access} --out RUN-better"
    )


def test_a_judge_with_a_better_variant_is_left_alone():
    better = Trust(judge="k", word="biased", why="", panel=JudgeCalibration(n=90))
    chance = Trust(judge="j", word="no better than chance", why="", panel=JudgeCalibration(n=90))
    judges = [msgspec.structs.replace(use(graded=9), id=SHIPPED, name=name) for name in "jk"]
    assert not next_step(RunSummary(systems=systems("a"), judges=judges), [chance, better]).command


@pytest.mark.parametrize(("command", "model"), [
    ("fiducial run X --judge rubric --model baseline --out baseline", "fiducial run X --judge rubric --model gpt-4.1-mini --out baseline"),
    ("fiducial run X --judge rubric@baseline", "fiducial run X --judge rubric@gpt-4.1-mini"),
    ("fiducial run 'a@baseline' --judge rubric --model=baseline --out 'x --model baseline'", "fiducial run a@baseline --judge rubric --model gpt-4.1-mini --out 'x --model baseline'"),
    ("fiducial.evaluate", 'fd.evaluate(..., judges=["rubric"], model="gpt-4.1-mini")'),
    ("fiducial merge A B", ""),
])  # fmt: skip
def test_a_model_takes_the_place_of_a_baseline(command: str, model: str):
    baseline = msgspec.structs.replace(SHIPPED, kind="baseline", variant="lexical", model="baseline")
    assert judge_step("no better than chance", 90, baseline, command=command).command == model


@pytest.mark.parametrize(("command", "end"), [
    ("fiducial merge A B --out C", "server). Do so in each merged run, then merge them with a new --out."),
    ("fiducial batch import C", "server)."),
])  # fmt: skip
def test_a_step_without_a_command_ends_with_a_full_stop(command: str, end: str):
    baseline = msgspec.structs.replace(SHIPPED, kind="baseline", variant="lexical", model="baseline")
    told = judge_step("no better than chance", 90, baseline, command=command)
    assert (told.command, told.text.endswith(end)) == ("", True), told.text


@pytest.mark.parametrize("certified", [[], ["certificate.json"]])
def test_a_judge_of_few_errors_is_certified_once(certified: list[str]):
    proposed = judge_step("both error rates below 10 %", 400, SHIPPED, certified=certified).command
    assert proposed.startswith("fiducial audit certify RUN --by j ") == (not certified)
