"""Errors of people who decide: their rate from double decisions, and numbers without them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from each_row import each_row
from known_numbers import value_of
from lazily import Lazily

import fiducial as fd
from fiducial.calibration import Settings, table_from_rows
from fiducial.calibration.agreement.adjudication import adjudicate
from fiducial.calibration.agreement.decider_errors import (
    DecidedCounts,
    decider_errors,
    error_rate,
    found_counts,
    without_errors,
)
from fiducial.calibration.decisions import Decision, Decisions, LabelDecision, drawn_rank
from fiducial.records import Verdict

brentq = Lazily("scipy.optimize").brentq
minimize_scalar = Lazily("scipy.optimize").minimize_scalar


def two(first: LabelDecision, second: LabelDecision) -> tuple[Decision, ...]:
    return Decision("ann", first), Decision("bob", second)


@pytest.mark.parametrize("apart", [0.0, 0.01, 0.095, 0.3])
def test_two_who_differ_on_a_share_each_err_at_the_root_of_their_disagreement(apart: float) -> None:
    def too_many(error: float) -> float:
        return 2 * error * (1 - error) - apart

    root = brentq(too_many, 0, 0.5)
    assert float(error_rate(np.array(apart))) == pytest.approx(root, abs=1e-6)


def test_the_rate_of_errors_is_that_of_outputs_both_could_decide() -> None:
    said = [two("right", "right")] * 18 + [two("right", "wrong")] * 2 + [two("wrong", "undecidable")] * 5
    found = decider_errors([*said, (Decision("ann", "right"),)])
    assert found == (18, 2)
    assert found is not None
    statistic = found.statistic(0.95)
    assert (value_of(statistic), statistic.n) == (pytest.approx((1 - 0.8**0.5) / 2), 20)


def test_a_third_person_who_is_asked_because_two_differ_does_not_count() -> None:
    third: list[LabelDecision] = ["right", "wrong", "undecidable"]
    said = [two("right", "right")] * 18 + [
        (*two("right", "wrong"), Decision("cyd", decision)) for decision in third
    ]
    assert decider_errors(said) == (18, 3)


@pytest.mark.parametrize(("alike", "apart"), [(18, 1), (12, 10)])
def test_too_few_outputs_of_two_or_too_little_agreement_tell_no_rate(alike: int, apart: int) -> None:
    assert decider_errors([two("right", "right")] * alike + [two("right", "wrong")] * apart) is None


@each_row("right", [0.0, 0.4, 0.97, 1.0])
@each_row("error", [0.0, 0.05, 0.2])
def test_expected_counts_give_back_the_share_that_was_planted(right: float, error: float) -> None:
    once = right * (1 - error) + (1 - right) * error
    both, neither = (
        right * (1 - error) ** 2 + (1 - right) * error**2,
        right * error**2 + (1 - right) * (1 - error) ** 2,
    )
    counts = DecidedCounts(
        np.ones((2, 2, 2)),
        np.full((2, 2, 2), [60 * (1 - once), 60 * once]),
        np.full((2, 2, 2), [40 * neither, 40 * both]),
    )
    no, yes, weight = found_counts(counts, error)
    assert without_errors(yes / (yes + no), np.array(error), weight) == pytest.approx(
        np.full((2, 2), right), abs=1e-6
    )


def test_a_share_is_near_its_largest_likelihood() -> None:
    once, twice, error = (6, 34), (4, 30), 0.08
    counts = DecidedCounts(np.ones((2, 2, 2)), np.full((2, 2, 2), once), np.full((2, 2, 2), twice))
    no, yes, weight = found_counts(counts, error)
    found = without_errors(yes / (yes + no), np.array(error), weight)[0, 0]
    of_two = error**2 / (error**2 + (1 - error) ** 2)

    def unlikely(t: float) -> float:
        q, s = t * (1 - error) + (1 - t) * error, t * (1 - of_two) + (1 - t) * of_two
        return -float(np.log([1 - q, q]) @ once + np.log([1 - s, s]) @ twice)

    assert found == pytest.approx(
        minimize_scalar(unlikely, bounds=(0.01, 0.99), method="bounded").x, abs=5e-3
    )


def test_second_decisions_correct_numbers_for_errors_and_a_single_person_changes_nothing() -> None:
    rng = np.random.default_rng(3)
    seen: list[tuple[float, float]] = []
    for _ in range(30):
        truth = rng.random(400) < 0.6
        label, score = (np.where(rng.random(400) < 0.08, ~truth, truth) for _ in range(2))
        agree = sorted(np.flatnonzero(label == score).tolist(), key=lambda n: drawn_rank(f"i{n}", 0))
        looked = [*np.flatnonzero(label != score).tolist(), *agree[:150]]
        table = table_from_rows(
            {"item_id": f"i{n}", "judge": "j", "label": float(label[n]), "score": float(score[n])}
            for n in range(400)
        )

        def decided(by: str, n: int, right: np.ndarray = truth) -> Decision:
            return Decision(by, "right" if right[n] ^ (rng.random() < 0.08) else "wrong")

        once = {f"i{n}": (decided("ann", n),) for n in looked}
        again = {
            f"i{n}": (*once[f"i{n}"], *([decided("bob", n)] if place % 2 else []))
            for place, n in enumerate(looked)
        }
        naive, mended = (
            adjudicate(table, Decisions(each), Settings(replicates=50)) for each in (once, again)
        )
        assert naive.by.error is None
        assert mended.by.error is not None
        accuracy = float((score == truth).mean())
        seen.append(
            tuple(
                value_of(adjudication.judges["j"].corrected["accuracy"]) - accuracy
                for adjudication in (naive, mended)
            )  # pyright: ignore[reportArgumentType]
        )
    naive_bias, bias = np.mean(seen, axis=0).tolist()
    assert abs(bias) < 0.012
    assert naive_bias < -0.04


def test_a_file_with_two_people_is_read_as_it_is(tmp_path: Path) -> None:
    rows = [
        {"item_id": f"c{n}|s|0", "judge": "j", "score": float(n % 5 > 0), "label": float(n % 4 > 0)}
        for n in range(40)
    ]
    file = tmp_path / "decided.jsonl"
    fd.write_records(
        file,
        [
            Verdict(
                case_id=f"c{n}", system="s", by=by, source="human", outcome="graded", score=float(n % 3 > 0)
            )
            for n in range(40)
            for by in ("ann", "bob")
            if by == "ann" or n % 2
        ],
    )
    found = fd.calibrate(rows, adjudications=file).adjudication
    assert found is not None
    assert found.by.error is not None
    assert (found.by.twice, found.by.error.value, found.by.error.n) == (20, 0.0, 20)
