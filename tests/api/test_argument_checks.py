"""Arguments that cannot be used: refused by their name, before any work."""

from __future__ import annotations

import inspect
import math
import re
from collections.abc import Callable
from typing import Any, cast

import pytest
from each_row import each_row

import fiducial as fd
from fiducial.api.reading import import_files
from fiducial.errors import InputError, UsageError

CASE = {"id": "a", "kind": "open_answer", "messages": [{"role": "user", "content": "?"}], "reference": {"criterion": "It is right."}}  # fmt: skip
OUTPUT = {"case_id": "a", "system": "s", "text": "yes"}
ROWS = [
    {"item_id": f"i{n}", "judge": judge, "score": float(n % 2), "label": float(n % 3 > 0)}
    for n in range(6)
    for judge in "ab"
]
LOG = [{"question": "a", "answer": "b", "grade": 1}]
SERVER = "http://127.0.0.1:9/v1"

untyped = cast("Any", fd)
"""The package, for arguments that a type checker would refuse."""


@each_row(
    ("call", "message"),
    [
        (lambda: fd.plan_labels(half_width=0.05, prevalence=3), "prevalence= expects a number above 0 and below 1, got 3"),
        (lambda: fd.plan_labels(half_width=2), "half_width= expects a number above 0 and below 1, got 2"),
        (lambda: fd.plan_labels(half_width=0.1, tpr=math.nan), "tpr= expects a number above 0"),
        (lambda: untyped.plan_labels(half_width="0.1"), "half_width= expects a number, got '0.1'"),
        (lambda: fd.plan_labels(difference=0.1, discordant=1.5), "discordant= expects a number above 0 and at most 1"),
        (lambda: fd.plan_labels(half_width=0.1, rows_per_cluster=0), "rows_per_cluster= expects a number of at least 1"),
        (lambda: fd.plan_labels(half_width=0.1, rows_per_cluster=math.inf), "rows_per_cluster= expects a number of at"),
        (lambda: fd.plan_labels(half_width=0.1, icc=0.2), "icc= has no effect on clusters of one item"),
        (lambda: fd.plan_labels(half_width=0.1, unlabelled=0), "unlabelled= expects a whole number of at least 1, got 0"),
        (lambda: fd.plan_labels(ROWS, draw=-1), "draw= expects a whole number of at least 1, got -1"),
        (lambda: fd.plan_budget(budget=math.nan, costs={"label": 1}), "budget= expects a number above 0, got nan"),
        (lambda: fd.plan_budget(budget=9, costs={"lable": 1}), r"lable: expected .*did you mean 'label'\?"),
        (
            lambda: untyped.plan_budget(9, costs={"label": 1}, cheap=(0.9,)),
            r"cheap=\(0.9,\): expected TPR,TNR",
        ),
        (lambda: fd.plan_budget(9, ROWS, cheap=(0.9, 0.8)), "cheap=: name a judge of the TABLE"),
        (lambda: fd.estimate(ROWS, judge="a", level=95), "level= expects a number above 0 and below 1, got 95"),
        (lambda: fd.estimate(ROWS, judge="a", open_worse_by=math.nan), "open_worse_by= expects a number from 0"),
        (lambda: untyped.estimate(ROWS, judge="a", part="most"), "part= expects open or all, got 'most'"),
        (lambda: untyped.estimate(ROWS, judge="a", interval="x"), "interval= expects score, logit or wald, got"),
        (lambda: untyped.estimate(ROWS, judge="a", target="x"), "target= expects population or finite, got 'x'"),
        (lambda: fd.calibrate(ROWS, level=0), "level= expects a number above 0 and below 1, got 0"),
        (lambda: untyped.calibrate(ROWS, interval="x"), "interval= expects wilson, wald, cluster-t or bootstrap"),
        (lambda: untyped.calibrate(ROWS, recalibrate="x"), "recalibrate= expects isotonic or platt, got 'x'"),
        (lambda: fd.calibrate(ROWS, replicates=0), "replicates= expects a whole number of at least 100, got 0"),
        (lambda: fd.calibrate(ROWS, max_error=2), "max_error= expects a number above 0 and below 1, got 2"),
        (lambda: untyped.calibrate(ROWS, levels="0,1"), "levels= expects a list of numbers, got '0,1'"),
        (lambda: fd.calibrate(ROWS, levels=[0]), "levels= expects 2 to 50 different numbers"),
        (lambda: untyped.calibrate(ROWS, levels=iter([0, "1"])), r"different numbers in \[0, 1\], got \[0, '1'\]"),
        (lambda: untyped.calibrate(ROWS, levels={0, None}), "levels= expects 2 to 50 different numbers"),
        (lambda: fd.calibrate(ROWS, cascade=[], max_error=0.1), "cascade= expects at least one judge, got none"),
        (lambda: fd.estimate(ROWS, judge="b", phases=["a", "b"]), "phases= begins with 'a', the judge of the other estimates, but judge= names 'b'"),
        (lambda: fd.estimate(ROWS, judge="b", judges=["a", "b"]), "judges= begins with 'a', the judge of the other estimates, but judge= names 'b'"),
        (lambda: fd.estimate(ROWS, phases=["a", "b"], judges=["b", "a"]), "judges= begins with 'b', the judge of the other estimates, but phases= begins with 'a'"),
        (lambda: fd.calibrate(ROWS, label_pass_at=math.nan), "label_pass_at= expects a finite number, got nan"),
        (lambda: fd.calibrate(ROWS, label_scale=(1, math.nan)), "label_scale expects the worst and the best"),
        (lambda: fd.calibrate(ROWS, score_scale=(1, 10**400)), "score_scale expects the worst and the best grade, .*, got \\(1, 10+\\.\\.\\.0+\\)"),
        (lambda: fd.calibrate(ROWS, label_scale=(-1e308, 1e308)), "label_scale= expects grades at a finite distance, got -1e\\+308:1e\\+308"),
        (lambda: fd.compare(ROWS, level=1), "level= expects a number above 0 and below 1, got 1"),
        (lambda: untyped.compare(ROWS, right="x"), "right= expects agrees, score or label, got 'x'"),
        (lambda: fd.trials(ROWS, level=-1), "level= expects a number above 0 and below 1, got -1"),
        (lambda: fd.trials(ROWS, 0), "ks=: expected numbers from 1 to 1,000, got 0"),
        (
            lambda: untyped.read(LOG, label_scale="1:5"),
            r"label_scale expects the worst and the best grade, \(1, 5\), got '1:5'",
        ),
        (lambda: untyped.read(LOG, unit="turns"), "unit= expects session or turn, got 'turns'"),
        (lambda: untyped.check(CASE, OUTPUT, files="some"), "files= expects any or all, got 'some'"),
        (lambda: fd.check(CASE, OUTPUT, code_timeout=math.nan), "code_timeout= expects a number above 0, got nan"),
        (lambda: untyped.evaluate([CASE], [OUTPUT], judge_on="x"), "judge_on= expects open, all or a number"),
        (lambda: fd.evaluate([CASE], [OUTPUT], judge_on=-1), "judge_on= expects a whole number of at least 0"),
        (lambda: fd.evaluate([CASE], [OUTPUT], repeats=0), "repeats= expects a whole number of at least 1, got 0"),
        (lambda: fd.evaluate([CASE], [OUTPUT], workers=0), "workers= expects a whole number of at least 1, got 0"),
        (lambda: untyped.evaluate([CASE], [OUTPUT], judges=None), "judges: expected a judge or a name of one"),
        (lambda: untyped.generate([CASE], "m", base_url=SERVER, mode="x"), "mode= expects tools or prompt, got"),
        (lambda: fd.generate([CASE], str, user_base_url=SERVER), "user_base_url= is the endpoint .*: add user_model"),
        (lambda: untyped.plan_labels(half_width=0.1, powr=0.9), r"^fd\.plan_labels has no argument powr=; did you mean power=\?$"),
        (lambda: untyped.mutate([CASE], rules="strict"), "fd.mutate has no argument rules="),
        (lambda: fd.mutate(only="near_name"), "name cases, or how many faults of each kind to draw with lifelike=10"),
        (lambda: fd.mutate([CASE], lifelike=-1), "lifelike= expects a whole number of at least 0, got -1"),
        (lambda: fd.mutate([CASE], per_output=0), "per_output= expects a whole number of at least 1, got 0"),
        (lambda: fd.audit("probes", "rubric", sample=0), "sample= expects a whole number of at least 1, got 0"),
        (lambda: fd.judge_from(len, pass_at=7), "pass_at= expects a number above 0 and at most 1, got 7"),
        (lambda: fd.judge_from(len, scale=(0, math.inf)), "scale: expected the lowest and the highest score"),
        (
            lambda: fd.judge("rubric", model="m", base_url=SERVER, max_cost=math.nan),
            "max_cost= expects a number of at least 0, got nan",
        ),
        (lambda: fd.judge("rubric", model="m", base_url=SERVER, attempts=0), "attempts= expects a whole number"),
    ],
)  # fmt: skip
def test_values_that_an_argument_cannot_have_are_refused(call: Callable[[], object], message: str):
    with pytest.raises(UsageError, match=message):
        call()


@each_row(
    ("call", "message"),
    [
        (lambda: untyped.calibrate(ROWS, level=None), "level= expects a number, got None"),
        (lambda: untyped.calibrate(ROWS, map=["label"]), "map= expects a mapping of texts to texts, got ['label']"),
        (lambda: untyped.calibrate(ROWS, map={"label": 1}), "map= expects a mapping of texts to texts, got {'label': 1}"),
        (lambda: untyped.calibrate(ROWS, map_label="good"), "map_label= expects a mapping, got 'good'"),
        (lambda: untyped.calibrate(ROWS, draws=None), "draws= expects a list of paths, got None"),
        (lambda: untyped.calibrate(ROWS, seed="1"), "seed= expects a whole number, got '1'"),
        (lambda: fd.calibrate(ROWS, seed=-1), "seed= expects a whole number of at least 0, got -1"),
        (lambda: fd.plan_labels(ROWS, draw=1, seed=-1), "seed= expects a whole number of at least 0, got -1"),
        (lambda: fd.plan_labels(half_width=1e-200), "half_width= expects a number of at least 1e-06, got 1e-200"),
        (lambda: fd.plan_labels(difference=1e-200), "difference= expects a number of at least 1e-06, got 1e-200"),
        (lambda: fd.plan_labels(half_width=0.1, rows_per_cluster=1e300, icc=0.5), "rows_per_cluster= expects a number up to 1,000,000, got 1e+300"),
        (lambda: untyped.calibrate(ROWS, pass_at="0.5"), "pass_at= expects a number or a mapping of texts to numbers, got '0.5'"),
        (lambda: untyped.compare(ROWS, pass_at={"a": "1"}), "pass_at= expects a number or a mapping of texts to numbers, got {'a': '1'}"),
        (lambda: untyped.compare(ROWS, statistic=["f1"]), "statistic= expects a text, got ['f1']"),
        (lambda: untyped.compare(ROWS, prices="0.1/0.2"), "prices= expects a list of texts, got '0.1/0.2'"),
        (lambda: untyped.estimate(ROWS, judge=["a"]), "judge= expects a text, got ['a']"),
        (lambda: untyped.estimate(ROWS, phases="a"), "phases= expects a list of texts, got 'a'"),
        (lambda: untyped.plan_labels(ROWS, half_width="0.1"), "half_width= expects a number, got '0.1'"),
        (lambda: untyped.plan_labels(half_width=0.1, icc=None), "icc= expects a number, got None"),
        (lambda: untyped.trials(ROWS, "2"), "ks= expects a whole number or a list of whole numbers, got '2'"),
        (lambda: untyped.read(LOG, system=["s"]), "system= expects a text, got ['s']"),
        (lambda: untyped.check(CASE, OUTPUT, worlds=7), "worlds= expects a mapping or a list of texts, got 7"),
        (lambda: untyped.check(CASE, OUTPUT, allow_code="no"), "allow_code= expects True or False, got 'no'"),
        (lambda: untyped.evaluate([CASE], [OUTPUT], functions=7), "functions= expects a mapping or a list of texts, got 7"),
        (lambda: untyped.generate([CASE], str, trials=None), "trials= expects a whole number, got None"),
        (lambda: untyped.generate([CASE], str, timeout="60"), "timeout= expects a number, got '60'"),
        (lambda: untyped.judge("rubric", model="m", timeout=None), "timeout= expects a number, got None"),
        (lambda: untyped.judge("rubric", model=7), "model= expects a text, got 7"),
        (lambda: untyped.judge_from(len, scale=None), "scale= expects a list of numbers, got None"),
        (lambda: untyped.jury(["rubric"], weights=None), "weights= expects a list of numbers, got None"),
        (lambda: untyped.mutate([CASE], only=7), "only= expects a text or a list of texts, got 7"),
        (lambda: untyped.review("run", "all"), "sample= expects open, decided"),
        (lambda: untyped.review("run", count=0), "count= expects a whole number of at least 1, got 0"),
    ],
)  # fmt: skip
def test_arguments_of_a_wrong_type_are_refused_by_name(call: Callable[[], object], message: str):
    with pytest.raises(UsageError, match=re.escape(message)):
        call()


def test_lists_may_be_any_iterable_and_one_name_stands_for_a_list():
    numbers = cast("Any", iter([0.0, 1.0]))
    assert fd.calibrate(ROWS, levels=numbers).judges.keys() == {"a", "b"}
    with pytest.raises(UsageError, match="no such operator"):
        fd.mutate([CASE], only="unknown")


CALLS: dict[str, Callable[[dict[str, Any]], Any]] = {
    "evaluate": lambda more: fd.evaluate([CASE], [OUTPUT], **more),
    "calibrate": lambda more: fd.calibrate(ROWS, **more),
    "estimate": lambda more: fd.estimate(ROWS, **more),
    "compare": lambda more: fd.compare(ROWS, **more),
    "plan": lambda more: fd.plan_labels(ROWS, draw=1, **more),
    "import_files": lambda more: import_files(["rows.csv"], "out", **more),
}


@each_row("name", CALLS)
def test_an_unknown_argument_is_refused_with_the_nearest(name: str):
    with pytest.raises(UsageError, match=r"did you mean label_scale=|did you mean 'label_scale'"):
        CALLS[name]({"labels_scale": (1, 5)})


@each_row(
    ("call", "message"),
    [
        (lambda: untyped.evaluate([CASE], [OUTPUT], judge="x"), "fd.evaluate has no argument judge=; did you mean judges=?"),
        (lambda: untyped.judge("rubric", modle="x"), "fd.judge has no argument modle=; did you mean model=?"),
        (lambda: untyped.jury(["rubric"], modle="x"), "fd.jury has no argument modle=; did you mean model=?"),
        (lambda: untyped.read(LOG, format="openai"), "fd.read has no argument format=: did you mean as_=?"),
        (lambda: untyped.generate([CASE], str, bas_url=SERVER), "fd.generate has no argument bas_url=; did you mean base_url=?"),
        (lambda: untyped.agenerate([CASE], str, bas_url=SERVER), "fd.agenerate has no argument bas_url="),
        (lambda: untyped.load_run("run", nothing_near=1), "fd.load_run has no argument nothing_near=; it has folder"),
    ],
)  # fmt: skip
def test_each_public_function_refuses_a_misspelt_argument_in_the_same_words(
    call: Callable[[], object], message: str
):
    with pytest.raises(UsageError, match=f"^{re.escape(message)}"):
        call()


def test_arguments_for_model_access_are_refused_with_the_call_that_takes_them():
    with pytest.raises(UsageError, match=r"base_url=: it is of a judge: judges=fd\.judge\("):
        untyped.evaluate([CASE], [OUTPUT], judges="rubric", model="m", base_url="http://127.0.0.1:1/v1")


@each_row(
    ("call", "message"),
    [
        (lambda: untyped.evaluate([CASE], OUTPUT), "outputs: got one dict; pass a list: [output]"),
        (lambda: untyped.evaluate(CASE, [OUTPUT]), "cases: got one dict; pass a list: [case]"),
        (lambda: untyped.evaluate(fd.read(LOG), [OUTPUT]), "cases: got Reading; pass reading.cases"),
        (lambda: untyped.audit([CASE], "rubric"), "probes: got list; make probes first: fd.mutate(cases)"),
        (lambda: untyped.check(OUTPUT, CASE), "case: this looks like an output; the case comes first"),
        (lambda: untyped.assert_rate(_run().systems["s"]), 'got SystemRates; pass its rate: run.systems["s"].overall'),
        (lambda: untyped.assert_rate(_run()), 'got Run; pass a rate of it: run.systems["s"].overall'),
        (lambda: fd.assert_rate(_run().systems["s"].overall, 80), "between 0 and 1, got 80; did you mean 0.8?"),
    ],
)  # fmt: skip
def test_a_value_in_the_wrong_place_is_answered_with_what_to_pass(call: Callable[[], object], message: str):
    with pytest.raises(UsageError, match=re.escape(message)):
        call()


EXACT = [{"id": name, "kind": "memory_answer", "reference": {"answers": ["yes"]}} for name in "ab"]


def _run(cases: Any = (CASE,)) -> fd.Run:
    return fd.evaluate(cases, [{**OUTPUT, "case_id": case["id"]} for case in cases])


def test_a_coroutine_is_answered_with_the_function_itself():
    async def agent(_case: fd.Case) -> str:
        return "x"

    work = agent(cast("Any", None))
    with pytest.raises(UsageError, match="got coroutine; pass the function itself, or await it"):
        untyped.evaluate([CASE], work)
    work.close()


@each_row(
    ("call", "message"),
    [
        (lambda: fd.evaluate([], [OUTPUT]), "cases: no case given"),
        (lambda: fd.evaluate([CASE], []), "outputs: no output given"),
        (lambda: fd.generate([], str), "cases: no case given"),
        (lambda: fd.read([]), "rows: it has no records to read as rows"),
        (lambda: fd.read([{"foo": 1}]), "rows: no record in it can be read as rows: no column is known to hold"),
        (lambda: fd.evaluate([CASE], [OUTPUT, OUTPUT]), "outputs:2: repeats outputs:1 (case a, system s, trial 0)"),
        (lambda: fd.calibrate(_run()), "no judge graded this run: fd.evaluate(cases, outputs, judges=...)"),
        (lambda: fd.trials(_run(EXACT)), "make several with fd.generate(cases, agent, trials=N)"),
        (lambda: fd.check({"id": "a", "kind": "toolcall"}, {"text": "x"}), 'or a kind registered with @fd.checker("toolcall")'),
    ],
)  # fmt: skip
def test_data_that_cannot_be_used_is_answered_with_calls_not_commands(
    call: Callable[[], object], message: str
):
    with pytest.raises(InputError, match=re.escape(message)):
        call()


def test_a_system_that_is_not_in_a_run_is_answered_with_those_that_are():
    with pytest.raises(KeyError, match="no system 'x'; there are 's'"):
        _run().systems["x"]


def test_results_and_skipped_rows_propose_calls_not_commands():
    rows = [{"item_id": f"i{n}", "judge": "a", "score": 1.0} for n in range(9)]
    assert "`fd.plan_labels(table, draw=50)`" in str(fd.estimate(rows))
    skipped = fd.read(
        [{"question": "a", "answer": "b", "grade": literal} for literal in ("good", "maybe")]
    ).skipped
    assert "map_label={'maybe': '?'} (1 for pass, 0 for fail, None for no grade)" in skipped[0].reason


def test_help_shows_no_default_name_of_a_call():
    assert str(inspect.signature(fd.ToolCall).parameters["name"]).endswith("= <required>")


def test_one_run_or_endpoint_needs_no_list():
    with pytest.raises(fd.FiducialError, match="missing: not a run folder"):
        fd.merge("missing")
    judge = untyped.judge("rubric", model="m", endpoints=f"{SERVER},weight=2")
    assert judge.access.endpoint is None or judge.access.endpoint.base_url == SERVER


@pytest.mark.usefixtures("typed_options")
def test_ends_too_far_apart_are_named_by_the_typed_option():
    with pytest.raises(UsageError, match=r"^--label-scale expects grades at a finite distance"):
        fd.calibrate(ROWS, label_scale=(-1e308, 1e308))
