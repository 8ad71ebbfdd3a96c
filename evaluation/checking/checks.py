"""First stage: check every output, into a run folder or a file of verdicts."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from ...deterministic.artifacts.dependencies import UnknownDependency
from ...deterministic.checkers import check
from ...deterministic.options import CheckOptions
from ...records import (
    KINDS,
    Case,
    InputPath,
    Kind,
    Output,
    Verdict,
    atomic_write,
    decode_record,
    encode_record,
    kind_spec,
    read_records,
)
from ...records.disk_files import shards_of
from ..conclusion.run_results import SystemResult
from ..conclusion.running_counts import Tally
from ..engines.worker_processes import cores, map_ordered
from ..inputs import EvaluationInputs, FileSlice, outputs_in
from ..progress import Progress
from ..store.journal_rows import JournalRow, VerdictKey, read_row
from .dependent_challenges import UNKNOWN, apply_dependencies
from .dotted_names import NamesOption, NamesVote

if TYPE_CHECKING:
    from ..context import RunContext
    from ..engines.ray_engine import RayEngine
    from ..run_plan import Plan

_PARALLEL_FROM = 8
"""Minimum number of pieces of outputs for which several processes are faster: 2 MB, about a second of work."""

_PORTABLE_KINDS = frozenset(kind for kind, spec in KINDS.items() if spec.family != "workspace")
"""Kinds that any process of an engine can check: they are built in, and do not depend on each other."""


class SystemOptions(NamedTuple):
    """Options of the checkers by system: those that differ, and the default of all others."""

    differing: dict[str, CheckOptions]
    default: CheckOptions

    def of(self, system: str) -> CheckOptions:
        """Return a system's options."""
        return self.differing.get(system, self.default)


def check_outputs(
    pairs: Iterable[tuple[Case, Output]], options: SystemOptions, *, dependent: bool = True
) -> Iterator[Verdict]:
    """Check outputs one by one; outputs on challenges that depend on others come last.

    ``dependent`` is False if none of the cases are challenges.
    """
    checked = ((case, check(case, output, options.of(output.system))) for case, output in pairs)
    return apply_dependencies(checked) if dependent else (verdict for _, verdict in checked)


def options_by_system(inputs: EvaluationInputs, names: NamesOption, options: CheckOptions) -> SystemOptions:
    """Return each system's options, with the form in which dotted function names were offered.

    The option ``auto`` infers this form from a system's outputs.
    """
    if names != "auto":
        return SystemOptions({}, msgspec.structs.replace(options, names=names))
    cases = inputs.cases
    if not any(cases.facts(case).dotted for case in cases):
        return SystemOptions({}, options)
    vote = NamesVote()
    # Only names with dots can tell, and no more outputs are read of a system once its form is clear.
    for output in inputs.outputs():
        if cases.facts(output.case_id).dotted and not vote.is_clear(output.system):
            vote.add(cases[output.case_id], output)
    differing = {
        system: msgspec.structs.replace(options, names=form)
        for system in inputs.survey.answered
        if (form := vote.of(system)) != options.names
    }
    return SystemOptions(differing, options)


def own_checkers(kinds: Iterable[Kind]) -> dict[str, dict[Kind, str]]:
    """Return the facts that tie a run to its custom checkers: a fingerprint by kind.

    Empty if all kinds are built in.
    """
    custom = [kind for kind in kinds if kind not in KINDS]
    if not custom:
        return {}
    from ...deterministic.custom_checkers import source_fingerprint  # noqa: PLC0415 - most kinds are built in

    return {"checkers": {kind: source_fingerprint(kind) for kind in custom}}


class JournalLine(NamedTuple):
    """A checker's verdict as a line of a journal, and parsed."""

    line: bytes
    verdict: JournalRow | Verdict


def check_all(
    inputs: EvaluationInputs,
    names: NamesOption,
    options: CheckOptions,
    *,
    workers: int | None = None,
    is_selected: Callable[[Output], bool] | None = None,
    engine: RayEngine | None = None,
) -> Iterator[JournalLine]:
    """Check the selected outputs, in several processes if that is faster, or on an engine.

    Yields:
        One verdict per output. Verdicts and their order do not depend on the number of processes.

    Raises:
        WorkerError: A worker process was killed.
    """
    system_options = options_by_system(inputs, names, options)
    dependent = any(map(_is_workspace, inputs.survey.kinds))

    def verdicts_on(outputs: Iterable[Output]) -> Iterator[Verdict]:
        selected = outputs if is_selected is None else filter(is_selected, outputs)
        pairs = ((inputs.cases[output.case_id], output) for output in selected)
        return check_outputs(pairs, system_options, dependent=dependent)

    if engine is not None and inputs.survey.kinds.keys() <= _PORTABLE_KINDS:
        parts = (_batch_of(inputs, piece, is_selected) for piece in inputs.pieces)
        yield from _lines(engine.in_order(partial(check_batch, options=system_options), parts))
        return
    workers = _useful_workers(inputs, options, workers)
    if workers == 1:
        for verdict in verdicts_on(inputs.outputs()):
            yield JournalLine(encode_record(verdict), verdict)
        return
    pieces = inputs.pieces
    lines = map_ordered(
        lambda number: b"".join(map(encode_record, verdicts_on(outputs_in(pieces[number])))),
        len(pieces),
        workers,
        inputs.cases.open_again,
    )
    yield from _lines(lines)


def _lines(pieces: Iterable[bytes]) -> Iterator[JournalLine]:
    for piece in pieces:
        for line in piece.splitlines(keepends=True):
            yield JournalLine(line, read_row(line))


class CheckBatch(NamedTuple):
    """Outputs and their cases as lines, enough to check them anywhere."""

    cases: list[bytes]
    outputs: list[bytes]


def _batch_of(
    inputs: EvaluationInputs, piece: FileSlice, is_selected: Callable[[Output], bool] | None
) -> CheckBatch:
    """Return a piece's selected outputs, with each of their cases once."""
    cases, outputs = dict[str, bytes](), list[bytes]()
    for output in outputs_in(piece):
        if is_selected is None or is_selected(output):
            outputs.append(encode_record(output))
            if output.case_id not in cases:
                cases[output.case_id] = inputs.cases.raw_line(output.case_id)
    return CheckBatch([*cases.values()], outputs)


def check_batch(batch: CheckBatch, *, options: SystemOptions) -> bytes:
    """Check a serialized batch of outputs in a worker, and return the verdicts as lines."""
    cases = {case.id: case for case in (decode_record(raw, Case, validated=True) for raw in batch.cases)}
    outputs = (decode_record(raw, Output, validated=True) for raw in batch.outputs)
    pairs = ((cases[output.case_id], output) for output in outputs)
    return b"".join(map(encode_record, check_outputs(pairs, options, dependent=False)))


def _useful_workers(inputs: EvaluationInputs, options: CheckOptions, requested: int | None) -> int:
    """Return the number of processes that check.

    It is 1 if challenges may depend on others. Without a ``requested`` number, it is also 1 for little work and for custom checkers.
    """
    kinds = inputs.survey.kinds
    if any(map(_is_workspace, kinds)) or not hasattr(os, "fork"):  # Windows has no fork
        return 1
    if requested is None:
        pure = all(kind_spec(kind).pure for kind in kinds)
        custom = not pure and (options.functions or options.environments or kinds.keys() - KINDS.keys())
        return 1 if custom or len(inputs.pieces) < _PARALLEL_FROM else min(cores(), len(inputs.pieces))
    return min(requested, len(inputs.pieces))


def check_into_folder(context: RunContext, plan: Plan) -> None:
    """Check the outputs that have no verdict yet, and journal the verdicts."""
    assert plan.options is not None
    writer, inputs = context.writer, context.inputs
    done = writer.verdicts.settled
    context.progress.begin("checking", inputs.survey.outputs)
    is_unchecked = _filter_of_unchecked(context)
    if is_unchecked is None:
        context.progress.advance(inputs.survey.outputs)
        return
    checked = 0
    for line, verdict in check_all(
        inputs,
        plan.names,
        plan.options,
        workers=plan.workers,
        is_selected=is_unchecked,
        engine=context.engine,
    ):
        # A challenge that was checked again for the sake of another has its verdict already.
        if VerdictKey(verdict.key, verdict.author, verdict.repeat) not in done:
            writer.verdicts.append_line(line, verdict)
        checked += 1
        context.progress.advance()
    context.progress.advance(inputs.survey.outputs - checked)
    writer.verdicts.flush()


def _filter_of_unchecked(context: RunContext) -> Callable[[Output], bool] | None:
    """Return a filter for outputs still to be checked, or None if all were checked.

    Challenges depend on others, so all of them are checked again if one is left.
    """
    writer, inputs = context.writer, context.inputs
    if not writer.resumed:
        return lambda _: True
    standing = writer.verdicts.standing
    unchecked = [output.key for output in inputs.outputs() if not standing.is_checked(output.key)]
    if not unchecked:
        return None
    keys, facts = frozenset(unchecked), inputs.cases.facts
    with_workspaces = any(_is_workspace(facts(key.case_id).kind) for key in keys)
    return lambda output: (
        output.key in keys or (with_workspaces and _is_workspace(facts(output.case_id).kind))
    )


def _is_workspace(kind: Kind) -> bool:
    return kind_spec(kind).family == "workspace"


class CheckedSystems(NamedTuple):
    """Results of each system, and dependencies that name no challenge with an output."""

    systems: list[SystemResult]
    unknown: list[UnknownDependency]


def partial_file(out: Path) -> Path:
    """Return the path of the file that keeps the verdicts of an interrupted check."""
    return out.with_name(f"{out.name}.partial")


def check_file(
    cases: Sequence[InputPath],
    outputs: Sequence[InputPath],
    out: Path,
    *,
    names: NamesOption,
    options: CheckOptions,
    progress: Progress,
    workers: int | None = None,
) -> CheckedSystems:
    """Check every output and write the verdicts to a file, which appears when complete.

    If it is interrupted, the verdicts so far stay in `partial_file`. Folders are sets of shards.

    Raises:
        WorkerError: A worker process was killed.
    """
    tally, interrupts, unfinished = Tally(), list[KeyboardInterrupt](), partial_file(out)
    unknown: dict[UnknownDependency, None] = {}
    case_shards, output_shards = shards_of(cases), shards_of(outputs)
    sharded = case_shards.sharded or output_shards.sharded
    with EvaluationInputs(
        case_shards.files, output_shards.files, check_options=options, sharded=sharded
    ) as inputs:
        facts = inputs.cases.facts

        def lines() -> Iterator[bytes]:
            try:
                for line, verdict in check_all(inputs, names, options, workers=workers):
                    case = facts(verdict.case_id)
                    tally.add_checked(verdict, case.cluster, case.kind, silent=case.silent)
                    unknown.update(dict.fromkeys(_unknown_dependencies(verdict)))
                    progress.advance()
                    yield line
            except KeyboardInterrupt as interrupt:
                # The file ends here, with the verdicts so far; the interrupt is raised again below.
                interrupts.append(interrupt)

        progress.begin("checking", inputs.survey.outputs)
        with atomic_write(unfinished) as file:
            file.writelines(lines())
        if interrupts:
            raise interrupts[0]
        unfinished.replace(out)
        from ..conclusion.rates_by_part import system_results  # noqa: PLC0415 - setting options needs no intervals
        from ..conclusion.uneven_trials import with_uneven_trials  # noqa: PLC0415 - setting options needs no intervals

        systems = with_uneven_trials(
            system_results(tally, inputs.survey.missing),
            inputs.survey.uneven,
            lambda: read_records(out, Verdict),
            lambda case: facts(case).cluster,
        )
    return CheckedSystems(systems, list(unknown))


def _unknown_dependencies(verdict: JournalRow | Verdict) -> list[UnknownDependency]:
    """Return the unknown dependencies in a verdict's evidence; empty for other than challenges."""
    if not isinstance(verdict, Verdict) or not verdict.evidence:
        return []
    return [UnknownDependency(verdict.case_id, name) for name in verdict.evidence.get(UNKNOWN, [])]
