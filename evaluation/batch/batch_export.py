"""Write pending judge requests to batch files, for a batch endpoint or your own server."""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from itertools import groupby
from pathlib import Path

import msgspec

from ...judges.criteria_judge import criterion_work
from ...judges.cycle import Lookup, unanswered
from ...judges.transport.batch_results import BatchResults
from ...judges.transport.exchange import Reply, Request
from ...records import InputPath
from ..inputs import EvaluationInputs
from ..judging.asking import every_output, remaining_work
from ..judging.judge_task import JudgeTask
from ..judging.tasks import judge_tasks, require_no_comparing, require_work, transcripts
from ..progress import Progress
from ..store.journal_rows import VerdictKey
from ..store.run_store import RunStore
from ..store.run_writer import RunWriter
from .batch_files import BatchFile, file_numbering, find_reply, without_duplicates, write_batch

_INVALID_IN_FILE_NAME = re.compile(r"[^A-Za-z0-9._-]+")


class Questions(msgspec.Struct, frozen=True, kw_only=True):
    """Requests to export.

    Attributes:
        results: Result files of earlier batches, whose requests are skipped.
        environments: Custom environments, by class name.
        run: A run folder, whose verdicts are not requested again.
    """

    cases: Sequence[InputPath]
    outputs: Sequence[InputPath]
    judges: Sequence[str]
    model: str
    repeats: int = 1
    results: Sequence[Path] = ()
    environments: Mapping[str, type] = {}
    run: Path | None = None


def export_batch(questions: Questions, path: Path, progress: Progress) -> list[BatchFile]:
    """Write all requests without a reply, and those with an unreadable reply once more.

    The first model's requests go to ``path``, those of further models to files next to it.

    Returns:
        The written files; empty if no request remains.

    Raises:
        InputError: An input cannot be used.
        UsageError: There is no such judge.
        RunFolderError: The run folder is in use.
    """
    known_judges = [] if questions.run is None else list(RunStore(questions.run).roster)
    tasks = judge_tasks(questions.judges, questions.model, known_judges, questions.environments)
    require_no_comparing(tasks)
    with (
        EvaluationInputs(questions.cases, questions.outputs) as inputs,
        closing(BatchResults(questions.results)) as replies,
    ):
        require_work(tasks, inputs.survey.kinds, transcripts(tasks, inputs))
        progress.begin("looking for requests", inputs.survey.outputs * len(tasks) * questions.repeats)
        requests = without_duplicates(
            _unanswered_requests(questions, tasks, inputs, _make_lookup(replies, progress)), set()
        )
        files: list[BatchFile] = []
        for model, requests_to_model in groupby(requests, key=lambda request: request.model):
            first_path = (
                path if not files else path.with_stem(f"{path.stem}-{_INVALID_IN_FILE_NAME.sub('-', model)}")
            )
            files += write_batch(requests_to_model, file_numbering(first_path, [file.path for file in files]))
        return files


def _unanswered_requests(
    questions: Questions, tasks: Iterable[JudgeTask], inputs: EvaluationInputs, lookup: Lookup
) -> Iterator[Request]:
    settled = _settled_keys(questions.run)
    # A batch file is for one model, so the requests to a model must follow each other.
    for task in sorted(tasks, key=lambda task: task.model):
        if task.prompt_judge is not None:
            work = criterion_work(
                task.prompt_judge, remaining_work(inputs, task, every_output, settled, questions.repeats)
            )
            unjudged = (
                (case, output, repeat)
                for case, output, repeat in work
                if VerdictKey(output.key, task.id, repeat) not in settled
            )
            yield from unanswered(task.prompt_judge, unjudged, lookup)


def _make_lookup(replies: BatchResults, progress: Progress) -> Lookup:
    def look_up(request: Request) -> Reply | None:
        progress.advance(1 - request.attempt)  # second attempts are no further work
        return find_reply(replies, request)

    return look_up


def _settled_keys(run: Path | None) -> Container[VerdictKey]:
    """Return the keys with a verdict in a run folder; leave an empty or missing folder as it is."""
    if run is None or not run.exists() or not any(run.iterdir()):
        return ()
    with RunWriter(run) as writer:
        return writer.verdicts.settled
