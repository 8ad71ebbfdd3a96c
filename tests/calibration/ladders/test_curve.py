"""Where the next questions go."""

from __future__ import annotations

from collections import Counter

import numpy as np

from fiducial.calibration.ladders import CurveFamily, LadderAnswers, next_levels

FAMILY = CurveFamily(np.linspace(0.0, 1.0, 11).tolist())
NONE = LadderAnswers(np.zeros(0, np.int64), np.zeros(0), np.zeros(0, np.int64))


def said(caught_up_to: int, each: int = 12) -> LadderAnswers:
    """So many answers at each level, all caught up to one of them and none beyond."""
    rung = np.repeat(np.arange(11), each)
    return LadderAnswers(rung, (rung <= caught_up_to).astype(np.float64), np.arange(len(rung)))


def test_the_first_questions_go_evenly_over_all_levels():
    assert next_levels(FAMILY, NONE, 22) == sorted([*range(11)] * 2)


def test_most_later_ones_go_where_the_share_falls_below_80_percent():
    chosen = Counter(next_levels(FAMILY, said(6), 40))
    assert sum(chosen[level] for level in (6, 7)) >= 30
    assert len(chosen) > 2  # the rest of the curve is looked at, too


def test_a_judge_that_catches_all_is_asked_about_the_hardest_and_about_the_rest():
    chosen = Counter(next_levels(FAMILY, said(10), 40))
    assert chosen[10] >= 15
    assert len(chosen) == 11


def test_the_same_answers_lead_to_the_same_questions():
    assert next_levels(FAMILY, said(3), 17) == next_levels(FAMILY, said(3), 17)
