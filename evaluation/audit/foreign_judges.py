"""Audit another tool's judge: export probes for it, and analyse its imported verdicts."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from itertools import count
from pathlib import Path

import msgspec

from ...calibration.pass_threshold import PassThreshold
from ...errors import InputError, RunFolderError, UsageError
from ...formats.export_items import ExportContext, ExportItem
from ...formats.import_options import Options
from ...formats.readers import find_format, read_one
from ...formats.to_probes import PROBE, WRITERS
from ...records import (
    Case,
    CaseIndex,
    ItemKey,
    JudgeId,
    Output,
    Verdict,
    read_records,
    write_json,
    write_records,
)
from ...records.folder_files import CASES, OUTPUTS
from ...spelling import setting
from ..store.file_names import AUDIT, VERDICTS
from ..store.run_store import RunStore
from .analysis import judge_audit, to_read
from .audit_results import Audit
from .audit_run import TO_READ
from .comparisons import compare_prompts
from .probe_folder import ProbeManifest, read_facts, read_manifest
from .sampling import ChosenProbes, choose_probes
from .scored import ScoredProbe, scored_probes

_SYSTEM = "probes"
"""System of all exported outputs, so that no name reveals a probe."""


def probe_name(key: ItemKey) -> str:
    """Return a probe's exported name, a hash that does not reveal what was planted."""
    return f"probe-{hashlib.sha256(str(key).encode('utf-8', 'surrogatepass')).hexdigest()[:16]}"


def export_probes(probes: Path, to: str, out: Path, *, sample: int, only: Sequence[str] = ()) -> list[Path]:
    """Write probes for another tool's judge.

    Args:
        probes: The folder of probes.
        to: Name of the tool.
        out: The folder to write.
        sample: Maximum number of probes of one operator.
        only: Names of operators; all if empty.

    Returns:
        The written files.

    Raises:
        UsageError: Probes cannot be written for this tool.
        InputError: The probes cannot be used.
    """
    if to not in WRITERS:
        raise UsageError(f"probes are not written for {to!r}; there are {', '.join(WRITERS)}")
    read_manifest(probes)
    with CaseIndex(probes / CASES) as cases:
        _, chosen = _choose_from_folder(probes, cases, sample, only)
        items = list(_export_items(probes, cases, chosen))
    created = datetime.now(UTC).isoformat(timespec="seconds")
    return WRITERS[to](items, out, ExportContext(probes.resolve().name, created, {}, {}))


def import_audit(probes: Path, results: Path, out: Path, *, as_: str | None = None) -> Audit:
    """Analyse the verdicts of another tool's judges on probes.

    Raises:
        InputError: A file cannot be read, or nothing in it is about these probes.
        RunFolderError: The output folder contains a run, whose verdicts would be replaced.
    """
    if RunStore(out).begun:
        raise RunFolderError(
            f"{out}: holds a run, whose verdicts would be replaced; choose another {setting('out')}"
        )
    with CaseIndex(probes / CASES) as cases:
        manifest, chosen = _choose_from_folder(probes, cases, None, ())
        verdicts = list(_imported_verdicts(results, as_ or find_format(results), chosen))
        if not verdicts:
            raise InputError("no score in it is of one of these probes", path=results)
        # Not a set: the order of the probes is that of keys in audit.json.
        judged_keys = dict.fromkeys(verdict.key for verdict in verdicts)
        judged_probes = ChosenProbes(
            {key: chosen.probes[key] for key in judged_keys}, chosen.originals & judged_keys.keys()
        )
        clusters = {key.case_id: cases.cluster(key.case_id) for key in judged_keys}
    by_author = scored_probes(verdicts, judged_probes.probes, clusters, {})
    scored = {author: group for author, group in by_author.items() if isinstance(author, JudgeId)}
    audit = _audit(scored, judged_probes, manifest)
    write_records(out / VERDICTS, verdicts)
    write_json(out / AUDIT, audit)
    rows = (row for judge, group in scored.items() for row in to_read(judge.name, group.values()))
    write_records(out / TO_READ, rows)
    return audit


def _choose_from_folder(
    probes: Path, cases: CaseIndex, sample: int | None, only: Sequence[str]
) -> tuple[ProbeManifest, ChosenProbes]:
    manifest = read_manifest(probes)
    facts = list(read_facts(probes))
    return manifest, choose_probes(facts, len(facts) if sample is None else sample, cases.cluster, only)


def _export_items(probes: Path, cases: CaseIndex, chosen: ChosenProbes) -> Iterator[ExportItem]:
    """Yield the chosen probes under their exported names, in an order that reveals nothing."""
    items: dict[str, ExportItem] = {}
    for output in read_records(probes / OUTPUTS, Output):
        if output.key in chosen.probes:
            name = probe_name(output.key)
            case = msgspec.structs.replace(cases[output.case_id], id=name, tags={}, cluster=None)
            items[name] = ExportItem(
                case, msgspec.structs.replace(output, case_id=name, system=_SYSTEM, trial=0), []
            )
    yield from (items[name] for name in sorted(items))


def _imported_verdicts(results: Path, name: str, chosen: ChosenProbes) -> Iterator[Verdict]:
    """Yield the imported verdicts as verdicts on the probes; trials become repeats.

    Raises:
        InputError: A judge has two verdicts on one trial of a probe.
    """
    key_of_name = {probe_name(key): key for key in chosen.probes}
    probe_names: dict[str, str] = {}
    repeats = _RepeatNumbers()
    for record in read_one(name, results, Options()):
        if isinstance(record, Case):
            probe = record.tags.get(PROBE)
            probe_names[record.id] = probe if isinstance(probe, str) else record.id
        elif isinstance(record, Verdict):
            key = key_of_name.get(probe_names.get(record.case_id, record.case_id))
            if key is not None:
                repeat = repeats.of(record, key)
                if repeat is None:
                    raise InputError(
                        f"expected one verdict of {record.by!r} on {record.case_id!r}, trial {record.trial}; got two",
                        path=results,
                    )
                yield msgspec.structs.replace(
                    record, **key._asdict(), repeat=repeat, source="judge", judge=_judge_id(record.by)
                )


class _RepeatNumbers:
    """Repeat numbers for each judge's trials and repeats of a probe."""

    def __init__(self) -> None:
        self._numbers: dict[tuple[str, ItemKey], dict[tuple[int, int], int]] = {}

    def of(self, verdict: Verdict, probe: ItemKey) -> int | None:
        """Return the number of a verdict, or None if its trial and repeat have a verdict already."""
        number_of = self._numbers.setdefault((verdict.by, probe), {})
        trial_and_repeat = verdict.trial, verdict.repeat
        if trial_and_repeat in number_of:
            return None
        # A trial becomes the repeat of its number, or the next free one.
        number = next(number for number in count(sum(trial_and_repeat)) if number not in number_of.values())
        number_of[trial_and_repeat] = number
        return number


def _judge_id(name: str) -> JudgeId:
    """Return the id of a judge known by name only."""
    return JudgeId(
        kind="callable",
        name=name,
        fingerprint=hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest(),
    )


def _audit(
    scored: Mapping[JudgeId, Mapping[ItemKey, ScoredProbe]], chosen: ChosenProbes, manifest: ProbeManifest
) -> Audit:
    about, controls = manifest.about, manifest.controls
    return Audit(
        probes=dict(Counter(probe.plants for probe in chosen.probes.values())),
        judges=[
            judge_audit(
                judge.name, judge, group, chosen, about=about, controls=controls, threshold=PassThreshold()
            )
            for judge, group in scored.items()
        ],
        prompts=compare_prompts({judge.name: group for judge, group in scored.items()}),
        failed=sum(
            scored_probe.outcome == "failed" for group in scored.values() for scored_probe in group.values()
        ),
    )
