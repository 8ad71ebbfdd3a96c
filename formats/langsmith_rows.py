"""Rows of LangSmith's `evaluate`: an example, its run and its scores in one object."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, TypeGuard

from ..tables.grades import is_missing
from .json_values import is_list, is_object, number_in, parsed

_RESULTS = ("results", "evaluation_results", "feedback")
_COLUMNS = ("feedback.", "outputs.", "reference.")
"""Beginnings of columns, as `to_pandas` names them."""


def is_evaluated_row(value: Any) -> TypeGuard[dict[str, Any]]:
    """Return whether a value names its example, and holds scores of it or a run's columns."""
    if not is_object(value) or is_missing(value.get("example_id")) or is_object(value.get("run")):
        return False
    return bool(_scores(value)) or any(name.startswith(_COLUMNS) for name in value)


def evaluated_pieces(row: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the example of a row, its run if there is an answer or an error, and its feedback."""
    example, error = row["example_id"], row.get("error")
    inputs, outputs = _part(row, "inputs"), _part(row, "outputs")
    reference = _part(row, "reference", "reference_outputs", "expected")
    run = row.get("run_id", row.get("id"))
    has_run = outputs is not None or not is_missing(error)
    if inputs is not None or reference is not None or has_run:
        yield {
            "id": example,
            "dataset_id": "",
            "inputs": inputs or {},
            "outputs": reference,
            "metadata": row.get("metadata"),
        }
    run = example if is_missing(run) or not has_run else run
    if has_run:
        yield {
            "id": run,
            "run_type": "chain",
            "reference_example_id": example,
            "inputs": inputs,
            "outputs": outputs,
            "error": None if is_missing(error) else error,
            "session_name": row.get("experiment") or row.get("experiment_name") or row.get("session_name"),
        }
    for score in _scores(row):
        yield {"run_id": run, "score": None, **score}
    for name, value in row.items():
        key = name.removeprefix("feedback.")
        if key != name and not is_missing(value):
            yield {"run_id": run, "key": key, "score": number_in(value)}


def _scores(row: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the evaluators' results of a row; empty if it has none."""
    for name in _RESULTS:
        held = parsed(row.get(name))
        listed: Any = held.get("results") if is_object(held) else held
        if is_list(listed) and listed and all(is_object(item) and "key" in item for item in listed):
            return [*listed]
    return []


def _part(row: dict[str, Any], *names: str) -> Any:
    """Return the object under a name, or of the columns that begin with it, or None if absent."""
    for name in names:
        if not is_missing(row.get(name)):
            held = parsed(row[name])
            return held if is_object(held) else {name: held}
        dotted = {
            key.removeprefix(f"{name}."): parsed(value)
            for key, value in row.items()
            if key.startswith(f"{name}.")
        }
        present = {key: value for key, value in dotted.items() if not is_missing(value)}
        if present:
            return present
    return None
