"""Pytest plugin that prints a table of the attacks tried, by area.

``make attacks`` runs it.
"""

from __future__ import annotations

import os
from collections import Counter
from typing import Any

import pytest

_AREA, _FORMS = "attack_area", "attack_forms"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        mark = item.get_closest_marker("attack")
        if mark is not None:
            item.user_properties.append((_AREA, str(mark.args[0])))
            rows: int = getattr(getattr(item, "function", None), "rows", 1)  # of each_row
            item.user_properties.append((_FORMS, rows * mark.kwargs.get("forms", 1)))


def pytest_terminal_summary(terminalreporter: Any) -> None:
    counts: dict[str, Counter[str]] = {}
    for outcome in ("passed", "failed", "error", "skipped"):
        for report in terminalreporter.stats.get(outcome, []):
            properties: list[tuple[str, Any]] = getattr(report, "user_properties", [])
            area = dict(properties).get(_AREA)
            if area is not None:
                counts.setdefault(area, Counter())[outcome] += dict(properties).get(_FORMS, 1)
    who = "root" if os.geteuid() == 0 else f"an ordinary user ({os.geteuid()})"
    terminalreporter.write_line(f"\nattacks, tried as {who}")
    terminalreporter.write_line(
        f"{'area':24}{'tried':>7}{'held':>7}{'not held':>10}{'not possible here':>19}"
    )
    for area, each in sorted(counts.items()):
        lost = each["failed"] + each["error"]
        terminalreporter.write_line(
            f"{area:24}{each['passed'] + lost:7}{each['passed']:7}{lost:10}{each['skipped']:19}"
        )
