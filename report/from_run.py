"""Build the report of a run folder: collect its data, and write the page."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

import msgspec

from ..errors import InputError
from ..evaluation.checking.rules_version import earlier_rules_notes
from ..evaluation.conclusion.run_results import SystemResult
from ..evaluation.conclusion.run_summary import RunSummary, summary_of
from ..evaluation.store.file_names import CERTIFICATES, REPORT, VERDICTS
from ..evaluation.store.manifest import Manifest
from ..evaluation.store.run_store import RunStore
from ..records import FolderPath, InputPath, MemoryFile, MemoryFolder, Source
from ..tables.standing_labels import effective_source, standing_labels
from .html import write_report
from .items.run_items import RunItems
from .model import MAX_TEXTS, ReportData
from .score_thresholds import score_bins, threshold_rates
from .text import number_text

_MAX_NAMED = 4
"""Most systems that a title names; more are counted."""


def report_on(
    folder: FolderPath,
    path: InputPath | None = None,
    *,
    unchanged: bool = False,
    texts: int | None = MAX_TEXTS,
) -> InputPath:
    """Write the report of a run.

    Args:
        folder: The run folder.
        path: The file; by default ``report.html`` in the folder.
        unchanged: Keep an existing page, since the run has not changed since it was written.
        texts: Most items whose texts the page contains, as far as they fit, or None for all.

    Returns:
        The file.

    Raises:
        RunFolderError: The folder is no run folder, or its inputs were moved or changed.
        InputError: The file cannot be written.
    """
    path = path or folder / REPORT
    if not (unchanged and path.exists() and not _has_newer_certificate(folder, path)):
        with RunStore(folder) as store, RunItems(store) as items:
            write_report(path, report_data(store), items.with_missing(), texts=texts)
    return path


def _has_newer_certificate(folder: FolderPath, page: InputPath) -> bool:
    if isinstance(folder, MemoryFolder) or isinstance(page, MemoryFile):
        return False
    page_time = page.stat().st_mtime_ns
    return any(path.stat().st_mtime_ns > page_time for path in folder.glob(CERTIFICATES))


def report_data(store: RunStore) -> ReportData:
    """Collect the data of a run's report, except its items.

    Raises:
        RunFolderError: The run is unfinished.
    """
    manifest = store.manifest
    summary = summary_of(store)
    data = ReportData(
        title=_title([result.system for result in summary.systems]),
        created=manifest.ended or "",
        **{name: getattr(summary, name) for name in RunSummary.__struct_fields__},
        records=str(store.path / VERDICTS),
        versions=dict(manifest.versions or {}),
        inputs=list(manifest.inputs or ()),
        thresholds=store.roster.thresholds,
        labels=_labels(store, summary.systems),
        certificates=_certificates(store),
        notes=[
            *edit_warnings(store),
            *earlier_rules_notes(manifest.identity),
            *(manifest.notes or []),
            *_advice_to_judge(manifest, summary.systems),
        ],
    )
    judges = _fractional_judges(data)
    if not judges:
        return data
    panels = {} if data.calibration is None else data.calibration.judges
    pass_at = {name: panel.pass_at for name, panel in panels.items()}
    return msgspec.structs.replace(
        data, scores=score_bins(store, judges, pass_at), rates=threshold_rates(store, judges, pass_at)
    )


def _fractional_judges(data: ReportData) -> set[str]:
    """Return the judges, except baselines, with scores other than 0 and 1."""
    return set() if data.calibration is None else data.calibration.probability.keys() - set(data.baselines)


def edit_warnings(store: RunStore) -> Iterator[str]:
    """Yield a warning for each file of verdicts edited after the run wrote it."""
    for name in store.edited:
        yield f"{name} was changed by hand since the run wrote it; this page shows its present content."


def _advice_to_judge(manifest: Manifest, systems: Sequence[SystemResult]) -> Iterator[str]:
    """Yield advice if no judge was asked about undecided outputs, for lack of a judge or model."""
    if problem := manifest.not_judged:
        yield f"No judge was asked: {problem}. Then the command below continues the run."
    elif unjudged := number_text.unjudged_outputs(systems):
        yield f"No judge was asked about {unjudged}: the next step adds one and continues the run."


_LABELLERS: dict[Source, str] = {
    "checker": "checkers",
    "human": "people",
    "construction": "construction",
    "judge": "judges",
}
"""Who gave a label, in words, by its source."""


def _labels(store: RunStore, systems: Sequence[SystemResult]) -> dict[str, int]:
    """Count a run's labelled outputs by who gave the label.

    A checker's verdict is the label of an output without any other.
    """
    counts = Counter(checkers=sum(system.outcomes.get("checker", {}).get("graded", 0) for system in systems))
    for key, label in standing_labels(store.labels).items():
        verdicts = store.verdicts.summaries_on(key)
        if verdicts:  # the run has this output
            counts[_LABELLERS[effective_source(label)]] += 1
            counts["checkers"] -= any(verdict.source == "checker" and verdict.graded for verdict in verdicts)
    return dict(counts)


def _certificates(store: RunStore) -> dict[str, list[str]]:
    """Return sentences on certificates in a run's folder by judge, on unreadable ones by file."""
    if isinstance(store.path, MemoryFolder) or not any(store.path.glob(CERTIFICATES)):
        return {}
    from ..evaluation.audit.certificate_check import (  # noqa: PLC0415 - most runs have none, and scipy is slow to import
        certificates_of,
        lapsed_certificates,
    )

    findings: dict[str, list[str]] = {}
    for name, certificate in certificates_of(store).items():
        if isinstance(certificate, InputError):
            findings.setdefault(name, []).append(str(certificate))
            continue
        claims = ", ".join(
            f"{claim.statistic.replace('_', ' ')} at least {claim.at_least:g} "
            f"{'holds' if claim.holds else 'does not hold'}"
            for claim in certificate.claims
        )
        finding = f"certified {number_text.moment(certificate.issued)}: {claims} ({name})"
        findings.setdefault(certificate.judge, []).append(finding)
    for name, certificate in lapsed_certificates(store).items():
        finding = f"certificate void, since the judge's replies were parsed again: certify again ({name})"
        findings.setdefault(certificate.judge, []).append(finding)
    return findings


def _title(systems: list[str]) -> str:
    return ", ".join(systems) if len(systems) <= _MAX_NAMED else f"{len(systems)} systems"
