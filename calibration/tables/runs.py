"""Rows of a calibration table from a run folder: the judges' verdicts beside what checkers and people say."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from ...errors import InputError, RecordError
from ...records import Usage, Verdict, decode_record, read_records
from .builder import TableBuilder
from .table import BASELINE, PERSON, Table

_ALL_DECIDED = "a checker decided all that judges were asked about: the rate of these outputs is the checker's, and needs no correction"


class _Judged(NamedTuple):
    """What a row needs of a judge's verdict; replies and evidence would fill the memory."""

    case_id: str
    system: str
    score: float | None
    outcome: str
    calls: int | None
    prompt_tokens: int | None
    completion_tokens: int | None


class _Said(NamedTuple):
    """What a row needs of a trusted verdict."""

    by: str
    score: float | None
    error_type: str | None


def table_from_run(folder: Path, *, clusters: Mapping[str, str] | None = None) -> Table:
    """The calibration table of a run folder.

    Scores are the verdicts of its judges. Labels are the graded verdicts of its checkers (``verdicts.jsonl``) and
    everything in ``labels.jsonl``, which takes precedence. An item is ``case_id|system|trial``.

    Args:
        folder: Holds ``verdicts.jsonl`` and, perhaps, ``labels.jsonl`` and ``clusters.json``.
        clusters: Cluster by case id, instead of what ``clusters.json`` says; a case that is not named is its own.

    Returns:
        The table; beside ``system`` it has ``label_by`` (who gave the label), ``error_type`` (the fault it names),
        what each person says, what the checker says where the label is not its own, and calls and tokens.

    Raises:
        InputError: A file cannot be read, or no judge has said anything.
    """
    builder = TableBuilder()
    builder.extend(((0, row) for row in run_rows(folder, clusters)), path=folder)
    return builder.build()


def run_rows(
    folder: Path, clusters: Mapping[str, str] | None = None, *, open_only: bool = False
) -> Iterator[dict[str, Any]]:
    """The rows of `table_from_run`, one for each judge, output and repeat.

    Args:
        folder: See `table_from_run`.
        clusters: Likewise.
        open_only: Leave out what a checker decided. Decided and open outputs differ, so labels of the former, which
            calibrate a judge, would correct its rate on the latter with great confidence, and wrongly.

    Raises:
        InputError: A file cannot be read, no judge has said anything, or none has of the open part.
    """
    if not (folder / "verdicts.jsonl").exists():
        raise InputError("a folder without verdicts.jsonl is no run folder", path=folder)
    if clusters is None:
        clusters = _clusters(folder / "clusters.json")
    judged, checked = _read_verdicts(folder / "verdicts.jsonl")
    trusted, people = _read_labels(folder / "labels.jsonl")
    if open_only:
        judged = {key: verdict for key, verdict in judged.items() if key[0] not in checked}
        if not judged:
            raise InputError(_ALL_DECIDED, path=folder)
    for (item, judge, repeat), verdict in judged.items():
        label = trusted.get(item, checked.get(item))
        row: dict[str, Any] = {
            "item_id": item,
            "judge": judge,
            "score": verdict.score,
            "label": None if label is None else label.score,
            "cluster": clusters.get(verdict.case_id, verdict.case_id),
            "system": verdict.system,
            "repeat": repeat,
            "outcome": verdict.outcome,
            "label_by": None if label is None else label.by,
            "error_type": None if label is None else label.error_type,
            "calls": verdict.calls,
            "prompt_tokens": verdict.prompt_tokens,
            "completion_tokens": verdict.completion_tokens,
        }
        if item in trusted and item in checked:
            row[f"{BASELINE}checker"] = checked[item].score
        yield row | {f"{PERSON}{name}": score for name, score in people.get(item, {}).items()}


def _read_verdicts(path: Path) -> tuple[dict[tuple[str, str, int], _Judged], dict[str, _Said]]:
    """What judges say of each item, by judge and repeat; and what the checkers do."""
    judged: dict[tuple[str, str, int], _Judged] = {}
    checked: dict[str, _Said] = {}
    names: dict[str, str] = {}
    for verdict in read_records(path, Verdict):
        item, judge = str(verdict.key), names.setdefault(verdict.by, verdict.by)
        item = names.setdefault(item, item)
        if verdict.source == "judge":
            key = (item, judge, verdict.repeat)
            # After a resume a later line replaces an ungraded one; what that one cost was spent all the same.
            spent = _spent(judged.get(key), verdict.usage)
            case, system = (names.setdefault(name, name) for name in (verdict.case_id, verdict.system))
            judged[key] = _Judged(case, system, verdict.score, verdict.outcome, *spent)
        elif verdict.graded:
            checked[item] = _Said(judge, verdict.score, verdict.error_type)
    if not judged:
        raise InputError("there is no verdict of a judge to calibrate", path=path)
    return judged, checked


def _spent(before: _Judged | None, usage: Usage | None) -> tuple[int | None, int | None, int | None]:
    """Calls, prompt and completion tokens of a verdict and of those it replaces; None where it is not known."""
    known = (None, None, None) if before is None else before[-3:]
    if usage is None:
        return known
    calls, prompt, completion = (amount or 0 for amount in known)
    return calls + usage.calls, prompt + usage.prompt_tokens, completion + usage.completion_tokens


def _read_labels(path: Path) -> tuple[dict[str, _Said], dict[str, dict[str, float]]]:
    """The label of each item, which is the last one given; and what each person says of it."""
    trusted: dict[str, _Said] = {}
    people: defaultdict[str, dict[str, float]] = defaultdict(dict)
    if path.exists() and path.stat().st_size:
        for verdict in read_records(path, Verdict):
            if verdict.score is not None:
                trusted[str(verdict.key)] = _Said(verdict.by, verdict.score, verdict.error_type)
                if verdict.source == "human":
                    people[str(verdict.key)][verdict.by] = verdict.score
    return trusted, people


def _clusters(path: Path) -> dict[str, str]:
    """Cluster by case id, as the run wrote it; a run without it has no case that depends on another."""
    if not path.exists():
        return {}
    try:
        return decode_record(path.read_bytes(), dict[str, str])
    except (OSError, RecordError) as error:
        raise InputError(f"cannot be read as clusters by case: {error}", path=path) from error
