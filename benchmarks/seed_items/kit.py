"""Registry of items, and helpers that their checks share."""

from __future__ import annotations

import contextlib
import io
import json
import sys
import tempfile
from collections.abc import Callable, Iterable
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Literal, NamedTuple, TypeAlias

import fiducial as fd
from fiducial.api.importing import import_bfcl
from fiducial.cli.main import main
from fiducial.records import Case, Verdict, read_records

HERE = Path(__file__).parent
BFCL = HERE / "bfcl"
ROOT = HERE.parents[1]

Status: TypeAlias = Literal["same", "better", "read"]


class NotRun(Exception):  # noqa: N818 - not an error: says what to install
    """Raised by a check whose optional package is not installed; the message names it."""


def needs(package: str) -> None:
    """Leave the check out if an optional package is not installed."""
    if find_spec(package) is None:
        raise NotRun(f"pip install {package}")


class Item(NamedTuple):
    """One check, and the items that it decides.

    Attributes:
        status: What the items are when the check passes; ``read`` for what no program can run.
        page: Where a difference is explained.
        check: Raises if the items are not so.
    """

    numbers: tuple[int, ...]
    status: Status
    page: str
    check: Callable[[], object]


ITEMS: list[Item] = []


def item(*numbers: int, status: Status = "same", page: str = "") -> Callable[[Callable[[], object]], object]:
    """Register a check of some items."""

    def register(check: Callable[[], object]) -> object:
        ITEMS.append(Item(numbers, status, page, check))
        return check

    return register


class Done(NamedTuple):
    """Exit code, standard output and errors of a command."""

    code: int
    out: str
    err: str


def run(*args: object) -> Done:
    """Run ``fiducial ARGS`` in this process."""
    out, err, code, before = io.StringIO(), io.StringIO(), 0, sys.argv
    sys.argv = ["fiducial", *map(str, args)]
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            main()
    except SystemExit as leave:
        code = leave.code if isinstance(leave.code, int) else 1
    finally:
        sys.argv = before
    return Done(code, out.getvalue(), err.getvalue())


def ran(*args: object, code: int = 0) -> Done:
    """Run a command that has to end with this code."""
    done = run(*args)
    same(done.code, code, done.err)
    return done


def folder() -> Path:
    """Return a new temporary folder."""
    return Path(tempfile.mkdtemp(prefix="fiducial-seeds-"))


def same(got: object, expected: object, about: object = "") -> None:
    """Fail unless both are equal."""
    if got != expected:
        raise AssertionError(f"expected {expected!r}, got {got!r} {about}".strip())


@cache
def cases(category: str) -> list[Case]:
    """Return the cases of a category of our data."""
    return list(import_bfcl(BFCL, [category]).cases)


def verdict(case: Case, reply: Any, rules: Any = "strict") -> Verdict:
    """Check a text, native calls, or turns of steps."""
    fields: dict[str, Any] = {"case_id": case.id, "system": "s"}
    if isinstance(reply, str):
        fields["text"] = reply
    elif reply and isinstance(reply[0], list):
        fields["turns"] = reply
    else:
        fields["tool_calls"] = reply
    return fd.check(case, fields, rules=rules)


def scores(
    category: str, reply: Any, strict: float | None, bfcl: float | None, error: str | None = None
) -> None:
    """Check one reply to the first case of a category under both rule sets."""
    case = cases(category)[0]
    found, original = verdict(case, reply), verdict(case, reply, "bfcl")
    same((found.score, original.score), (strict, bfcl), reply)
    if error is not None:
        same(original.error_type, error, reply)


def lines(path: Path, rows: Iterable[object]) -> Path:
    """Write JSON Lines."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def verdicts_of(path: Path) -> list[Verdict]:
    """Read a file of verdicts."""
    return list(read_records(path, Verdict))


__all__ = ["Case", "Verdict", "fd"]
