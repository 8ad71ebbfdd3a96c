"""Program for the sandbox: run a script, or the hidden tests of a challenge.

An interpreter gets this file as source text, so it imports only the standard library, and pytest if requested. If there are hidden
tests, standard input names their folder and a secret word, which is written to a separate pipe when the tests have ended. An exit code or
printed text would prove nothing, since code that a test imports can end the process or print anything.
"""

from __future__ import annotations

import json
import os
import runpy
import sys
from collections.abc import Callable, Iterable
from contextlib import suppress
from importlib import import_module
from importlib.machinery import ModuleSpec, PathFinder
from importlib.util import spec_from_file_location
from pathlib import Path
from types import TracebackType
from typing import Any, cast

_CONFIGURATION_FILES = ("pytest.ini", ".pytest.ini", "pyproject.toml", "tox.ini", "setup.cfg")
_DEFAULT_CONFIGURATION = "fiducial-exam.ini"


def main(rules: str, kind: str, *names: str) -> int:
    """Run a script or tests of the working folder, and return the exit code.

    Args:
        rules: ``RULES:SOLUTIONS:IMPORTS``. RULES: ``strict`` searches the folder for modules after the libraries, ``bfcl`` before them, as
            agbenchmark does. SOLUTIONS: modules, such as ``code``, that are still imported from the folder, for challenges whose
            solution has the name of a standard module. IMPORTS: standard modules that are imported first, for hidden tests that use
            them.
        kind: ``pytest`` or ``script``.
        names: Files of tests, or the script.
    """
    hidden_tests, prove = _read_assignment()
    # The last two parts may be missing.
    rule_set, solution_modules, names_to_import = [*rules.split(":"), "", ""][:3]
    solution_names = [part for part in solution_modules.split(",") if part]
    workspace = str(Path.cwd())
    folders = [workspace] if hidden_tests is None else [str(hidden_tests), workspace]
    libraries = list(sys.path)
    _import_now(names_to_import.split(",") if names_to_import else [])

    def find_workspace() -> None:
        _guard_standard_modules(libraries, frozenset(solution_names))
        _import_from_folder(solution_names, Path(workspace))
        sys.path[:] = [*libraries, *folders] if rule_set == "strict" else [*folders, *libraries]

    if kind == "pytest":
        exit_code, has_ended = _run_pytest(list(names), hidden_tests, find_workspace)
    else:
        find_workspace()
        exit_code, has_ended = _run_script(names[0], hidden_tests, libraries)
    if has_ended and exit_code == 0:
        prove()
    return exit_code


_OPTIONAL_MODULES = frozenset({"_winreg", "java", "org", "vms_lib", "win32evtlog", "win32evtlogutil"})
"""Modules that the standard library imports only if it finds them: those of Jython and of other systems."""


def _import_now(modules: list[str]) -> None:
    """Import what hidden tests use, before any file of the workspace can be found."""
    for name in modules:
        with suppress(ImportError):  # a module of another system: the test itself decides whether it needs it
            import_module(name)


def _guard_standard_modules(libraries: list[str], preferred: frozenset[str]) -> None:
    """Let standard modules be found in the standard library only, even those it lacks here.

    Else a library that tries to import ``msvcrt``, to see whether this is Windows, would run a workspace's ``msvcrt.py``.
    """

    class Guard:
        @staticmethod
        def find_spec(name: str, path: object = None, target: object = None) -> ModuleSpec | None:
            del target
            is_standard = name in sys.stdlib_module_names and name not in preferred
            if path is not None or not (is_standard or name in _OPTIONAL_MODULES):
                return None
            # Libraries get standard modules from here. Tests and solution go on to the whole path.
            by_library = _is_in(_importer(), libraries)
            spec = PathFinder.find_spec(name, libraries)
            if spec is None and (is_standard or by_library):
                raise ModuleNotFoundError(f"No module named {name!r}", name=name)
            return spec if by_library else None

    # Before the finder that searches `sys.path`, where the workspace is.
    position = next(
        (index for index, finder in enumerate(sys.meta_path) if finder is PathFinder), len(sys.meta_path)
    )
    sys.meta_path.insert(position, Guard)  # pyright: ignore[reportArgumentType] - a finder needs no more than find_spec


def _importer() -> str:
    """Return the file of the code that imports, which is behind the frames of the import system."""
    frame = sys._getframe(2)  # pyright: ignore[reportPrivateUsage]  # noqa: SLF001 - inspect would import what a workspace may replace
    while frame.f_back is not None and (
        frame.f_code.co_filename.startswith("<frozen importlib")
        or frame.f_globals.get("__name__") == "importlib"
    ):
        frame = frame.f_back
    return frame.f_code.co_filename


def _is_in(file: str, folders: Iterable[str]) -> bool:
    return file.startswith(("<frozen ", *(f"{folder}{os.sep}" for folder in folders if folder)))


def _import_from_folder(modules: list[str], folder: Path) -> None:
    """Let modules be imported from a folder, even if they have names of standard modules."""
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


def _read_assignment() -> tuple[Path | None, Callable[[], object]]:
    """Return the folder of the hidden tests and a function that proves that they have ended.

    Standard input is then replaced, so that nothing else in this process can read the secret word.
    """
    text = os.read(0, 4096)
    null_device = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null_device, 0)
    os.close(null_device)
    if not text:
        return None, lambda: None
    assignment: dict[str, Any] = json.loads(text)
    descriptor, word = int(assignment["descriptor"]), str(assignment["word"]).encode("ascii")
    os.set_inheritable(descriptor, False)
    return Path(assignment["exam"]), lambda: os.write(descriptor, word)


def _run_script(name: str, hidden: Path | None, libraries: list[str]) -> tuple[int, bool]:
    """Run a script; return its exit code, and whether it, not the tested code, ended the run."""
    sys.argv = [name]
    try:
        runpy.run_path(name, run_name="__main__")
    except SystemExit as end:
        if end.code not in (None, 0) or hidden is None or end.__traceback__ is None:
            raise
        tests = {os.fspath(Path.cwd() / path.name) for path in hidden.iterdir()} | {name}
        return 0, _was_ended_by(end.__traceback__.tb_next, tests, (*libraries, os.fspath(hidden)))
    return 0, True


def _was_ended_by(traceback: TracebackType | None, tests: set[str], libraries: tuple[str, ...]) -> bool:
    """Return whether the tests, or libraries that they called (unittest), ended the process.

    If the tested code did, the tests have not run to their end.
    """
    while traceback is not None:
        file = traceback.tb_frame.f_code.co_filename
        if file not in tests and not _is_in(file, libraries):
            return False
        traceback = traceback.tb_next
    return True


def _run_pytest(
    names: list[str], hidden: Path | None, find_workspace: Callable[[], None]
) -> tuple[int, bool]:
    """Run tests; return the exit code, and whether any passed and the tested code skipped none.

    Configuration and conftest file are the challenge's, never those of the workspace.
    """
    import pytest  # noqa: PLC0415 - scripts do not need it

    recorder = _ResultRecorder(find_workspace, names)
    options = ["--import-mode=append"]
    if hidden is not None:
        sys.path.append(str(hidden))  # its conftest file may need it at once
        names_of_settings = (*_CONFIGURATION_FILES, _DEFAULT_CONFIGURATION)
        settings = next(hidden / name for name in names_of_settings if (hidden / name).exists())
        conftest = [] if (hidden / "conftest.py").exists() else ["--noconftest"]
        folder = str(Path.cwd())
        options = ["-c", str(settings), f"--rootdir={folder}", f"--confcutdir={folder}", *conftest]
        options += ["--import-mode=importlib", "-p", "no:cacheprovider"]
    code = int(pytest.main([*options, *names], plugins=[recorder]))
    return code, recorder.passed > 0 and not recorder.skipped


class _ResultRecorder:
    """Pytest plugin that records passed tests, and tests that the tested code made skip."""

    def __init__(self, find_workspace: Callable[[], None], names: list[str]) -> None:
        self.find_workspace = find_workspace
        self.names = {str(Path.cwd() / name) for name in (*names, "conftest.py")}
        self.passed = 0
        self.skipped = False

    def pytest_collection(self) -> None:
        """Put the workspace on the path only now, so that no metadata in it can name a plugin."""
        self.find_workspace()

    def pytest_collectreport(self, report: Any) -> None:
        self._record_skip(report)

    def pytest_runtest_logreport(self, report: Any) -> None:
        self.passed += report.when == "call" and report.passed
        self._record_skip(report)

    def _record_skip(self, report: Any) -> None:
        """Record a test that the tested code skipped or marked as an expected failure."""
        if not report.skipped:
            return
        if hasattr(report, "wasxfail"):
            # A mark of the test itself is among its keywords; a call of ``pytest.xfail`` is not.
            self.skipped |= "xfail" not in report.keywords
        elif isinstance(report.longrepr, tuple):  # file, line and reason
            file = str(Path.cwd() / str(cast("tuple[object, ...]", report.longrepr)[0]))
            self.skipped |= file.startswith(f"{Path.cwd()}{os.sep}") and file not in self.names


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
