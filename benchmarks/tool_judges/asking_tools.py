"""Choose how a tool is asked: by its program in its own environment, or in this process."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path

from .asked_rounds import Ask
from .decision_asking import ask_decisions
from .drawn_outputs import DrawnItem
from .tool_list import Tool
from .tool_process import ask_tool, install


def asking_of(tool: Tool, items: Sequence[DrawnItem], environments: Path) -> Ask:
    """Return the function that asks a tool's judges; its packages are installed first.

    Raises:
        ToolError: The packages cannot be installed.
    """
    if not tool.packages:
        return partial(ask_decisions, items)
    return partial(ask_tool, install(tool, environments), tool, items)
