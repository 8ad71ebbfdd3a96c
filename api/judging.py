"""`fiducial.judge` and `fiducial.jury`: judges as callables that return a verdict.

They take a case and an output, or inputs by name.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, Unpack

import msgspec

from ..calibration.pass_threshold import overridden_threshold, threshold_overrides
from ..deterministic.registration import RegisteredEnvironments
from ..errors import UsageError
from ..evaluation.judging.access import ModelAccess
from ..evaluation.judging.composites import JuryRule, by_criterion, by_statement, jury_task
from ..evaluation.judging.tasks import judge_task, uniquely_named
from ..judges.jury import Rule
from .argument_checks import (
    checked_arguments,
    known_arguments,
    require_choice,
    require_declared,
    require_known,
    require_type,
)
from .callable_judge import CallableJudge
from .callers import warn_caller
from .model_access import AccessArguments, api_of, exposed_keys, latest_warnings, model_access
from .paths import FilePath

_UNUSED_ENDPOINT: dict[str, Any] = {"base_url": "http://127.0.0.1:9/v1", "api_key": None, "connection": None}
"""Placeholder for judges that only replay, so that no endpoint has to be configured; nothing listens on port 9."""


@checked_arguments
def judge(
    prompt: str | FilePath,
    *,
    model: str | None = None,
    concurrency: int = 64,
    parameters: Mapping[str, Any] | None = None,
    judge_parameters: Mapping[str, Any] | None = None,
    worlds: Mapping[str, type] | None = None,
    pass_at: float | None = None,
    split_statements: bool = False,
    **access: Unpack[AccessArguments],
) -> CallableJudge:
    """Create a judge that can be called.

    Args:
        prompt: A judge's name (``groundedness``), with its variant (``groundedness/direct``) or its model (``groundedness@m``), or the
            path of a ``.prompty`` file.
        model: The judging model's name at the endpoint; ``baseline`` for the word overlap control, which needs none.
        concurrency: Maximum calls in flight.
        parameters: Decoding parameters that override the prompt's; a value of None omits one.
        judge_parameters: Alias of ``parameters``, as in `fiducial.evaluate`; give one of them.
        worlds: Custom simulated worlds, by class name, in which calls are executed for a judge of conversations; by default the
            registered ones.
        pass_at: Pass threshold; by default the judge's own, else 0.5.
        split_statements: Whether to judge long answers statement by statement; for judges whose score is a share of statements.
        **access: Access to the model: ``base_url``, ``api_key``, ``api``, ``connection``, ``endpoints``, ``record``, ``replay``, ``cache``, ``timeout``,
            ``attempts``, ``max_calls``, ``max_cost`` and others; see `AccessArguments`.

    Returns:
        The judge. It connects at the first call.

    Raises:
        UsageError: There is no such judge, or an argument cannot be used.
        PromptError: The prompt file cannot be used.
        ConfigurationError: No model or endpoint is named, or the recording does not exist.
    """
    require_declared(access, AccessArguments)
    environments = RegisteredEnvironments() if worlds is None else worlds
    api = api_of(access.get("api"), access.get("endpoints", ()))
    if parameters is not None and judge_parameters is not None:
        raise UsageError("parameters and judge_parameters are the same: give one")
    task = judge_task(
        os.fspath(prompt), model, environments, judge_parameters if parameters is None else parameters, api
    )
    for warning in latest_warnings((), task.model, api):
        warn_caller(warning)
    overrides = threshold_overrides(pass_at)
    task = replace(task, threshold=overridden_threshold(task.threshold, overrides, [task.by]))
    if split_statements:
        task = by_statement(task, None)
        if not task.parts:
            raise UsageError(f"{task.by} judges an answer as a whole: leave split_statements out")
    task = by_criterion(task)
    remake = partial(
        judge,
        prompt,
        model=model,
        concurrency=concurrency,
        parameters=parameters,
        judge_parameters=judge_parameters,
        worlds=worlds,
        pass_at=pass_at,
        split_statements=split_statements,
        **access,
    )
    access_to_model = model_access(task.model, concurrency, **access) if task.models else ModelAccess()
    for warning in exposed_keys(access_to_model):
        warn_caller(warning)
    return CallableJudge(task, access_to_model, remake)


@checked_arguments
def jury(
    judges: Sequence[CallableJudge | FilePath],
    rule: Rule = "majority",
    *,
    weights: Sequence[float] = (),
    unsure: tuple[float, float] = (0.2, 0.8),
    repeats: int = 1,
    **options: Any,
) -> CallableJudge:
    """Create a jury that can be called, or used in `fiducial.evaluate`, like any judge.

    Args:
        judges: The members: results of `fiducial.judge`, or names; for ``escalate`` the cheap one, then the expensive one.
        rule: ``majority``: pass or fail by majority; ``mean``: the mean score; ``escalate``: the cheap one's verdict if it is sure,
            else the expensive one's.
        weights: Weight of each member's verdict; equal by default.
        unsure: ``escalate`` only: range of scores of which the cheap one is unsure.
        repeats: Number of times each member is asked; each counts as a vote.
        **options: Options of `fiducial.judge`, for members given by name.

    Returns:
        The jury.

    Raises:
        UsageError: These judges cannot form such a jury.
    """
    require_known("jury", options, known_arguments(judge))
    require_choice("rule", rule, Rule)
    require_type("unsure", unsure, "Sequence[float]")
    if len(unsure) != 2 or not max(unsure[0], 0.0) <= min(unsure[1], 1.0):  # noqa: PLR2004 - both ends  # pyright: ignore[reportUnnecessaryComparison] - callers are not all typed
        raise UsageError(
            f"unsure= expects the lowest and the highest score of which the cheap one is unsure, got {unsure!r}"
        )
    members = [member if isinstance(member, CallableJudge) else judge(member, **options) for member in judges]
    tasks = uniquely_named(member.task_with_access for member in members)
    task = jury_task(JuryRule(rule=rule, weights=tuple(weights), unsure=unsure), tasks, repeats=repeats)
    member_by_id = {task.id: member for member in members for task in member.task.single_tasks}
    remake = partial(jury, members, rule, weights=weights, unsure=unsure, repeats=repeats)
    return CallableJudge(task, ModelAccess(), remake, member_by_id)


def cassette_judge(prompt: FilePath, path: Path, *, ask: bool, **options: Any) -> CallableJudge:
    """Return a judge that answers from a cassette, which is a recording of replies.

    With ``ask``, a missing reply is requested and added; without, it raises a MissingReplyError. No reply cache is
    used: a deleted cassette must be recorded from the model, not from replies of earlier runs.
    """
    remake = partial(cassette_judge, prompt, path, ask=ask, **options)
    judge_with_model = judge(prompt, **(options if ask else options | _UNUSED_ENDPOINT))
    access = msgspec.structs.replace(judge_with_model.access, cassette=path, cache=None)
    if not ask:
        access = msgspec.structs.replace(access, endpoint=None, record=None, budget=None)
    return CallableJudge(judge_with_model.task, access, remake)
