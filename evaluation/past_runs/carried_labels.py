"""Detect labels of an earlier run's answers that a later run reused for changed answers."""

from __future__ import annotations

from collections.abc import Container, Mapping
from typing import TypeAlias

import msgspec

from ...errors import RunFolderError
from ...records import ItemKey, Output, read_records
from ...records.json_text import encode_json
from ...tables.standing_labels import standing_labels
from ..store.run_store import RunStore

_LabelContent: TypeAlias = tuple[str, str, float | None, str | None]
"""Author, source, score and reason of a label."""


def carried_labels(before: RunStore, after: RunStore, renamed: Mapping[str, str]) -> int:
    """Count outputs that changed between two runs although their labels did not.

    Labels name an output, not its text. The count is 0 if the label of a changed output changed, since people then labelled the
    later answers. It is also 0 if the outputs can no longer be read.
    """
    labels_before, labels_after = _labels(before, renamed), _labels(after, {})
    common = labels_before.keys() & labels_after.keys()
    if not common:
        return 0
    try:
        texts_before, texts_after = (
            _content_hashes(before, renamed, common),
            _content_hashes(after, {}, common),
        )
    except RunFolderError:
        return 0
    changed_keys = [key for key in common if texts_before.get(key) != texts_after.get(key)]
    return len(changed_keys) if all(labels_before[key] == labels_after[key] for key in changed_keys) else 0


def _labels(store: RunStore, renamed: Mapping[str, str]) -> dict[ItemKey, _LabelContent]:
    return {
        _rename_system(key, renamed): (label.by, label.source, label.score, label.reason)
        for key, label in standing_labels(store.labels).items()
    }


def _content_hashes(
    store: RunStore, renamed: Mapping[str, str], keys: Container[ItemKey]
) -> dict[ItemKey, int]:
    """Return a hash of each of these outputs, except for the system's name."""
    return {
        key: hash(encode_json(msgspec.structs.replace(output, system="")))
        for path in store.inputs.outputs
        for output in read_records(path, Output)
        if (key := _rename_system(output.key, renamed)) in keys
    }


def _rename_system(key: ItemKey, renamed: Mapping[str, str]) -> ItemKey:
    return key._replace(system=renamed.get(key.system, key.system))
