"""Another tool's judge, audited by our probes."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import msgspec

from ..evaluation.audit import exchange
from ..evaluation.audit.plan import DEFAULT_SAMPLE
from .audits import Audit
from .sources import FilePath


def export_probes(
    probes: FilePath, to: str, out: FilePath, *, sample: int = DEFAULT_SAMPLE, only: Sequence[str] = ()
) -> list[Path]:
    """Write probes for another tool's judge: an Inspect data set and log, a configuration of promptfoo, rows of Azure.

    Args:
        probes: A folder that `fiducial.mutate` made.
        to: ``inspect``, ``promptfoo`` or ``azure``.
        out: The folder to write.
        sample: Probes of each operator at most.
        only: Operators by name; all when left out.

    Returns:
        The files.

    Raises:
        UsageError: Nothing is written for this tool.
        InputError: The probes cannot be used.
    """
    return exchange.export_probes(Path(probes), to, Path(out), sample=sample, only=only)


def import_audit(probes: FilePath, results: FilePath, out: FilePath, *, as_: str | None = None) -> Audit:
    """Analyse what another tool's judges said of probes.

    Args:
        probes: The folder that was exported.
        results: What the tool wrote of them.
        out: A folder for the verdicts and the audit.
        as_: The format of the results; found from the content when left out.

    Returns:
        The audit: each judge's sensitivity by operator.

    Raises:
        InputError: A file cannot be read, or nothing in it is about these probes.
    """
    found = exchange.import_audit(Path(probes), Path(results), Path(out), as_=as_)
    return Audit(**{name: getattr(found, name) for name in msgspec.structs.asdict(found)})
