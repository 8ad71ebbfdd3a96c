"""Climb ladders: ask in rounds, each at the levels that are most informative so far."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import NamedTuple

import msgspec

from ....calibration.ladders import CurveFamily, next_levels
from ....calibration.pass_threshold import PassThreshold
from ....deterministic.mutation import Dial
from ....deterministic.options import CheckOptions
from ....errors import UsageError
from ....records import Author, FolderPath, ItemKey, JudgeId, Kind, memory_file, read_records, write_records
from ....spelling import setting
from ...context import RunContext
from ...inputs import EvaluationInputs
from ...judging.asking import PerOutputStep
from ...judging.judge_task import JudgeTask, JudgingStep
from ...judging.tasks import require_work
from ...progress import Progress
from ...store.journal_rows import VerdictKey
from ...store.run_writer import RunWriter
from ..probe_folder import ProbeFacts
from ..scored import ScoredProbe, scored_probes
from .ladder_results import LadderResult, answers_of, ladder_result
from .questions import FAULTY, LadderQuestion, LadderRound, Posed, dial_hash, pose, questions

CALLS = 300
"""Questions per judge and dial, including those about right outputs."""

ASKED = "ladder.jsonl"
"""File of the run folder with the questions of each round."""

_ROUND = 50
"""Most questions in a round."""
_RIGHT = 10
"""One question in this many is about a right output."""


class LadderSettings(NamedTuple):
    """Settings of ladders.

    Attributes:
        dials: Dials to climb.
        calls: Questions per judge and dial.
        evenly: True to ask all questions at once, spread evenly over the levels, regardless of answers.
    """

    dials: Sequence[Dial]
    calls: int = CALLS
    evenly: bool = False


class LadderVerdicts(NamedTuple):
    """One judge's ladder results, and its questions with their verdicts."""

    results: list[LadderResult]
    scored: Mapping[ItemKey, ScoredProbe]


class Climb:
    """The ladders of one audit, in its run folder.

    Raises:
        UsageError: None of these judges grades the single outputs that the dials make.
    """

    def __init__(
        self, settings: LadderSettings, tasks: Sequence[JudgeTask], options: CheckOptions, folder: FolderPath
    ) -> None:
        self._settings, self._options = settings, options
        self._tasks = [task for task in tasks if not task.compares]
        self._kinds: dict[str, Kind] = {
            dial.name: dial.make(0, dial.levels[0]).case.kind for dial in settings.dials
        }
        require_work(self._tasks or tasks, Counter(self._kinds.values()))
        judged = {
            name for name, kind in self._kinds.items() if any(task.judges_kind(kind) for task in self._tasks)
        }
        if not judged:
            raise UsageError(f"{setting('ladder')}: judges that compare two outputs cannot climb ladders")
        self._dials = {dial.name: dial for dial in settings.dials if dial.name in judged}
        self._file = folder / ASKED
        self._facts: dict[ItemKey, ProbeFacts] = {}
        self._tried: set[VerdictKey] = set()
        self._families = {name: CurveFamily(dial.places) for name, dial in self._dials.items()}

    @property
    def identity(self) -> dict[str, str]:
        """Facts that must not change between starts of an audit."""
        return {f"dial {name}": dial_hash(dial) for name, dial in self._dials.items()}

    def steps(self, writer: RunWriter, progress: Progress) -> Iterator[JudgingStep]:
        """Yield the questions round by round, beginning with those an earlier start left unanswered.

        A judge with no graded verdict in a round is not asked further. Ask all questions of a step before taking the next:
        the next round's levels depend on the answers.
        """
        yield from self._asking(writer, progress)
        graded_before: dict[Author, int] = {}
        while True:
            scored = self._scored(writer)
            graded: dict[Author, int] = {
                task.id: _count_graded(scored.get(task.id, {}).values()) for task in self._tasks
            }
            answering = {judge for judge, count in graded.items() if count > graded_before.get(judge, -1)}
            graded_before = graded
            rows = [
                self._round(task.id, dial, calls, scored.get(task.id, {}))
                for task, dial, calls in self._unasked()
                if task.id in answering
            ]
            if not rows:
                return
            # Written before asking, so that a killed run asks the same questions when it resumes.
            self._rows += rows
            write_records(self._file, self._rows)
            yield from self._asking(writer, progress)

    def dry_steps(self, writer: RunWriter, progress: Progress) -> Iterator[JudgingStep]:
        """Yield the remaining questions for a dry run.

        They are spread evenly over the levels, since the actual levels depend on the answers.
        """
        self._rows += [self._even_round(task.id, dial, calls) for task, dial, calls in self._unasked()]
        yield from self._asking(writer, progress)

    def results(self, writer: RunWriter) -> dict[Author, LadderVerdicts]:
        """Return each judge's ladder results."""
        return {
            judge: LadderVerdicts(self._results(list(scored.values())), scored)
            for judge, scored in self._scored(writer).items()
        }

    def _results(self, scored: Sequence[ScoredProbe]) -> list[LadderResult]:
        by_dial = {name: _of_dial(scored, dial) for name, dial in self._dials.items()}
        climbed = [name for name, answers in by_dial.items() if answers]
        return [
            ladder_result(self._dials[name], self._families[name], by_dial[name], dials=len(climbed))
            for name in climbed
        ]

    def posed(self, keys: Iterable[ItemKey]) -> Iterator[Posed]:
        """Yield questions as they were asked, for people to read."""
        for key in keys:
            dial, level, seed = key.case_id.split("/")
            question = LadderQuestion(dial, int(level), int(seed), key.system == FAULTY)
            yield pose(self._dials[dial], question, self._options)

    @cached_property
    def _rows(self) -> list[LadderRound]:
        return list(read_records(self._file, LadderRound)) if self._file.exists() else []

    def _questions(self, task: JudgeTask) -> Iterator[LadderQuestion]:
        return questions(row for row in self._rows if row.judge == task.id and row.dial in self._dials)

    def _unasked(self) -> Iterator[tuple[JudgeTask, Dial, int]]:
        counts: Counter[tuple[JudgeId, str]] = Counter()
        for row in self._rows:
            counts[row.judge, row.dial] += len(row.faulty) + len(row.right)
        for task in self._tasks:
            for name, dial in self._dials.items():
                remaining = self._settings.calls - counts[task.id, name]
                if remaining > 0 and task.judges_kind(self._kinds[name]):
                    yield task, dial, remaining

    def _round(
        self, judge: JudgeId, dial: Dial, calls: int, scored: Mapping[ItemKey, ScoredProbe]
    ) -> LadderRound:
        if self._settings.evenly:
            return self._even_round(judge, dial, calls)
        even = self._even_round(judge, dial, min(calls, _ROUND))
        answers = answers_of(dial, _of_dial(scored.values(), dial))
        rungs = next_levels(self._families[dial.name], answers, len(even.faulty))
        return msgspec.structs.replace(even, faulty=[dial.levels[rung] for rung in rungs])

    def _even_round(self, judge: JudgeId, dial: Dial, count: int) -> LadderRound:
        before = [row for row in self._rows if (row.judge, row.dial) == (judge, dial.name)]
        return even_round(judge, dial, count, before)

    def _asking(self, writer: RunWriter, progress: Progress) -> Iterator[JudgingStep]:
        """Yield one step per judge: questions without a verdict that this start has not tried."""
        new = {task.id: self._untried(task, writer) for task in self._tasks}
        questions_by_key = {key: each for of_judge in new.values() for key, each in of_judge.items()}
        posed = [self._pose(question) for question in questions_by_key.values()]
        if not posed:
            return
        cases = {each.case.id: each.case for each in posed}
        outputs = [memory_file("ladder outputs", (each.output for each in posed))]
        with EvaluationInputs(memory_file("ladder cases", cases.values()), outputs) as inputs:
            for task in self._tasks:
                if new[task.id]:
                    context = RunContext(inputs, writer, progress, phase="ladder")
                    yield PerOutputStep(context, [task], new[task.id].__contains__)

    def _untried(self, task: JudgeTask, writer: RunWriter) -> dict[ItemKey, LadderQuestion]:
        """Return and mark as tried the questions to a judge that are neither answered nor tried."""
        done = writer.verdicts.settled
        keys = {VerdictKey(question.key, task.id, 0): question for question in self._questions(task)}
        untried = {key: each for key, each in keys.items() if key not in done and key not in self._tried}
        self._tried |= untried.keys()
        return {key.item: each for key, each in untried.items()}

    def _pose(self, question: LadderQuestion) -> Posed:
        posed = pose(self._dials[question.dial], question, self._options)
        self._facts[question.key] = posed.facts
        return posed

    def _scored(self, writer: RunWriter) -> dict[Author, dict[ItemKey, ScoredProbe]]:
        """Return each judge's verdicts on its questions."""
        questions_by_key = {
            question.key: question for task in self._tasks for question in self._questions(task)
        }
        for key in questions_by_key.keys() - self._facts.keys():
            self._pose(questions_by_key[key])
        clusters = {key.case_id: each.cluster for key, each in questions_by_key.items()}
        thresholds: dict[Author, PassThreshold] = {task.id: task.threshold for task in self._tasks}
        return scored_probes(writer.verdicts.read(), self._facts, clusters, thresholds)


def _of_dial(scored: Iterable[ScoredProbe], dial: Dial) -> list[ScoredProbe]:
    return [probe for probe in scored if probe.facts.operator == dial.name]


def _count_graded(scored: Iterable[ScoredProbe]) -> int:
    return sum(probe.score is not None for probe in scored)


def even_round(judge: JudgeId, dial: Dial, count: int, before: Sequence[LadderRound] = ()) -> LadderRound:
    """Return a round of ``count`` questions, spread evenly over the levels."""
    right = count // _RIGHT
    faults, rights = sum(len(row.faulty) for row in before), sum(len(row.right) for row in before)
    return LadderRound(
        judge=judge,
        dial=dial.name,
        faulty=[dial.levels[number % len(dial.levels)] for number in range(faults, faults + count - right)],
        right=[dial.levels[number % len(dial.levels)] for number in range(rights, rights + right)],
    )
