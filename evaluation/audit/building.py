"""Build a folder of probes from right outputs.

Probes are ordinary cases, outputs and labels, so that every other command takes them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import NamedTuple

import msgspec

from ...deterministic.checkers import validate_reference
from ...deterministic.mutation import Operator, Probe, Subject, Weakness, make_probes, origin
from ...deterministic.options import CheckOptions
from ...errors import InputError
from ...records import (
    Case,
    CaseIndex,
    FolderPath,
    InputPath,
    Output,
    Verdict,
    atomic_write,
    encode_record,
    write_json,
)
from ...records.folder_files import CASES, LABELS, OUTPUTS
from ...version import VERSION
from ..checking.checks import SystemOptions, options_by_system
from ..checking.dotted_names import NamesOption
from ..engines.worker_processes import cores, map_ordered
from ..inputs import EvaluationInputs, file_sha256
from ..progress import Progress
from .probe_folder import ORIGINAL, PROBES, WEAKNESSES, OperatorCounts, ProbeManifest
from .subjects import RightOutputs

_WRITTEN = (CASES, OUTPUTS, LABELS, WEAKNESSES)
_PARALLEL_FROM = 8
"""Fewest pieces of right outputs for which several processes are faster."""


class ProbeSettings(msgspec.Struct, frozen=True, kw_only=True):
    """Probe settings: at most ``per_operator`` probes per operator and right output.

    The same seed gives the same probes.
    """

    operators: Sequence[Operator]
    options: CheckOptions
    names: NamesOption = "auto"
    seed: int = 0
    per_operator: int = 3


class _Sources(NamedTuple):
    """Right outputs, with the files they come from and the checkers' options."""

    cases: CaseIndex
    right: RightOutputs
    files: tuple[InputPath, ...]
    options: SystemOptions


def build_probes(
    cases: InputPath,
    outputs: Sequence[InputPath],
    out: FolderPath,
    settings: ProbeSettings,
    progress: Progress,
    *,
    workers: int | None = None,
) -> ProbeManifest:
    """Mutate every right output and write the probes; files appear once all are written.

    Args:
        cases: The cases file.
        outputs: Files of outputs, whose right ones are mutated; none to build right outputs from the references.
        out: The folder.
        settings: Operators, options and seed.
        progress: Advanced for every right output.
        workers: Number of processes; None for as many as pay off. The files do not depend on it.

    Raises:
        InputError: An input cannot be used, or nothing in it is right.
        WorkerError: A worker process was killed.
    """
    replaced = _on_disk(cases, *outputs) & _on_disk(*(out / name for name in _WRITTEN))
    if replaced:
        raise InputError(
            "is an input and would be replaced by the probes; choose another --out", path=replaced.pop()
        )
    if not outputs:
        with CaseIndex(cases, partial(validate_reference, options=settings.options)) as index:
            progress.begin("mutating", len(index))
            right = RightOutputs(None, index, settings.options)
            sources = _Sources(index, right, (cases,), SystemOptions({}, settings.options))
            return _build(sources, out, settings, progress, workers)
    with EvaluationInputs(cases, outputs, checked=settings.options) as inputs:
        progress.begin("mutating", inputs.survey.outputs)
        options = options_by_system(inputs, settings.names, settings.options)
        right = RightOutputs(inputs, inputs.cases, settings.options)
        sources = _Sources(inputs.cases, right, (cases, *outputs), options)
        return _build(sources, out, settings, progress, workers)


def _on_disk(*paths: InputPath) -> set[Path]:
    return {path.resolve() for path in paths if isinstance(path, Path)}


class _Made(NamedTuple):
    """Result of one piece: rows, and counts of skipped outputs by reason."""

    rows: list[_Row]
    passed_over: dict[str, int]


def _make(sources: _Sources, settings: ProbeSettings, piece: int) -> _Made:
    passed_over, rows = Counter[str](), list[_Row]()
    written = set[str]()
    for subject in sources.right.of(piece, passed_over):
        rows.append(_original(subject, written))
        options = sources.options.of(subject.output.system)
        probes = make_probes(
            subject, settings.operators, options, seed=settings.seed, per_operator=settings.per_operator
        )
        rows += (_row_of(each, written) for each in probes)
    return _Made(rows, dict(passed_over))


def _all_made(sources: _Sources, settings: ProbeSettings, workers: int | None) -> Iterator[_Made]:
    """Yield the results of all pieces in order, with several processes if that is faster."""
    pieces = len(sources.right)
    if workers is None:
        own = settings.options.functions or settings.options.environments
        workers = 1 if own or pieces < _PARALLEL_FROM else cores()
    if workers == 1:
        yield from (_make(sources, settings, piece) for piece in range(pieces))
        return
    made = map_ordered(
        lambda piece: msgspec.msgpack.encode(_make(sources, settings, piece)),
        pieces,
        workers,
        sources.cases.open_again,
    )
    yield from (msgspec.msgpack.decode(each, type=_Made) for each in made)


def _build(
    sources: _Sources, out: FolderPath, settings: ProbeSettings, progress: Progress, workers: int | None
) -> ProbeManifest:
    passed_over, counts, cases = Counter[str](), Counter[_CountKey](), set[str]()
    with ExitStack() as together:  # the files appear at the end
        files = {name: together.enter_context(atomic_write(out / name)) for name in _WRITTEN}
        for made in _all_made(sources, settings, workers):
            passed_over.update(made.passed_over)
            for row in made.rows:
                for name, line in row.lines.items():
                    if name != CASES or row.case_id not in cases:
                        files[name].write(line)
                if CASES in row.lines:
                    cases.add(row.case_id)
                counts[row.counted] += 1
                if row.counted == _RIGHT:
                    progress.advance()
        if not counts[_RIGHT]:
            raise _nothing_right(sources, passed_over)
    used_operators = {key.operator for key in counts}
    manifest = ProbeManifest(
        fiducial=VERSION,
        seed=settings.seed,
        per_operator=settings.per_operator,
        inputs={str(path): file_sha256(path) for path in sources.files},
        files={name: file_sha256(out / name) for name in _WRITTEN},
        right_outputs=counts[_RIGHT],
        passed_over=dict(passed_over),
        operators=[_of_operator(each, counts) for each in settings.operators if each.name in used_operators],
    )
    write_json(out / PROBES, manifest)
    return manifest


def _nothing_right(sources: _Sources, passed_over: Mapping[str, int]) -> InputError:
    """Return the error for cases without a known right output, with the reasons."""
    reasons = "; ".join(f"{count:,} {reason}" for reason, count in passed_over.items())
    has_outputs = len(sources.files) > 1
    outputs = "" if has_outputs else "name right outputs with --outputs, or "
    return InputError(
        f"no output passes under strict rules{f' ({reasons})' if reasons else ''}: nothing to mutate; {outputs}give cases a reference; "
        "without cases, `fiducial audit run --ladder --judge JUDGE --model MODEL --out DIRECTORY` plants faults in its own",
        path=sources.cases.path,
    )


def _of_operator(operator: Operator, counts: Mapping[_CountKey, int]) -> OperatorCounts:
    return OperatorCounts(
        name=operator.name,
        family=operator.family,
        plants=operator.plants,
        about=operator.about,
        against=operator.against,
        probes=counts[_CountKey(operator.name, "probe")],
        dropped=counts[_CountKey(operator.name, "strict")],
        missed_by_bfcl=counts[_CountKey(operator.name, "bfcl")],
    )


class _CountKey(NamedTuple):
    """Key of a count: an operator, with ``probe``, or the rule set that has the weakness."""

    operator: str
    what: str


_RIGHT = _CountKey(ORIGINAL, "")
"""Key of the count of right outputs."""


class _Row(NamedTuple):
    """Lines to write, by file name, and the count they belong to; each case is written once."""

    lines: dict[str, bytes]
    case_id: str
    counted: _CountKey


def _original(subject: Subject, written: set[str]) -> _Row:
    """Return the right output as a probe; verdicts on its twins are compared with its own."""
    label = Verdict.on(
        subject.output.key,
        score=1.0,
        by="construction",
        source="construction",
        evidence=origin(ORIGINAL, "nothing", subject.output),
    )
    return _row(subject.case, subject.output, label, _RIGHT, written)


def _row_of(probe: Probe | Weakness, written: set[str]) -> _Row:
    """Return the row for a probe, or for a weakness of a rule set."""
    if isinstance(probe, Weakness):
        counted = _CountKey(probe.operator, probe.rules)
        return _Row({WEAKNESSES: encode_record(probe)}, probe.case_id, counted)
    counted = _CountKey(probe.label.evidence["operator"], "probe")
    return _row(probe.case, probe.output, probe.label, counted, written)


def _row(case: Case, output: Output, label: Verdict, counted: _CountKey, written: set[str]) -> _Row:
    """Return the row of an output; its case is encoded unless it is among those ``written``."""
    lines = {OUTPUTS: encode_record(output), LABELS: encode_record(label)}
    if case.id not in written:
        written.add(case.id)
        lines = {CASES: encode_record(case), **lines}
    return _Row(lines, case.id, counted)
