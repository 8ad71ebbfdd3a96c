"""Labels of an earlier run's answers that a later run kept for other answers."""

from __future__ import annotations

from collections.abc import Container, Mapping
from typing import TypeAlias

import msgspec

from ...errors import RunFolderError
from ...records import ItemKey, Output, read_records
from ...records.json_text import encode_json
from ...tables.standing_labels import standing_labels
from ..store.run_store import RunStore

_Label: TypeAlias = tuple[str, str, float | None, str | None]


def carried_labels(before: RunStore, after: RunStore, renamed: Mapping[str, str]) -> int:
    """Count outputs that changed between two runs although their labels did not.

    Labels name an output, not its text. The count is 0 if the label of a changed output changed, since people then labelled the
    later answers. It is also 0 if the outputs can no longer be read.
    """
    was, now = _labels(before, renamed), _labels(after, {})
    common = was.keys() & now.keys()
    if not common:
        return 0
    try:
        earlier, later = _contents(before, renamed, common), _contents(after, {}, common)
    except RunFolderError:
        return 0
    changed = [key for key in common if earlier.get(key) != later.get(key)]
    return len(changed) if all(was[key] == now[key] for key in changed) else 0


def _labels(store: RunStore, renamed: Mapping[str, str]) -> dict[ItemKey, _Label]:
    return {
        _renamed(key, renamed): (label.by, label.source, label.score, label.reason)
        for key, label in standing_labels(store.labels).items()
    }


def _contents(store: RunStore, renamed: Mapping[str, str], keys: Container[ItemKey]) -> dict[ItemKey, int]:
    """Return a hash of each of these outputs, regardless of its system's name."""
    return {
        key: hash(encode_json(msgspec.structs.replace(output, system="")))
        for path in store.inputs.outputs
        for output in read_records(path, Output)
        if (key := _renamed(output.key, renamed)) in keys
    }


def _renamed(key: ItemKey, renamed: Mapping[str, str]) -> ItemKey:
    return key._replace(system=renamed.get(key.system, key.system))
