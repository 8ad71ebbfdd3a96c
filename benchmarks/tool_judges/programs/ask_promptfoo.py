"""Ask promptfoo's rubric by its own command, with a provider that echoes the answer."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

from asking import BASE_URL, MODEL, ToolVerdict, read_items, said_of, write_said

_RUBRIC = "The response answers the question {{question}} as the reference answer does: {{reference}}"


def _configuration(items: list[Any]) -> dict[str, Any]:
    grader = {"id": f"openai:chat:{MODEL}", "config": {"apiBaseUrl": BASE_URL, "apiKey": "none"}}
    return {
        "prompts": ["{{answer}}"],
        "providers": ["echo"],
        "defaultTest": {"assert": [{"type": "llm-rubric", "value": _RUBRIC, "provider": grader}]},
        "tests": [
            {
                "vars": {name: item[name] for name in ("question", "answer", "reference")},
                "metadata": {"item": item["item"]},
            }
            for item in items
        ],
    }


def _said(result: dict[str, Any]) -> dict[str, Any]:
    number = {"item": result["testCase"]["metadata"]["item"]}
    parts = (result.get("gradingResult") or {}).get("componentResults") or []
    if len(parts) != 1 or (parts[0].get("metadata") or {}).get("graderError"):
        why = result.get("error") or (parts[0].get("reason") if parts else "")
        return {**number, "score": None, "error": f"the tool gave no grade: {why}"[:300]}
    [graded] = parts
    return {**number, **said_of(ToolVerdict(graded["score"], graded["pass"], graded.get("reason")))}


if __name__ == "__main__":
    Path("promptfooconfig.json").write_text(json.dumps(_configuration(read_items())), "utf-8")
    command = ["promptfoo", "eval", "-c", "promptfooconfig.json", "-o", "results.json", "--no-cache"]
    subprocess.run([*command, "--no-table", "--no-progress-bar", "-j", "1"], check=False)
    results = json.loads(Path("results.json").read_text("utf-8"))["results"]["results"]
    write_said([_said(each) for each in results])
