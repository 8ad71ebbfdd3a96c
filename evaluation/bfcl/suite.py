"""The entries that answers are checked against, read once for all systems."""

from __future__ import annotations

from typing import NamedTuple

from ...formats.bfcl import Category, DataSource, Entry, read_entries, to_case
from ...records import Case


class Asked(NamedTuple):
    """What was asked: the data set's entry, which score files quote, and its case, which checkers take."""

    entry: Entry
    case: Case


class Suite:
    """BFCL's entries by category, kept from the first use on: as much memory as the data set has, however many systems.

    Args:
        source: Where BFCL's files are.
    """

    def __init__(self, source: DataSource) -> None:
        self._source = source
        self._categories: dict[str, dict[str, Asked]] = {}

    def asked(self, category: Category) -> dict[str, Asked]:
        """The entries of a category by id.

        Args:
            category: Which category.

        Returns:
            Entries in the order of the data file.

        Raises:
            InputError: A file is missing, or data and ground truth do not belong together.
        """
        if category.name not in self._categories:
            self._categories[category.name] = {
                entry.id: Asked(entry, to_case(entry)) for entry in read_entries(self._source, category)
            }
        return self._categories[category.name]
