"""Comparison of a run's systems, computed once and kept with a hash of its inputs."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

import msgspec

from ...calibration.comparison.comparison_results import ComparisonNumbers
from ...errors import InputError, RecordError
from ...records import MemoryFolder, decode_record
from ...records.json_text import encode_json
from ...version import VERSION
from ..store.file_names import CLUSTERS, COMPARISON, LABELS, VERDICTS
from ..store.run_store import RunStore

if TYPE_CHECKING:
    from ..store.run_writer import RunWriter

_SEVERAL = 2
"""Systems; one is compared with nothing."""


class StoredComparison(msgspec.Struct, frozen=True, kw_only=True):
    """Content of ``comparison.json``, with the `basis` it was computed from.

    It is ignored once the basis has changed.
    """

    of: str
    comparison: ComparisonNumbers | None


def systems_compared(store: RunStore) -> ComparisonNumbers | None:
    """Return the comparison of a run's systems, part by part.

    A missing or outdated one is computed again.

    Returns:
        None for one system, or none that has something in common with another.
    """
    if len(store.manifest.results or []) < _SEVERAL:
        return None
    kept = _kept(store)
    return _computed(store) if kept is None else kept.comparison


def keep_comparison(folder: RunWriter) -> ComparisonNumbers | None:
    """Compare the systems of a finished run and save the result.

    For a run in memory, readers compute it themselves.
    """
    if len(folder.manifest.results or []) < _SEVERAL or isinstance(folder.path, MemoryFolder):
        return None
    kept = _kept(folder) or StoredComparison(of=basis(folder), comparison=_computed(folder))
    folder.put_comparison(kept)  # one that was there may have no seal: a kill came between the two
    return kept.comparison


def basis(store: RunStore) -> str:
    """Return a hash of all that a comparison depends on.

    These are the current verdicts, labels, clusters and thresholds, and the version.
    """
    cuts = [[judge.id, judge.cut] for judge in store.roster]
    files = [store.sha256_of(name) for name in (VERDICTS, LABELS, CLUSTERS)]
    return hashlib.sha256(encode_json([VERSION, store.manifest.sharded, cuts, files])).hexdigest()


def _kept(store: RunStore) -> StoredComparison | None:
    """Return the kept comparison if it is valid.

    An edited or unreadable file is silently recomputed.
    """
    content = store.unchanged(COMPARISON)
    if content is None:
        return None
    try:
        kept = decode_record(content, StoredComparison)
    except RecordError:
        return None
    return kept if kept.of == basis(store) else None


def _computed(store: RunStore) -> ComparisonNumbers | None:
    from ...calibration.comparison.compare import compare  # noqa: PLC0415 - scipy is slow to import
    from ..run_table import systems_table  # noqa: PLC0415 - likewise

    try:
        return compare(systems_table(store), by="system")
    except InputError:
        return None
