"""Settings of a run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import msgspec

from ..calibration.pass_threshold import NO_OVERRIDES, PassAt
from ..judges.prices import PriceList
from ..records import CaseFiles, FolderPath, InputPath
from .engines.ray_engine import RayEngine
from .judging.access import BatchMode
from .judging.judge_task import JudgeOn, JudgeTask

if TYPE_CHECKING:
    from ..deterministic.options import CheckOptions
    from .checking.dotted_names import NamesOption
    from .judging.composites import JuryRule

DEFAULT_JUDGE_ON = 200
"""Decided outputs that are judged beside what is open; docs/decisions/0003-what-a-judge-is-asked-by-default.md."""


class Plan(msgspec.Struct, frozen=True, kw_only=True):
    """Settings of a run.

    Attributes:
        cases: The cases file, or several, on disk or in memory.
        outputs: The outputs files, on disk or in memory.
        out: The run folder, on disk or in memory.
        options: Rule set and registries; None to leave out the deterministic stage.
        judges: Judges to ask, by name or prepared.
        judge_on: Which outputs they are asked about.
        pass_at: Overrides of the pass thresholds that judges declare.
        prices: What models cost, for the record; None to leave costs out.
        priced: What the user says of them: another word and costs are counted anew. The public list is too large to be read for that.
        jury: How the judges' opinions are counted into one more verdict; None to leave them apart.
        batch: How to wait for a provider's batch endpoint; None to ask the model directly.
        split: Whether long answers are judged statement by statement, by the judges whose scores are made of statements.
        split_model: The model that splits them; None for the judge's own.
        environments: Custom simulated worlds, by class name, in which judges see calls executed.
        judge_parameters: Decoding parameters that replace those of judges' prompts; None as a value leaves one out.
        notes: Sentences a reader must see before any number, whenever a report is made.
        accept_edited: Whether to go on with verdicts that were changed by hand.
        workers: How many processes check; None for what pays.
        engine: What the work is done on instead of this process and its workers; closed by who made it.
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
    pass_at: PassAt = NO_OVERRIDES
    repeats: int = 1
    prices: PriceList | None = None
    priced: Sequence[str] = ()
    jury: JuryRule | None = None
    batch: BatchMode | None = None
    split: bool = False
    split_model: str | None = None
    environments: Mapping[str, type] = {}
    judge_parameters: Mapping[str, Any] = {}
    notes: Sequence[str] = ()
    accept_edited: bool = False
    workers: int | None = None
    engine: RayEngine | None = None
    sharded: bool = False
