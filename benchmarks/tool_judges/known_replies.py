"""Replies that are recorded, by the key of their request."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from fiducial.errors import InputError
from fiducial.judges.transport.batch_results import BatchResults
from fiducial.judges.transport.exchange import CallError, Reply, Request
from fiducial.judges.transport.recording import Recorded
from fiducial.records import read_records, write_records

SCRIPTED = "scripted"
"""Name of the model that replies only by form."""


class KnownReplies:
    """Replies of recordings (``--record``), of batch results, and those that a round adds.

    Args:
        recordings: Files in the form of ``--record``; of two replies to a request the later counts.
        results: Result files of a batch endpoint.

    Raises:
        InputError: A recording holds replies of a scripted model, which are no evidence.
    """

    def __init__(self, recordings: Sequence[Path] = (), results: Sequence[Path] = ()) -> None:
        self._replies: dict[str, Reply] = {}
        for path in recordings:
            recorded = list(read_records(path, Recorded))
            if any(each.reply.served_by == SCRIPTED for each in recorded):
                raise InputError("holds replies of a scripted model, which are no evidence", path=path)
            self._replies.update((each.key, each.reply) for each in recorded)
        self._results = BatchResults(results)

    def find(self, key: str) -> Reply | None:
        """Return the reply to a request, or None if there is none, or an error."""
        if key in self._replies:
            return self._replies[key]
        try:
            return self._results.find(key)
        except CallError:
            return None

    def add(self, replies: Mapping[str, Reply]) -> None:
        """Add replies by the key of their request."""
        self._replies.update(replies)

    def close(self) -> None:
        """Close the files."""
        self._results.close()


def write_replies(requests: Iterable[Request], replies: Mapping[str, Reply], path: Path) -> None:
    """Write replies in the form of ``--record``, in the order of their requests."""
    write_records(
        path,
        (Recorded(key=request.key, model=request.model, reply=replies[request.key]) for request in requests),
    )
