"""Adjudicated audits: a planted fault that is none counts against the probe, not the judge."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from ...calibration import Settings, table_from_rows
from ...calibration.agreement.adjudication import ALL, adjudicate
from ...calibration.decisions import Decisions
from ...records import ItemKey
from .audit_results import AuditAdjudication, OperatorAdjudicated
from .comparisons import by_operator
from .scored import Scored


def adjudicated_audit(
    judges: Mapping[str, Mapping[ItemKey, Scored]], decisions: Decisions
) -> AuditAdjudication | None:
    """Return how decisions on an audit's probes change its judges' results.

    None if nobody decided any of these probes.
    """
    probes = {str(key) for scored in judges.values() for key in scored}
    mine = Decisions({item: said for item, said in decisions.by_item.items() if item in probes})
    if not mine.by_item:
        return None
    rows = [row for judge, scored in judges.items() for row in _rows(judge, scored.values())]
    whole = adjudicate(table_from_rows(rows), mine, Settings())
    return AuditAdjudication(
        by=whole.by,
        faults=whole.faults,
        judges={judge: list(_operators(judge, scored, mine)) for judge, scored in judges.items()},
    )


def _rows(judge: str, scored: Iterable[Scored]) -> Iterator[dict[str, Any]]:
    """Yield a judge's verdict on each probe, as 1 if the judge treats the probe as faultless."""
    for each in scored:
        if each.score is not None:
            yield {
                "item_id": str(each.facts.key),
                "judge": judge,
                "label": float(each.facts.right),
                "score": float(each.passed),
                "cluster": each.cluster,
            }


def _operators(
    judge: str, scored: Mapping[ItemKey, Scored], mine: Decisions
) -> Iterator[OperatorAdjudicated]:
    graded = (each for each in scored.values() if each.score is not None)
    for operator, group in by_operator(graded).items():
        if any(str(each.facts.key) in mine.by_item for each in group):
            facts = group[0].facts
            rate = "true_positive_rate" if facts.right else "true_negative_rate"
            found = adjudicate(table_from_rows(list(_rows(judge, group))), mine, Settings()).judges[judge]
            yield OperatorAdjudicated(
                operator=operator,
                plants=facts.plants,
                as_labelled=found.as_labelled[rate],
                adjudicated=found.adjudicated[rate],
                lowest=found.lowest[rate],
                highest=found.highest[rate],
                label_errors=found.label_errors[ALL],
            )
