"""Endpoints that are no batch endpoint, or not in their right mind."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import closing
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import TypeAlias

import pytest
from each_row import failing

from fiducial.errors import ProviderError
from fiducial.evaluation.batch.batch_endpoint import BatchEndpoint
from fiducial.judges import Endpoint

Says: TypeAlias = Callable[[bytes], str]


@pytest.fixture
def says() -> Iterator[Says]:
    """Starts a server that says the same to everything; its base URL."""
    body = b""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["Content-Length"]))
            self.do_GET()

        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - as the base class has it
            del format, args

    def serve(said: bytes) -> str:
        nonlocal body
        body = said
        return f"http://127.0.0.1:{server.server_port}/v1"

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    yield serve
    server.shutdown()
    server.server_close()


BODIES = (
    b'{"choices": [{"message": {"content": "1"}}]}',
    b"null",
    b"[]",
    b'"yes"',
    b"[" * 200_000,
    b"9" * 5000,
    b'{"id": "b", "status": null, "data": 3}',
    b'{"id": 7, "status": "completed", "data": [7]}',
    b'{"id": "b", "status": "completed", "request_counts": {"completed": "many", "failed": 0}}',
)


def test_what_is_not_in_its_form_is_an_error_in_one_line(says: Says, tmp_path: Path):
    file = tmp_path / "requests.jsonl"
    file.write_bytes(b"{}\n")
    with closing(BatchEndpoint(Endpoint(says(b""), "k"))) as endpoint:

        def attempt(body: bytes) -> None:
            says(body)
            assert endpoint.find("0" * 64) is None
            for ask in (lambda: endpoint.begin(file, "0" * 64), lambda: endpoint.look("b")):
                with pytest.raises(ProviderError, match=r"^cannot .*: .*form of OpenAI's Batch API"):
                    ask()

        assert failing(BODIES, attempt) == {}
