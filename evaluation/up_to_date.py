"""Detection of an up-to-date run: the same settings and files, and complete results."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import astuple
from typing import TYPE_CHECKING, Any

import msgspec

from ..errors import FiducialError
from ..records import InputPath, files_of
from ..records.json_text import encode_json
from ..version import VERSION
from .conclusion.compared import systems_compared
from .conclusion.conclude import Conclusion
from .inputs import file_sha256
from .judging.judge_task import JudgeTask
from .store.file_names import ADJUDICATIONS, LABELS
from .store.run_store import RunStore

if TYPE_CHECKING:
    from .run_plan import Plan


def conclusion_of(plan: Plan, tasks: Sequence[JudgeTask]) -> Conclusion | None:
    """Return the results of an up-to-date run; None if there may be work left.

    Files are hashed, and nothing of them is read: of a run over a million outputs that takes a second or two.
    """
    store = RunStore(plan.out)
    with suppress(FiducialError, OSError):  # whatever is wrong is said by who goes on
        manifest = store.known
        if (
            manifest.done is None
            or manifest.results is None
            or manifest.done != signature(plan, tasks, manifest.identity)
        ):
            return None
        if store.is_sealed:
            return Conclusion(
                systems=manifest.results,
                judges=manifest.judges or [],
                calibration=store.calibration,
                compared=systems_compared(store),
                unchanged=True,
                **msgspec.to_builtins(manifest.counts),
            )
    return None


def signature(plan: Plan, tasks: Sequence[JudgeTask], identity: Mapping[str, Any]) -> str:
    """Return a hash of all that a run's numbers depend on, except its journals."""
    options = plan.options
    asked: list[Any] = [
        VERSION,
        plan.command,
        [file_sha256(path) for path in (*files_of(plan.cases), *plan.outputs)],
        None if options is None else [options.rules, options.artifacts, sorted(options.functions)],
        plan.names,
        _sources_of(sorted(identity.get("checkers", {}))),
        [[task.known, sorted(getattr(task, "models", ()))] for task in tasks],
        sorted(plan.judge_on) if isinstance(plan.judge_on, frozenset) else plan.judge_on,
        None if plan.labels is None else file_sha256(plan.labels),
        *(_hash_kept(plan.out / name) for name in (LABELS, ADJUDICATIONS)),
        astuple(plan.pass_at),
        plan.repeats,
        plan.jury,
        [plan.split, plan.split_model],
        sorted(plan.environments),
        plan.notes,
        list(plan.priced),
    ]
    return hashlib.sha256(encode_json(asked)).hexdigest()


def _hash_kept(file: InputPath) -> str | None:
    return file_sha256(file) if file.exists() else None


def _sources_of(kinds: Sequence[str]) -> dict[str, str]:
    """Return the current source fingerprints of custom checkers, by kind."""
    if not kinds:
        return {}
    from ..deterministic.custom_checkers import source_fingerprint  # noqa: PLC0415 - who only judges needs no checkers

    return {kind: source_fingerprint(kind) for kind in kinds}
