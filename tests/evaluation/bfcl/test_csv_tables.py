"""The leaderboard files: headers, cells, order."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from fiducial.evaluation.bfcl.aggregation import SystemScore
from fiducial.evaluation.bfcl.category_scores import CategoryScore, CategoryTally, Effort
from fiducial.evaluation.bfcl.csv_tables import write_csv_tables
from fiducial.formats.bfcl import CATEGORIES, CONFIGURATIONS


def system(name: str, *latencies: float, **counts: tuple[int, int]) -> SystemScore:
    scores = {
        category: CategoryScore(CATEGORIES[category], CategoryTally(*count))
        for category, count in counts.items()
    }
    effort = Effort()
    effort.add({"latency": list(latencies)})
    return SystemScore(name, "dotted", scores, effort, Counter())


def rows_of(folder: Path, name: str, *systems: SystemScore) -> list[list[str]]:
    write_csv_tables(folder, systems)
    text = (folder / name).read_text("utf-8")
    assert not text.endswith("\n")
    return [line.split(",") for line in text.split("\n")]


def test_multi_turn_is_ranked_by_its_overall_score(tmp_path: Path):
    rows = rows_of(
        tmp_path,
        "data_multi_turn.csv",
        system("slow", multi_turn_base=(1, 8)),
        system("good", multi_turn_base=(3, 4), multi_turn_miss_func=(1, 3)),
    )
    assert rows == [
        ["Rank", "Model", "Multi Turn Overall Acc", "Base", "Miss Func", "Miss Param", "Long Context"],
        ["1", "good", "27.08%", "75.00%", "33.33%", "N/A", "N/A"],
        ["2", "slow", "3.12%", "12.50%", "N/A", "N/A", "N/A"],
    ]


def test_group_scores_show_a_number_and_summaries_do_not_when_parts_are_missing(tmp_path: Path):
    rows = rows_of(tmp_path, "data_agentic.csv", system("s", memory_kv=(3, 4), web_search_base=(1, 1)))
    assert dict(zip(*rows, strict=True)) == {
        "Rank": "1",
        "Model": "s",
        "Agentic Overall Acc": "37.50%",
        "Web Search Summary": "N/A",
        "Web Search Base": "100.00%",
        "Web Search No Snippet": "N/A",
        "Memory Summary": "N/A",
        "Memory KV": "75.00%",
        "Memory Vector": "N/A",
        "Memory Recursive Summarization": "N/A",
    }


def test_the_overall_file_is_ranked_by_its_second_column_and_knows_no_prices(tmp_path: Path):
    rows = rows_of(
        tmp_path,
        "data_overall.csv",
        system("a", irrelevance=(1, 2)),
        system("b", 1.0, 2.0, irrelevance=(1, 1), live_irrelevance=(1, 1)),
    )
    assert len(rows[0]) == 36
    first = dict(zip(rows[0], rows[1], strict=True))
    assert (first["Overall Acc"], first["Model"], first["Irrelevance Detection"]) == (
        "10.00%",
        "b",
        "100.00%",
    )
    assert (first["Total Cost ($)"], first["Model Link"], first["License"]) == ("N/A", "N/A", "N/A")
    latency = [first[f"Latency {name} (s)"] for name in ("Mean", "Standard Deviation", "95th Percentile")]
    assert latency == ["1.5", "0.71", "1.95"]
    assert rows[2][:3] == ["2", "2.50%", "a"]
    assert rows[2][5:8] == ["N/A", "N/A", "N/A"]


def test_format_sensitivity_has_a_column_a_configuration_and_puts_the_unknown_last(tmp_path: Path):
    scored = system("z", format_sensitivity=(1, 2))
    scored.scores["format_sensitivity"].configurations = {
        CONFIGURATIONS[0].id: CategoryTally(0, 1),
        CONFIGURATIONS[1].id: CategoryTally(1, 1),
    }
    rows = rows_of(tmp_path, "data_format_sensitivity.csv", system("a"), scored)
    assert rows[0][4] == f"Config {CONFIGURATIONS[0].id}"
    assert len(rows[0]) == 4 + 26
    assert rows[1][:7] == ["1", "z", "100.0", "70.71", "0.00%", "100.00%", "N/A"]
    assert rows[2][:4] == ["2", "a", "N/A", "N/A"]


@pytest.mark.parametrize(
    ("name", "columns"),
    [("data_non_live.csv", 12), ("data_live.csv", 10), ("data_multi_turn.csv", 7), ("data_agentic.csv", 10)],
)
def test_every_group_has_its_file(tmp_path: Path, name: str, columns: int):
    assert [len(row) for row in rows_of(tmp_path, name, system("s"))] == [columns, columns]


@pytest.mark.attack("inputs of others")
def test_a_name_cannot_add_cells_or_rows(tmp_path: Path):
    rows = rows_of(tmp_path, "data_live.csv", system("a,b\nc"))
    assert rows[1][1] == "a b c"


@pytest.mark.attack("inputs of others")
def test_a_name_cannot_begin_a_formula(tmp_path: Path):
    rows = rows_of(tmp_path, "data_overall.csv", system("=HYPERLINK(1)", simple_python=(1, 2)))
    assert any("'=HYPERLINK(1)" in row for row in rows)
    assert not any(cell.startswith("=") for row in rows for cell in row)
