"""Ask judges which of two outputs is better, in both orders, in a resumable run folder."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from typing import Any, NamedTuple

import msgspec
import numpy as np

from ...calibration.arrays import FloatArray, cluster_numbers
from ...calibration.preference.choices import Choices
from ...calibration.preference.measure import preferences_of
from ...calibration.preference.preference_results import PreferenceNumbers
from ...errors import UsageError
from ...judges.prices import PriceList
from ...judges.transport.exchange import ApiName
from ...records import Author, CaseFiles, FolderPath, InputPath, ItemKey, Outcome, Verdict, write_json
from ...records.made_scores import mean_score
from ...records.result import Framed, ResultOnPage
from ...spelling import setting
from ..context import RunContext, judge_run
from ..forecast import Forecast, copy_of_run, forecast_steps
from ..inputs import EvaluationInputs
from ..judging.access import BatchMode, ModelAccess
from ..judging.asking import PerOutputStep, ask, ask_adapting, every_output, not_sent
from ..judging.judge_task import JudgeTask, JudgingStep
from ..judging.tasks import judge_tasks, require_models
from ..progress import Progress, Silent
from ..store.file_names import PAIRS
from ..store.run_store import RunStore
from ..store.run_writer import RunWriter
from .paired_inputs import PairInputs, length_of


class PairVerdict(NamedTuple):
    """Choices of one judge on pairs, and counts of its verdicts without a choice, by outcome."""

    choices: Choices
    ungraded: Mapping[Outcome, int]


def choices_of(
    verdicts: Iterable[Verdict], pairs: PairInputs, truth: Mapping[ItemKey, float]
) -> dict[Author, PairVerdict]:
    """Return each judge's choices on pairs, and counts of its verdicts without a choice.

    ``truth`` has labels by output, and people's choices by pair.
    """
    scores: dict[Author, dict[ItemKey, list[float]]] = {}
    ungraded: dict[Author, Counter[Outcome]] = {}
    for verdict in verdicts:
        if verdict.key in pairs.members:
            scores_of_judge = scores.setdefault(verdict.author, {})
            outcomes = ungraded.setdefault(verdict.author, Counter())
            if verdict.score is None:
                outcomes[verdict.outcome] += 1
            else:
                scores_of_judge.setdefault(verdict.key, []).append(verdict.score)
    means = {
        judge: {key: mean_score(repeats) for key, repeats in by_pair.items()}
        for judge, by_pair in scores.items()
    }
    return {
        judge: PairVerdict(_make_choices(means[judge], pairs, truth), ungraded[judge]) for judge in scores
    }


class _Comparison(NamedTuple):
    """Two outputs, ``a`` of the earlier system, and the keys of their pair in both orders."""

    a: ItemKey
    b: ItemKey
    a_first: ItemKey
    b_first: ItemKey


def _make_choices(
    scores: Mapping[ItemKey, float], pairs: PairInputs, truth: Mapping[ItemKey, float]
) -> Choices:
    system_number = {system: position for position, system in enumerate(pairs.systems)}
    pair_of = {members: pair for pair, members in pairs.members.items()}
    comparisons = [
        _Comparison(a, b, pair_of[a, b], pair_of[b, a])
        for a, b in pairs.members.values()
        if system_number[a.system] < system_number[b.system]
    ]
    person_choices = _floats(
        _person_choice(truth, comparison.a_first, comparison.b_first) for comparison in comparisons
    )
    label_choices = _floats(
        _choice_between(truth.get(comparison.a), truth.get(comparison.b)) for comparison in comparisons
    )
    return Choices(
        systems=pairs.systems,
        a=np.array([system_number[comparison.a.system] for comparison in comparisons], dtype=np.int64),
        b=np.array([system_number[comparison.b.system] for comparison in comparisons], dtype=np.int64),
        a_first=_floats(scores.get(comparison.a_first) for comparison in comparisons),
        b_first=_floats(scores.get(comparison.b_first) for comparison in comparisons),
        cluster=cluster_numbers(pairs.cases.cluster(comparison.a.case_id) for comparison in comparisons),
        length_a=_floats(length_of(pairs.output(comparison.a)) for comparison in comparisons),
        length_b=_floats(length_of(pairs.output(comparison.b)) for comparison in comparisons),
        # Labels of both outputs come before a person's choice between them.
        label=np.where(np.isnan(label_choices), person_choices, label_choices),
        person=person_choices,
    )


def _floats(values: Iterable[float | None]) -> FloatArray:
    """Return numbers as an array, with NaN for None."""
    return np.array(list(values), dtype=np.float64)


def _choice_between(a: float | None, b: float | None) -> float:
    """Return 1 if the first is better, 0 if the second is, 0.5 if equal, NaN if one is unknown."""
    if a is None or b is None:
        return np.nan
    return float(np.sign(a - b)) / 2 + 0.5  # -1, 0 and 1 become 0, 0.5 and 1


def _person_choice(truth: Mapping[ItemKey, float], pair: ItemKey, reversed_pair: ItemKey) -> float:
    scores = [truth[pair]] if pair in truth else []
    scores += [1.0 - truth[reversed_pair]] if reversed_pair in truth else []
    return _choice_between(mean_score(scores), 0.5) if scores else np.nan


PREFERENCES = "preferences.json"
"""File of the run folder with the results."""


class PreferencePlan(msgspec.Struct, frozen=True, kw_only=True):
    """Settings of a preference run; defaults are those of `fiducial.prefer`.

    Attributes:
        out: The run folder.
        command: The command line, for the record.
        judges: The judges, by name or as objects.
        truth: Labels of outputs, to test whether judges prefer the better output.
        batch: Settings for waiting on batches; None to ask the model directly.
    """

    cases: CaseFiles
    outputs: Sequence[InputPath]
    out: FolderPath
    command: str
    judges: Sequence[str | JudgeTask]
    model: str | None = None
    against: str | None = None
    repeats: int = 1
    truth: Mapping[ItemKey, float] = {}
    level: float = 0.95
    environments: Mapping[str, type] = {}
    judge_parameters: Mapping[str, Any] = {}
    api: ApiName = "chat"
    batch: BatchMode | None = None


class Preferences(ResultOnPage, Framed, frozen=True, kw_only=True):
    """Preferences of judges, one result each.

    ``to_frame`` has one row per judge and pair of systems, with the win rate of the first system.

    Attributes:
        judges: Results by judge.
        failed: Number of failed calls to a model.
        refused: Decoding parameters that a judge's model refused, by judge.
    """

    judges: list[PreferenceNumbers]
    failed: int = 0
    refused: dict[str, list[str]] = {}


def run_preferences(
    plan: PreferencePlan, access: Callable[[], ModelAccess], progress: Progress, now: Callable[[], datetime]
) -> Preferences:
    """Carry out a plan, or resume it.

    Returns:
        The judges' preferences, which are also written to the run folder.

    Raises:
        InputError: Cases or outputs cannot be used.
        UsageError: There is no such judge, it compares no outputs, or there is nothing to compare.
        RunFolderError: The folder is in use or belongs to another run.
        ConfigurationError: No model can be reached.
    """
    tasks = _comparing_tasks(plan)
    with _open_pairs(plan) as pairs:
        if not RunStore(plan.out).begun:
            require_models(tasks, access)
        identity = {PAIRS: [file.sha256 for file in pairs.survey.files]}
        judge_records = [task.record for task in tasks]
        with judge_run(plan.out, identity, judge_records, pairs, command=plan.command, now=now) as writer:
            context = RunContext(pairs, writer, progress)
            adapted_tasks = ask_adapting(
                tasks,
                writer,
                lambda adapted: ask(_preference_step(plan, context, adapted), access, plan.batch),
            )
            preferences = _conclude(plan, writer, pairs, adapted_tasks)
            write_json(writer.path / PREFERENCES, preferences)
            return preferences


def _conclude(
    plan: PreferencePlan, writer: RunWriter, pairs: PairInputs, tasks: Sequence[JudgeTask]
) -> Preferences:
    """Return the results of the current verdicts."""
    choices = choices_of(writer.verdicts.read(), pairs, plan.truth)
    tasks_with_verdicts = [task for task in tasks if task.id in choices]
    return Preferences(
        judges=[
            preferences_of(task.by, choices[task.id].choices, choices[task.id].ungraded, level=plan.level)
            for task in tasks_with_verdicts
        ],
        failed=sum(choices[task.id].ungraded.get("failed", 0) for task in tasks_with_verdicts),
        refused=not_sent(tasks),
    )


def preference_forecasts(
    plan: PreferencePlan, access: ModelAccess, prices: PriceList | None
) -> list[Forecast]:
    """Forecast the run without making calls or writing to its folder; see `run_preferences`."""
    with _open_pairs(plan) as pairs, copy_of_run(plan.out) as writer:
        step = _preference_step(plan, RunContext(pairs, writer, Silent()), _comparing_tasks(plan))
        return forecast_steps([step], access, prices, in_batch=plan.batch is not None)


def _preference_step(plan: PreferencePlan, context: RunContext, tasks: Sequence[JudgeTask]) -> JudgingStep:
    return PerOutputStep(context, tasks, every_output, plan.repeats)


@contextmanager
def _open_pairs(plan: PreferencePlan) -> Generator[PairInputs]:
    with EvaluationInputs(plan.cases, plan.outputs) as inputs:
        yield PairInputs(inputs, plan.against)


def _comparing_tasks(plan: PreferencePlan) -> list[JudgeTask]:
    tasks = judge_tasks(
        plan.judges,
        plan.model,
        list(RunStore(plan.out).roster),
        plan.environments,
        parameters=plan.judge_parameters,
        api=plan.api,
    )
    for task in tasks:
        if not task.compares:
            raise UsageError(
                f"{setting('judge', task.by)} judges one output; one that compares two is preference, or a prompt with the inputs first and second"
            )
    return tasks
