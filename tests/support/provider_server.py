"""A real HTTP server on loopback that answers chat completions as a script tells it to.

::

    with ProviderServer(script=lambda seen: Status(429, {"retry-after": "1"}) if seen.attempt == 1 else Answer("1")) as server:
        ...  # base_url=server.base_url

A script is asked once for each request. ``in_the_form_asked_for`` makes scripts that answer as the prompt asks: JSON, tags or a
digit. The server runs in a thread of its own and speaks HTTP/1.1 with kept-alive connections.
"""

from __future__ import annotations

import asyncio
import json
import threading
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, Self, TypeAlias


@dataclass(frozen=True)
class Seen:
    """One request as it arrived."""

    path: str
    headers: Mapping[str, str]
    raw: bytes
    body: dict[str, Any]
    attempt: int
    """1 for the first request with this body, 2 when it comes again ..."""
    at: float
    """Seconds on the monotonic clock."""

    @property
    def messages(self) -> list[dict[str, str]]:
        return self.body["messages"]

    @property
    def text(self) -> str:
        """All messages' contents."""
        return "\n".join(message["content"] or "" for message in self.messages)


@dataclass(frozen=True)
class Answer:
    """A chat completion."""

    text: str | None
    delay: float = 0.0
    finish_reason: str = "stop"
    refusal: str | None = None
    logprobs: Any = None
    model: str | None = None
    calls: Sequence[tuple[str, Any]] = ()
    """Name and arguments of each tool call."""


@dataclass(frozen=True)
class Status:
    """An error status."""

    status: int
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    code: str | None = None
    delay: float = 0.0


@dataclass(frozen=True)
class Body:
    """A response with any body."""

    raw: bytes
    status: int = 200


@dataclass(frozen=True)
class Raw:
    """Any bytes in place of a response; the connection is closed behind them."""

    raw: bytes


@dataclass(frozen=True)
class CutOff:
    """Response whose body is cut off, with its full length declared when ``short`` is set."""

    short: bool = False


@dataclass(frozen=True)
class Drop:
    """The connection is closed without a response."""


@dataclass(frozen=True)
class Hang:
    """No response ever comes."""


@dataclass(frozen=True)
class Stall:
    """The beginning of a response, behind which nothing more ever comes."""

    raw: bytes


Response: TypeAlias = Answer | Status | Body | Raw | CutOff | Drop | Hang | Stall
Script: TypeAlias = Callable[[Seen], Response]


def in_the_form_asked_for(decide: Callable[[Seen], int] = lambda seen: 1) -> Script:
    """Return a script that answers in the requested form with the score of ``decide``."""

    def script(seen: Seen) -> Response:
        score = decide(seen)
        wanted = seen.body.get("response_format", {})
        if "tie" in seen.text and "first output" in seen.text:
            chosen = "first" if score else "second"
            return Answer(f"<S1>because</S1>\n<S2>{chosen}</S2>" if "<S2>" in seen.text else chosen)
        if wanted.get("type") == "json_schema":
            return Answer(json.dumps(_instance(wanted["json_schema"]["schema"], score)))
        if wanted.get("type") == "json_object" or '"score"' in seen.text:
            return Answer(json.dumps({"reason": "because", "score": score}))
        if "<S2>" in seen.text:
            highest = 100 if "a whole number from 0 to 100" in seen.text else 1
            return Answer(f"<S1>because</S1>\n<S2>{score * highest}</S2>")
        return Answer(str(score))

    return script


def _instance(schema: dict[str, Any], score: int) -> Any:
    if "enum" in schema:
        return schema["enum"][score]
    match schema["type"]:
        case "object":
            return {name: _instance(part, score) for name, part in schema["properties"].items()}
        case "array":
            return [_instance(schema["items"], score)]
        case "string":
            return "because"
        case _:
            return schema.get("maximum", 1) if score else schema.get("minimum", 0)


class ProviderServer:
    """The server; a context manager that starts and stops it."""

    def __init__(self, script: Script | None = None, *, port: int = 0) -> None:
        self._port = port
        self.script: Script = script or in_the_form_asked_for()
        self.seen: list[Seen] = []
        self.in_flight_at_most = 0
        self.connections = 0
        self.base_url = ""
        self._attempts: Counter[bytes] = Counter()
        self._in_flight = 0
        self._loop = asyncio.new_event_loop()
        self._never = asyncio.Event()  # kept here: a task that waits for something nobody holds is collected
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._ready = threading.Event()

    def __enter__(self) -> Self:
        self._thread.start()
        assert self._ready.wait(10)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(10)

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        server = self._loop.run_until_complete(
            asyncio.start_server(self._serve, "127.0.0.1", self._port, limit=1 << 26)
        )
        self.base_url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1"
        self._ready.set()
        self._loop.run_forever()
        self._loop.run_until_complete(_wind_up(server))
        self._loop.close()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        try:
            while (seen := await self._read(reader)) is not None:
                self._in_flight += 1
                self.in_flight_at_most = max(self.in_flight_at_most, self._in_flight)
                try:
                    more = await self._respond(seen, self.script(seen), writer)
                finally:
                    self._in_flight -= 1
                if not more:
                    return
        except (ConnectionError, asyncio.IncompleteReadError):
            return
        finally:
            writer.close()

    async def _read(self, reader: asyncio.StreamReader) -> Seen | None:
        try:
            head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
        except asyncio.IncompleteReadError:
            return None
        line, *fields = head.rstrip("\r\n").split("\r\n")
        headers = {
            name.lower(): value.strip() for name, _, value in (entry.partition(":") for entry in fields)
        }
        raw = await reader.readexactly(int(headers.get("content-length", "0")))
        self._attempts[raw] += 1
        seen = Seen(
            line.split()[1], headers, raw, json.loads(raw or b"{}"), self._attempts[raw], time.monotonic()
        )
        self.seen.append(seen)
        return seen

    async def _respond(self, seen: Seen, response: Response, writer: asyncio.StreamWriter) -> bool:
        """Send the response; whether the connection may be used again."""
        match response:
            case Answer():
                await asyncio.sleep(response.delay)
                _write(writer, 200, json.dumps(_completion(seen, response)).encode())
            case Status():
                await asyncio.sleep(response.delay)
                error = {"message": f"scripted {response.status}", "type": "error", "code": response.code}
                _write(writer, response.status, json.dumps({"error": error}).encode(), response.headers)
            case Body():
                _write(writer, response.status, response.raw)
            case Raw():
                writer.write(response.raw)
                await writer.drain()
                return False
            case CutOff():
                half = b'{"id": "1", "choices": [{"index": 0, "mess'
                _write(writer, 200, half, length=len(half) + (100 if response.short else 0))
                await writer.drain()
                return not response.short
            case Drop():
                writer.transport.abort()
                return False
            case Hang():
                await self._never.wait()
            case Stall():
                writer.write(response.raw)
                await self._never.wait()
        await writer.drain()
        return True


async def _wind_up(server: asyncio.Server) -> None:
    """End every connection, also those being accepted, and let the loop close their sockets."""
    server.close()
    for _ in range(3):
        tasks = asyncio.all_tasks() - {asyncio.current_task()}
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await asyncio.sleep(0)


def _write(
    writer: asyncio.StreamWriter,
    status: int,
    body: bytes,
    headers: Mapping[str, str] | None = None,
    length: int | None = None,
) -> None:
    fields = {
        "content-type": "application/json",
        "content-length": str(len(body) if length is None else length),
        **(headers or {}),
    }
    head = "".join(f"{name}: {value}\r\n" for name, value in fields.items())
    writer.write(f"HTTP/1.1 {status} Scripted\r\n{head}\r\n".encode("latin-1") + body)


def _completion(seen: Seen, answer: Answer) -> dict[str, Any]:
    message: dict[str, Any] = {"role": "assistant", "content": answer.text, "refusal": answer.refusal}
    if answer.calls:
        message["tool_calls"] = [
            {"id": f"call_{number}", "type": "function", "function": {"name": name, "arguments": arguments}}
            for number, (name, arguments) in enumerate(answer.calls)
        ]
    choice = {
        "index": 0,
        "message": message,
        "finish_reason": answer.finish_reason,
        "logprobs": answer.logprobs,
    }
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1,
        "model": answer.model or seen.body["model"],
        "choices": [choice],
        "usage": {"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110},
    }
