"""``fiducial bfcl``: generate and score BFCL result trees.

BFCL is the Berkeley Function-Calling Leaderboard.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from ..settings.access_settings import AccessSettings
from ..settings.verbs.bfcl import BfclGenerateSettings, BfclScoreSettings
from .declared_options import options_of
from .exit_codes import EXIT_OK, EXIT_PARTIAL
from .model_options import model_access, select_options
from .printing import emit


class BfclGroup(click.Group):
    """Group that also accepts BFCL's name of a command."""

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return the command; ``evaluate`` is ``score``."""
        return super().get_command(ctx, "score" if cmd_name == "evaluate" else cmd_name)


@click.group(cls=BfclGroup, no_args_is_help=True)
def command() -> None:
    """Generate and score results of the Berkeley Function-Calling Leaderboard (BFCL v4)."""


_SOURCE_OPTIONS = ("model", "mode", "steps_per_turn", "system", "search", "embedding_model")
_TEMPERATURE = 0.001
"""The temperature that BFCL uses for every model that accepts one."""


@command.command(
    short_help="Run a model on the data set.",
    epilog="Example: fiducial bfcl generate --data bfcl_eval-2025.12.17-py3-none-any.whl --model my-model --category live --results result",
)
@options_of(BfclGenerateSettings)
def generate(
    *,
    data: Path,
    results: Path,
    categories: tuple[str, ...],
    count_failures: bool,
    dry_run: bool,
    **options: Any,
) -> int:
    """Run a model on BFCL's entries; write the result tree for `fiducial bfcl score`.

    With --mode tools, dots in names are replaced with underscores, as BFCL does. The temperature is 0.001 unless --parameter sets another
    (temperature=null leaves it out). Exit code 3: calls failed; the same command retries these entries.
    """
    from ..api.generating_files import forecast_bfcl, generate_bfcl

    parameters = {"temperature": _TEMPERATURE, **options["parameters"]}
    source: dict[str, Any] = {
        **{name: options[name] for name in _SOURCE_OPTIONS},
        "access": model_access(select_options(AccessSettings, options)),
        "parameters": {name: value for name, value in parameters.items() if value is not None},
        "prices": options["price"],
    }
    if dry_run:
        click.echo(str(forecast_bfcl(data, results, categories, **source)))
        return EXIT_OK
    generations = generate_bfcl(
        data, results, categories, count_failures=count_failures, progress=True, **source
    )
    for generation in generations:
        click.echo(str(generation))
    click.echo(f"results: {results}")
    return EXIT_PARTIAL if any(generation.tally.without_output for generation in generations) else EXIT_OK


@command.command(
    short_help="Score every system of a result tree.",
    epilog="Example: fiducial bfcl score --data bfcl_eval-2025.12.17-py3-none-any.whl --results result --scores score",
)
@options_of(BfclScoreSettings)
def score(
    *, data: Path, results: Path, scores: Path, json_file: str | None, price: tuple[str, ...], **options: Any
) -> None:
    """Score every system of a result tree.

    Writes BFCL's own score tree below SCORES (per category a summary line, then a line for each answer that is not valid) and its CSV
    files, and prints every rate with its denominator and 95 % Wilson interval.

    The cost column needs --price and recorded tokens, the latency columns recorded times; model link, organisation and licence are N/A.
    `fiducial bfcl evaluate` is the same command under BFCL's name.
    """
    from ..api.bfcl import score_bfcl

    result = score_bfcl(data, results, scores, progress=True, prices=price, **options)
    for path in result.passed_over:
        click.echo(f"skipped, as BFCL does: {path}", err=True)
    emit(result, json_file, closing=["", f"score files and CSV files are in {scores}"])
