"""Comparisons in words: which differences there is evidence for, and what could have been seen."""

from __future__ import annotations

from typing import Any

from ..lines import aligned, counted, number, p_value, statistic_cells

_ALARM = 0.05

_RIGHT = {
    "agrees": "right: score and label fall on the same side of --pass-at",
    "score": "right: the score passes",
    "label": "right: the label passes",
}


def comparison_lines(result: dict[str, Any]) -> list[str]:
    """The result of `compare` for people.

    Args:
        result: What `compare` gave.

    Returns:
        Lines without line ends.
    """
    what = "share right" if result["statistic"] == "accuracy" else result["statistic"]
    head = (
        "pair",
        "n",
        "a only",
        "b only",
        "mid-p",
        "Holm p",
        f"difference of {what}",
        "interval",
        "",
    )
    rows: list[tuple[str, ...]] = [head]
    for pair in result["pairs"]:
        value, interval, _, method = statistic_cells(pair["difference"])
        counts = (f"{pair['n']:,}", f"{pair['a_only_right']:,}", f"{pair['b_only_right']:,}")
        p_values = (p_value(pair["midp"]), p_value(pair["holm_p"]))
        rows.append((f"{pair['a']} - {pair['b']}", *counts, *p_values, value, interval, method))
    tested = sum(pair["midp"] is not None for pair in result["pairs"])
    lines = [
        f"{_RIGHT[result['right']]}; p-values are McNemar's, Holm over {counted(tested, 'pair')}",
        *aligned(rows),
    ]
    lines += [line for pair in result["pairs"] for line in _verdict(pair, result["statistic"])]
    if any(pair["cluster_p"] is not None for pair in result["pairs"]):
        lines.append(
            "note: clusters hold several items, which McNemar's p takes as independent; the words go by a t-test over clusters"
        )
    lines += [*_best_lines(result), *_cost_lines(result)]
    return lines + [f"warning: {line}" for line in result["warnings"]]


def _verdict(pair: dict[str, Any], what: str) -> list[str]:
    names = f"{pair['a']} and {pair['b']}"
    flips = [f"  only {flip['right']} is right on {flip['item_id']}" for flip in pair.get("flips", [])]
    if pair["n"] == 0:
        return []
    area = pair.get("auroc_difference")
    areas = (
        [
            f"  areas under the ROC curve differ by {number(area['value'])}, DeLong's p {p_value(area['delong_p'])}"
        ]
        if area
        else []
    )
    clustered = pair["holm_cluster_p"]
    if (pair["holm_p"] if clustered is None else clustered) <= _ALARM:
        better = pair["a"] if pair["a_only_right"] > pair["b_only_right"] else pair["b"]
        return [f"{names}: {better} is right more often", *areas, *flips]
    seen, of = pair["smallest_visible"], "" if what == "accuracy" else f" in {what}"
    limit = (
        "" if seen is None else f"; a true difference of {number(seen)}{of} would be found four times in five"
    )
    return [f"{names}: no evidence of a difference{limit}", *areas, *flips]


def _best_lines(result: dict[str, Any]) -> list[str]:
    best = result["best"]
    if best is None or best["held_out"] is None:
        return []
    chosen = (
        f"Best of all on the {best['n']:,} items common to all: {best['name']}, {number(best['apparent'])}"
    )
    apart = f"chosen and scored on different clusters: {number(best['held_out'])}"
    return [f"{chosen}; {apart} (optimism {number(best['optimism'])})"]


def _cost_lines(result: dict[str, Any]) -> list[str]:
    """Cost beside quality, when the table says what verdicts cost."""
    known = {name: each for name, each in result["contenders"].items() if each["costs"] is not None}
    if not known:
        return []
    rows: list[tuple[str, ...]] = [("", "share right", "on", "tokens a verdict", "$ per 1,000", "calls")]
    for name, each in known.items():
        spent = each["costs"]
        money = None if spent["cost_per_verdict"] is None else 1_000 * spent["cost_per_verdict"]
        amounts = (_amount(spent["tokens_per_verdict"], 0), _amount(money, 4), _amount(spent["calls"], 0))
        rows.append((name, number(each["share_right"]), f"{each['n']:,}", *amounts))
    return [
        "What it costs (tokens of cached replies count; judging systems costs what their judges do):",
        *aligned(rows),
    ]


def _amount(value: float | None, decimals: int) -> str:
    return "not known" if value is None else f"{value:,.{decimals}f}"
