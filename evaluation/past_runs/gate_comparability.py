"""Changes of judges, rules or cases that may explain a difference between two runs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from ...records import Case
from ...records.json_text import encode_json
from ...records.verdict import COMPOSITE_KINDS
from ...settings.typed_commands import options_named, proposed, typed_command
from ..store.kept_inputs import KeptInput
from ..store.manifest import JudgeRecord, Manifest
from .compare_runs import what_changed
from .gated_judging import CRASHED
from .gated_runs import GatedRun

_MAX_CASES_NAMED = 3
"""Cases that a reason names."""

_IDENTITY_WITHOUT_RULES = {"inputs", "sharded"}
"""Parts of a run's identity that do not influence grades."""


def incomparable(before: GatedRun, after: GatedRun) -> Iterator[str]:
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
    keys = {**before.identity, **after.identity}.keys() - _IDENTITY_WITHOUT_RULES
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
        [file.sha256 for file in _case_and_output_files(manifest)[0]]
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


def judging_again(before: GatedRun, after: GatedRun) -> str:
    """Return a command that grades the earlier outputs like the later ones; empty for imports.

    It is the later run's command with the earlier outputs. A run from Python has no command; then it names every judge.
    """
    if before.manifest is None or after.manifest is None:
        return ""
    cases = [file.path for file in _case_and_output_files(after.manifest)[0]]
    outputs = tuple(file.path for file in _case_and_output_files(before.manifest)[1]) or ("OUTPUTS",)
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


def _case_and_output_files(manifest: Manifest) -> tuple[Sequence[KeptInput], Sequence[KeptInput]]:
    """Return a run's case files and its output files."""
    inputs, count = manifest.inputs or [], manifest.case_files or 1
    return inputs[:count], inputs[count:]


def _judge_option(judge: JudgeRecord) -> str:
    name = judge.prompt or f"{judge.id.name}/{judge.id.variant}".removesuffix("/")
    if judge.id.kind == "baseline":
        name = judge.id.name
    return f"{name}@{judge.id.model}" if judge.id.model else name


def tag_holds(case: Case, tag: str) -> bool:
    """Return whether a case has a tag, given as a name, ``safety``, or a value, ``risk=high``."""
    name, equals, wanted_value = tag.partition("=")
    if name not in case.tags:
        return False
    value = case.tags[name]
    text = str(value).lower() if isinstance(value, bool) else str(value)  # true as in JSON
    return text == wanted_value if equals else value not in {False, None}


def ids_with(cases: Mapping[str, Case], tag: str) -> Sequence[str]:
    """Return the ids of cases with a tag."""
    return [case_id for case_id, case in cases.items() if tag_holds(case, tag)]
