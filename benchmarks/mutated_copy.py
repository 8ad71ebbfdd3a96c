"""Copy of the checkout in which faults are planted, so that a kill leaves none behind."""

from __future__ import annotations

import importlib.util
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Generator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
_SECONDS = 1800
"""Limit of one run of tests, which says nothing if it takes longer: a single test that hangs fails earlier."""
_CACHE = ".mutants"
_PYTEST = ("-m", "pytest", "-q", "-x", "-p", "no:xdist", "-o", f"cache_dir={_CACHE}")
_LEFT_OUT = ("slow", "reference")
"""Marks of tests that are not tried."""
_PASSED, _NO_TESTS = 0, 5
"""Exit codes of pytest."""
_NOT_INHERITED = ("PYTEST_ADDOPTS", "FIDUCIAL_REFERENCE", "FIDUCIAL_EXAMPLES")  # fmt: skip


class MutatedCopy:
    """A temporary copy of the tracked and new files, imported as ``fiducial``.

    Args:
        parent: An empty folder for it.
    """

    def __init__(self, parent: Path) -> None:
        self.root = parent / "fiducial"
        names = subprocess.run(
            ["git", "ls-files", "-coz", "--exclude-standard"], cwd=ROOT, capture_output=True, check=True
        )
        for name in filter(None, os.fsdecode(names.stdout).split("\0")):
            if (ROOT / name).exists():
                (self.root / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(ROOT / name, self.root / name)
        # The path comes before the finder of an editable installation, which leads to the checkout.
        self._environment = {
            **{name: value for name, value in os.environ.items() if name not in _NOT_INHERITED},
            "PYTHONPATH": str(parent),
        }
        settings = tomllib.loads((self.root / "pyproject.toml").read_text(encoding="utf-8"))
        marks = {line.partition(":")[0] for line in settings["tool"]["pytest"]["ini_options"]["markers"]}
        self._command = [*_PYTEST, "-m", " and ".join(f"not {mark}" for mark in _LEFT_OUT if mark in marks)]

    def require_import(self, python: str) -> None:
        """Stop unless an interpreter imports the copy rather than the checkout."""
        shown = "import fiducial; print(fiducial.__file__)"
        done = subprocess.run(
            [python, "-c", shown],
            cwd=self.root,
            env=self._environment,
            capture_output=True,
            text=True,
            check=True,
        )
        if Path(done.stdout.strip()) != self.root / "__init__.py":
            sys.exit(f"{python} imports {done.stdout.strip()}, not the copy in {self.root}")

    @contextmanager
    def with_source(self, name: str, source: str) -> Generator[None]:
        """Replace the text of a module during the block."""
        path = self.root / name
        original = path.read_text(encoding="utf-8")
        try:
            self._write(path, source)
            yield
        finally:
            self._write(path, original)

    def _write(self, path: Path, source: str) -> None:
        path.write_text(source, encoding="utf-8")
        # Bytecode counts as new by second and size, which a fault need not change.
        Path(importlib.util.cache_from_source(path)).unlink(missing_ok=True)

    def noticing_test(self, name: str, source: str, tests: Sequence[str], python: str) -> str | None:
        """Return the first test that fails with another text of a module, and only with it.

        None if all pass, or if there are none.
        """
        there = [test for test in tests if (self.root / test).exists()]
        if not there:
            return None
        shutil.rmtree(self.root / _CACHE, ignore_errors=True)
        with self.with_source(name, source):
            code = self._exit_code([python, *self._command, *there])
        if code in {_PASSED, _NO_TESTS}:
            return None
        failed = self._failed()
        again = ["--lf", "--lfnf=none"] if failed else []
        if code is None or self._exit_code([python, *self._command, *again, *there]) != _PASSED:
            why = "does not end" if code is None else "fails without the fault, too"
            print(f"{name}: {next(iter(failed), ' '.join(there))} {why}", file=sys.stderr, flush=True)
            return None
        return next(iter(failed), f"pytest ends with {code}")

    def _failed(self) -> dict[str, bool]:
        """Return the tests that failed last, by name."""
        try:
            return json.loads((self.root / _CACHE / "v/cache/lastfailed").read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return {}

    def _exit_code(self, command: Sequence[str]) -> int | None:
        """Return the exit code of a command, or None if it does not end."""
        run = subprocess.Popen(
            command,
            cwd=self.root,
            env=self._environment,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        try:
            return run.wait(_SECONDS)
        except BaseException as error:
            with suppress(ProcessLookupError):
                os.killpg(run.pid, signal.SIGKILL)
            run.wait()
            if isinstance(error, subprocess.TimeoutExpired):
                return None
            raise


@contextmanager
def mutated_copy(python: str = sys.executable) -> Generator[MutatedCopy]:
    """Yield a copy, which is removed at the end."""
    with tempfile.TemporaryDirectory(prefix="mutants-", ignore_cleanup_errors=True) as parent:
        copy = MutatedCopy(Path(parent).resolve())
        copy.require_import(python)
        yield copy
