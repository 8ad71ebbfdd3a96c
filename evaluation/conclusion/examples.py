"""An example of each of a system's commonest faults."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice

from msgspec.structs import replace

from ...records import ItemKey
from ..store.run_store import RunStore
from .run_results import FaultExample, SystemResult
from .tally import Tally

_COMMONEST = 3

_LONGEST = 300
"""Characters of a reason."""


def with_examples(systems: Sequence[SystemResult], tally: Tally, store: RunStore) -> list[SystemResult]:
    """Add to each system an example output, with its checker's reason, for its three top faults."""
    return [replace(system, examples=dict(_examples(system, tally, store))) for system in systems]


def _examples(system: SystemResult, tally: Tally, store: RunStore) -> Sequence[tuple[str, FaultExample]]:
    checked = tally.checked.get(system.system)
    if checked is None:
        return []
    faults = islice(system.faults, _COMMONEST)
    return [(fault, _example(fault, checked.examples[fault], store)) for fault in faults]


def _example(fault: str, key: ItemKey, store: RunStore) -> FaultExample:
    reasons = (said.reason for said in store.verdicts.on(key) if said.error_type == fault and said.reason)
    reason = next(reasons, None)
    return FaultExample(item=str(key), reason=None if reason is None else reason[:_LONGEST])
