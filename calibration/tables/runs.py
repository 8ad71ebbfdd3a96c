"""Rows of a calibration table from a run folder: the judges' verdicts beside what checkers and people say."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any, NamedTuple

import msgspec

from ...errors import InputError, RecordError
from ...records import (
    FolderPath,
    InputPath,
    JudgeId,
    ShownNames,
    Usage,
    Verdict,
    decode_record,
    read_lines,
    read_records,
)
from ..cuts import Cut
from .builder import TableBuilder
from .table import BASELINE, DECIDED, DECIDED_BY, PERSON, Table

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
    """What a row needs of a trusted verdict, or of a checker's that leaves the output open."""

    case_id: str
    system: str
    by: str
    score: float | None
    error_type: str | None


def table_from_run(folder: FolderPath, *, clusters: Mapping[str, str] | None = None) -> Table:
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
    builder, names = TableBuilder(), ShownNames()
    builder.extend(((0, row) for row in run_rows(folder, clusters, names=names)), path=folder)
    return replace(builder.build(judges=names.judges), cuts=run_cuts([folder], names.judges))


class _Known(msgspec.Struct, frozen=True):
    id: JudgeId
    cut: Cut = Cut()


class _Manifest(msgspec.Struct, frozen=True):
    roster: list[_Known] = []


def run_cuts(folders: Iterable[FolderPath], judges: Mapping[str, JudgeId]) -> dict[str, Cut]:
    """From which score on the verdicts of judges pass, as their runs were told or the judges declare.

    Args:
        folders: Run folders; of a judge that is in several the last counts.
        judges: The judges of a table, by name.

    Returns:
        The cuts by name, of those judges that are known there.

    Raises:
        InputError: A manifest cannot be read.
    """
    cuts: dict[JudgeId, Cut] = {}
    for path in (folder / "run.json" for folder in folders):
        if path.exists():
            try:
                known = decode_record(path.read_bytes(), _Manifest).roster
            except (OSError, RecordError) as error:
                raise InputError(f"cannot be read as the manifest of a run: {error}", path=path) from error
            cuts |= {judge.id: judge.cut for judge in known}
    return {name: cuts[judge] for name, judge in judges.items() if judge in cuts}


def run_rows(
    folder: FolderPath,
    clusters: Mapping[str, str] | None = None,
    *,
    open_only: bool = False,
    names: ShownNames | None = None,
) -> Iterator[dict[str, Any]]:
    """The rows of `table_from_run`, one for each judge, output and repeat.

    Args:
        folder: See `table_from_run`.
        clusters: Likewise.
        open_only: Leave out what a checker decided. Decided and open outputs differ, so labels of the former, which
            calibrate a judge, would correct its rate on the latter with great confidence, and wrongly.
        names: The names that judges have in other run folders of the same table; learns those of this one.

    Raises:
        InputError: A file cannot be read, no judge has said anything, or none has of the open part.
    """
    if clusters is None:
        clusters = read_clusters(folder / "clusters.json")
    judged, seen = _read_verdicts(folder, names or ShownNames())
    if not judged:
        raise InputError("there is no verdict of a judge to calibrate", path=folder / "verdicts.jsonl")
    checked = {item: said for item, said in seen.items() if said.score is not None}
    trusted, people = _read_labels(folder / "labels.jsonl")
    if open_only:
        judged = {key: verdict for key, verdict in judged.items() if key[0] not in checked}
        if not judged:
            raise InputError(_ALL_DECIDED, path=folder)
    for key, verdict in judged.items():
        item = key[0]
        label = trusted.get(item, checked.get(item))
        row = _judged_row(key, verdict, clusters) | {
            "label": None if label is None else label.score,
            "outcome": verdict.outcome,
            "label_by": None if label is None else label.by,
            "error_type": None if label is None else label.error_type,
        }
        if item in trusted and item in checked:
            row[f"{BASELINE}checker"] = checked[item].score
        yield row | {f"{PERSON}{name}": score for name, score in people.get(item, {}).items()}


def output_rows(
    folder: FolderPath, clusters: Mapping[str, str] | None = None, *, names: ShownNames | None = None
) -> Iterator[dict[str, Any]]:
    """What a run says of each output: what its checker decided, beside what each judge says, and a label where it is open.

    An output that no judge was asked about has one row, without a score. Statements of an answer are no outputs.

    Args:
        folder: See `table_from_run`; no judge need have said anything.
        clusters: Likewise.
        names: See `run_rows`.

    Raises:
        InputError: A file cannot be read.
    """
    names = names or ShownNames()
    if clusters is None:
        clusters = read_clusters(folder / "clusters.json")
    judged, checked = _read_verdicts(folder, names)
    trusted, _ = _read_labels(folder / "labels.jsonl")
    silent = checked.keys() - {item for item, _, _ in judged}
    shares = {name for name, judge in names.judges.items() if judge.kind == "share"}
    split = {(verdict.case_id, verdict.system) for (_, by, _), verdict in judged.items() if by in shares}
    for key, verdict in judged.items():
        item = key[0]
        # A run checks every output; a run that only judges has no checker's word of any.
        is_statement = (verdict.case_id.rpartition("#")[0], verdict.system) in split
        if item not in checked if checked else is_statement:
            continue
        yield _judged_row(key, verdict, clusters) | _standing(item, checked.get(item), trusted)
    for item, said in checked.items():
        if item in silent:
            cluster = clusters.get(said.case_id, said.case_id)
            nothing = {
                "item_id": item,
                "judge": said.by,
                "score": None,
                "cluster": cluster,
                "system": said.system,
            }
            yield nothing | _standing(item, said, trusted)


def _judged_row(key: tuple[str, str, int], verdict: _Judged, clusters: Mapping[str, str]) -> dict[str, Any]:
    item, judge, repeat = key
    return {
        "item_id": item,
        "judge": judge,
        "score": verdict.score,
        "cluster": clusters.get(verdict.case_id, verdict.case_id),
        "system": verdict.system,
        "repeat": repeat,
        "calls": verdict.calls,
        "prompt_tokens": verdict.prompt_tokens,
        "completion_tokens": verdict.completion_tokens,
    }


def _standing(item: str, checked: _Said | None, trusted: Mapping[str, _Said]) -> dict[str, Any]:
    """What a checker decided of an output, or else its label."""
    if checked is not None and checked.score is not None:
        return {"label": None, DECIDED: checked.score, DECIDED_BY: checked.by}
    label = trusted.get(item)
    return {"label": None if label is None else label.score, DECIDED: None, DECIDED_BY: None}


def _read_verdicts(
    folder: FolderPath, shown: ShownNames
) -> tuple[dict[tuple[str, str, int], _Judged], dict[str, _Said]]:
    """What judges say of each item, by judge and repeat; and what the checkers do, whether that decides it or not."""
    path = folder / "verdicts.jsonl"
    if not path.exists():
        raise InputError("a folder without verdicts.jsonl is no run folder", path=folder)
    judged: dict[tuple[str, str, int], _Judged] = {}
    checked: dict[str, _Said] = {}
    names: dict[str, str] = {}
    for verdict in read_records(path, Verdict):
        item = str(verdict.key)
        item = names.setdefault(item, item)
        case, system = (names.setdefault(name, name) for name in (verdict.case_id, verdict.system))
        if verdict.source == "judge":
            key = (item, shown.of(verdict.author, verdict.by), verdict.repeat)
            # After a resume a later line replaces an ungraded one; what that one cost was spent all the same.
            spent = _spent(judged.get(key), verdict.usage)
            judged[key] = _Judged(case, system, verdict.score, verdict.outcome, *spent)
        elif verdict.graded or item not in checked:
            by = names.setdefault(verdict.by, verdict.by)
            checked[item] = _Said(case, system, by, verdict.score, verdict.error_type)
    return judged, checked


def _spent(before: _Judged | None, usage: Usage | None) -> tuple[int | None, int | None, int | None]:
    """Calls, prompt and completion tokens of a verdict and of those it replaces; None where it is not known."""
    known = (None, None, None) if before is None else before[-3:]
    if usage is None:
        return known
    calls, prompt, completion = (amount or 0 for amount in known)
    return calls + usage.calls, prompt + usage.prompt_tokens, completion + usage.completion_tokens


def _read_labels(path: InputPath) -> tuple[dict[str, _Said], dict[str, dict[str, float]]]:
    """The label of each item, which is the last one given; and what each person says of it."""
    trusted: dict[str, _Said] = {}
    people: defaultdict[str, dict[str, float]] = defaultdict(dict)
    if path.exists() and any(read_lines(path)):
        for verdict in read_records(path, Verdict):
            if verdict.score is not None:
                trusted[str(verdict.key)] = _Said(
                    verdict.case_id, verdict.system, verdict.by, verdict.score, verdict.error_type
                )
                if verdict.source == "human":
                    people[str(verdict.key)][verdict.by] = verdict.score
    return trusted, people


def read_clusters(path: InputPath) -> dict[str, str]:
    """Cluster by case id, as the run wrote it; a run without it has no case that depends on another."""
    if not path.exists():
        return {}
    try:
        return decode_record(path.read_bytes(), dict[str, str])
    except (OSError, RecordError) as error:
        raise InputError(f"cannot be read as clusters by case: {error}", path=path) from error
