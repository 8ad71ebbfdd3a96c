"""`fiducial mcp`: serve five tools for one folder to a coding assistant."""

from __future__ import annotations

import os
import signal
from collections.abc import Mapping
from pathlib import Path
from types import FrameType
from typing import Any, NoReturn

import click

from ..errors import UsageError
from ..settings.verbs.mcp import McpSettings
from .declared_options import options_of
from .exit_codes import EXIT_INTERRUPTED, INTERRUPTED

_EXAMPLE = """\b
Examples:
  fiducial mcp --folder evals
  fiducial mcp --folder evals --model gpt-4.1-mini --max-cost 1
"""


@click.command("mcp", epilog=_EXAMPLE)
@options_of(McpSettings)
def command(*, folder: Path, model: str | None, **values: Any) -> None:
    """Serve check, judge, calibrate, explain and next step to a coding assistant (MCP).

    The protocol runs over standard input and output. Nothing can run code, or read or write outside the folder. The
    endpoint, the key ($OPENAI_API_KEY) and the budget are those of this command; the assistant cannot change them.
    """
    from ..api.assistant_tools import AssistantTools
    from ..api.mcp_server import serve

    access_options: Mapping[str, Any] = {name: value for name, value in values.items() if value is not None}
    if model is None and access_options.keys() - {"max_calls"}:
        raise UsageError(f"--{min(access_options.keys() - {'max_calls'}).replace('_', '-')} needs --model")
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _leave_at_once)
    serve(AssistantTools(folder.resolve(), model, dict(access_options)))


def _leave_at_once(_number: int, _frame: FrameType | None) -> NoReturn:
    # The server would wait for its threads, of which the one that reads the client's next line cannot be interrupted.
    # Nothing is lost: a run can be resumed from any state.
    os.write(2, f"\nfiducial: {INTERRUPTED}\n".encode())
    os._exit(EXIT_INTERRUPTED)
