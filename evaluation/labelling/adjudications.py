"""Adjudications of a run: people's decisions between judge and label."""

from __future__ import annotations

from collections.abc import Sequence

from ...calibration.decisions import Decisions, decisions_of, read_decisions
from ...errors import RunFolderError
from ...records import Case, InputPath, ItemKey, read_records
from ..store.file_names import ADJUDICATIONS
from ..store.run_store import RunStore


def decisions_on(stores: Sequence[RunStore], more: InputPath | None = None) -> Decisions:
    """Return the decisions on outputs of runs, with the category of each output.

    Categories are read only if the cases exist unchanged.
    """
    decisions = Decisions()
    for store in stores:
        decisions += decisions_of(store.adjudications, store.path / ADJUDICATIONS)
    if more is not None:
        decisions += read_decisions(more)
    if not decisions.by_item:
        return decisions
    categories = {item: name for store in stores for item, name in categories_of(store).items()}
    return decisions._replace(categories=categories)


def categories_of(store: RunStore) -> dict[str, str]:
    """Return the category of each output with a verdict; empty if the cases are gone.

    It is the case's tag ``category``, or its kind.
    """
    try:
        files = store.inputs.cases
        cases = {case.id: _category(case) for path in files for case in read_records(path, Case)}
    except RunFolderError:
        return {}
    keys: set[ItemKey] = {verdict.key for verdict in store.verdicts.standing}
    return {str(key): cases[key.case_id] for key in keys if key.case_id in cases}


def _category(case: Case) -> str:
    tag = case.tags.get("category")
    return tag if isinstance(tag, str) and tag else case.kind
