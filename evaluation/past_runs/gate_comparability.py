"""Changes of judges, rules or cases, by which a difference may not be the systems'."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from ...records import Case
from ...records.json_text import encode_json
from ...records.verdict import COUNTED
from ...settings.typed_commands import options_named, proposed, typed_command
from ..store.kept_inputs import KeptInput
from ..store.manifest import KnownJudge, Manifest
from .compare_runs import what_changed
from .gated_judging import CRASHED
from .gated_runs import GatedRun

_SHOWN = 3
"""Most cases that a reason names."""

_NOT_RULES = {"inputs", "sharded"}
"""Parts of a run's identity that grade nothing."""


def incomparable(before: GatedRun, after: GatedRun) -> Iterator[str]:
    """Yield what changed beside the systems."""
    if before.manifest is not None and after.manifest is not None:
        yield from _settings(before.manifest, after.manifest, judged=_judged(before) or _judged(after))
    elif (before.manifest is None) != (after.manifest is None):
        yield "one run is a run folder and the other an import: nothing says that the same graded both"
    else:
        yield from _scorers(before, after)
    yield from _cases(before, after)


def _judged(run: GatedRun) -> bool:
    return any(output.judged for outputs in run.systems.values() for output in outputs.values())


def _settings(before: Manifest, after: Manifest, *, judged: bool) -> Iterator[str]:
    rules = {**before.identity, **after.identity}.keys() - _NOT_RULES
    for key in sorted(rules):
        was, now = before.identity.get(key), after.identity.get(key)
        if was != now:
            yield f"the {key.replace('_', ' ')} changed: {was or 'none'} -> {now or 'none'}"
    for changed in what_changed(before, after) if judged else ():
        if changed.what.startswith(("judge ", "threshold of ")):
            yield f"{changed.what} changed: {changed.before or 'none'} -> {changed.after or 'none'}"


def _scorers(before: GatedRun, after: GatedRun) -> Iterator[str]:
    was, now = (
        sorted(
            {
                output.by
                for found in run.systems.values()
                for output in found.values()
                if output.score is not None
            }
            - {CRASHED}
        )
        for run in (before, after)
    )
    if was and now and was != now:
        yield f"other scorers graded: {', '.join(was)} -> {', '.join(now)}"


def _cases(before: GatedRun, after: GatedRun) -> Iterator[str]:
    if _same_files(before, after):
        return
    if before.cases is None or after.cases is None:
        which = before.name if before.cases is None else after.name
        yield f"the cases' files differ, and those of {which} are gone or changed: whether a case changed, nobody can say"
        return
    changed = [
        case_id
        for case_id, case in after.cases.items()
        if case_id in before.cases and _content(case) != _content(before.cases[case_id])
    ]
    if changed:
        more = f" and {len(changed) - _SHOWN:,} more" if len(changed) > _SHOWN else ""
        shown = ", ".join(changed[:_SHOWN]) + more
        yield f"text or reference changed of {len(changed):,} common case{'s' if len(changed) > 1 else ''}: {shown}"


def _same_files(before: GatedRun, after: GatedRun) -> bool:
    if before.manifest is None or after.manifest is None:
        return False
    was, now = (
        [file.sha256 for file in _files(manifest)[0]] for manifest in (before.manifest, after.manifest)
    )
    return bool(was) and was == now


def _content(case: Case) -> bytes:
    """Return all of a case but its tags, which grade nothing."""
    fields = {name: getattr(case, name) for name in case.__struct_fields__ if name != "tags"}
    return encode_json(fields)


_GRADING = (
    "judges", "judge_on", "jury", "weights", "unsure", "split_statements", "split_model", "model", "repeats",
    "judge_parameters", "base_url", "endpoints", "connection", "api_key_env", "rules", "text", "names", "functions",
    "worlds", "allow_code", "files", "case_insensitive", "whole_word", "code_timeout", "retry_unreadable", "scale",
    "pass_at", "map", "plugin",
)  # fmt: skip
"""Settings of a run by which its outputs are graded."""


def judging_again(before: GatedRun, after: GatedRun) -> str:
    """Return the command that grades the earlier outputs as the later ones; empty for imports.

    It is the later run's command, with the earlier outputs. Without one, as of a run in Python, it names every judge.
    """
    if before.manifest is None or after.manifest is None:
        return ""
    cases = [file.path for file in _files(after.manifest)[0]]
    outputs = tuple(file.path for file in _files(before.manifest)[1]) or ("OUTPUTS",)
    made = proposed("run", *(cases or ["CASES"]), outputs=outputs)
    typed = typed_command(after.manifest.command) if after.manifest.command else None
    if typed is not None and typed.verb in {"run", "judge"}:
        made = made.also(*(option for option in typed.options if option.name in _GRADING))
    else:
        judges = [_asked_for(judge) for judge in after.manifest.roster if judge.id.kind not in COUNTED]
        made = made.also(*options_named("run", judges=judges))
    return str(made.also(*options_named("run", out=f"{before.name}-again")))


def _files(manifest: Manifest) -> tuple[Sequence[KeptInput], Sequence[KeptInput]]:
    """Return a run's files of cases, and those of outputs."""
    inputs, count = manifest.inputs or [], manifest.case_files or 1
    return inputs[:count], inputs[count:]


def _asked_for(judge: KnownJudge) -> str:
    name = judge.prompt or f"{judge.id.name}/{judge.id.variant}".removesuffix("/")
    if judge.id.kind == "baseline":
        name = judge.id.name
    return f"{name}@{judge.id.model}" if judge.id.model else name


def tag_holds(case: Case, tag: str) -> bool:
    """Return whether a case has a tag: by its name, ``safety``, or with a value, ``risk=high``."""
    name, equals, wanted = tag.partition("=")
    if name not in case.tags:
        return False
    value = case.tags[name]
    text = str(value).lower() if isinstance(value, bool) else str(value)
    return text == wanted if equals else value not in {False, None}


def ids_with(cases: Mapping[str, Case], tag: str) -> Sequence[str]:
    """Return the ids of the cases that have a tag."""
    return [case_id for case_id, case in cases.items() if tag_holds(case, tag)]
