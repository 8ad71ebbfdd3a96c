"""Merge runs of parts of one data set into one run, and conclude it like any other."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from datetime import datetime
from itertools import groupby
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from ...errors import RecordError, RunFolderError
from ...judges.prices import PriceList
from ...records import FolderPath, InputPath, Verdict
from ..conclusion.conclude import conclude
from ..conclusion.run_summary import RunSummary
from ..context import RunContext
from ..inputs import EvaluationInputs
from ..progress import Progress
from ..store.journal import VerdictJournal
from ..store.journal_rows import VerdictKey, read_row
from ..store.kept_inputs import keep_inputs
from ..store.manifest import JudgeRecord, component_versions
from ..store.run_store import RunStore
from ..store.run_writer import RunWriter

_PARTS_DIFFER = frozenset({"inputs", "checkers", "sharded"})
"""Facts of a run's identity that may differ between parts."""


def merge_runs(
    runs: Sequence[Path],
    out: FolderPath,
    *,
    prices: PriceList | None,
    command: str,
    progress: Progress,
    now: datetime,
) -> RunSummary:
    """Join finished runs, without checking outputs or asking judges.

    The numbers equal those of one run over all inputs as a set of shards, to the last digit, regardless of the division into
    parts and of their order. After a kill, the same call resumes.

    Raises:
        RunFolderError: One of them is not finished, or they differ in rules, judges, checkers or thresholds.
        RecordError: They have different verdicts of a judge on one output, or a case or output is in the inputs of two of them.
        InputError: An input cannot be read.
    """
    with ExitStack() as exits:
        stores = [exits.enter_context(RunStore(run)) for run in runs]
        for store in stores:
            _ = store.finished()
            store.require_unedited()
            _require_same_run(stores[0], store)
        parts = [store.inputs for store in stores]
        cases = _once(path for part in parts for path in part.cases)
        outputs = _once(path for part in parts for path in part.outputs)
        inputs = exits.enter_context(EvaluationInputs(cases, outputs, sharded=True))
        writer = exits.enter_context(RunWriter(out))
        hashes = [file.sha256 for file in inputs.survey.files]
        own = {"inputs": hashes, "sharded": True, **_checkers(stores)}
        writer.bind(**{**stores[0].manifest.identity, **own})
        writer.enlist(_judges(stores))
        first = stores[0].manifest
        writer.update(
            status="running",
            started=now.isoformat(timespec="seconds"),
            command=command,
            notes=list(dict.fromkeys(note for store in stores for note in store.manifest.notes or ())),
            inputs=keep_inputs(writer.path, inputs),
            case_files=len(cases),
            missing=inputs.survey.missing,
            statements=first.statements,
            juries=first.juries,
            criteria=first.criteria,
        )
        progress.begin("merging", sum(len(store.verdicts.standing) for store in stores))
        for store in stores:
            _add(store.verdicts, writer.verdicts, progress)
            if store.manifest.statements:
                _add(store.statements, writer.statements, progress)
        _put_labels(stores, writer)
        summary = conclude(RunContext(inputs, writer, progress), prices=prices)
        writer.update(
            status="complete", ended=now.isoformat(timespec="seconds"), versions=component_versions()
        )
        return summary


def _require_same_run(first: RunStore, other: RunStore) -> None:
    """Refuse parts that were not made in the same way."""
    differing = list(dict.fromkeys(_differences(first, other)))
    if differing:
        raise RunFolderError(
            f"{other.path}: differs from {first.path} in {', '.join(differing)}; they are not parts of one run"
        )


def _differences(first: RunStore, other: RunStore) -> Iterator[str]:
    """Yield what differs between runs that should have been made in the same way."""
    one, two = first.manifest, other.manifest
    facts = sorted((set(one.identity) | set(two.identity)) - _PARTS_DIFFER)
    yield from (fact for fact in facts if one.identity.get(fact) != two.identity.get(fact))
    judges, others = ({judge.id: judge for judge in store.roster} for store in (first, other))
    yield from (f"judge {(judges | others)[id_].by}" for id_ in judges.keys() ^ others.keys())
    common = [id_ for id_ in judges if id_ in others]
    for id_ in common:
        if judges[id_].threshold != others[id_].threshold:
            yield f"the threshold of {judges[id_].by}"
    for name in ("statements", "juries", "criteria"):
        if getattr(one, name) != getattr(two, name):
            yield name
    repeats, others_repeats = first.verdicts.standing.repeats, other.verdicts.standing.repeats
    for id_ in common:
        if id_ in repeats and id_ in others_repeats and repeats[id_] != others_repeats[id_]:
            yield f"how often {judges[id_].by} was asked"
    if (one.versions or {}).get("fiducial") != (two.versions or {}).get("fiducial"):
        yield "fiducial's version"


def _checkers(stores: Sequence[RunStore]) -> dict[str, Any]:
    """Return the custom checkers of all parts, which must agree on each kind."""
    fingerprints: dict[str, str] = {}
    for store in stores:
        own: Mapping[str, str] = store.manifest.identity.get("checkers", {})
        for kind, fingerprint in own.items():
            if fingerprints.setdefault(kind, fingerprint) != fingerprint:
                raise RunFolderError(
                    f"{store.path}: was checked with another version of the checker of {kind} than the earlier runs; check it again"
                )
    return {"checkers": fingerprints} if fingerprints else {}


def _judges(stores: Sequence[RunStore]) -> Iterator[JudgeRecord]:
    """Yield the judges, each with its total asking time over all parts."""
    for judge in stores[0].roster:
        records = [store.roster.get(judge.id) for store in stores]
        seconds = [record.seconds for record in records if record is not None and record.seconds is not None]
        yield replace(judge, seconds=round(sum(seconds), 3) if seconds else None)


def _once(paths: Iterable[InputPath]) -> tuple[InputPath, ...]:
    """Return each file once, by name, since parts may share the cases."""
    files: dict[str, InputPath] = {}
    for path in paths:
        files.setdefault(str(path.resolve()) if isinstance(path, Path) else str(path), path)
    return tuple(files[name] for name in sorted(files))


def _add(source: VerdictJournal, target: VerdictJournal, progress: Progress) -> None:
    """Add the rows of a journal that are missing."""
    for number in range(len(source.standing)):
        raw = source.line(number)
        row = read_row(raw, path=source.path)
        before = target.standing.row_of(VerdictKey(row.key, row.author, row.repeat))
        if before is not None:
            target.flush()
        same = before is not None and target.line(before) == raw
        if before is None or (target.standing[before].score is None and not same):
            target.append_line(raw, row)
        elif row.score is not None and not same:
            message = f"{row.by} says something else of {row.key} here than in a run before it"
            line = source.line_number(number)
            raise RecordError(message, path=source.path, line=line)
        progress.advance()
    target.flush()


def _put_labels(stores: Sequence[RunStore], writer: RunWriter) -> None:
    """Write the labels and decisions of all parts, sorted, because the last one counts."""
    labels = sorted((label for store in stores for label in store.labels), key=_sort_key)
    if labels:
        writer.put_labels(label for label, _ in groupby(labels))
    decisions = sorted((each for store in stores for _, each in store.adjudications), key=_sort_key)
    if decisions:
        writer.put_adjudications(decision for decision, _ in groupby(decisions))


def _sort_key(verdict: Verdict) -> tuple[Any, ...]:
    return verdict.key, verdict.by, verdict.repeat
