"""Who is asked: judges as users name them, made ready to be asked."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import NamedTuple

from ...errors import ConfigurationError, UsageError
from ...judges import Judge, baseline_by, load_judge
from ...judges.baseline import MODEL as BASELINE
from .access import ModelAccess

_SPEC = re.compile(r"(?P<judge>.+?\.prompty|[^@]+)@(?P<model>.+)", re.DOTALL)


class JudgeTask(NamedTuple):
    """One judge and what it is asked about."""

    judge: str
    model: str
    by: str
    fingerprint: str
    asked: Judge | None
    """None for the lexical baseline, which is asked nothing."""
    splitter: JudgeTask | None = None
    """Who splits answers into statements; None where answers are judged as a whole."""


def split_spec(spec: str) -> tuple[str, str | None]:
    """Split a judge's model off, where one is named: ``judge/variant@model``.

    Args:
        spec: A judge's name, with its variant or without, or a path to a prompt file; a model may follow.

    Returns:
        Judge and model.
    """
    found = None if spec.endswith(".prompty") else _SPEC.fullmatch(spec)
    return (spec, None) if found is None else (found["judge"], found["model"])


def judge_task(spec: str, model: str | None) -> JudgeTask:
    """Prepare a judge.

    Args:
        spec: A judge's name, with its variant or without, or a path to a prompt file; ``@MODEL`` may follow.
        model: The model's name at the endpoint, or ``baseline``, for a judge that names none.

    Returns:
        The task.

    Raises:
        UsageError: There is no such judge.
        PromptError: Its prompt file cannot be used.
        ConfigurationError: No model is named.
    """
    spec, own = split_spec(spec)
    model = own or model
    if model is None:
        raise ConfigurationError(
            "no model is named: add --model NAME (or --model baseline, which needs none)"
        )
    if model == BASELINE:
        by = baseline_by(spec)
        return JudgeTask(by.partition("/")[0], model, by, "lexical baseline: no prompt, no model", None)
    judge = load_judge(spec, model=model)
    if judge.splits:
        raise UsageError(f"{spec} splits answers, and judges none; --split-statements uses it")
    return JudgeTask(judge.name.judge, model, judge.by, judge.fingerprint, judge)


def require_models(tasks: Iterable[JudgeTask], access: Callable[[], ModelAccess]) -> None:
    """Find out before anything is written that the models can be asked.

    Args:
        tasks: The judges.
        access: How a model is reached; asked for only when one of them is asked of a model.

    Raises:
        ConfigurationError: None can be reached, or money is limited and a price is not known.
    """
    asked = [task for task in tasks if task.asked is not None]
    if not asked:
        return
    reached = access()
    if reached.budget is not None and reached.replay is None:
        for model in {each.model for task in asked for each in (task, task.splitter) if each is not None}:
            reached.budget.require_price(model)
