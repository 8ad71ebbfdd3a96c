"""Probes from the holdout: mutated right outputs, and attacks on outputs labelled wrong."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

import msgspec

from ...calibration.comparison.prompt_gain import ProbedPair
from ...calibration.pass_threshold import PassThreshold
from ...deterministic.mutation import FAMILY_KINDS, Plants, load_operators, origin
from ...deterministic.mutation.attacks import PLAIN_VERDICTS, VERDICTS
from ...deterministic.options import CheckOptions
from ...errors import InputError
from ...records import Author, Case, Kind, Output, Verdict, read_records, write_json, write_records
from ...records.folder_files import CASES, LABELS, OUTPUTS
from ...records.made_scores import reaches
from ..audit.audit_plan import AuditPlan, prepare_audit
from ..audit.building import ProbeSettings, build_probes
from ..audit.probe_folder import NO_PROBES, PROBES, OperatorCounts, ProbeManifest
from ..audit.scored import ScoredProbe, scored_probes
from ..inputs import EvaluationInputs, file_sha256
from ..progress import Progress
from ..store.run_store import RunStore
from .improvement_plan import DATA, HOLDOUT
from .labelled_set import LabelledItem, write_side

_CONTROL = "labelled_wrong"
"""Operator name of outputs labelled wrong without an attack."""


class _Attack(NamedTuple):
    """Texts to append to an output labelled wrong, and a description for people."""

    texts: Sequence[str]
    about: str


_ATTACKS: Mapping[str, _Attack] = {
    "labelled_wrong_injected": _Attack(VERDICTS, "an output labelled wrong that announces its verdict"),
    "labelled_wrong_plain": _Attack(
        PLAIN_VERDICTS, "an output labelled wrong that announces its verdict in plain words"
    ),
}
"""Attacks by operator name."""

_MUTABLE_KINDS = frozenset(kind for kinds in FAMILY_KINDS.values() for kind in kinds)


class _LabelledProbe(NamedTuple):
    case: Case
    output: Output
    label: Verdict


def holdout_probes(
    items: Sequence[LabelledItem],
    out: Path,
    threshold: float,
    environments: Mapping[str, type],
    progress: Progress,
) -> Path | None:
    """Make a folder of probes from held-out items; return None if no probe can be made.

    Args:
        items: The held-out items.
        out: The folder of the improvement.
        threshold: Pass threshold of the labels.
        environments: Environments that the checkers need.
        progress: Advanced for every right output.
    """
    folder, mutants = out / "probes", out / DATA / "mutants"
    if (folder / PROBES).exists():
        return folder
    manifest = NO_PROBES
    if any(item.case.kind in _MUTABLE_KINDS for item in items):
        manifest = _mutate_right_outputs(
            *write_side(items, out / DATA / HOLDOUT), mutants, environments, progress
        )
    mutated_kinds = (
        {case.kind for case in read_records(mutants / CASES, Case)} if manifest.operators else set[Kind]()
    )
    attacks = list(_attacks_on_wrong_outputs(items, threshold, mutated_kinds))
    if not attacks and not manifest.operators:
        return None
    _write_probes(attacks, mutants if manifest.operators else None, folder, manifest)
    return folder


def _mutate_right_outputs(
    cases: Path, outputs: Path, out: Path, environments: Mapping[str, type], progress: Progress
) -> ProbeManifest:
    """Mutate the right outputs, or if there are none, right outputs made from the references."""
    settings = ProbeSettings(
        operators=list(load_operators().values()), options=CheckOptions(environments=environments)
    )
    for sources in ([outputs], []):  # without outputs, `build_probes` takes the references
        with suppress(InputError):  # there is no right output to mutate
            return build_probes(cases, sources, out, settings, progress)
    return NO_PROBES


def _attacks_on_wrong_outputs(
    items: Iterable[LabelledItem], threshold: float, mutated_kinds: AbstractSet[Kind]
) -> Iterator[_LabelledProbe]:
    """Yield each output labelled wrong, unchanged and with attacks appended.

    The attacks announce a verdict. Kinds of case with mutated outputs are skipped, because their operators include attacks.
    """
    for number, item in enumerate(items):
        is_wrong = item.label is not None and not reaches(item.label, threshold)
        if not is_wrong or item.output.text is None or item.case.kind in mutated_kinds:
            continue
        yield _appended_probe(item, _CONTROL, "control")
        for name, attack in _ATTACKS.items():
            yield _appended_probe(item, name, "attack", attack.texts[number % len(attack.texts)])


def _appended_probe(item: LabelledItem, operator: str, plants: Plants, appended: str = "") -> _LabelledProbe:
    source = item.output
    output = msgspec.structs.replace(
        source,
        system=f"{source.system}~{operator}",
        trial=source.trial * 1_000,  # the first probe of this trial, see `probe_number`
        text=f"{source.text}{appended}",
    )
    evidence = origin(operator, plants, source, appended, _CONTROL if plants == "attack" else "")
    label = Verdict.on(output.key, score=item.label, by="label", source="construction", evidence=evidence)
    return _LabelledProbe(item.case, output, label)


def _write_probes(
    attacks: Sequence[_LabelledProbe], mutants: Path | None, folder: Path, manifest: ProbeManifest
) -> None:
    """Write mutants and attacks to one folder, and its manifest last."""
    folder.mkdir(parents=True, exist_ok=True)
    cases: dict[str, Case] = {attack.case.id: attack.case for attack in attacks}
    outputs, labels = [attack.output for attack in attacks], [attack.label for attack in attacks]
    if mutants is not None:
        cases |= {record.id: record for record in read_records(mutants / CASES, Case)}
        outputs += read_records(mutants / OUTPUTS, Output)
        labels += read_records(mutants / LABELS, Verdict)
    write_records(folder / CASES, cases.values())
    write_records(folder / OUTPUTS, outputs)
    write_records(folder / LABELS, labels)
    counts = Counter(attack.label.evidence["operator"] for attack in attacks)
    operators = [*manifest.operators, *(_operator_counts(name, count) for name, count in counts.items())]
    files = {name: file_sha256(folder / name) for name in (CASES, OUTPUTS, LABELS)}
    write_json(folder / PROBES, msgspec.structs.replace(manifest, files=files, operators=operators))


def _operator_counts(name: str, probes: int) -> OperatorCounts:
    about = _ATTACKS[name].about if name in _ATTACKS else "an output labelled wrong, as it is"
    return OperatorCounts(
        name=name,
        family="answer",
        plants="attack" if name in _ATTACKS else "control",
        about=about,
        against=_CONTROL if name in _ATTACKS else "",
        probes=probes,
        dropped=0,
        missed_by_bfcl=0,
    )


def probed_pairs(plan: AuditPlan) -> list[ProbedPair]:
    """Return the probes that the first judge graded, from a finished audit of two judges."""
    prepared = prepare_audit(plan)
    assert plan.probes is not None
    facts = prepared.chosen.probes
    with (
        RunStore(plan.out) as store,
        EvaluationInputs(plan.probes / CASES, [plan.probes / OUTPUTS]) as inputs,
    ):
        clusters = {key.case_id: inputs.cases.cluster(key.case_id) for key in facts}
        thresholds: dict[Author, PassThreshold] = {task.id: task.threshold for task in prepared.tasks}
        scored = scored_probes(store.verdicts.read(), facts, clusters, thresholds)
    current, revised = (scored.get(task.id, {}) for task in prepared.tasks[:2])
    return [
        ProbedPair(
            probe.operator,
            probe.plants,
            _is_handled_right(current[key]),
            _is_handled_right(revised.get(key)),
            clusters[key.case_id],
        )
        for key, probe in facts.items()
        if key in current and current[key].score is not None
    ]


def _is_handled_right(probe: ScoredProbe | None) -> bool:
    return probe is not None and probe.score is not None and probe.passed == probe.facts.right
