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
from ..store.manifest import KnownJudge, component_versions
from ..store.run_store import RunStore
from ..store.run_writer import RunWriter

_PARTS_DIFFER = frozenset({"inputs", "checkers", "sharded"})
"""What of a run's identity may be another in each part."""


def merge_runs(
    runs: Sequence[Path],
    out: FolderPath,
    *,
    prices: PriceList | None,
    command: str,
    progress: Progress,
    now: datetime,
) -> RunSummary:
    """Join finished runs.

    Nothing is checked or asked. The numbers are those of one run over all of the inputs as a set of shards, to the last digit, whatever the
    parts are and in whatever order they come. Started again after a kill it goes on.

    Raises:
        RunFolderError: One of them is not finished, or they differ in rules, judges, checkers or thresholds.
        RecordError: They say different things of one output, or one case or output is in the inputs of two of them.
        InputError: An input cannot be read.
    """
    with ExitStack() as exits:
        stores = [exits.enter_context(RunStore(run)) for run in runs]
        for store in stores:
            _ = store.finished()
            store.refuse_edited()
            _refuse_different(stores[0], store)
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


def _refuse_different(first: RunStore, other: RunStore) -> None:
    """Refuse parts that were not made in the same way."""
    one, two = first.manifest, other.manifest
    facts = (set(one.identity) | set(two.identity)) - _PARTS_DIFFER
    differing = sorted(fact for fact in facts if one.identity.get(fact) != two.identity.get(fact))
    judges, others = ({judge.id: judge for judge in store.roster} for store in (first, other))
    differing += [f"judge {(judges | others)[each].by}" for each in judges.keys() ^ others.keys()]
    differing += [
        f"the threshold of {judges[each].by}"
        for each in judges
        if each in others and judges[each].threshold != others[each].threshold
    ]
    differing += [
        name for name in ("statements", "juries", "criteria") if getattr(one, name) != getattr(two, name)
    ]
    asked = first.verdicts.standing.repeats, other.verdicts.standing.repeats
    differing += [
        f"how often {judges[each].by} was asked"
        for each in judges
        if each in asked[0] and each in asked[1] and asked[0][each] != asked[1][each]
    ]
    versions = [(manifest.versions or {}).get("fiducial") for manifest in (one, two)]
    differing += ["fiducial's version"] if versions[0] != versions[1] else []
    if differing:
        raise RunFolderError(
            f"{other.path}: differs from {first.path} in {', '.join(dict.fromkeys(differing))}; they are not parts of one run"
        )


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


def _judges(stores: Sequence[RunStore]) -> Iterator[KnownJudge]:
    """Yield the judges, each with its total asking time over all parts."""
    for judge in stores[0].roster:
        took = [
            judge_of_run.seconds
            for store in stores
            if (judge_of_run := store.roster.get(judge.id)) is not None
        ]
        seconds = [each for each in took if each is not None]
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
            line = source.line_of(number)
            raise RecordError(message, path=source.path, line=line)
        progress.advance()
    target.flush()


def _put_labels(stores: Sequence[RunStore], writer: RunWriter) -> None:
    """Write the labels and decisions of all parts, sorted, since an output's last one counts."""
    labels = sorted((label for store in stores for label in store.labels), key=_place)
    if labels:
        writer.put_labels(label for label, _ in groupby(labels))
    decisions = sorted((said for store in stores for _, said in store.adjudications), key=_place)
    if decisions:
        writer.put_adjudications(said for said, _ in groupby(decisions))


def _place(verdict: Verdict) -> tuple[Any, ...]:
    return verdict.key, verdict.by, verdict.repeat
