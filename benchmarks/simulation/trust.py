"""The verdict on a judge that is right on what checkers decided, and less on what they left."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from fiducial.calibration import table_from_rows
from fiducial.calibration.agreement.agreement_by_group import worse_part
from fiducial.calibration.agreement.calibration_results import Calibration
from fiducial.calibration.agreement.judge_panel import judge_panel
from fiducial.calibration.intervals.measurement import Settings
from fiducial.evaluation.conclusion.run_results import JudgeUse
from fiducial.evaluation.conclusion.run_summary import RunSummary
from fiducial.report.text.trust_words import LOW_ERRORS, trust_in

from .scenario import Scenario, share

_CHECKED, _OPEN, _SYSTEMS = 400, 100, 2
"""Outputs of a system, and systems."""


def verdicts(draws: int) -> Iterator[Scenario]:
    """Simulate a judge right on 97 % of checked, and 72 or 97 % of undecided outputs.

    Each system has 0 to 50 labels of undecided outputs.
    """
    for right, wanted in ((0.72, "0, then at most 5 %"), (0.97, "most")):
        for labels, before in ((0, "98 %"), (10, "83 %"), (25, "65 %"), (50, "2 %")):
            rng = np.random.default_rng([labels, round(100 * right)])
            hits = [_has_low_errors(rng, labels, right) for _ in range(max(1, draws // 4))]
            what = f"right on {right:.0%} of undecided outputs, {labels} labels of them a system: low errors without reserve"
            bad = right < 0.9
            yield share(what, before if bad else "", wanted, hits)


def _has_low_errors(rng: np.random.Generator, labels: int, right: float) -> bool:
    n = _SYSTEMS * (_CHECKED + _OPEN)
    is_undecided = np.arange(n) >= _SYSTEMS * _CHECKED
    truth = rng.random(n) < np.where(is_undecided, 0.6, 0.5)
    score = np.where(rng.random(n) < np.where(is_undecided, right, 0.97), truth, ~truth)
    known = ~is_undecided
    known[_SYSTEMS * _CHECKED : _SYSTEMS * (_CHECKED + labels)] = True
    rows = [
        {
            "item_id": f"i{i}",
            "judge": "j",
            "score": float(score[i]),
            "label": float(truth[i]) if known[i] else None,
        }
        for i in range(n)
    ]
    table = table_from_rows(rows)
    use = JudgeUse(
        name="j",
        fingerprint="f",
        outcomes={"graded": n},
        undecided=int(is_undecided.sum()),
        undecided_labelled=_SYSTEMS * labels,
        undecided_worse_p=worse_part(table, is_undecided).get("j"),
    )
    panel = judge_panel(table, settings=Settings(replicates=50))
    found = RunSummary(systems=[], judges=[use], calibration=Calibration(judges={"j": panel}))
    (trust,) = trust_in(found)
    return trust.word == LOW_ERRORS and not trust.checked_only
