"""Pair the systems of two runs for a gate, and tell what makes the runs incomparable.

Changed judges, rules or cases may explain a difference, which then says nothing about the systems. See decision 42.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from ...calibration.gating.gate_results import GateCheck
from ...records import Case, ItemKey
from ...records.json_text import encode_json
from ...records.verdict import COMPOSITE_KINDS
from ...settings.typed_commands import options_named, proposed, typed_command
from ..store.kept_inputs import KeptInput
from ..store.manifest import JudgeRecord, Manifest
from .gated_judging import CRASHED, GatedOutput
from .gated_runs import GatedRun
from .run_changes import what_changed

_MIN_COMMON_SHARE = 0.8
"""Share of the cases of either run that both must have; see decision 42."""

_MAX_CASES_NAMED = 3
"""Cases that a reason names."""

_FACTS_WITHOUT_INFLUENCE = {"inputs", "sharded"}
"""Facts of a run's identity that do not influence grades; cases are compared by themselves."""


class GatePair(NamedTuple):
    """A system of both runs.

    Attributes:
        name: Its name in the later run.
        before: Its outputs before.
        after: Its outputs after.
        common: Ids of cases that both runs have.
        cases: Number of cases that either run has.
    """

    name: str
    before: Mapping[ItemKey, GatedOutput]
    after: Mapping[ItemKey, GatedOutput]
    common: frozenset[str]
    cases: int


def gate_pairs(before: GatedRun, after: GatedRun) -> Iterator[GatePair]:
    """Yield the systems of both runs; single systems are paired regardless of their names."""
    each_has_one_system = len(before.systems) == len(after.systems) == 1
    for name, outputs_after in after.systems.items():
        name_before = next(iter(before.systems)) if each_has_one_system else name
        if name_before not in before.systems:
            continue
        outputs_before = before.systems[name_before]
        ids_before = {key.case_id for key in outputs_before}
        ids_after = {key.case_id for key in outputs_after}
        cases_before = ids_before | _cases_without_output(before, name_before, ids_after)
        cases_after = ids_after | _cases_without_output(after, name, ids_before)
        common = frozenset(cases_before & cases_after)
        yield GatePair(name, outputs_before, outputs_after, common, len(cases_before | cases_after))


def _cases_without_output(run: GatedRun, system: str, ids_in_other_run: set[str]) -> set[str]:
    """Return the cases that a system with missing outputs may lack.

    If the run's cases cannot be read, they are taken to be those of the other run.
    """
    if not run.missing.get(system):
        return set()
    return set(ids_in_other_run if run.cases is None else run.cases)


def unpaired_checks(
    before: GatedRun, after: GatedRun, condition: str, limit: float, systems: Iterable[str]
) -> Iterator[GateCheck]:
    """Yield a "cannot tell" for each of the systems that only one run has."""
    if len(before.systems) == len(after.systems) == 1:
        return
    for name in dict.fromkeys(systems):
        if name in before.systems and name in after.systems:
            continue
        run_name = before.name if name in before.systems else after.name
        yield GateCheck(
            system=name,
            condition=condition,
            limit=limit,
            answer="cannot tell",
            why=f"only {run_name} has this system",
        )


def comparison_doubt(pair: GatePair, reasons: list[str]) -> str:
    """Say why the runs are not compared; empty if they are."""
    if reasons:
        return f"not comparable: {reasons[0]}"
    if len(pair.common) < _MIN_COMMON_SHARE * pair.cases:
        return f"only {len(pair.common):,} of {pair.cases:,} cases are common, fewer than {_MIN_COMMON_SHARE:.0%}"
    any_passed = any(output.score for outputs in (pair.before, pair.after) for output in outputs.values())
    return "" if any_passed else "no output passed in either run, so no drop could be seen"


def comparison_obstacles(before: GatedRun, after: GatedRun) -> Iterator[str]:
    """Yield changes, other than of the systems, that make two runs incomparable."""
    if before.manifest is not None and after.manifest is not None:
        yield from _changed_settings(
            before.manifest, after.manifest, has_judged=_has_judged(before) or _has_judged(after)
        )
    elif (before.manifest is None) != (after.manifest is None):
        yield "one run is a run folder and the other an import: nothing says that the same graded both"
    else:
        yield from _changed_scorers(before, after)
    yield from _changed_cases(before, after)


def _has_judged(run: GatedRun) -> bool:
    return any(output.judged for outputs in run.systems.values() for output in outputs.values())


def _changed_settings(before: Manifest, after: Manifest, *, has_judged: bool) -> Iterator[str]:
    keys = {**before.identity, **after.identity}.keys() - _FACTS_WITHOUT_INFLUENCE
    for key in sorted(keys):
        value_before, value_after = before.identity.get(key), after.identity.get(key)
        if value_before != value_after:
            yield f"the {key.replace('_', ' ')} changed: {value_before or 'none'} -> {value_after or 'none'}"
    for change in what_changed(before, after) if has_judged else ():
        if change.what.startswith(("judge ", "threshold of ")):
            yield f"{change.what} changed: {change.before or 'none'} -> {change.after or 'none'}"


def _changed_scorers(before: GatedRun, after: GatedRun) -> Iterator[str]:
    scorers_before, scorers_after = (
        sorted(
            {
                output.by
                for outputs in run.systems.values()
                for output in outputs.values()
                if output.score is not None
            }
            - {CRASHED}
        )
        for run in (before, after)
    )
    if scorers_before and scorers_after and scorers_before != scorers_after:
        yield f"other scorers graded: {', '.join(scorers_before)} -> {', '.join(scorers_after)}"


def _changed_cases(before: GatedRun, after: GatedRun) -> Iterator[str]:
    if _same_files(before, after):
        return
    if before.cases is None or after.cases is None:
        unreadable = before.name if before.cases is None else after.name
        yield f"the cases' files differ, and those of {unreadable} are gone or changed: whether a case changed, nobody can say"
        return
    changed_ids = [
        case_id
        for case_id, case in after.cases.items()
        if case_id in before.cases
        and _content_without_tags(case) != _content_without_tags(before.cases[case_id])
    ]
    if changed_ids:
        hidden = len(changed_ids) - _MAX_CASES_NAMED
        more = f" and {hidden:,} more" if hidden > 0 else ""
        names = ", ".join(changed_ids[:_MAX_CASES_NAMED]) + more
        yield f"text or reference changed of {len(changed_ids):,} common case{'s' if len(changed_ids) > 1 else ''}: {names}"


def _same_files(before: GatedRun, after: GatedRun) -> bool:
    if before.manifest is None or after.manifest is None:
        return False
    hashes_before, hashes_after = (
        [file.sha256 for file in _input_files(manifest).cases]
        for manifest in (before.manifest, after.manifest)
    )
    return bool(hashes_before) and hashes_before == hashes_after


def _content_without_tags(case: Case) -> bytes:
    """Encode a case without its tags, which do not influence grades."""
    fields = {name: getattr(case, name) for name in case.__struct_fields__ if name != "tags"}
    return encode_json(fields)


_GRADING_OPTIONS = (
    "judges", "judge_on", "jury", "weights", "unsure", "split_statements", "split_model", "model", "repeats",
    "judge_parameters", "base_url", "endpoints", "connection", "api_key_env", "rules", "text", "names", "functions",
    "worlds", "allow_code", "files", "case_insensitive", "whole_word", "code_timeout", "retry_unreadable", "scale",
    "pass_at", "map", "plugin",
)  # fmt: skip
"""Options of ``run`` that influence grades."""


def regrading_command(before: GatedRun, after: GatedRun) -> str:
    """Return a command that grades the earlier outputs like the later ones; empty for imports.

    It is the later run's command with the earlier outputs. A run from Python has no command; then it names every judge.
    """
    if before.manifest is None or after.manifest is None:
        return ""
    cases = [file.path for file in _input_files(after.manifest).cases]
    outputs = tuple(file.path for file in _input_files(before.manifest).outputs) or ("OUTPUTS",)
    command = proposed("run", *(cases or ["CASES"]), outputs=outputs)
    typed_after = typed_command(after.manifest.command) if after.manifest.command else None
    if typed_after is not None and typed_after.verb in {"run", "judge"}:
        command = command.also(*(option for option in typed_after.options if option.name in _GRADING_OPTIONS))
    else:
        judges = [
            _judge_option(judge) for judge in after.manifest.roster if judge.id.kind not in COMPOSITE_KINDS
        ]
        command = command.also(*options_named("run", judges=judges))
    return str(command.also(*options_named("run", out=f"{before.name}-again")))


class _InputFiles(NamedTuple):
    """Case files and output files of a run."""

    cases: Sequence[KeptInput]
    outputs: Sequence[KeptInput]


def _input_files(manifest: Manifest) -> _InputFiles:
    inputs, count = manifest.inputs or [], manifest.case_files or 1
    return _InputFiles(cases=inputs[:count], outputs=inputs[count:])


def _judge_option(judge: JudgeRecord) -> str:
    name = judge.prompt or f"{judge.id.name}/{judge.id.variant}".removesuffix("/")
    if judge.id.kind == "baseline":
        name = judge.id.name
    return f"{name}@{judge.id.model}" if judge.id.model else name
