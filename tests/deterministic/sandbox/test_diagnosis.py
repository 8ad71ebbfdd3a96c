from __future__ import annotations

import pytest

from fiducial.deterministic.sandbox import diagnosis
from fiducial.deterministic.sandbox.diagnosis import diagnose, missing_protections
from fiducial.deterministic.sandbox.limits import Limits
from fiducial.deterministic.sandbox.running import Confinement, SandboxError


def test_what_this_machine_gives_is_found_out_by_trying():
    found = diagnose(Limits(wall_seconds=60))
    assert found.problem is None
    assert found.confinement is not None
    assert found.open == missing_protections(found.confinement)


@pytest.mark.parametrize(
    ("confinement", "phrases"),
    [
        (Confinement("private root", "none", "own namespace", "filtered"), []),
        (Confinement("writes confined", "no sockets", "adopted", "filtered"), ["can read files"]),
        (
            Confinement("not confined", "no TCP", "adopted", "not filtered"),
            [
                "can read files",
                "can change files",
                "can use the network and servers of this machine, but not TCP",
                "namespaces and mounts",
                "memfd",
            ],
        ),
    ],
)
def test_what_is_left_open_is_said(confinement: Confinement, phrases: list[str]):
    *particular, _, _ = missing_protections(confinement)
    assert len(particular) == len(phrases)
    assert all(phrase in sentence for phrase, sentence in zip(phrases, particular, strict=True))


def test_of_memory_that_the_kernel_accounts_for_nothing_is_left_open():
    assert (
        missing_protections(Confinement("private root", "none", "own namespace", "filtered", "accounted"))
        == []
    )
    (sentence,) = missing_protections(
        Confinement("private root", "none", "own namespace", "not filtered", "accounted")
    )
    assert "memory that belongs to no process" not in sentence


def test_a_machine_on_which_no_code_can_be_run_says_why(monkeypatch: pytest.MonkeyPatch):
    def refuse(*_: object) -> None:
        raise SandboxError("the launcher failed: refused")

    monkeypatch.setattr(diagnosis, "run_confined", refuse)
    assert diagnose(Limits()).problem == "the launcher failed: refused"
