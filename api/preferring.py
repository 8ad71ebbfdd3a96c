"""`fiducial.prefer`: ask judges which of two outputs of a case is better, in both orders."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias, cast

from ..errors import UsageError
from ..evaluation.inputs import file_sha256
from ..evaluation.judging.access import ModelAccess
from ..evaluation.preference.preference_run import (
    PreferencePlan,
    Preferences,
    preference_forecasts,
    run_preferences,
)
from ..evaluation.store.run_store import RunStore
from ..judges.loop_thread import run_apart
from ..records import FolderPath, InputPath, ItemKey, Output, Verdict, read_records
from ..records.folder_files import CASES, LABELS, MANIFEST, OUTPUTS
from ..report.text.preference_screen import preferences_screen
from ..report.text.preference_text import preferences_document
from ..settings.verbs.compare import CompareSettings
from .argument_checks import checked_arguments, require_range, require_whole
from .callers import warn_caller
from .checking import Worlds, worlds_of
from .display import Document, Presentation, bind_display, statistics_frame
from .evaluating import JudgeLike, judging_fields, judging_fields_of
from .forecasts import Forecasts
from .pair_results import recorded_pairs
from .paths import Cases, FilePath, Labels, Outputs, folder_or_memory, input_path, output_sources, source
from .price_memory import known_prices
from .progress_bars import show_progress
from .run import Run
from .run_files import Access

if TYPE_CHECKING:
    import pandas as pd

    from ..report.page import ResultPage

Preferable: TypeAlias = Run | Outputs | Output | Sequence[Mapping[str, Any]]
"""A run, the folder of one, outputs in any form, or rows of pairs."""


def _preferences_document(preferences: Preferences) -> Document:
    return preferences_document(preferences.judges, preferences.refused)


def _preferences_screen(preferences: Preferences) -> Document:
    return preferences_screen(preferences.judges, preferences.refused)


def _preferences_page(preferences: Preferences) -> ResultPage:
    from ..report.comparison_page import preferences_page  # noqa: PLC0415 - only pages need it

    return preferences_page(preferences.judges, preferences.refused)


_MATCH_COLUMNS = (
    "a",
    "b",
    "n",
    "a_won",
    "b_won",
    "tied",
    "flipped_to_first",
    "flipped_to_second",
    "half_tied",
)


def _preferences_frame(preferences: Preferences) -> pd.DataFrame:
    """Return a row per judge and pair of systems, with the win rate of the first system."""
    return statistics_frame(
        (
            {"judge": judge.judge}
            | {name: getattr(match, name) for name in (*_MATCH_COLUMNS, "adjusted_p", "better")},
            match.preferred,
        )
        for judge in preferences.judges
        for match in judge.matches
    )


bind_display(
    Preferences,
    Presentation(
        make_document=_preferences_document,
        make_screen=_preferences_screen,
        make_page=_preferences_page,
        make_frame=_preferences_frame,
    ),
)


@checked_arguments
def prefer(
    a: Preferable,
    b: Preferable | None = None,
    *,
    cases: Cases | None = None,
    judges: JudgeLike | Sequence[JudgeLike] = "preference",
    model: str | None = None,
    labels: Labels | None = None,
    against: str | None = None,
    out: FilePath | None = None,
    repeats: int = 1,
    level: float = 0.95,
    worlds: Worlds = None,
    access: Access | None = None,
    poll_seconds: float | None = None,
    judge_parameters: Mapping[str, Any] | None = None,
    accept_edited: bool = False,
    command: str = "fiducial.prefer",
    progress: bool | None = None,
) -> Preferences:
    """Ask which of two outputs is better, in both orders, for every pair of systems.

    The results are win rates, strengths, flips and biases. Recorded verdicts on pairs (a table of them, or its import) are measured
    without asking, if no judge is named.

    Args:
        a: Outputs of one system, or of several that are all compared. A run provides its cases, and the verdicts of checkers and labels. Or
            recorded verdicts on pairs.
        b: Outputs of other systems.
        cases: The cases of the outputs, if no run has them.
        judges: One or several that compare two outputs, made by `fiducial.judge` or given by name.
        model: The judging model, for judges given by name.
        labels: Trusted verdicts on outputs. Where they differ for two outputs, they show whether the judge prefers the better one.
        against: Compare only with this system.
        out: A folder for the verdicts; the same call resumes. None keeps them in memory.
        repeats: Number of times each pair is judged in each order.
        level: Confidence level of the intervals.
        worlds: Custom simulated worlds; by default the registered ones.
        access: Model access shared by the judges given by name; by default that of `fiducial.judge`.
        poll_seconds: Seconds between checks of a provider's batch; None asks the model directly.
        judge_parameters: Decoding parameters that override the prompts', for judges given by name; a value of None omits one.
        accept_edited: Whether to accept runs whose verdicts were edited by hand.
        command: The command line, for the record.
        progress: Whether to show progress; None shows it on a terminal and in a notebook.

    Returns:
        Each judge's preferences. Failed calls leave comparisons incomplete; with ``out`` the same call retries only these.

    Raises:
        InputError: Cases or outputs cannot be used.
        UsageError: There are no cases, fewer than two systems, or no such judge; or a judge does not compare outputs.
        ConfigurationError: A model is needed and none is named or can be reached.
        RunFolderError: The folder is in use or belongs to another run.
    """
    if b is None and cases is None and model is None and judges == "preference":
        recorded_verdicts = recorded_pairs(a, {"labels": labels})
        if recorded_verdicts is not None:
            for warning in recorded_verdicts.left_out:
                warn_caller(warning)
            return Preferences(judges=recorded_verdicts.preferences(against=against, level=level))
    require_whole("repeats", repeats)
    require_range("level", level)
    judge_fields = judging_fields(
        judges,
        model,
        worlds_of(worlds),
        shared=access is not None,
        poll_seconds=poll_seconds,
        judge_parameters=judge_parameters,
    )
    plan = PreferencePlan(
        **_input_fields(a, b, cases, labels, accept_edited=accept_edited),
        out=folder_or_memory(out, "preferences"),
        **judge_fields,
        against=against,
        repeats=repeats,
        level=level,
        command=command,
    )
    return prefer_by(plan, access or ModelAccess, progress=progress)


def preference_plan(
    settings: CompareSettings, *, labels: Path | None, accept_edited: bool, command: str
) -> PreferencePlan:
    """Return the plan of the settings of `fiducial compare --judge`.

    Fields of the plan that are called like a setting take its value; the others are derived here.

    Args:
        settings: The settings.
        labels: The file of trusted verdicts, if there is one.
        accept_edited: Whether to accept runs whose verdicts were edited by hand.
        command: The command line, for the record.
    """
    derived_fields: dict[str, Any] = {
        **_input_fields(settings.tables, None, None, labels, accept_edited=accept_edited),
        **judging_fields_of(settings),
        "out": folder_or_memory(settings.out, "preferences"),
        "command": command,
    }
    return PreferencePlan(**{**settings.named(PreferencePlan.__struct_fields__), **derived_fields})


def forecast_preferences(plan: PreferencePlan, access: ModelAccess, prices: Sequence[str] = ()) -> Forecasts:
    """Forecast the cost of comparing without making a call or writing a file."""
    return Forecasts(judges=preference_forecasts(plan, access, known_prices(prices)))


def prefer_by(plan: PreferencePlan, access: Access, *, progress: bool | None) -> Preferences:
    """Carry out the plan of a comparison by judges, or resume it."""
    return run_apart(partial(_prefer, plan, access, progress=progress))


class _ComparedInputs(NamedTuple):
    """Outputs to compare, with their cases.

    Attributes:
        cases: Files of cases.
        outputs: Files of outputs.
        truth: Score of each output by its label, else by a checker. These scores show whether a judge prefers the better output.
    """

    cases: Sequence[InputPath]
    outputs: Sequence[InputPath]
    truth: dict[ItemKey, float]


def _input_fields(
    a: Preferable, b: Preferable | None, cases: Cases | None, labels: Labels | None, *, accept_edited: bool
) -> dict[str, Any]:
    """Return the fields of a plan for cases, outputs and known scores (``truth``)."""
    parts = [
        _inputs_of_argument(name, preferable, accept_edited=accept_edited)
        for name, preferable in (("outputs", a), ("more_outputs", b))
        if preferable is not None
    ]
    inputs = _combined_inputs(parts, cases)
    if labels is not None:
        labels_given = read_records(source("labels", labels), Verdict)
        inputs.truth.update(
            (verdict.key, verdict.score) for verdict in labels_given if verdict.score is not None
        )
    return inputs._asdict()


def _inputs_of_argument(name: str, outputs: Preferable, *, accept_edited: bool) -> _ComparedInputs:
    """Return the cases, outputs and known scores of one argument of `prefer`."""
    folders = [outputs.kept] if isinstance(outputs, Run) else _run_folders(outputs)
    if folders:
        return _combined_inputs(
            [_inputs_of_folder(folder, accept_edited=accept_edited) for folder in folders], None
        )
    return _ComparedInputs(
        [], output_sources([outputs] if isinstance(outputs, Output) else cast("Outputs", outputs), name), {}
    )


def _run_folders(value: Any) -> list[Path]:
    """Return the folders of the given runs, or none if anything else is given."""
    values = cast("Sequence[Any]", value) if isinstance(value, (list, tuple)) else [value]
    if not values or not all(isinstance(item, (str, os.PathLike)) for item in values):
        return []
    paths = [input_path(item) for item in values]
    return paths if all(path.is_dir() for path in paths) else []


def _inputs_of_folder(folder: FolderPath, *, accept_edited: bool) -> _ComparedInputs:
    """Return the inputs of a run or an import, and known scores.

    Scores are those of labels; an output of a run that has no label takes its checker's score.
    """
    if isinstance(folder, Path) and not (folder / MANIFEST).exists() and (folder / OUTPUTS).exists():
        return _inputs_of_import(folder)
    with RunStore(folder) as store:
        if not accept_edited:
            store.require_unedited()
        inputs = store.inputs
        checker_scores = {
            verdict.key: verdict.score
            for verdict in store.verdicts.standing
            if verdict.source == "checker" and verdict.score is not None
        }
        return _ComparedInputs(inputs.cases, inputs.outputs, {**checker_scores, **store.label_scores})


def _inputs_of_import(folder: Path) -> _ComparedInputs:
    """Return the inputs of an import, and the scores of its labels.

    Labels that people gave to pairs of outputs are among them.
    """
    labels = read_records(folder / LABELS, Verdict) if (folder / LABELS).exists() else ()
    truth = {label.key: label.score for label in labels if label.score is not None}
    return _ComparedInputs([folder / CASES], [folder / OUTPUTS], truth)


def _combined_inputs(parts: Sequence[_ComparedInputs], cases: Cases | None) -> _ComparedInputs:
    """Combine the parts to compare, which must have the same cases."""
    case_files = [part.cases for part in parts if part.cases] if cases is None else [[source("cases", cases)]]
    if not case_files:
        raise UsageError("name the cases of these outputs with cases=, or compare runs")
    # A single list of files needs no hashing.
    if len(case_files) > 1 and len({tuple(map(file_sha256, files)) for files in case_files}) > 1:
        names = ", ".join(str(path) for files in case_files for path in files)
        raise UsageError(f"runs over different cases cannot be compared: {names}")
    outputs = list(dict.fromkeys(path for part in parts for path in part.outputs))
    truth = {key: score for part in parts for key, score in part.truth.items()}
    return _ComparedInputs(case_files[0], outputs, truth)


def _prefer(plan: PreferencePlan, access: Access, *, progress: bool | None) -> Preferences:
    with show_progress(enabled=progress) as progress_display:
        return run_preferences(plan, access, progress_display, lambda: datetime.now(UTC))
