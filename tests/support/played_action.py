"""The GitHub Action and workflows that use it, played step by step in a folder."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any, TypeAlias, cast

from ruamel.yaml import YAML

ROOT = Path(__file__).parents[2]
Ended: TypeAlias = dict[str, subprocess.CompletedProcess[str]]

TOKEN = "the-token"

GH = """#!/bin/sh
printf '%s\\n' "$@" >> "$CALLS"
[ "$GH_TOKEN" = the-token ] || exit 4
case "$1 $2" in
  "run list") [ -d "$KEPT" ] && echo 17; exit 0 ;;
  "run download") mkdir -p "$7" && cp -r "$KEPT/$5/." "$7" ;;
esac
"""
"""A `gh` that records its calls; artifacts of the main branch are in a folder."""


def loaded(text: str) -> dict[str, Any]:
    """Read YAML."""
    return cast("dict[str, Any]", YAML(typ="safe").load(text))  # pyright: ignore[reportUnknownMemberType] - ruamel.yaml has no types


def action() -> dict[str, Any]:
    """Return the action."""
    return loaded((ROOT / "action.yml").read_text("utf-8"))


class Sandbox:
    """One run of a workflow: a checkout, what the runner keeps, and artifacts.

    Args:
        folder: The checkout, in which a folder ``bin`` gets a `gh`.
        event: The event that started it.
        kept: Folder of the artifacts of the main branch's latest run.
    """

    def __init__(self, folder: Path, event: str = "pull_request", kept: Path | None = None) -> None:
        self.folder, self.event = folder, event
        self.temp = folder / "temp"
        self.artifacts = self.temp / "artifacts"
        self.kept = kept or self.temp / "none"
        self.seen: list[tuple[str, dict[str, str]]] = []
        commands = folder / "bin"
        commands.mkdir(exist_ok=True)
        self.temp.mkdir(exist_ok=True)
        (commands / "gh").write_text(GH)
        (commands / "gh").chmod(0o755)

    @property
    def calls(self) -> list[str]:
        """Arguments of all calls of `gh`."""
        path = self.temp / "gh-calls"
        return path.read_text().splitlines() if path.exists() else []

    @property
    def comment(self) -> str:
        """The comment, as its file says."""
        return Path(self.calls[-1]).read_text("utf-8")

    @property
    def summary(self) -> str:
        """The summary of the steps."""
        return (self.temp / "GITHUB_STEP_SUMMARY").read_text("utf-8")

    def play(self, described: dict[str, Any] | None = None, **inputs: str) -> Ended:
        """Run the steps of the action but the installation; return each one's result by name.

        A failed step ends the run.
        """
        described = described or action()
        known = self._known() | {
            f"inputs.{name}": str(each.get("default", "")) for name, each in described["inputs"].items()
        }
        known |= {f"inputs.{name}": value for name, value in inputs.items()}
        known |= {name: self.filled(value, known) for name, value in known.items()}
        ended: Ended = {}
        for step in described["runs"]["steps"]:
            if step["name"] == "Install" or not self.holds(step.get("if", ""), known):
                continue
            ended[step["name"]] = self._step(step, known)
            if ended[step["name"]].returncode:
                break
        self.outputs = {"status": known.get("steps.end.outputs.status", "")}
        return ended

    def _known(self) -> dict[str, str]:
        return {
            "github.event_name": self.event,
            "github.event.pull_request.html_url": "https://code.example/pull/7",
            "github.repository": "owner/agent",
            "github.workflow": "agent",
            "github.token": TOKEN,
            "runner.temp": str(self.temp),
        }

    def filled(self, text: object, known: dict[str, str]) -> str:
        """Return a text with its expressions replaced."""
        return re.sub(r"\$\{\{ *([\w.]+) *\}\}", lambda found: known.get(found[1], ""), str(text))

    def holds(self, condition: str, known: dict[str, str]) -> bool:
        """Return whether a condition of comparisons holds."""
        parts = [piece.strip() for piece in condition.split("&&") if piece.strip() not in {"", "always()"}]
        for part in parts:
            found = re.fullmatch(r"([\w.]+) (==|!=) '([^']*)'", part)
            assert found is not None, part
            if (known.get(found[1], "") == found[3]) != (found[2] == "=="):
                return False
        return True

    def _step(self, step: dict[str, Any], known: dict[str, str]) -> subprocess.CompletedProcess[str]:
        if "uses" in step:
            given = {name: self.filled(value, known) for name, value in step["with"].items()}
            return self._artifact(step["uses"], given)
        output = self.temp / "GITHUB_OUTPUT"
        output.write_text("")
        environment = {name: self.filled(value, known) for name, value in step.get("env", {}).items()}
        self.seen.append((step["name"], environment))
        paths = [str(self.folder / "bin"), str(Path(sys.executable).parent), os.environ["PATH"]]
        files = {name: str(self.temp / name) for name in ("GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY")}
        runner = {"PATH": os.pathsep.join(paths), "RUNNER_TEMP": str(self.temp), **files}
        runner |= {"KEPT": str(self.kept), "CALLS": str(self.temp / "gh-calls")}
        done = subprocess.run(
            ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]],
            env={**os.environ, **environment, **runner},
            cwd=self.folder,
            capture_output=True,
            text=True,
            check=False,
        )
        for line in output.read_text().splitlines():
            name, _, value = line.partition("=")
            known[f"steps.{step.get('id')}.outputs.{name}"] = value
        return done

    def _artifact(self, uses: str, given: dict[str, str]) -> subprocess.CompletedProcess[str]:
        """Store or fetch an artifact as its actions do."""
        stored, path = self.artifacts / given["name"], self.folder / given["path"]
        source, target = (path, stored) if uses == "actions/upload-artifact@v4" else (stored, path)
        assert uses in {"actions/upload-artifact@v4", "actions/download-artifact@v4"}
        if not source.exists():
            return subprocess.CompletedProcess([uses], 1)
        if source.is_file():
            target.mkdir(parents=True, exist_ok=True)
            shutil.copy(source, target)
        else:
            shutil.copytree(source, target, dirs_exist_ok=True)
        return subprocess.CompletedProcess([uses], 0)
