"""A gate: what passes, what fails, what cannot be told, and what is refused."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import msgspec
import pytest
from each_row import each_row

import fiducial as fd
from fiducial.api.gating import Gate
from fiducial.cli.gate import exit_code
from fiducial.errors import EditedRunError, InputError, RunFolderError, UsageError
from fiducial.evaluation.conclusion.run_results import JudgeUse
from fiducial.evaluation.past_runs.gate_decision import decide_gate
from fiducial.evaluation.past_runs.gate_numbers import GateLimits
from fiducial.evaluation.past_runs.gated_runs import gated_run
from fiducial.evaluation.store.run_store import RunStore


def case(number: int, **more: Any) -> fd.Case:
    fields: dict[str, Any] = {
        "id": f"c{number:02}",
        "kind": "tool_call",
        "messages": [{"role": "user", "content": f"Open file {number}."}],
        "tools": [
            {"name": "open", "parameters": {"type": "object", "properties": {"n": {"type": "integer"}}}}
        ],
        "reference": {"calls": [{"open": {"n": [number]}}]},
        "tags": {"risk": "high" if number < 5 else "low"},
    }
    return fd.Case(**fields | more)


def output(number: int, *, right: bool, trial: int = 0, system: str = "me") -> fd.Output:
    call = fd.ToolCall(name="open", arguments={"n": number if right else -1})
    return fd.Output(case_id=f"c{number:02}", system=system, trial=trial, tool_calls=[call])


def run(folder: Path, right: Mapping[int, bool], cases: list[fd.Case] | None = None, **options: Any) -> Path:
    outputs = [output(number, right=each) for number, each in right.items()]
    fd.evaluate(
        cases or [case(number) for number in range(40)], outputs, out=folder, progress=False, **options
    )
    return folder


def first(n: int, of: int = 40) -> dict[int, bool]:
    return {number: number < n for number in range(of)}


@pytest.fixture(scope="module")
def before(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return run(tmp_path_factory.mktemp("gate") / "before", first(39))


@pytest.fixture(scope="module")
def worse(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return run(tmp_path_factory.mktemp("gate") / "worse", first(20))


def test_half_of_the_cases_lost_fails_and_names_what_broke(before: Path, worse: Path):
    gate = fd.gate(worse, before)
    assert gate.answer == "fails"
    assert [verdict.case_id for verdict in gate.broke] == [f"c{n}" for n in range(20, 39)]
    assert exit_code(gate, None) == 1
    assert exit_code(gate, "pass") == 1


def test_the_same_run_again_passes_a_wide_limit_and_cannot_tell_a_narrow_one(before: Path):
    assert fd.gate(before, before, max_drop=0.2).answer == "passes"
    narrow = fd.gate(before, before, max_drop=0.02)
    assert narrow.answer == "cannot tell"
    assert narrow.checks[0].would_tell
    assert [exit_code(narrow, literal) for literal in (None, "pass", "fail")] == [4, 0, 1]


def test_a_rate_goes_by_the_lower_end(before: Path):
    assert fd.gate(before, minimum={"overall": 0.85}).answer == "passes"
    assert fd.gate(before, minimum=["overall=0.95"]).answer == "cannot tell"
    assert fd.gate(before, minimum=["risk=high:overall=0.4"]).checks[0].bounds.of == 5  # pyright: ignore[reportOptionalMemberAccess]


def test_missing_outputs_are_ungraded_ones(tmp_path: Path, before: Path):
    some = run(tmp_path / "some", dict.fromkeys(range(20), True))
    gate = fd.gate(some, minimum={"overall": 0.51}, max_ungraded=0.05)
    assert [check.answer for check in gate.checks] == ["cannot tell", "fails"]
    assert gate.outputs == 40
    checked = fd.gate(some, minimum=["pass_rate=0.51", "pass_rate=0.3", "risk=low:pass_rate=0.55"]).checks
    assert [check.answer for check in checked] == ["cannot tell", "passes", "cannot tell"]
    assert [check.bounds.of for check in checked if check.bounds is not None] == [40, 40, 35]
    dropped = fd.gate(some, before, max_drop=0.4)
    assert dropped.common == {"me": 40}
    assert dropped.answer == "cannot tell"


def test_crashes_in_both_runs_never_pass(tmp_path: Path):
    crashed = run(tmp_path / "crashed", first(0))
    assert fd.gate(crashed, crashed, max_drop=1.0).answer == "cannot tell"
    assert fd.gate(crashed, minimum={"overall": 0.5}).answer == "fails"


def test_a_run_that_graded_nothing_cannot_be_told_whatever_is_wished(tmp_path: Path):
    open_cases = [
        fd.Case(
            id=f"c{number:02}",
            kind="memory_answer",
            messages=[{"role": "user", "content": "Where?"}],
            reference={"answers": ["Rome"]},
        )
        for number in range(5)
    ]
    outputs = [fd.Output(case_id=f"c{number:02}", system="me", text="Paris") for number in range(5)]
    fd.evaluate(open_cases, outputs, out=tmp_path / "r", progress=False)
    gate = fd.gate(tmp_path / "r", minimum={"overall": 0.0}, max_ungraded=1.0)
    assert (gate.answer, gate.systems, exit_code(gate, "pass")) == ("cannot tell", {"me": "cannot tell"}, 4)


def test_a_changed_reference_is_said_first_and_cannot_be_told(tmp_path: Path, before: Path):
    cases = [case(number) for number in range(40)]
    cases[3] = case(3, reference={"calls": [{"open": {"n": [3, 4]}}]})
    gate = fd.gate(run(tmp_path / "r", first(39), cases), before, max_drop=0.5)
    assert gate.answer == "cannot tell"
    assert "1 common case: c03" in gate.incomparable[0]
    assert "fiducial run" in gate.judge_again or "evaluate(" in gate.judge_again


def test_copies_of_cases_in_the_folder_show_what_changed(tmp_path: Path):
    def written(name: str, cases: list[fd.Case]) -> Path:
        fd.write_records(tmp_path / "cases.jsonl", cases)
        fd.write_records(tmp_path / "outputs.jsonl", [output(n, right=True) for n in range(40)])
        fd.evaluate(tmp_path / "cases.jsonl", tmp_path / "outputs.jsonl", out=tmp_path / name, progress=False)
        return tmp_path / name

    cases = [case(number) for number in range(40)]
    was = written("was", cases)
    copy = was / "inputs" / "cases.jsonl"
    copy.parent.mkdir()
    copy.write_bytes((tmp_path / "cases.jsonl").read_bytes())
    now = written("now", [*cases, case(40)])
    assert fd.gate(now, was, max_drop=0.3).answer == "passes"
    copy.write_text("{}")
    assert "gone or changed" in fd.gate(now, was, max_drop=0.3).incomparable[0]


def test_a_new_tag_changes_no_case(tmp_path: Path, before: Path):
    cases = [case(number, tags={"new": True}) for number in range(40)]
    assert fd.gate(run(tmp_path / "r", first(39), cases), before, max_drop=0.5).answer == "passes"


def test_other_rules_cannot_be_compared(tmp_path: Path, before: Path):
    gate = fd.gate(run(tmp_path / "r", first(39), rules="bfcl"), before, max_drop=0.5)
    assert gate.answer == "cannot tell"
    assert "rules changed" in gate.incomparable[0]


def test_few_common_cases_cannot_be_compared(tmp_path: Path, before: Path):
    cases = [case(number) for number in range(30, 70)]
    others = run(tmp_path / "r", dict.fromkeys(range(30, 70), True), cases)
    gate = fd.gate(others, before, max_drop=0.9)
    assert (gate.common, gate.cases, gate.answer) == ({"me": 10}, {"me": 70}, "cannot tell")


def test_tagged_cases_must_not_fail_anew(tmp_path: Path, before: Path):
    right = first(39) | {2: False}
    gate = fd.gate(run(tmp_path / "r", right), before, no_new_failures=["risk=high"])
    assert gate.answer == "fails"
    assert "c02" in gate.checks[0].why
    assert fd.gate(before, before, no_new_failures=["risk"]).answer == "passes"
    assert fd.gate(before, no_new_failures=["risk=low"]).answer == "fails"


@each_row(
    ("case_2", "answer", "told"),
    [
        ({"tags": {"risk": "low"}}, "fails", "failed: c02"),
        ({"tags": {}}, "fails", "failed: c02"),
        (None, "cannot tell", "not in the later run: c02"),
    ],
)
def test_dropping_the_tag_or_the_case_hides_no_new_failure(
    tmp_path: Path, before: Path, case_2: dict[str, Any] | None, answer: str, told: str
):
    cases = [case(n) if n != 2 else case(n, **case_2 or {}) for n in range(40) if n != 2 or case_2]
    right = {n: passes for n, passes in (first(39) | {2: False}).items() if n != 2 or case_2}
    [check] = fd.gate(run(tmp_path / "r", right, cases), before, no_new_failures=["risk=high"]).checks
    assert (check.answer, told in check.why, check.would_tell != "") == (answer, True, case_2 is None)


def test_a_tag_that_only_the_earlier_run_has_is_asked_about(tmp_path: Path, before: Path):
    untagged = run(tmp_path / "r", first(39), [case(number, tags={}) for number in range(40)])
    [check] = fd.gate(untagged, before, no_new_failures=["risk=high"]).checks
    assert (check.answer, check.why) == ("passes", "5 of 5 cases that passed before pass")
    with pytest.raises(InputError):
        fd.gate(untagged, no_new_failures=["risk=high"])


def test_a_system_that_the_later_run_lacks_is_no_passed_condition(tmp_path: Path, before: Path):
    outputs = [output(number, right=True, system=system) for number in range(40) for system in ("me", "you")]
    both = tmp_path / "both"
    fd.evaluate([case(number) for number in range(40)], outputs, out=both, progress=False)
    answers = [
        {check.system: check.answer for check in fd.gate(after, was, no_new_failures=["risk=high"]).checks}
        for after, was in ((before, both), (both, before))
    ]
    assert answers == [{"me": "passes", "you": "cannot tell"}, {"me": "passes"}]


def test_a_flaky_case_is_no_regression(tmp_path: Path):
    def tried(name: str, passes: int) -> Path:
        outputs = [output(number, right=True, trial=trial) for number in range(1, 5) for trial in range(3)]
        outputs += [output(0, right=trial < passes, trial=trial) for trial in range(3)]
        fd.evaluate([case(n) for n in range(5)], outputs, out=tmp_path / name, progress=False)
        return tmp_path / name

    all_pass, flaky, broken = tried("a", 3), tried("b", 2), tried("c", 0)
    answers = [fd.gate(path, all_pass, no_new_failures=["risk"]).answer for path in (all_pass, flaky, broken)]
    assert answers == ["passes", "cannot tell", "fails"]
    gates = [fd.gate(path, all_pass, max_drop=0.5) for path in (flaky, broken)]
    assert [[verdict.case_id for verdict in gate.broke] for gate in gates] == [[], ["c00"]]
    assert [gate.flaky for gate in gates] == [{"me": ["c00"]}, {}]
    assert "1 flaky case passed more trials before" in str(gates[0])


def test_failed_calls_come_after_failing_and_before_doubt(before: Path):
    passes, narrow = fd.gate(before, before, max_drop=0.2), fd.gate(before, before, max_drop=0.0)
    assert [exit_code(msgspec.structs.replace(gate, failed_calls=1), None) for gate in (passes, narrow)] == [
        3,
        3,
    ]
    fails = fd.gate(before, minimum={"overall": 1.0}, max_ungraded=0.0)
    assert exit_code(msgspec.structs.replace(fails, answer="fails", failed_calls=1), None) == 1


def test_a_folder_whose_counts_and_verdicts_disagree_is_refused(tmp_path: Path):
    folder = run(tmp_path / "r", first(20))
    manifest = json.loads((folder / "run.json").read_bytes())
    told = json.dumps(manifest)
    for edited in (
        told.replace('"value": 0.5', '"value": 0.9'),
        json.dumps(manifest | {"counts": manifest["counts"] | {"graded": 3}}),
        json.dumps(manifest | {"results": [manifest["results"][0] | {"system": "you"}]}),
    ):
        assert edited != told
        (folder / "run.json").write_text(edited)
        with pytest.raises((RunFolderError, InputError)):
            fd.gate(folder, minimum={"overall": 0.1})
    (folder / "run.json").write_text(told)
    journal = folder / "verdicts.jsonl"
    journal.write_text(journal.read_text().replace('"score":0.0', '"score":1.0'))
    with pytest.raises(EditedRunError):
        fd.gate(folder, minimum={"overall": 0.1})


@pytest.mark.parametrize(
    "limits", [{}, {"max_drop": 0.1}, {"max_drop": 2.0}, {"minimum": {"overall": 7}}, {"minimum": ["x=0.1"]}]
)
def test_limits_that_are_none_are_refused(before: Path, limits: dict[str, Any]):
    with pytest.raises(UsageError):
        fd.gate(before, **limits)


def test_an_unknown_tag_is_refused(before: Path):
    with pytest.raises(InputError):
        fd.gate(before, no_new_failures=["nonsense"])


def test_systems_of_one_run_only_cannot_be_told(tmp_path: Path, before: Path):
    outputs = [output(number, right=True, system=system) for number in range(40) for system in ("me", "you")]
    fd.evaluate([case(number) for number in range(40)], outputs, out=tmp_path / "r", progress=False)
    gate = fd.gate(tmp_path / "r", before, max_drop=0.5)
    assert gate.systems == {"me": "passes", "you": "cannot tell"}
    assert gate.answer == "cannot tell"


def test_junit_and_the_assertion_say_what_failed(tmp_path: Path, before: Path, worse: Path):
    gate = fd.gate(worse, before, max_drop=0.02)
    assert '<failure message="-0.4750' in gate.write_junit(tmp_path / "j.xml").read_text("utf-8")
    with pytest.raises(AssertionError, match="max drop"):
        gate.assert_passes()
    assert isinstance(gate, Gate)


def test_junit_is_written_whole_into_a_new_folder_or_is_refused(tmp_path: Path, before: Path):
    gate = fd.gate(before, minimum={"overall": 0.1})
    assert gate.write_junit(tmp_path / "new" / "j.xml").exists()
    with pytest.raises(InputError, match="cannot be written"):
        gate.write_junit(tmp_path / "new" / "j.xml" / "j.xml")


def test_grades_of_other_tools_are_gated_by_one_scorer(tmp_path: Path):
    def imported(name: str, right: int, scorers: tuple[str, ...] = ("exact",)) -> Path:
        folder = tmp_path / name
        folder.mkdir()
        fd.write_records(folder / "cases.jsonl", [case(number) for number in range(40)])
        fd.write_records(
            folder / "verdicts.jsonl",
            [
                fd.Verdict(
                    case_id=f"c{n:02}",
                    system="me",
                    by=by,
                    source="checker",
                    outcome="graded",
                    score=float(n < right),
                )
                for n in range(30)
                for by in scorers
            ],
        )
        return folder

    was, now = imported("a", 30), imported("b", 2)
    assert fd.gate(now, was, max_drop=0.0).answer == "fails"
    for rate in ("overall", "pass_rate"):
        half = fd.gate(was, minimum={rate: 0.76})
        assert (half.outputs, half.graded, half.answer) == (40, 30, "cannot tell")
    several = imported("c", 30, ("exact", "rubric"))
    with pytest.raises(InputError, match="name one: graded_by='exact'"):
        fd.gate(several, minimum={"overall": 0.5})
    assert fd.gate(several, minimum={"overall": 0.5}, graded_by="rubric").answer == "passes"


SAMPLES = Path(__file__).parents[1] / "formats" / "samples"


@pytest.mark.parametrize(
    ("file", "graded_by"),
    [
        ("inspect/toolcalls_includes.eval", None),
        ("promptfoo/results.json", "promptfoo"),
        ("deepeval/test_run.json", None),
        ("langfuse/scores_v3_page.json", None),
        ("otel/evaluation_event_sdk.json", None),
        ("otel", None),
    ],
)
def test_result_files_of_other_tools_are_gated_as_they_are(file: str, graded_by: str | None):
    path = SAMPLES / file
    gate = fd.gate(path, path, max_drop=1.0, graded_by=graded_by)
    assert gate.graded > 0
    assert gate.answer == "passes"
    assert fd.gate(path, minimum={"overall": 0.99}, graded_by=graded_by).answer != "passes"


def _flip_inspect(log: Any) -> None:
    log["samples"][0]["scores"]["includes"]["value"] = "I"


def _flip_promptfoo(results: Any) -> None:
    result = results["results"]["results"][0]
    result |= {"success": False, "score": 0}
    result["gradingResult"] |= {"pass": False, "score": 0}


def _flip_deepeval(run: Any) -> None:
    run["testCases"][0]["metricsData"][0] |= {"success": False, "score": 0.0}


def _flip_langfuse(page: Any) -> None:
    page["data"][0]["value"] = False


def _flip_otel(event: Any) -> None:
    event["attributes"] |= {"gen_ai.evaluation.score.value": 0.0, "gen_ai.evaluation.score.label": "fail"}


@each_row(
    ("file", "flip", "graded_by", "broke"),
    [
        ("inspect/toolcalls_includes.json", _flip_inspect, None, ("s1", "mockllm/model", "includes")),
        ("promptfoo/results.json", _flip_promptfoo, "promptfoo", ("test-0", "echo Hello {{name}}", "promptfoo")),
        ("deepeval/test_run.json", _flip_deepeval, None, ("test_price[12.50]", "logged", "Exact Match")),
        ("langfuse/scores_v3_page.json", _flip_langfuse, None, ("0af7651916cd43dd8448eb211c80319c", "logged", "short")),
        ("otel/evaluation_event_sdk.json", _flip_otel, None, ("2bd824d98ff32d4b7f23a13a120a057f", "logged", "answer_exact")),
    ],
)  # fmt: skip
def test_a_flipped_score_in_a_file_of_another_tool_is_a_named_regression(
    tmp_path: Path,
    file: str,
    flip: Callable[[Any], None],
    graded_by: str | None,
    broke: tuple[str, str, str],
):
    was, now = SAMPLES / file, tmp_path / Path(file).name
    data = json.loads(was.read_bytes())
    flip(data)
    now.write_text(json.dumps(data))
    gate = fd.gate(now, was, max_drop=1.0, graded_by=graded_by)
    assert [(verdict.case_id, verdict.system, verdict.by) for verdict in gate.broke] == [broke]
    [bounds] = [check.bounds for check in gate.checks if check.system == broke[1]]
    assert bounds is not None
    assert bounds.value is not None
    assert bounds.value < 0
    back = fd.gate(was, now, max_drop=0.0, graded_by=graded_by)
    assert back.broke == []


def test_an_archive_and_its_text_are_the_same_log(tmp_path: Path):
    was = SAMPLES / "inspect/toolcalls_includes.eval"
    data = json.loads(was.with_suffix(".json").read_bytes())
    _flip_inspect(data)
    (tmp_path / "now.json").write_text(json.dumps(data))
    gate = fd.gate(tmp_path / "now.json", was)
    assert ([verdict.case_id for verdict in gate.broke], gate.incomparable) == (["s1"], [])


def _crash_inspect(log: Any) -> None:
    sample = log["samples"][0]
    sample["error"] = {"message": "boom", "traceback": "boom", "traceback_ansi": "boom"}
    del sample["scores"]


def _crash_promptfoo(results: Any) -> None:
    result = results["results"]["results"][0]
    result |= {"success": False, "score": 0, "error": "boom", "failureReason": 2, "gradingResult": None}
    del result["response"]


@each_row(
    ("file", "crash", "graded_by", "case_id"),
    [
        ("inspect/toolcalls_includes.json", _crash_inspect, None, "s1"),
        ("promptfoo/results.json", _crash_promptfoo, "promptfoo", "test-0"),
    ],
)
def test_a_crash_in_a_file_of_another_tool_is_a_failure_and_never_passes(
    tmp_path: Path, file: str, crash: Callable[[Any], None], graded_by: str | None, case_id: str
):
    was, now = SAMPLES / file, tmp_path / Path(file).name
    data = json.loads(was.read_bytes())
    crash(data)
    now.write_text(json.dumps(data))
    gate = fd.gate(now, was, max_drop=1.0, graded_by=graded_by)
    assert (gate.graded, gate.incomparable) == (gate.outputs, [])
    assert [(verdict.case_id, verdict.by, verdict.error_type) for verdict in gate.broke] == [
        (case_id, "its error", "system_error")
    ]


def test_what_a_tool_passed_passes_whatever_its_score(tmp_path: Path):
    def imported(name: str, score: float, *, passed: bool | None) -> Path:
        folder = tmp_path / name
        folder.mkdir()
        fd.write_records(folder / "cases.jsonl", [case(number) for number in range(40)])
        verdicts = [
            fd.Verdict(
                case_id=f"c{n:02}", system="me", by="exact", source="checker", outcome="graded",
                score=score, trial=trial, evidence={} if passed is None else {"pass": passed},
            )
            for n in range(40)
            for trial in range(2)
        ]  # fmt: skip
        fd.write_records(folder / "verdicts.jsonl", verdicts)
        return folder

    passing = imported("passing", 0.4, passed=True)
    for score, passed, broke in ((0.7, False, 40), (0.7, None, 0), (0.3, None, 40), (0.3, True, 0)):
        now = imported(f"{score}-{passed}", score, passed=passed)
        gate = fd.gate(now, passing, no_new_failures=["risk"], minimum={"pass^2": 0.5})
        assert len(gate.broke) == broke
        assert {check.answer for check in gate.checks} == {"fails" if broke else "passes"}


def test_pass_to_the_k_counts_fractions_as_the_trials_of_a_run_do(tmp_path: Path):
    def gated_fractions(case: fd.Case, output: fd.Output) -> float:
        return 0.6 if output.trial == 0 else 0.4 + 0.2 * (int(case.id[1:]) % 2)

    fd.checker("gated_fractions")(gated_fractions)
    cases = [{"id": f"c{n}", "kind": "gated_fractions"} for n in range(20)]
    outputs = [output(n, right=True, trial=trial) for n in range(20) for trial in range(2)]
    outputs = [msgspec.structs.replace(each, case_id=f"c{int(each.case_id[1:])}") for each in outputs]
    run = fd.evaluate(cases, outputs, out=tmp_path / "r", progress=False)
    [system] = fd.trials(run).systems.values()
    checks = fd.gate(run, minimum={"pass^1": 0.5, "pass^2": 0.4}).checks
    values = [None if check.bounds is None else check.bounds.value for check in checks]
    assert values == [system.rates["pass^k"][k].value for k in (1, 2)] == [0.75, 0.5]


@pytest.fixture(scope="module")
def two_systems(tmp_path_factory: pytest.TempPathFactory) -> Path:
    outputs = [
        output(number, right=number > 5, system=system) for number in range(40) for system in ("me", "you")
    ]
    folder = tmp_path_factory.mktemp("two") / "r"
    fd.evaluate([case(number) for number in range(40)], outputs, out=folder, progress=False)
    return folder


@each_row(
    ("limits", "conditions"),
    [
        ({"minimum": ["overall=0.5"]}, 2),
        ({"max_drop": 0.5}, 2),
        (
            {"minimum": ["overall=0.5", "pass_rate=0.5", "pass^1=0.5"], "max_drop": 0.5, "max_ungraded": 0.1},
            8,
        ),
    ],
)
def test_upper_ends_of_all_systems_and_conditions_hold_together(
    two_systems: Path, limits: dict[str, Any], conditions: int
):
    checks = [
        check for check in fd.gate(two_systems, two_systems, **limits).checks if check.bounds is not None
    ]
    assert len(checks) == conditions
    for check in checks:
        assert check.bounds is not None
        nominal = check.bounds.level
        assert check.bounds.high_level == pytest.approx(1 - (1 - nominal) / conditions)
        assert check.bounds.certain_high is not None
        assert check.bounds.high is not None
        assert check.bounds.high > check.bounds.certain_high + 0.005


@each_row(
    ("uses", "expected"),
    [
        ([], 0.0),
        ([{"calls": 0, "cost": 4.0}], 0.0),
        ([{"calls": 2, "cost": 0.25}, {"calls": 1, "cost": 0.5}, {"calls": 0}], 0.75),
        ([{"calls": 2, "cost": 0.25}, {"calls": 1}], None),
    ],
)
def test_judges_without_a_call_cost_a_run_nothing(
    before: Path, uses: list[dict[str, Any]], expected: float | None, monkeypatch: pytest.MonkeyPatch
):
    with RunStore(before) as store:
        judges = [JudgeUse(name="j", fingerprint="f", outcomes={}, **use) for use in uses]
        finished = msgspec.structs.replace(store.finished(), judges=judges)
        monkeypatch.setattr(store, "finished", lambda: finished)
        assert gated_run(store).cost == expected


def test_a_cost_that_is_not_known_is_no_answer(before: Path):
    with RunStore(before) as store:
        known = gated_run(store)
        limits = GateLimits(cost_at_most=1.0)
        costs = (0.5, 1.5, None)
        answers = [decide_gate(known._replace(cost=cost), None, limits).answer for cost in costs]
    assert answers == ["passes", "fails", "cannot tell"]
    [check] = fd.gate(SAMPLES / "deepeval/test_run.json", cost_at_most=1.0).checks
    assert (check.answer, check.would_tell) == ("cannot tell", "")
