"""Batch endpoint of a provider: upload a file, start a batch, poll it, download its results."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Generator
from contextlib import contextmanager
from http import HTTPStatus
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import msgspec

from ...errors import ProviderError
from ...judges.transport.endpoint import Endpoint
from ...records.typed_values import convert
from .batch_files import URL

if TYPE_CHECKING:
    import openai

ENDED = frozenset({"completed", "failed", "expired", "cancelled"})
"""Statuses of a batch that do not change any more."""

_FILE_HASH_KEY = "fiducial_file"
"""Metadata key with the hash of the batch file, by which a batch is found that was started just before a kill."""

_CANNOT_LIST = frozenset({HTTPStatus.NOT_FOUND, HTTPStatus.METHOD_NOT_ALLOWED, HTTPStatus.NOT_IMPLEMENTED})
"""HTTP statuses with which endpoints answer that do not list batches."""

_ATTEMPTS = 5
_FIRST_WAIT = 0.5
"""Initial backoff in seconds, doubled per failure to start a batch."""
_TIMEOUT_SECONDS = 600.0
_MAX_MESSAGE_LENGTH = 300
"""Characters of the library's message that an error quotes."""

_CONTINUE_HINT = "rerun the command to continue"


class BatchStatus(msgspec.Struct, frozen=True):
    """Progress of a batch.

    Attributes:
        id: Id of the batch.
        status: ``validating``, ``in_progress``, ``finalizing``, ``completed``, ``failed``, ``expired``, ``cancelled`` ...
        done: Number of requests with a result.
        results: Id of the file of results, or None if there is none yet.
        errors: Id of the file of failed requests, or None if there is none.
        problem: The provider's error message for the whole batch.
    """

    id: str
    status: str
    done: int
    results: str | None
    errors: str | None
    problem: str | None

    @property
    def fruitless(self) -> bool:
        """True if the batch ended without an answer."""
        return self.status in ENDED and self.results is None and self.errors is None


class BatchEndpoint:
    """Batch endpoint of a provider; lines of a batch file name its ``url``.

    The openai library retries temporary failures. Starting a batch costs money, so it is retried only after a check that the batch was
    not started. Other failures are raised as ProviderError. Only downloads follow redirects: uploads go to the address that the user
    gave.
    """

    def __init__(self, endpoint: Endpoint, *, sleep: Callable[[float], None] = time.sleep) -> None:
        import httpx2  # noqa: PLC0415 - openai's HTTP library
        import openai  # noqa: PLC0415 - 0.5 s, when it is used

        ssl_context = httpx2.create_ssl_context()  # one for both clients: reading the certificates takes time
        client_options: dict[str, Any] = {
            "max_retries": _ATTEMPTS,
            "timeout": _TIMEOUT_SECONDS,
            "http_client": openai.DefaultHttpxClient(follow_redirects=False, verify=ssl_context),
            **endpoint.client_options(),
        }
        self._sleep = sleep
        self._secret = endpoint.api_key
        self.url = "/chat/completions" if endpoint.kind == "azure" else URL
        self._client = (
            openai.AzureOpenAI(**client_options, azure_ad_token_provider=endpoint.token)
            if endpoint.kind == "azure"
            else openai.OpenAI(**client_options)
        )
        self._without_retries = self._client.with_options(max_retries=0)
        self._downloads = self._client.with_options(http_client=openai.DefaultHttpxClient(verify=ssl_context))

    def begin(self, path: Path, sha256: str, *, others: Collection[str | None] = ()) -> BatchStatus:
        """Upload a batch file and start its batch, marked with the hash of its bytes.

        For ``others`` see `find`.

        Raises:
            ProviderError: The provider refused, or cannot be reached.
        """
        with self._translated_errors("upload the batch file"), path.open("rb") as file:
            uploaded = self._client.files.create(file=file, purpose="batch")
        for attempt in range(_ATTEMPTS):
            try:
                with self._translated_errors("begin the batch"):
                    return self._create(uploaded.id, sha256)
            except ProviderError as error:
                if attempt + 1 == _ATTEMPTS or not _may_have_started(error):
                    raise
                self._sleep(_FIRST_WAIT * 2**attempt)
                existing = self.find(sha256, others=others)
                if existing is not None:
                    return existing
        raise AssertionError("neither begun nor failed")  # the last attempt returns or raises

    def _create(self, file_id: str, sha256: str) -> BatchStatus:
        batch = self._without_retries.batches.create(
            input_file_id=file_id,
            # Azure's path has no version, which the library's types do not allow.
            endpoint=cast("Any", self.url),
            completion_window="24h",  # the only one that OpenAI offers
            metadata={_FILE_HASH_KEY: sha256},
        )
        return _status(batch)

    def find(self, sha256: str, *, others: Collection[str | None] = ()) -> BatchStatus | None:
        """Find the batch of a file with this hash among the newest hundred.

        Batches that ended without a result are skipped, and so are ``others``: earlier batches of an equal file.

        Returns:
            The batch, or None if there is none, or the provider does not list batches.

        Raises:
            ProviderError: Listing failed at a provider that supports it. Starting a batch anyway might cost twice.
        """
        try:
            with self._translated_errors("list batches"):
                page = self._client.batches.list(limit=100)  # the most that one page may have
                for batch in page.data:
                    if (batch.metadata or {}).get(_FILE_HASH_KEY) == sha256 and batch.id not in others:
                        status = _status(batch)
                        if not status.fruitless:
                            return status
        except ProviderError as error:
            if _lists_batches(error):
                raise
        return None

    def look(self, batch_id: str) -> BatchStatus:
        """Return the progress of a batch.

        Raises:
            ProviderError: The provider does not know the batch, or cannot be reached.
        """
        hint = "is this the endpoint that it was sent to? Without the run's batch/ all is sent anew"
        with self._translated_errors(f"look at the batch {batch_id}", not_found_hint=hint):
            return _status(self._client.batches.retrieve(batch_id))

    def fetch(self, file_id: str, path: Path) -> None:
        """Download a file; it appears under its name once it is complete.

        Raises:
            ProviderError: The download failed.
        """
        partial_path = path.with_suffix(".part")
        with (
            self._translated_errors(f"download {file_id}"),
            self._downloads.files.with_streaming_response.content(file_id) as response,
        ):
            response.stream_to_file(partial_path)
        partial_path.replace(path)

    def close(self) -> None:
        """Close the connections."""
        self._client.close()
        self._downloads.close()

    @contextmanager
    def _translated_errors(self, action: str, *, not_found_hint: str = _CONTINUE_HINT) -> Generator[None]:
        """Raise the library's errors as ProviderError; ``action`` completes "cannot ..."."""
        import httpx2  # noqa: PLC0415 - openai's HTTP library
        import openai  # noqa: PLC0415 - see __init__

        try:
            yield
        except (openai.OpenAIError, httpx2.HTTPError) as error:  # openai does not wrap errors of a download
            text = str(error).replace(self._secret, "***") if self._secret else str(error)
            next_step = not_found_hint if isinstance(error, openai.NotFoundError) else _CONTINUE_HINT
            raise ProviderError(f"cannot {action}: {text[:_MAX_MESSAGE_LENGTH]}; {next_step}") from error
        except (AttributeError, TypeError, ValueError, RecursionError, msgspec.MsgspecError) as error:
            # The library does not validate replies, so that a wrong or deeply nested one fails anywhere.
            raise ProviderError(
                f"cannot {action}: the answer is not in the form of OpenAI's Batch API; does this endpoint have one?"
            ) from error


def _may_have_started(error: ProviderError) -> bool:
    """Return whether a batch may have been started, or may yet be, despite the error."""
    import openai  # noqa: PLC0415 - see BatchEndpoint

    cause = error.__cause__
    return isinstance(cause, openai.APIConnectionError | openai.InternalServerError | openai.RateLimitError)


def _lists_batches(error: ProviderError) -> bool:
    """Return whether the endpoint supports listing, which failed with this error.

    Endpoints without a list answer with one of `_CANNOT_LIST`, or with anything that is not OpenAI's form.
    """
    import openai  # noqa: PLC0415 - see BatchEndpoint

    cause = error.__cause__
    if isinstance(cause, openai.APIStatusError):
        return cause.status_code not in _CANNOT_LIST
    return isinstance(cause, openai.OpenAIError)


def _status(batch: openai.types.Batch) -> BatchStatus:
    problems = batch.errors.data if batch.errors is not None else None
    fields = {
        "id": batch.id,
        "status": batch.status,
        "done": batch.request_counts.completed + batch.request_counts.failed if batch.request_counts else 0,
        "results": batch.output_file_id,
        "errors": batch.error_file_id,
        "problem": "; ".join(problem.message or "" for problem in problems or ()) or None,
    }
    return convert(fields, BatchStatus)
