"""Estimates in words: each with its interval, and what the judge added."""

from __future__ import annotations

from typing import Any

from ..lines import aligned, number, statistic_cells

_TARGETS = {
    "population": "Mean label of the population that the items are from; valid when the labelled are a random sample of it.",
    "finite": "Mean label of just these items; valid when the labelled were drawn from them one by one, at random.",
}

_NO_LABEL = (
    "  no item has a label, so nothing can correct that: label some (`fiducial plan TABLE --next 50` draws which), then give "
    "the labels as a column `label`, `--column label=THEIRS`, or verdicts of people by --labels FILE"
)


def estimation_lines(result: dict[str, Any]) -> list[str]:
    """The result of `estimate` for people.

    Args:
        result: What `estimate` gave.

    Returns:
        Lines without line ends.
    """
    lines = [_TARGETS[result["all"]["target"]]]
    for name, part in result.items():
        counts = f"{part['n_labelled']:,} labelled and judged, {part['n_unlabelled']:,} judged only"
        lines += [f"{name}: {counts}, {part['n_missing']:,} without a verdict", *_judge_lines(part)]
        if not part["estimates"]["labels_only"]["n"]:
            lines.append(_NO_LABEL)
            continue
        head = ("estimate", "value", "interval", "on", "method")
        lines += aligned([head, *((key, *statistic_cells(each)) for key, each in part["estimates"].items())])
        lines += _stratum_lines(part)
        lines += [f"warning: {name}: {line}" for line in part["warnings"]]
    return lines + _ranks(result)


def _judge_lines(part: dict[str, Any]) -> list[str]:
    value, interval, on, method = statistic_cells(part["uncorrected"])
    lines = [
        f"  judge's own mean, uncorrected: {' '.join(filter(None, (value, interval)))} on {on}, {method}"
    ]
    if part["lambda"] is None:
        return lines
    worth = part["label_equivalents"]
    equivalents = "" if worth is None else f"; with the judge the labels are worth {worth:,.0f} labels alone"
    return [*lines, f"  lambda {number(part['lambda'])}{equivalents}"]


def _stratum_lines(part: dict[str, Any]) -> list[str]:
    """The strata, each by itself."""
    if part["strata"] is None:
        return []
    rows: list[tuple[str, ...]] = [("stratum", "items", "labels", "lambda", "rate", "interval", "")]
    for name, each in part["strata"].items():
        value, interval, _, method = statistic_cells(each["estimate"])
        rows.append(
            (
                name,
                f"{each['n']:,}",
                f"{each['n_labelled']:,}",
                number(each["lambda"]),
                value,
                interval,
                method,
            )
        )
    return aligned(rows, indent="    ")


def _ranks(result: dict[str, Any]) -> list[str]:
    """The systems by rank, each with the ranks that the intervals leave open."""
    placed = [(part["rank"], name) for name, part in result.items() if part["rank"] is not None]
    known = sorted((rank["value"], name, rank) for rank, name in placed if rank["value"] is not None)
    if not known:
        return []
    rows = [
        ("rank", "system", "may be"),
        *((f"{value:.0f}", name, _places(rank)) for value, name, rank in known),
    ]
    return [f"Ranks (all of them hold together at {known[0][2]['level']:.0%}):", *aligned(rows)]


def _places(rank: dict[str, Any]) -> str:
    return f"{rank['low']:.0f}" if rank["low"] == rank["high"] else f"{rank['low']:.0f} to {rank['high']:.0f}"
