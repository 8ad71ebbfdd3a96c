"""Next step: the first rule that applies, with its command."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from functools import partial
from pathlib import Path

from ..evaluation.conclusion.run_results import ALL_CORRECTED, JudgeUse, StratumRate
from ..evaluation.conclusion.run_summary import RunSummary
from ..judges.baseline import MODEL as BASELINE
from ..judges.catalogue import judges_for, no_model
from ..proposed_steps import Command
from ..records import Kind, Outcome
from ..records.verdict import COMPOSITE_KINDS
from ..settings.typed_commands import options_named, proposed
from ..spelling import setting
from .incomplete_outputs import add_missing, allow_code, fix_crashes
from .items.naming import FAILED, item_at, items_at
from .more_data import another_judge, label_undecided, narrow_interval, separate_systems
from .python_call import judges_arguments, named, retry_sentence
from .ranking import Answer
from .text import number_text
from .text.number_text import all_counted, counted
from .text.trust_words import CHANCE_WORDS, LOW_ERRORS, LOW_ERRORS_RATE, OFF_WORDS, Trust, TrustWord
from .text.ungraded_text import never_answered, outputs_to_judge, reason_of_failed_calls

_REACHING = ("base_url", "endpoints", "connection", "replay")
"""Settings for reaching a model."""

_ACCESS = ("base_url", "endpoints", "connection", "api_key_env")
"""Settings for reaching a model that other commands take, too."""

_LABELS_TO_IMPROVE = 40
"""Fewest labels with which a better prompt is searched for; each half needs 10."""

_NO_SCORE: Mapping[Outcome, str] = {"unparsable": "gave no readable score for", "refused": "refused to grade"}
"""Outcomes that another model or prompt may avoid, with the judge's action in words."""

_USEFUL: AbstractSet[TrustWord] = {LOW_ERRORS, "biased", "errs too often", *OFF_WORDS}
"""Verdicts on judges that are better than chance."""


def next_step(summary: RunSummary, trust: Sequence[Trust]) -> Answer:
    """Return the step of the first rule that applies."""
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
    return next(filter(None, answers), None) or _review_failures(summary)


def _retry_calls(summary: RunSummary) -> Answer | None:
    """Propose the same command again if calls or custom checkers failed."""
    asked = [use for use in summary.judges if use.id is None or use.id.kind not in COMPOSITE_KINDS]
    calls = sum(use.outcomes.get("failed", 0) for use in asked)
    checks = sum(system.failed_checks for system in summary.systems)
    failures = [
        *([number_text.missing_verdicts(calls)] if calls else []),
        *([f"{number_text.unchecked_outputs(checks)}{_reason_of_failed_checks(summary)}"] if checks else []),
    ]
    if not failures:
        return None
    failed = "; ".join(failures)
    if summary.command and (not summary.resumes or summary.typed.given("replay")):
        text = f"{failed}. The recording or batch has no reply for them; ask a model."
        return Answer(text=text, evidence="judges")
    reason = reason_of_failed_calls(never_answered(summary.judges))
    changed = f"; a changed checker needs a new {named(summary, 'out')}" if checks else ""
    retry = f"the same command retries only these{changed}."
    if summary.is_python:
        retry = retry_sentence(summary, checks=bool(checks))
    fix = f". Fix this first: {reason}. Then" if reason else ";"
    return Answer(
        text=f"{failed}{fix} {retry}",
        evidence="judges",
        step=summary.again(),
        below_reasons=f"{failed}. Fix the reason above; then {retry}" if reason else "",
    )


def _reason_of_failed_checks(summary: RunSummary) -> str:
    """Return the commonest reason why custom checkers failed, with the exception and its line."""
    reasons = Counter[str]()
    for system in summary.systems:
        reasons.update(system.failures)
    return f": {reasons.most_common(1)[0][0].rstrip('.')}" if reasons else ""


def _settle_form(summary: RunSummary) -> Answer | None:
    """Propose, without a judge, a rule for texts or a look at them if nothing else is undecided."""
    forms = sum(system.form.outputs for system in summary.systems if system.form is not None)
    unjudged = sum(sum(system.unjudged.values()) for system in summary.systems)
    if summary.judges or not forms or forms < unjudged:
        return None
    rules = " or ".join(f"`{setting('text', rule)}`" for rule in ("loose", "exact"))
    differ = "differs" if forms == 1 else "differ"
    text = f"{all_counted(forms, 'undecided output')} {differ} only in form: use {rules} with a new {named(summary, 'out')}, or decide each:"
    return Answer(text=text[0].upper() + text[1:], evidence="systems", step=summary.reviewed())


def _judge_undecided(summary: RunSummary) -> Answer | None:
    """Propose judges for undecided outputs that no judge was asked about."""
    kinds, recorded = Counter[Kind](), Counter[Kind]()
    for system in summary.systems:
        kinds.update(system.unjudged)
        recorded.update(system.unjudged_steps)
    if not kinds:
        return None
    undecided = all_counted(kinds.total(), "undecided output")
    judges = sorted({judge for kind, n in kinds.items() for judge in judges_for(kind, n, recorded[kind])})
    typed = {_plain_name(judge) for judge in summary.typed.values_of("judges")}
    new = [judge for judge in judges if judge not in typed]
    names_model = summary.not_judged == no_model()
    if not new and not names_model and not summary.is_python:
        text = f"Reach a model for {undecided} ({_needs_model(summary)}); the same command continues."
        return Answer(text=text, evidence="systems", step=summary.again())
    typed_model = summary.typed.values_of("model")
    used = (use.id.model for use in summary.judges if use.id is not None and use.id.model)
    model = typed_model[-1] if typed_model else next(used, number_text.MODEL)
    settings = {"judges": tuple(new), "model": None if typed_model else model}
    needs = "" if _reaches_model(summary) or model == BASELINE else f" ({_needs_model(summary)})"
    return Answer(
        text=f"{'Add a judge' if new or not names_model else 'Name a model'} for {undecided}{needs}:",
        evidence="systems",
        step=summary.again(settings, judges_arguments(summary, judges, model)),
    )


def _change_unreadable_judge(summary: RunSummary) -> Answer | None:
    """Change a judge whose replies without a score outnumber the failed calls."""
    return _change_judge(summary, more_than=sum(use.outcomes.get("failed", 0) for use in summary.judges))


def _change_judge(summary: RunSummary, more_than: int = 0) -> Answer | None:
    """Propose another model or prompt if most replies of a judge are refusals or unreadable."""
    for use in summary.judges:
        outputs = outputs_to_judge(use)
        for outcome, action in _NO_SCORE.items():
            ungraded = use.outcomes.get(outcome, 0)
            if 2 * ungraded > outputs and ungraded > more_than:
                reason = next(iter(use.reasons.get(outcome, {})), "").rstrip(".")
                most = f"{ungraded:,} of {counted(outputs, 'output')}{f' ({reason})' if reason else ''}"
                text, step = _correct_parse(summary, use) if outcome == "unparsable" else ("", None)
                text = f"{use.name} {action} {most}. {text or another_judge(summary, [use])}"
                return Answer(text=text, evidence="judges", step=step)
    return None


def _correct_parse(summary: RunSummary, judge: JudgeUse) -> tuple[str, Command | None]:
    """Return how the replies to a custom prompt are read again; empty for other judges."""
    prompt = _prompt_of(summary, judge)
    if not prompt.endswith(".prompty"):
        return "", None
    text = f"Make `parse:` in {prompt} read such replies. Then read them again, without calls:"
    return text, proposed("judge", reparse=summary.folder)


def _needs_model(summary: RunSummary) -> str:
    return number_text.needs_model(named(summary, "base_url"))


def _reaches_model(summary: RunSummary) -> bool:
    """Return whether the command says how to reach a model."""
    return bool(summary.typed.given(*_REACHING))


def _plain_name(typed: str) -> str:
    """Return the name in a judge as it is typed, without variant and model."""
    return typed.partition("@")[0].partition("/")[0]


def _improve_judge(summary: RunSummary, trust: Sequence[Trust]) -> Answer | None:
    """Propose another prompt for a judge that may guess and has no better variant."""
    words: dict[str, TrustWord] = {each.judge: each.word for each in trust}
    better = {use.id.name for use in summary.judges if use.id and words.get(use.name) in _USEFUL}
    for use in summary.judges:
        word = words.get(use.name)
        verdict = None if word is None else CHANCE_WORDS.get(word)
        if verdict is not None and not (use.id and use.id.name in better):
            labels = sum(each.panel.n for each in trust if each.judge == use.name)
            return _better_judge(summary, use, labels, verdict)
    return None


def _better_judge(summary: RunSummary, judge: JudgeUse, labels: int, verdict: str) -> Answer:
    """Propose a model, a search for a prompt, or, if labels are few, reading the errors."""
    text = "Read where it contradicts the labels, and decide who is right:"
    step = summary.reviewed("disagreements")
    needs = "" if _reaches_model(summary) else f" ({_needs_model(summary)})"
    prompt = _prompt_of(summary, judge)
    if judge.id is not None and judge.id.kind == "baseline":
        text = f"Ask a model{needs}:"
        step = summary.again(arguments=judges_arguments(summary, [], number_text.MODEL))
        step = _with_a_model(step) if isinstance(step, Command) else step
    elif judge.id is not None and prompt and labels >= _LABELS_TO_IMPROVE:
        text = f"Search for a better prompt{needs}:"
        search = proposed("improve", summary.folder, prompt=prompt, model=judge.id.model)
        out = options_named("improve", out=f"{summary.folder}-better")
        step = search.also(*summary.typed.given(*_ACCESS), *out)
    return Answer(text=f"{judge.name} {verdict}. {text}", evidence="trust", step=step)


def _with_a_model(command: Command) -> Command:
    """Return the command with a model in the place of the word overlap baseline."""
    named = command.with_values("model", lambda model: number_text.MODEL if model == BASELINE else model)
    suffix = f"@{BASELINE}"
    return named.with_values(
        "judges", lambda typed: typed.removesuffix(suffix) + f"@{number_text.MODEL}" * typed.endswith(suffix)
    )


def _prompt_of(summary: RunSummary, judge: JudgeUse) -> str:
    """Return the prompt for ``fiducial improve``; empty without a prompt or a folder."""
    if judge.id is None or not summary.folder:
        return ""
    if judge.id.kind == "shipped":
        return f"{judge.id.name}/{judge.id.variant}"
    judges = summary.typed.values_of("judges")
    files = [each for each in judges if each.endswith(".prompty") and Path(each).stem == judge.id.name]
    return files[0] if judge.id.kind == "own" and files else ""


def _move_threshold(summary: RunSummary) -> Answer | None:
    """Propose another threshold if it does clearly better on held-out items."""
    for caution in summary.agreement.cautions:
        for judge, threshold in caution.about.items() if caution.code == "another_threshold" else ():
            if judge not in summary.baselines:
                text = f"Threshold {threshold:g} beats that of {judge} on held-out items:"
                step = summary.again({"pass_at": f"{judge}={threshold:g}"}, {"pass_at": {judge: threshold}})
                return Answer(text=text, evidence="calibration", step=step)
    return None


def _correct_references(summary: RunSummary) -> Answer | None:
    """Propose correcting the references of labels that people found wrong."""
    adjudication = summary.agreement.adjudication
    if adjudication is None or not summary.folder:
        return None
    judges = adjudication.judges.values()
    wrong = max(
        (judge.disagreements.judge_right + judge.agreements.judge_wrong for judge in judges), default=0
    )
    if not wrong:
        return None
    text = f"Correct the references behind {counted(wrong, 'label')} found wrong:"
    step = proposed("labels export", summary.folder, out="patch.jsonl")
    return Answer(text=text, evidence="calibration", step=step)


def _decide_labels(summary: RunSummary) -> Answer | None:
    """Propose deciding who is right on labels that most judges contradict."""
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
    """Propose certifying a judge whose error rates are low, unless one is certified."""
    judge = next((each.judge for each in trust if each.word == LOW_ERRORS), None)
    if judge is None or not summary.folder or summary.certified:
        return None
    claim, out = f"accuracy={LOW_ERRORS_RATE:g}", f"{summary.folder}/certificate.json"
    step = proposed("audit certify", summary.folder, judge=judge, claims=claim, out=out)
    text = f"Certify {judge}, then check it again from time to time:"
    return Answer(text=text, evidence="calibration", step=step)


def _review_failures(summary: RunSummary) -> Answer:
    """Propose reviewing the failures, the last step if everything is graded."""
    rates = [system.overall for system in summary.systems if system.overall is not None]
    graded, ungraded = sum(rate.n for rate in rates), sum(rate.of - rate.n for rate in rates)
    text = "Review the failures in the report."
    if ungraded and not graded:
        reasons = [why for use in summary.judges for reason in use.reasons.values() for why in reason]
        text = ": ".join([f"{counted(ungraded, 'output')} ungraded", *reasons[:1]]).rstrip(".") + "."
    elif len(rates) == len(summary.systems) and all(map(_counts_passes, rates)):
        failed = sum(round((1.0 - (rate.value or 0.0)) * rate.n) for rate in rates)
        what = (
            f"Review the {counted(failed, 'failure')} in the report." if failed else f"All {graded:,} passed."
        )
        text = f"Everything is graded. {what}"
    return Answer(text=text, evidence="items", address=items_at(group=FAILED))


def _counts_passes(rate: StratumRate) -> bool:
    """Return whether a rate is the share of all outputs that pass, not a mean or an estimate."""
    is_share = rate.value is not None and not rate.fractions and rate.n == rate.of
    return is_share and rate.name != ALL_CORRECTED
