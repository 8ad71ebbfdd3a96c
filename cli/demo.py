"""`fiducial demo`: check, judge and calibrate a built-in suite, offline."""

from __future__ import annotations

from pathlib import Path

import click

from ..settings.verbs.demo import DemoSettings
from .declared_options import options_of
from .printing import command_line

_EXAMPLE = """\b
Example:
  fiducial demo --out demo
"""


@click.command("demo", epilog=_EXAMPLE)
@options_of(DemoSettings)
def command(*, out: Path, verbose: bool, quiet: bool) -> int:
    """Run the whole pipeline on a small built-in suite: no key, no network, a few seconds."""
    from ..api.demo import COMPARED, demo_access, demo_plan, prompts_compared
    from .evaluate import evaluate

    # It takes two seconds, so a log needs no line per stage.
    plan = demo_plan(out, command_line())
    code = evaluate(plan, demo_access(), verbose=verbose, quiet=quiet, progress=None)
    if verbose:
        click.echo(f"\n{len(COMPARED)} prompts on the same outputs (`fiducial compare {out}` for all judges)")
        for line in str(prompts_compared(out)).splitlines():
            click.echo(f"  {line}")
    return code
