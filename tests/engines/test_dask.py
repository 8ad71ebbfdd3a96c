"""Other engines do what Ray does: the Dask example of docs/scale.md runs here."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from engine_runs import run_page

dask: Any = pytest.importorskip("dask", reason="Dask is not installed here: make ray")
pytest.importorskip("dask.bag")

pytestmark = pytest.mark.filterwarnings("ignore")  # Dask's own


@pytest.mark.parametrize("parts", [1, 2, 17])
def test_what_the_page_shows_says_the_same_however_many_partitions(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, parts: int
):
    monkeypatch.chdir(tmp_path)
    shown, here = run_page("spark", parts, tmp_path, dask=dask)
    there = shown["checked"].compute(scheduler="processes", num_workers=2)
    assert {row["item"]: row["score"] for row in there} == {
        str(verdict.key): verdict.score for verdict in here
    }
    by_cluster: dict[str, tuple[int, float]] = dict(shown["by_cluster"].compute(scheduler="sync"))
    graded = [verdict.score for verdict in here if verdict.score is not None]
    assert sum(count for count, _ in by_cluster.values()) == len(graded) > 50
    assert sum(total for _, total in by_cluster.values()) == sum(graded)
