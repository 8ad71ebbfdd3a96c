"""Labels with errors: rates corrected by a label audit, and labels to review first."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import numpy as np

from fiducial.calibration import Settings, make_sample, table_from_rows
from fiducial.calibration.agreement.judge_votes import suspected_label_errors
from fiducial.calibration.agreement.label_audit import corrected_rates, doubly_sampled
from fiducial.calibration.decisions import Decision

from .adjudicated import Labelled
from .judges import chances
from .tally import COVERAGE, Means, Tally

SHARED = {
    "none shared": 0.0,
    "half shared": 0.5,
    "nine in ten shared": 0.9,
}
"""How often the judge says what the label says where that is wrong."""


def audits(draws: int) -> Iterator[Tally]:
    """Simulate audits of a random part of 1,000 labels.

    Some labels miss a quarter of what is right, others are nearly perfect.
    """
    for title, of_labels in (("labels miss a quarter", (0.75, 0.97)), ("good labels", (0.96, 0.98))):
        for share, shared in SHARED.items():
            for audited, rows in ((100, 1), (300, 1), (200, 5)):
                of = f"{title}, {share}, {audited} of 1,000 audited{', clusters of 5' if rows > 1 else ''}"
                yield _audited(draws // 4, of, of_labels, shared, (audited, rows))


def _audited(
    draws: int, title: str, of_labels: tuple[float, float], shared: float, plan: tuple[int, int]
) -> Tally:
    (sensitivity, specificity), (audited, rows) = of_labels, plan
    truth = {
        "prevalence": 0.6,
        "true_positive_rate": 0.95 * (1 - shared * (1 - sensitivity)),
        "true_negative_rate": 0.85 * (1 - shared * (1 - specificity)),
        "label_sensitivity": sensitivity,
        "label_specificity": specificity,
    }
    rng, tally, cluster = (
        np.random.default_rng(13),
        Tally(title, COVERAGE),
        np.repeat(np.arange(1_000 // rows), rows),
    )
    for draw in range(draws):
        right = rng.random(1_000) < chances(rng, 0.6, 0.2 if rows > 1 else 0.0, cluster)
        label = np.where(right, rng.random(1_000) < sensitivity, rng.random(1_000) >= specificity)
        score = np.where(right, rng.random(1_000) < 0.95, rng.random(1_000) >= 0.85)
        score = np.where((label != right) & (rng.random(1_000) < shared), label, score)
        chosen = rng.permutation(1_000) < audited
        verdicts = np.zeros((2, 2, 2))
        np.add.at(verdicts, tuple(array[chosen].astype(int) for array in (label, score, right)), 1.0)
        audit, settings = verdicts.sum(axis=1).T, Settings(seed=draw, replicates=1_000)
        sample = make_sample(label.astype(np.float64), score.astype(np.float64), cluster)
        doubly = doubly_sampled(sample, audit, verdicts, settings)
        gart_buck = corrected_rates(sample, audit, settings)
        for name, value in truth.items():
            tally.covers(name, getattr(doubly, name), value)
            if not name.startswith("label"):
                tally.covers(f"{name}, Gart and Buck", getattr(gart_buck, name), value)
    return tally


def adjudications(draws: int) -> Iterator[Tally]:
    """Simulate adjudication of 1,000 labels: all disagreements and some agreements.

    One output in twenty cannot be decided.
    """
    for share, shared in list(SHARED.items())[:2]:
        for agreements, rows in ((50, 1), (150, 1), (150, 5)):
            of = f"labels miss a tenth, {share}, {agreements} agreements decided{', clusters of 5' if rows > 1 else ''}"
            yield _adjudicated(draws // 4, of, shared, agreements, rows)


def _adjudicated(draws: int, title: str, shared: float, agreements: int, rows: int) -> Tally:
    rng, tally, cluster = (
        np.random.default_rng(17),
        Tally(title, COVERAGE),
        np.repeat(np.arange(1_000 // rows), rows),
    )
    sensitivity, specificity = 0.9, 0.97
    truth = {
        "accuracy": 0.6 * 0.95 * (1 - shared * 0.1) + 0.4 * 0.9 * (1 - shared * 0.03),
        "true_positive_rate": 0.95 * (1 - shared * (1 - sensitivity)),
        "true_negative_rate": 0.9 * (1 - shared * (1 - specificity)),
        "label_sensitivity": sensitivity,
        "label_specificity": specificity,
    }
    for draw in range(draws):
        right = rng.random(1_000) < chances(rng, 0.6, 0.2 if rows > 1 else 0.0, cluster)
        label = np.where(right, rng.random(1_000) < sensitivity, rng.random(1_000) >= specificity)
        score = np.where(right, rng.random(1_000) < 0.95, rng.random(1_000) >= 0.9)
        score = np.where((label != right) & (rng.random(1_000) < shared), label, score)
        open_ = rng.random(1_000) < 0.05
        labelled = Labelled(draw, label, score, cluster)
        decided = {
            row: (Decision("ann", "undecidable" if open_[row] else "right" if right[row] else "wrong"),)
            for row in labelled.to_decide(agreements)
        }
        found = labelled.adjudicated(decided)
        for name, value in truth.items():
            tally.covers(name, found.corrected[name], value)
        tally.covers("errors of labels", found.label_errors["all"].corrected, 0.6 * 0.1 + 0.4 * 0.03)
    return tally


ERRING = {
    "nine in ten right, 5 % of both missed": (0.9, 0.05, 0.05),
    "a fifth right, 2 and 5 % missed": (0.2, 0.02, 0.05),
    "a tenth right, wrong ones passed": (0.1, 0.0, 0.05),
    "six in ten right, 5 % of both missed": (0.6, 0.05, 0.05),
}
"""Prevalence, and the shares of right and of wrong items whose labels are wrong."""


def suspects(draws: int) -> Iterator[Means]:
    """Simulate the share of wrong labels among the first ten suspects of 1,000 labels.

    Judges err on 5 to 12 %.
    """
    means = Means("suspected labels: precision at ten")
    best = Means("suspected labels: the most that any order by these verdicts can have (planted rates known)")
    for title, (prevalence, missed, passed) in ERRING.items():
        for judges in (((0.95, 0.9),), ((0.95, 0.9), (0.93, 0.88))):
            rng, of = np.random.default_rng(14), f"{title}, {len(judges)} judge{'s' * (len(judges) > 1)}"
            best.add(of, _best_precision(prevalence, (missed, passed), judges))
            for _ in range(max(1, draws // 20)):
                right = rng.random(1_000) < prevalence
                wrong = rng.random(1_000) < np.where(right, missed, passed)
                rows = [
                    {
                        "item_id": str(n),
                        "judge": str(judge),
                        "score": float(score[n]),
                        "label": float(right[n] ^ wrong[n]),
                    }
                    for judge, (tpr, tnr) in enumerate(judges)
                    for score in [np.where(right, rng.random(1_000) < tpr, rng.random(1_000) >= tnr)]
                    for n in range(1_000)
                ]
                found = suspected_label_errors(table_from_rows(rows), limit=10).first
                means.add(
                    of, float(np.mean([wrong[int(label.item_id)] for label in found])) if found else None
                )
    yield from (means, best)


def _best_precision(
    prevalence: float, erring: tuple[float, float], judges: tuple[tuple[float, float], ...]
) -> float:
    """Return the share of wrong labels among the first ten by Bayes's rule with known rates.

    There are a thousand items.
    """
    cells: list[tuple[float, float]] = []
    for label, *said in product((0, 1), repeat=len(judges) + 1):
        chance = np.array([1 - prevalence, prevalence])  # of the truth, wrong and right
        chance *= [1 - erring[1], erring[0]] if label == 0 else [erring[1], 1 - erring[0]]
        for verdict, (tpr, tnr) in zip(said, judges, strict=True):
            chance *= [1 - tnr, tpr] if verdict else [tnr, 1 - tpr]
        cells.append((float(chance[1 - label] / chance.sum()), float(chance.sum())))
    left, found = 0.01, 0.0
    for share, mass in sorted(cells, reverse=True):
        taken = min(left, mass)
        left, found = left - taken, found + share * taken
    return found / 0.01
