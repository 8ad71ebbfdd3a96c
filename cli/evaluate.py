"""What `run`, `judge` and `demo` have in common: evaluate, report, say what came out, and leave with the right exit code."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from typing import Any

import click

from ..api.check_options import worlds_of
from ..api.running import GENERATED, Access, Plan, forecast, gates_of, plan_of, run
from .exit_codes import EXIT_OK, EXIT_PARTIAL
from .generate import foresee_first, generate_first
from .jury_options import jury_options_of, split_options
from .model_options import model_access, poll_seconds
from .outcome import Telling, show_outcome
from .typed import command_line


def evaluate_as_asked(given: Mapping[str, Any], **stages: Any) -> int:
    """Run, or with ``--dry-run`` foresee, what the options of `run` and `judge` ask for.

    Args:
        given: Their values.
        **stages: Fields of the plan that only one of the two has.

    Returns:
        The exit code.
    """
    # Once, since all models share its budget.
    reached = cache(lambda: model_access(given))
    generates = given.get("generate") is not None or given.get("agent") is not None
    foreseen = generates and given["dry_run"]
    if foreseen and not foresee_first(given, reached):
        return EXIT_OK
    generated = generate_first(given, reached) if "generate" in given and not foreseen else None
    if generated is not None and not generated.tally.kept + generated.tally.made:
        return EXIT_PARTIAL
    plan = plan_of(
        cases=given["cases"],
        outputs=[*given["outputs"], *([given["out"] / GENERATED] if generates else [])],
        out=given["out"],
        command=command_line(),
        judges=given["judges"],
        model=given["model"],
        labels=given["labels"],
        pass_at=given["pass_at"],
        repeats=given["repeats"],
        prices=given["price"],
        accept_edited=given["accept_edited"],
        poll_seconds=poll_seconds(given),
        **jury_options_of(given),
        environments=worlds_of(given["worlds"]),
        **split_options(given),
        **stages,
    )
    if given["dry_run"]:
        click.echo(str(forecast(plan, reached(), progress=True)))
        return EXIT_OK
    code = evaluate(
        plan,
        reached,
        fail_under=given["fail_under"],
        min_graded=given["min_graded"],
        telling=(given["verbose"], given["quiet"]),
    )
    return EXIT_PARTIAL if not code and generated is not None and generated.tally.without_output else code


def evaluate(
    plan: Plan,
    access: Access,
    *,
    fail_under: Iterable[str] = (),
    min_graded: float | None = None,
    telling: tuple[bool, bool] = (False, False),
) -> int:
    """Run a plan and show what it came to.

    Args:
        plan: What to do.
        access: How a model is reached.
        fail_under: Gates, as typed.
        min_graded: The least share of outputs that must have a score.
        telling: Whether to tell everything, and whether to tell nothing but gates that fail.

    Returns:
        The exit code.
    """
    gates = gates_of(fail_under)
    return show_outcome(run(plan, access, progress=True), gates, min_graded, Telling(*telling))
