"""Candidate prompts, from files and from a model."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from ...errors import ConfigurationError, FiducialError, PromptError
from ...judges.front_matter import read_prompt_text
from ...judges.prompt_judge import PromptJudge
from ...judges.prompt_revision import (
    Disagreement,
    inherited,
    revised_prompt,
    revision_messages,
    revision_problem,
)
from ...judges.transport.exchange import CallError, Provider, Reply, Request, make_request
from ...records import NO_USAGE, Usage, atomic_write, read_records, read_regular_file, write_records
from ...records.case import Record
from ..judging.access import ModelAccess
from ..judging.tasks import judge_task
from .improvement_results import TriedPrompt

FOLDER, PROPOSALS = "candidates", "proposals.jsonl"
"""Folder of the candidates' prompts, and file of a model's replies with proposals."""

MAX_CANDIDATES = 16
"""Candidates of one improvement, those that a model writes included."""

MAX_DISAGREEMENTS = 8
"""Disagreements that a model is shown to write one candidate."""


class CurrentPrompt(NamedTuple):
    """The current prompt, and the settings for loading it and its candidates."""

    judge: PromptJudge
    model: str
    environments: Mapping[str, type] = {}
    parameters: Mapping[str, Any] = {}

    @property
    def text(self) -> str:
        """Text of the prompt's file."""
        return read_prompt_text(self.judge.prompt.path)

    def candidate(self, path: Path, name: str, by: str | None = None) -> TriedPrompt:
        """Load a candidate from a file; it is refused if it is not a revision of the current prompt."""
        try:
            judge = judge_task(str(path), self.model, self.environments, self.parameters).prompt_judge
        except ConfigurationError:  # not the candidate's fault
            raise
        except FiducialError as error:
            return TriedPrompt(name=name, path=str(path), by=by, refused=str(error))
        assert judge is not None
        return TriedPrompt(name=name, path=str(path), by=by, refused=revision_problem(self.judge, judge))


class Proposal(Record, frozen=True, kw_only=True):
    """Saved reply of the model that writes candidates, so that a rerun asks nothing twice."""

    key: str
    reply: Reply


def read_candidates(current: CurrentPrompt, files: Sequence[Path], out: Path) -> list[TriedPrompt]:
    """Load candidates from copies of their files, so that a later edit changes nothing.

    Raises:
        PromptError: A file cannot be read.
    """
    originals: dict[Path, Path] = {}
    for file in files:
        text = inherited(read_prompt_text(file), current.judge, file)
        originals.setdefault(_write_prompt(text, file.stem, out / FOLDER), file)
    return [_with_original_name(current.candidate(copy, copy.stem), file) for copy, file in originals.items()]


def _with_original_name(candidate: TriedPrompt, original: Path) -> TriedPrompt:
    """Return a candidate whose refusal names the original file, which its author can change."""
    if candidate.refused is None or candidate.path is None:
        return candidate
    return msgspec.structs.replace(
        candidate, refused=candidate.refused.replace(candidate.path, str(original))
    )


class ProposedPrompts(NamedTuple):
    """Candidates that a model wrote, and the cost of asking for them.

    Attributes:
        candidates: The candidates, refused ones included.
        replies: Number of saved replies.
        usage: Usage of all saved replies, those of earlier commands included.
        failed: Number of failed calls.
    """

    candidates: list[TriedPrompt]
    replies: int
    usage: Usage
    failed: int


def propose_candidates(
    current: CurrentPrompt,
    writer: str,
    samples: Sequence[Sequence[Disagreement]],
    out: Path,
    access: Callable[[], ModelAccess],
) -> ProposedPrompts:
    """Ask a model for one candidate per sample of disagreements."""
    current_text = current.text
    # Each request has a repeat number of its own, so that equal samples are separate requests.
    requests = [
        make_request(writer, revision_messages(current.judge, current_text, disagreements), {}, repeat=number)
        for number, disagreements in enumerate(samples)
    ]
    path = out / PROPOSALS
    replies = {record.key: record.reply for record in read_records(path, Proposal)} if path.exists() else {}
    failed_calls = asyncio.run(
        _request_replies(
            [request for request in requests if request.key not in replies], access, replies, path
        )
    )
    candidates = [
        _proposed_candidate(current, replies[request.key], writer, number, out)
        for number, request in enumerate(requests, start=1)
        if request.key in replies
    ]
    usage = sum((reply.usage.paid for reply in replies.values()), NO_USAGE)
    return ProposedPrompts(candidates, len(replies), usage, failed_calls)


def mark_duplicates(candidates: Iterable[TriedPrompt]) -> list[TriedPrompt]:
    """Mark candidates with the same text as an earlier one as refused."""
    name_of_text: dict[str, str] = {}
    marked: list[TriedPrompt] = []
    for candidate in candidates:
        if candidate.path is not None:
            earlier = name_of_text.setdefault(Path(candidate.path).read_text("utf-8"), candidate.name)
            if earlier != candidate.name:
                candidate = msgspec.structs.replace(candidate, refused=f"is the same as {earlier}")  # noqa: PLW2901
        marked.append(candidate)
    return marked


async def _request_replies(
    requests: Sequence[Request], access: Callable[[], ModelAccess], replies: dict[str, Reply], path: Path
) -> int:
    """Send requests, save each reply as it comes, and return the number of failed calls."""
    if not requests:
        return 0
    failed_calls = 0

    async def ask(provider: Provider, request: Request) -> None:
        nonlocal failed_calls
        try:
            replies[request.key] = await provider.complete(request)
        except CallError:
            failed_calls += 1
        else:
            write_records(path, (Proposal(key=key, reply=reply) for key, reply in replies.items()))

    async with access().open() as provider, asyncio.TaskGroup() as group:
        for request in requests:
            group.create_task(ask(provider, request))
    return failed_calls


def _proposed_candidate(
    current: CurrentPrompt, reply: Reply, writer: str, number: int, out: Path
) -> TriedPrompt:
    name = f"proposal-{number}"
    try:
        text = revised_prompt(reply.text, current.text, current.judge)
    except PromptError as error:
        return TriedPrompt(name=name, by=writer, refused=str(error))
    path = _write_prompt(text, name, out / FOLDER)
    return current.candidate(path, path.stem, writer)


def _write_prompt(text: str, name: str, folder: Path) -> Path:
    """Write a candidate under its name, with a number if another candidate has that name."""
    folder.mkdir(parents=True, exist_ok=True)
    content, number = text.encode(), 1
    path = folder / f"{name}.prompty"
    while path.exists() and read_regular_file(path) != content:
        number += 1
        path = folder / f"{name}-{number}.prompty"
    if not path.exists():
        with atomic_write(path) as file:
            file.write(content)
    return path
