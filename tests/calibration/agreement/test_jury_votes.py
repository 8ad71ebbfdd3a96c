"""Independent votes that a jury is worth: 1 for copies, k for k independent jurors."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from each_row import each_row

from fiducial.calibration import Table, table_from_rows
from fiducial.calibration.agreement.diagnosis_results import JuryVotes
from fiducial.calibration.agreement.jury_votes import effective_votes, votes_of_juries
from fiducial.calibration.arrays import FloatArray
from fiducial.calibration.corrected_rate.estimators import width
from fiducial.calibration.intervals.closed_forms import t_quantile
from fiducial.calibration.statistic import Statistic
from fiducial.calibration.tables.calibration_table import JuryMembers
from fiducial.report.text.agreement_text import jury_lines


def planted(
    n: int, jurors: int, shared: float, *, tpr: float = 0.85, tnr: float = 0.75
) -> tuple[FloatArray, FloatArray]:
    """Return votes whose errors correlate within a class by ``shared``, and labels."""
    rng = np.random.default_rng(jurors)
    right = rng.random(n) < 0.6
    common = rng.random((jurors, n)) < np.sqrt(shared)
    chance = np.where(common, rng.random(n), rng.random((jurors, n)))
    wrong = chance > np.where(right, tpr, tnr)
    return np.where(wrong, ~right, right).astype(np.float64), right.astype(np.float64)


def votes_of(votes: FloatArray, label: FloatArray, weights: list[float] | None = None) -> JuryVotes:
    return effective_votes(votes, weights or [1.0] * len(votes), label, np.arange(len(label)))


def value_of(jury: JuryVotes) -> float:
    assert jury.votes.value is not None, jury.votes.undefined
    return jury.votes.value


@each_row(
    ("jurors", "shared"), [(3, 0.0), (3, 0.4), (3, 1.0), (5, 0.0), (5, 0.2), (5, 1.0), (9, 0.0), (9, 1.0)]
)
def test_the_planted_number_of_independent_votes_is_found(jurors: int, shared: float):
    found = votes_of(*planted(20_000, jurors, shared))
    truth = jurors / (1 + (jurors - 1) * shared)
    assert (found.jurors, found.by) == (jurors, "labels")
    assert value_of(found) == pytest.approx(truth, rel=0.04)
    assert found.votes.low is not None
    assert found.votes.high is not None
    assert found.votes.low - 1e-9 <= truth <= found.votes.high + 1e-9 + 0.02 * truth


def test_jurors_that_all_find_one_class_harder_do_not_look_alike():
    votes, label = planted(20_000, 4, 0.0, tpr=0.97, tnr=0.55)
    assert value_of(votes_of(votes, label)) == pytest.approx(4, rel=0.05)
    errors = votes - label
    assert float(np.corrcoef(errors[0], errors[1]).ravel()[1]) > 0.1


def test_weights_count_as_in_kishs_formula():
    found = votes_of(*planted(20_000, 3, 0.0), weights=[2.0, 1.0, 1.0])
    assert value_of(found) == pytest.approx(16 / 6, rel=0.04)


def test_without_labels_shared_right_answers_count_as_dependence():
    votes, label = planted(5_000, 3, 0.0)
    alone = votes_of(votes, np.full(5_000, np.nan))
    assert alone.by == "agreement"
    assert 1.2 < value_of(alone) < value_of(votes_of(votes, label))
    copies = votes_of(np.tile(votes[0], (3, 1)), np.full(5_000, np.nan))
    assert value_of(copies) == 1.0


def test_copies_with_few_errors_may_still_differ_where_nobody_looked():
    right = np.ones(60)
    wrong = np.where(np.arange(60) < 12, 0.0, 1.0)
    found = votes_of(np.tile(wrong, (3, 1)), right).votes
    assert (found.value, found.low) == (1.0, 1.0)
    assert found.high is not None
    assert found.high > 1.03


@each_row(("labels", "errors", "why"), [(8, 8, "errs on only 8 of 8"), (40, 3, "errs on only 3 of 40")])
def test_few_errors_need_more_labels(labels: int, errors: int, why: str):
    label = np.where(np.arange(50) < labels, 1.0, np.nan)
    votes = np.tile(np.where(np.arange(50) < errors, 0.0, 1.0), (3, 1))
    found = votes_of(votes, label)
    assert found.votes.value is None
    assert why in (found.votes.undefined or "")
    assert "needs more labels" in (found.votes.undefined or "")
    assert "needs more labels" in next(jury_lines({"jury/majority@a+b": found}))


def test_jurors_that_always_say_the_same_add_nothing():
    votes, label = planted(2_000, 3, 0.0)
    votes[1:] = [[1.0], [0.0]]
    found = votes_of(votes, label)
    assert (value_of(found), found.constant) == (1.0, 2)
    none = votes_of(np.ones((3, 2_000)), label)
    assert (none.votes.value, none.constant) == (None, 3)


def test_outputs_without_a_vote_of_each_juror_are_left_out_and_the_rest_counted():
    votes, label = planted(2_000, 3, 0.0)
    votes[0, ::2] = np.nan
    assert votes_of(votes, label).votes.n == 1_000


def test_repeats_of_a_judge_are_jurors_of_a_table():
    votes, label = planted(400, 3, 1.0)
    rows = [
        {"item_id": f"i{n}", "judge": name, "score": votes[n_juror, n], "label": label[n], "repeat": repeat}
        for n in range(400)
        for n_juror, (name, repeat) in enumerate([("a", 0), ("a", 1), ("b", 0)])
    ]
    table = table_from_rows(rows)
    assert votes_of_juries(table) == {}
    juries = {"of both": JuryMembers({"a": 1.0, "b": 1.0}), "of one": JuryMembers({"a": 1.0})}
    found = votes_of_juries(replace(table, juries=juries))
    assert {name: each.jurors for name, each in found.items()} == {"of both": 3, "of one": 2}
    assert {name: value_of(each) for name, each in found.items()} == {"of both": 1.0, "of one": 1.0}


def kish(votes: FloatArray, label: FloatArray, weights: list[float]) -> float:
    """Return the variance of one juror's error over that of their mean, within each class."""
    share, alone, together = np.array(weights) / sum(weights), 0.0, 0.0
    for each in (0.0, 1.0):
        covariance = np.cov(votes[:, label == each], ddof=0) * (label == each).mean()
        alone += float(share @ np.diag(covariance))
        together += float(share @ covariance @ share)
    return alone / together


def test_ends_are_those_of_a_jackknife_over_outputs():
    votes, label = planted(400, 3, 0.3)
    found = votes_of(votes, label).votes
    without = [np.log(kish(np.delete(votes, n, axis=1), np.delete(label, n), [1.0] * 3)) for n in range(400)]
    spread = float(np.std(without)) * np.sqrt(399)
    wrong = (votes != label).mean(axis=0)
    assert found.value is not None
    assert found.low is not None
    assert found.high is not None
    # Student's quantile is that of the outputs with errors: those with many count.
    half = t_quantile(0.95, float(wrong.sum() ** 2 / (wrong**2).sum()) - 1) * spread
    assert np.log([found.value / found.low, found.high / found.value]) == pytest.approx(
        [half, half], rel=0.03
    )


def judged(votes: FloatArray, label: FloatArray, **columns: list[str]) -> Table:
    return table_from_rows(
        {"item_id": f"i{n:03}", "judge": name, "score": score, "label": label[n]}
        | {column: values[n] for column, values in columns.items()}
        for name, scores in zip("abc", votes.tolist(), strict=True)
        for n, score in enumerate(scores)
    )


def of_jury(table: Table, members: JuryMembers) -> Statistic:
    return votes_of_juries(replace(table, juries={"jury": members}))["jury"].votes


EQUAL = JuryMembers(dict.fromkeys("abc", 1.0))


def test_an_output_that_a_cluster_repeats_tells_nothing_new():
    votes, label = planted(150, 3, 0.3)
    once = of_jury(judged(votes, label), EQUAL)
    twice = np.repeat(votes, 2, axis=1), np.repeat(label, 2)
    clustered = of_jury(judged(*twice, cluster=[f"g{n // 2}" for n in range(300)]), EQUAL)
    assert (clustered.value, clustered.low, clustered.high) == pytest.approx(
        (once.value, once.low, once.high)
    )
    apart = of_jury(judged(*twice), EQUAL)
    assert apart.value == pytest.approx(once.value)
    assert width(apart) < 0.8 * width(once)


def test_weights_of_a_jury_are_those_of_its_judges():
    votes, label = planted(300, 3, 0.2)
    table, weights = judged(votes, label), [4.0, 1.0, 1.0]
    found = of_jury(table, JuryMembers(dict(zip("abc", weights, strict=True))))
    assert found.value == pytest.approx(kish(votes, label, weights))
    assert of_jury(table, EQUAL).value == pytest.approx(kish(votes, label, [1.0] * 3))


def test_a_jury_combines_scores_only_if_it_says_so():
    votes, label = planted(300, 3, 0.2)
    sure = np.random.default_rng(1).uniform(0.5, 1.0, votes.shape)
    scores = np.where(votes == 1.0, sure, 1 - sure)
    table = judged(scores, label)
    found = [of_jury(table, EQUAL._replace(by_score=each)).value for each in (False, True)]
    assert found == pytest.approx([kish(array, label, [1.0] * 3) for array in (votes, scores)])
    assert found[0] != pytest.approx(found[1], abs=0.05)
