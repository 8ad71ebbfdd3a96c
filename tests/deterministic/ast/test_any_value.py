"""Arguments whose value does not matter."""

from __future__ import annotations

from typing import Any

from each_row import each_row

import fiducial as fd

TOOL = {
    "type": "function",
    "function": {
        "name": "book",
        "parameters": {
            "type": "object",
            "properties": {"city": {"type": "string"}, "nights": {"type": "integer"}},
            "required": ["city", "nights"],
        },
    },
}


@each_row("rules", ["strict", "bfcl"])
@each_row(
    ("arguments", "score"),
    [
        ({"city": "Rome", "nights": 2}, 1.0),
        ({"city": "Oslo", "nights": 2}, 1.0),
        ({"city": "Oslo", "nights": 3}, 0.0),
        ({"nights": 2}, 0.0),
    ],
)
def test_whatever_value_is_given_passes_but_it_has_to_be_given(
    rules: Any, arguments: dict[str, Any], score: float
) -> None:
    case = {
        "id": "c",
        "kind": "tool_call",
        "messages": [{"role": "user", "content": "Book."}],
        "tools": [TOOL],
        "reference": {"calls": [{"name": "book", "arguments": {"city": {"any_value": True}, "nights": 2}}]},
    }
    output = {"case_id": "c", "system": "s", "tool_calls": [{"name": "book", "arguments": arguments}]}
    assert fd.check(case, output, rules=rules).score == score
