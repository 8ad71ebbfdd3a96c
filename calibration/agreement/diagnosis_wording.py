"""What stands beside the agreement of each judge, in words: judges among themselves, scores as probabilities."""

from __future__ import annotations

from typing import Any

from ..lines import aligned, number, statistic_cells, statistic_lines

_NOTABLE, _SHOWN = 0.02, 3

_DESCRIPTIVE = ("reliability", "resolution", "remainder")
"""Parts of the Brier score of the rows at hand, which the JSON has: their corrected forms say what is true of the judge."""


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


def probability_lines(result: dict[str, Any]) -> list[str]:
    """Scores read as probabilities; nothing for judges that say 0 or 1 only.

    Args:
        result: What `calibrate` gave.

    Returns:
        Lines without line ends.
    """
    lines: list[str] = []
    for judge, found in result.get("probability", {}).items():
        confidence = {f"confidence: {name}": each for name, each in found["confidence"].items()}
        shown = {name: each for name, each in found["statistics"].items() if name not in _DESCRIPTIVE}
        lines += [
            f"{judge}, scores read as probabilities ({found['groups']} {found['grouping']}; parts of the Brier score, confidence in its verdicts):",
            *statistic_lines(shown | confidence),
        ]
    return lines


def system_lines(result: dict[str, Any]) -> list[str]:
    """Agreement on systems, a line a judge; nothing for a table of one system.

    Args:
        result: What `calibrate` gave.

    Returns:
        Lines without line ends.
    """
    judges = result.get("systems", {})
    if not judges:
        return []
    head = ("judge", "systems", "Kendall's tau-b", "largest difference", "interval", "of", "")
    rows: list[tuple[str, ...]] = [head]
    for judge, found in judges.items():
        value, interval, _, method = statistic_cells(found["largest_difference"])
        worst = max(found["systems"], key=lambda name: abs(found["systems"][name]["difference"]["value"]))
        count = f"{len(found['systems']):,}"
        rows.append((judge, count, _value(found["kendall_tau_b"]), value, interval, worst, method))
    return ["Means of systems, by judge and by labels (each system is in the JSON):", *aligned(rows)]


def recalibration_lines(result: dict[str, Any]) -> list[str]:
    """What a map from scores to rates is worth; nothing where none was asked for.

    Args:
        result: What `calibrate` gave.

    Returns:
        Lines without line ends.
    """
    lines: list[str] = []
    for judge, found in result.get("recalibration", {}).items():
        scores = {f"Brier score {name}": found[name] for name in ("before", "after", "change")}
        lines += [
            f"{judge}, scores mapped to rates ({found['method']}, each tenth of the clusters by a map of the others; the map is in the JSON):",
            *statistic_lines(scores),
        ]
    return lines
