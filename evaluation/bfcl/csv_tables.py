"""BFCL's leaderboard files: one CSV a group of categories, and one over all."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from ...formats.spreadsheet import as_text_cell
from ...records import atomic_write
from .aggregation import Accuracy
from .csv_columns import TABLES, Cell, CsvTable
from .system_score import SystemScore

NOT_AVAILABLE = "N/A"


def write_csv_tables(folder: Path, systems: Iterable[SystemScore]) -> None:
    """Write all of BFCL's CSV files.

    Args:
        folder: Where they go.
        systems: One row each.

    Raises:
        InputError: A file cannot be written.
    """
    systems = list(systems)
    for table in TABLES:
        with atomic_write(folder / table.name) as file:
            file.write(_text(table, systems).encode("utf-8", "surrogateescape"))


def _text(table: CsvTable, systems: list[SystemScore]) -> str:
    rows = [[cell(system) for _, cell in table.columns] for system in systems]
    # Stable, so that systems with equal scores stay in their order.
    rows.sort(key=lambda row: _sort_value(row[table.sorted_by - 1]), reverse=True)
    lines = [["Rank", *(title for title, _ in table.columns)]]
    lines += [[str(rank), *map(_shown, row)] for rank, row in enumerate(rows, start=1)]
    return "\n".join(",".join(line) for line in lines)


def _sort_value(cell: Cell) -> float:
    if isinstance(cell, Accuracy):
        return cell.value if cell.available else -1.0
    return cell if isinstance(cell, float) else -1.0


def _shown(cell: Cell) -> str:
    if isinstance(cell, Accuracy):
        return f"{cell.value * 100:.2f}%" if cell.available else NOT_AVAILABLE
    if isinstance(cell, float | int):
        return str(round(cell, 2))
    # The files know no quoting, so a name must not hold what separates cells and rows.
    return NOT_AVAILABLE if cell is None else as_text_cell(" ".join(cell.replace(",", " ").split()))
