"""Comparison of two runs, and runs over time, as a user types them.

Judges answer over loopback.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, Protocol

import pytest
from command import fiducial
from html_page import Page
from provider_server import ProviderServer, Seen, Status, in_the_form_asked_for

import fiducial as fd
from fiducial.calibration import compare, table_from_rows
from fiducial.calibration.statistic import Statistic
from fiducial.errors import InputError, RunFolderError
from fiducial.evaluation.past_runs.history import History, PastRun
from fiducial.records import write_records
from fiducial.report.document import as_lines
from fiducial.report.text.history_screen import main_part

HOSTILE = "</td><script>alert(1)</script>|\n# @octocat [x](http://evil.example) ![](//y) `a` <!-- #1"
TOOL = {
    "type": "function",
    "function": {"name": "book", "description": "", "parameters": {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}},
}  # fmt: skip


def cases(number: int = 30, *, named: Callable[[int], str] = lambda n: f"c{n:02}") -> list[fd.Case]:
    """Calls that a checker decides, and every third an open answer."""
    return [
        fd.Case(
            id=named(n),
            kind="open_answer" if n % 3 == 2 else "tool_call",
            messages=[{"role": "user", "content": f"Number {n}."}],
            tools=[] if n % 3 == 2 else [TOOL],
            reference={"criterion": "It is right."} if n % 3 == 2 else {"calls": [{"name": "book", "arguments": {"city": "Rome"}}]},
        )
        for n in range(number)
    ]  # fmt: skip


def outputs(asked: list[fd.Case], right: Callable[[int], bool], system: str = "me") -> list[fd.Output]:
    made = [fd.ToolCall(name="book", arguments={"city": city}) for city in ("Oslo", "Rome")]
    return [
        fd.Output(case_id=case.id, system=system, text=f"It is {'right' if right(n) else 'bad'} {n}.")
        if case.kind == "open_answer"
        else fd.Output(case_id=case.id, system=system, tool_calls=[made[right(n)]])
        for n, case in enumerate(asked)
    ]


class MakeRun(Protocol):
    """Makes a run in a folder of this name, of outputs that are right where that is said."""

    def __call__(
        self,
        name: str,
        right: Callable[[int], bool],
        *,
        judge_says: Callable[[Seen], bool | None] = ...,
        judge: str = ...,
        model: str = ...,
        asked: list[fd.Case] | None = ...,
        system: str = ...,
        **more: Any,
    ) -> fd.Run: ...


def seems_right(seen: Seen) -> bool:
    return "It is right" in seen.messages[-1]["content"]


@pytest.fixture
def run(server: ProviderServer, tmp_path: Path) -> MakeRun:
    """A run whose judge passes what says that it is right; None is a refused request."""

    def make(
        name: str,
        right: Callable[[int], bool],
        *,
        judge_says: Callable[[Seen], bool | None] = seems_right,
        judge: str = "rubric/direct",
        model: str = "m",
        asked: list[fd.Case] | None = None,
        system: str = "me",
        **more: Any,
    ) -> fd.Run:
        reply = in_the_form_asked_for(lambda seen: int(bool(judge_says(seen))))
        server.script = lambda seen: Status(400) if judge_says(seen) is None else reply(seen)
        made = fd.judge(judge, model=model, base_url=server.base_url, api_key="k", cache=False)
        given = cases() if asked is None else asked
        produced = outputs(given, right, system)
        return fd.evaluate(given, produced, judges=[made], out=tmp_path / name, judge_on="all", **more)

    return make


def answered_right(seen: Seen) -> bool:
    return "It is right " in seen.text


def test_what_broke_and_what_got_better_is_listed(run: MakeRun):
    before = run("before", lambda n: n % 2 == 0, judge_says=answered_right)
    after = run("after", lambda n: (n % 2 == 0 and n != 4) or n in {1, 5}, judge_says=answered_right)
    found = fd.diff(before, after)
    assert (found.outputs, found.only_before, found.only_after, found.not_compared) == (30, 0, 0, 0)
    assert [verdict.case_id for verdict in found.broke] == ["c04"]
    assert [verdict.case_id for verdict in found.better] == ["c01", "c05"]
    assert [verdict.by for verdict in found.better] == ["ast/strict", "rubric/direct@m"]
    assert found.broke[0].error_type == "value_error:string"
    assert (found.graded_otherwise, [changed.what for changed in found.changed]) == ([], ["outputs"])


def test_a_shard_of_cases_that_changed_is_named_as_cases(tmp_path: Path):
    asked = cases(4)
    runs: list[fd.Run] = []
    for name in ("before", "after"):
        folder = tmp_path / f"{name}-cases"
        folder.mkdir()
        second = [cases(4)[2:], [*cases(4)[2:], *cases(5)[4:]]][name == "after"]
        write_records(folder / "1.jsonl", asked[:2])
        write_records(folder / "2.jsonl", second)
        produced = outputs(asked, lambda _: True)
        runs.append(fd.evaluate(folder, produced, out=tmp_path / name, progress=False))
    assert [changed.what for changed in fd.diff(*runs).changed] == ["cases 2"]


def test_the_difference_is_that_of_a_paired_comparison_of_the_same_rows(run: MakeRun):

    def first(n: int) -> bool:
        return n % 2 == 0

    def second(n: int) -> bool:
        return n % 5 != 0

    found = fd.diff(
        run("before", first, judge_says=answered_right), run("after", second, judge_says=answered_right)
    )
    rows = [
        {
            "item_id": f"c{n:02}",
            "judge": "checker",
            "system": name,
            "score": float(right(n)),
            "checker_score": float(right(n)),
        }
        for name, right in (("before", first), ("after", second))
        for n in range(30)
        if n % 3 != 2
    ]
    expected = compare(table_from_rows(rows), by="system", against="after").strata
    assert expected is not None
    (pair,), (wanted,) = found.systems["me"].decided.pairs, expected.decided.pairs
    assert (pair.a, pair.b, pair.n) == ("after", "before", 20)
    assert (pair.difference, pair.p) == (wanted.difference, wanted.p)


def test_one_system_each_is_compared_whatever_its_name(run: MakeRun):
    found = fd.diff(run("before", lambda n: True, system="v1"), run("after", lambda n: n != 0, system="v2"))
    assert [(verdict.case_id, verdict.system) for verdict in found.broke] == [("c00", "v2")]


def test_outputs_that_one_has_alone_are_counted(run: MakeRun):
    found = fd.diff(run("before", lambda n: True), run("after", lambda n: True, asked=cases(24)))
    assert (found.outputs, found.only_before, found.only_after) == (24, 6, 0)


def test_outputs_that_only_a_baseline_graded_are_said_to_be(run: MakeRun):
    before, after = (
        run(name, lambda n: True, judge="rubric", model="baseline", asked=cases(6))
        for name in ("before", "after")
    )
    found = fd.diff(before, after)
    assert (found.not_compared, found.only_baseline) == (2, 2)
    judged = fd.diff(before, run("judged", lambda n: True, asked=cases(6)))
    assert (judged.not_compared, judged.only_baseline) == (2, 0)
    # Each output is in one count alone.
    lines = [line for line in str(found).splitlines() if "not compared" in line or "no judge" in line]
    assert len(lines) == 1


def test_what_other_judges_said_is_not_compared_and_the_change_is_told(run: MakeRun):
    found = fd.diff(run("before", lambda n: True), run("after", lambda n: True, model="other", rules="bfcl"))
    assert found.not_compared == 10
    changed = {each.what: (each.before, each.after) for each in found.changed}
    assert changed["checkers' rules"] == ("strict", "bfcl")
    assert changed["judge rubric/direct@m"][1] == changed["judge rubric/direct@other"][0] == ""
    assert "cases" not in changed


def test_regressions_are_counted_among_the_outputs_that_are_compared(run: MakeRun):
    found = fd.diff(run("before", lambda _: True), run("after", lambda _: True, judge="rubric/reasons"))
    told = " ".join("\n".join(as_lines(found.screen())).split())
    assert "0 fixes (fail to pass) among 20 compared outputs." in told
    assert "10 outputs without a common checker or judge: not compared" in told
    assert "judge rubric/direct@m fingerprint" in told


@pytest.mark.parametrize(("name", "has_interval"), [("me", True), ("a-system-of-a-long-name", False)])
def test_the_earlier_rate_has_its_interval_where_there_is_room(
    run: MakeRun, name: str, *, has_interval: bool
):
    before, after = (run(literal, lambda n: n > 5, system=name) for literal in ("before", "after"))
    (row,) = [
        line for line in as_lines(fd.diff(before, after).screen(), width=80) if line.startswith(f"{name} ")
    ]
    assert row.count("[") == 2 + has_interval
    assert len(row) <= 80


def test_a_score_in_one_of_them_only_is_told(run: MakeRun):
    asked = cases()
    before = run("before", lambda n: True, judge_says=answered_right)
    after = run(
        "after",
        lambda n: True,
        judge_says=lambda seen: None if "Number 2." in seen.text else True,
        asked=asked,
    )
    (found,) = fd.diff(before, after).graded_otherwise
    assert (found.case_id, found.before, found.after) == ("c02", "pass", "failed")


def test_the_same_run_twice_differs_in_nothing(run: MakeRun):
    before = run("before", lambda n: n % 2 == 0)
    found = fd.diff(before, before)
    assert (found.broke, found.better, found.changed) == ([], [], [])
    assert "Data, rules, judges, prompts, models and versions are the same" in str(found)


def test_runs_without_a_common_output_are_refused(run: MakeRun):
    before, after = (
        run("before", lambda n: True),
        run("after", lambda n: True, asked=cases(named=lambda n: f"d{n}")),
    )
    with pytest.raises(InputError, match="no output in common"):
        fd.diff(before, after)


def test_two_runs_of_one_system_compared_by_system_are_sent_to_the_command_for_them(run: MakeRun):
    before, after = (str(run(name, lambda n: n != 1).folder) for name in ("before", "after"))
    two = fiducial("compare", before, after, "--by", "system")
    assert two.code == 2
    assert f"; `fiducial report {before} {after}` compares two runs of one system" in two.err
    one = fiducial("compare", before, "--by", "system")
    assert (one.code, "`fiducial report RUN1 RUN2` compares two runs of one system" in one.err) == (2, True)
    same = fiducial("compare", before, before, "--by", "system")
    assert (same.code, "fiducial report" in same.err) == (2, False)


def test_a_run_that_was_changed_by_hand_is_refused(run: MakeRun):
    before = run("before", lambda n: True)
    assert before.folder is not None
    path = before.folder / "verdicts.jsonl"
    path.write_text(path.read_text().replace('"score":1.0', '"score":0.0', 1))
    with pytest.raises(RunFolderError, match="changed by hand"):
        fd.diff(before, before)


def test_the_difference_is_shown_on_a_terminal_as_json_as_markdown_and_as_a_page(
    run: MakeRun, tmp_path: Path
):
    before, after = run("before", lambda n: n != 1), run("after", lambda n: n != 0)
    page = tmp_path / "difference.html"
    shown = fiducial("report", tmp_path / "before", tmp_path / "after", "--html", page, "-v")
    assert (shown.code, shown.err) == (0, "")
    assert "1 regression (pass to fail)\n  case  system  by          verdict" in shown.out
    assert "wrong text value (value_error:string)" in shown.out
    written = json.loads(fiducial("report", tmp_path / "before", tmp_path / "after", "--json", "-").out)
    assert written == fd.diff(before, after).to_dict()
    assert [each["case_id"] for each in written["broke"]] == ["c00"]
    assert json.loads(fiducial("report", tmp_path / "before", tmp_path / "after", "--json").out) == written
    markdown = fiducial("report", tmp_path / "before", tmp_path / "after", "--markdown").out
    assert "| c00 | me | ast/strict | pass -&gt; fail |" in markdown
    text = Page(page.read_text("utf-8"))
    assert "1 fix (fail to pass)" in text.text()
    assert not text.of("script")
    frame = fd.diff(before, after).to_frame()
    assert list(frame["what"]) == ["broke", "better"]
    unchanged = fd.diff(before, before).to_frame()
    assert (len(unchanged), list(unchanged.columns)) == (0, list(frame.columns))


def test_one_run_is_a_summary_for_a_pull_request(run: MakeRun, tmp_path: Path):
    run("before", lambda n: n != 1)
    told = fiducial("report", tmp_path / "before", "--markdown")
    assert (told.code, told.err) == (0, "")
    assert told.out.startswith("me: 0.97")
    assert "| pass rate | n | ungraded |" in told.out
    assert not (tmp_path / "before" / "elsewhere.html").exists()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["before", "--json", "-"], "two runs"),
        (["before", "before", "--all-texts"], "one run"),
        (["before", "before", "--items", "3"], "one run"),
        (["nowhere"], "no such folder"),
    ],
)
def test_options_that_make_no_sense_are_refused(
    run: MakeRun, tmp_path: Path, options: list[str], message: str
):
    run("before", lambda n: True)
    told = fiducial(
        "report", *(tmp_path / option if option in {"before", "nowhere"} else option for option in options)
    )
    assert (told.code, told.out) == (2, "")
    assert message in told.err


@pytest.mark.attack("terminal and report")
def test_hostile_names_stay_text_in_every_form(run: MakeRun, tmp_path: Path):
    asked = cases(named=lambda n: f"{HOSTILE}{n}")
    before = run("before", lambda n: True, asked=asked, system=HOSTILE)
    after = run("after", lambda n: n > 5, asked=asked, system=HOSTILE)
    found = fd.diff(before, after)
    assert len(found.broke) == 4
    page = Page(found.report(tmp_path / "d.html").read_text("utf-8"))
    assert not page.of("script")
    assert "<script>alert(1)</script>" in page.text()
    assert "\n#" not in str(found)
    for markdown in (found.to_markdown(), before.to_markdown(), fd.history(tmp_path).to_markdown()):
        assert "<script" not in markdown
        assert "@octocat" not in markdown
        assert "[x](" not in markdown
        assert "http://evil" not in markdown
        assert not [line for line in markdown.splitlines() if line.startswith("#")]


def test_rates_over_time_are_of_one_part_of_the_outputs():
    rate = Statistic(value=0.5, method="", n=4, low=0.1, high=0.9)
    parts = [{"checkers decided": rate, "all outputs": rate}, {"checkers decided": rate}]
    runs = [
        PastRun(name=str(n), ended="", systems={"me": rates}, accuracy={}) for n, rates in enumerate(parts)
    ]
    assert main_part(History(folder="runs", runs=runs)) == "checkers decided"
    assert main_part(History(folder="runs", runs=runs[:1])) == "all outputs"


def test_runs_stand_in_the_order_in_which_they_ended(run: MakeRun, tmp_path: Path):
    for name, wrong in (("b", 3), ("a", 0)):
        run(name, wrong.__le__)
    manifest = tmp_path / "b" / "run.json"
    written = json.loads(manifest.read_text())
    manifest.write_text(json.dumps(written | {"ended": "2020-01-01T00:00:00+00:00"}))
    (tmp_path / "junk").mkdir()
    found = fd.history(tmp_path)
    assert [past_run.name for past_run in found.runs] == ["b", "a"]
    assert found.runs[0].changed == []
    assert [changed.what for changed in found.runs[1].changed] == ["outputs"]
    assert list(found.passed_over) == ["junk"]
    rates = [past_run.systems["me"]["checkers decided"] for past_run in found.runs]
    assert [round(rate.value or 0, 2) for rate in rates] == [0.9, 1.0]
    assert [rate.n for rate in rates] == [20, 20]
    assert found.drifts == []
    told = fiducial("history", tmp_path, "--html", tmp_path / "h.html", "-v")
    assert told.code == 0
    assert "2 runs in" in told.out
    assert "junk is skipped" in told.out
    assert (tmp_path / "h.html").read_text("utf-8").count('class="trend"') == 3
    assert fiducial("history", tmp_path, "--markdown").out.count("<details>") == 1
    assert json.loads(fiducial("history", tmp_path, "--json", "-").out)["runs"][1]["name"] == "a"


def labels(asked: list[fd.Case], right: Callable[[int], bool]) -> list[fd.Verdict]:
    return [
        fd.Verdict(
            case_id=case.id, system="me", by="ann", source="human", outcome="graded", score=float(right(n))
        )
        for n, case in enumerate(asked)
    ]


def test_a_judge_that_is_right_less_often_on_the_same_outputs_has_drifted(run: MakeRun, tmp_path: Path):
    def right(n: int) -> bool:
        return n % 2 == 0

    asked = cases(60)
    said: dict[str, Callable[[Seen], bool]] = {
        "one": answered_right, "two": answered_right, "three": lambda seen: not answered_right(seen)
    }  # fmt: skip
    for name, judge_says in said.items():
        run(name, right, asked=asked, labels=labels(asked, right), judge_says=judge_says)
    found = fd.history(tmp_path)
    (drift,) = found.drifts
    assert (drift.judge, drift.since, drift.run, drift.n) == ("rubric/direct@m", "one", "three", 20)
    assert drift.p <= drift.level
    assert "rubric/direct@m drifted: in three it is right less often than in one" in str(found)
    assert "drifted: 0.00" in found.to_markdown()


def test_damaged_runs_are_named_and_skipped(run: MakeRun, tmp_path: Path):
    asked = cases(30)
    for name in ("one", "two"):
        run(name, lambda n: True, asked=asked, labels=labels(asked, lambda n: n % 2 == 0))
    (tmp_path / "two" / "calibration.json").write_text("no JSON")
    found = fd.history(tmp_path)
    assert [past_run.name for past_run in found.runs] == ["one"]
    assert "two/calibration.json: not JSON" in found.passed_over["two"]
    assert "1 folder skipped: two" in fiducial("history", tmp_path).out
    assert "two is skipped:" in fiducial("history", tmp_path, "-v").out


def test_runs_that_were_edited_are_refused(run: MakeRun, tmp_path: Path):
    asked = cases(30)
    for name in ("one", "two"):
        run(name, lambda n: True, asked=asked, labels=labels(asked, lambda n: n % 2 == 0))
    verdicts = tmp_path / "two" / "verdicts.jsonl"
    verdicts.write_text(verdicts.read_text().replace('"score":1.0', '"score":0.0', 1))
    with pytest.raises(fd.errors.RunFolderError, match=r"two/verdicts\.jsonl:\d+-?\d*: changed by hand"):
        fd.history(tmp_path)


def test_without_drift_it_is_said_on_how_many_outputs_judges_were_asked_again(run: MakeRun, tmp_path: Path):
    for name in ("one", "two"):
        run(name, lambda n: True, labels=labels(cases(), lambda n: True), judge_says=lambda seen: True)
    found = fd.history(tmp_path)
    assert (found.drifts, found.rejudged) == ([], {"rubric/direct@m": 10})
    assert "No judge drift on 10 re-judged labelled outputs of 1 judge." in str(found)


def test_where_no_judge_was_asked_again_its_drift_is_unknown(run: MakeRun, tmp_path: Path):
    run("one", lambda n: True, judge_says=lambda seen: True)
    run("two", lambda n: True, judge="rubric/reasons", judge_says=lambda seen: True)
    told = str(fd.history(tmp_path))
    assert "Judge drift is unknown: no judge graded labelled outputs again." in told
    assert "No judge drift" not in told


def test_a_judge_that_was_changed_has_not_drifted(run: MakeRun, tmp_path: Path):
    run("one", lambda n: True, judge_says=lambda seen: True)
    run("two", lambda n: True, judge="rubric/reasons", judge_says=lambda seen: False)
    found = fd.history(tmp_path)
    assert found.drifts == []
    assert [changed.what for changed in found.runs[1].changed] == [
        "judge rubric/direct@m",
        "judge rubric/reasons@m",
    ]


def test_a_folder_without_runs_is_refused(tmp_path: Path):
    told = fiducial("history", tmp_path)
    assert (told.code, told.out) == (2, "")
    assert "no finished run" in told.err
    assert "no such folder" in fiducial("history", tmp_path / "nowhere").err


def test_rates_are_those_of_the_run_also_where_a_judge_declares_its_threshold(demo_runs: Path):
    run = fd.load_run(demo_runs / "demo")
    compared = fd.compare(run, by="system").strata
    assert compared is not None
    wanted = [compared.decided, compared.open, compared.all]
    for system, strata in fd.diff(run, run).systems.items():
        for part, of_run in zip([strata.decided, strata.open, strata.all], wanted, strict=True):
            assert [rate.value for rate in part.rates.values()] == [of_run.rates[system].value] * 2


CALLS = [{"name": "book", "arguments": {"city": city}} for city in ("Oslo", "Rome")]


def tried(passes: dict[str, list[int]]) -> list[dict[str, Any]]:
    return [
        {"case_id": case, "system": "me", "trial": trial, "tool_calls": [CALLS[passed]]}
        for case, each in passes.items()
        for trial, passed in enumerate(each)
    ]


def test_trials_of_two_runs_are_compared_by_case_and_not_by_their_numbers():
    asked = cases(2)
    before = fd.evaluate(asked, tried({"c00": [1, 0, 1, 0], "c01": [1, 1, 1, 1]}))
    after = fd.evaluate(asked, tried({"c00": [0, 1, 0, 1], "c01": [1, 0, 0, 0]}))
    found = fd.diff(before, after)
    assert [(case.case_id, case.before, case.after, case.trials) for case in found.repeated] == [
        ("c01", 4, 1, 4),
        ("c00", 2, 2, 4),
    ]
    for shown in (str(found), found.to_markdown()):
        assert "1 case passes less often, 0 more often, of 2 tried several times." in shown
        assert "regression" not in shown
    assert " ".join(str(found).split()).find("c01 me 4 of 4 1 of 4") > 0


def test_cases_tried_once_are_counted_beside_repeated_ones():
    asked = cases(2)
    before = fd.evaluate(asked, tried({"c00": [1, 0], "c01": [1]}))
    after = fd.evaluate(asked, tried({"c00": [0, 1], "c01": [0]}))
    text = str(fd.diff(before, after))
    assert "1 regression (pass to fail)" in text
    assert "0 cases pass less often, 0 more often, of 1 tried several times." in text


def test_labels_of_earlier_answers_that_a_later_run_took_over_are_noted(run: MakeRun):
    def label(n: int, score: float) -> fd.Verdict:
        return fd.Verdict(case_id=f"c{n:02}", system="me", by="ann", source="human", outcome="graded", score=score)  # fmt: skip

    labels = [label(n, 1.0) for n in range(2, 30, 3)]
    before = run("before", lambda _: True, labels=labels)
    after = run("after", lambda n: n not in {2, 5, 8}, labels=labels)
    found = fd.diff(before, after)
    assert found.carried_labels == 3
    assert "3 labelled outputs have another answer in" in " ".join(as_lines(found.screen()))
    labelled = run("labelled", lambda n: n not in {2, 5, 8}, labels=[label(2, 0.0), *labels[1:]])
    assert fd.diff(before, labelled).carried_labels == 0
    assert fd.diff(before, run("same", lambda _: True, labels=labels)).carried_labels == 0


def test_runs_in_memory_have_names_of_their_own_and_show_no_folder_called_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.chdir(tmp_path)
    asked = cases(4)
    before = fd.evaluate(asked, outputs(asked, lambda _: True))
    difference = fd.diff(before, fd.evaluate(asked, outputs(asked, lambda _: False)))
    assert "the later run against the earlier run: 4 outputs in both." in str(difference)
    (tmp_path / "run").mkdir()
    assert difference.report("page.html").exists()
