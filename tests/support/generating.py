"""Cases for generating, and a model that answers by a script without any network."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeAlias

from tool_calls import tool

from fiducial.evaluation.generation.attempt import MadeOutput
from fiducial.evaluation.generation.attempt_store import MemoryAttempts
from fiducial.evaluation.generation.model_agent import ModelAgent, ModelSettings
from fiducial.evaluation.generation.output_sources import command_source, work_through
from fiducial.evaluation.generation.scene import Scenes, SimulatedWorlds
from fiducial.evaluation.progress import Silent
from fiducial.judges import CallError, Reply, Request
from fiducial.judges.transport import RequestedCall
from fiducial.records import Case, CaseIndex, Output, memory_file

Script: TypeAlias = Callable[[Request], "Reply | CallError"]


def weather_case(name: str = "w", **fields: Any) -> Case:
    """One call is asked for."""
    return Case(
        id=name,
        kind="tool_call",
        messages=[{"role": "user", "content": f"How is the weather in {name}?"}],
        tools=[tool("weather.now", {"city": {"type": "string"}}, ["city"], "The weather in a city.")],
        reference={"calls": [{"weather.now": {"city": [name]}}]},
        **fields,
    )


def folder_case(turns: int = 1, name: str = "folders", **reference: Any) -> Case:
    """A conversation in a file system that holds one folder."""
    return Case(
        id=name,
        kind="multi_turn",
        messages=[[{"role": "user", "content": f"turn {number}"}] for number in range(turns)],
        tools=[document("mkdir"), document("ls")],
        reference={
            "classes": ["GorillaFileSystem"],
            "initial_config": {
                "GorillaFileSystem": {"root": {"work": {"type": "directory", "contents": {}}}}
            },
            "calls": [["mkdir(dir_name='a')"], *([] for _ in range(turns - 1))],
            **reference,
        },
    )


def document(name: str) -> dict[str, Any]:
    """A tool that takes a name of a folder."""
    return tool(name, {} if name == "ls" else {"dir_name": {"type": "string"}}, about=name)


def calling(name: str, arguments: Any, text: str = "") -> Reply:
    """A reply that asks for one call."""
    return Reply(text=text, tool_calls=[RequestedCall(name=name, arguments=arguments, id="1")])


class Scripted:
    """A provider that answers by a script, and keeps what it was asked."""

    def __init__(self, *replies: Reply | CallError, script: Script | None = None) -> None:
        left = iter(replies)
        self.script: Script = script or (lambda _request: next(left))
        self.asked: list[Request] = []

    async def complete(self, request: Request) -> Reply:
        self.asked.append(request)
        said = self.script(request)
        if isinstance(said, CallError):
            raise said
        return said

    async def aclose(self) -> None:
        pass


async def converse(
    case: Case, provider: Scripted, *, rules: Any = "strict", trial: int = 0, **settings: Any
) -> MadeOutput:
    """Lead a scripted model through a case."""
    agent = ModelAgent(ModelSettings(model="m", **settings), provider, SimulatedWorlds({}, rules))
    return await agent.work(case, trial)


def script_command(script: str, folder: Path) -> str:
    """A command that runs a Python script with the standard library alone."""
    path = folder / "agent.py"
    path.write_text(f"import json, os, sys, time\n{script}\n")
    return f"{sys.executable} -I -S {path}"


def outputs_of(
    command: str, *cases: Case, scenes: Scenes | None = None, seconds: float = 20.0, trials: int = 1
) -> list[Output]:
    """Return a command's outputs for cases; in environments it calls tools."""
    source = command_source(command, {"PATH": "/usr/bin:/bin"}, system="me", seconds=seconds, scenes=scenes)
    kept = MemoryAttempts()
    with CaseIndex(memory_file("cases", cases), source.examine) as index:
        asyncio.run(work_through(source, index, kept, Silent(), trials=trials))
    return [kept.outputs[key] for key in sorted(kept.outputs)]
