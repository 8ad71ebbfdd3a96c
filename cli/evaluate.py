"""What `run`, `judge` and `demo` have in common: evaluate, report, say what came out, and leave with the right exit code."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, datetime
from functools import cache, partial
from typing import Any

import msgspec

from ..api.check_options import worlds_of
from ..api.gates import PASS_RATE, parse_gates
from ..api.progress import shown_progress
from ..evaluation.judging.access import ModelAccess
from ..evaluation.pipeline import Plan, run
from ..evaluation.store.run_store import GENERATED
from .exit_codes import EXIT_PARTIAL
from .generate import generate_first
from .jury_options import jury_rule, split_options
from .model_options import batch_mode, model_access, prices
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
    generated = generate_first(given, reached) if "generate" in given else None
    if generated is not None and not generated.kept + generated.made:
        return EXIT_PARTIAL
    plan = Plan(
        cases=given["cases"],
        outputs=[*given["outputs"], *([] if generated is None else [given["out"] / GENERATED])],
        out=given["out"],
        command=command_line(),
        judges=given["judges"],
        model=given["model"],
        labels=given["labels"],
        pass_at=given["pass_at"],
        repeats=given["repeats"],
        prices=prices(given),
        accept_edited=given["accept_edited"],
        jury=jury_rule(given),
        batch=batch_mode(given),
        environments=worlds_of(given["worlds"]),
        **split_options(given),
        **stages,
    )
    access = cache(lambda: msgspec.structs.replace(reached(), meanwhile=partial(_load, plan)))
    if given["dry_run"]:
        from .dry_run import show_forecast  # noqa: PLC0415 - most runs are not foreseen

        return show_forecast(plan, access())
    code = evaluate(
        plan,
        access,
        fail_under=given["fail_under"],
        min_graded=given["min_graded"],
        telling=(given["verbose"], given["quiet"]),
    )
    return EXIT_PARTIAL if not code and generated is not None and generated.without_output else code


def evaluate(
    plan: Plan,
    access: Callable[[], ModelAccess],
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
    gates = _gates(fail_under)
    with shown_progress(wanted=True) as progress:
        conclusion = run(plan, access, progress, lambda: datetime.now(UTC))
    from .outcome import Telling, show_outcome  # noqa: PLC0415 - loaded meanwhile, where a model was asked

    return show_outcome(plan, conclusion, gates, min_graded, Telling(*telling))


def _load(plan: Plan) -> None:
    """Load what the end of a run takes: half of the time that it would take then."""
    from .outcome import load  # noqa: PLC0415 - in a thread, while the first replies are awaited

    load(plan)
    gc.freeze()  # what is loaded stays; looking through it for garbage once more takes 50 ms


def _gates(given: Iterable[str]) -> dict[str, float]:
    given = tuple(given)
    if not given:
        return {}
    from ..calibration import ESTIMATORS  # noqa: PLC0415 - scipy is slow to import, and most runs have no gate

    return parse_gates(given, (PASS_RATE, *ESTIMATORS))
