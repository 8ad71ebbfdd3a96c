"""Loopback server that answers as `REPLIES` says, in OpenAI's and Anthropic's forms."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import count
from typing import Any

from scenarios import MODEL, REPLIES

_NUMBERS = count(1)
_USAGE = {"prompt_tokens": 11, "completion_tokens": 7, "total_tokens": 18}


def _text(message: dict[str, Any]) -> str:
    content = message.get("content") or ""
    return content if isinstance(content, str) else "".join(str(each.get("text", "")) for each in content)


def reply_to(messages: list[dict[str, Any]]) -> Any:
    """Return the next reply to the user's last scripted text, or None for a failure."""
    for number in reversed(range(len(messages))):
        asked = next((reply for reply in REPLIES if reply in _text(messages[number])), None)
        if asked is not None and messages[number].get("role") == "user":
            after = messages[number + 1 :]
            done = sum(each.get("role") == "assistant" for each in after) or _steps(after)
            goes_on = (
                _text(messages[number]).rpartition(asked)[2].strip() != ""
            )  # a result in the same message
            replies = REPLIES[asked]
            return replies[min(done or goes_on, len(replies) - 1)]
    return None


def _steps(items: list[dict[str, Any]]) -> int:
    """Return the number of replies among items of a response, where successive calls are one."""
    kinds = [str(item.get("type")) for item in items]
    starts = [n for n, kind in enumerate(kinds) if kind == "function_call" and kinds[n - 1 : n] != [kind]]
    return len(starts) or bool(items)


def _named(reply: Any, tools: list[Any]) -> Any:
    """Return a text as a call of the tool that ends a run, if there is one."""
    names = {tool.get("name") or tool.get("function", {}).get("name") for tool in tools}
    is_last = isinstance(reply, str) and "final_answer" in names
    return [("final_answer", {"answer": reply})] if is_last else reply


def chat_completion(reply: Any, number: int) -> dict[str, Any]:
    """Return a reply in OpenAI's chat form."""
    message: dict[str, Any] = {"role": "assistant", "content": reply if isinstance(reply, str) else None}
    if not isinstance(reply, str):
        message["tool_calls"] = [
            {
                "id": f"call_{number}_{at}",
                "type": "function",
                "function": {"name": name, "arguments": json.dumps(arguments)},
            }
            for at, (name, arguments) in enumerate(reply)
        ]
    reason = "stop" if isinstance(reply, str) else "tool_calls"
    choice = {"index": 0, "message": message, "finish_reason": reason}
    return {"id": f"chatcmpl-{number}", "object": "chat.completion", "created": 1, "model": MODEL, "choices": [choice], "usage": _USAGE}  # fmt: skip


def response(reply: Any, number: int, request: dict[str, Any]) -> dict[str, Any]:
    """Return a reply in the form of OpenAI's responses."""
    if isinstance(reply, str):
        content = [{"type": "output_text", "text": reply, "annotations": []}]
        output = [{"type": "message", "id": f"msg_{number}", "role": "assistant", "status": "completed", "content": content}]  # fmt: skip
    else:
        output = [
            {"type": "function_call", "id": f"fc_{number}_{at}", "call_id": f"call_{number}_{at}", "name": name, "arguments": json.dumps(arguments), "status": "completed"}
            for at, (name, arguments) in enumerate(reply)
        ]  # fmt: skip
    usage = {"input_tokens": 11, "output_tokens": 7, "total_tokens": 18, "input_tokens_details": {"cached_tokens": 0}, "output_tokens_details": {"reasoning_tokens": 0}}  # fmt: skip
    return {"id": f"resp_{number}", "object": "response", "created_at": 1, "model": MODEL, "status": "completed", "output": output, "usage": usage, "parallel_tool_calls": True, "tool_choice": "auto", "tools": request.get("tools") or [], "instructions": request.get("instructions")}  # fmt: skip


def anthropic_message(reply: Any, number: int) -> dict[str, Any]:
    """Return a reply in Anthropic's form."""
    content: list[Any] = (
        [{"type": "text", "text": reply}]
        if isinstance(reply, str)
        else [
            {"type": "tool_use", "id": f"toolu_{number}_{at}", "name": name, "input": arguments}
            for at, (name, arguments) in enumerate(reply)
        ]
    )
    reason = "end_turn" if isinstance(reply, str) else "tool_use"
    return {"id": f"msg_{number}", "type": "message", "role": "assistant", "model": MODEL, "content": content, "stop_reason": reason, "stop_sequence": None, "usage": {"input_tokens": 11, "output_tokens": 7}}  # fmt: skip


def chunks(whole: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield a chat completion as the chunks of a stream."""
    [choice] = whole["choices"]
    message = choice["message"]
    same = {"id": whole["id"], "object": "chat.completion.chunk", "created": 1, "model": MODEL}
    deltas = [{"role": "assistant", "content": message["content"]}]
    deltas += [
        {"tool_calls": [{"index": at, **each}]} for at, each in enumerate(message.get("tool_calls", []))
    ]
    for delta in deltas:
        yield {**same, "choices": [{"index": 0, "delta": delta, "finish_reason": None}]}
    yield {**same, "choices": [{"index": 0, "delta": {}, "finish_reason": choice["finish_reason"]}]}
    yield {**same, "choices": [], "usage": _USAGE}


class _Handler(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        messages = request.get("messages", request.get("input"))
        messages = [{"role": "user", "content": messages}] if isinstance(messages, str) else messages
        if "anthropic-version" in self.headers:
            messages = [message for message in messages if not _has_results(message)]
        reply, number = reply_to(messages), next(_NUMBERS)
        if reply is None:
            self._send(500, "application/json", json.dumps({"error": {"message": "The server had an error", "type": "server_error"}}))  # fmt: skip
            return
        reply = _named(reply, request.get("tools") or [])
        if "anthropic-version" in self.headers:
            self._send(200, "application/json", json.dumps(anthropic_message(reply, number)))
        elif self.path.endswith("/responses"):
            self._send(200, "application/json", json.dumps(response(reply, number, request)))
        elif request.get("stream"):
            lines = [f"data: {json.dumps(chunk)}\n\n" for chunk in chunks(chat_completion(reply, number))]
            self._send(200, "text/event-stream", "".join([*lines, "data: [DONE]\n\n"]))
        else:
            self._send(200, "application/json", json.dumps(chat_completion(reply, number)))

    def _send(self, status: int, kind: str, body: str) -> None:
        raw = body.encode()
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(raw)))
        self.end_headers()
        self.wfile.write(raw)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the name that the library gives it
        del format, args


def _has_results(message: dict[str, Any]) -> bool:
    content = message.get("content")
    return isinstance(content, list) and any(each.get("type") == "tool_result" for each in content)


@contextmanager
def scripted_server() -> Iterator[str]:
    """Serve in a thread, and yield the address."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
