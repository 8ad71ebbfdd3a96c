"""Summary of a run: results that every report shows, with systems compared once."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import msgspec

from ...calibration.agreement.calibration_results import Calibration
from ...calibration.comparison.comparison_results import Comparison, Strata
from ...errors import FiducialError, InputError, RecordError, RunFolderError
from ...proposed_steps import Command, PythonCall
from ...records import InputPath, MemoryFolder, case_files, decode_record
from ...records.json_text import encode_json
from ...settings.typed_commands import options_named, proposed, typed_command
from ...version import VERSION
from ..checking.rules_version import earlier_rules_notes
from ..inputs import file_sha256
from ..store.file_names import ADJUDICATIONS, CERTIFICATES, CLUSTERS, COMPARISON, LABELS, VERDICTS
from ..store.manifest import Counts
from ..store.run_store import RunStore
from .run_results import JudgeUse, SystemResult

if TYPE_CHECKING:
    from ..judging.judge_task import JudgeTask
    from ..run_plan import Plan
    from ..store.run_writer import RunWriter


_NO_SETTINGS: Mapping[str, object] = {}
_MIN_SYSTEMS = 2
"""Minimum number of systems for a comparison."""


class StoredComparison(msgspec.Struct, frozen=True, kw_only=True):
    """Content of ``comparison.json``, with the `basis` it was computed from.

    It is ignored once the basis has changed.
    """

    of: str
    comparison: Comparison | None


def systems_compared(store: RunStore) -> Comparison | None:
    """Return the comparison of a run's systems, part by part.

    A missing or outdated one is computed again.

    Returns:
        The comparison, or None for a single system, and for systems without common outputs.
    """
    if len(store.manifest.results or []) < _MIN_SYSTEMS:
        return None
    stored = _stored_comparison(store)
    return _compare_systems(store) if stored is None else stored.comparison


def keep_comparison(writer: RunWriter) -> Comparison | None:
    """Compare the systems of a finished run and save the result.

    For a run in memory, readers compute it themselves.
    """
    if len(writer.manifest.results or []) < _MIN_SYSTEMS or isinstance(writer.path, MemoryFolder):
        return None
    comparison = _stored_comparison(writer) or StoredComparison(
        of=basis(writer), comparison=_compare_systems(writer)
    )
    writer.put_comparison(comparison)  # a stored one is written again, since it has no seal after a kill
    return comparison.comparison


def basis(store: RunStore) -> str:
    """Return a hash of all that a comparison depends on.

    These are the current verdicts, labels, clusters and thresholds, and the version.
    """
    thresholds = [[judge.id, judge.threshold] for judge in store.roster]
    files = [store.sha256_of(name) for name in (VERDICTS, LABELS, CLUSTERS)]
    return hashlib.sha256(encode_json([VERSION, store.manifest.sharded, thresholds, files])).hexdigest()


def _stored_comparison(store: RunStore) -> StoredComparison | None:
    """Return the stored comparison if it is still valid.

    An edited or unreadable file is silently recomputed.
    """
    content = store.unchanged(COMPARISON)
    if content is None:
        return None
    try:
        comparison = decode_record(content, StoredComparison)
    except RecordError:
        return None
    return comparison if comparison.of == basis(store) else None


def _compare_systems(store: RunStore) -> Comparison | None:
    from ...calibration.comparison.compare import compare  # noqa: PLC0415 - scipy is slow to import
    from ..run_table import systems_table  # noqa: PLC0415 - scipy is slow to import

    try:
        return compare(systems_table(store), by="system")
    except InputError:
        return None


class RunSummary(msgspec.Struct, frozen=True, kw_only=True):
    """Results of a run: written by its last stage, read from its folder, shown everywhere.

    Attributes:
        systems: Results by system.
        judges: Use of each judge.
        counts: Counts of outputs.
        calibration: Agreement of judges with labels, and comparison of judges; None if no judge graded a labelled output.
        compared: Comparison of the systems; None for a single system, for systems without a common item, and for a run in memory,
            which computes it when it is shown.
        not_judged: Settings that are missing to ask judges, or None if judges were asked, or there are none.
        unchanged: True if the run was up to date, so that no file was written.
        earlier_rules: A sentence if the folder was checked by strict rules of an earlier version; empty otherwise.
        folder: Folder of the run, for commands; empty if it is in memory.
        command: The command, or the call of a function, that made the run.
        certified: Files in the run's folder that certify one of its judges.
    """

    systems: Sequence[SystemResult]
    judges: Sequence[JudgeUse] = ()
    counts: Counts = Counts()
    calibration: Calibration | None = None
    compared: Comparison | None = None
    not_judged: str | None = None
    unchanged: bool = False
    earlier_rules: list[str] = []
    folder: str = "RUN"
    command: str = ""
    certified: Sequence[str] = ()

    @property
    def strata(self) -> Strata | None:
        """Comparison of the systems part by part, or None without one."""
        return None if self.compared is None else self.compared.strata

    @property
    def agreement(self) -> Calibration:
        """Agreement of judges with labels; empty if there are no labels."""
        return Calibration() if self.calibration is None else self.calibration

    @property
    def baselines(self) -> list[str]:
        """Names of the baselines."""
        return [use.name for use in self.judges if use.id is not None and use.id.kind == "baseline"]

    @property
    def is_python(self) -> bool:
        """True if a function made the run, not a command."""
        return self.command.startswith("fiducial.")

    @property
    def typed(self) -> Command:
        """The command that made the run; without a verb if a function did, or it cannot be read."""
        return typed_command(self.command) or Command("")

    @property
    def resumes(self) -> bool:
        """True if rerunning the command resumes the run.

        Rerunning a merge, or an import of batch results, only repeats its result.
        """
        return self.is_python or self.typed.verb in {"run", "judge", "demo"}

    def again(
        self, settings: Mapping[str, object] = _NO_SETTINGS, arguments: Mapping[str, object] = _NO_SETTINGS
    ) -> Command | PythonCall | None:
        """Return the command that reruns this run with more settings, or None if it takes none.

        In Python, ``arguments`` are added to the call instead of ``settings``; without any, there is nothing to type.
        """
        if self.is_python:
            return PythonCall("evaluate", arguments) if arguments else None
        typed = self.typed
        if not self.resumes or (settings and typed.verb == "demo"):
            return None
        return typed.also(*options_named(typed.verb, **settings))

    def reviewed(self, of: str | None = None) -> Command | PythonCall | None:
        """Return the command that opens the review page.

        For a run in memory, return the call that gives it a folder first.
        """
        if not self.folder:
            return self.again(arguments={"out": "RUN"})
        return proposed("review", self.folder, of=of)


def summary_of(store: RunStore) -> RunSummary:
    """Return the results in a run's folder.

    Raises:
        RunFolderError: The run is not finished.
    """
    manifest = store.manifest
    if manifest.results is None:
        raise RunFolderError(f"{store.path}: the run is not finished; rerun its command to continue")
    return RunSummary(
        systems=manifest.results,
        judges=manifest.judges or [],
        counts=manifest.counts or Counts(),
        calibration=store.calibration,
        compared=systems_compared(store),
        not_judged=manifest.not_judged,
        folder=folder_named(store),
        command=manifest.command or "",
        certified=certified_in(store),
        earlier_rules=earlier_rules_notes(store.manifest.identity),
    )


def certified_in(store: RunStore) -> list[str]:
    """Return the files in a run's folder that certify one of its judges."""
    if isinstance(store.path, MemoryFolder) or not any(store.path.glob(CERTIFICATES)):
        return []
    from ..audit.certificate_check import certificates_of  # noqa: PLC0415 - most runs have none, and scipy is slow to import

    return [
        name
        for name, certificate in certificates_of(store).items()
        if not isinstance(certificate, InputError)
    ]


def folder_named(store: RunStore) -> str:
    """Return the path of a run's folder for commands; empty for a run in memory."""
    return "" if isinstance(store.path, MemoryFolder) else str(store.path)


def finished_summary(plan: Plan, tasks: Sequence[JudgeTask]) -> RunSummary | None:
    """Return the results of an up-to-date run, or None if there may be work left.

    Files are hashed, but not parsed, which takes a second or two for a million outputs.
    """
    store = RunStore(plan.out)
    with suppress(FiducialError, OSError):  # the run that follows reports what is wrong
        manifest = store.manifest_or_empty
        if (
            manifest.done is None
            or manifest.results is None
            or manifest.done != signature(plan, tasks, manifest.identity)
        ):
            return None
        if store.is_sealed:
            return msgspec.structs.replace(summary_of(store), unchanged=True)
    return None


_HASHED_IN_OTHER_FORM = {"command", "cases", "outputs", "options", "names", "judge_on", "labels", "pass_at", "repeats", "jury", "split_statements", "split_model", "environments", "notes", "priced", "sent_on"}  # fmt: skip
"""Fields of a plan that enter its signature in another form: files by their hashes, judges by their records."""

_WITHOUT_EFFECT = {"out", "judges", "model", "prices", "batch", "judge_parameters", "api", "accept_edited", "workers", "engine", "sharded"}  # fmt: skip
"""Fields that change no number, or that the tasks, the inputs' identity or `priced` represent."""


def signature(plan: Plan, tasks: Sequence[JudgeTask], identity: Mapping[str, Any]) -> str:
    """Return a hash of all that a run's numbers depend on, except its journals.

    A plan's field that is not listed above is hashed once it differs from its default.
    """
    options = plan.options
    # Only the last fields have defaults, so both tuples are aligned at their ends.
    defaults = dict(zip(plan.__struct_fields__[::-1], plan.__struct_defaults__[::-1], strict=False))
    other_fields = {
        name: getattr(plan, name)
        for name in plan.__struct_fields__
        if name not in _HASHED_IN_OTHER_FORM | _WITHOUT_EFFECT and getattr(plan, name) != defaults.get(name)
    }
    parts: list[Any] = [
        VERSION,
        plan.command,
        [file_sha256(path) for path in (*case_files(plan.cases), *plan.outputs)],
        None if options is None else [options.rules, options.artifacts, sorted(options.functions)],
        plan.names,
        _sources_of(sorted(identity.get("checkers", {}))),
        [[task.record, sorted(getattr(task, "models", ()))] for task in tasks],
        sorted(plan.judge_on) if isinstance(plan.judge_on, frozenset) else plan.judge_on,
        None if plan.labels is None else file_sha256(plan.labels),
        *(_hash_if_exists(plan.out / name) for name in (LABELS, ADJUDICATIONS)),
        # The threshold of all judges, then those of single ones, as earlier versions hashed them: so their finished runs stay finished.
        [plan.pass_at.get(""), {judge: at for judge, at in plan.pass_at.items() if judge}],
        plan.repeats,
        plan.jury,
        [plan.split_statements, plan.split_model],
        sorted(plan.environments),
        plan.notes,
        *([] if plan.sent_on is None else [plan.sent_on.part, sorted(plan.sent_on.items)]),
        list(plan.priced),
        *([other_fields] if other_fields else []),
        *([options.text] if options is not None and options.text is not None else []),
    ]
    return hashlib.sha256(encode_json(parts)).hexdigest()


def _hash_if_exists(file: InputPath) -> str | None:
    return file_sha256(file) if file.exists() else None


def _sources_of(kinds: Sequence[str]) -> dict[str, str]:
    """Return the current source fingerprints of custom checkers, by kind.

    An edited checker would decide otherwise, so its run is not up to date.
    """
    if not kinds:
        return {}
    from ...deterministic.custom_checkers import source_fingerprint  # noqa: PLC0415 - judging alone needs no checkers

    return {kind: source_fingerprint(kind) for kind in kinds}
