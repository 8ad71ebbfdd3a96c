from __future__ import annotations

import pytest

from fiducial.deterministic.sandbox import diagnosis
from fiducial.deterministic.sandbox.diagnosis import diagnose, left_open
from fiducial.deterministic.sandbox.limits import Limits
from fiducial.deterministic.sandbox.running import Confinement, SandboxError


def test_what_this_machine_gives_is_found_out_by_trying():
    found = diagnose(Limits(wall_seconds=10))
    assert found.problem is None
    assert found.confinement is not None
    assert found.open == left_open(found.confinement)


@pytest.mark.parametrize(
    ("confinement", "phrases"),
    [
        (Confinement("private root", "none", "own namespace", "filtered"), []),
        (Confinement("writes confined", "no sockets", "adopted", "filtered"), ["can be read"]),
        (
            Confinement("not confined", "no TCP", "adopted", "not filtered"),
            [
                "can be read",
                "can be changed",
                "the network but for TCP is open",
                "mounts of the code's own",
                "memfd",
            ],
        ),
    ],
)
def test_what_is_left_open_is_said(confinement: Confinement, phrases: list[str]):
    *particular, _, _ = left_open(confinement)
    assert len(particular) == len(phrases)
    assert all(phrase in sentence for phrase, sentence in zip(phrases, particular, strict=True))


def test_of_memory_that_the_kernel_accounts_for_nothing_is_left_open():
    assert left_open(Confinement("private root", "none", "own namespace", "filtered", "accounted")) == []
    (sentence,) = left_open(Confinement("private root", "none", "own namespace", "not filtered", "accounted"))
    assert "memory that belongs to no process" not in sentence


def test_a_machine_on_which_no_code_can_be_run_says_why(monkeypatch: pytest.MonkeyPatch):
    def refuse(*_: object) -> None:
        raise SandboxError("the launcher failed: refused")

    monkeypatch.setattr(diagnosis, "run_confined", refuse)
    assert diagnose(Limits()).problem == "the launcher failed: refused"
