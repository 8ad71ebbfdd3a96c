"""Build a folder of probes from right outputs.

Probes are ordinary cases, outputs and labels, so that every other command takes them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from contextlib import ExitStack
from functools import partial
from itertools import chain
from pathlib import Path
from typing import IO, NamedTuple

import msgspec

from ...deterministic.checkers import validate_reference
from ...deterministic.mutation import (
    LIFELIKE,
    Operator,
    Probe,
    Subject,
    Weakness,
    lifelike_kinds,
    lifelike_pairs,
    make_probes,
    origin,
)
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
from ...records.typed_values import decode_msgpack
from ...spelling import command, setting
from ...version import VERSION
from ..checking.checks import SystemOptions, options_by_system
from ..checking.dotted_names import NamesOption
from ..engines.worker_processes import cores, map_ordered
from ..inputs import EvaluationInputs, file_sha256
from ..progress import Progress
from .probe_folder import ORIGINAL, PROBES, WEAKNESSES, OperatorCounts, ProbeManifest
from .subjects import RightOutputs

_FILES = (CASES, OUTPUTS, LABELS, WEAKNESSES)
_MIN_PARALLEL_PIECES = 8
"""Number of pieces of input from which several processes are faster than one."""


class ProbeSettings(msgspec.Struct, frozen=True, kw_only=True):
    """Settings of probes; the same settings and inputs give the same probes.

    Attributes:
        operators: Operators to apply.
        options: Options of the checkers.
        names: Form of function names in calls, as for `fiducial check`.
        seed: Seed of the random choices.
        per_operator: Maximum number of probes per operator and right output.
        lifelike: Number of pairs of each kind of lifelike fault. Both outputs of a pair are made at random; no given output is needed.
    """

    operators: Sequence[Operator]
    options: CheckOptions
    names: NamesOption = "auto"
    seed: int = 0
    per_operator: int = 3
    lifelike: int = 0

    @property
    def mutating(self) -> list[Operator]:
        """Operators that mutate given right outputs."""
        return [operator for operator in self.operators if operator not in LIFELIKE]

    @property
    def drawn(self) -> list[Operator]:
        """Operators that draw pairs of a right and a faulty output."""
        return [operator for operator in self.operators if operator in LIFELIKE]


class _MutationInputs(NamedTuple):
    """Right outputs to mutate, the files they come from, and the checkers' options."""

    cases: CaseIndex
    right_outputs: RightOutputs
    files: tuple[InputPath, ...]
    options: SystemOptions


def build_probes(
    cases: InputPath | None,
    outputs: Sequence[InputPath],
    out: FolderPath,
    settings: ProbeSettings,
    progress: Progress,
    *,
    workers: int | None = None,
) -> ProbeManifest:
    """Mutate every right output, and write the probes; all files appear together at the end.

    Args:
        cases: The cases file, or None for lifelike faults alone.
        outputs: Files of outputs, of which the right ones are mutated; if empty, right outputs are made from the references.
        out: The folder for the probes.
        settings: Operators, options and seed.
        progress: Advanced for every right output.
        workers: Number of processes, or None to choose it. The files do not depend on it.

    Raises:
        InputError: An input cannot be used, or has no right output.
        WorkerError: A worker process was killed.
    """
    if cases is None:
        return _build_folder(None, out, settings, progress, workers)
    replaced = _resolved_paths(cases, *outputs) & _resolved_paths(*(out / name for name in _FILES))
    if replaced:
        raise InputError(
            f"is an input and would be replaced by the probes; choose another {setting('out')}",
            path=replaced.pop(),
        )
    if not outputs:
        with CaseIndex(cases, partial(validate_reference, options=settings.options)) as index:
            progress.begin("mutating", len(index))
            right_outputs = RightOutputs(None, index, settings.options)
            sources = _MutationInputs(index, right_outputs, (cases,), SystemOptions({}, settings.options))
            return _build_folder(sources, out, settings, progress, workers)
    with EvaluationInputs(cases, outputs, check_options=settings.options) as inputs:
        options = options_by_system(inputs, settings.names, settings.options)
        right_outputs = RightOutputs(inputs, inputs.cases, settings.options)
        progress.begin("mutating", inputs.survey.outputs + right_outputs.composed)
        sources = _MutationInputs(inputs.cases, right_outputs, (cases, *outputs), options)
        return _build_folder(sources, out, settings, progress, workers)


def _resolved_paths(*paths: InputPath) -> set[Path]:
    return {path.resolve() for path in paths if isinstance(path, Path)}


class _PieceProbes(NamedTuple):
    """Probes of one piece of right outputs: rows, and counts of skipped outputs by reason."""

    rows: list[_Row]
    passed_over: dict[str, int]


def _mutate_piece(sources: _MutationInputs, settings: ProbeSettings, piece: int) -> _PieceProbes:
    passed_over, rows = Counter[str](), list[_Row]()
    written_cases = set[str]()
    operators = settings.mutating
    for subject in sources.right_outputs.subjects(piece, passed_over):
        rows.append(_right_output_row(subject, written_cases))
        options = sources.options.of(subject.output.system)
        probes = make_probes(
            subject, operators, options, seed=settings.seed, per_operator=settings.per_operator
        )
        rows += (_probe_row(probe, written_cases) for probe in probes)
    return _PieceProbes(rows, dict(passed_over))


def _draw_pairs(
    settings: ProbeSettings, used_ids: AbstractSet[str], progress: Progress
) -> Iterator[_PieceProbes]:
    """Yield the probes of each pair that is drawn; case ids must not be among ``used_ids``."""
    operators = settings.drawn
    names = [operator.name for operator in operators]
    if settings.lifelike and names:
        progress.begin("drawing", settings.lifelike * len(lifelike_kinds(names)))
    for pair in lifelike_pairs(settings.lifelike, settings.seed, names):
        if pair.case.id in used_ids:
            raise InputError(
                f"case {pair.case.id!r} has the id of a case that is drawn; leave out {setting('lifelike')}, or rename it"
            )
        written_cases = set[str]()
        rows = [_right_output_row(pair, written_cases)]
        probes = make_probes(pair, operators, settings.options, seed=settings.seed, per_operator=1)
        rows += (_probe_row(probe, written_cases) for probe in probes)
        yield _PieceProbes(rows, {})


def _mutate_all(
    sources: _MutationInputs, settings: ProbeSettings, workers: int | None
) -> Iterator[_PieceProbes]:
    """Yield the probes of all pieces in order, with several processes if that is faster."""
    pieces = len(sources.right_outputs)
    if workers is None:
        has_custom_code = settings.options.functions or settings.options.environments
        workers = 1 if has_custom_code or pieces < _MIN_PARALLEL_PIECES else cores()
    if workers == 1:
        yield from (_mutate_piece(sources, settings, piece) for piece in range(pieces))
        return
    encoded_pieces = map_ordered(
        lambda piece: msgspec.msgpack.encode(_mutate_piece(sources, settings, piece)),
        pieces,
        workers,
        sources.cases.open_again,
    )
    yield from (decode_msgpack(encoded, _PieceProbes) for encoded in encoded_pieces)


def _build_folder(
    sources: _MutationInputs | None,
    out: FolderPath,
    settings: ProbeSettings,
    progress: Progress,
    workers: int | None,
) -> ProbeManifest:
    passed_over, counts, written_cases = Counter[str](), Counter[_CountKey](), set[str]()
    with ExitStack() as open_files:  # the files appear together when it is left
        files = {name: open_files.enter_context(atomic_write(out / name)) for name in _FILES}
        mutated = iter(()) if sources is None else _mutate_all(sources, settings, workers)
        # Drawn pairs come last, when ``written_cases`` has the id of every mutated case.
        for probes in chain(mutated, _draw_pairs(settings, written_cases, progress)):
            passed_over.update(probes.passed_over)
            for row in probes.rows:
                _write_row(row, files, written_cases)
                counts[row.count_key] += 1
                if row.count_key == _RIGHT_OUTPUTS:
                    progress.advance()
        if not counts[_RIGHT_OUTPUTS] and sources is not None:
            raise _no_right_output(sources, passed_over)
    used_operators = {key.operator for key in counts}
    manifest = ProbeManifest(
        fiducial=VERSION,
        seed=settings.seed,
        per_operator=settings.per_operator,
        inputs={str(path): file_sha256(path) for path in (sources.files if sources else ())},
        files={name: file_sha256(out / name) for name in _FILES},
        right_outputs=counts[_RIGHT_OUTPUTS],
        passed_over=dict(passed_over),
        operators=[
            _operator_counts(operator, counts)
            for operator in settings.operators
            if operator.name in used_operators
        ],
    )
    write_json(out / PROBES, manifest)
    return manifest


def _write_row(row: _Row, files: Mapping[str, IO[bytes]], written_cases: set[str]) -> None:
    """Write a row's lines, without its case if that is among ``written_cases``.

    Each piece was mutated without knowledge of the others, so several pieces may contain the same case.
    """
    for name, line in row.lines.items():
        if name != CASES or row.case_id not in written_cases:
            files[name].write(line)
    if CASES in row.lines:
        written_cases.add(row.case_id)


def _no_right_output(sources: _MutationInputs, passed_over: Mapping[str, int]) -> InputError:
    reasons = "; ".join(f"{count:,} {reason}" for reason, count in passed_over.items())
    has_outputs = len(sources.files) > 1  # the first file has the cases
    outputs = "" if has_outputs else f"name right outputs with {setting('outputs')}, or "
    return InputError(
        f"no output passes under strict rules{(f' ({reasons})' if reasons else '')}: nothing to mutate; {outputs}give cases a reference; without cases, `{command('audit run', ladder=True, judge='JUDGE', model='MODEL', out='DIRECTORY')}` plants faults in its own",
        path=sources.cases.path,
    )


def _operator_counts(operator: Operator, counts: Mapping[_CountKey, int]) -> OperatorCounts:
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
    """Key of a count: an operator, and ``probe`` or the rule set that has a weakness."""

    operator: str
    counted: str


_RIGHT_OUTPUTS = _CountKey(ORIGINAL, "")
"""Key of the count of right outputs."""


class _Row(NamedTuple):
    """Lines of one probe or weakness by file name, and the count to which it adds."""

    lines: dict[str, bytes]
    case_id: str
    count_key: _CountKey


def _right_output_row(subject: Subject, written_cases: set[str]) -> _Row:
    """Return the row of the right output itself, with which its twins are compared."""
    label = Verdict.on(
        subject.output.key,
        score=1.0,
        by="construction",
        source="construction",
        evidence=origin(ORIGINAL, "nothing", subject.output),
    )
    return _output_row(subject.case, subject.output, label, _RIGHT_OUTPUTS, written_cases)


def _probe_row(probe: Probe | Weakness, written_cases: set[str]) -> _Row:
    if isinstance(probe, Weakness):
        count_key = _CountKey(probe.operator, probe.rules)
        return _Row({WEAKNESSES: encode_record(probe)}, probe.case_id, count_key)
    count_key = _CountKey(probe.label.evidence["operator"], "probe")
    return _output_row(probe.case, probe.output, probe.label, count_key, written_cases)


def _output_row(
    case: Case, output: Output, label: Verdict, count_key: _CountKey, written_cases: set[str]
) -> _Row:
    """Return the row of an output, with its case unless ``written_cases`` has its id."""
    lines = {OUTPUTS: encode_record(output), LABELS: encode_record(label)}
    if case.id not in written_cases:
        written_cases.add(case.id)
        lines = {CASES: encode_record(case), **lines}
    return _Row(lines, case.id, count_key)
