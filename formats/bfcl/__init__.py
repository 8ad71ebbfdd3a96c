"""BFCL's data set, its result trees, and its prompt-mode prompt."""

from .bfcl_cases import read_cases, to_case
from .categories import CATEGORIES, Category, category_name, expand, sort_key
from .configurations import CONFIGURATIONS, Configuration, parse_sensitivity_id
from .data_source import DataSource, open_source, parse_json
from .earlier_conversations import EarlierConversation, read_conversations
from .entries import Entry, read_entries
from .prompting import assemble_prompt
from .result_trees import (
    ResultFile,
    ResultIndex,
    ResultLine,
    ResultTree,
    find_results,
    read_outputs,
    read_results,
    to_output,
)

__all__ = [
    "CATEGORIES",
    "CONFIGURATIONS",
    "Category",
    "Configuration",
    "DataSource",
    "EarlierConversation",
    "Entry",
    "ResultFile",
    "ResultIndex",
    "ResultLine",
    "ResultTree",
    "assemble_prompt",
    "category_name",
    "expand",
    "find_results",
    "open_source",
    "parse_json",
    "parse_sensitivity_id",
    "read_cases",
    "read_conversations",
    "read_entries",
    "read_outputs",
    "read_results",
    "sort_key",
    "to_case",
    "to_output",
]
