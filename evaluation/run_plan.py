"""Settings of a run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import msgspec

from ..judges.prices import PriceList
from ..judges.transport.exchange import ApiName
from ..records import CaseFiles, FolderPath, InputPath
from .engines.ray_engine import RayEngine
from .judging.access import BatchMode
from .judging.judge_task import JudgeOn, JudgeTask

if TYPE_CHECKING:
    from ..calibration.label_declarations import LabelDeclaration
    from ..deterministic.options import CheckOptions
    from .checking.dotted_names import NamesOption
    from .judging.composites import JuryRule
    from .past_runs.certified_part import SentOn

DEFAULT_JUDGE_ON = 200
"""Number of decided outputs that are judged, too; docs/decisions/0003-what-a-judge-is-asked-by-default.md."""


class Plan(msgspec.Struct, frozen=True, kw_only=True):
    """Settings of a run.

    Attributes:
        cases: The cases file, or several, on disk or in memory.
        outputs: The outputs files, on disk or in memory.
        out: The run folder, on disk or in memory.
        options: Rule set and registries; None to leave out the deterministic stage.
        judges: Judges to ask, by name or prepared.
        judge_on: Outputs that they are asked about.
        labels_chosen_by: How outputs were chosen for labels, or None if that is not declared here.
        pass_at: Overrides of the pass thresholds that judges declare.
        prices: Prices of models, to record costs; None to record none.
        priced: Prices as the user gave them. If they change, costs are computed again; the public list is too large to compare.
        jury: Rule that combines the judges' verdicts into one more, or None for no jury.
        retry_unreadable: Number of later commands that ask a model again after unreadable replies.
        batch: Settings for waiting on a provider's batch endpoint; None to ask the model directly.
        split_statements: Whether long answers are judged statement by statement, by the judges whose scores are made of statements.
        split_model: The model that splits them, or None for the judge's model.
        environments: Custom simulated worlds, by class name, in which judges see calls executed.
        judge_parameters: Decoding parameters that replace those of judges' prompts; a parameter of value None is not sent.
        api: Protocol of the judging model's endpoint.
        notes: Sentences that every report shows before any number.
        accept_edited: Whether to continue with verdicts that were changed by hand.
        workers: Number of processes that check; None chooses the fastest.
        engine: Engine that does the work instead of this process and its workers; its creator closes it.
        sent_on: Outputs of which the first judge of a cascade was unsure; only these are judged. None without a cascade.
        sharded: Whether the files are a set of shards, so that nothing may depend on the order of their rows.
    """

    cases: CaseFiles
    outputs: Sequence[InputPath]
    out: FolderPath
    command: str
    options: CheckOptions | None = None
    names: NamesOption = "auto"
    judges: Sequence[str | JudgeTask] = ()
    model: str | None = None
    judge_on: JudgeOn = DEFAULT_JUDGE_ON
    labels: InputPath | None = None
    labels_chosen_by: LabelDeclaration | None = None
    pass_at: Mapping[str, float] = {}
    repeats: int = 1
    prices: PriceList | None = None
    priced: Sequence[str] = ()
    jury: JuryRule | None = None
    retry_unreadable: int = 1
    batch: BatchMode | None = None
    split_statements: bool = False
    split_model: str | None = None
    environments: Mapping[str, type] = {}
    judge_parameters: Mapping[str, Any] = {}
    api: ApiName = "chat"
    notes: Sequence[str] = ()
    accept_edited: bool = False
    workers: int | None = None
    engine: RayEngine | None = None
    sharded: bool = False
    sent_on: SentOn | None = None
