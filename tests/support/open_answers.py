"""Sixty open answers of one system, which no checker decides, for labels and judges."""

from __future__ import annotations

from typing import Any

CASES: list[dict[str, Any]] = [
    {
        "id": f"c{n}",
        "kind": "open_answer",
        "messages": [{"role": "user", "content": "Good?"}],
        "reference": {"criterion": "good"},
    }
    for n in range(60)
]
OUTPUTS: list[dict[str, Any]] = [
    {"case_id": f"c{n}", "system": "me", "text": "good word" if n % 3 else "bad thing"} for n in range(60)
]
