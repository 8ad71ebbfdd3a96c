"""Merge runs over parts of one data set into a single run."""

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

_MAY_DIFFER = frozenset({"inputs", "checkers", "sharded"})
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
    """Merge finished runs into one, without checking outputs or asking judges.

    All numbers equal those of one run over all inputs as shards, to the last digit, regardless of how the inputs are divided and
    in which order the runs are given. After a kill, the same call resumes.

    Raises:
        RunFolderError: A run is not finished, or runs differ in rules, judges, checkers or thresholds.
        RecordError: Runs have different verdicts of a judge on one output, or share a case or output.
        InputError: An input cannot be read.
    """
    with ExitStack() as exits:
        stores = [exits.enter_context(RunStore(run)) for run in runs]
        for store in stores:
            _ = store.finished()
            store.require_unedited()
            _require_same_run(stores[0], store)
        inputs_by_run = [store.inputs for store in stores]
        cases = _distinct_files(path for run_inputs in inputs_by_run for path in run_inputs.cases)
        outputs = _distinct_files(path for run_inputs in inputs_by_run for path in run_inputs.outputs)
        inputs = exits.enter_context(EvaluationInputs(cases, outputs, sharded=True))
        writer = exits.enter_context(RunWriter(out))
        input_hashes = [file.sha256 for file in inputs.survey.files]
        merged_facts = {"inputs": input_hashes, "sharded": True, **_merged_checkers(stores)}
        writer.bind(**{**stores[0].manifest.identity, **merged_facts})
        writer.enlist(_merged_judges(stores))
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
            _add_missing_rows(store.verdicts, writer.verdicts, progress)
            if store.manifest.statements:
                _add_missing_rows(store.statements, writer.statements, progress)
        _write_labels(stores, writer)
        summary = conclude(RunContext(inputs, writer, progress), prices=prices)
        writer.update(
            status="complete", ended=now.isoformat(timespec="seconds"), versions=component_versions()
        )
        return summary


def _require_same_run(first: RunStore, other: RunStore) -> None:
    """Require that two runs have the same settings."""
    differing = list(dict.fromkeys(_differences(first, other)))
    if differing:
        raise RunFolderError(
            f"{other.path}: differs from {first.path} in {', '.join(differing)}; they are not parts of one run"
        )


def _differences(first: RunStore, other: RunStore) -> Iterator[str]:
    """Yield the names of settings in which two runs differ."""
    first_manifest, other_manifest = first.manifest, other.manifest
    facts = sorted((set(first_manifest.identity) | set(other_manifest.identity)) - _MAY_DIFFER)
    yield from (
        fact for fact in facts if first_manifest.identity.get(fact) != other_manifest.identity.get(fact)
    )
    judges, other_judges = ({judge.id: judge for judge in store.roster} for store in (first, other))
    yield from (
        f"judge {(judges | other_judges)[judge_id].by}" for judge_id in judges.keys() ^ other_judges.keys()
    )
    common = [judge_id for judge_id in judges if judge_id in other_judges]
    for judge_id in common:
        if judges[judge_id].threshold != other_judges[judge_id].threshold:
            yield f"the threshold of {judges[judge_id].by}"
    for name in ("statements", "juries", "criteria"):
        if getattr(first_manifest, name) != getattr(other_manifest, name):
            yield name
    repeats, other_repeats = first.verdicts.standing.repeats, other.verdicts.standing.repeats
    for judge_id in common:
        # A part without an undecided output has no verdict of the judge.
        if judge_id in repeats and judge_id in other_repeats and repeats[judge_id] != other_repeats[judge_id]:
            yield f"how often {judges[judge_id].by} was asked"
    if (first_manifest.versions or {}).get("fiducial") != (other_manifest.versions or {}).get("fiducial"):
        yield "fiducial's version"


def _merged_checkers(stores: Sequence[RunStore]) -> dict[str, Any]:
    """Return the custom checkers of all parts, which must agree on each kind."""
    fingerprints: dict[str, str] = {}
    for store in stores:
        custom_checkers: Mapping[str, str] = store.manifest.identity.get("checkers", {})
        for kind, fingerprint in custom_checkers.items():
            if fingerprints.setdefault(kind, fingerprint) != fingerprint:
                raise RunFolderError(
                    f"{store.path}: was checked with another version of the checker of {kind} than the earlier runs; check it again"
                )
    return {"checkers": fingerprints} if fingerprints else {}


def _merged_judges(stores: Sequence[RunStore]) -> Iterator[JudgeRecord]:
    """Yield the judges, each with the total duration of its calls over all runs."""
    for judge in stores[0].roster:
        records = [store.roster.get(judge.id) for store in stores]
        seconds = [record.seconds for record in records if record is not None and record.seconds is not None]
        yield replace(judge, seconds=round(sum(seconds), 3) if seconds else None)


def _distinct_files(paths: Iterable[InputPath]) -> tuple[InputPath, ...]:
    """Return each file once, by name, because runs may share case files."""
    files: dict[str, InputPath] = {}
    for path in paths:
        files.setdefault(str(path.resolve()) if isinstance(path, Path) else str(path), path)
    return tuple(files[name] for name in sorted(files))


def _add_missing_rows(source: VerdictJournal, target: VerdictJournal, progress: Progress) -> None:
    """Add the rows of a journal that the target lacks, or has without a score only.

    Raises:
        RecordError: The journals have different verdicts of a judge on one output.
    """
    for number in range(len(source.standing)):
        row_bytes = source.line(number)
        row = read_row(row_bytes, path=source.path)
        present = target.standing.row_of(VerdictKey(row.key, row.author, row.repeat))
        if present is not None:
            target.flush()  # the row to compare with may still be buffered
        is_identical = present is not None and target.line(present) == row_bytes
        if present is None or (target.standing[present].score is None and not is_identical):
            target.append_line(row_bytes, row)
        elif row.score is not None and not is_identical:
            message = f"{row.by} says something else of {row.key} here than in a run before it"
            line = source.line_number(number)
            raise RecordError(message, path=source.path, line=line)
        progress.advance()
    target.flush()


def _write_labels(stores: Sequence[RunStore], writer: RunWriter) -> None:
    """Write the labels and decisions of all runs, sorted so that order of runs has no effect."""
    labels = sorted((label for store in stores for label in store.labels), key=_sort_key)
    if labels:
        # Of equal neighbours, `groupby` leaves one.
        writer.put_labels(label for label, _ in groupby(labels))
    decisions = sorted((decision for store in stores for _, decision in store.adjudications), key=_sort_key)
    if decisions:
        writer.put_adjudications(decision for decision, _ in groupby(decisions))


def _sort_key(verdict: Verdict) -> tuple[Any, ...]:
    return verdict.key, verdict.by, verdict.repeat
