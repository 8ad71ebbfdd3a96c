"""The openai library's HTTP client, with a bound on what a response may unpack to."""

from __future__ import annotations

import zlib
from collections.abc import AsyncIterator
from typing import Any

import httpx2
import openai

from .exchange import CallError
from .sending import LARGEST, bounded

_PACKED = frozenset({"gzip", "x-gzip", "deflate"})
"""What is asked for, and can be unpacked piece by piece up to a bound."""


class BoundedClient(openai.DefaultAioHttpClient):
    """Reads every response itself: the library would unpack whatever comes, and keep all of it."""

    async def send(self, request: httpx2.Request, **options: Any) -> httpx2.Response:
        """Send a request, and read the response as far as it may go.

        Raises:
            CallError: It is longer than that, or packed in a way that was not asked for.
        """
        request.headers["Accept-Encoding"] = "gzip, deflate"
        options["stream"] = True
        response = await super().send(request, **options)
        try:
            pieces = _unpacked(response.aiter_raw(), response.headers.get("content-encoding", ""))
            body = await bounded(pieces, response.status_code)
        finally:
            await response.aclose()
        kept = [
            (name, value)
            for name, value in response.headers.multi_items()
            if name.lower() not in {"content-encoding", "content-length", "transfer-encoding"}
        ]
        return httpx2.Response(response.status_code, headers=kept, content=body, request=request)


async def _unpacked(pieces: AsyncIterator[bytes], encoding: str) -> AsyncIterator[bytes]:
    encoding = encoding.strip().lower()
    if encoding in {"", "identity"}:
        async for piece in pieces:
            yield piece
        return
    if encoding not in _PACKED:
        raise CallError(f"the response is packed as {encoding[:20]!r}, which was not asked for")
    unpacking = zlib.decompressobj(zlib.MAX_WBITS | 32)  # the header says which of the two it is
    async for piece in pieces:
        try:
            yield unpacking.decompress(piece, LARGEST + 1)
        except zlib.error as error:
            raise CallError(f"the response cannot be unpacked: {error}", retryable=True) from error
