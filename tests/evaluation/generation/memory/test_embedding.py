"""Vectors from an OpenAI-compatible server."""

from __future__ import annotations

import json
from http.server import BaseHTTPRequestHandler
from typing import Any

import pytest
from small_web import SmallWeb

from fiducial.errors import ProviderError
from fiducial.evaluation.generation.memory.embedding import ServerEmbedding
from fiducial.evaluation.generation.memory.vectors import vector_memory
from fiducial.judges import Endpoint


def by_length(handler: BaseHTTPRequestHandler) -> None:
    """Texts are alike as far as their lengths are; answered in another order than asked."""
    asked: dict[str, Any] = json.loads(handler.rfile.read(int(handler.headers["Content-Length"])))
    rows = [
        {"object": "embedding", "index": index, "embedding": [float(len(text)), 10.0]}
        for index, text in enumerate(asked["input"])
    ]
    body = json.dumps(
        {
            "object": "list",
            "model": asked["model"],
            "data": rows[::-1],
            "usage": {"prompt_tokens": 1, "total_tokens": 1},
        }
    )
    handler.send_response(200)
    handler.send_header("Content-Type", "application/json")
    handler.end_headers()
    handler.wfile.write(body.encode())


def embedding(web: SmallWeb) -> ServerEmbedding:
    return ServerEmbedding(Endpoint(f"{web.root}/v1", "sk-secret"), "small")


def test_the_memory_by_likeness_asks_the_server(web: SmallWeb):
    web.pages["/v1/embeddings"] = by_length
    memory = vector_memory(embedding(web))()
    memory.load({})
    for text in ("a" * 40, "b", "c" * 4):
        memory.core_memory_add(text)
    results = memory.core_memory_retrieve("dddd", top_k=2)["results"]
    assert [result["id"] for result in results] == [2, 1]
    assert results[0]["similarity_score"] == pytest.approx(1.0)


def test_a_server_that_does_not_answer_is_nothing_of_the_agents(web: SmallWeb):
    web.pages["/v1/embeddings"] = (401, {}, b'{"error": {"message": "bad key sk-secret"}}')
    with pytest.raises(ProviderError, match="'small' does not answer") as told:
        embedding(web)(["a"])
    assert "sk-secret" not in str(told.value)
