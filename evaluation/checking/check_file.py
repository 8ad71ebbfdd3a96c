"""Check a file of outputs into a file of verdicts, which appears when it is complete."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from ...deterministic import CheckOptions
from ...deterministic.artifacts.dependencies import UnknownDependency
from ...records import InputPath, Verdict, atomic_write
from ..conclusion.run_results import SystemResult, Tally
from ..inputs import EvaluationInputs
from ..progress import Progress
from ..shards import shards_of
from ..store.journal_rows import JournalRow
from .checks import UNKNOWN, check_all
from .dotted_names import NamesOption


class CheckedSystems(NamedTuple):
    """Results of each system, and dependencies of challenges that no output answers for."""

    systems: list[SystemResult]
    unknown: list[UnknownDependency]


def partial_file(out: Path) -> Path:
    """Return the path of the verdicts so far when checking was interrupted."""
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

    Interrupted, it leaves those so far in `partial_file`. Folders are sets of shards. WorkerError where a worker process was killed.
    """
    tally, interrupts, partial = Tally(), list[KeyboardInterrupt](), partial_file(out)
    unknown: dict[UnknownDependency, None] = {}
    of, by = shards_of(cases), shards_of(outputs)
    sharded = of.sharded or by.sharded
    with EvaluationInputs(of.files, by.files, checked=options, sharded=sharded) as inputs:
        facts = inputs.cases.facts

        def lines() -> Iterator[bytes]:
            try:
                for line, said in check_all(inputs, names, options, workers=workers):
                    case = facts(said.case_id)
                    tally.add_checked(said, case.cluster, case.kind)
                    unknown.update(dict.fromkeys(_unknown(said)))
                    progress.advance()
                    yield line
            except KeyboardInterrupt as interrupt:
                interrupts.append(interrupt)

        progress.begin("checking", inputs.survey.outputs)
        with atomic_write(partial) as file:
            file.writelines(lines())
        if interrupts:
            raise interrupts[0]
        partial.replace(out)
    from ..conclusion.rates_by_part import system_results  # noqa: PLC0415 - who only sets options needs no intervals

    return CheckedSystems(system_results(tally, inputs.survey.missing), list(unknown))


def _unknown(said: JournalRow | Verdict) -> list[UnknownDependency]:
    """Return the unknown dependencies in a verdict's evidence; empty unless on a challenge."""
    if not isinstance(said, Verdict) or not said.evidence:
        return []
    return [UnknownDependency(said.case_id, name) for name in said.evidence.get(UNKNOWN, [])]
