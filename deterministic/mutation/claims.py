"""Facts in structured search results, from which claims with certain labels are made."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, cast

from ...records import Case, ContextItem

_NAMES = ("name", "title", "label", "id")
_DEEPEST, _MOST = 4, 200


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
        """The fact in words."""
        return stated(self.subject, self.field, value_text(self.value))


def stated(subject: str, field: str, value: str) -> str:
    """Return a claim in words."""
    return f"The {field.replace('_', ' ')} of {subject} is {value}."


def value_text(value: Any) -> str:
    """Return a value as written in a sentence."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return str(value)


def facts_of(case: Case) -> list[Fact]:
    """Return the facts in a case's structured results, at most a few hundred.

    There is one for each named record and field. If results contradict each other about a thing of the same name, its field is left out.
    """
    facts = [fact for item in case.context for fact in _facts_in(item)][:_MOST]
    values: dict[tuple[str, str], set[str]] = {}
    for fact in facts:
        values.setdefault((fact.subject, fact.field), set()).add(value_text(fact.value))
    first: dict[tuple[str, str], Fact] = {}
    for fact in facts:
        if len(values[fact.subject, fact.field]) == 1:
            first.setdefault((fact.subject, fact.field), fact)
    return list(first.values())


def context_text(case: Case) -> str:
    """Return the text of all results in lower case, for lookups."""
    return " ".join(
        json.dumps(item.content, ensure_ascii=False, default=str) for item in case.context
    ).lower()


def _facts_in(item: ContextItem) -> Iterator[Fact]:
    for record in _records(_structured(item.content)):
        subject = next((record[name] for name in _NAMES if isinstance(record.get(name), str)), None)
        if subject:
            for field, value in record.items():
                if field not in _NAMES and isinstance(value, str | int | float | bool) and value != "":
                    yield Fact(subject, field, value, item.id)


def _structured(content: Any) -> Any:
    if not isinstance(content, str) or content.lstrip()[:1] not in {"{", "["}:
        return content
    try:
        return json.loads(content)
    except (ValueError, RecursionError):
        return content


def _records(value: Any, depth: int = 0) -> Iterator[Mapping[str, Any]]:
    """Yield every object in a structured result, outer ones first."""
    if depth > _DEEPEST:
        return
    inner: Iterable[Any] = ()
    if isinstance(value, dict):
        record = cast("dict[str, Any]", value)
        yield record
        inner = record.values()
    elif isinstance(value, list):
        inner = cast("Sequence[Any]", value)
    for part in inner:
        yield from _records(part, depth + 1)
