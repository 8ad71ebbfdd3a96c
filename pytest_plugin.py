"""Pytest plugin: judges that answer from cassettes, so that tests need no key, and gates.

pytest loads it at every start, so it imports nothing of ours until a test needs it.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Generator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from .api.callable_judge import CallableJudge

_OPTION = "--fiducial-record"
_FOLDER = "fiducial_cassettes"
_GATE = "fiducial_gate"


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option to record, and the setting for the folder of cassettes."""
    parser.getgroup("fiducial").addoption(
        _OPTION,
        action="store_true",
        help="Ask judges the questions missing in their cassettes, and store the replies there.",
    )
    parser.addini(
        _FOLDER, "Where cassettes are, relative to pytest's root folder.", default="tests/cassettes"
    )


def pytest_configure(config: pytest.Config) -> None:
    """Add the marker of gates, and forbid recording in CI, whatever the options."""
    config.addinivalue_line(
        "markers", f"{_GATE}(**limits): limits of the fixture fiducial_gate, as fiducial.gate takes them."
    )
    if config.getoption(_OPTION) and os.environ.get("CI", "").lower() in {"1", "true"}:
        raise pytest.UsageError(
            f"{_OPTION}: no recording in CI; record on your machine, and commit the cassette"
        )


@pytest.fixture
def judge_from_cassette(request: pytest.FixtureRequest) -> Generator[Callable[..., CallableJudge]]:
    """Return a function that makes judges that answer from a cassette.

    Its signature is ``judge_from_cassette(judge, cassette=None, **options)``.

    ``judge`` is a judge's name or a ``.prompty`` file; ``cassette`` names the file in the folder of cassettes, by default after the
    test module; the options are those of `fiducial.judge`. A question without a reply in the cassette fails the test. With
    ``--fiducial-record`` it is asked instead, and its reply added.
    """
    from .api.judging import cassette_judge  # noqa: PLC0415 - when it is used

    ready_judges: list[CallableJudge] = []

    def make(judge: str | Path, cassette: str | None = None, **options: Any) -> CallableJudge:
        folder = request.config.rootpath / request.config.getini(_FOLDER)
        path = folder / f"{(cassette or request.path.stem).removesuffix('.jsonl')}.jsonl"
        ask = bool(request.config.getoption(_OPTION))
        ready_judges.append(cassette_judge(_resolved(judge, request.path.parent), path, ask=ask, **options))
        return ready_judges[-1]

    yield make
    for ready_judge in ready_judges:
        ready_judge.close()


@pytest.fixture
def fiducial_gate(request: pytest.FixtureRequest) -> Callable[..., None]:
    """Return a function like `fiducial.gate` that fails the test unless the gate passes.

    Limits of ``@pytest.mark.fiducial_gate(...)`` on the test, its class or module hold where the call names no other.
    With ``cannot_tell="pass"`` a gate that cannot tell passes the test, unless nothing is graded.
    """
    # Closest first; reversed, so that a limit on the test overrides one on its class or module.
    marks = list(request.node.iter_markers(_GATE))
    limits_of_marks: dict[str, Any] = {
        name: value for mark in reversed(marks) for name, value in mark.kwargs.items()
    }

    def check(*runs: Any, **limits: Any) -> None:
        __tracebackhide__ = True
        from .api.gating import gate  # noqa: PLC0415 - when it is used

        limits = {**limits_of_marks, **limits}
        if_cannot_tell = limits.pop("cannot_tell", "fail")
        if if_cannot_tell not in {"pass", "fail"}:
            pytest.fail(f"cannot_tell={if_cannot_tell!r}: expected pass or fail", pytrace=False)
        answer = gate(*runs, **limits)
        if answer.decided(if_cannot_tell) != "passes":
            pytest.fail(str(answer), pytrace=False)
        if answer.answer != "passes":
            request.node.add_report_section("call", "gate", str(answer.decided_by(if_cannot_tell)))

    return check


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call() -> Generator[None, object, object]:
    """Fail with the question that has no reply, instead of a traceback through fiducial."""
    try:
        return (yield)
    except Exception as error:
        errors = sys.modules.get("fiducial.errors")
        if errors is None or not isinstance(error, errors.MissingReplyError):
            raise
        missing = str(error)
    pytest.fail(f"{missing}; record it with `pytest {_OPTION}`", pytrace=False)


def _resolved(judge: str | Path, test_folder: Path) -> str | Path:
    """Return the prompt file next to the test if the working folder has none."""
    path = test_folder / judge
    is_beside_test = str(judge).endswith(".prompty") and not Path(judge).exists() and path.exists()
    return path if is_beside_test else judge
