"""`fiducial.improve`: a better judge prompt, or the reason why none was written."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack, cast

from ..calibration.comparison.prompt_gain import MARGIN
from ..calibration.decisions import Decisions, read_decisions
from ..errors import UsageError
from ..evaluation.improvement.improvement_plan import SAMPLE, ImprovementPlan, ModelUse
from ..evaluation.improvement.improvement_results import Improvement
from ..evaluation.improvement.improvement_run import run_improvement
from ..evaluation.improvement.labelled_set import LabelledSet, labels_of_run
from ..evaluation.judging.tasks import split_spec
from ..evaluation.labelling.adjudications import decisions_on
from ..evaluation.store.file_names import LABELS, MANIFEST
from ..evaluation.store.run_store import RunStore
from ..formats.import_summary import is_label
from ..judges.loop_thread import run_apart
from ..records import FolderPath, InputPath, Verdict, atomic_write, memory_file, read_records
from ..records.folder_files import CASES, OUTPUTS
from ..report.text.improvement_text import improvement_document, improvement_screen
from ..spelling import setting
from ..tables.frames import data_frame
from .argument_checks import checked_arguments
from .checking import Worlds, worlds_of
from .display import Presentation, bind_display
from .label_sources import LabelReading
from .model_access import AccessArguments, model_access
from .mutating import Probes, probes_folder
from .paths import FilePath, input_path, written_path
from .price_memory import known_prices
from .progress_bars import show_progress
from .reading import Readable, read
from .run import Run, folder_of
from .run_files import Access

if TYPE_CHECKING:
    import pandas as pd

PROPOSALS = 4
"""Default number of candidates that a model writes."""

REPORT = "improvement.md"
"""File of the result in Markdown, in the output folder."""


def _improvement_frame(improvement: Improvement) -> pd.DataFrame:
    return data_frame(
        [
            {
                "candidate": prompt.name,
                "by": prompt.by,
                "refused": prompt.refused,
                "agreement": None if prompt.agreement is None else prompt.agreement.value,
                "n": None if prompt.agreement is None else prompt.agreement.n,
            }
            for prompt in improvement.tried
        ]
    )


bind_display(
    Improvement,
    Presentation(
        make_document=improvement_document, make_screen=improvement_screen, make_frame=_improvement_frame
    ),
)


@checked_arguments
def improve(
    run_or_table: Run | Readable,
    prompt: FilePath,
    *,
    candidates: Sequence[FilePath] = (),
    model: str | None = None,
    out: FilePath,
    proposals: int | None = None,
    probes: Probes | FilePath | None = None,
    adjudications: FilePath | None = None,
    holdout: float = 0.5,
    margin: float = MARGIN,
    sample: int = SAMPLE,
    seed: int = 0,
    criterion: str | None = None,
    reading: LabelReading | None = None,
    judge_parameters: Mapping[str, Any] | None = None,
    worlds: Worlds = None,
    access: Access | None = None,
    command: str = "fiducial.improve",
    progress: bool | None = None,
    **access_arguments: Unpack[AccessArguments],
) -> Improvement:
    """Find a better prompt for a judge; write it only if holdout and audit agree.

    Labelled items are divided by group. Candidates are judged on development groups; the best is compared once on the holdout with the
    current prompt. It is written if the lower bound of its gain in agreement is above 0, and no operator of the audit gets worse.

    Args:
        run_or_table: A run with labels, the folder of an import, or a table with texts and a column of labels.
        prompt: The current prompt: a judge's name or the path of a ``.prompty`` file; ``@MODEL`` names the judging model.
        candidates: Files of candidates.
        model: The judging model, unless ``prompt`` names another; it also writes candidates if no files are given.
        out: The output folder; the same call resumes it.
        proposals: Number of candidates that the model writes; by default 4 if no files are given, else none.
        probes: Probes made by `mutate`, or their folder; by default made of the holdout.
        adjudications: Decisions on who is right if judge and label differ, besides those of the run.
        holdout: Share of groups to hold out.
        margin: Loss of accuracy that must be ruled out on the probes of every operator.
        sample: Maximum probes per operator.
        seed: Seed of the split, and of the examples shown to the model.
        criterion: Criterion of a good answer, for tables without one.
        reading: Options for reading a table; see `LabelReading`.
        judge_parameters: Decoding parameters that override the prompt's; a value of None omits one.
        worlds: Custom simulated worlds; by default the registered ones.
        access: Model access; by default ``access_arguments``.
        command: The command line, for the record.
        progress: Whether to show progress; None shows it on a terminal and in a notebook.
        **access_arguments: ``base_url``, ``api_key``, ``cache``, ``max_calls`` and others; see `AccessArguments`.

    Returns:
        The gain with its interval, the candidates, and the cost. ``written`` is the file of the improved prompt.

    Raises:
        InputError: The items cannot be used, or too few have labels.
        UsageError: There are no candidates, or the judge is not a prompt.
        ConfigurationError: No model is named or can be reached.
        RunFolderError: ``out`` belongs to other items or another prompt.
    """
    spec, named_model = split_spec(os.fspath(prompt))
    judging_model = named_model or model
    if judging_model is None:
        raise UsageError(f"name the judging model with {setting('model')}, or as {spec}@MODEL")
    if not 0.0 < holdout < 1.0 or not 0.0 < margin < 1.0:
        raise UsageError(
            f"{setting('holdout')} and {setting('margin')} are shares between 0 and 1, got {holdout:g} and {margin:g}"
        )
    if proposals is None:
        proposals = 0 if candidates else PROPOSALS
    if proposals and model is None:
        raise UsageError(
            f"no model writes candidates: name it with {setting('model')}, or name {setting('candidate', 'FILE')}"
        )
    plan = ImprovementPlan(
        items=_labelled_items(run_or_table, adjudications, criterion, reading or {}),
        prompt=spec,
        model=judging_model,
        out=written_path(out),
        command=command,
        candidates=[input_path(candidate) for candidate in candidates],
        writer=model,
        proposals=proposals,
        probes=probes_folder(probes),
        seed=seed,
        holdout=holdout,
        margin=margin,
        sample=sample,
        environments=worlds_of(worlds),
        judge_parameters=judge_parameters or {},
        prices=known_prices(access_arguments.get("prices", ())),
    )
    access_once = cache(access or partial(model_access, None, 64, **access_arguments))
    return run_apart(partial(_improve, plan, access_once, progress=progress))


def _improve(plan: ImprovementPlan, access: Access, *, progress: bool | None) -> Improvement:
    with show_progress(enabled=progress) as progress_display:
        improvement = run_improvement(plan, ModelUse(access, progress_display, lambda: datetime.now(UTC)))
    with atomic_write(plan.out / REPORT) as file:
        file.write(improvement.to_markdown().encode())
    return improvement


def _labelled_items(
    labelled: Run | Readable, adjudications: FilePath | None, criterion: str | None, reading: LabelReading
) -> LabelledSet:
    """Return the cases, outputs, labels and decisions of a run, an import or a table."""
    decisions = Decisions() if adjudications is None else read_decisions(input_path(adjudications))
    if isinstance(labelled, Run) or _is_folder(labelled):
        folder = folder_of(cast("Run | FilePath", labelled))
        if isinstance(labelled, Run) or (folder / MANIFEST).exists():
            return _set_of_run(folder, decisions)
        if (folder / CASES).exists() and (folder / LABELS).exists():
            labels = read_records(folder / LABELS, Verdict)
            return _labelled_set([folder / CASES], [folder / OUTPUTS], labels, decisions)
    imported = read(labelled, criterion=criterion, **reading)
    if not imported.outputs:
        raise UsageError(
            "holds no outputs to judge; name a run folder, an import, or a table with texts and labels"
        )
    cases, outputs = memory_file("cases", imported.cases), memory_file("outputs", imported.outputs)
    return _labelled_set([cases], [outputs], filter(is_label, imported.verdicts), decisions)


def _is_folder(value: object) -> bool:
    return isinstance(value, (str, os.PathLike)) and Path(cast("FilePath", value)).is_dir()


def _set_of_run(folder: FolderPath, decisions: Decisions) -> LabelledSet:
    with RunStore(folder) as store:
        store.require_no_pairs()
        store.require_unedited()
        inputs = store.inputs
        return LabelledSet(
            inputs.cases, inputs.outputs, labels_of_run(store), decisions_on([store]) + decisions
        )


def _labelled_set(
    cases: Sequence[InputPath], outputs: Sequence[InputPath], labels: Any, decisions: Decisions
) -> LabelledSet:
    scores = {label.key: label.score for label in labels if label.score is not None}
    return LabelledSet(cases, outputs, scores, decisions)
