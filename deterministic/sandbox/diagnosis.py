"""Diagnose this machine's sandboxing by confining a command that does nothing."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import msgspec

from .limits import Limits
from .running import Confinement, SandboxError, run_confined


class Diagnosis(msgspec.Struct, frozen=True):
    """Sandboxing that this machine supports.

    Attributes:
        confinement: How a command was confined; None if none can be run.
        problem: Why none can be run.
        open: One sentence for each thing that is not denied or not bounded.
    """

    confinement: Confinement | None
    problem: str | None
    open: list[str]


def diagnose(limits: Limits) -> Diagnosis:
    """Run a command that does nothing, and return how it was confined."""
    with tempfile.TemporaryDirectory(prefix="fiducial-") as folder:
        try:
            report = run_confined([[sys.executable, "-c", ""]], Path(folder), limits)
        except SandboxError as error:
            return Diagnosis(None, str(error), [])
    run = report.runs[0]
    if run.by != "exit" or run.code:
        last = run.err.decode(errors="replace").strip().rpartition("\n")[2]
        return Diagnosis(report.confinement, f"a command that does nothing fails: {last or run.by}", [])
    return Diagnosis(report.confinement, None, left_open(report.confinement))


def left_open(confinement: Confinement) -> list[str]:
    """Return a sentence for each thing that confined code is not denied or bounded in."""
    sentences: list[str] = []
    if confinement.files != "private root":
        sentences.append(
            "files outside the workspace can be read by code, and the space that it fills is not bounded"
        )
    if confinement.files == "not confined":
        sentences.append("files outside the workspace can be changed by code, where its user may")
    if confinement.network not in {"none", "no sockets"}:
        tcp = "but for TCP " if confinement.network == "no TCP" else ""
        sentences.append(f"the network {tcp}is open to code, and so are servers of this machine")
    if confinement.processes == "adopted, others in reach":
        sentences.append("other processes of its user can be ended by code, one by one")
    if confinement.calls != "filtered":
        sentences.append(
            "namespaces and mounts of the code's own are not denied, nor is memory of other processes"
        )
        if confinement.memory != "accounted":
            sentences.append("memory that belongs to no process (memfd, System V) is not bounded")
    if confinement.memory != "accounted":
        sentences.append(
            "memory of all processes together is looked at fifty times a second, not accounted for"
        )
        sentences.append(
            "pages shared and let go of, and buffers of pipes, are bounded for each process only"
        )
    return sentences
