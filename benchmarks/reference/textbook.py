"""Fifteen worked examples, to the digits that were printed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from known_numbers import half_width, value_of

from fiducial.calibration import Settings, make_sample
from fiducial.calibration.agreement.judge_panel import reliability
from fiducial.calibration.agreement.level_agreement import category_agreement
from fiducial.calibration.arrays import FloatArray
from fiducial.calibration.comparison.significance import (
    benjamini_hochberg,
    benjamini_yekutieli,
    holm,
    mcnemar,
)
from fiducial.calibration.corrected_rate.binary_verdicts import rogan_gladen
from fiducial.calibration.intervals.closed_forms import wilson_interval
from fiducial.calibration.statistics.krippendorff import Level
from fiducial.calibration.statistics.rates import weighted_kappa_table

from .devai import NORMAL
from .ledger import Commands, Found, Ours, Rows

Case = Callable[[Any], dict[str, float | None]]

QUICK = Settings(replicates=20)
"""Values are compared, not intervals."""

COHEN_1968 = np.array([[0.0, 1, 3], [1, 0, 6], [3, 6, 0]])
"""Cohen's own weights of disagreement."""


def values(run: Commands, rows: Rows, expected: dict[str, Any]) -> Ours:
    """Every published and every recomputed number of the cases."""
    del run, rows
    ours: Ours = {}
    for number, case in enumerate(expected["cases"]):
        for name, value in CASES[case["id"]](case["input"]).items():
            for side in ("published", "recomputed"):
                # The tolerance belongs to what was printed; what was recomputed has eight digits or more.
                tolerance = max(case["tolerance"], 1e-9) if side == "published" else 1e-6
                ours[f"cases[{number}]/{side}/{name}"] = Found(value, "the function of this name", tolerance)
    return ours


def _alphas(ratings: Any) -> dict[str, float | None]:
    table = np.array(ratings, dtype=np.float64)
    levels: tuple[Level, ...] = ("nominal", "ordinal", "interval", "ratio")
    return {level: reliability(table, level, settings=QUICK).value for level in levels}


def _categories(table: Any) -> dict[str, float | None]:
    """A square table as rows on levels from 0 to 1."""
    counts: FloatArray = np.array(table, dtype=np.float64)
    levels = np.linspace(0, 1, len(counts))
    label, score = np.meshgrid(levels, levels, indexing="ij")
    times = counts.astype(int).ravel()
    sample = make_sample(np.repeat(label.ravel(), times), np.repeat(score.ravel(), times))
    found = category_agreement(sample, levels.tolist(), Settings(interval="wald")).statistics
    kappa = found["cohen_kappa"]
    error = half_width(kappa) / NORMAL
    weighted = float(weighted_kappa_table(counts, COHEN_1968)) if len(counts) == len(COHEN_1968) else None
    agreement, value = value_of(found["accuracy"]), value_of(kappa)
    return {
        "percent_agreement": agreement,
        "p_o": agreement,
        "p_e": (agreement - value) / (1 - value),
        "kappa": value,
        "cohen_kappa": value,
        "kappa_w": weighted,
        "kappa_se": error,
        "se": error,
        "scott_pi": found["scott_pi"].value,
        "gwet_ac1": found["gwet_ac1"].value,
    }


def _mcnemar(table: Any) -> dict[str, float | None]:
    test = mcnemar(table[0][1], table[1][0])
    return {
        "exact": test.exact_p,
        "midp": test.midp,
    }


def _lee(given: Any) -> dict[str, float | None]:
    found = rogan_gladen(
        given["p"],
        given["n"],
        true_positives=round(given["q1"] * given["m1"]),
        positives=given["m1"],
        true_negatives=round(given["q0"] * given["m0"]),
        negatives=given["m0"],
    )
    return {
        "theta": found.value,
        "estimate": found.value,
        "estimate_unclipped": found.value,
        "ci95_lang_reiczigel[0]": found.low,
        "ci95_lang_reiczigel[1]": found.high,
    }


def _wilson(given: Any) -> dict[str, float | None]:
    low, high = wilson_interval(given[0] / given[1], given[1])
    return {"lo": low, "hi": high}


def _rejections(p_values: Any) -> dict[str, float | None]:
    p = np.array(p_values)
    methods = {"bh": benjamini_hochberg, "holm": holm, "by": benjamini_yekutieli}
    counts: dict[str, float | None] = {
        f"{name}_rejections": float((method(p) <= 0.05).sum()) for name, method in methods.items()
    }
    return counts


CASES: dict[str, Case] = {
    "krippendorff2011_C": _alphas,
    "krippendorff_three_coders": _alphas,
    "gwet_4raters_12units": lambda ratings: {"krippendorff_alpha": _alphas(ratings)["nominal"]},
    "gwet_paradox_125": _categories,
    "kappa_50_grants": _categories,
    "cohen1960_1968_200": _categories,
    "fleiss_cohen_everitt1969": _categories,
    "mcnemar_101_121_59_33": _mcnemar,
    "mcnemar_cavo_n161": _mcnemar,
    "mcnemar_bentur_n21": _mcnemar,
    "lee2025_readme": _lee,
    "wilson_8_10": _wilson,
    "shrout_fleiss1979": lambda _: {},
    "fleiss_kappa_14x10": lambda _: {},
    "bh1995": _rejections,
}
