"""Judges to ask, the outputs that each is asked about, and tool results shown to them."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from hashlib import blake2b
from typing import Literal, NamedTuple, Protocol, TypeAlias

from ...calibration.pass_threshold import PassThreshold
from ...errors import ConfigurationError, UsageError
from ...judges.catalogue import takes_transcripts
from ...judges.criteria_judge import criteria_by
from ...judges.judge import Judge, Work
from ...judges.prompt_judge import PromptJudge
from ...judges.prompt_variables import Replay
from ...records import Case, Episode, ItemKey, JudgeId, Kind, Output, Verdict, kind_spec
from ...spelling import setting
from ..context import RunContext
from ..store.journal_rows import StoredVerdict, VerdictKey
from ..store.manifest import JudgeRecord
from ..store.verdict_index import Settled
from .access import ModelAccess


@dataclass(frozen=True, kw_only=True)
class JudgeTask:
    """A judge as a run asks it: with its threshold, its model and the judges that it asks.

    Attributes:
        access: Settings for reaching this judge's own model, or None for those shared by all judges of a run.
        parts: The judges that a composite judge asks.
    """

    judge: Judge
    threshold: PassThreshold = field(default_factory=PassThreshold)
    access: Callable[[], ModelAccess] | None = None
    parts: tuple[JudgeTask, ...] = ()

    @property
    def id(self) -> JudgeId:
        """Id of the judge whose verdicts the task gives."""
        return self.judge.id

    @property
    def by(self) -> str:
        """Display name of the judge."""
        return self.judge.by

    @property
    def model(self) -> str:
        """The model that is asked."""
        return self.id.model

    @property
    def models(self) -> set[str]:
        """Models that must be reached by the run's shared settings."""
        models = set[str]() if self.prompt_judge is None else {self.model}
        return models.union(*(part.models for part in self.parts if part.access is None))

    @property
    def single_tasks(self) -> list[JudgeTask]:
        """The task itself; of a composite, the tasks without parts that it asks."""
        return [task for part in self.parts for task in part.single_tasks] if self.parts else [self]

    @property
    def prompt_judge(self) -> PromptJudge | None:
        """Prompt that a model is asked.

        None for the word overlap baseline and for functions, which ask no model.
        """
        return self.judge if isinstance(self.judge, PromptJudge) else None

    @property
    def by_criterion(self) -> bool:
        """True if the prompt is asked about each criterion of a case separately."""
        return self.prompt_judge is not None and self.prompt_judge.prompt.by_criterion

    def settled(self, context: RunContext) -> Settled:
        """Return the keys that need no more of its work.

        Unreadable replies from the judge's own recording are not asked again, since it would only repeat them.
        """
        retries = context.retry_unreadable
        if retries and self.access is not None:
            with suppress(ConfigurationError):
                retries = 0 if self.access().replay is not None else retries
        return context.verdicts.settled_after(retries)

    @property
    def compares(self) -> bool:
        """True if the judge is shown two outputs and picks the better one."""
        return self.prompt_judge is not None and self.prompt_judge.compares

    @property
    def record(self) -> JudgeRecord:
        """Record of the judge for the run folder."""
        judge = self.prompt_judge
        return JudgeRecord(
            by=self.by,
            id=self.id,
            kinds=None if self.judge.kinds is None else tuple(sorted(self.judge.kinds)),
            prompt=str(judge.prompt.path.resolve()) if judge is not None and self.id.kind == "own" else None,
            threshold=self.threshold,
            parameters={} if judge is None else dict(judge.overrides),
            refused={} if judge is None else dict(judge.refused),
            api="chat" if judge is None else judge.api,
            scores=None if judge is None else judge.scores,
        )

    @property
    def enlisted(self) -> list[JudgeRecord]:
        """Records of the judge and, if its replies contain verdicts on criteria, of their author."""
        record = self.record
        if self.prompt_judge is None or not self.prompt_judge.asks_all_criteria:
            return [record]
        author = JudgeRecord(by=criteria_by(record.by), id=record.id.on_criteria, kinds=record.kinds)
        return [record, author]

    def judges_kind(self, kind: Kind) -> bool:
        """Return whether the judge is asked about every output of a kind of case."""
        return self.judge.kinds is None or kind in self.judge.kinds

    @property
    def takes_transcripts(self) -> bool:
        """True if it also judges outputs of other kinds of case when they record their steps."""
        return takes_transcripts(self.id) or any(part.takes_transcripts for part in self.parts)

    def takes(self, kind: Kind, output: Output) -> bool:
        """Return whether the judge is asked about this output of a case of this kind."""
        return self.judges_kind(kind) or (output.turns is not None and self.takes_transcripts)


class JudgingStep(Protocol):
    """Step of a run that asks judges."""

    @property
    def context(self) -> RunContext:
        """Inputs, folder and progress; the judges' verdicts go to its journal."""
        ...

    @property
    def tasks(self) -> Sequence[JudgeTask]:
        """The judges that the step asks."""
        ...

    def work(self, task: JudgeTask, done: Container[VerdictKey]) -> Iterator[Work]:
        """Yield a judge's remaining work; verdicts with keys in ``done`` need none."""
        ...

    def remaining(self, task: JudgeTask, done: Container[VerdictKey]) -> int:
        """Return the number of verdicts in a judge's remaining work."""
        ...


def replay_in(environments: Mapping[str, type]) -> Replay:
    """Return a function that executes an output's calls and returns their results.

    It returns None for a case without environments, and raises InputError for a case whose environments are unknown or refuse their
    configuration.
    """
    return partial(_replay, environments)


def _replay(environments: Mapping[str, type], case: Case, output: Output) -> Episode | None:
    if kind_spec(case.kind).family != "conversation" or not case.reference.get("classes"):
        return None
    from ...deterministic.multi_turn.trajectory import replay_turns  # noqa: PLC0415 - judging no conversations needs no worlds

    return replay_turns(case, output, environments)


JudgeOn: TypeAlias = Literal["open", "all"] | int | frozenset[ItemKey]
"""Outputs to judge: ``open`` for undecided ones, ``all``, a number N for undecided ones plus N decided ones, or a set of keys."""


def parse_judge_on(text: str) -> JudgeOn:
    """Read the option ``--judge-on``: ``open``, ``all`` or a number."""
    if text == "open" or text == "all":  # noqa: PLR1714 - the type checker narrows only this form
        return text
    if text.isascii() and text.isdigit():
        return int(text)
    raise UsageError(f"{setting('judge_on')} expects open, all or a number, got {text!r}")


class SelectedOutputs(NamedTuple):
    """Outputs to be judged, undecided and decided ones."""

    undecided: set[ItemKey]
    decided: set[ItemKey]


def select_outputs(verdicts: Iterable[Verdict | StoredVerdict], judge_on: JudgeOn) -> SelectedOutputs:
    """Choose the outputs to be judged, by the verdicts of checkers.

    The sample of decided outputs consists of those N whose keys have the smallest hashes. So it does not depend on the outputs' content,
    is the same in every run, and is contained in every larger sample. Outputs whose check is not applicable, or failed, are never chosen.
    """
    if isinstance(judge_on, frozenset):
        return _select_all(verdict for verdict in verdicts if verdict.key in judge_on)
    if judge_on == "open":
        return _select_all(verdict for verdict in verdicts if verdict.outcome == "undecided")
    if judge_on == "all":
        return _select_all(verdicts)
    undecided: set[ItemKey] = set()
    largest_first: list[tuple[int, ItemKey]] = []  # a heap, whose first entry a smaller hash replaces
    for verdict in verdicts:
        if verdict.outcome == "undecided":
            undecided.add(verdict.key)
        elif verdict.graded and judge_on:
            entry = (-_hash_of(verdict.key), verdict.key)
            if len(largest_first) < judge_on:
                heapq.heappush(largest_first, entry)
            else:
                heapq.heappushpop(largest_first, entry)
    return SelectedOutputs(undecided, {key for _, key in largest_first})


def _select_all(verdicts: Iterable[Verdict | StoredVerdict]) -> SelectedOutputs:
    selected = SelectedOutputs(set(), set())
    for verdict in verdicts:
        if verdict.outcome == "undecided":
            selected.undecided.add(verdict.key)
        elif verdict.graded:
            selected.decided.add(verdict.key)
    return selected


def _hash_of(key: ItemKey) -> int:
    return int.from_bytes(blake2b(str(key).encode("utf-8", "surrogatepass"), digest_size=8).digest(), "big")
