"""Sends requests over the openai library, where more is needed than an address and a key."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .endpoint import Endpoint
from .exchange import CallError, Request
from .sending import Response

if TYPE_CHECKING:
    import openai


class LibrarySender:
    """Sends over one shared client of the openai library: OpenAI's own endpoint, Azure, keys in the library's variables.

    The client's own retries are off: who asks again is decided in one place (`RetryingProvider`).

    Args:
        endpoint: Where to send requests.
        timeout: Seconds until a call is given up.

    Raises:
        CallError: The library finds no key.
    """

    def __init__(self, endpoint: Endpoint, timeout: float) -> None:
        import openai  # noqa: PLC0415 - 0.5 s, for who uses it

        try:
            self._client = _connect(endpoint, timeout)
        except openai.OpenAIError as error:
            raise CallError(str(error)) from error

    async def send(self, request: Request) -> Response:
        """Send one request. See `Sender.send`."""
        import aiohttp  # noqa: PLC0415 - imported with openai's client
        import httpx2  # noqa: PLC0415 - imported with openai
        import openai  # noqa: PLC0415 - see __init__

        try:
            response = await self._client.post(
                "/chat/completions",
                body=request.body(),
                cast_to=httpx2.Response,
                options={"follow_redirects": False},
            )
        except openai.APIStatusError as error:
            response = error.response
        except (openai.APIConnectionError, aiohttp.ClientError) as error:
            # What is not HTTP at all comes as it is out of the library's transport.
            raise CallError(f"the connection failed: {_cause(error)}", retryable=True) from error
        except openai.OpenAIError as error:
            raise CallError(str(error)) from error
        except ValueError as error:
            raise CallError(f"the request cannot be sent: {error}") from error
        return Response(response.status_code, response.headers, response.content)

    def redact(self, text: str) -> str:
        """A text without the key. See `Sender.redact`."""
        return text.replace(self._client.api_key, "***") if self._client.api_key else text

    async def aclose(self) -> None:
        """Close the client's connections."""
        await self._client.close()


def _connect(endpoint: Endpoint, timeout: float) -> openai.AsyncOpenAI:
    import openai  # noqa: PLC0415 - see LibrarySender

    shared: dict[str, Any] = {
        "api_key": endpoint.api_key,
        "max_retries": 0,
        "timeout": timeout,
        "http_client": openai.DefaultAioHttpClient(timeout=timeout),
    }
    if endpoint.kind == "azure":
        return openai.AsyncAzureOpenAI(
            azure_endpoint=endpoint.base_url or "", api_version=endpoint.api_version, **shared
        )
    return openai.AsyncOpenAI(base_url=endpoint.base_url, **shared)


def _cause(error: Exception) -> str:
    cause = error.__cause__ or error
    return f"{type(cause).__name__}: {cause}" if str(cause) else type(cause).__name__
