"""The Spark example of docs/scale.md, on a Spark of two threads on this machine."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from engine_runs import run_page

pyspark: Any = pytest.importorskip("pyspark", reason="Spark is not installed here: make spark")
pandas: Any = pytest.importorskip("pandas")
if shutil.which("java") is None:
    pytest.skip("Spark needs Java", allow_module_level=True)

pytestmark = pytest.mark.filterwarnings("ignore")  # Spark's own


@pytest.fixture(scope="module")
def spark() -> Iterator[Any]:
    """Spark on this machine, reached by nobody else."""
    builder: Any = pytest.importorskip("pyspark.sql").SparkSession.builder
    settings = {
        "spark.ui.enabled": "false",
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.sql.shuffle.partitions": "2",
        "spark.driver.memory": "1g",
    }
    for name, value in settings.items():
        builder = builder.config(name, value)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYSPARK_PYTHON", sys.executable)
        session: Any = builder.master("local[2]").getOrCreate()
        yield session
        session.stop()


@pytest.mark.parametrize("parts", [1, 2, 17])
def test_what_the_page_shows_says_what_one_process_says(spark: Any, tmp_path: Path, parts: int):
    shown, here = run_page("dask", parts, tmp_path, pandas=pandas, spark=spark, folder=tmp_path)
    there = {row["item"]: row["score"] for row in shown["checked"].collect()}
    assert there == {str(verdict.key): verdict.score for verdict in here}
    graded = [verdict.score for verdict in here if verdict.score is not None]
    by_cluster = shown["by_cluster"].collect()
    assert sum(row["count(1)"] for row in by_cluster) == len(graded) > 50
    assert sum(row["sum(score)"] for row in by_cluster) == sum(graded)
