"""Members of the juries of runs, for calibration tables."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ..calibration.tables.calibration_table import JuryMembers, Table
from .store.run_store import RunStore


def with_juries(table: Table, stores: Sequence[RunStore]) -> Table:
    """Return the table with the juries of runs; of `escalate` only one verdict counts."""
    names = {judge: name for name, judge in table.judges.items()}
    juries = [each for store in stores for each in store.manifest_or_empty.juries]
    found: dict[str, JuryMembers] = {}
    for jury in juries:
        if jury.id in names and jury.rule != "escalate":
            weights = zip(jury.members, jury.weights, strict=True)
            known = {names[member.id]: weight for member, weight in weights if member.id in names}
            found[names[jury.id]] = JuryMembers(known, by_score=jury.rule == "mean")
    return replace(table, juries=found) if found else table
