"""Labels of two systems, at random or by a column: which are taken for chosen."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from fiducial.calibration import compare, table_from_rows
from fiducial.calibration.comparison.comparison_results import ComparedStratum
from fiducial.calibration.tables.calibration_table import COVARIATE

from .scenario import Scenario, share

_OUTPUTS, _LABELS = 300, 60
"""Outputs, and labels, of each of two systems."""


_LENGTH = f"{COVARIATE}length"
"""Column of a number."""


def contradictions(draws: int) -> Iterator[Scenario]:
    """Draw labels at random, in whole clusters, mostly of one language, or of long outputs."""
    for title, clusters, chosen in _CHOICES:
        rng = np.random.default_rng([49, 7, clusters, len(chosen)])
        said, explained, single = list[bool](), list[bool](), list[bool]()
        for _ in range(draws if not chosen else max(1, draws // 4)):
            part = _compared(rng, clusters=clusters, chosen=chosen)
            said.append(bool(part.contradicted))
            found = part.contradicted.values()
            explained.append(any(chosen.removeprefix(COVARIATE) in labels.columns for labels in found))
            single.append(bool({*part.corrected_systems, *part.if_random}))
        yield share(
            f"{title}: labels of any of two systems are called no random sample",
            "score alone",
            "most" if chosen else "1 % (at most 1.5)",
            said,
        )
        if chosen:
            yield share(f"{title}: the column is named", "0", "most", explained)
            yield share(f"{title}: a system is still corrected, since nothing is shown", "", "few", single)


_CHOICES = (
    ("at random", False, ""),
    ("random clusters of 4", True, ""),
    ("4:1 by language", False, "lang"),
    ("4:1 by length", False, _LENGTH),
)
"""Draws of labels, whether of clusters, and the column that decides them."""


def _compared(rng: np.random.Generator, *, clusters: bool, chosen: str) -> ComparedStratum:
    rows: list[dict[str, str | float | None]] = []
    for system, rate in (("a", 0.8), ("b", 0.6)):
        lang = rng.choice(["en", "de", "fr"], _OUTPUTS, p=[0.5, 0.3, 0.2])
        kind = rng.choice(["x", "y"], _OUTPUTS)
        if clusters:
            lang = np.repeat(lang[: _OUTPUTS // 4], 4)
        length = rng.lognormal(5.0, 1.0, _OUTPUTS)
        favoured = {"lang": lang == "en", _LENGTH: length > np.exp(5.0)}
        truth = rng.random(_OUTPUTS) < np.where(lang == "en", rate + 0.1, rate - 0.1)
        score = np.where(rng.random(_OUTPUTS) < 0.88, truth, ~truth)
        chance = np.where(favoured[chosen], 4.0, 1.0) if chosen else np.ones(_OUTPUTS)
        known = rng.choice(_OUTPUTS, _LABELS, replace=False, p=chance / chance.sum())
        if clusters:
            groups = rng.choice(_OUTPUTS // 4, _LABELS // 4, replace=False)
            known = np.concatenate([4 * groups + part for part in range(4)])
        has_label = set(known.tolist())
        rows += [
            {
                "item_id": f"i{n}",
                "system": system,
                "judge": "j",
                "score": float(score[n]),
                "checker_score": None,
            }
            | {
                "label": float(truth[n]) if n in has_label else None,
                "lang": str(lang[n]),
                "kind": str(kind[n]),
                _LENGTH: float(length[n]),
            }
            | ({"cluster": f"g{n // 4}"} if clusters else {})
            for n in range(_OUTPUTS)
        ]
    found = compare(table_from_rows(rows), by="system", labels_chosen_by="random")
    assert found.strata is not None
    return found.strata.open
