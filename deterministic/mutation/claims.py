"""Find facts in structured search results, from which claims with certain labels are made."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, cast

from ...records import Case, ContextItem

_NAME_FIELDS = ("name", "title", "label", "id")
# Bounds the work that a large result can cause.
_MAX_DEPTH, _MAX_FACTS = 4, 200


class Fact(NamedTuple):
    """Property of a named thing in a search result.

    Attributes:
        subject: Name of the thing.
        field: Name of the property.
        value: Its value: text, number or boolean.
        result: The id of the context item.
    """

    subject: str
    field: str
    value: Any
    result: str

    @property
    def sentence(self) -> str:
        """The fact as a sentence."""
        return claim_sentence(self.subject, self.field, value_text(self.value))


def claim_sentence(subject: str, field: str, value: str) -> str:
    """Return a claim as a sentence."""
    return f"The {field.replace('_', ' ')} of {subject} is {value}."


def value_text(value: Any) -> str:
    """Return a value as written in a sentence."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return str(value)


def facts_of(case: Case) -> list[Fact]:
    """Return the facts in a case's structured results, at most a few hundred.

    Each field of a named object is one fact. Fields about which the results contradict each other are left out.
    """
    facts = [fact for item in case.context for fact in _facts_in(item)][:_MAX_FACTS]
    values_by_field: dict[tuple[str, str], set[str]] = {}
    for fact in facts:
        values_by_field.setdefault((fact.subject, fact.field), set()).add(value_text(fact.value))
    first_facts: dict[tuple[str, str], Fact] = {}
    for fact in facts:
        if len(values_by_field[fact.subject, fact.field]) == 1:
            first_facts.setdefault((fact.subject, fact.field), fact)
    return list(first_facts.values())


def context_text(case: Case) -> str:
    """Return the text of all results in lower case, for lookups."""
    return " ".join(
        json.dumps(item.content, ensure_ascii=False, default=str) for item in case.context
    ).lower()


def _facts_in(item: ContextItem) -> Iterator[Fact]:
    for record in _find_objects(_parse_if_json(item.content)):
        # Only objects with a name can be subjects of a sentence.
        subject = next((record[name] for name in _NAME_FIELDS if isinstance(record.get(name), str)), None)
        if subject:
            for field, value in record.items():
                if field not in _NAME_FIELDS and isinstance(value, str | int | float | bool) and value != "":
                    yield Fact(subject, field, value, item.id)


def _parse_if_json(content: Any) -> Any:
    if not isinstance(content, str) or content.lstrip()[:1] not in {"{", "["}:
        return content
    try:
        return json.loads(content)
    except (ValueError, RecursionError):
        return content


def _find_objects(value: Any, depth: int = 0) -> Iterator[Mapping[str, Any]]:
    """Yield the objects in a structured result, outer ones first."""
    if depth > _MAX_DEPTH:
        return
    children: Iterable[Any] = ()
    if isinstance(value, dict):
        record = cast("dict[str, Any]", value)
        yield record
        children = record.values()
    elif isinstance(value, list):
        children = cast("Sequence[Any]", value)
    for child in children:
        yield from _find_objects(child, depth + 1)
