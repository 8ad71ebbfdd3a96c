"""A row for each judge's class, as runners hand them over; each has the word Rome in it."""

from __future__ import annotations

import json
import re
from typing import Any

from provider_server import Seen

ROWS: dict[str, dict[str, Any]] = {
    "groundedness": {"response": "Rome is a city.", "context": ["Rome is a city."], "query": "Rome?"},
    "memory_answer": {"query": "Which city?", "response": "Rome", "accepted_answers": ["Rome"]},
    "rubric": {"query": "Which city?", "response": "Rome", "criterion": "The answer names a city."},
    "task_completion": {
        "messages": [
            {"role": "user", "content": "Book Rome."},
            {"role": "assistant", "tool_calls": [{"function": {"name": "book", "arguments": '{"city": "Rome"}'}}]},
            {"role": "tool", "content": "booked"},
            {"role": "assistant", "content": "Done."},
        ]
    },
    "tool_call_accuracy": {
        "query": "Book Rome.",
        "tool_definitions": [{"name": "book", "description": "Books.", "parameters": {"type": "object"}}],
        "tool_calls": [{"type": "tool_call", "name": "book", "arguments": {"city": "Rome"}}],
    },
    "web_search_answer": {"query": "Which city?", "response": "Rome", "accepted_answers": ["Rome"]},
}  # fmt: skip


def told_apart(row: dict[str, Any], count: int) -> list[dict[str, Any]]:
    """So many rows like this one, each with its number behind every Rome."""
    text = json.dumps(row)
    return [json.loads(text.replace("Rome", f"Rome {place}")) for place in range(count)]


def number(seen: Seen) -> int:
    """Which of such rows a request is about."""
    found = re.search(r"Rome (\d+)", seen.text)
    assert found is not None
    return int(found[1])
