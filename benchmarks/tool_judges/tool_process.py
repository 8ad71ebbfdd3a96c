"""A tool's program in its own environment, which reaches loopback only."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import venv
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from .drawn_outputs import DrawnItem, write_items
from .tool_list import Tool

_HERE = Path(__file__).parent
SECONDS = 1800
"""Limit of one round of a tool."""

TOOL_MODEL = "gpt-4.1-mini"
"""Model name that tools get: one they know, since some decide by it what they send."""

_TELEMETRY_OFF = {
    "ANONYMIZED_TELEMETRY": "False",
    "DEEPEVAL_TELEMETRY_OPT_OUT": "1",
    "DEEPEVAL_DISABLE_DOTENV": "1",
    "DO_NOT_TRACK": "1",
    "HF_HUB_OFFLINE": "1",
    "LANGCHAIN_TRACING_V2": "false",
    "LANGSMITH_TRACING": "false",
    "LITELLM_LOCAL_MODEL_COST_MAP": "True",
    "LITELLM_TELEMETRY": "False",
    "MLFLOW_DISABLE_TELEMETRY": "true",
    "MLFLOW_ENABLE_ASYNC_TRACE_LOGGING": "false",
    "OTEL_SDK_DISABLED": "true",
    "PROMPTFOO_DISABLE_REMOTE_GENERATION": "1",
    "PROMPTFOO_DISABLE_SHARING": "1",
    "PROMPTFOO_DISABLE_TELEMETRY": "1",
    "PROMPTFOO_DISABLE_UPDATE": "1",
    "RAGAS_DO_NOT_TRACK": "true",
}


class ToolRound(NamedTuple):
    """Verdicts on a tool's items, and the addresses beyond loopback that it tried."""

    said: list[dict[str, Any]]
    refused: list[str]


class ToolEnvironment(NamedTuple):
    """Interpreter that runs a tool's program, and the folder that its packages are in."""

    python: Path
    folder: Path


class ToolError(Exception):
    """A tool cannot be installed, or its program failed; the message says why."""


def install(tool: Tool, environments: Path) -> ToolEnvironment:
    """Return the environment of a tool; it is made if it is not there.

    Raises:
        ToolError: The packages cannot be installed.
    """
    folder = environments.resolve() / tool.name
    done, python = folder / ".installed", folder / "bin" / "python"
    wanted = "\n".join(tool.packages)
    if not done.is_file() or done.read_text("utf-8") != wanted:
        _install(tool, folder, python)
        done.write_text(wanted, "utf-8")
    return ToolEnvironment(Path(sys.executable) if tool.registry == "npm" else python, folder)


def _install(tool: Tool, folder: Path, python: Path) -> None:
    if tool.registry == "npm":
        command = ["npm", "install", "--silent", "--no-audit", "--no-fund", "--prefix", str(folder)]
    else:
        if not python.exists():
            venv.create(folder, with_pip=True)
        command = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    folder.mkdir(parents=True, exist_ok=True)
    try:
        subprocess.run([*command, *tool.packages], check=True, capture_output=True, text=True)
    except FileNotFoundError as error:
        raise ToolError(f"not installed: there is no {command[0]}") from error
    except subprocess.CalledProcessError as error:
        raise ToolError(f"not installed: {_last_line(error.stderr)}") from error


def ask_tool(place: ToolEnvironment, tool: Tool, items: Sequence[DrawnItem], base_url: str) -> ToolRound:
    """Run a tool's program, and return what its judges say, in the order of the items.

    Args:
        place: The tool's environment.
        tool: The tool.
        items: What its judges are asked about.
        base_url: Address of the server that answers.

    Raises:
        ToolError: The program failed, or said nothing about an item.
    """
    with tempfile.TemporaryDirectory() as name:
        scratch = Path(name)
        refused = scratch / "refused"
        write_items(items, scratch / "items.jsonl")
        command = [
            str(place.python),
            str(_HERE / "programs" / tool.program),
            str(scratch / "items.jsonl"),
            str(scratch / "said.jsonl"),
        ]
        _run(command, scratch, environment(base_url, scratch, refused, place.folder))
        said = [json.loads(line) for line in (scratch / "said.jsonl").read_text("utf-8").splitlines()]
        if sorted(each["item"] for each in said) != list(range(len(items))):
            raise ToolError(f"said something about {len(said)} of {len(items)} items")
        addresses = refused.read_text("utf-8").split() if refused.exists() else []
        return ToolRound(sorted(said, key=_number), sorted(set(addresses)))


def _run(command: Sequence[str], scratch: Path, variables: Mapping[str, str]) -> None:
    """Run a program in a folder, where it leaves what it prints.

    Raises:
        ToolError: It failed, or took too long.
    """
    path = scratch / "printed"
    try:
        with path.open("wb") as printed:
            done = subprocess.run(
                command,
                check=False,
                cwd=scratch,
                env=variables,
                stdin=subprocess.DEVNULL,
                stdout=printed,
                stderr=printed,
                timeout=SECONDS,
            )
    except subprocess.TimeoutExpired as error:
        raise ToolError(f"failed: a round took more than {SECONDS:,} s") from error
    if done.returncode:
        raise ToolError(f"failed: {_last_line(path.read_text('utf-8', 'replace'))}")


def environment(base_url: str, scratch: Path, refused: Path, folder: Path) -> dict[str, str]:
    """Return the variables of a tool's process: no key, no user's home, no telemetry."""
    nowhere = "http://127.0.0.1:9"
    return {
        **_TELEMETRY_OFF,
        "HOME": str(scratch),
        "HTTPS_PROXY": nowhere,
        "HTTP_PROXY": nowhere,
        "LANG": "C.UTF-8",
        "NODE_OPTIONS": f"--require {_HERE / 'guard' / 'loopback.cjs'}",
        "NO_PROXY": "127.0.0.1,localhost",
        "OPENAI_API_BASE": base_url,
        "OPENAI_API_KEY": "none",
        "OPENAI_BASE_URL": base_url,
        "PATH": f"{folder / 'node_modules' / '.bin'}:{os.environ['PATH']}",
        "PYTHONPATH": f"{_HERE / 'guard'}",
        "REFUSED_ADDRESSES": str(refused),
        "TOOL_MODEL": TOOL_MODEL,
    }


def _number(said: dict[str, Any]) -> int:
    return int(said["item"])


def _last_line(text: str) -> str:
    lines = text.strip().splitlines()
    return lines[-1][:300] if lines else "nothing was printed"
