"""Judge tasks: judges as users name them, made ready to be asked."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from ...calibration.pass_threshold import PassThreshold, overridden_threshold
from ...errors import ConfigurationError, UsageError
from ...judges.baseline import MODEL as BASELINE
from ...judges.baseline import baseline_judge
from ...judges.callables import callable_judge
from ...judges.catalogue import JUDGED_KINDS, find_prompt, is_prompt_file, no_model
from ...judges.prompt_judge import PromptJudge, load_judge
from ...judges.transport.exchange import ApiName
from ...plugins import JUDGES
from ...records import ItemKey, JudgeId, Kind
from ...spelling import command, setting
from ..inputs import EvaluationInputs
from ..store.manifest import JudgeRecord
from .access import ModelAccess
from .asking import without_refused
from .judge_names import RESERVED, display_names
from .judge_task import JudgeTask, replay_in

_SPEC = re.compile(r"\A(?P<judge>.+?\.prompty|[^@]+)@(?P<model>.+)", re.DOTALL)

_CUSTOM_PROMPT = "a custom prompt"
"""Suggested judge for outputs that no shipped judge grades."""


def split_spec(spec: str) -> tuple[str, str | None]:
    """Return the judge and the model, if one is named, of ``judge/variant@model``."""
    match = None if spec.endswith(".prompty") else _SPEC.fullmatch(spec)
    return (spec, None) if match is None else (match["judge"], match["model"])


def judge_tasks(
    specs: Iterable[str | JudgeTask],
    model: str | None,
    known_judges: Collection[JudgeRecord] = (),
    environments: Mapping[str, type] = {},
    pass_at: Mapping[str, float] = {},
    *,
    parameters: Mapping[str, Any] | None = None,
    api: ApiName = "chat",
) -> list[JudgeTask]:
    """Prepare judges, each under a unique name.

    Args:
        specs: Names of judges, with or without a variant, or paths of prompt files, each perhaps with ``@MODEL``; or prepared judges.
        model: The model's name at the endpoint, or ``baseline``, for judges that name none.
        known_judges: Judges of the run that already have a name.
        environments: Custom worlds, for judges that are shown what calls returned.
        pass_at: Overrides of the pass thresholds that judges declare.
        parameters: Decoding parameters that replace those of prompts; a parameter of value None is not sent.
        api: Protocol of the endpoint that judges share.

    Raises:
        UsageError: There is no such judge, or two of them are the same.
        PromptError: A prompt file cannot be used.
        ConfigurationError: No model is named.
    """
    specs = list(specs)
    tasks = [
        spec if isinstance(spec, JudgeTask) else judge_task(spec, model, environments, parameters, api)
        for spec in specs
    ]
    tasks = [without_refused(task, known_judges) for task in tasks]
    spec_of = {task.id: spec for task, spec in zip(tasks, specs, strict=True) if isinstance(spec, str)}
    return [
        replace(
            task,
            threshold=overridden_threshold(
                task.threshold, pass_at, [task.by, task.id.plain, spec_of.get(task.id, task.by)]
            ),
        )
        for task in uniquely_named(tasks, known_judges)
    ]


def uniquely_named(tasks: Iterable[JudgeTask], known_judges: Collection[JudgeRecord] = ()) -> list[JudgeTask]:
    """Return the judges, each under a unique name.

    Raises:
        UsageError: Two of them are the same.
    """
    by_id: dict[JudgeId, JudgeTask] = {}
    for task in tasks:
        if task.id in by_id:
            files = dict.fromkeys(duplicate.record.prompt for duplicate in (by_id[task.id], task))
            equal_files = f" ({' and '.join(map(str, files))} are the same)" if len(files) > 1 else ""
            raise UsageError(
                f"{setting('judge', task.by)} is named twice{equal_files}: name different judges, or repeat one with {setting('repeats', 'N')}"
            )
        by_id[task.id] = task
    # Composite judges keep their names, which are made of those of their parts.
    records = [task.record for task in by_id.values() if not task.parts]
    names = {task.id: task.by for task in by_id.values()} | display_names(records, known_judges)
    return [replace(task, judge=task.judge.named(names[task.id])) for task in by_id.values()]


def possible_names(spec: str | JudgeTask, model: str | None, api: ApiName = "chat") -> list[str]:
    """Return the names that a judge may be given before its display name is known."""
    if isinstance(spec, JudgeTask):
        return [spec.by]
    judge, model_of_spec = split_spec(spec)
    registered = _registered(judge)
    if callable(registered):
        return [spec, judge, callable_judge(judge, registered).by]
    if registered is not None:
        return [spec, judge]
    model = model_of_spec or model
    if model == BASELINE:
        return [spec, baseline_judge(judge).by]
    name = str(find_prompt(judge, decides=api != "chat")[0])
    return [spec, judge, f"{name}@{model}" if model else name]


def judge_task(
    spec: str,
    model: str | None,
    environments: Mapping[str, type] = {},
    parameters: Mapping[str, Any] | None = None,
    api: ApiName = "chat",
) -> JudgeTask:
    """Prepare a judge under its plain name; see `judge_tasks`."""
    spec, model_of_spec = split_spec(spec)
    registered = _registered(spec)
    if isinstance(registered, str | Path):
        spec = str(registered)
    elif registered is not None:
        if model_of_spec is not None:
            raise UsageError(f"{spec} is a function and calls no model; drop @{model_of_spec}")
        return JudgeTask(judge=callable_judge(spec, registered))
    model = model_of_spec or model
    if model is None:
        raise ConfigurationError(no_model())
    if model == BASELINE:
        return JudgeTask(judge=baseline_judge(spec))
    judge = load_judge(spec, model=model, replay=replay_in(environments), parameters=parameters, api=api)
    if judge.splits:
        raise UsageError(
            f"{spec} only splits answers into statements; use it with {setting('split_statements')}"
        )
    # A probability says by itself how likely an output is right; a threshold follows from the user's costs.
    undeclared = judge.pass_at is None or judge.decides
    threshold = PassThreshold() if undeclared else PassThreshold(judge.pass_at or 0.5, "declared")
    return JudgeTask(judge=judge, threshold=threshold)


def reload_judge(known_judge: JudgeRecord) -> PromptJudge:
    """Load a run's judge from its current prompt, under its earlier name.

    Its id differs from the earlier one if anything has changed.
    """
    spec = known_judge.prompt or f"{known_judge.id.name}/{known_judge.id.variant}"
    judge = load_judge(
        spec,
        model=known_judge.id.model,
        replay=replay_in({}),
        parameters=known_judge.parameters,
        refused=known_judge.refused,
        api=known_judge.api,
    )
    return replace(judge, by=known_judge.by)


def _registered(spec: str) -> Any:
    """Return the plugin registered under a name.

    None for a prompt file, for a built-in name, and for an unknown name.
    """
    is_builtin = spec.partition("/")[0] in RESERVED
    return None if is_builtin or is_prompt_file(spec) else JUDGES.get(spec)


def require_work(
    tasks: Collection[JudgeTask], kinds: Mapping[Kind, int], recorded: Iterable[ItemKey] = ()
) -> None:
    """Refuse judges with nothing to judge before anything is written, and suggest others.

    Args:
        tasks: The judges.
        kinds: Outputs by the kind of their case.
        recorded: Outputs that judges are asked about because they record their steps (`transcripts`).
    """
    if any(task.judges_kind(kind) for task in tasks for kind in kinds) or any(True for _ in recorded):
        return
    judge_of_kind = {kind: judge for judge, judged in JUDGED_KINDS.items() for kind in judged}
    shown_kinds = ", ".join(
        f"{count:,} of {kind} (judged by {judge_of_kind.get(kind, _CUSTOM_PROMPT)})"
        for kind, count in kinds.items()
    )
    raise UsageError(
        f"{setting('judge', ' '.join(task.by for task in tasks))}: none of the outputs is of a kind to judge; there are {shown_kinds}"
    )


def transcripts(tasks: Collection[JudgeTask], inputs: EvaluationInputs) -> Iterator[ItemKey]:
    """Yield the outputs that judges are asked about because they record their steps."""
    takers = [task for task in tasks if task.takes_transcripts]
    # Outputs are read only if a judge does not take all of them anyway.
    if all(task.judges_kind(kind) for task in takers for kind in inputs.survey.kinds):
        return
    yield from (output.key for output in inputs.outputs() if output.turns is not None)


def require_no_comparing(tasks: Iterable[JudgeTask]) -> None:
    """Refuse judges that need two outputs, in a run that judges single ones."""
    for task in tasks:
        if task.compares:
            raise UsageError(
                f"{setting('judge', task.by)} compares two outputs of a case; it is asked by `{command('compare', by='system', judge=task.id.name)}`"
            )


def require_models(tasks: Iterable[JudgeTask], access: Callable[[], ModelAccess]) -> None:
    """Check that the models can be asked, before anything is written.

    If cost is limited, their prices must be known.
    """
    models = {model for task in tasks if task.access is None for model in task.models}
    if not models:
        return
    client = access()
    if client.budget is not None and client.replay is None:
        for model in models:
            client.budget.require_price(model)
