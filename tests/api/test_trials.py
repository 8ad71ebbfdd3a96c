from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from command import fiducial

import fiducial as fd
from fiducial.errors import InputError, UsageError


def cases(count: int) -> list[dict[str, Any]]:
    return [
        {
            "id": f"c{number}",
            "kind": "tool_call",
            "messages": [{"role": "user", "content": "Rome, please."}],
            "tools": [
                {"name": "go", "parameters": {"type": "object", "properties": {"city": {"type": "string"}}}}
            ],
            "reference": {"calls": [{"name": "go", "arguments": {"city": "Rome"}}]},
        }
        for number in range(count)
    ]


def outputs(passes: list[list[int]]) -> list[dict[str, Any]]:
    return [
        {
            "case_id": f"c{case}",
            "system": "bot",
            "trial": trial,
            "tool_calls": [{"name": "go", "arguments": {"city": "Rome" if passed else "Oslo"}}],
        }
        for case, each in enumerate(passes)
        for trial, passed in enumerate(each)
    ]


PASSES = [[1, 1, 1, 0], [1, 0, 0, 0], [1, 1, 1, 1], [0, 0, 0, 0], [1, 1, 0, 0]]


def test_a_checked_run_has_both_rates_by_case():
    run = fd.evaluate(cases(5), outputs(PASSES))
    found = fd.trials(run, (1, 2, 4))["bot"]
    assert (found.cases, found.trials, found.ungraded, found.judged) == (5, 20, 0, 0)
    assert not found.corrected
    assert found.rates["pass^k"][2].value == pytest.approx((0.5 + 0 + 1 + 0 + 1 / 6) / 5)
    assert found.rates["pass@k"][4].value == pytest.approx(4 / 5)
    assert found.rates["pass^k"][1].value == pytest.approx(10 / 20)


def test_the_answer_is_of_the_most_trials_that_cases_have():
    run = fd.evaluate(cases(2), outputs([[1, 1, 1], [0, 1, 1]]))
    first, *rest = str(fd.trials(run, (1, 2, 8))).splitlines()
    assert first.startswith("bot: 2 of 2 trials pass in ")
    assert not [line for line in [first, *rest] if "undefined" in line]
    assert [line.split() for line in rest if line.startswith("  8")] == [["8", "-", "-", "0"]]
    assert str(fd.trials(run, (1,))).startswith("bot: 1 of 1 trial passes in ")
    assert str(fd.trials(run, (8,))).startswith("bot: no case has enough graded trials for these k.")


def test_the_answer_stands_first_with_its_cases():
    found = fd.trials(fd.evaluate(cases(5), outputs(PASSES)), (1, 4))
    first = str(found).splitlines()[0]
    assert first.startswith("bot: 4 of 4 trials pass in 0.200 [")
    assert first.endswith("of 5 cases, by checkers.")


def test_a_table_of_cases_and_trials_needs_no_names(tmp_path: Path):
    table = tmp_path / "tries.csv"
    rows = [f"{case},{trial},{each}" for case, tries in enumerate(PASSES) for trial, each in enumerate(tries)]
    table.write_text("\n".join(["case,trial,passed", *rows]))
    told = fiducial("trials", table, "--json")
    (found,) = json.loads(told.out)["systems"].values()
    assert found["rates"]["pass^k"]["4"]["value"] == pytest.approx(0.2)
    assert "item_id is 'case'; score is 'passed'; no label\n" in told.err


def test_a_table_with_labels_is_corrected():
    rows = [
        {"item_id": f"c{case}", "trial": trial, "judge": "j", "score": float(passed), "label": float(passed)}
        for case, each in enumerate(PASSES * 3)
        for trial, passed in enumerate(each)
    ]
    found = fd.trials(rows, (2,))["all"]
    assert found.corrected
    assert (found.tpr, found.fpr, found.labels) == (1.0, 0.0, 60)
    assert found.rates["pass^k"][2].value == pytest.approx(found.uncorrected["pass^k"][2].value)


@pytest.mark.parametrize("to", ["csv", "parquet"])
def test_an_exported_run_has_the_rates_of_the_run(to: str, tmp_path: Path):
    run = fd.evaluate(cases(5), outputs(PASSES), out=tmp_path / "run")
    fd.export(run, to, tmp_path / f"rows.{to}")
    assert str(fd.trials(tmp_path / f"rows.{to}", (1, 4))) == str(fd.trials(run, (1, 4)))


def test_a_judge_without_labels_is_marked_uncorrected():
    rows = [
        {"item_id": f"c{case}", "trial": trial, "judge": "j", "score": float(passed)}
        for case, each in enumerate(PASSES)
        for trial, passed in enumerate(each)
    ]
    assert "uncorrected: no labels" in str(fd.trials(rows, (2,)))


def test_cases_tried_once_are_an_error_that_says_how_to_try_more():
    with pytest.raises(InputError, match=r"every case has one trial.*trials=N"):
        fd.trials(fd.evaluate(cases(2), outputs([[1], [0]])))


def test_trials_of_which_none_is_graded_are_an_error_that_says_so():
    rows = [{"item_id": "a", "trial": trial, "judge": "j", "score": None} for trial in range(3)]
    with pytest.raises(InputError, match="none of 3 trials is graded"):
        fd.trials(rows)


def test_a_table_without_trials_names_the_column_to_map():
    with pytest.raises(InputError, match="no column `trial`; name it with"):
        fd.trials([{"item_id": "a", "judge": "j", "score": 1.0}])


@pytest.mark.parametrize("ks", [(), (0,), (1_001,)])
def test_k_is_a_number_of_trials(ks: tuple[int, ...]):
    with pytest.raises(UsageError, match="expected numbers from 1 to 1,000"):
        fd.trials([{"item_id": "a", "trial": 1, "judge": "j", "score": 1.0}], ks)


def test_the_command_prints_the_rates_of_a_run_and_writes_them(tmp_path: Path):
    from click.testing import CliRunner

    from fiducial.cli.trials import command as trials

    fd.evaluate(cases(5), outputs(PASSES), out=tmp_path / "run")
    done = CliRunner().invoke(
        trials,
        [
            str(tmp_path / "run"),
            "--k",
            "1,4",
            "--json",
            str(tmp_path / "t.json"),
            "--html",
            str(tmp_path / "t.html"),
        ],
        standalone_mode=False,
    )
    assert done.exception is None
    assert "bot" in done.output
    page = (tmp_path / "t.html").read_text("utf-8")
    assert "bot: 4 of 4 trials pass in 0.200" in page
    assert "pass@4" in page
    assert "<figure" in page
    written = json.loads((tmp_path / "t.json").read_text())
    assert written["systems"]["bot"]["rates"]["pass^k"]["4"]["value"] == pytest.approx(0.2)


@pytest.mark.parametrize(
    ("passes", "ks"),
    [
        ([[1, 1, 0]] * 5, [1, 2, 3]),
        ([[1, 1, 0]] * 3 + [[1] * 9, [1, 1]], [1, 2]),
        ([[1] * 8] * 5, [1, 2, 4, 8]),
        ([[1, 0], [0], [1], [1], [1]], [1]),
    ],
)
def test_by_default_k_goes_up_to_the_smallest_number_of_graded_trials(passes: list[list[int]], ks: list[int]):
    run = fd.evaluate(cases(5), outputs(passes))
    assert list(fd.trials(run)["bot"].rates["pass^k"]) == ks


def test_trials_of_an_agent_are_generated_before_they_are_evaluated():
    with pytest.raises(UsageError, match=r"outputs=fd\.generate\(CASES, AGENT, trials=N\)"):
        fd.evaluate(cases(1), lambda case: "x", trials=5)  # pyright: ignore[reportCallIssue]


def test_a_gate_on_pass_to_the_k_fails_with_the_value_of_the_system(tmp_path: Path):
    fd.evaluate(cases(5), outputs(PASSES), out=tmp_path / "run")
    held = fiducial("trials", tmp_path / "run", "--fail-under", "pass@2=0.6")
    failed = fiducial("trials", tmp_path / "run", "--fail-under", "pass^2=0.5", "--fail-under", "pass^9=0.1")
    assert (held.code, failed.code) == (0, 1)
    assert "gate failed: bot: pass^2 0.3333 [" in failed.err
    assert "gate failed: bot: pass^9 is undefined (no case has 9 graded trials)" in failed.err
    assert f"`fiducial gate {tmp_path / 'run'} --min pass^2=0.5`" in failed.err
    misspelt = fiducial("trials", tmp_path / "run", "--fail-under", "pass2=0.5")
    assert (misspelt.code, "there are pass^4, pass@4" in misspelt.err) == (2, True)


def test_a_rate_that_leaves_out_cases_with_few_trials_is_not_gated(tmp_path: Path):
    run = fd.evaluate(cases(5), outputs([[1, 1, 1, 1], [1, 1, 1, 1], [0], [0], [0]]), out=tmp_path / "run")
    rates = fd.trials(run, (1, 4))["bot"].rates["pass^k"]
    assert [(rate.value, rate.n, rate.left_out) for rate in rates.values()] == [
        (pytest.approx(0.4), 5, 0),
        (1.0, 2, 3),
    ]
    told = fiducial("trials", tmp_path / "run", "--fail-under", "pass^4=0.5", "--fail-under", "pass^1=0.3")
    assert (told.code, told.err.count("gate failed")) == (1, 1)
    assert "bot: pass^4 1.0000 is not gated: 3 of 5 cases have too few graded trials" in told.err
    with pytest.raises(AssertionError, match="3 of 5 cases have too few graded trials"):
        fd.assert_rate(rates[4], 0.1)


def test_labels_of_a_table_name_the_trial_they_belong_to(tmp_path: Path):
    trials = tmp_path / "trials.csv"
    trials.write_text(
        "item_id,trial,score\n" + "".join(f"i{n},{t},{n % 2}\n" for n in range(8) for t in (0, 1))
    )
    labels = tmp_path / "labels.csv"
    labels.write_text("id,trial,label\n" + "".join(f"i{n},1,{n % 2}\n" for n in range(8)))
    found = fd.trials(trials, labels=labels)["all"]
    assert (found.corrected, found.labels) == (True, 8)


def test_a_label_without_a_trial_is_refused_where_an_item_has_several(tmp_path: Path):
    trials, labels = tmp_path / "trials.csv", tmp_path / "labels.csv"
    trials.write_text("item_id,trial,score\na,0,1\na,1,0\n")
    labels.write_text("id,label\na,1\n")
    with pytest.raises(InputError, match=r"labels\.csv:2: id: the label of 'a' names no trial"):
        fd.trials(trials, labels=labels)
