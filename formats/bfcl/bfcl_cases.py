"""BFCL's entries as Cases."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

from ...records import Case, Kind, Language, Match, Message, TagValue, kind_spec
from .categories import Category, category_name, category_of
from .configurations import parse_sensitivity_id
from .data_source import DataSource
from .entries import Entry, read_entries
from .template_files import template

FUNCTIONS_GIVEN_BACK = "I have updated some more functions you can choose from. What about now?"
"""User message of the turn that offers withheld functions, as in the data set."""

_LANGUAGES: dict[str, Language] = {"simple_java": "java", "simple_javascript": "javascript"}


def read_cases(source: DataSource, category: Category) -> Iterator[Case]:
    """Read a category as Cases.

    Raises:
        InputError: A file is missing, or data and ground truth do not belong together.
    """
    for entry in read_entries(source, category):
        yield to_case(entry)


def to_case(entry: Entry) -> Case:
    """Turn one entry into a Case tagged with its category and group.

    A format-sensitivity case is also tagged with its configuration.
    """
    kind, reference = _CHECKS[_base_category(entry).family](entry)
    return Case(
        id=entry.id,
        kind=kind,
        messages=_messages(entry, kind),
        tools=_tools(entry.documents),
        reference=reference,
        cluster=_cluster(entry),
        tags=_tags(entry),
    )


def _base_category(entry: Entry) -> Category:
    """Return the category that decides the check.

    For format sensitivity it is the category of the original entry.
    """
    if entry.category.family == "format_sensitivity":
        return category_of(parse_sensitivity_id(entry.id).original)
    return entry.category


def _tools(documents: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [{"type": "function", "function": document} for document in documents]


def _ast_check(entry: Entry) -> tuple[Kind, dict[str, Any]]:
    name = _base_category(entry).name
    # ``parallel_multiple`` is checked as parallel.
    match: Match = "parallel" if "parallel" in name else "multiple" if "multiple" in name else "simple"
    language = _LANGUAGES.get(name, "python")
    return "tool_call", {"calls": entry.ground_truth, "match": match, "language": language, "text": "loose"}


def _relevance_check(entry: Entry) -> tuple[Kind, dict[str, Any]]:
    return ("no_call" if "irrelevance" in entry.category.name else "any_call"), {}


def _multi_turn_check(entry: Entry) -> tuple[Kind, dict[str, Any]]:
    name = entry.category.name
    classes = entry.raw.get("involved_classes", [])
    # A retired entry has its settings one level too high; settings without a class have no effect.
    configuration = entry.raw.get("initial_config", {})
    return "multi_turn", {
        "initial_config": {name: configuration[name] for name in classes if name in configuration},
        "classes": classes,
        "calls": entry.ground_truth,
        "withheld": entry.raw.get("missed_function", {}),
        **({"withheld_tools": _tools(entry.withheld)} if entry.withheld else {}),
        "long_context": "long_context" in name or "composite" in name,
    }


def _agentic_check(entry: Entry) -> tuple[Kind, dict[str, Any]]:
    kind: Kind = "memory_answer" if entry.category.data == "memory" else "web_search_answer"
    assert entry.answer is not None
    reference: dict[str, Any] = {
        "answers": entry.ground_truth,
        "source": entry.answer.get("source"),
        "text": "loose",
    }
    if "involved_classes" in entry.raw:
        reference["classes"] = entry.raw["involved_classes"]
    if "scenario" in entry.raw:
        reference["history"] = entry.raw["scenario"]
    if entry.category.name == "web_search_no_snippet":
        reference["initial_config"] = {"WebSearchAPI": {"show_snippet": False}}
    return kind, reference


def _executable_check(entry: Entry) -> tuple[Kind, dict[str, Any]]:
    assert entry.answer is not None
    match = [name.removesuffix("_match") for name in entry.answer.get("execution_result_type", [])]
    return "executable_call", {"calls": entry.ground_truth, "match": match}


_CHECKS = {
    "ast": _ast_check,
    "relevance": _relevance_check,
    "multi_turn": _multi_turn_check,
    "agentic": _agentic_check,
    "executable": _executable_check,
}
"""By family: the function that returns a case's kind and reference."""


def _messages(entry: Entry, kind: Kind) -> list[Message | list[Message]]:
    turns: list[list[Message]] = entry.raw["question"]
    family = kind_spec(kind).family
    if family == "conversation":
        given_back: Message = {"role": "user", "content": FUNCTIONS_GIVEN_BACK}
        return [turn or [given_back] for turn in turns]
    if family == "answer":
        instructions: Message = {"role": "system", "content": template("agentic_answer.txt")}
        return [instructions, *(message for turn in turns for message in turn)]
    return [message for turn in turns for message in turn]


def _cluster(entry: Entry) -> str | None:
    """Return the cluster of dependent entries, or None for an entry on its own.

    Live entries share a function document; other entries are variants of one task.
    """
    name, task_id = entry.category.name, entry.id
    if entry.category.family == "format_sensitivity":
        task_id = parse_sensitivity_id(entry.id).original
        name = category_name(task_id)
    number = task_id.rpartition("_")[2]
    if name.startswith("live_"):
        return f"{name}/{number.split('-')[1]}" if number.count("-") == 2 else task_id  # noqa: PLR2004 - number-document-prompt
    if entry.category.family == "multi_turn":
        return f"multi_turn/{number}"
    if entry.category.family == "agentic":
        return f"{entry.category.data}/{number}"
    return None if task_id == entry.id else task_id


def _tags(entry: Entry) -> dict[str, TagValue]:
    tags: dict[str, TagValue] = {"category": entry.category.name, "group": entry.category.group}
    if entry.answer is not None and isinstance(hops := entry.answer.get("num_hops"), int):
        tags["num_hops"] = hops
    if entry.category.family != "format_sensitivity":
        return tags
    parts = parse_sensitivity_id(entry.id)
    original: dict[str, TagValue] = {"original_category": category_name(parts.original)}
    return tags | original | msgspec.structs.asdict(parts.configuration)
