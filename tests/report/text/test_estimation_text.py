"""The sentence on which rate is estimated, and what it assumes."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

import fiducial as fd
from fiducial.calibration.corrected_rate.estimation_results import RateEstimate, Target
from fiducial.report.document import as_lines
from fiducial.report.text.estimation_screen import estimation_screen
from fiducial.report.text.estimation_text import target_of

ROWS = [
    {
        "item_id": f"i{n}",
        "judge": "mine",
        "score": float(n % 3 > 0),
        "label": float(n % 4 > 0) if n < 60 else None,
    }
    for n in range(120)
]


def part() -> RateEstimate:
    return fd.estimate(ROWS).all


def test_unequal_trials_and_clusters_are_assumptions_of_their_own():
    uneven = msgspec.structs.replace(part(), n_cases=40)
    assert "Numbers of trials may not depend on results." in target_of(uneven)
    rows = [row | {"score": float((n % 4 > 0) != (n % 5 == 0))} for n, row in enumerate(ROWS)]
    clustered = [row | {"cluster": str(n // 2)} for n, row in enumerate(rows)]
    sentences = [target_of(fd.estimate(each, labels_chosen_by="label").all) for each in (clustered, rows)]
    assert ["takes items as independent" in sentence for sentence in sentences] == [True, False]


def test_an_estimate_by_class_that_is_undefined_says_why():
    useless = fd.estimate(ROWS, labels_chosen_by="label").all
    reason = useless.estimates["rogan_gladen"].undefined
    assert reason is not None
    assert reason in target_of(useless)


@pytest.mark.parametrize(
    ("name", "assumption"),
    [
        ("active", "all items that were drawn have labels"),
        ("stratified_ppi", "the labelled items of each stratum are a random sample of it"),
        ("reweighted", "the columns to reweight by alone decided which items have labels"),
    ],
)
def test_an_estimate_for_another_draw_of_labels_says_its_own_assumption(name: str, assumption: str):
    plain = part()
    drawn = msgspec.structs.replace(plain, estimates={name: plain.ppi_plus_plus, **plain.estimates})
    assert target_of(drawn).startswith(f"Pass rate of the population; valid if {assumption}")


@pytest.mark.parametrize(
    ("target", "sentence"),
    [
        ("population", "Pass rate of the population; valid if the labelled items are a random sample of it."),
        (
            "finite",
            "Pass rate of just these items; valid if the labelled ones were drawn from them at random, one by one.",
        ),
    ],
)
def test_an_estimate_from_a_plain_sample_says_that_it_takes_one(target: Target, sentence: str):
    assert target_of(msgspec.structs.replace(part(), target=target)) == sentence


def test_an_estimate_of_undecided_outputs_says_that_it_leaves_out_the_checked_ones():
    estimation = msgspec.structs.replace(fd.estimate(ROWS, labels_chosen_by="random"), undecided_only=True)
    screen = list(as_lines(estimation.screen(), width=None))
    assert "of the undecided outputs pass (120 judged, 60 labelled)" in screen[0]
    assert screen[0].endswith("Checked outputs are not included.")
    assert any(line.startswith("undecided ") for line in screen)
    assert not any(line.startswith("all ") for line in screen)
    full = list(as_lines(estimation.document(), width=None))
    assert "Checked outputs are not included." in full
    assert any(line.startswith("undecided: ") for line in full)
    assert "all" in estimation.to_dict()


def chosen_rows() -> list[dict[str, Any]]:
    """Rows of which labelled ones fail more often."""
    labelled = [n % 3 == 0 or n % 5 == 1 for n in range(len(ROWS))]
    return [row | {"label": float(n % 4 > 0) if labelled[n] else None} for n, row in enumerate(ROWS)]


def test_labels_that_look_chosen_get_a_scenario_for_each_option_and_no_corrected_rate():
    estimation = fd.estimate(chosen_rows())
    screen = list(as_lines(estimation.screen(), width=100))
    assert "pass by the judge alone (120 judged), uncorrected." in screen[0]
    for chosen_by, rate in (estimation.all.scenarios or {}).items():
        (line,) = [line for line in screen if line.endswith(f"--labels-chosen-by {chosen_by}")]
        assert ("-" if rate.value is None else f"{rate.value:.2f}") in line
    assert not any("corrected  " in line.replace("uncorrected  ", "") for line in screen)
    assert "valid if" not in " ".join(screen)
    full = "\n".join(as_lines(estimation.document(), width=None))
    assert "report this one" not in full
    assert full.count("--labels-chosen-by elsewhere") == 1
    found = estimation.to_dict()["all"]
    assert (found["reported"], list(found["scenarios"])) == (None, ["score", "label", "elsewhere"])
    assert found["estimates"]["stratified_ppi"] == found["scenarios"]["score"]


def test_a_declared_choice_is_the_answer():
    declared = fd.estimate(chosen_rows(), labels_chosen_by="score").to_dict()["all"]
    assert (declared["reported"], declared["scenarios"]) == ("stratified_ppi", None)
    assert fd.estimate(ROWS).to_dict()["all"]["reported"] == "ppi_plus_plus"


def test_an_uncorrected_rate_does_not_stand_among_corrected_ones():
    rows = [row | {"system": "golden"} for row in chosen_rows()]
    rows += [row | {"system": "random", "item_id": f"r{row['item_id']}"} for row in ROWS]
    lines = list(as_lines(fd.estimate(rows).screen(), width=100))
    table = next(number for number, line in enumerate(lines) if "corrected  labels" in line)
    (golden,) = [line for line in lines[table:] if line.startswith("golden")]
    assert "[" not in golden


def test_ranks_say_that_they_do_not_pair_the_systems():
    rows = [row | {"system": system} for row in ROWS for system in ("new", "old")]
    lines = list(as_lines(estimation_screen(fd.estimate(rows)), width=100))
    assert "note: ranks ignore that systems answered the same cases; use compare --by system" in lines
    alone = list(as_lines(estimation_screen(fd.estimate(ROWS)), width=100))
    assert not any("ranks" in line for line in alone)


@pytest.mark.parametrize("labelled", [(), ("new",)])
def test_where_no_two_systems_are_ranked_no_rank_is_printed(labelled: tuple[str, ...]):
    rows = [
        row | {"system": system, "label": row["label"] if system in labelled else None}
        for row in ROWS
        for system in ("new", "old")
    ]
    estimation = fd.estimate(rows, labels_chosen_by="random")
    assert all(estimate.rank and estimate.rank.value is None for estimate in estimation.systems.values())
    for lines in (estimation.screen(), estimation.document()):
        assert not any(
            "rank" in line.lower().replace("--labels-chosen-by random", "") for line in as_lines(lines)
        )


def test_the_sentence_that_scenarios_follow_stands_right_above_them():
    lines = list(as_lines(fd.estimate(chosen_rows()).screen(), width=None))
    after = next(n for n, line in enumerate(lines) if line.endswith("say it with an option:")) + 1
    assert lines[after].startswith("if chosen")
    assert "Labels taken as exact." in lines[:after]
