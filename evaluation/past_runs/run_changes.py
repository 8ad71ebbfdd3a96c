"""Changes between two runs in what they depend on: data, rules, judges and labels."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from ...records import JudgeId
from ..checking.rules_version import has_earlier_rules
from ..conclusion.run_results import ALL_CORRECTED, ResultStruct
from ..store.kept_inputs import KeptInput
from ..store.manifest import Manifest

_FACTS_SHOWN_ELSEWHERE = {"inputs", "rules_version"}
"""Facts of the identity that other entries of a comparison show."""
_FACT_NAMES = {
    "text": "texts",
    "rules": "checkers' rules",
    "names": "names of functions",
    "artifacts": "workspaces",
}
"""Displayed names of facts of a run's identity."""


class RunChange(ResultStruct, frozen=True, kw_only=True):
    """Difference in what two runs depend on: an input, a judge's prompt or a rule.

    ``before`` or ``after`` is empty if that run lacks it.
    """

    what: str
    before: str
    after: str


def what_changed(before: Manifest, after: Manifest) -> Iterator[RunChange]:
    """Yield the recorded facts that differ between two runs.

    These are data, rules, judges with prompt and model, thresholds, versions, labels, and whether labels correct the rates.
    """
    facts_before, facts_after = _facts(before), _facts(after)
    yield from _differing_facts(facts_before.inputs, facts_after.inputs)
    yield from _differing_facts(facts_before.judges, facts_after.judges, "judge ")
    yield from _differing_facts(facts_before.versions, facts_after.versions, "version of ")
    thresholds = _differing_facts(facts_before.thresholds, facts_after.thresholds, "threshold of ")
    # A judge in one run only is listed above.
    yield from (threshold for threshold in thresholds if threshold.before and threshold.after)
    yield from _differing_facts(facts_before.rates, facts_after.rates)


class _Facts(NamedTuple):
    """Dependencies of a run, each described by a text."""

    inputs: dict[str, str]
    judges: dict[str, str]
    thresholds: dict[str, str]
    versions: dict[str, str]
    rates: dict[str, str]


def _facts(manifest: Manifest) -> _Facts:
    count = manifest.case_files or 1
    inputs = manifest.inputs or []
    files = _describe_files("cases", inputs[:count]) | _describe_files("outputs", inputs[count:])
    identity = {key: value for key, value in manifest.identity.items() if value is not None}
    if has_earlier_rules(identity):
        identity["rules"] = "strict, version 1"
    rules = {
        _FACT_NAMES.get(key, key): str(value)
        for key, value in identity.items()
        if key not in _FACTS_SHOWN_ELSEWHERE
    }
    return _Facts(
        inputs=files | rules,
        judges={judge.by: _describe_judge(judge.id) for judge in manifest.roster},
        thresholds={judge.by: str(judge.threshold) for judge in manifest.roster},
        versions=dict(manifest.versions or {}),
        rates=_describe_rates(manifest),
    )


def _describe_rates(manifest: Manifest) -> dict[str, str]:
    """Describe the labels of a finished run, and the systems whose rates they correct."""
    if manifest.counts is None:
        return {}
    labels = ", ".join(f"{number:,} by {source}" for source, number in sorted(manifest.counts.labels.items()))
    corrected = [
        system.system
        for system in manifest.results or []
        if system.overall is not None and system.overall.name == ALL_CORRECTED
    ]
    return {
        "labels": labels or "none",
        "rates corrected with labels": ", ".join(corrected) or "none",
    }


def _describe_files(name: str, files: Sequence[KeptInput]) -> dict[str, str]:
    """Describe files by name, rows and hash; the second and later ones are numbered."""
    described: dict[str, str] = {}
    for number, file in enumerate(files, start=1):
        rows = f"{file.rows:,} {'row' if file.rows == 1 else 'rows'}"
        numbered_name = name if number == 1 else f"{name} {number}"
        described[numbered_name] = f"{file.name.rpartition('/')[2]}, {rows}, sha256 {file.sha256[:12]}"
    return described


def _describe_judge(judge: JudgeId) -> str:
    return f"{judge.plain}, fingerprint {judge.fingerprint[:12]}"


def _differing_facts(
    before: Mapping[str, str], after: Mapping[str, str], prefix: str = ""
) -> Iterator[RunChange]:
    for name in dict.fromkeys([*before, *after]):
        fact_before, fact_after = before.get(name, ""), after.get(name, "")
        if fact_before != fact_after:
            yield RunChange(what=f"{prefix}{name}", before=fact_before, after=fact_after)
