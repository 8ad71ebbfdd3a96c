"""Another tool's judge, audited by our probes."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import msgspec

from ..evaluation.audit import exchange
from ..evaluation.audit.plan import DEFAULT_SAMPLE
from .audits import Audit
from .places import FilePath, folder_path, input_path, written_path


def export_probes(
    probes: FilePath, to: str, out: FilePath, *, sample: int = DEFAULT_SAMPLE, only: Sequence[str] = ()
) -> list[Path]:
    """Write probes for another tool's judge: an Inspect data set and log, a configuration of promptfoo, or rows of Azure."""
    return exchange.export_probes(folder_path(probes), to, written_path(out), sample=sample, only=only)


def import_audit(probes: FilePath, results: FilePath, out: FilePath, *, as_: str | None = None) -> Audit:
    """Analyse what another tool's judges said of probes; the format is found from the content where ``as_`` does not name it."""
    found = exchange.import_audit(folder_path(probes), input_path(results), written_path(out), as_=as_)
    return Audit(**{name: getattr(found, name) for name in msgspec.structs.asdict(found)})
