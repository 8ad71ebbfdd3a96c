"""The notebooks run from top to bottom in a fresh process, and print what is stored in them."""

from __future__ import annotations

import ast
import json
import os
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))


def _each(test: Any) -> Any:
    return pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda path: path.stem)(test)


def test_there_are_notebooks():
    assert [path.name[:2] for path in NOTEBOOKS] == ["01", "02", "03"]


@pytest.mark.slow
@_each
def test_every_cell_runs_and_prints_what_is_stored(notebook: Path, tmp_path: Path):
    result = _run(_script(notebook), tmp_path)
    assert result.returncode == 0, result.stderr
    assert result.stdout == _printed(notebook), "execute the notebooks anew (notebooks/README.md)"


@_each
def test_what_is_stored_is_one_clean_run(notebook: Path):
    cells = _code_cells(notebook)
    assert [cell["execution_count"] for cell in cells] == list(range(1, len(cells) + 1))
    stored = [output for cell in cells for output in cell["outputs"]]
    assert {output["output_type"] for output in stored} <= {"stream", "display_data"}
    assert {output.get("name", "stdout") for output in stored} == {"stdout"}


@_each
def test_nothing_of_the_machine_is_stored(notebook: Path):
    text = notebook.read_text("utf-8")
    for path in (str(ROOT), sys.prefix, "/home/", "/root/", "/tmp/", "site-packages"):
        assert path not in text
    assert set(json.loads(text)["metadata"]) <= {"kernelspec", "language_info"}


@_each
def test_only_the_public_api_is_used(notebook: Path):
    imported = [
        (node.module, alias.name)
        for node in ast.walk(ast.parse(_script(notebook)))
        if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("fiducial")
        for alias in node.names
    ]
    assert imported
    assert [name for module, name in imported if name not in import_module(module).__all__] == []


def _code_cells(notebook: Path) -> list[dict[str, Any]]:
    cells = json.loads(notebook.read_text("utf-8"))["cells"]
    return [cell for cell in cells if cell["cell_type"] == "code"]


def _script(notebook: Path) -> str:
    """All code cells, one after the other."""
    return "\n\n".join("".join(cell["source"]) for cell in _code_cells(notebook))


def _printed(notebook: Path) -> str:
    """Return the text that the stored run printed."""
    stored = [output for cell in _code_cells(notebook) for output in cell["outputs"]]
    return "".join("".join(output["text"]) for output in stored if output["output_type"] == "stream")


def _run(script: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run in a fresh process, where matplotlib, if there is one, opens no window."""
    file = folder / "notebook.py"
    file.write_text(script, "utf-8")
    return subprocess.run(
        [sys.executable, file],
        cwd=folder,
        env={**os.environ, "MPLBACKEND": "agg", "PYTHONIOENCODING": "utf-8"},
        capture_output=True,
        encoding="utf-8",
        timeout=120,
        check=False,
    )
