"""Loopback server that answers from recorded replies, and keeps requests without one."""

from __future__ import annotations

import json
import threading
from collections import Counter
from collections.abc import Callable, Mapping
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self, cast

from decision_server import answer

from fiducial.judges.transport.decision_apis import asked_in
from fiducial.judges.transport.exchange import ApiName, Reply, Request, make_request
from fiducial.records import Message

from .known_replies import KnownReplies

OPEN = HTTPStatus.FORBIDDEN
"""Status for a request without a recorded reply: one that clients do not retry."""

_APIS: dict[str, ApiName] = {"/chat/completions": "chat", "/systemone": "systemone"}
"""Protocol by the end of the path."""
_MAX_BYTES = 1 << 24


class ReplayingServer:
    """Server on 127.0.0.1 whose replies are recorded ones.

    Args:
        replies: The recorded replies.
        model: Name of the model that requests are for, whatever name the tool sends.

    Attributes:
        open: Requests without a reply, by key.
        answered: Keys of the requests that were answered.
        refused: Requests of a form that no recording holds, such as streams, with their number.
    """

    def __init__(self, replies: KnownReplies, model: str) -> None:
        self.open: dict[str, Request] = {}
        self.answered: set[str] = set()
        self.refused = Counter[str]()
        self._replies, self._model = replies, model
        self._lock = threading.Lock()

    @property
    def base_url(self) -> str:
        """The address, with the path that OpenAI's clients expect."""
        return f"http://127.0.0.1:{self._server.server_port}/v1"

    def __enter__(self) -> Self:
        self._server = _Listener(("127.0.0.1", 0), _Handler)
        self._server.exchange = self.exchange
        threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()

    def exchange(self, path: str, body: Any) -> tuple[HTTPStatus, dict[str, Any]]:
        """Return the status and body of the answer to a request."""
        request = self._request(path.partition("?")[0], body)
        with self._lock:
            if isinstance(request, str):
                self.refused[request] += 1
                return HTTPStatus.NOT_IMPLEMENTED, _error(request)
            reply = self._replies.find(request.key)
            if reply is None:
                self.open[request.key] = request
                return OPEN, _error(f"no reply is recorded to request {request.key}")
            self.answered.add(request.key)
        served_by = reply.served_by or request.model
        if request.api != "chat":
            return HTTPStatus.OK, _decisions(request, reply, served_by)
        return HTTPStatus.OK, chat_completion(request, reply, served_by)

    def _request(self, path: str, body: Any) -> Request | str:
        """Return the request of a body, or why no recording can hold one."""
        apis: list[ApiName] = [api for end, api in _APIS.items() if path.endswith(end)]
        if not apis or not isinstance(body, dict):
            return f"no recorded replies for {path}"
        [api] = apis
        fields = cast("dict[str, Any]", body)
        if fields.get("stream"):
            return "streams are not replayed"
        messages: list[Message] = fields.get("messages", []) if api == "chat" else []
        parameters = {
            name: value
            for name, value in fields.items()
            if name != "model" and not (name == "messages" and api == "chat")
        }
        return make_request(self._model, messages, parameters, api=api)


def chat_completion(request: Request, reply: Reply, served_by: str) -> dict[str, Any]:
    """Return a reply as the body of a chat completion.

    A text in reply to a request that forces one function is delivered as that function's arguments: who
    records by hand writes the JSON alone.
    """
    message: dict[str, Any] = {"role": "assistant", "content": reply.text, "refusal": reply.refusal}
    finish_reason = reply.finish_reason or "stop"
    calls = [(call.name, call.arguments) for call in reply.tool_calls or ()]
    forced = forced_function(request.parameters)
    if not calls and forced is not None and reply.text:
        calls = [(forced, reply.text)]
    if calls:
        message["content"], finish_reason = None, "tool_calls"
        message["tool_calls"] = [
            {
                "id": f"call_{at}",
                "type": "function",
                "function": {
                    "name": name,
                    "arguments": given if isinstance(given, str) else json.dumps(given),
                },
            }
            for at, (name, given) in enumerate(calls)
        ]
    choice = {"index": 0, "message": message, "finish_reason": finish_reason, "logprobs": _logprobs(reply)}
    usage = {
        "prompt_tokens": reply.prompt_tokens,
        "completion_tokens": reply.completion_tokens,
        "total_tokens": reply.prompt_tokens + reply.completion_tokens,
    }
    return {
        "id": request.key,
        "object": "chat.completion",
        "created": 1,
        "model": served_by,
        "choices": [choice],
        "usage": usage,
    }


def forced_function(parameters: Mapping[str, Any]) -> str | None:
    """Return the name of the one function that a request forces, or None."""
    choice: Any = parameters.get("tool_choice")
    tools: list[Any] = parameters.get("tools") or []
    if hasattr(choice, "keys"):
        return choice.get("function", {}).get("name")
    return tools[0]["function"]["name"] if choice == "required" and len(tools) == 1 else None


def _logprobs(reply: Reply) -> dict[str, Any] | None:
    if reply.logprobs is None:
        return None
    tokens = [
        {
            "token": token_logprob.token,
            "logprob": token_logprob.logprob,
            "bytes": None,
            "top_logprobs": [
                {"token": token, "logprob": logprob, "bytes": None}
                for token, logprob in token_logprob.top.items()
            ],
        }
        for token_logprob in reply.logprobs
    ]
    return {"content": tokens, "refusal": None}


def _decisions(request: Request, reply: Reply, served_by: str) -> dict[str, Any]:
    """Return recorded answers of a decision model in the dialect of the request."""
    recorded: dict[str, dict[str, Any] | None] = json.loads(reply.text)
    questions: Any = request.parameters["questions"]
    answers = {
        question.name: answer(
            questions[question.name], _decided(question.options, recorded.get(question.name))
        )
        for question in asked_in(request)
    }
    return {
        "model": served_by,
        "answers": {name: each for name, each in answers.items() if each is not None},
        "usage": {"input_tokens": reply.prompt_tokens, "output_tokens": reply.completion_tokens},
    }


def _decided(options: Mapping[str, str | None], recorded: dict[str, Any] | None) -> Any:
    """Return p, or the probability of each option, as a server writes them."""
    if recorded is None:
        return None
    if "p" in recorded:
        return recorded["p"]
    given: dict[str, Any] = recorded["probabilities"]
    return {label: given.get(label, given.get(str(at))) for at, label in enumerate(options)}


def _error(message: str) -> dict[str, Any]:
    return {"error": {"message": message, "type": "not_recorded", "code": "not_recorded", "param": None}}


class _Listener(ThreadingHTTPServer):
    daemon_threads = True
    exchange: Callable[[str, Any], tuple[HTTPStatus, dict[str, Any]]]


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        """Answer one request."""
        length = min(int(self.headers.get("Content-Length") or 0), _MAX_BYTES)
        try:
            body = json.loads(self.rfile.read(length))
        except ValueError:
            body = None
        status, answered = cast("_Listener", self.server).exchange(self.path, body)
        raw = json.dumps(answered).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(raw)))
        self.end_headers()
        self.wfile.write(raw)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the name that the library gives it
        """Log nothing."""
        del format, args
