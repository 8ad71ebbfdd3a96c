"""Cases and replies for gated runs; checkers decide every seventh."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import fiducial as fd

N = 60


def open_cases(n: int = N) -> list[dict[str, Any]]:
    return [
        {
            "id": f"c{number:02}",
            "kind": "memory_answer",
            "messages": [{"role": "user", "content": f"Where is {number}?"}],
            "reference": {"answers": [f"place {number} in Rome"]},
            "tags": {"risk": "high" if number % 3 else "low"},
        }
        for number in range(n)
    ]


def replies(bad: int = 12, trials: Callable[[int], int] = lambda _: 1, n: int = N) -> list[fd.Output]:
    """Return replies, the first ``bad`` wrong; checkers decide every seventh."""
    return [
        fd.Output(
            case_id=f"c{number:02}",
            system="me",
            trial=trial,
            text="elsewhere"
            if number < bad
            else f"place {number} in Rome"
            if number % 7 == 0
            else f"Rome, {number}",
        )
        for number in range(n)
        for trial in range(trials(number))
    ]


def lenient(output: str) -> float:
    return float("Rome" in output)


def strict(output: str) -> float | None:
    number = int("".join(filter(str.isdigit, output)) or 0)
    return None if number % 2 else float("Rome" in output and number > 20)


def graded(output: str) -> float:
    return 0.9 if "place" in output else 0.6 if "Rome" in output else 0.2
