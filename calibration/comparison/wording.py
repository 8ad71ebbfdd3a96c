"""Comparisons in words: which differences there is evidence for, and what could have been seen."""

from __future__ import annotations

from typing import Any, NamedTuple

from ..lines import aligned, counted, number, p_value, statistic_cells

_ALARM = 0.05

_COSTS = ("tokens a verdict", "$ per 1,000", "calls")


class _Terms(NamedTuple):
    """How a kind of comparison is spoken of; ``{}`` stands for a name."""

    right: str
    share: str
    ahead: str
    alone: str
    best: str
    note: str | None = None


_AGREES = _Terms(
    "right: score and label fall on the same side of --pass-at",
    "share right",
    "{} is right more often",
    "only {} is right",
    "Best",
)

_AGREES_ON_SYSTEMS = _Terms(
    "right: score and label fall on the same side of --pass-at",
    "share right",
    "the judge is right more often on {}",
    "right on {} only,",
    "Judged best",
    "note: this is how well systems are judged, not how good they are; --right label or --right score compares that",
)

_PASSES = _Terms("right: the {} passes", "share passed", "{} passes more often", "only {} passes", "Best")


def _terms(result: dict[str, Any]) -> _Terms:
    if result["right"] == "agrees":
        return _AGREES if result["by"] == "judge" else _AGREES_ON_SYSTEMS
    return _PASSES._replace(right=_PASSES.right.format(result["right"]))


def comparison_lines(result: dict[str, Any]) -> list[str]:
    """The result of `compare` for people.

    Args:
        result: What `compare` gave.

    Returns:
        Lines without line ends.
    """
    terms = _terms(result)
    what = terms.share if result["statistic"] == "accuracy" else result["statistic"]
    compared = [pair for pair in result["pairs"] if pair["n"]]
    tested = sum(pair["midp"] is not None for pair in result["pairs"])
    lines = [
        f"{terms.right}; p-values are McNemar's, Holm over {counted(tested, 'pair')}",
        *([terms.note] if terms.note else []),
        *_pair_lines(compared, what),
    ]
    if len(compared) < len(result["pairs"]):
        apart = counted(len(result["pairs"]) - len(compared), "pair")
        lines.append(f"not compared, for want of an item that both have: {apart}")
    lines += [line for pair in compared for line in _verdict(pair, result["statistic"], terms)]
    if any(pair["cluster_p"] is not None for pair in result["pairs"]):
        lines.append(
            "note: clusters hold several items, which McNemar's p takes as independent; the words go by a t-test over clusters, whose p, "
            "by Holm, is under `clustered`"
        )
    lines += [*_contender_lines(result), *_best_lines(result)]
    return lines + [f"warning: {line}" for line in result["warnings"]]


def _pair_lines(pairs: list[dict[str, Any]], what: str) -> list[str]:
    """A table of the pairs, with the p of the test over clusters where that is what decides."""
    if not pairs:
        return []
    columns = {"mid-p": "midp", "Holm p": "holm_p"}
    if any(pair["cluster_p"] is not None for pair in pairs):
        columns["clustered"] = "holm_cluster_p"
    head = ("pair", "n", "a only", "b only", *columns, f"difference of {what}", "interval", "")
    rows: list[tuple[str, ...]] = [head]
    for pair in pairs:
        value, interval, _, method = statistic_cells(pair["difference"])
        counts = (f"{pair['n']:,}", f"{pair['a_only_right']:,}", f"{pair['b_only_right']:,}")
        p_values = (p_value(pair[key]) for key in columns.values())
        rows.append((f"{pair['a']} - {pair['b']}", *counts, *p_values, value, interval, method))
    return aligned(rows)


def _verdict(pair: dict[str, Any], what: str, terms: _Terms) -> list[str]:
    names = f"{pair['a']} and {pair['b']}"
    flips = [f"  {terms.alone.format(flip['right'])} on {flip['item_id']}" for flip in pair.get("flips", [])]
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
        return [f"{names}: {terms.ahead.format(better)}", *areas, *flips]
    seen, of = pair["smallest_visible"], "" if what == "accuracy" else f" in {what}"
    limit = (
        "" if seen is None else f"; a true difference of {number(seen)}{of} would be found four times in five"
    )
    if what == "accuracy" and seen is not None and seen > 1:
        limit = "; so few items would not show any, however large"
    return [f"{names}: no evidence of a difference{limit}", *areas, *flips]


def _best_lines(result: dict[str, Any]) -> list[str]:
    best = result["best"]
    if best is None or best["held_out"] is None:
        return []
    value, interval, _, _ = statistic_cells(best["statistics"]["apparent"])
    among = len(result["contenders"])
    return [
        f"{_terms(result).best} of all on the {best['n']:,} items common to all: {best['name']}, {value} {interval}, which allows for having been chosen of {among}",
        f"  chosen and scored on different clusters: {number(best['held_out'])} (optimism {number(best['optimism'])}); no interval: the splits share their items",
    ]


def _contender_lines(result: dict[str, Any]) -> list[str]:
    """The share right of each, and cost beside it, when the table says what verdicts cost."""
    contenders = result["contenders"]
    priced = any(each["costs"] is not None for each in contenders.values())
    head = ("", _terms(result).share, "interval", "on", *(_COSTS if priced else ()), "")
    rows: list[tuple[str, ...]] = [head]
    for name, each in contenders.items():
        value, interval, on, method = statistic_cells(each["statistics"]["share_right"])
        if each["n_left_out"]:
            on += f" ({each['n_left_out']:,} left out)"
        rows.append((name, value, interval, on, *(_spent(each["costs"]) if priced else ()), method))
    note = "Each by itself, and its cost (tokens of cached replies count; judging systems costs what their judges do):"
    return [note if priced else "Each by itself, on all rows that it has:", *aligned(rows)]


def _spent(costs: dict[str, Any] | None) -> tuple[str, ...]:
    if costs is None:
        return ("not known",) * len(_COSTS)
    money = None if costs["cost_per_verdict"] is None else 1_000 * costs["cost_per_verdict"]
    return _amount(costs["tokens_per_verdict"], 0), _amount(money, 4), _amount(costs["calls"], 0)


def _amount(value: float | None, decimals: int) -> str:
    return "not known" if value is None else f"{value:,.{decimals}f}"
