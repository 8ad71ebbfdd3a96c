"""Win rates among people, from their choices on a part of what a judge compared."""

from __future__ import annotations

import numpy as np
import pytest
from known_numbers import value_of

from fiducial.calibration.arrays import BoolArray
from fiducial.calibration.preference.choices import Choices
from fiducial.calibration.preference.measure import preferences_of
from fiducial.report.document import as_lines
from fiducial.report.text.preference_screen import preferences_screen

N = 120


def choices(asked: BoolArray, seed: int = 3) -> Choices:
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
    said = choices(random_part(40))
    (match,) = preferences_of("j", said).matches
    known = np.isfinite(said.person)
    label, judged, rest = said.person[known], said.preferred[known], said.preferred[~known]
    weight = np.cov(label, judged, ddof=0)[0, 1] / ((1 + 40 / 80) * said.preferred.var(ddof=1))
    expected = weight * rest.mean() + (label - weight * judged).mean()
    assert match.corrected is not None
    assert value_of(match.corrected) == pytest.approx(expected, abs=1e-9)
    assert (match.corrected.n, match.corrected.low is not None) == (40, True)


def test_a_pair_that_is_turned_has_the_other_rate():
    said = choices(random_part(40))
    turned = said._replace(
        a=said.b, b=said.a, a_first=said.b_first, b_first=said.a_first, person=1 - said.person
    )
    first, second = (preferences_of("j", each).matches[0].corrected for each in (said, turned))
    assert first == second


def test_few_choices_and_chosen_ones_correct_nothing():
    (few,) = preferences_of("j", choices(random_part(9))).matches
    assert few.corrected is not None
    assert few.corrected.undefined == "people chose on 9, and it takes 10"
    said = choices(np.ones(N, dtype=np.bool_))
    only_lost = said._replace(person=np.where(said.preferred == 0, said.person, np.nan))
    (chosen,) = preferences_of("j", only_lost).matches
    assert chosen.corrected is not None
    assert "no random part of the comparisons" in str(chosen.corrected.undefined)


def test_where_people_chose_everywhere_their_rate_is_the_answer():
    said = choices(np.ones(N, dtype=np.bool_))
    (match,) = preferences_of("j", said).matches
    assert match.corrected is not None
    assert value_of(match.corrected) == pytest.approx(float(said.person.mean()))


def test_the_screen_has_it_in_a_sentence_and_is_silent_without_people():
    with_people, without = (
        "\n".join(as_lines(preferences_screen([preferences_of("j", choices(random_part(count)))])))
        for count in (40, 0)
    )
    assert "People's choices on 40 comparisons correct the win rate of a to 0." in with_people
    assert "People" not in without
