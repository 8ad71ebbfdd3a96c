"""Deterministic verdicts of a file of outputs, written to one file, which appears when it is complete."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from ..deterministic import CheckOptions
from ..records import Verdict, write_records
from .checking.checks import check_outputs, options_by_system
from .checking.names import NamesOption
from .conclusion.rates import system_results
from .conclusion.results import SystemResult
from .conclusion.tally import Tally
from .inputs import EvaluationInputs
from .progress import Progress


def partial_file(out: Path) -> Path:
    """Where the verdicts so far are when checking was interrupted."""
    return out.with_name(f"{out.name}.partial")


def check_file(
    cases: Path,
    outputs: Sequence[Path],
    out: Path,
    *,
    names: NamesOption,
    options: CheckOptions,
    progress: Progress,
) -> list[SystemResult]:
    """Check every output and write the verdicts.

    Args:
        cases: The cases file.
        outputs: The outputs files.
        out: Where the verdicts go; appears when the last one is written. Interrupted, those so far are in `partial_file`.
        names: How documented names with dots were offered.
        options: Rule set and registries.
        progress: Told about every output.

    Returns:
        What is said of each system.

    Raises:
        InputError: An input cannot be used, or the file cannot be written.
        KeyboardInterrupt: As it came, after the verdicts so far were written.
    """
    tally, interrupts, partial = Tally(), list[KeyboardInterrupt](), partial_file(out)
    with EvaluationInputs(cases, outputs, checked=options) as inputs:
        differing, default = options_by_system(inputs, names, options)

        def verdicts() -> Iterator[Verdict]:
            try:
                for verdict in check_outputs(inputs.pairs(), differing, default):
                    kind = inputs.cases.facts(verdict.case_id).kind
                    tally.add_checked(verdict, inputs.cases.cluster(verdict.case_id), kind)
                    progress.advance()
                    yield verdict
            except KeyboardInterrupt as interrupt:
                interrupts.append(interrupt)

        progress.begin("checking", inputs.survey.outputs)
        write_records(partial, verdicts())
        if interrupts:
            raise interrupts[0]
        partial.replace(out)
        missing = {system: inputs.survey.missing(system) for system in inputs.survey.answered}
    return system_results(tally, missing)
