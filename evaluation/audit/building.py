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
    atomic_write,
    encode_record,
    graded,
    write_json,
)
from ...version import VERSION
from ..checking.checks import options_by_system
from ..checking.names import NamesOption
from ..inputs import EvaluationInputs, file_sha256
from ..progress import Progress
from .probe_folder import CASES, LABELS, OUTPUTS, PROBES, WEAKNESSES, OperatorCounts, ProbeManifest
from .subjects import right_subjects


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
    outputs: Iterator[Output] | None
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
) -> ProbeManifest:
    """Mutate every right output and write the probes.

    Args:
        cases: The cases file.
        outputs: Files of outputs, of which the right ones are mutated; none to make right outputs of the references.
        out: The folder; its files appear when all is written.
        settings: How probes are made.
        progress: Told about every right output.

    Returns:
        What was made.

    Raises:
        InputError: An input cannot be used, or nothing in it is right.
    """
    replaced = _on_disk(cases, *outputs) & _on_disk(out / CASES, out / OUTPUTS)
    if replaced:
        raise InputError(
            "is an input and would be replaced by the probes; choose another --out", path=replaced.pop()
        )
    if not outputs:
        with CaseIndex(cases, partial(require_meetable, options=settings.options)) as index:
            progress.begin("mutating", len(index))
            return _build(_Sources(index, None, (cases,), {}, settings.options), out, settings, progress)
    with EvaluationInputs(cases, outputs, checked=settings.options) as inputs:
        progress.begin("mutating", inputs.survey.outputs)
        differing, default = options_by_system(inputs, settings.names, settings.options)
        sources = _Sources(inputs.cases, inputs.outputs(), (cases, *outputs), differing, default)
        return _build(sources, out, settings, progress)


def _on_disk(*paths: InputPath) -> set[Path]:
    return {path.resolve() for path in paths if isinstance(path, Path)}


def _build(sources: _Sources, out: FolderPath, settings: ProbeSettings, progress: Progress) -> ProbeManifest:
    passed_over: Counter[str] = Counter()
    count = 0
    with _Writer(out) as writer:
        for subject in right_subjects(sources.cases, sources.outputs, settings.options, passed_over):
            count += 1
            writer.add_original(subject)
            options = sources.differing.get(subject.output.system, sources.default)
            for found in make_probes(
                subject, settings.operators, options, seed=settings.seed, per_operator=settings.per_operator
            ):
                writer.add(found)
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

    def add_original(self, subject: Subject) -> None:
        """Add the right output itself: what a judge says of it is what it says of its twins is compared with."""
        label = graded(
            subject.output,
            1.0,
            by="construction",
            source="construction",
            evidence=origin("original", "nothing", subject.output),
        )
        self._write_case(subject.case)
        self._files[OUTPUTS].write(encode_record(subject.output))
        self._files[LABELS].write(encode_record(label))

    def add(self, found: Probe | Weakness) -> None:
        """Add a probe, or a weakness of a rule set."""
        if isinstance(found, Weakness):
            self._files[WEAKNESSES].write(encode_record(found))
            self.seen.add(found.operator)
            (self.dropped if found.rules == "strict" else self.missed)[found.operator] += 1
            return
        operator: str = found.label.evidence["operator"]
        self.seen.add(operator)
        self.probes[operator] += 1
        self._write_case(found.case)
        self._files[OUTPUTS].write(encode_record(found.output))
        self._files[LABELS].write(encode_record(found.label))

    def _write_case(self, case: Case) -> None:
        if case.id not in self._written:
            self._written.add(case.id)
            self._files[CASES].write(encode_record(case))


def count_by_plants(manifest: ProbeManifest) -> dict[Plants, int]:
    """How many probes there are of each sort."""
    counts: dict[Plants, int] = {"fault": 0, "twin": 0, "attack": 0, "control": 0}
    for operator in manifest.operators:
        counts[operator.plants] += operator.probes
    return counts
