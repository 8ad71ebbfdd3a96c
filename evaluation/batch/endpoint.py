"""A provider's batch endpoint: upload a file, begin a batch, look how far it is, fetch what it answered."""

from __future__ import annotations

from collections.abc import Collection, Generator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import msgspec

from ...errors import ProviderError
from ...judges import Endpoint
from .files import URL

if TYPE_CHECKING:
    import openai

ENDED = frozenset({"completed", "failed", "expired", "cancelled"})
_MARK = "fiducial_file"
"""Where a batch says which file it answers, so that one that was begun just before a kill is found again."""
_ATTEMPTS = 5
_TIMEOUT = 600.0
_LONGEST_MESSAGE = 300


class BatchStatus(msgspec.Struct, frozen=True):
    """How far a batch is.

    Attributes:
        id: The batch.
        status: ``validating``, ``in_progress``, ``finalizing``, ``completed``, ``failed``, ``expired``, ``cancelled`` ...
        done: Requests that have a result.
        results: The file of results; None when there is none yet.
        errors: The file of requests that failed; None when there is none.
        problem: What the provider says is wrong with the batch as a whole.
    """

    id: str
    status: str
    done: int
    results: str | None
    errors: str | None
    problem: str | None


class BatchEndpoint:
    """The batch endpoint of a provider.

    The openai library tries again what failed for a passing reason; what stays failed is a ProviderError.

    Args:
        endpoint: Where it is.

    Attributes:
        url: What each line of a batch file names as its endpoint.
    """

    def __init__(self, endpoint: Endpoint) -> None:
        import openai  # noqa: PLC0415 - 0.5 s, for who uses it

        shared: dict[str, Any] = {"api_key": endpoint.api_key, "max_retries": _ATTEMPTS, "timeout": _TIMEOUT}
        self._secret = endpoint.api_key
        self.url = "/chat/completions" if endpoint.kind == "azure" else URL
        self._client = (
            openai.AzureOpenAI(
                azure_endpoint=endpoint.base_url or "", api_version=endpoint.api_version, **shared
            )
            if endpoint.kind == "azure"
            else openai.OpenAI(base_url=endpoint.base_url, **shared)
        )

    def begin(self, path: Path, sha256: str) -> BatchStatus:
        """Upload a file and begin its batch.

        Args:
            path: A batch file.
            sha256: Of its bytes; the batch is marked with it.

        Returns:
            The batch.

        Raises:
            ProviderError: The provider refused, or cannot be reached.
        """
        with self._translated("upload the batch file"), path.open("rb") as file:
            uploaded = self._client.files.create(file=file, purpose="batch")
        with self._translated("begin the batch"):
            batch = self._client.batches.create(
                input_file_id=uploaded.id,
                endpoint=cast(
                    "Any", self.url
                ),  # Azure leaves out the version, which the library's types do not know
                completion_window="24h",
                metadata={_MARK: sha256},
            )
            return _status(batch)

    def find(self, sha256: str, *, others: Collection[str | None] = ()) -> BatchStatus | None:
        """Find the batch that was begun for a file, should it be among the newest hundred.

        Args:
            sha256: Of the file's bytes.
            others: Batches that it is not: the same file may have been sent before.

        Returns:
            The batch; None when there is none, or the provider does not list batches.
        """
        try:
            with self._translated("list batches"):
                newest = self._client.batches.list(limit=100)
                for batch in newest.data:
                    if (batch.metadata or {}).get(_MARK) == sha256 and batch.id not in others:
                        return _status(batch)
        except ProviderError:
            pass
        return None

    def look(self, batch_id: str) -> BatchStatus:
        """How far a batch is.

        Raises:
            ProviderError: The provider does not say.
        """
        with self._translated(f"look at the batch {batch_id}"):
            return _status(self._client.batches.retrieve(batch_id))

    def fetch(self, file_id: str, path: Path) -> None:
        """Download a file; it appears under its name only when it is whole.

        Args:
            file_id: The provider's name for it.
            path: Where it goes.

        Raises:
            ProviderError: It cannot be downloaded.
        """
        part = path.with_suffix(".part")
        with (
            self._translated(f"download {file_id}"),
            self._client.files.with_streaming_response.content(file_id) as response,
        ):
            response.stream_to_file(part)
        part.replace(path)

    def close(self) -> None:
        """Close the connections."""
        self._client.close()

    @contextmanager
    def _translated(self, what: str) -> Generator[None]:
        import openai  # noqa: PLC0415 - see __init__

        try:
            yield
        except openai.OpenAIError as error:
            text = str(error).replace(self._secret, "***") if self._secret else str(error)
            raise ProviderError(
                f"cannot {what}: {text[:_LONGEST_MESSAGE]}; the same command goes on from here"
            ) from error
        except (AttributeError, TypeError, ValueError, RecursionError, msgspec.MsgspecError) as error:
            # The library takes any JSON for what it expects, and falls over what is none, or nested without end.
            raise ProviderError(
                f"cannot {what}: the answer is not in the form of OpenAI's Batch API; does this endpoint have one?"
            ) from error


def _status(batch: openai.types.Batch) -> BatchStatus:
    problems = batch.errors.data if batch.errors is not None else None
    said = {
        "id": batch.id,
        "status": batch.status,
        "done": batch.request_counts.completed + batch.request_counts.failed if batch.request_counts else 0,
        "results": batch.output_file_id,
        "errors": batch.error_file_id,
        "problem": "; ".join(problem.message or "" for problem in problems or ()) or None,
    }
    return msgspec.convert(said, BatchStatus)
