"""Read a review page as a browser would, and answer it with its own script in node."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from html_page import Page


class ReviewPage(Page):
    """A review page, with what it holds for its script."""

    @property
    def data(self) -> dict[str, Any]:
        return json.loads(self.inside("script")[0])

    @property
    def script(self) -> str:
        return self.inside("script")[1]


def in_node(expression: str, script: str = "review_labels.js", **values: Any) -> Any:
    """Return the value of an expression over a page's pure functions and the given values."""
    node = shutil.which("node")
    if node is None:
        pytest.skip("needs node")
    source = Path(__file__).parents[2] / "report" / "templates" / script
    given = "".join(f"const {name} = {json.dumps(value)};\n" for name, value in values.items())
    program = f"{source.read_text()}\n{given}process.stdout.write(JSON.stringify({expression}));"
    done = subprocess.run([node, "-"], input=program, capture_output=True, text=True, check=True, timeout=60)
    return json.loads(done.stdout)


def key_of(item: dict[str, Any]) -> str:
    """Return the key under which the page keeps an item's answer."""
    key = json.dumps(
        [item["case_id"], item["system"], item["trial"]], separators=(",", ":"), ensure_ascii=False
    )
    return key.encode(
        "utf-8", "backslashreplace"
    ).decode()  # JavaScript escapes lone surrogates, and nothing else


def label_lines(page: Path, answers: dict[int, float | None], name: str) -> str:
    """Return the page's download after these answers; None means undecidable."""
    items = ReviewPage(page.read_text()).data["items"]
    state = {
        "answers": {
            key_of(items[index]): {"score": score, "informed": False} for index, score in answers.items()
        },
        "notes": {},
        "name": name,
    }
    return in_node("labelLines(items, state)", items=items, state=state)
