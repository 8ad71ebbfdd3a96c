"""Measures of choices: wins, ties, flips, win rates, and biases other than quality."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from known_numbers import value_of

from fiducial.calibration.arrays import BoolArray
from fiducial.calibration.preference.choices import Choices
from fiducial.calibration.preference.measure import preferences_of
from fiducial.calibration.preference.preference_results import PreferenceNumbers
from fiducial.report.document import as_lines
from fiducial.report.text.preference_screen import preferences_screen

FIRST, TIE, SECOND, NONE = 1.0, 0.5, 0.0, np.nan


def choices(*asked: tuple[float, float], systems: tuple[str, ...] = ("a", "b"), **fields: Any) -> Choices:
    """Return comparisons of the first two systems, with the choice in either order."""
    n = len(asked)
    unknown = np.full(n, np.nan)
    settings: dict[str, Any] = {
        "a": np.zeros(n, dtype=np.int64),
        "b": np.ones(n, dtype=np.int64),
        "cluster": np.arange(n),
        "length_a": unknown,
        "length_b": unknown,
        "label": unknown,
        "person": unknown,
    }
    a_first, b_first = (np.array(each, dtype=np.float64) for each in zip(*asked, strict=True))
    given = {name: np.array(value) for name, value in fields.items()}
    return Choices(systems=list(systems), a_first=a_first, b_first=b_first, **settings | given)


def measured(*asked: tuple[float, float], **fields: Any) -> PreferenceNumbers:
    return preferences_of("judge", choices(*asked, **fields))


def test_each_comparison_is_counted_as_exactly_one_thing():
    found = measured(
        (FIRST, SECOND),
        (SECOND, FIRST),
        (TIE, TIE),
        (FIRST, FIRST),
        (SECOND, SECOND),
        (FIRST, TIE),
        (NONE, FIRST),
    )
    (match,) = found.matches
    counts = (
        match.a_won,
        match.b_won,
        match.tied,
        match.flipped_to_first,
        match.flipped_to_second,
        match.half_tied,
    )
    assert counts == (1, 1, 1, 1, 1, 1)
    assert (match.n, match.incomplete, found.comparisons, found.complete) == (6, 1, 7, 6)


def test_a_flip_is_no_tie_and_half_a_win_for_each():
    (flips,) = measured(*[(FIRST, FIRST)] * 5).matches
    assert (flips.tied, flips.flipped_to_first, flips.preferred.value) == (0, 5, 0.5)
    assert flips.settled.undefined == "neither won a comparison"


def test_the_settled_share_leaves_flips_and_ties_out():
    (match,) = measured(*[(FIRST, SECOND)] * 3, (SECOND, FIRST), (FIRST, FIRST), (TIE, TIE)).matches
    assert (match.settled.value, match.settled.n) == (0.75, 4)
    assert match.preferred.value == pytest.approx((3 + 0.5 + 0.5) / 6)


def test_who_is_preferred_is_said_only_with_evidence():
    assert measured(*[(FIRST, SECOND)] * 12).matches[0].better == "a"
    assert measured(*[(SECOND, FIRST)] * 12).matches[0].better == "b"
    assert measured(*[(FIRST, SECOND)] * 3).matches[0].better is None


def test_the_p_of_wins_and_losses_is_the_sign_test():
    from scipy.stats import binomtest

    (match,) = measured(*[(FIRST, SECOND)] * 9, *[(SECOND, FIRST)] * 2, (FIRST, FIRST)).matches
    assert match.p == pytest.approx(binomtest(9, 11).pvalue, abs=1e-9)


def test_systems_meet_whichever_of_them_is_called_a():
    turned = choices((FIRST, SECOND), (SECOND, FIRST), a=[0, 1], b=[1, 0])
    (match,) = preferences_of("judge", turned).matches
    assert (match.a, match.a_won, match.b_won) == ("a", 2, 0)


def test_pairs_are_corrected_for_being_many():
    asked = [(FIRST, SECOND)] * 18
    three = choices(*asked, systems=("a", "b", "c"), a=[0] * 12 + [1] * 6, b=[1] * 6 + [2] * 12)
    matches = preferences_of("judge", three).matches
    assert [match.adjusted_p for match in matches] == pytest.approx([3 * 2**-5] * 3)


def test_a_judge_that_takes_what_is_first_is_found_to():
    found = measured(*[(FIRST, FIRST)] * 15).position
    assert (found.effect.value, found.flips.value, found.to_first, found.to_second) == (0.5, 1.0, 15, 0)
    assert found.found
    assert found.flip_p == pytest.approx(2**-14)


def test_a_judge_that_does_not_is_not():
    found = measured(*[(FIRST, SECOND)] * 15).position
    assert (found.effect.value, found.flips.value, found.flip_p, found.found) == (0.0, 0.0, None, False)


def test_what_is_longer_is_no_bias_without_labels():
    found = measured(*[(FIRST, SECOND)] * 15, length_a=[9.0] * 15, length_b=[3.0] * 15).length
    assert (found.longer.value, found.found) == (1.0, False)
    assert found.effect.undefined is not None


def test_with_labels_length_is_a_bias_where_it_makes_a_judge_wrong():
    lengths = {"length_a": [9.0, 3.0] * 10, "length_b": [3.0, 9.0] * 10}
    longer = [(FIRST, SECOND), (SECOND, FIRST)] * 10
    found = measured(*longer, **lengths, label=[1.0] * 20).length
    assert (found.effect.value, found.longer.value, found.found) == (1.0, 1.0, True)
    right = measured(*[(FIRST, SECOND)] * 20, **lengths, label=[1.0] * 20).length
    assert (right.effect.value, right.longer.value, right.found) == (0.0, 0.5, False)


def test_labels_say_how_often_the_better_one_is_chosen():
    asked = [(FIRST, SECOND), (FIRST, FIRST), (SECOND, FIRST), (TIE, TIE), (FIRST, SECOND)]
    found = measured(*asked, label=[1.0, 1.0, 1.0, 0.5, 0.5]).labels
    assert found is not None
    assert (found.n, found.right.value, found.right_in_both.value) == (3, 0.5, pytest.approx(1 / 3))
    assert (found.wrong_in_both.value, found.flips.value) == (pytest.approx(1 / 3), pytest.approx(1 / 3))
    assert (found.tied_by_label, found.tied_in_both.value) == (2, 0.5)


def test_without_labels_nothing_is_said_of_them():
    assert measured((FIRST, SECOND)).labels is None


def test_nothing_complete_leaves_everything_undefined_and_counted():
    found = preferences_of("judge", choices((NONE, FIRST), (NONE, NONE)), {"failed": 3})
    (match,) = found.matches
    assert (match.n, match.incomplete, match.preferred.value, match.better) == (0, 2, None, None)
    assert found.systems["a"].strength.undefined is not None
    assert found.position.effect.value is None
    assert found.ungraded == {"failed": 3}


def test_no_number_is_ever_none_of_one():
    found = measured((FIRST, SECOND), (FIRST, FIRST), (NONE, TIE))
    assert "NaN" not in json.dumps(_builtins(found), allow_nan=False)


def _builtins(found: PreferenceNumbers) -> Any:
    import msgspec

    return msgspec.to_builtins(found)


@pytest.mark.reference
def test_recorded_choices_of_fifteen_prompts_come_to_what_others_computed(reference: Path):
    folder = reference / "calibration" / "llmbar"
    expected = json.loads((folder / "expected.json").read_text("utf-8"))["cells"]
    items: dict[str, dict[str, dict[str, Any]]] = {}
    for line in (folder / "data.jsonl").read_text("utf-8").splitlines():
        row = json.loads(line)
        cell = items.setdefault(f"{row['subset']}|{row['judge']}", {})
        cell.setdefault(row["item_id"], {"label": row["label"]})[row["order"]] = row["score"]
    checked = 0
    for name, of_cell in items.items():
        rows, cell = list(of_cell.values()), expected[name]
        # The score says which output; what was shown first is that one in the order AB, and the other in BA.
        asked = [(_number(row["AB"]), 1.0 - _number(row["BA"])) for row in rows]
        found = preferences_of(name, choices(*asked, label=[float(row["label"]) for row in rows]))
        assert (found.position.to_first, found.position.to_second) == (
            cell["prefers_first_shown"],
            cell["prefers_second_shown"],
        )
        if found.position.flip_p is not None:
            assert found.position.flip_p == pytest.approx(cell["position_sign_test_p"], abs=1e-8)
        assert found.labels is not None
        assert found.labels.right_in_both.value == pytest.approx(
            cell["right_both"] / found.complete, abs=1e-9
        )
        if found.complete == len(rows):
            assert found.labels.right.value == pytest.approx(cell["accuracy_average"], abs=1e-9)
            assert 1 - (found.labels.flips.value or 0) == pytest.approx(
                cell["order_agreement_rate"], abs=1e-9
            )
        checked += 1
    assert checked == 75


def _number(score: int | None) -> float:
    return np.nan if score is None else float(score)


def test_recorded_choices_in_one_order_count_in_rates_and_say_nothing_of_order():
    made = choices((FIRST, NONE), (NONE, FIRST), (TIE, NONE), (FIRST, NONE))
    found = preferences_of("judge", made, recorded=True)
    (match,) = found.matches
    assert (match.n, match.one_order, match.a_won, match.b_won, match.tied) == (4, 4, 2, 1, 1)
    assert match.preferred.value == pytest.approx(2.5 / 4)
    assert (found.complete, found.one_order, found.position.effect.value) == (0, 4, None)
    asked = preferences_of("judge", made)
    assert (asked.matches[0].n, asked.matches[0].incomplete, asked.one_order) == (0, 4, 0)


def test_recorded_choices_in_both_orders_are_measured_as_asked_ones():
    made = choices((FIRST, SECOND), (SECOND, FIRST), (FIRST, FIRST), (TIE, FIRST), label=[1.0, 0.0, 1.0, 0.0])
    assert preferences_of("judge", made, recorded=True) == preferences_of("judge", made)


N = 120


def choices_with_people(asked: BoolArray, seed: int = 3) -> Choices:
    """Return comparisons with people's choices where ``asked``.

    The judge favours ``b`` more than people do.
    """
    rng = np.random.default_rng(seed)
    person = (rng.random(N) < 0.6).astype(np.float64)
    judge = np.where((person == 1) & (rng.random(N) < 0.4), 0.0, person)
    first, unknown = np.zeros(N, dtype=np.int64), np.full(N, np.nan)
    return Choices(
        ["a", "b"],
        first,
        first + 1,
        judge,
        1.0 - judge,
        np.arange(N),
        unknown,
        unknown,
        unknown,
        np.where(asked, person, np.nan),
    )


def random_part(count: int) -> BoolArray:
    return np.random.default_rng(5).permutation(N) < count


def test_the_corrected_rate_is_ppi_with_its_tuned_weight():
    said = choices_with_people(random_part(40))
    (match,) = preferences_of("j", said).matches
    known = np.isfinite(said.person)
    label, judged, rest = said.person[known], said.preferred[known], said.preferred[~known]
    weight = np.cov(label, judged, ddof=0)[0, 1] / ((1 + 40 / 80) * said.preferred.var(ddof=1))
    expected = weight * rest.mean() + (label - weight * judged).mean()
    assert match.corrected is not None
    assert value_of(match.corrected) == pytest.approx(expected, abs=1e-9)
    assert (match.corrected.n, match.corrected.low is not None) == (40, True)


def test_a_pair_that_is_turned_has_the_other_rate():
    said = choices_with_people(random_part(40))
    turned = said._replace(
        a=said.b, b=said.a, a_first=said.b_first, b_first=said.a_first, person=1 - said.person
    )
    first, second = (preferences_of("j", each).matches[0].corrected for each in (said, turned))
    assert first == second


def test_few_choices_and_chosen_ones_correct_nothing():
    (few,) = preferences_of("j", choices_with_people(random_part(9))).matches
    assert few.corrected is not None
    assert few.corrected.undefined == "people chose on 9, and it takes 10"
    said = choices_with_people(np.ones(N, dtype=np.bool_))
    only_lost = said._replace(person=np.where(said.preferred == 0, said.person, np.nan))
    (chosen,) = preferences_of("j", only_lost).matches
    assert chosen.corrected is not None
    assert "no random part of the comparisons" in str(chosen.corrected.undefined)


def test_where_people_chose_everywhere_their_rate_is_the_answer():
    said = choices_with_people(np.ones(N, dtype=np.bool_))
    (match,) = preferences_of("j", said).matches
    assert match.corrected is not None
    assert value_of(match.corrected) == pytest.approx(float(said.person.mean()))


def test_the_screen_has_it_in_a_sentence_and_is_silent_without_people():
    with_people, without = (
        "\n".join(
            as_lines(preferences_screen([preferences_of("j", choices_with_people(random_part(count)))]))
        )
        for count in (40, 0)
    )
    assert "People's choices on 40 comparisons correct the win rate of a to 0." in with_people
    assert "People" not in without
