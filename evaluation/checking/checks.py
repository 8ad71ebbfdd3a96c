"""First stage: check every output, and dependent challenges once their dependencies passed."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from ...deterministic import CheckOptions, check
from ...deterministic.artifacts.dependencies import ChallengeNames, challenge_name, dependencies_of
from ...deterministic.custom_checkers import source_fingerprint
from ...records import (
    BUILT_IN_KINDS,
    KINDS,
    Case,
    Kind,
    Output,
    Verdict,
    decode_record,
    encode_record,
    kind_spec,
)
from ..engines.worker_processes import cores, map_ordered
from ..inputs import EvaluationInputs, FileSlice, outputs_in
from ..store.journal_rows import JournalRow, VerdictKey, read_row
from .dotted_names import NamesOption, NamesVote

if TYPE_CHECKING:
    from ..context import RunContext
    from ..engines.ray_engine import RayEngine

_WORTH_IT = 8
"""Pieces of outputs, 2 MB, from which on several processes are faster: about a second of work."""

_ANYWHERE = frozenset(kind for kind, spec in KINDS.items() if spec.family != "workspace")
"""Kinds that can be checked in any process of an engine: neither do they wait for each other, nor are their checkers the user's own."""


def check_outputs(
    pairs: Iterable[tuple[Case, Output]], options: dict[str, CheckOptions], default: CheckOptions
) -> Iterator[Verdict]:
    """Check outputs one by one, in order; those on challenges with dependencies come last."""
    return apply_dependencies(
        (case, check(case, output, options.get(output.system, default))) for case, output in pairs
    )


def options_by_system(
    inputs: EvaluationInputs, names: NamesOption, options: CheckOptions
) -> tuple[dict[str, CheckOptions], CheckOptions]:
    """Return the options of systems given names with underscores, and those of all others.

    ``auto`` infers these systems from their outputs.
    """
    if names != "auto":
        return {}, msgspec.structs.replace(options, names=names)
    cases = inputs.cases
    if not any(cases.facts(each).dotted for each in cases):
        return {}, options
    vote = NamesVote()
    for output in inputs.outputs():
        if cases.facts(output.case_id).dotted and not vote.is_clear(output.system):
            vote.add(cases[output.case_id], output)
    differing = {
        system: msgspec.structs.replace(options, names=form)
        for system in inputs.survey.answered
        if (form := vote.of(system)) != options.names
    }
    return differing, options


def own_checkers(kinds: Iterable[Kind]) -> dict[str, dict[Kind, str]]:
    """Return the custom checkers a run is tied to: checker and fingerprint by kind.

    Only kinds that are not built in are included.
    """
    own = {kind: source_fingerprint(kind) for kind in kinds if kind not in BUILT_IN_KINDS}
    return {"checkers": own} if own else {}


class Checked(NamedTuple):
    """A verdict as a line of a journal, and what it says."""

    line: bytes
    said: JournalRow | Verdict


def check_all(
    inputs: EvaluationInputs,
    names: NamesOption,
    options: CheckOptions,
    *,
    workers: int | None = None,
    wanted: Callable[[Output], bool] | None = None,
    engine: RayEngine | None = None,
) -> Iterator[Checked]:
    """Check outputs that are wanted, in several processes where that is faster, or on an engine.

    Yields:
        One verdict an output, the same in the same order whatever the number of processes.

    Raises:
        WorkerError: A worker process was killed.
    """
    differing, default = options_by_system(inputs, names, options)

    def checked(outputs: Iterable[Output]) -> Iterator[Verdict]:
        return check_outputs(
            ((inputs.cases[each.case_id], each) for each in outputs if wanted is None or wanted(each)),
            differing,
            default,
        )

    if engine is not None and inputs.survey.kinds.keys() <= _ANYWHERE:
        parts = (_part(inputs, piece, wanted) for piece in inputs.pieces)
        yield from _lines(engine.in_order(partial(check_part, differing=differing, default=default), parts))
        return
    workers = _useful_workers(inputs, options, workers)
    if workers == 1:
        for verdict in checked(inputs.outputs()):
            yield Checked(encode_record(verdict), verdict)
        return
    pieces = inputs.pieces
    lines = map_ordered(
        lambda piece: b"".join(map(encode_record, checked(outputs_in(pieces[piece])))),
        len(pieces),
        workers,
        inputs.cases.open_again,
    )
    yield from _lines(lines)


def _lines(pieces: Iterable[bytes]) -> Iterator[Checked]:
    for piece in pieces:
        for line in piece.splitlines(keepends=True):
            yield Checked(line, read_row(line))


class CheckBatch(NamedTuple):
    """Outputs and their cases as lines, enough to check them anywhere."""

    cases: list[bytes]
    outputs: list[bytes]


def _part(inputs: EvaluationInputs, piece: FileSlice, wanted: Callable[[Output], bool] | None) -> CheckBatch:
    cases, outputs = dict[str, bytes](), list[bytes]()
    for output in outputs_in(piece):
        if wanted is None or wanted(output):
            outputs.append(encode_record(output))
            if output.case_id not in cases:
                cases[output.case_id] = inputs.cases.line(output.case_id)
    return CheckBatch([*cases.values()], outputs)


def check_part(part: CheckBatch, *, differing: dict[str, CheckOptions], default: CheckOptions) -> bytes:
    """Check outputs that came as lines, in whatever process of whatever engine."""
    cases = {case.id: case for case in (decode_record(raw, Case, again=True) for raw in part.cases)}
    outputs = (decode_record(raw, Output, again=True) for raw in part.outputs)
    pairs = ((cases[output.case_id], output) for output in outputs)
    return b"".join(map(encode_record, check_outputs(pairs, differing, default)))


def _useful_workers(inputs: EvaluationInputs, options: CheckOptions, asked: int | None) -> int:
    """Return how many processes check: one if challenges depend on others.

    Unless ``asked``, it is also one where there is little to do, or where custom code may decide.
    """
    kinds = inputs.survey.kinds
    if any(map(_is_workspace, kinds)) or not hasattr(os, "fork"):
        return 1
    if asked is None:
        pure = all(kind_spec(kind).pure for kind in kinds)
        own = not pure and (options.functions or options.environments or kinds.keys() - BUILT_IN_KINDS)
        return 1 if own or len(inputs.pieces) < _WORTH_IT else min(cores(), len(inputs.pieces))
    return min(asked, len(inputs.pieces))


def check_into_folder(
    context: RunContext, names: NamesOption, options: CheckOptions, workers: int | None = None
) -> None:
    """Check what has no verdict yet, and journal it."""
    folder, inputs = context.folder, context.inputs
    done = folder.verdicts.settled
    context.progress.begin("checking", inputs.survey.outputs)
    left = _unchecked(context)
    if left is None:
        context.progress.advance(inputs.survey.outputs)
        return
    found = 0
    for line, said in check_all(inputs, names, options, workers=workers, wanted=left, engine=context.engine):
        if VerdictKey(said.key, said.author, said.repeat) not in done:
            folder.verdicts.append_line(line, said)
        found += 1
        context.progress.advance()
    context.progress.advance(inputs.survey.outputs - found)
    folder.verdicts.flush()


def _unchecked(context: RunContext) -> Callable[[Output], bool] | None:
    """Return a filter for outputs still to be checked; None if all were checked.

    Challenges depend on others, so that all of them are checked again where one is left.
    """
    folder, inputs = context.folder, context.inputs
    if not folder.resumed:
        return lambda _: True
    standing = folder.verdicts.standing
    left = [output.key for output in inputs.outputs() if not standing.is_checked(output.key)]
    if not left:
        return None
    keys, facts = frozenset(left), inputs.cases.facts
    together = any(_is_workspace(facts(key.case_id).kind) for key in keys)
    return lambda output: output.key in keys or (together and _is_workspace(facts(output.case_id).kind))


def _is_workspace(kind: Kind) -> bool:
    return kind_spec(kind).family == "workspace"


UNKNOWN = "unknown_dependencies"
"""Key of the evidence that names dependencies which no output here answers for."""


class _Try(NamedTuple):
    """Key of one try at a challenge; other systems' and trials' results do not affect it."""

    system: str
    trial: int
    name: str


class _Waiting(NamedTuple):
    """A verdict that may have to give way."""

    verdict: Verdict
    itself: _Try
    depends_on: list[str]


def apply_dependencies(checked: Iterable[tuple[Case, Verdict]]) -> Iterator[Verdict]:
    """Replace the verdicts on challenges whose dependencies failed.

    A dependency is a challenge's name or a node id; names repeat, and every challenge of the name must have passed. A name that no output
    here answers for holds nothing back and is named in the evidence. An open answer that awaits a judge holds nothing back either.
    """
    failed: set[_Try] = set()
    waiting: list[_Waiting] = []
    names: ChallengeNames | None = None
    for case, verdict in checked:
        if not _is_workspace(case.kind):
            yield verdict
            continue
        names = names or ChallengeNames()
        names.add(case)
        itself = _Try(verdict.system, verdict.trial, challenge_name(case))
        if verdict.score is not None and verdict.score < 1.0:
            failed.add(itself)
        if depends_on := dependencies_of(case):
            waiting.append(_Waiting(verdict, itself, depends_on))
        else:
            yield verdict
    if names is None:
        return
    needs = [_needs(entry, names) for entry in waiting]
    _spread(failed, list(zip((entry.itself for entry in waiting), needs, strict=True)))
    for entry, needed in zip(waiting, needs, strict=True):
        problems = [need.name for need in needed if need in failed]
        unknown = [name for name in entry.depends_on if names.resolve(name) is None]
        verdict = _held_back(entry.verdict, problems) if problems else entry.verdict
        yield _with_unknown(verdict, unknown) if unknown else verdict


def _needs(entry: _Waiting, names: ChallengeNames) -> list[_Try]:
    found = (names.resolve(name) for name in entry.depends_on)
    return [entry.itself._replace(name=name) for name in found if name not in (None, entry.itself.name)]


def _spread(failed: set[_Try], dependents: list[tuple[_Try, list[_Try]]]) -> None:
    """Mark all that depends on a failure as failed, transitively."""
    before = -1
    while len(failed) != before:
        before = len(failed)
        failed.update(itself for itself, needs in dependents if not failed.isdisjoint(needs))


def _held_back(verdict: Verdict, problems: list[str]) -> Verdict:
    return msgspec.structs.replace(
        verdict,
        outcome="not_applicable",
        score=None,
        error_type="dependency_failed",
        reason=f"depends on {', '.join(problems)}, which did not pass",
        evidence={"by_itself": {"score": verdict.score, "error_type": verdict.error_type}},
    )


def _with_unknown(verdict: Verdict, unknown: list[str]) -> Verdict:
    return msgspec.structs.replace(verdict, evidence={**(verdict.evidence or {}), UNKNOWN: unknown})
