"""BFCL's categories: their groups, sizes, files, and the order of their ids."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal, TypeAlias, get_args

import msgspec

from ...errors import UsageError

CategoryGroup: TypeAlias = Literal[
    "non_live", "live", "multi_turn", "agentic", "format_sensitivity", "retired"
]

CategoryFamily: TypeAlias = Literal[
    "ast", "relevance", "multi_turn", "agentic", "format_sensitivity", "executable"
]
"""Family of a category, which decides the check and the keys of its score file."""


class Category(msgspec.Struct, frozen=True):
    """One category of BFCL v4.

    Attributes:
        name: Its name in file names.
        group: Its group in the aggregated scores.
        family: Family of its check.
        size: Number of entries in the published data set.
        data: Stem of its data file; several categories may share one.
        folder: Folder of its result and score files below the system's folder.
    """

    name: str
    group: CategoryGroup
    family: CategoryFamily
    size: int
    data: str
    folder: str

    @property
    def in_turns(self) -> bool:
        """True if an answer has several turns, each of several steps; False if it is one reply."""
        return self.family in {"multi_turn", "agentic"}


def _category(
    name: str, group: CategoryGroup, family: CategoryFamily, size: int, *, data: str = "", folder: str = ""
) -> Category:
    return Category(name, group, family, size, data or name, folder or group)


_ALL = (
    _category("simple_python", "non_live", "ast", 400),
    _category("simple_java", "non_live", "ast", 100),
    _category("simple_javascript", "non_live", "ast", 50),
    _category("multiple", "non_live", "ast", 200),
    _category("parallel", "non_live", "ast", 200),
    _category("parallel_multiple", "non_live", "ast", 200),
    _category("irrelevance", "non_live", "relevance", 240),
    _category("live_simple", "live", "ast", 258),
    _category("live_multiple", "live", "ast", 1053),
    _category("live_parallel", "live", "ast", 16),
    _category("live_parallel_multiple", "live", "ast", 24),
    _category("live_irrelevance", "live", "relevance", 884),
    _category("live_relevance", "live", "relevance", 16),
    _category("multi_turn_base", "multi_turn", "multi_turn", 200),
    _category("multi_turn_miss_func", "multi_turn", "multi_turn", 200),
    _category("multi_turn_miss_param", "multi_turn", "multi_turn", 200),
    _category("multi_turn_long_context", "multi_turn", "multi_turn", 200),
    _category("memory_kv", "agentic", "agentic", 155, data="memory", folder="agentic/memory/kv"),
    _category("memory_vector", "agentic", "agentic", 155, data="memory", folder="agentic/memory/vector"),
    _category("memory_rec_sum", "agentic", "agentic", 155, data="memory", folder="agentic/memory/rec_sum"),
    _category("web_search_base", "agentic", "agentic", 100, data="web_search"),
    _category("web_search_no_snippet", "agentic", "agentic", 100, data="web_search"),
    _category("format_sensitivity", "format_sensitivity", "format_sensitivity", 5200),
    _category("exec_simple", "retired", "executable", 100),
    _category("exec_multiple", "retired", "executable", 50),
    _category("exec_parallel", "retired", "executable", 50),
    _category("exec_parallel_multiple", "retired", "executable", 40),
    _category("multi_turn_composite", "retired", "multi_turn", 200, folder="multi_turn"),
)

CATEGORIES: dict[str, Category] = {category.name: category for category in _ALL}
"""Every readable category by name, in BFCL's order."""

_V3_NAMES = {"simple": "simple_python", "java": "simple_java", "javascript": "simple_javascript"}
"""Names of categories in version 3, which ids of entries may still begin with."""

_CATEGORIES_BY_GROUP: dict[str, list[Category]] = {
    "all": [category for category in _ALL if category.group != "retired"],
    "all_scoring": [category for category in _ALL if category.group not in {"retired", "format_sensitivity"}],
    "single_turn": [category for category in _ALL if category.group in {"non_live", "live"}],
    "memory": [category for category in _ALL if category.data == "memory"],
    "web_search": [category for category in _ALL if category.data == "web_search"],
    **{
        group: [category for category in _ALL if category.group == group] for group in get_args(CategoryGroup)
    },
}
"""Categories by the names that stand for several."""


def category_called(name: str) -> Category | None:
    """Return a category by its name, or its name in version 3 (``simple``), else None."""
    return CATEGORIES.get(_V3_NAMES.get(name, name))


def category_of(entry_id: str) -> Category:
    """Return the category that an entry's id names.

    Raises:
        UsageError: The id names no category of BFCL.
    """
    category = category_called(category_name(entry_id))
    if category is None:
        raise UsageError(f"{entry_id!r} is of no BFCL category")
    return category


def data_stems(category: Category) -> list[str]:
    """Return the stems of the files that may contain a category: version 4, then 3."""
    names = [category.data, *(old for old, new in _V3_NAMES.items() if new == category.data)]
    return [f"BFCL_v{version}_{name}" for version in (4, 3) for name in names]


def expand(names: Iterable[str]) -> list[Category]:
    """Expand names of categories and groups, or ``all``, to unique categories in BFCL's order.

    Raises:
        UsageError: A name is neither a category nor a group.
    """
    chosen: set[str] = set()
    for name in names:
        if (category := category_called(name)) is not None:
            chosen.add(category.name)
        elif name in _CATEGORIES_BY_GROUP:
            chosen.update(category.name for category in _CATEGORIES_BY_GROUP[name])
        else:
            known = ", ".join([*CATEGORIES, *_CATEGORIES_BY_GROUP])
            raise UsageError(f"no BFCL category or group is called {name!r}; known: {known}")
    return [category for category in _ALL if category.name in chosen]


def category_name(entry_id: str) -> str:
    """Return the name of the category in an entry's id; it may be no known category.

    It is the part before the first colon and, within that, before the last underscore
    (``live_simple_4-3-0``).
    """
    return entry_id.partition(":")[0].rpartition("_")[0] or entry_id


def sort_key(entry_id: str) -> tuple[int, str, int]:
    """Return the sort key of an entry in BFCL's order: kind of category, category, number.

    Raises:
        ValueError: The id lacks a required number.
    """
    name = category_name(entry_id)
    entry_number = entry_id.partition(":")[0].rpartition("_")[2]  # 4-3-0 in live_simple_4-3-0
    number, _, _ = entry_number.partition("-")
    return _priority(name), name, int(number)


def _priority(name: str) -> int:
    """Return the place of a category's kind in BFCL's order.

    Memory's prerequisites are first and memory is last, after web search, single and multiple turns.
    """
    if name.startswith("memory"):
        return 0 if "prereq" in name else 4
    if name.startswith("web_search"):
        return 1
    return 3 if name.startswith("multi_turn") else 2
