"""What stands beside the agreement of each judge, in words: the judges among themselves."""

from __future__ import annotations

from typing import Any

from .lines import aligned, number

_NOTABLE, _SHOWN = 0.02, 3


def judges_alone_lines(result: dict[str, Any]) -> list[str]:
    """Dawid and Skene's model beside the labels; nothing where there is no model.

    Args:
        result: What `calibrate` gave.

    Returns:
        Lines without line ends.
    """
    found = result["dawid_skene"]
    if found["undefined"] is not None:
        return []
    rows: list[tuple[str, ...]] = [("judge", "TPR if so", "by labels", "TNR if so", "by labels", "")]
    for judge, rates in found["judges"].items():
        labelled = result["judges"][judge]["statistics"]
        cells = [
            _value(source[name])
            for name in ("true_positive_rate", "true_negative_rate")
            for source in (rates, labelled)
        ]
        rows.append((judge, *cells, ""))
    by_labels = _value(result["baselines"]["always_pass"]["statistics"]["prevalence"])
    return [
        f"If judges erred independently (Dawid and Skene, {found['n']:,} items, labels aside; a diagnostic, never the truth):",
        *aligned(rows),
        f"  share right: {_value(found['prevalence'])} if so, {by_labels} by labels",
        *_pair_lines(found["pairs"]),
    ]


def _pair_lines(pairs: list[dict[str, Any]]) -> list[str]:
    if not pairs:
        return [
            "  with three judges the model meets any agreement of pairs, so errors that they share cannot show"
        ]
    worst = sorted(pairs, key=lambda pair: -pair["residual"])[:_SHOWN]
    if worst[0]["residual"] < _NOTABLE:
        return ["  no two judges agree notably more than that; errors that all of them share cannot show"]
    return [
        "  but judges share errors, which the model takes for the truth: these agree more than it expects",
        *(
            f"    {pair['a']} and {pair['b']}: {number(pair['observed'])}, expected {number(pair['expected'])}, on {pair['n']:,}"
            for pair in worst
            if pair["residual"] >= _NOTABLE
        ),
    ]


def _value(statistic: dict[str, Any]) -> str:
    return "-" if statistic["value"] is None else number(statistic["value"])
