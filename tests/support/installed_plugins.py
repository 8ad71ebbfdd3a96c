"""Simulated entry points, and decorators that are undone after a test."""

from __future__ import annotations

import sys
from collections.abc import Callable
from importlib import invalidate_caches
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import TypeAlias

import pytest

from fiducial.plugins import GROUPS

Install: TypeAlias = Callable[[str, str, str], None]
"""Group, name and value of an entry point that is there for the test."""


@pytest.fixture
def install(monkeypatch: pytest.MonkeyPatch) -> Install:
    """Return a function that installs entry points; nothing else is registered."""
    points: dict[str, dict[str, list[EntryPoint]]] = {group.name: {} for group in GROUPS}
    for group in GROUPS:
        monkeypatch.setattr(group, "_registered", {})
        monkeypatch.setitem(vars(group), "_installed", points[group.name])

    def add(group: str, name: str, value: str) -> None:
        point = EntryPoint(name=name, value=value, group=f"fiducial.{group}")
        points[group].setdefault(name, []).append(point)

    return add


@pytest.fixture
def own_module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str, str], Path]:
    """Write a module that can be imported during the test."""
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])

    def write(name: str, text: str) -> Path:
        path = tmp_path / f"{name}.py"
        path.write_text(text, encoding="utf-8")
        monkeypatch.delitem(sys.modules, name, raising=False)
        invalidate_caches()
        return path

    return write
