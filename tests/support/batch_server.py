"""A batch endpoint on loopback: files and batches, as OpenAI has them.

A batch is ``in_progress`` for its first look and over at the second. What each request gets is for ``answer`` to say: a text, an error
status, or nothing.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from email import message_from_bytes
from email.message import Message
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Self, TypeAlias

Answer = Callable[[dict[str, Any]], str | int | None]
"""From a request's line to the reply's text, an error status, or None for no result at all."""

Trouble: TypeAlias = Callable[[str], int | str | None]
"""From a request, as ``GET /v1/batches``, to what its answer becomes after all was done that it asks for: an error status; an
address that it is moved to; ``dropped`` or ``cut off``, or None for the answer as it is."""


@dataclass
class BatchServer:
    """The server; a context manager that starts and stops it."""

    answer: Answer = lambda line: "<S2>1</S2>"
    ends_as: str = "completed"
    problem: str | None = None
    fails_with: int | None = None
    """A status that every request for a new batch gets."""
    trouble: Trouble = lambda request: None
    files: dict[str, bytes] = field(default_factory=dict[str, bytes])
    batches: dict[str, dict[str, Any]] = field(default_factory=dict[str, dict[str, Any]])
    looks: int = 0

    def __enter__(self) -> Self:
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self.base_url = f"http://127.0.0.1:{self._server.server_port}/v1"
        threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True).start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._server.server_close()

    def asked(self) -> list[list[dict[str, Any]]]:
        """The lines of each batch's file, in the order in which the batches were begun."""
        return [self._lines(batch) for batch in self.batches.values()]

    def _lines(self, batch: dict[str, Any]) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.files[batch["input_file_id"]].splitlines()]

    def upload(self, content: bytes) -> dict[str, Any]:
        file_id = f"file-{len(self.files) + 1}"
        self.files[file_id] = content
        return {"id": file_id, "object": "file", "bytes": len(content), "created_at": 1, "filename": "f", "purpose": "batch"}  # fmt: skip

    def begin(self, asked: dict[str, Any]) -> dict[str, Any]:
        batch_id = f"batch-{len(self.batches) + 1}"
        self.batches[batch_id] = {
            "id": batch_id,
            "object": "batch",
            "created_at": 1,
            "status": "validating",
            "errors": None,
            "output_file_id": None,
            "error_file_id": None,
            **asked,
        }
        return self.batches[batch_id]

    def look(self, batch_id: str) -> dict[str, Any]:
        self.looks += 1
        batch = self.batches[batch_id]
        if batch["status"] == "validating":
            batch["status"] = "in_progress"
        elif batch["status"] == "in_progress":
            self._end(batch)
        return batch

    def _end(self, batch: dict[str, Any]) -> None:
        batch["status"] = self.ends_as
        if self.problem:
            batch["errors"] = {"object": "list", "data": [{"code": "x", "message": self.problem}]}
            return
        good, bad = list[bytes](), list[bytes]()
        for line in self._lines(batch):
            result = self.answer(line)
            if isinstance(result, str):
                good.append(result_line(line["custom_id"], result))
            elif result is not None:
                bad.append(error_line(line["custom_id"], result))
        for key, lines in (("output_file_id", good), ("error_file_id", bad)):
            batch[key] = self.upload(b"".join(lines))["id"] if lines else None
        total = {"total": len(good) + len(bad), "completed": len(good), "failed": len(bad)}
        batch["request_counts"] = total


def result_line(custom_id: str, text: str, **choice: Any) -> bytes:
    """A line of a result file."""
    body = {
        "object": "chat.completion",
        "model": "m",
        "choices": [{"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": "stop"} | choice],
        "usage": {"prompt_tokens": 100, "completion_tokens": 10},
    }  # fmt: skip
    response = {"status_code": 200, "request_id": "r", "body": body}
    return _line({"id": "b", "custom_id": custom_id, "response": response, "error": None})


def error_line(custom_id: str, status: int, code: str | None = None) -> bytes:
    """A line of an error file."""
    response = {
        "status_code": status,
        "body": {"error": {"message": f"scripted {status}", "type": "x", "code": code}},
    }
    return _line({"id": "b", "custom_id": custom_id, "response": response, "error": None})


def _line(content: dict[str, Any]) -> bytes:
    return json.dumps(content).encode() + b"\n"


def _handler(server: BatchServer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            raw = self.rfile.read(int(self.headers["content-length"]))
            if self.path == "/v1/files":
                whole = b"Content-Type: " + self.headers["content-type"].encode() + b"\r\n\r\n" + raw
                parts: Iterable[Message] = message_from_bytes(whole).walk()
                (content,) = [part.get_payload(decode=True) for part in parts if part.get_filename()]
                assert isinstance(content, bytes)
                self._send(server.upload(content))
            elif server.fails_with is not None:
                self._send({"error": {"message": "scripted, key sk-secret", "code": None}}, server.fails_with)
            else:
                self._send(server.begin(json.loads(raw)))

        def do_GET(self) -> None:
            _, _, kind, *rest = self.path.partition("?")[0].split("/")
            if kind == "files":
                self._send(server.files[rest[0]])
            elif rest:
                self._send(server.look(rest[0]))
            else:
                self._send({"object": "list", "data": list(server.batches.values()), "has_more": False})

        def _send(self, content: dict[str, Any] | bytes, status: int = 200) -> None:
            raw = content if isinstance(content, bytes) else json.dumps(content).encode()
            _answer(self, raw, status, server.trouble(f"{self.command} {self.path.partition('?')[0]}"))

        def log_message(self, format: str, *args: Any) -> None: ...  # noqa: A002 - the library's name

    return Handler


def _answer(handler: BaseHTTPRequestHandler, raw: bytes, status: int, trouble: int | str | None) -> None:
    handler.close_connection = trouble is not None
    if trouble == "dropped":
        return
    if isinstance(trouble, int):
        raw, status = json.dumps({"error": {"message": f"scripted {trouble}"}}).encode(), trouble
    moved = trouble if isinstance(trouble, str) and trouble.startswith("http") else None
    handler.send_response(307 if moved else status)
    if moved:
        handler.send_header("location", moved)
    handler.send_header("content-type", "application/json")
    handler.send_header("content-length", str(len(raw)))
    handler.end_headers()
    handler.wfile.write(raw[: len(raw) // 2] if trouble == "cut off" else raw)
