"""Climb ladders: ask in rounds, each at the levels that are most informative so far.

A ladder is the levels of difficulty of one dial. See decision 25.
"""

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
from .questions import FAULTY, LadderItem, LadderQuestion, LadderRound, dial_hash, make_item, questions

CALLS = 300
"""Questions per judge and dial, including those about right outputs."""

ASKED = "ladder.jsonl"
"""Name of the run folder's file with the questions of each round."""

_ROUND_SIZE = 50
"""Maximum number of questions in a round; see decision 25."""
_QUESTIONS_PER_RIGHT = 10
"""One question in this many is about a right output."""


class LadderSettings(NamedTuple):
    """Settings of ladders.

    Attributes:
        dials: Dials to climb.
        calls: Questions per judge and dial.
        evenly: True to ask all questions at once, spread evenly over the levels.
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
        judged_dials = {
            name for name, kind in self._kinds.items() if any(task.judges_kind(kind) for task in self._tasks)
        }
        if not judged_dials:
            raise UsageError(f"{setting('ladder')}: judges that compare two outputs cannot climb ladders")
        self._dials = {dial.name: dial for dial in settings.dials if dial.name in judged_dials}
        self._file = folder / ASKED
        self._facts: dict[ItemKey, ProbeFacts] = {}
        self._tried: set[VerdictKey] = set()
        self._families = {name: CurveFamily(dial.places) for name, dial in self._dials.items()}

    @property
    def identity(self) -> dict[str, str]:
        """Settings that must not change when an audit is resumed."""
        return {f"dial {name}": dial_hash(dial) for name, dial in self._dials.items()}

    def steps(self, writer: RunWriter, progress: Progress) -> Iterator[JudgingStep]:
        """Yield the questions round by round, first those that an interrupted run left unanswered.

        A judge without a graded verdict in a round is not asked further. Callers must ask all questions of a step before they take
        the next one, because the levels of a round depend on earlier answers.
        """
        yield from self._question_steps(writer, progress)
        earlier_counts: dict[Author, int] = {}
        while True:
            scored = self._scored(writer)
            graded_counts: dict[Author, int] = {
                task.id: _count_graded(scored.get(task.id, {}).values()) for task in self._tasks
            }
            # Before the first round all judges count as answering, with 0 graded verdicts.
            answering = {
                judge for judge, count in graded_counts.items() if count > earlier_counts.get(judge, -1)
            }
            earlier_counts = graded_counts
            rows = [
                self._round(task.id, dial, calls, scored.get(task.id, {}))
                for task, dial, calls in self._remaining_calls()
                if task.id in answering
            ]
            if not rows:
                return
            # Written before asking, so that a killed run asks the same questions when it resumes.
            self._rows += rows
            write_records(self._file, self._rows)
            yield from self._question_steps(writer, progress)

    def dry_steps(self, writer: RunWriter, progress: Progress) -> Iterator[JudgingStep]:
        """Yield the remaining questions for a dry run.

        They are spread evenly over the levels, since the actual levels depend on the answers.
        """
        self._rows += [
            self._even_round(task.id, dial, calls) for task, dial, calls in self._remaining_calls()
        ]
        yield from self._question_steps(writer, progress)

    def results(self, writer: RunWriter) -> dict[Author, LadderVerdicts]:
        """Return each judge's ladder results."""
        return {
            judge: LadderVerdicts(self._results(list(scored.values())), scored)
            for judge, scored in self._scored(writer).items()
        }

    def _results(self, scored: Sequence[ScoredProbe]) -> list[LadderResult]:
        probes_by_dial = {name: _probes_of_dial(scored, dial) for name, dial in self._dials.items()}
        climbed_dials = [name for name, probes in probes_by_dial.items() if probes]
        return [
            ladder_result(
                self._dials[name], self._families[name], probes_by_dial[name], dials=len(climbed_dials)
            )
            for name in climbed_dials
        ]

    def items(self, keys: Iterable[ItemKey]) -> Iterator[LadderItem]:
        """Yield the cases and outputs of questions, for people to read."""
        for key in keys:
            dial, level, seed = key.case_id.split("/")
            question = LadderQuestion(dial, int(level), int(seed), key.system == FAULTY)
            yield make_item(self._dials[dial], question, self._options)

    @cached_property
    def _rows(self) -> list[LadderRound]:
        return list(read_records(self._file, LadderRound)) if self._file.exists() else []

    def _questions(self, task: JudgeTask) -> Iterator[LadderQuestion]:
        return questions(row for row in self._rows if row.judge == task.id and row.dial in self._dials)

    def _remaining_calls(self) -> Iterator[tuple[JudgeTask, Dial, int]]:
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
        spread_evenly = self._even_round(judge, dial, min(calls, _ROUND_SIZE))
        answers = answers_of(dial, _probes_of_dial(scored.values(), dial))
        rungs = next_levels(self._families[dial.name], answers, len(spread_evenly.faulty))
        return msgspec.structs.replace(spread_evenly, faulty=[dial.levels[rung] for rung in rungs])

    def _even_round(self, judge: JudgeId, dial: Dial, count: int) -> LadderRound:
        before = [row for row in self._rows if (row.judge, row.dial) == (judge, dial.name)]
        return even_round(judge, dial, count, before)

    def _question_steps(self, writer: RunWriter, progress: Progress) -> Iterator[JudgingStep]:
        """Yield one step per judge: questions without a verdict that this command has not tried yet."""
        untried = {task.id: self._untried(task, writer) for task in self._tasks}
        questions_by_key: dict[ItemKey, LadderQuestion] = {}
        for untried_by_key in untried.values():
            questions_by_key |= untried_by_key
        items = [self._make_item(question) for question in questions_by_key.values()]
        if not items:
            return
        cases = {item.case.id: item.case for item in items}
        outputs = [memory_file("ladder outputs", (item.output for item in items))]
        with EvaluationInputs(memory_file("ladder cases", cases.values()), outputs) as inputs:
            for task in self._tasks:
                if untried[task.id]:
                    context = RunContext(inputs, writer, progress, phase="ladder")
                    yield PerOutputStep(context, [task], untried[task.id].__contains__)

    def _untried(self, task: JudgeTask, writer: RunWriter) -> dict[ItemKey, LadderQuestion]:
        """Return a judge's unanswered questions that were not tried yet, and mark them as tried."""
        settled_keys = writer.verdicts.settled
        questions_by_key = {
            VerdictKey(question.key, task.id, 0): question for question in self._questions(task)
        }
        untried = {
            key: question
            for key, question in questions_by_key.items()
            if key not in settled_keys and key not in self._tried
        }
        self._tried |= untried.keys()
        return {key.item: question for key, question in untried.items()}

    def _make_item(self, question: LadderQuestion) -> LadderItem:
        item = make_item(self._dials[question.dial], question, self._options)
        self._facts[question.key] = item.facts
        return item

    def _scored(self, writer: RunWriter) -> dict[Author, dict[ItemKey, ScoredProbe]]:
        """Return each judge's verdicts on its questions."""
        questions_by_key = {
            question.key: question for task in self._tasks for question in self._questions(task)
        }
        for key in questions_by_key.keys() - self._facts.keys():
            self._make_item(questions_by_key[key])
        clusters = {key.case_id: question.cluster for key, question in questions_by_key.items()}
        thresholds: dict[Author, PassThreshold] = {task.id: task.threshold for task in self._tasks}
        return scored_probes(writer.verdicts.read(), self._facts, clusters, thresholds)


def _probes_of_dial(scored: Iterable[ScoredProbe], dial: Dial) -> list[ScoredProbe]:
    return [probe for probe in scored if probe.facts.operator == dial.name]


def _count_graded(scored: Iterable[ScoredProbe]) -> int:
    return sum(probe.score is not None for probe in scored)


def even_round(judge: JudgeId, dial: Dial, count: int, before: Sequence[LadderRound] = ()) -> LadderRound:
    """Return a round of ``count`` questions, spread evenly over the levels."""
    right_count = count // _QUESTIONS_PER_RIGHT
    faulty_before = sum(len(row.faulty) for row in before)
    right_before = sum(len(row.right) for row in before)
    return LadderRound(
        judge=judge,
        dial=dial.name,
        faulty=[
            dial.levels[number % len(dial.levels)]
            for number in range(faulty_before, faulty_before + count - right_count)
        ],
        right=[
            dial.levels[number % len(dial.levels)]
            for number in range(right_before, right_before + right_count)
        ],
    )
