"""Estimates in words: each with its interval, and what the judge added."""

from __future__ import annotations

from typing import Any

from .wording import aligned, number, statistic_cells


def estimation_lines(result: dict[str, Any]) -> list[str]:
    """The result of `estimate` for people.

    Args:
        result: What `estimate` gave.

    Returns:
        Lines without line ends.
    """
    lines = ["Mean label of the population; valid when the labelled items are a random sample of it."]
    for name, part in result.items():
        counts = f"{part['n_labelled']:,} labelled and judged, {part['n_unlabelled']:,} judged only"
        lines += [f"{name}: {counts}, {part['n_missing']:,} without a verdict", *_judge_lines(part)]
        head = ("estimate", "value", "interval", "on", "method")
        lines += aligned([head, *((key, *statistic_cells(each)) for key, each in part["estimates"].items())])
        lines += [f"warning: {name}: {line}" for line in part["warnings"]]
    return lines + _ranks(result)


def _judge_lines(part: dict[str, Any]) -> list[str]:
    if part["lambda"] is None:
        return []
    worth = part["label_equivalents"]
    equivalents = "" if worth is None else f"; with it the labels are worth {worth:,.0f} labels alone"
    return [
        f"  judge's own mean, uncorrected: {number(part['judge_mean'])}; lambda {number(part['lambda'])}{equivalents}"
    ]


def _ranks(result: dict[str, Any]) -> list[str]:
    values = {
        name: part["estimates"]["ppi_plus_plus"]["value"]
        for name, part in result.items()
        if name != "all" and part["estimates"]["ppi_plus_plus"]["value"] is not None
    }
    if len(values) < 2:  # noqa: PLR2004 - a ranking needs two
        return []
    ranked = sorted(values, key=lambda name: -values[name])
    return ["ranked by ppi_plus_plus: " + ", ".join(f"{name} {number(values[name])}" for name in ranked)]
