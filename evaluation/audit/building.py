"""Builds a folder of probes from right outputs: ordinary cases, outputs and labels, so that every other command takes them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import BinaryIO, NamedTuple, Self

import msgspec

from ...deterministic import CheckOptions
from ...deterministic.checkers import require_meetable
from ...deterministic.mutation import Operator, Plants, Probe, Subject, Weakness, make_probes, origin
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
    graded,
    write_json,
)
from ...version import VERSION
from ..checking.checks import options_by_system
from ..checking.names import NamesOption
from ..engines.processes import cores, in_order
from ..inputs import EvaluationInputs, file_sha256
from ..progress import Progress
from .probe_folder import CASES, LABELS, OUTPUTS, PROBES, WEAKNESSES, OperatorCounts, ProbeManifest
from .subjects import RightOutputs

_WORTH_IT = 8
"""Pieces of right outputs from which on several processes are faster."""


class ProbeSettings(msgspec.Struct, frozen=True, kw_only=True):
    """How probes are made.

    Attributes:
        operators: The operators.
        options: Functions and worlds.
        names: How documented names with dots were offered.
        seed: The same seed gives the same probes.
        per_operator: Probes of one operator from one right output at most.
    """

    operators: Sequence[Operator]
    options: CheckOptions
    names: NamesOption = "auto"
    seed: int = 0
    per_operator: int = 3


class _Sources(NamedTuple):
    """Where right outputs come from."""

    cases: CaseIndex
    right: RightOutputs
    files: tuple[InputPath, ...]
    differing: Mapping[str, CheckOptions]
    """What checkers want to know of some systems."""
    default: CheckOptions
    """And of all others."""


def build_probes(
    cases: InputPath,
    outputs: Sequence[InputPath],
    out: FolderPath,
    settings: ProbeSettings,
    progress: Progress,
    *,
    workers: int | None = None,
) -> ProbeManifest:
    """Mutate every right output and write the probes.

    Args:
        cases: The cases file.
        outputs: Files of outputs, of which the right ones are mutated; none to make right outputs of the references.
        out: The folder; its files appear when all is written.
        settings: How probes are made.
        progress: Told about every right output.
        workers: How many processes; None for what pays. The files are the same.

    Raises:
        InputError: An input cannot be used, or nothing in it is right.
        WorkerError: A worker process was killed.
    """
    replaced = _on_disk(cases, *outputs) & _on_disk(out / CASES, out / OUTPUTS)
    if replaced:
        raise InputError(
            "is an input and would be replaced by the probes; choose another --out", path=replaced.pop()
        )
    if not outputs:
        with CaseIndex(cases, partial(require_meetable, options=settings.options)) as index:
            progress.begin("mutating", len(index))
            right = RightOutputs(None, index, settings.options)
            sources = _Sources(index, right, (cases,), {}, settings.options)
            return _build(sources, out, settings, progress, workers)
    with EvaluationInputs(cases, outputs, checked=settings.options) as inputs:
        progress.begin("mutating", inputs.survey.outputs)
        differing, default = options_by_system(inputs, settings.names, settings.options)
        right = RightOutputs(inputs, inputs.cases, settings.options)
        sources = _Sources(inputs.cases, right, (cases, *outputs), differing, default)
        return _build(sources, out, settings, progress, workers)


def _on_disk(*paths: InputPath) -> set[Path]:
    return {path.resolve() for path in paths if isinstance(path, Path)}


class _Made(NamedTuple):
    """What came of a piece: rows, and how many outputs were passed over, by reason."""

    rows: list[_Row]
    passed_over: dict[str, int]


def _make(sources: _Sources, settings: ProbeSettings, piece: int) -> _Made:
    passed_over, rows = Counter[str](), list[_Row]()
    for subject in sources.right.of(piece, passed_over):
        rows.append(_original(subject))
        options = sources.differing.get(subject.output.system, sources.default)
        probes = make_probes(
            subject, settings.operators, options, seed=settings.seed, per_operator=settings.per_operator
        )
        rows += map(_row, probes)
    return _Made(rows, dict(passed_over))


def _all_made(sources: _Sources, settings: ProbeSettings, workers: int | None) -> Iterator[_Made]:
    """What comes of all pieces, in their order; in several processes where that is faster."""
    pieces = len(sources.right)
    if workers is None:
        own = settings.options.functions or settings.options.environments
        workers = 1 if own or pieces < _WORTH_IT else cores()
    if workers == 1:
        yield from (_make(sources, settings, piece) for piece in range(pieces))
        return
    made = in_order(
        lambda piece: msgspec.msgpack.encode(_make(sources, settings, piece)),
        pieces,
        workers,
        sources.cases.open_again,
    )
    yield from (msgspec.msgpack.decode(each, type=_Made) for each in made)


def _build(
    sources: _Sources, out: FolderPath, settings: ProbeSettings, progress: Progress, workers: int | None
) -> ProbeManifest:
    passed_over: Counter[str] = Counter()
    count = 0
    with _Writer(out) as writer:
        for made in _all_made(sources, settings, workers):
            passed_over.update(made.passed_over)
            for row in made.rows:
                writer.add(row)
                if row.operator is None:
                    count += 1
                    progress.advance()
        if not count:
            raise InputError(
                "no output is right under strict rules, so there is nothing to mutate",
                path=sources.cases.path,
            )
    manifest = ProbeManifest(
        fiducial=VERSION,
        seed=settings.seed,
        per_operator=settings.per_operator,
        inputs={str(path): file_sha256(path) for path in sources.files},
        files={name: file_sha256(out / name) for name in (CASES, OUTPUTS, LABELS, WEAKNESSES)},
        right_outputs=count,
        passed_over=dict(passed_over),
        operators=[
            _counts(operator, writer) for operator in settings.operators if operator.name in writer.seen
        ],
    )
    write_json(out / PROBES, manifest)
    return manifest


def _counts(operator: Operator, writer: _Writer) -> OperatorCounts:
    return OperatorCounts(
        name=operator.name,
        family=operator.family,
        plants=operator.plants,
        about=operator.about,
        against=operator.against,
        probes=writer.probes[operator.name],
        dropped=writer.dropped[operator.name],
        missed_by_bfcl=writer.missed[operator.name],
    )


class _Writer:
    """Writes probes as they are made; the files appear together at the end."""

    def __init__(self, out: FolderPath) -> None:
        self._out = out
        self._exit = ExitStack()
        self._files: dict[str, BinaryIO] = {}
        self._written: set[str] = set()
        self.seen: set[str] = set()
        self.probes: Counter[str] = Counter()
        self.dropped: Counter[str] = Counter()
        self.missed: Counter[str] = Counter()

    def __enter__(self) -> Self:
        with ExitStack() as opening:
            for name in (CASES, OUTPUTS, LABELS, WEAKNESSES):
                self._files[name] = opening.enter_context(atomic_write(self._out / name))
            self._exit = opening.pop_all()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._exit.__exit__(kind, error, trace)

    def add(self, row: _Row) -> None:
        """Add a probe, a right output, or a weakness of a rule set."""
        if row.operator is not None:
            self.seen.add(row.operator)
            counts = (
                self.probes if row.rules is None else self.dropped if row.rules == "strict" else self.missed
            )
            counts[row.operator] += 1
        for name, line in row.lines.items():
            if name != CASES or row.case_id not in self._written:
                self._files[name].write(line)
        if row.case_id is not None:
            self._written.add(row.case_id)


class _Row(NamedTuple):
    """Lines of files, by name, and what is counted of them."""

    lines: dict[str, bytes]
    case_id: str | None = None
    """Of the case among them, which is written once."""
    operator: str | None = None
    """None of a right output."""
    rules: str | None = None
    """Of a weakness: whose."""


def _original(subject: Subject) -> _Row:
    """The right output itself: what a judge says of it is what it says of its twins is compared with."""
    label = graded(
        subject.output,
        1.0,
        by="construction",
        source="construction",
        evidence=origin("original", "nothing", subject.output),
    )
    return _Row(_lines(subject.case, subject.output, label), subject.case.id)


def _row(found: Probe | Weakness) -> _Row:
    """A probe, or a weakness of a rule set."""
    if isinstance(found, Weakness):
        return _Row({WEAKNESSES: encode_record(found)}, operator=found.operator, rules=found.rules)
    return _Row(
        _lines(found.case, found.output, found.label), found.case.id, found.label.evidence["operator"]
    )


def _lines(case: Case, output: Output, label: Verdict) -> dict[str, bytes]:
    return {CASES: encode_record(case), OUTPUTS: encode_record(output), LABELS: encode_record(label)}


def count_by_plants(manifest: ProbeManifest) -> dict[Plants, int]:
    """How many probes there are of each sort."""
    counts: dict[Plants, int] = {"fault": 0, "twin": 0, "attack": 0, "control": 0}
    for operator in manifest.operators:
        counts[operator.plants] += operator.probes
    return counts
