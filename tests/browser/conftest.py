"""Pages in a real browser: one Chromium for all, and the pages as commands write them."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import chdir
from pathlib import Path
from typing import Any

import pytest
from chromium import Browser, chromium
from command import fiducial
from provider_server import Answer, ProviderServer

import fiducial as fd
from fiducial.data import demo_path

HOSTILE = (
    "</script></pre></style><script>window.broken = 1</script><img src=x onerror='window.broken = 2'>"
    "<a href='javascript:window.broken=3'>\"'><b onclick=\"window.broken=4\">\u202e{{ 7*7 }}${7*7}"
)
"""What would run, load or break something, were it taken for more than text."""


@pytest.fixture(scope="session")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    with chromium(tmp_path_factory.mktemp("chromium")) as running:
        yield running


@pytest.fixture(scope="session")
def axe() -> Path:
    """The script of axe-core, which `make browser` fetches."""
    fetched = Path(__file__).parents[2] / ".venv-browser/node_modules/axe-core/axe.min.js"
    script = Path(os.environ.get("FIDUCIAL_AXE", fetched))
    if not script.exists():
        pytest.skip("needs axe-core, which `make browser` fetches where there is npm")
    return script


@pytest.fixture(scope="session")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The run folder of the demo."""
    place = tmp_path_factory.mktemp("demo")
    with chdir(place):  # so that the page names no path of the machine
        done = fiducial("demo", "--out", "demo")
    assert done.code == 0, done.err
    return place / "demo"


@pytest.fixture(scope="session")
def unlabelled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run on the demo's cases and outputs of which nobody has labelled anything."""
    folder = tmp_path_factory.mktemp("unlabelled") / "run"
    files = [demo_path("cases.jsonl"), "--outputs", demo_path("outputs.jsonl")]
    judges = ["--judge", "rubric", "--judge", "memory_answer", "--judge", "groundedness"]
    done = fiducial("run", *files, *judges, "--model", "baseline", "--out", folder)
    assert done.code == 0, done.err
    return folder


def _written(*command: str | Path) -> None:
    done = fiducial(*command)
    assert done.code == 0, done.err


@pytest.fixture(scope="session")
def pages(demo: Path, unlabelled: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a page of each kind."""
    place = tmp_path_factory.mktemp("pages")
    _written("compare", demo, "--by", "system", "--html", place / "systems.html")
    _written("compare", demo, "--html", place / "judges.html")
    _written("report", unlabelled, demo, "--html", place / "two-runs.html")
    _written("history", demo.parent, "--html", place / "history.html")
    outputs = ["--outputs", demo_path("outputs.jsonl")]
    _written(
        "audit", "mutate", demo_path("cases.jsonl"), *outputs, "--per-output", "1", "--out", place / "probes"
    )
    asked = [
        "--judge",
        "tool_call_accuracy",
        "--judge",
        "groundedness",
        "--model",
        "baseline",
        "--sample",
        "10",
    ]
    _written("audit", "run", place / "probes", *asked, "--ladder", "--calls", "40", "--out", place / "audit")
    (place / "audit" / "report.html").rename(place / "audit.html")
    return place


@pytest.fixture(scope="session")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a run folder of hostile texts: ids, systems, questions, tools, answers, reasons."""

    message = {"role": "user", "content": HOSTILE}
    tool: dict[str, Any] = {
        "name": "book",
        "description": HOSTILE,
        "parameters": {"type": "dict", "properties": {HOSTILE: {"type": "string"}}, "required": []},
    }
    call = {"name": "book", "arguments": {HOSTILE: HOSTILE}}
    asked = {"messages": [message], "tags": {"category": HOSTILE}}
    cases: list[Any] = [
        {"id": f"{HOSTILE}1", "kind": "tool_call", "tools": [tool], "reference": {"calls": [call]}, **asked},
        {"id": f"{HOSTILE}2", "kind": "open_answer", "reference": {"criterion": HOSTILE}, **asked},
    ]
    outputs: list[Any] = [
        {"case_id": f"{HOSTILE}1", "system": HOSTILE, "tool_calls": [{"name": HOSTILE, "arguments": {}}]},
        {"case_id": f"{HOSTILE}2", "system": HOSTILE, "text": HOSTILE},
    ]
    folder = tmp_path_factory.mktemp("hostile") / "run"
    replies = Answer(json.dumps({"reason": HOSTILE, "score": 0}))
    with ProviderServer(script=lambda seen: replies) as server:
        judges = [
            fd.judge(name, model=HOSTILE, base_url=server.base_url, api_key="sk-none", cache=False)
            for name in ("tool_call_accuracy", "rubric")
        ]
        run = fd.evaluate(cases, outputs, judges=judges, judge_on="all", out=folder)
    run.report(folder / "report.html")
    assert len([verdict for verdict in run.verdicts if verdict.source == "judge" and verdict.reason]) == 2
    return folder
