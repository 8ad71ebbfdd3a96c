"""Ask a tool's judges, write requests without a reply, and repeat until none is open.

A judge's later requests depend on the replies to its earlier ones, so that one round does not show them all.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

from fiducial.evaluation.batch.batch_files import file_numbering, read_custom_ids, write_batch
from fiducial.judges.transport.exchange import Reply, Request

from .known_replies import KnownReplies, write_replies
from .replaying_server import ReplayingServer
from .tool_process import ToolRound

Ask: TypeAlias = Callable[[str], ToolRound]
"""Function that asks a tool's judges about its items at an address, once."""
Answer: TypeAlias = Callable[[Request], Reply]

MAX_ROUNDS = 12
"""Rounds after which a scripted model gives up: a tool whose requests never repeat cannot be replayed."""


class PlayedRound(NamedTuple):
    """A round that left requests open: its number, its batch file, and the requests."""

    number: int
    file: Path
    requests: list[Request]


class Played(NamedTuple):
    """Result of the rounds of a tool.

    Attributes:
        rounds: Those that left requests open, in this command.
        said: What the tool's judges say in the last round, one of each item.
        answered: Number of requests that were answered in the last round.
        left: Number of requests that are open still.
        refused: Requests of a form that is not replayed, and addresses other than loopback that were tried.
    """

    rounds: list[PlayedRound]
    said: list[dict[str, Any]]
    answered: int
    left: int
    refused: list[str]

    @property
    def closed(self) -> bool:
        """Return whether every request has a reply."""
        return not self.left


def play_rounds(
    name: str, ask: Ask, replies: KnownReplies, out: Path, *, model: str, scripted: Answer | None = None
) -> Played:
    """Ask a tool round by round.

    Without a scripted model the first round that leaves requests open is the last: its batch file waits for
    replies, and the same command goes on with them.

    Args:
        name: The tool's name, which its files get.
        ask: Asks its judges once.
        replies: The recorded replies.
        out: Folder of the rounds: ``out/ROUND/NAME.jsonl``.
        model: Model that the batch files name.
        scripted: Answers the open requests of each round.
    """
    rounds: list[PlayedRound] = []
    while True:
        with ReplayingServer(replies, model) as server:
            asked = ask(server.base_url)
        requests = [server.open[key] for key in sorted(server.open)]
        refused = [f"{count} x {form}" for form, count in sorted(server.refused.items())]
        refused += [f"address {host}" for host in asked.refused]
        if requests:
            rounds.append(_write(name, requests, replies, out))
        if scripted is None or not requests or len(rounds) == MAX_ROUNDS:
            return Played(rounds, asked.said, len(server.answered), len(requests), refused)
        given = {request.key: scripted(request) for request in requests}
        write_replies(requests, given, rounds[-1].file.with_suffix(".scripted.jsonl"))
        replies.add(given)


def _write(name: str, requests: Sequence[Request], replies: KnownReplies, out: Path) -> PlayedRound:
    """Write open requests for the first round that is new, or not fully answered."""
    number = 1
    while _is_answered(out / str(number) / f"{name}.jsonl", replies):
        number += 1
    path = out / str(number) / f"{name}.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    url = {"chat": "/v1/chat/completions"}.get(requests[0].api, f"/v1/{requests[0].api}")
    write_batch(requests, file_numbering(path), url=url)
    return PlayedRound(number, path, list(requests))


def _is_answered(path: Path, replies: KnownReplies) -> bool:
    return path.is_file() and all(replies.find(key) is not None for key in read_custom_ids(path))


def state(played: Played) -> str:
    """Return how far the rounds of a tool have come, in a few words."""
    if played.closed:
        return "closed"
    if len(played.rounds) == MAX_ROUNDS:
        return f"not closed after {MAX_ROUNDS} rounds: {played.left:,} open"
    replies = "reply" if played.left == 1 else "replies"
    return f"round {played.rounds[-1].number} waits for {played.left:,} {replies}"


def scores(played: Played) -> Mapping[int, dict[str, Any]]:
    """Return what is said of each item, by its number; nothing while requests are open."""
    return {int(each["item"]): each for each in played.said} if played.closed else {}
