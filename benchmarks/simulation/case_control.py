"""Labels drawn by their true class: as many right outputs as wrong ones."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from fiducial.calibration import estimate, table_from_rows
from fiducial.report.document import as_lines
from fiducial.report.text.estimation_screen import estimation_screen

from .scenario import Scenario, share

_TPR, _TNR = 0.9, 0.8


def class_samples(draws: int) -> Iterator[Scenario]:
    """200 right and 200 wrong outputs of 2,000, or of another set in which 50 % are right."""
    for rate in (0.5, 0.8):
        for elsewhere in (False, True):
            rng = np.random.default_rng([round(10 * rate), elsewhere])
            hits: list[bool] = []
            for _ in range(max(1, draws // 4)):
                found = _estimated(rng, rate, elsewhere=elsewhere)
                hits.append(found is not None and found[0] <= rate <= found[1])
            where = "of another set" if elsewhere else "of the same 2,000"
            yield share(
                f"200 right and 200 wrong {where}, rate {rate:g}: offered and covered",
                "withheld",
                "at least 94 %",
                hits,
            )


def _estimated(rng: np.random.Generator, rate: float, *, elsewhere: bool) -> tuple[float, float] | None:
    right = rng.random(2_000) < rate
    known = np.zeros(2_000, dtype=np.bool_)
    if elsewhere:
        right = np.concatenate([right, np.arange(400) < 200])
        known = np.concatenate([known, np.ones(400, dtype=np.bool_)])
    else:
        for side in (right, ~right):
            known[rng.choice(np.flatnonzero(side), 200, replace=False)] = True
    agrees = rng.random(len(right)) < np.where(right, _TPR, _TNR)
    score = np.where(agrees, right, ~right)
    rows = [
        {
            "item_id": f"i{i}",
            "judge": "j",
            "score": float(score[i]),
            "label": float(right[i]) if known[i] else None,
        }
        for i in range(len(right))
    ]
    part = estimate(table_from_rows(rows), labels_chosen_by="elsewhere" if elsewhere else "label").all
    found = part.rogan_gladen
    if part.reported != "rogan_gladen" or found.low is None or found.high is None:
        return None
    return found.low, found.high


def golden_sets(draws: int) -> Iterator[Scenario]:
    """50 right and 50 wrong of 1,000 outputs, 85 % right: declared, or nothing."""
    for judge, before in ((0.9, "0"), (0.6, "87 %")):
        rng = np.random.default_rng([49, 1, round(100 * judge)])
        answers: list[bool] = []
        covered: list[bool] = []
        for _ in range(max(1, draws // 4)):
            right = rng.random(1_000) < 0.85
            score = np.where(rng.random(1_000) < judge, right, ~right)
            known = {
                int(each)
                for side in (right, ~right)
                for each in rng.choice(np.flatnonzero(side), 50, replace=False)
            }
            rows = [
                {"item_id": f"i{i}", "judge": "j", "score": float(score[i])}
                | {"label": float(right[i]) if i in known else None}
                for i in range(1_000)
            ]
            table = table_from_rows(rows)
            first = next(iter(as_lines(estimation_screen(estimate(table)), width=None)))
            answers.append("uncorrected" not in first)
            rate = estimate(table, labels_chosen_by="label").all.rate
            covered.append(rate.low is not None and rate.high is not None and rate.low <= 0.85 <= rate.high)
        what = f"50 right, 50 wrong, a judge right on {judge:.0%}: "
        yield share(f"{what}a corrected rate is the answer, undeclared", before, "0", answers)
        yield share(f"{what}covered, declared", "", "at least 93 %", covered)


def other_items(draws: int) -> Iterator[Scenario]:
    """100 right and 100 wrong outputs of a calibration set, beside 600 others without labels."""
    for rate in (0.4, 0.85):
        rng = np.random.default_rng([49, 14, round(100 * rate)])
        said, covered = list[bool](), list[bool]()
        for _ in range(max(1, draws // 4)):
            right = np.concatenate([rng.random(600) < rate, np.arange(200) < 100])
            score = np.where(rng.random(800) < np.where(right, _TPR, _TNR), right, ~right)
            rows = [
                {"item_id": f"i{i}", "judge": "j", "score": float(score[i])}
                | {"label": float(right[i]) if i >= 600 else None}
                for i in range(800)
            ]
            found = estimate(table_from_rows(rows), labels_chosen_by="elsewhere")
            first = next(iter(as_lines(estimation_screen(found), width=None)))
            said.append(f"alone says {np.mean(score[:600]):.2f}" in first)
            interval = found.all.rate
            low, high = interval.low, interval.high
            covered.append(low is not None and high is not None and low <= rate <= high)
        what = f"labels from elsewhere, rate {rate:g}: "
        yield share(f"{what}the judge's own rate is that of the items", "0", "100 %", said)
        yield share(f"{what}covered", "", "93 % or more", covered)
