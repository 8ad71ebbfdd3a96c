"""Shared fixtures: answers to the small data set, laid out as a result tree."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from fiducial.evaluation.bfcl.aggregation import SystemScore
from fiducial.evaluation.bfcl.scoring import ScoringOptions, score_tree
from fiducial.evaluation.progress import Silent
from fiducial.formats.bfcl import CATEGORIES, find_results, open_source


class ResultTreeFolder:
    """A result tree being laid out, and scored."""

    def __init__(self, root: Path, data: Path) -> None:
        self.results = root / "result"
        self.scores = root / "score"
        self.data = data

    def answer(self, system: str, answers: dict[str, Any], category: str, **fields: Any) -> Path:
        """Write the answers of a system in a category."""
        folder = self.results / system / CATEGORIES[category].folder
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / f"BFCL_v4_{category}_result.json"
        lines = ({"id": entry_id, "result": result, **fields} for entry_id, result in answers.items())
        path.write_text("".join(json.dumps(line) + "\n" for line in lines))
        return path

    def score(self, **options: Any) -> dict[str, SystemScore]:
        """Score everything; by system."""
        systems = score_tree(
            open_source(self.data),
            find_results(self.results).files,
            self.scores,
            options=ScoringOptions(**options),
            progress=Silent(),
        )
        return {system.name: system for system in systems}

    def score_file(self, system: str, category: str) -> list[dict[str, Any]]:
        """The lines of a score file."""
        path = self.scores / system / CATEGORIES[category].folder / f"BFCL_v4_{category}_score.json"
        return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


@pytest.fixture
def tree(tmp_path: Path, bfcl_data: Path) -> ResultTreeFolder:
    """An empty result tree on the small data set."""
    return ResultTreeFolder(tmp_path, bfcl_data)


@pytest.fixture
def new_tree(tmp_path: Path) -> Callable[[Path, str], ResultTreeFolder]:
    """Makes empty result trees on other data."""
    return lambda data, name: ResultTreeFolder(tmp_path / name, data)
