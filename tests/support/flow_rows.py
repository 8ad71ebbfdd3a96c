"""A row for each judge's class, as runners hand them over; each has the word Rome in it."""

from __future__ import annotations

from typing import Any

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
