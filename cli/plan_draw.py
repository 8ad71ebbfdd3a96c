"""The draw of `fiducial plan --next`: as a result, as rows of a draw file, and in words."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..calibration.planning.next_labels import next_by_doubt, next_by_stratum, next_to_label, unlabelled_items
from ..calibration.tables.table import PROBABILITY, Table
from ..calibration.true_rate.estimation import of_judge
from ..report.lines import aligned, number


class Draw(NamedTuple):
    """What was drawn.

    Attributes:
        result: ``next``, ``of`` (how many items it was drawn from) and, with strata, ``strata``, for JSON.
        rows: For the draw file.
    """

    result: dict[str, Any]
    rows: list[dict[str, Any]]


def draw(
    table: Table, count: int, *, judge: str | None, by_doubt: bool, strata: str | None, seed: int
) -> Draw:
    """Draw items to label next.

    Args:
        table: Scores, and labels where there are.
        count: How many.
        judge: Whose rows; needed where the table has several judges, but for a simple random sample.
        by_doubt: Likelier where labels are in doubt.
        strata: From each stratum by itself.
        seed: The same seed gives the same items.

    Returns:
        The draw.

    Raises:
        InputError: There is nothing to draw from, or the strata cannot be made.
    """
    table = table if judge is None else of_judge(table, judge)
    if by_doubt or strata is not None:
        of = len(unlabelled_items(table.take(np.isfinite(table.score))))
    else:
        of = len(unlabelled_items(table))
    if strata is not None:
        found = next_by_stratum(table, count, strata, seed=seed)
        rows = [
            {"item_id": item, "stratum": stratum, PROBABILITY: chance}
            for item, (stratum, chance) in found.items.items()
        ]
        plans = {name: plan._asdict() for name, plan in found.strata.items()}
        chances = {str(row["item_id"]): row[PROBABILITY] for row in rows}
        return Draw({"next": chances, "of": of, "strata": plans}, rows)
    if by_doubt:
        chances = next_by_doubt(table, count, seed=seed)
        rows = [{"item_id": item, PROBABILITY: chance} for item, chance in chances.items()]
        return Draw({"next": chances, "of": of}, rows)
    items = next_to_label(table, count, seed=seed)
    return Draw({"next": items, "of": of}, [{"item_id": item} for item in items])


def next_lines(result: dict[str, Any]) -> list[str]:
    """The draw for people.

    Args:
        result: What `plan` found.

    Returns:
        Lines without line ends; none where nothing was drawn.
    """
    lines: list[str] = []
    if "strata" in result:
        rows = [("stratum", "items", "labels", "spread", "label next", "")]
        for name, plan in result["strata"].items():
            counts = (f"{plan['n']:,}", f"{plan['n_labelled']:,}")
            rows.append((name, *counts, number(plan["spread"]), f"{plan['next']:,}", ""))
        lines += ["In proportion to items times spread (Neyman):", *aligned(rows)]
    drawn: list[str] | dict[str, float] | None = result.get("next")
    if drawn is None:
        return lines
    if not drawn:
        return [*lines, "The draw came out empty; a larger --next, or another --seed, draws some."]
    these = f"these {len(drawn):,}" if len(drawn) > 1 else "this one"
    if isinstance(drawn, dict):
        lines.append(
            f"Label {'all of ' * (len(drawn) > 1)}{these}, of {result['of']:,} judged and not labelled (with the chance with which each was drawn):"
        )
        return lines + [f"  {item}  {chance:.4g}" for item, chance in drawn.items()]
    lines.append(
        f"Label {these} next, of {result['of']:,} without a label (a random sample; stopping early is fine):"
    )
    return lines + [f"  {item}" for item in drawn]
