"""Next step after a run: that of the first rule that applies, with its command.

Rules on missing outputs are in `incomplete_outputs`, on more labels or cases in `more_data`; the order of all is in
`next_step` and documented in docs/report.md.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from functools import partial
from pathlib import Path

import msgspec

from ..evaluation.conclusion.run_results import ALL_CORRECTED, JudgeUse, StratumRate
from ..evaluation.conclusion.run_summary import RunSummary
from ..judges.baseline import MODEL as BASELINE
from ..judges.catalogue import judges_for, no_model
from ..proposed_steps import Command
from ..records import Kind, Outcome
from ..records.verdict import COMPOSITE_KINDS
from ..settings.typed_commands import options_named, proposed
from ..spelling import spelled_word
from .incomplete_outputs import add_missing, allow_code, fix_crashes
from .items.naming import FAILED, item_at, items_at
from .more_data import another_judge, label_undecided, narrow_interval, separate_systems
from .python_call import judges_arguments, named, retry_sentence
from .ranking import Answer
from .text import number_text
from .text.number_text import all_counted, counted
from .text.trust_words import CHANCE_WORDS, LOW_ERRORS, LOW_ERRORS_RATE, OFF_WORDS, Trust, TrustWord
from .text.ungraded_text import never_answered, outputs_to_judge, reason_of_failed_calls

_MODEL_SETTINGS = ("base_url", "endpoints", "connection", "replay")
"""Settings of which each says how a run reaches a model, or its recording."""

_SHARED_MODEL_SETTINGS = ("base_url", "endpoints", "connection", "api_key_env")
"""Settings for reaching a model that `improve` takes, too."""

_LABELS_TO_IMPROVE = 40
"""Fewest labels for which a search for a better prompt is proposed."""

_UNSCORED_ACTIONS: Mapping[Outcome, str] = {
    "unparsable": "gave no readable score for",
    "refused": "refused to grade",
}
"""Outcomes without a score that another model or prompt may avoid, and what the judge did, in words."""

_BETTER_THAN_CHANCE: AbstractSet[TrustWord] = {LOW_ERRORS, "biased", "errs too often", *OFF_WORDS}
"""Verdicts on judges that are better than chance."""


def next_step(summary: RunSummary, trust: Sequence[Trust]) -> Answer:
    """Return the step of the first rule that applies, which is at least to review failures."""
    rules: Sequence[Callable[[RunSummary], Answer | None]] = (
        _change_unreadable_judge,
        _retry_calls,
        _change_judge,
        add_missing,
        allow_code,
        fix_crashes,
        _settle_form,
        _judge_undecided,
        partial(_improve_judge, trust=trust),
        label_undecided,
        separate_systems,
        narrow_interval,
        _move_threshold,
        _correct_references,
        _decide_labels,
        partial(_certify, trust=trust),
    )
    answers = (rule(summary) for rule in rules)
    return _ended(next(filter(None, answers), None) or _review_failures(summary), summary)


def _ended(answer: Answer, summary: RunSummary) -> Answer:
    """End the text with a full stop if no command follows; a merged run says where to act."""
    if answer.step is not None or not answer.text.endswith(":"):
        return answer
    out = named(summary, "out")
    where = (
        f" Do so in each merged run, then merge them with a new {out}."
        if summary.typed.verb == "merge"
        else ""
    )
    return msgspec.structs.replace(answer, text=f"{answer.text.removesuffix(':')}.{where}")


def _retry_calls(summary: RunSummary) -> Answer | None:
    """Propose to run the same command again if calls or custom checkers failed."""
    model_judges = [use for use in summary.judges if use.id is None or use.id.kind not in COMPOSITE_KINDS]
    calls = sum(use.outcomes.get("failed", 0) for use in model_judges)
    checks = sum(system.failed_checks for system in summary.systems)
    failures = [
        *([number_text.missing_verdicts(calls)] if calls else []),
        *([f"{number_text.unchecked_outputs(checks)}{_reason_of_failed_checks(summary)}"] if checks else []),
    ]
    if not failures:
        return None
    failures_text = "; ".join(failures)
    if summary.command and (not summary.resumes or summary.typed.given("replay")):
        text = f"{failures_text}. The recording or batch has no reply for them; ask a model."
        return Answer(text=text, evidence="judges")
    reason = reason_of_failed_calls(never_answered(summary.judges))
    note_on_checkers = f"; a changed checker needs a new {named(summary, 'out')}" if checks else ""
    retry = f"the same command retries only these{note_on_checkers}."
    if summary.is_python:
        retry = retry_sentence(summary, checks=bool(checks))
    advice = f". Fix this first: {reason}. Then" if reason else ";"
    return Answer(
        text=f"{failures_text}{advice} {retry}",
        evidence="judges",
        step=summary.again(),
        below_reasons=f"{failures_text}. Fix the reason above; then {retry}" if reason else "",
    )


def _reason_of_failed_checks(summary: RunSummary) -> str:
    """Return the commonest reason why custom checkers failed, after a colon; empty if unknown."""
    reasons = Counter[str]()
    for system in summary.systems:
        reasons.update(system.failures)
    return f": {reasons.most_common(1)[0][0].rstrip('.')}" if reasons else ""


def _settle_form(summary: RunSummary) -> Answer | None:
    """Propose a rule for texts, or decisions, if most undecided outputs differ only in form.

    It applies only to runs without judges, which would grade such outputs.
    """
    form_outputs = sum(system.form.outputs for system in summary.systems if system.form is not None)
    unjudged = sum(sum(system.unjudged.values()) for system in summary.systems)
    if summary.judges or not form_outputs or form_outputs < unjudged:
        return None
    rules = " or ".join(f"`{spelled_word('text', rule)}`" for rule in ("loose", "exact"))
    differ = "differs" if form_outputs == 1 else "differ"
    proposal = f"{all_counted(form_outputs, 'undecided output')} {differ} only in form: use {rules} with a new {named(summary, 'out')}, or decide each:"
    return Answer(text=proposal[0].upper() + proposal[1:], evidence="systems", step=summary.reviewed())


def _judge_undecided(summary: RunSummary) -> Answer | None:
    """Propose judges, or a model for them, for undecided outputs that no judge was asked about."""
    outputs_by_kind, with_steps = Counter[Kind](), Counter[Kind]()
    for system in summary.systems:
        outputs_by_kind.update(system.unjudged)
        with_steps.update(system.unjudged_steps)
    if not outputs_by_kind:
        return None
    undecided = all_counted(outputs_by_kind.total(), "undecided output")
    judges = sorted(
        {judge for kind, n in outputs_by_kind.items() for judge in judges_for(kind, n, with_steps[kind])}
    )
    typed_names = {_plain_name(judge) for judge in summary.typed.values_of("judges")}
    new_judges = [judge for judge in judges if judge not in typed_names]
    lacks_model = summary.not_judged == no_model()
    if not new_judges and not lacks_model and not summary.is_python:
        reason = summary.not_judged if _names_model(summary) else None
        text = (
            f"Reach a model for {undecided} ({reason or _needs_model(summary)}); the same command continues."
        )
        return Answer(text=text, evidence="systems", step=summary.again())
    typed_model = summary.typed.values_of("model")
    models_used = (use.id.model for use in summary.judges if use.id is not None and use.id.model)
    model = typed_model[-1] if typed_model else next(models_used, number_text.MODEL)
    settings = {"judges": tuple(new_judges), "model": None if typed_model else model}
    needs_note = "" if _names_model(summary) or model == BASELINE else f" ({_needs_model(summary)})"
    return Answer(
        text=f"{'Add a judge' if new_judges or not lacks_model else 'Name a model'} for {undecided}{needs_note}:",
        evidence="systems",
        step=summary.again(settings, judges_arguments(summary, judges, model)),
    )


def _change_unreadable_judge(summary: RunSummary) -> Answer | None:
    """Propose to change a judge if more of its replies lack a score than calls failed.

    It comes before retrying the calls, which would bring more such replies.
    """
    return _change_judge(summary, more_than=sum(use.outcomes.get("failed", 0) for use in summary.judges))


def _change_judge(summary: RunSummary, more_than: int = 0) -> Answer | None:
    """Propose another model or prompt if most replies of a judge are refusals or unreadable."""
    for use in summary.judges:
        outputs = outputs_to_judge(use)
        for outcome, action in _UNSCORED_ACTIONS.items():
            ungraded = use.outcomes.get(outcome, 0)
            if 2 * ungraded > outputs and ungraded > more_than:
                reason = next(iter(use.reasons.get(outcome, {})), "").rstrip(".")
                unscored = f"{ungraded:,} of {counted(outputs, 'output')}{f' ({reason})' if reason else ''}"
                text, step = _correct_parse(summary, use) if outcome == "unparsable" else ("", None)
                text = f"{use.name} {action} {unscored}. {text or another_judge(summary, [use])}"
                return Answer(text=text, evidence="judges", step=step)
    return None


def _correct_parse(summary: RunSummary, judge: JudgeUse) -> tuple[str, Command | None]:
    """Return how to read replies to a custom prompt again; nothing for other judges."""
    prompt = _prompt_of(summary, judge)
    if not prompt.endswith(".prompty"):
        return "", None
    text = f"Make `parse:` in {prompt} read such replies. Then read them again, without calls:"
    return text, proposed("judge", reparse=summary.folder)


def _needs_model(summary: RunSummary) -> str:
    """Return what it needs to reach a model, spelled for where the run was made."""
    return number_text.needs_model(named(summary, "base_url"))


def _names_model(summary: RunSummary) -> bool:
    """Return whether the command said how to reach a model, such as by an endpoint."""
    return bool(summary.typed.given(*_MODEL_SETTINGS))


def _plain_name(typed: str) -> str:
    """Return the name in ``name/variant@model``, as judges are typed."""
    return typed.partition("@")[0].partition("/")[0]


def _improve_judge(summary: RunSummary, trust: Sequence[Trust]) -> Answer | None:
    """Propose to improve a judge that may guess, unless a variant of it is better than chance."""
    verdict_words: dict[str, TrustWord] = {predicate.judge: predicate.word for predicate in trust}
    better = {
        use.id.name for use in summary.judges if use.id and verdict_words.get(use.name) in _BETTER_THAN_CHANCE
    }
    for use in summary.judges:
        word = verdict_words.get(use.name)
        predicate = None if word is None else CHANCE_WORDS.get(word)
        if predicate is not None and not (use.id and use.id.name in better):
            labels = sum(verdict.panel.n for verdict in trust if verdict.judge == use.name)
            return _better_judge(summary, use, labels, predicate)
    return None


def _better_judge(summary: RunSummary, judge: JudgeUse, labels: int, predicate: str) -> Answer:
    """Propose a model for a baseline, a prompt search, or, with few labels, reading errors."""
    text = "Read where it contradicts the labels, and decide who is right:"
    step = summary.reviewed("disagreements")
    needs_note = "" if _names_model(summary) else f" ({_needs_model(summary)})"
    prompt = _prompt_of(summary, judge)
    if judge.id is not None and judge.id.kind == "baseline":
        text = f"Ask a model{needs_note}:"
        step = summary.again(arguments=judges_arguments(summary, [], number_text.MODEL))
        step = _with_a_model(step) if isinstance(step, Command) else step
    elif judge.id is not None and prompt and labels >= _LABELS_TO_IMPROVE:
        text = f"Search for a better prompt{needs_note}:"
        search = proposed("improve", summary.folder, prompt=prompt, model=judge.id.model)
        out = options_named("improve", out=f"{summary.folder}-better")
        step = search.also(*summary.typed.given(*_SHARED_MODEL_SETTINGS), *out)
    return Answer(text=f"{judge.name} {predicate}. {text}", evidence="trust", step=step)


def _with_a_model(command: Command) -> Command:
    """Replace the word overlap baseline in a command by a model."""
    with_model = command.with_values("model", lambda model: number_text.MODEL if model == BASELINE else model)
    suffix = f"@{BASELINE}"
    return with_model.with_values(
        "judges", lambda typed: typed.removesuffix(suffix) + f"@{number_text.MODEL}" * typed.endswith(suffix)
    )


def _prompt_of(summary: RunSummary, judge: JudgeUse) -> str:
    """Return a judge's prompt as `improve` takes it; empty without a prompt or a run folder."""
    if judge.id is None or not summary.folder:
        return ""
    if judge.id.kind == "shipped":
        return f"{judge.id.name}/{judge.id.variant}"
    judges = summary.typed.values_of("judges")
    files = [typed for typed in judges if typed.endswith(".prompty") and Path(typed).stem == judge.id.name]
    return files[0] if judge.id.kind == "own" and files else ""


def _move_threshold(summary: RunSummary) -> Answer | None:
    """Propose another threshold for a judge if it is clearly better on held-out items."""
    for caution in summary.agreement.cautions:
        for judge, threshold in caution.about.items() if caution.code == "another_threshold" else ():
            if judge not in summary.baselines:
                text = f"Threshold {threshold:g} beats that of {judge} on held-out items:"
                step = summary.again({"pass_at": f"{judge}={threshold:g}"}, {"pass_at": {judge: threshold}})
                return Answer(text=text, evidence="calibration", step=step)
    return None


def _correct_references(summary: RunSummary) -> Answer | None:
    """Propose to correct references whose labels people found wrong."""
    adjudication = summary.agreement.adjudication
    if adjudication is None or not summary.folder:
        return None
    judges = adjudication.judges.values()
    wrong_labels = max(
        # Where the judge is right, the label is wrong; where both agree and are wrong, so is the label.
        (judge.disagreements.judge_right + judge.agreements.judge_wrong for judge in judges),
        default=0,
    )
    if not wrong_labels:
        return None
    text = f"Correct the references behind {counted(wrong_labels, 'label')} found wrong:"
    step = proposed("labels export", summary.folder, out="patch.jsonl")
    return Answer(text=text, evidence="calibration", step=step)


def _decide_labels(summary: RunSummary) -> Answer | None:
    """Propose to decide who is right where most judges contradict a label."""
    calibration = summary.agreement
    if len(calibration.judges) < 2 or not calibration.suspected_label_errors:  # noqa: PLR2004 - one may err
        return None
    adjudication = calibration.adjudication
    if adjudication is not None and not any(
        judge.disagreements.left for judge in adjudication.judges.values()
    ):
        return None
    count = calibration.suspected_count
    return Answer(
        text=f"Most judges contradict {counted(count, 'label')}. Decide who is right:",
        evidence="items",
        address=item_at(calibration.suspected_label_errors[0].item_id),
        step=summary.reviewed("suspects"),
    )


def _certify(summary: RunSummary, trust: Sequence[Trust]) -> Answer | None:
    """Propose to certify a judge with low error rates, unless one is certified."""
    judge = next((verdict.judge for verdict in trust if verdict.word == LOW_ERRORS), None)
    if judge is None or not summary.folder or summary.certified:
        return None
    claim, out = f"accuracy={LOW_ERRORS_RATE:g}", f"{summary.folder}/certificate.json"
    step = proposed("audit certify", summary.folder, judge=judge, claims=claim, out=out)
    text = f"Certify {judge}, then check it again from time to time:"
    return Answer(text=text, evidence="calibration", step=step)


def _review_failures(summary: RunSummary) -> Answer:
    """Propose to review the failures, the last rule, which always applies."""
    rates = [system.overall for system in summary.systems if system.overall is not None]
    graded, ungraded = sum(rate.n for rate in rates), sum(rate.of - rate.n for rate in rates)
    text = "Review the failures in the report."
    if ungraded and not graded:
        reasons = [why for use in summary.judges for reason in use.reasons.values() for why in reason]
        text = ": ".join([f"{counted(ungraded, 'output')} ungraded", *reasons[:1]]).rstrip(".") + "."
    elif len(rates) == len(summary.systems) and all(map(_counts_passes, rates)):
        failed = sum(round((1.0 - (rate.value or 0.0)) * rate.n) for rate in rates)
        advice = (
            f"Review the {counted(failed, 'failure')} in the report." if failed else f"All {graded:,} passed."
        )
        text = f"Everything is graded. {advice}"
    return Answer(text=text, evidence="items", address=items_at(group=FAILED))


def _counts_passes(rate: StratumRate) -> bool:
    """Return whether a rate is a share of outputs, all of them graded, and no mean or estimate."""
    is_share = rate.value is not None and not rate.fractions and rate.n == rate.of
    return is_share and rate.name != ALL_CORRECTED
