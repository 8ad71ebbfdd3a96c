"""Manifest of a run: what its verdicts depend on, its judges and its results."""

from __future__ import annotations

import sys
from collections.abc import Collection, Iterator, Mapping
from functools import cache
from typing import Any, Literal, TypeAlias

import msgspec

from ...calibration.pass_threshold import PassThreshold, overridden_threshold
from ...errors import FiducialError, RunFolderError
from ...judges.jury import Jury
from ...judges.transport.exchange import ApiName
from ...records import NO_USAGE, Author, Case, FolderPath, JudgeId, Kind, Output, Source, Usage
from ...records.score_kinds import ScoreKind
from ...records.verdict import COMPOSITE_KINDS
from ...spelling import command, setting
from ...version import VERSION
from ..conclusion.run_results import JudgeUse, SystemResult
from .kept_inputs import KeptInput
from .sealed_file import Seal

RunStatus: TypeAlias = Literal["running", "stopped before judging", "complete"]

_PACKAGES = ("msgspec", "numpy", "openai", "scipy")


class JudgeRecord(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, rename={"threshold": "cut"}):
    """Record of a judge in the run folder.

    Attributes:
        by: Display name, which never changes.
        kinds: Kinds of cases that it judges, or None for all.
        prompt: The prompt file of a custom judge.
        threshold: Pass threshold of the judge; ``cut`` in the file.
        seconds: Asking time over all starts of the run that were not killed, or None if it was not asked.
        parameters: Decoding parameters that replace the prompt's; the value None omits one.
        refused: Parameters that were replaced because the model refused them, in the same form.
        api: Protocol in which its model is asked.
        scores: Declared kind of its scores, or None if undeclared.
    """

    by: str
    id: JudgeId
    kinds: tuple[Kind, ...] | None = None
    prompt: str | None = None
    threshold: PassThreshold = PassThreshold()
    seconds: float | None = None
    parameters: dict[str, Any] = {}
    refused: dict[str, Any] = {}
    api: ApiName = "chat"
    scores: ScoreKind | None = None

    @property
    def is_prompt(self) -> bool:
        """True if the judge is a prompt for a model."""
        return self.id.kind in {"shipped", "own"}

    @property
    def parsed_fingerprints(self) -> list[str]:
        """Fingerprints of its current prompt, one for each parser version, the latest first.

        Empty for a judge without a prompt, and if its prompt is gone.
        """
        if not self.is_prompt:
            return []
        from ...judges.prompt_judge import load_judge  # noqa: PLC0415 - seldom needed

        spec = self.prompt or f"{self.id.name}/{self.id.variant}"
        settings = {"parameters": self.parameters, "refused": self.refused}
        try:
            judge = load_judge(spec, model=self.id.model, replay=_no_replay, api=self.api, **settings)
        except FiducialError:
            return []
        return [judge.fingerprint, *judge.earlier_fingerprints]

    def judges_kind(self, kind: Kind) -> bool:
        """Return whether the judge is asked about a kind of case."""
        return self.kinds is None or kind in self.kinds


def _no_replay(case: Case, output: Output) -> None:
    """Replay nothing: a fingerprint tells only whether calls are replayed."""
    del case, output


class StatementJudgeRecord(msgspec.Struct, frozen=True, kw_only=True):
    """Record of a judge that is asked statement by statement.

    Attributes:
        id: Author of the verdicts on whole answers.
        judge: Judge of the statements.
        splitter: Judge that splits answers into statements.
    """

    id: JudgeId
    by: str
    judge: JudgeId
    splitter: JudgeId
    repeats: int = 1


class CriteriaJudgeRecord(msgspec.Struct, frozen=True, kw_only=True):
    """Record of a judge that is asked criterion by criterion.

    Attributes:
        id: Author of the verdicts on whole outputs.
        judge: Judge of the criteria.
    """

    id: JudgeId
    by: str
    judge: JudgeId
    repeats: int = 1


class Counts(msgspec.Struct, frozen=True, kw_only=True):
    """Counts of a run's outputs.

    Attributes:
        outputs: Number of outputs, including missing ones.
        graded: Number of these with a score by a checker or a judge.
        failed: Number of verdicts that are missing because a model call or a custom checker failed.
        unused_labels: Number of labels of outputs that the run does not have.
        labels: Number of outputs with a label other than a checker's verdict, by source of their last label.
        checked_labelled: Number of outputs that a checker and people graded.
        failed_labelled_good: Number of these that the checker fails and people pass.
        passed_labelled_bad: Number of these that the checker passes and people fail.
        label_rounds: Number of rounds in which outputs got labels.
    """

    outputs: int = 0
    graded: int = 0
    failed: int = 0
    unused_labels: int = 0
    labels: dict[Source, int] = {}
    checked_labelled: int = 0
    failed_labelled_good: int = 0
    passed_labelled_bad: int = 0
    label_rounds: int = 0


class Manifest(msgspec.Struct, frozen=True, kw_only=True):
    """Manifest of a run: the content of ``run.json``.

    Attributes:
        identity: Facts that must not change when the run is resumed: hashes of inputs, rules, names, checkers; an audit's probes.
        notes: Sentences to read before any number.
        case_files: Number of input files with cases, if not one.
        missing: Number of cases without an output, by system.
        not_judged: Settings that are missing to ask judges, or None if judges were asked, or there are none.
        reparsed: Times at which replies were parsed again, and the changes.
        journals: Seal of each journal when the manifest was written.
        counts: Counts of outputs; None until the run is concluded.
        done: Hash of the command's settings and inputs, if it left no work to do.
    """

    identity: Mapping[str, Any] = {}
    status: RunStatus | None = None
    versions: Mapping[str, str] | None = None
    started: str | None = None
    command: str | None = None
    notes: list[str] | None = None
    inputs: list[KeptInput] | None = None
    case_files: int | None = None
    missing: Mapping[str, int] | None = None
    results: list[SystemResult] | None = None
    judges: list[JudgeUse] | None = None
    not_judged: str | None = None
    ended: str | None = None
    roster: list[JudgeRecord] = []
    statements: list[StatementJudgeRecord] = []
    juries: list[Jury] = []
    criteria: list[CriteriaJudgeRecord] = []
    reparsed: list[Mapping[str, Any]] = []
    journals: Mapping[str, Seal] = {}
    counts: Counts | None = None
    done: str | None = None

    @property
    def sharded(self) -> bool:
        """True if the inputs are a set of shards, so that row order must not matter."""
        return bool(self.identity.get("sharded"))

    @property
    def finished(self) -> bool:
        """True if the run came to its end, so that all undecided outputs are known."""
        return self.results is not None and self.status != "running"

    @property
    def spent(self) -> Usage:
        """Usage of all judges' calls; a combined judge makes none, its parts do."""
        return sum((use.usage.paid for use in self.judges or []), NO_USAGE)

    def as_json(self) -> dict[str, Any]:
        """Return the content of ``run.json``, without unknown fields."""
        fields = msgspec.to_builtins(self)
        always_written = {"identity", *(["not_judged"] if self.ended is not None else [])}
        omitted_if_empty = {"roster", "statements", "juries", "criteria", "reparsed", "journals"}
        return {
            name: value
            for name, value in fields.items()
            if name in always_written or (value is not None and (value or name not in omitted_if_empty))
        }


class Roster:
    """The judges of a run by their ids."""

    def __init__(self, manifest: Manifest) -> None:
        self._judges = {judge.id: judge for judge in manifest.roster}
        # Old versions put judges among the facts of a run, and kept no records of them.
        self._has_unrecorded_judges = any(key.startswith("judge ") for key in manifest.identity)

    def __iter__(self) -> Iterator[JudgeRecord]:
        """Yield the judges, in the order in which they were added."""
        return iter(self._judges.values())

    def __getitem__(self, judge: JudgeId) -> JudgeRecord:
        return self._judges[judge]

    def judges_kind(self, judge: Author, kind: Kind) -> bool:
        """Return whether a judge is asked about a kind of case; True for an unknown judge."""
        record = self._judges.get(judge) if isinstance(judge, JudgeId) else None
        return record is None or record.judges_kind(kind)

    def get(self, judge: JudgeId) -> JudgeRecord | None:
        """Return the record of a judge, or None if it is not a judge of this run."""
        return self._judges.get(judge)

    def require_unchanged(self, judges: Collection[JudgeRecord], folder: FolderPath) -> None:
        """Refuse judges with an earlier prompt or name but another fingerprint.

        They would mix a judge with its earlier version. If only the parser is later, the error names the command that parses the
        run's replies again.
        """
        if self._has_unrecorded_judges:
            raise RunFolderError(
                f"{folder}: made by an old version that did not record its judges; choose another {setting('out')}"
            )
        current_ids = {judge.id for judge in judges}
        for judge in judges:
            for earlier in self:
                if earlier.id not in current_ids and _is_later_version(judge, earlier):
                    raise RunFolderError(self._difference_message(earlier, folder))

    def _difference_message(self, earlier: JudgeRecord, folder: FolderPath) -> str:
        # A judge with the fingerprint of an earlier parser differs from its current version only in the parser.
        differently_parsed = next(
            (judge for judge in self if judge.id.fingerprint in judge.parsed_fingerprints[1:]), None
        )
        if differently_parsed is None:
            return f"{folder}: made by a run that differs in judge {earlier.by}; choose another {setting('out')}, or remove it"
        reparse_command = command("judge", reparse=folder)
        return (
            f"{folder}: this version of fiducial parses the replies of {differently_parsed.by} differently; "
            f"parse them again without calls, then repeat this command: {reparse_command}"
        )

    def enlist(self, judge: JudgeRecord) -> None:
        """Add a judge, or replace its record."""
        self._judges[judge.id] = judge

    def replace(self, before: JudgeId, judge: JudgeRecord) -> None:
        """Replace the judge with the id ``before``, which has no verdicts."""
        self._judges.pop(before, None)
        self.enlist(judge)

    def rename(self, ids: Mapping[JudgeId, JudgeId]) -> None:
        """Give judges new ids, by their old ones; display names stay."""
        self._judges = {
            ids.get(judge.id, judge.id): msgspec.structs.replace(judge, id=ids.get(judge.id, judge.id))
            for judge in self
        }

    @property
    def thresholds(self) -> dict[Author, PassThreshold]:
        """Pass threshold of each judge."""
        return {judge.id: judge.threshold for judge in self}

    def apply_pass_at(self, overrides: Mapping[str, float]) -> None:
        """Apply threshold overrides; a judge without one keeps its threshold."""
        for judge in list(self):
            threshold = overridden_threshold(judge.threshold, overrides, [judge.by, judge.id.plain])
            self.enlist(msgspec.structs.replace(judge, threshold=threshold))


def _is_later_version(judge: JudgeRecord, earlier: JudgeRecord) -> bool:
    """Return whether one judge is a later version of another: its prompt or fiducial changed."""
    before, now = earlier.id, judge.id
    if (before.kind, before.model) != (now.kind, now.model):
        return False
    if now.kind == "own":
        return judge.prompt == earlier.prompt
    if now.kind in COMPOSITE_KINDS:
        return judge.by == earlier.by
    return (before.name, before.variant) == (now.name, now.variant)


def own_versions() -> dict[str, str]:
    """Return the versions of Python and fiducial, which need no look-up."""
    return {"python": sys.version.partition(" ")[0], "fiducial": VERSION}


@cache
def component_versions() -> dict[str, str]:
    """Return own versions and those of packages that results depend on, cached for the process.

    Looking them up takes 10 ms.
    """
    from importlib.metadata import version  # noqa: PLC0415 - slow to import

    return own_versions() | {name: version(name) for name in _PACKAGES}
