"""The server of `fiducial mcp`, asked by the official client; `make mcp` brings the package."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

mcp = pytest.importorskip("mcp", reason="make mcp brings the package")

CASE = {
    "id": "trip",
    "kind": "tool_call",
    "messages": [{"role": "user", "content": "Book a night in Rome."}],
    "tools": [{"name": "book", "parameters": {"type": "object", "properties": {"city": {"type": "string"}}}}],
    "reference": {"calls": [{"name": "book", "arguments": {"city": "Rome"}}]},
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "cases.jsonl").write_text(json.dumps(CASE))
    output = {
        "case_id": "trip",
        "system": "bot",
        "tool_calls": [{"name": "book", "arguments": {"city": "Oslo"}}],
    }
    (tmp_path / "outputs.jsonl").write_text(json.dumps(output))
    return tmp_path


def ask(folder: Path, question: Callable[[Any], Awaitable[Any]], *options: str) -> Any:
    """Start the command as a client does, and ask it."""

    async def session() -> Any:
        server = mcp.StdioServerParameters(
            command=sys.executable,
            args=["-m", "fiducial", "mcp", "--folder", str(folder), *options],
            cwd=str(folder),
        )
        async with mcp.Client(server, read_timeout_seconds=120) as client:
            return await question(client)

    return asyncio.run(session())


def said(result: Any) -> str:
    return "\n".join(block.text for block in result.content)


def test_the_client_finds_five_tools_with_their_arguments(folder: Path):
    listed = ask(folder, lambda client: client.list_tools())
    found = {tool.name: {*tool.input_schema["properties"]} for tool in listed.tools}
    assert found == {
        "check": {"cases", "outputs", "out"},
        "judge": {"cases", "outputs", "judge", "out"},
        "calibrate": {"source"},
        "explain": {"run", "case_id", "system", "trial"},
        "next_step": {"run"},
    }
    assert all(tool.description for tool in listed.tools)


def test_a_check_is_run_explained_and_continued(folder: Path):
    async def question(client: Any) -> list[Any]:
        return [
            await client.call_tool(
                "check", {"cases": "cases.jsonl", "outputs": "outputs.jsonl", "out": "run"}
            ),
            await client.call_tool("explain", {"run": "run", "case_id": "trip"}),
            await client.call_tool("next_step", {"run": "run"}),
        ]

    answers = ask(folder, question)
    assert not any(answer.is_error for answer in answers)
    checked, explained, step = map(said, answers)
    assert "0.00 [0.00, 0.79]" in checked
    assert "got 'Oslo', acceptable 'Rome'" in explained
    assert "more outputs estimate the pass rate" in step


@pytest.mark.attack("files of an assistant's folder")
def test_a_path_outside_the_folder_is_refused_in_a_line(folder: Path):
    answer = ask(folder, lambda client: client.call_tool("calibrate", {"source": "../../etc/passwd"}))
    assert answer.is_error
    assert "outside the folder" in said(answer)
