"""Program run inside the sandbox: runs a script or a challenge's hidden tests.

Its text is handed to an interpreter.

It imports nothing but the standard library, and pytest if requested. If there are hidden tests, standard input says
where they are, and holds a word that is written back through a separate channel when they have ended. Neither an exit code nor
anything printed shows that, since code that a test imports can end the process, or print, as it likes.
"""

from __future__ import annotations

import json
import os
import runpy
import sys
from collections.abc import Callable
from importlib.machinery import ModuleSpec
from importlib.util import spec_from_file_location
from pathlib import Path
from types import TracebackType
from typing import Any, cast

_CONFIGURATIONS = ("pytest.ini", ".pytest.ini", "pyproject.toml", "tox.ini", "setup.cfg")
_OWN_CONFIGURATION = "fiducial-exam.ini"


def main(rules: str, kind: str, *names: str) -> int:
    """Run a script or tests of the working folder.

    ``strict`` puts the folder behind the libraries on the path, else in front, as in agbenchmark. ``strict:code`` finds the module ``code``
    in the folder anyway, since the challenge's own solution has a file of that name.
    """
    hidden, prove = _orders()
    rules, _, wanted = rules.partition(":")
    workspace = str(Path.cwd())
    folders = [workspace] if hidden is None else [str(hidden), workspace]
    libraries = list(sys.path)

    def find_workspace() -> None:
        _prefer([each for each in wanted.split(",") if each], Path(workspace))
        sys.path[:] = [*libraries, *folders] if rules == "strict" else [*folders, *libraries]

    if kind == "pytest":
        code, ended = _run_pytest(list(names), hidden, find_workspace)
    else:
        find_workspace()
        code, ended = _run_script(names[0], hidden, libraries)
    if ended and code == 0:
        prove()
    return code


def _prefer(modules: list[str], folder: Path) -> None:
    """Import modules from a folder, even if the standard library has modules of that name."""
    files = {name: folder / f"{name}.py" for name in modules if (folder / f"{name}.py").is_file()}

    class Preferred:
        @staticmethod
        def find_spec(name: str, path: object = None, target: object = None) -> ModuleSpec | None:
            del path, target
            return spec_from_file_location(name, files[name]) if name in files else None

    for name in files:
        sys.modules.pop(name, None)
    if files:
        sys.meta_path.insert(0, Preferred)  # pyright: ignore[reportArgumentType] - a finder needs no more than find_spec


def _orders() -> tuple[Path | None, Callable[[], object]]:
    """Return the folder of the hidden tests and a function that reports their completion.

    Standard input is emptied, so that no other process finds either there.
    """
    text = os.read(0, 4096)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    if not text:
        return None, lambda: None
    order: dict[str, Any] = json.loads(text)
    descriptor, word = int(order["descriptor"]), str(order["word"]).encode("ascii")
    os.set_inheritable(descriptor, False)
    return Path(order["exam"]), lambda: os.write(descriptor, word)


def _run_script(name: str, hidden: Path | None, libraries: list[str]) -> tuple[int, bool]:
    sys.argv = [name]
    try:
        runpy.run_path(name, run_name="__main__")
    except SystemExit as end:
        if end.code not in (None, 0) or hidden is None or end.__traceback__ is None:
            raise
        ours = {os.fspath(Path.cwd() / path.name) for path in hidden.iterdir()} | {name}
        return 0, _ended_by(end.__traceback__.tb_next, ours, (*libraries, os.fspath(hidden)))
    return 0, True


def _ended_by(trace: TracebackType | None, tests: set[str], libraries: tuple[str, ...]) -> bool:
    """Return whether the script was ended by the tests themselves.

    A library that the tests call, such as unittest, counts as the tests.
    """
    while trace is not None:
        file = trace.tb_frame.f_code.co_filename
        if file not in tests and not file.startswith(
            ("<frozen ", *(f"{folder}{os.sep}" for folder in libraries if folder))
        ):
            return False
        trace = trace.tb_next
    return True


def _run_pytest(
    names: list[str], hidden: Path | None, find_workspace: Callable[[], None]
) -> tuple[int, bool]:
    """Run tests, with no configuration, plugin or conftest file but those of the challenge."""
    import pytest  # noqa: PLC0415 - an ordinary script does without

    watch = _Seen(find_workspace, names)
    options = ["--import-mode=append"]
    if hidden is not None:
        sys.path.append(str(hidden))  # its conftest file may need it at once
        own = [hidden / name for name in (*_CONFIGURATIONS, _OWN_CONFIGURATION) if (hidden / name).exists()]
        conftest = [] if (hidden / "conftest.py").exists() else ["--noconftest"]
        folder = str(Path.cwd())
        options = ["-c", str(own[0]), f"--rootdir={folder}", f"--confcutdir={folder}", *conftest]
        options += ["--import-mode=importlib", "-p", "no:cacheprovider"]
    code = int(pytest.main([*options, *names], plugins=[watch]))
    return code, watch.passed > 0 and not watch.left_out


class _Seen:
    """Pytest plugin that records the results of a test run."""

    def __init__(self, find_workspace: Callable[[], None], names: list[str]) -> None:
        self.find_workspace = find_workspace
        self.names = {str(Path.cwd() / name) for name in (*names, "conftest.py")}
        self.passed = 0
        self.left_out = False

    def pytest_collection(self) -> None:
        """Let the workspace be found only now, so that no metadata in it names a plugin."""
        self.find_workspace()

    def pytest_collectreport(self, report: Any) -> None:
        """Look for a module that was skipped."""
        self._look(report)

    def pytest_runtest_logreport(self, report: Any) -> None:
        """Count what passed, and look for what was skipped."""
        self.passed += report.when == "call" and report.passed
        self._look(report)

    def _look(self, report: Any) -> None:
        """Record a test that was skipped or marked as an expected failure by the tested code.

        Such a test did not pass.
        """
        if report.skipped and hasattr(report, "wasxfail"):
            self.left_out |= "xfail" not in report.keywords
        elif report.skipped:
            where: Any = report.longrepr  # file, line and reason, or, for what was to fail, something else
            file = (
                str(Path.cwd() / str(cast("tuple[object, ...]", where)[0]))
                if isinstance(where, tuple)
                else ""
            )
            self.left_out |= file.startswith(f"{Path.cwd()}{os.sep}") and file not in self.names


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
