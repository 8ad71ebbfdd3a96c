"""BFCL's CSV files and their columns."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TypeAlias

import msgspec

from ...formats.bfcl import CONFIGURATIONS
from ...records import atomic_write
from ...tables.spreadsheet import as_text_cell
from .aggregation import Accuracy, SystemScore
from .category_scores import spread

NOT_AVAILABLE = "N/A"


def write_csv_tables(folder: Path, systems: Iterable[SystemScore]) -> None:
    """Write all of BFCL's CSV files.

    Raises:
        InputError: A file cannot be written.
    """
    systems = list(systems)
    for table in TABLES:
        with atomic_write(folder / table.name) as file:
            file.write(_csv_text(table, systems).encode("utf-8", "surrogateescape"))


def _csv_text(table: CsvTable, systems: list[SystemScore]) -> str:
    rows = [[cell(system) for _, cell in table.columns] for system in systems]
    # Sorting is stable, so systems with equal scores stay in their order.
    rows.sort(key=lambda row: _sort_value(row[table.sorted_by - 1]), reverse=True)
    lines = [["Rank", *(title for title, _ in table.columns)]]
    lines += [[str(rank), *map(_cell_text, row)] for rank, row in enumerate(rows, start=1)]
    return "\n".join(",".join(line) for line in lines)


def _sort_value(cell: CsvCell) -> float:
    """Return the number to sort by; cells without a number come last."""
    if isinstance(cell, Accuracy):
        return cell.value if cell.available else -1.0
    return cell if isinstance(cell, float) else -1.0


def _cell_text(cell: CsvCell) -> str:
    if isinstance(cell, Accuracy):
        return f"{cell.value * 100:.2f}%" if cell.available else NOT_AVAILABLE
    if isinstance(cell, float | int):
        return str(round(cell, 2))
    # BFCL's files have no quoting, so a name must not contain separators of cells and rows.
    return NOT_AVAILABLE if cell is None else as_text_cell(" ".join(cell.replace(",", " ").split()))


CsvCell: TypeAlias = Accuracy | float | str | None
"""A fraction, a number, a text, or None if unknown."""

_UNKNOWN = None
"""Link, organisation and licence come from BFCL's own registry of models; any system may be scored here."""


class CsvTable(msgspec.Struct, frozen=True):
    """CSV file: name, column titles after the rank with their values, and sort column, from 1."""

    name: str
    columns: list[tuple[str, Callable[[SystemScore], CsvCell]]]
    sorted_by: int = 2


def _category_cell(name: str) -> Callable[[SystemScore], CsvCell]:
    return lambda system: system.summary.categories[name]


def _spread_cell(name: str) -> Callable[[SystemScore], CsvCell]:
    def cell(system: SystemScore) -> CsvCell:
        score = system.scores.get("format_sensitivity")
        return None if score is None else spread(score.configurations)[name]

    return cell


def _configuration_cell(name: str) -> Callable[[SystemScore], CsvCell]:
    def cell(system: SystemScore) -> CsvCell:
        score = system.scores.get("format_sensitivity")
        tally = None if score is None else score.configurations.get(name)
        if tally is None or tally.accuracy is None:
            return None
        return Accuracy(tally.accuracy, tally.total)

    return cell


_SYSTEM_COLUMN: tuple[str, Callable[[SystemScore], CsvCell]] = ("Model", lambda system: system.name)

_SPREAD_COLUMNS = [
    ("Format Sensitivity Max Delta", _spread_cell("accuracy_max_delta")),
    ("Format Sensitivity Standard Deviation", _spread_cell("accuracy_std")),
]

_NON_LIVE = CsvTable(
    "data_non_live.csv",
    [
        _SYSTEM_COLUMN,
        ("Non-Live Overall Acc", lambda system: system.summary.non_live.always()),
        ("AST Summary", lambda system: system.summary.non_live),
        ("Simple AST", lambda system: system.summary.simple),
        ("Python Simple AST", _category_cell("simple_python")),
        ("Java Simple AST", _category_cell("simple_java")),
        ("JavaScript Simple AST", _category_cell("simple_javascript")),
        ("Multiple AST", _category_cell("multiple")),
        ("Parallel AST", _category_cell("parallel")),
        ("Parallel Multiple AST", _category_cell("parallel_multiple")),
        ("Irrelevance Detection", _category_cell("irrelevance")),
    ],
)

_LIVE = CsvTable(
    "data_live.csv",
    [
        _SYSTEM_COLUMN,
        ("Live Overall Acc", lambda system: system.summary.live.always()),
        ("AST Summary", lambda system: system.summary.live),
        ("Python Simple AST", _category_cell("live_simple")),
        ("Python Multiple AST", _category_cell("live_multiple")),
        ("Python Parallel AST", _category_cell("live_parallel")),
        ("Python Parallel Multiple AST", _category_cell("live_parallel_multiple")),
        ("Irrelevance Detection", _category_cell("live_irrelevance")),
        ("Relevance Detection", _category_cell("live_relevance")),
    ],
)

_MULTI_TURN = CsvTable(
    "data_multi_turn.csv",
    [
        _SYSTEM_COLUMN,
        ("Multi Turn Overall Acc", lambda system: system.summary.multi_turn.always()),
        ("Base", _category_cell("multi_turn_base")),
        ("Miss Func", _category_cell("multi_turn_miss_func")),
        ("Miss Param", _category_cell("multi_turn_miss_param")),
        ("Long Context", _category_cell("multi_turn_long_context")),
    ],
)

_AGENTIC = CsvTable(
    "data_agentic.csv",
    [
        _SYSTEM_COLUMN,
        ("Agentic Overall Acc", lambda system: system.summary.agentic.always()),
        ("Web Search Summary", lambda system: system.summary.web_search),
        ("Web Search Base", _category_cell("web_search_base")),
        ("Web Search No Snippet", _category_cell("web_search_no_snippet")),
        ("Memory Summary", lambda system: system.summary.memory),
        ("Memory KV", _category_cell("memory_kv")),
        ("Memory Vector", _category_cell("memory_vector")),
        ("Memory Recursive Summarization", _category_cell("memory_rec_sum")),
    ],
)

_FORMAT_SENSITIVITY = CsvTable(
    "data_format_sensitivity.csv",
    [
        _SYSTEM_COLUMN,
        *_SPREAD_COLUMNS,
        *(
            (f"Config {configuration.id}", _configuration_cell(configuration.id))
            for configuration in CONFIGURATIONS
        ),
    ],
)

_OVERALL = CsvTable(
    "data_overall.csv",
    [
        ("Overall Acc", lambda system: system.summary.overall.always()),
        _SYSTEM_COLUMN,
        ("Model Link", lambda _: _UNKNOWN),
        ("Total Cost ($)", lambda system: system.cost),
        ("Latency Mean (s)", lambda system: system.effort.mean),
        ("Latency Standard Deviation (s)", lambda system: system.effort.deviation),
        ("Latency 95th Percentile (s)", lambda system: system.effort.percentile_95),
        ("Non-Live AST Acc", lambda system: system.summary.non_live),
        ("Non-Live Simple AST", lambda system: system.summary.simple),
        ("Non-Live Multiple AST", _category_cell("multiple")),
        ("Non-Live Parallel AST", _category_cell("parallel")),
        ("Non-Live Parallel Multiple AST", _category_cell("parallel_multiple")),
        ("Live Acc", lambda system: system.summary.live.always()),
        ("Live Simple AST", _category_cell("live_simple")),
        ("Live Multiple AST", _category_cell("live_multiple")),
        ("Live Parallel AST", _category_cell("live_parallel")),
        ("Live Parallel Multiple AST", _category_cell("live_parallel_multiple")),
        ("Multi Turn Acc", lambda system: system.summary.multi_turn.always()),
        ("Multi Turn Base", _category_cell("multi_turn_base")),
        ("Multi Turn Miss Func", _category_cell("multi_turn_miss_func")),
        ("Multi Turn Miss Param", _category_cell("multi_turn_miss_param")),
        ("Multi Turn Long Context", _category_cell("multi_turn_long_context")),
        ("Web Search Acc", lambda system: system.summary.web_search),
        ("Web Search Base", _category_cell("web_search_base")),
        ("Web Search No Snippet", _category_cell("web_search_no_snippet")),
        ("Memory Acc", lambda system: system.summary.memory),
        ("Memory KV", _category_cell("memory_kv")),
        ("Memory Vector", _category_cell("memory_vector")),
        ("Memory Recursive Summarization", _category_cell("memory_rec_sum")),
        ("Relevance Detection", _category_cell("live_relevance")),
        ("Irrelevance Detection", lambda system: system.summary.irrelevance),
        *_SPREAD_COLUMNS,
        ("Organization", lambda _: _UNKNOWN),
        ("License", lambda _: _UNKNOWN),
    ],
    sorted_by=1,
)

TABLES = (_NON_LIVE, _LIVE, _MULTI_TURN, _AGENTIC, _FORMAT_SENSITIVITY, _OVERALL)
"""All CSV files of a score tree."""
