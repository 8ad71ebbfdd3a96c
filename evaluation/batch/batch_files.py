"""Batch files: one request per line in OpenAI's form, split at providers' size limits."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator
from itertools import chain, count
from pathlib import Path

import msgspec

from ...judges.transport.batch_results import BatchResults
from ...judges.transport.exchange import CallError, Reply, Request
from ...records import atomic_write
from ...records.json_text import encode_json
from ...records.typed_values import decode_json

MAX_REQUESTS, MAX_BYTES = 50_000, 200_000_000
"""OpenAI's limits for one file."""
URL = "/v1/chat/completions"
"""Endpoint that lines of a batch file name."""


class BatchFile(msgspec.Struct, frozen=True):
    """A written batch file, with the number of its requests and the hash of its bytes."""

    path: Path
    requests: int
    sha256: str


def write_batch(
    requests: Iterable[Request],
    path_of: Callable[[int], Path],
    *,
    url: str = URL,
    max_requests: int = MAX_REQUESTS,
    max_bytes: int = MAX_BYTES,
) -> list[BatchFile]:
    """Write requests of one model, each with its key, a hash of the request, as ``custom_id``.

    Args:
        requests: The requests.
        path_of: Returns the path of each file by its number, from 1.
        url: Endpoint that each line names.
        max_requests: Maximum number of requests in a file.
        max_bytes: Maximum size of a file, unless a single request is larger.

    Returns:
        The written files.
    """
    lines = (_line(request, url) for request in requests)
    files: list[BatchFile] = []
    line = next(lines, None)
    while line is not None:
        path, digest = path_of(len(files) + 1), hashlib.sha256()
        n_requests = n_bytes = 0
        with atomic_write(path) as file:
            while line is not None and (
                not n_requests or (n_requests < max_requests and n_bytes + len(line) <= max_bytes)
            ):
                file.write(line)
                digest.update(line)
                n_requests, n_bytes = n_requests + 1, n_bytes + len(line)
                line = next(lines, None)
        files.append(BatchFile(path, n_requests, digest.hexdigest()))
    return files


def file_numbering(path: Path, taken: Iterable[Path] = ()) -> Callable[[int], Path]:
    """Return a function that names each next file: the path itself, ``name-2.jsonl``, and so on.

    Names that are ``taken`` are skipped, in upper or lower case, because some file systems do not tell these apart.
    """
    taken_names = {file.name.casefold() for file in taken}
    numbered = (path.with_name(f"{path.stem}-{number}{path.suffix}") for number in count(2))
    free_paths = (file for file in chain([path], numbered) if file.name.casefold() not in taken_names)
    # The number is not needed: names come in order, and those that are taken shift the rest.
    return lambda _number: next(free_paths)


def _line(request: Request, url: str) -> bytes:
    entry = {"custom_id": request.custom_id, "method": "POST", "url": url, "body": request.body()}
    return encode_json(entry) + b"\n"


def read_custom_ids(path: Path) -> Iterator[str]:
    """Yield the request ids of a batch file written by `write_batch`."""
    with path.open("rb") as file:
        for line in file:
            yield decode_json(line, _Entry).custom_id


def without_duplicates(requests: Iterable[Request], keys: set[str]) -> Iterator[Request]:
    """Yield each request once, because providers refuse duplicates within a batch.

    ``keys`` are the keys to skip; each yielded request adds its own.
    """
    for request in requests:
        if request.custom_id not in keys:
            keys.add(request.custom_id)
            yield request


def find_reply(results: BatchResults, request: Request) -> Reply | None:
    """Return the reply from the batches so far, or None if there is none or the request failed."""
    try:
        return results.find(request.custom_id)
    except CallError:
        return None


class _Entry(msgspec.Struct):
    custom_id: str
