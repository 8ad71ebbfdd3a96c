"""The project itself: parts, notebooks, libraries: 170 to 183."""

from __future__ import annotations

import json
import tomllib
from functools import cache, partial
from pathlib import Path

from .kit import HERE, ROOT, Done, folder, item, ran, same

README = "README.md"


@cache
def _demo() -> tuple[Done, Path]:
    out = folder() / "demo"
    return ran("demo", "--out", out), out


@item(170, 171)
def checkers_come_first_and_judges_next() -> None:
    _, out = _demo()
    rows = [json.loads(line) for line in (out / "verdicts.jsonl").read_text(encoding="utf-8").splitlines()]
    same({row["source"] for row in rows} >= {"checker", "judge"}, True)
    judges = {row["by"].partition("/")[0] for row in rows if row["source"] == "judge"}
    same(judges >= {"tool_call_accuracy", "groundedness", "memory_answer", "web_search_answer"}, True, judges)


@item(172, status="better", page="docs/calibration.md")
def judges_are_calibrated_against_checkers() -> None:
    _, out = _demo()
    found = json.loads(ran("calibrate", out, "--json").out)
    panel = next(iter(found["judges"].values()))
    same({"cohen_kappa", "true_positive_rate", "true_negative_rate"} <= panel["statistics"].keys(), True)


@item(173, status="better", page="examples/judge-prompt/README.md")
def judge_prompts_are_compared() -> None:
    _, out = _demo()
    same(len(json.loads(ran("compare", out, "--by", "judge", "--json").out)["pairs"]) > 0, True)


@item(174, status="better", page="docs/audits.md")
def judges_are_audited() -> None:
    place = folder()
    ran(
        "audit",
        "mutate",
        ROOT / "data/cases.jsonl",
        "--outputs",
        ROOT / "data/outputs.jsonl",
        "--out",
        place / "probes",
    )
    same((place / "probes").exists(), True)


@item(175)
def the_folders_are_there() -> None:
    names = ("judges", "deterministic", "calibration", "prompts", "data", "tests", "notebooks", "evaluation")
    same([name for name in names if not (ROOT / name).is_dir()], [])


@item(176)
def three_notebooks_hold_their_output() -> None:
    notebooks = [
        json.loads(path.read_text(encoding="utf-8")) for path in (ROOT / "notebooks").glob("*.ipynb")
    ]
    same(
        len(notebooks) >= 3
        and all(any(cell.get("outputs") for cell in notebook["cells"]) for notebook in notebooks),
        True,
    )


def _used(library: str) -> None:
    """Require a library to be declared and imported outside tests."""
    declared = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    wanted = json.dumps([declared["dependencies"], declared["optional-dependencies"]]).lower()
    folders = ("api", "calibration", "evaluation", "formats", "judges", "records", "report", "tests")
    files = (path for name in folders for path in (ROOT / name).rglob("*.py"))
    same(library in wanted, True)
    same(
        any(
            f"import {library}" in text or f"from {library}" in text
            for text in (path.read_text("utf-8") for path in files)
        ),
        True,
    )


for _number, _library in (
    (177, "jinja2"),
    (178, "openai"),
    (179, "tenacity"),
    (180, "pandas"),
    (181, "scipy"),
    (183, "pytest"),
):
    item(_number)(partial(_used, _library))


@item(182, status="better", page="docs/coming-from.md#promptflow-and-azure-ai-evaluation")
def promptflow_is_an_extra() -> None:
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"][
        "optional-dependencies"
    ]
    same("promptflow" in extras and (HERE / "tool_calls.prompty").exists(), True)
