"""No engine is special: what Ray does with a part, any other can do; docs/scale.md shows it with Dask, and that is run here."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from engine_runs import joined_rows

import fiducial

dask: Any = pytest.importorskip("dask", reason="Dask is not installed here: make ray")
pytest.importorskip("dask.bag")

pytestmark = pytest.mark.filterwarnings("ignore")  # Dask's own

PAGE = Path(__file__).parents[2] / "docs" / "scale.md"


@pytest.mark.parametrize("parts", [1, 2, 17])
def test_what_the_page_shows_says_the_same_however_many_partitions(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, parts: int
):
    monkeypatch.chdir(tmp_path)
    rows = joined_rows()
    for part in range(parts):
        Path(f"rows-{part}.jsonl").write_text("".join(f"{row}\n" for row in rows[part::parts]))
    blocks: list[str] = re.findall(r"```python\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL)
    shown: dict[str, Any] = {"json": json, "fiducial": fiducial, "dask": dask}
    for block in blocks:
        if "spark" not in block:
            exec(block, shown)
    there = shown["checked"].compute(scheduler="processes", num_workers=2)
    here = [fiducial.check(row["case"], row["output"]) for row in map(json.loads, rows)]
    assert {row["item"]: row["score"] for row in there} == {
        str(verdict.key): verdict.score for verdict in here
    }
    by_cluster: dict[str, tuple[int, float]] = dict(shown["by_cluster"].compute(scheduler="sync"))
    graded = [verdict.score for verdict in here if verdict.score is not None]
    assert sum(count for count, _ in by_cluster.values()) == len(graded) > 50
    assert sum(total for _, total in by_cluster.values()) == sum(graded)
