"""Find out how this machine confines code, by running a command that does nothing."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from ...records.result import Result
from .limits import Limits
from .running import Confinement, SandboxError, run_confined


class SandboxDiagnosis(Result, frozen=True):
    """Confinement that this machine supports.

    Attributes:
        confinement: How a command was confined, or None if no command can be run.
        problem: Why no command can be run, or None.
        open: A sentence for each protection that is missing (see `missing_protections`).
    """

    confinement: Confinement | None
    problem: str | None
    open: list[str]


def diagnose(limits: Limits) -> SandboxDiagnosis:
    """Run a command that does nothing, and return how it was confined."""
    with tempfile.TemporaryDirectory(prefix="fiducial-") as folder:
        try:
            report = run_confined([[sys.executable, "-c", ""]], Path(folder), limits)
        except SandboxError as error:
            return SandboxDiagnosis(confinement=None, problem=str(error), open=[])
    run = report.runs[0]
    if run.ended_by != "exit" or run.code:
        last_line = run.err.decode(errors="replace").strip().rpartition("\n")[2]
        return SandboxDiagnosis(
            report.confinement, f"a command that does nothing fails: {last_line or run.ended_by}", []
        )
    return SandboxDiagnosis(report.confinement, None, missing_protections(report.confinement))


def missing_protections(confinement: Confinement) -> list[str]:
    """Return a sentence for each thing that confined code can still do or use without limit."""
    sentences: list[str] = []
    if confinement.files != "private root":
        sentences.append(
            "code can read files outside the workspace, and the disk space that it uses is not limited"
        )
    if confinement.files == "not confined":
        sentences.append("code can change files outside the workspace that its user can change")
    if confinement.network not in {"none", "no sockets"}:
        tcp = ", but not TCP" if confinement.network == "no TCP" else ""
        sentences.append(f"code can use the network and servers of this machine{tcp}")
    if confinement.processes == "adopted, others in reach":
        sentences.append("code can end other processes of its user")
    if confinement.calls != "filtered":
        sentences.append(
            "code can make namespaces and mounts, read the memory of other processes of its user, "
            "and reach a virtual machine's host (AF_VSOCK)"
        )
        if confinement.memory != "accounted":
            sentences.append("memory that belongs to no process (memfd, System V) is not limited")
    if confinement.memory != "accounted":
        sentences.append(
            "the total memory of all processes is checked fifty times a second, not counted by the kernel"
        )
        sentences.append("released shared memory and buffers of pipes are limited for each process only")
    return sentences
