"""Answer judge requests by a batch endpoint (``--batch``); a ledger makes it resumable."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing
from functools import partial
from itertools import groupby
from operator import itemgetter
from pathlib import Path

import msgspec

from ...errors import ConfigurationError, RunFolderError, UsageError
from ...judges.cycle import unanswered
from ...judges.judge import Work
from ...judges.prompt_judge import PromptJudge
from ...judges.transport.batch_results import BatchResults
from ...judges.transport.exchange import Request
from ...records import read_regular_file, write_json
from ...records.typed_values import decode_json
from ...spelling import setting
from ..judging.access import BatchMode, ModelAccess
from ..judging.judge_task import JudgingStep
from ..open_requests import KnownReplies
from ..progress import Progress
from .batch_endpoint import ENDED, BatchEndpoint
from .batch_files import find_reply, read_custom_ids, without_duplicates, write_batch

FOLDER = "batch"
"""Folder in a run folder with batch files and results."""
_LEDGER_FILE = "batches.json"


class BatchEntry(msgspec.Struct, forbid_unknown_fields=True):
    """One batch of a run.

    Attributes:
        file: Name of the batch file in the folder.
        requests: Number of its requests.
        sha256: Hash of its bytes.
        id: The provider's id of the batch, or None until it is started.
        status: Last status that the provider reported.
        problem: The provider's error message for the whole batch.
        results: Names of the downloaded result files.
    """

    file: str
    requests: int
    sha256: str
    id: str | None = None
    status: str | None = None
    problem: str | None = None
    results: list[str] = []

    @property
    def is_over(self) -> bool:
        """True if the batch needs no further work."""
        return self.status in ENDED


class Ledger:
    """List of the batches of a run, stored in its folder.

    Raises:
        RunFolderError: The list of batches is damaged.
    """

    def __init__(self, run: Path) -> None:
        self.folder = run / FOLDER
        self._path = self.folder / _LEDGER_FILE
        self.entries: list[BatchEntry] = []
        if self._path.exists():
            try:
                self.entries = decode_json(read_regular_file(self._path), list[BatchEntry])
            except msgspec.MsgspecError as error:
                raise RunFolderError(f"{self._path}: not a list of batches: {error}") from error
        for name in (name for entry in self.entries for name in entry.results):
            if Path(name).name != name:  # a path, which could lead out of the folder
                raise RunFolderError(f"{self._path}: {name!r} is not a file of the run")

    def save(self) -> None:
        """Write the list of batches."""
        write_json(self._path, self.entries)

    def result_files(self) -> list[Path]:
        """Return all fetched result files, in the order of the batches."""
        return [self.folder / name for entry in self.entries for name in entry.results]

    def unfinished(self) -> list[BatchEntry]:
        """Return the batches with work left."""
        return [entry for entry in self.entries if not entry.is_over]

    def next_file(self, ahead: int, number: int) -> Path:
        """Return a name for a new batch file.

        It is the ``number``-th, from 1, after ``ahead`` files that are not in the ledger yet.
        """
        return self.folder / f"requests-{len(self.entries) + ahead + number:03d}.jsonl"

    def problems(self) -> str:
        """Return the problems with whole batches, for display; empty if there were none."""
        sentences = {
            f"{entry.file} {entry.status}{': ' + entry.problem if entry.problem else ''}"
            for entry in self.entries
            if entry.is_over and entry.status != "completed"
        }
        return "; ".join(sorted(sentences))


def collect_replies(
    step: JudgingStep, access: Callable[[], ModelAccess], mode: BatchMode
) -> Callable[[], ModelAccess]:
    """Answer all pending requests of judges by batches.

    A second round repeats requests whose replies could not be read. Batches are recorded in the run folder, so that the same command
    resumes them, and no batch is started twice.

    Raises:
        ConfigurationError: There is no endpoint.
        UsageError: There are several endpoints, decision models, or no run folder.
        ProviderError: The batch endpoint refused, or cannot be reached.
    """
    if not any(_pending_work(step)):
        return access
    reached_access = access()
    if reached_access.endpoint is None:
        raise ConfigurationError(
            f"{setting('batch')} needs an endpoint, and does not go with {setting('replay')}"
        )
    if reached_access.spread is not None:
        raise UsageError(f"{setting('batch')} goes to one endpoint; name one")
    if reached_access.endpoint.api != "chat":
        raise UsageError(f"{setting('batch')}: decision models have no batch endpoint; ask them directly")
    if not isinstance(step.context.writer.path, Path):
        raise UsageError(f"{setting('batch')} needs a run folder, from which it can be resumed; name one")
    ledger = Ledger(step.context.writer.path)
    keys: set[str] = set()
    for entry in ledger.unfinished():
        keys.update(read_custom_ids(ledger.folder / entry.file))
    with closing(BatchEndpoint(reached_access.endpoint, sleep=mode.sleep)) as endpoint:
        _finish_batches(ledger, endpoint, step.context.progress, mode)
        # Each request is sent once, so the loop ends; second attempts at unreadable replies are new requests.
        while _write_batches(
            without_duplicates(_unanswered_requests(step, reached_access, ledger), keys),
            ledger,
            reached_access,
            endpoint.url,
        ):
            _finish_batches(ledger, endpoint, step.context.progress, mode)
    problems = ledger.problems()
    from_results = msgspec.structs.replace(
        reached_access,
        results=tuple(ledger.result_files()),
        missing_result=f"no result came of the batch{f' ({problems})' if problems else ''}",
    )
    return lambda: from_results


def _pending_work(step: JudgingStep) -> Iterator[tuple[PromptJudge, Work]]:
    """Yield the pending work of judges ordered by model, because a batch is for one model."""
    for task in sorted(step.tasks, key=lambda task: task.model):
        if task.prompt_judge is not None:
            for work in step.work(task, task.settled(step.context)):
                yield task.prompt_judge, work


def _finish_batches(ledger: Ledger, endpoint: BatchEndpoint, progress: Progress, mode: BatchMode) -> None:
    """Start new batches, wait until all have ended, and download their results."""
    open_entries = ledger.unfinished()
    if not open_entries:
        return
    for entry in open_entries:
        _start_batch(entry, ledger, endpoint)
    progress.begin("waiting for batches", sum(entry.requests for entry in open_entries))
    result_count_by_file = dict.fromkeys((entry.file for entry in open_entries), 0)
    while True:
        for entry in ledger.unfinished():
            done_before = result_count_by_file[entry.file]
            result_count_by_file[entry.file] = max(done_before, _update_entry(entry, ledger, endpoint))
            progress.advance(result_count_by_file[entry.file] - done_before)
        if not ledger.unfinished():
            return
        mode.sleep(mode.poll_seconds)


def _start_batch(entry: BatchEntry, ledger: Ledger, endpoint: BatchEndpoint) -> None:
    if entry.id is None:
        # A kill may have come after the batch was started and before its id was recorded.
        known_ids = {other.id for other in ledger.entries}
        batch = endpoint.find(entry.sha256, others=known_ids) or endpoint.begin(
            ledger.folder / entry.file, entry.sha256, others=known_ids
        )
        entry.id = batch.id
        ledger.save()


def _update_entry(entry: BatchEntry, ledger: Ledger, endpoint: BatchEndpoint) -> int:
    """Poll a batch, download its results if it has ended, and return the number of results."""
    assert entry.id is not None
    batch = endpoint.look(entry.id)
    if batch.status == entry.status:
        return batch.done
    stem = Path(entry.file).stem.replace("requests", "results")
    fetched: list[str] = []
    if batch.status in ENDED:
        for file_id, name in ((batch.results, f"{stem}.jsonl"), (batch.errors, f"{stem}-errors.jsonl")):
            if file_id is not None:
                endpoint.fetch(file_id, ledger.folder / name)
                fetched.append(name)
    entry.status, entry.problem, entry.results = batch.status, batch.problem, fetched
    ledger.save()
    return batch.done


def _unanswered_requests(step: JudgingStep, access: ModelAccess, ledger: Ledger) -> Iterator[Request]:
    """Yield the requests without a reply, in the order of the work."""
    with KnownReplies(access) as cached, closing(BatchResults(ledger.result_files())) as results:
        for judge, work_of_judge in groupby(_pending_work(step), key=itemgetter(0)):
            yield from unanswered(
                judge,
                map(itemgetter(1), work_of_judge),
                lambda request: cached(request) or find_reply(results, request),
                retry_of=step.context.verdicts.retry_of,
            )


def _write_batches(requests: Iterator[Request], ledger: Ledger, access: ModelAccess, url: str) -> bool:
    """Write batch files and add them to the ledger; return whether there were any requests."""
    new_entries: list[BatchEntry] = []
    affordable = (request for request in requests if access.budget is None or access.budget.admit(request))
    # Requests come ordered by model, see `_pending_work`.
    for _, requests_to_model in groupby(affordable, key=lambda request: request.model):
        start = len(new_entries)
        files = write_batch(requests_to_model, partial(ledger.next_file, start), url=url)
        new_entries += [
            BatchEntry(file=file.path.name, requests=file.requests, sha256=file.sha256) for file in files
        ]
    ledger.entries += new_entries
    ledger.save()
    return bool(new_entries)
