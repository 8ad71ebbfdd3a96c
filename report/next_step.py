"""Next step: the first rule that applies, with its command."""

from __future__ import annotations

import re
import shlex
from collections import Counter
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet

from ..calibration.comparison.comparison_results import ComparedStratum as Part
from ..evaluation.conclusion.run_results import (
    ALL_CORRECTED,
    CORRECTED,
    DECIDED,
    JUDGED,
    OPEN,
    SystemResult,
)
from ..evaluation.conclusion.run_summary import RunSummary
from ..judges.baseline import MODEL as BASELINE
from ..judges.catalogue import judges_for
from ..records import Kind, Outcome
from ..records.verdict import COUNTED
from .items.naming import item_at, items_at
from .limiting_labels import labels_for_pair
from .ranking import Answer, deciding, ranked_rates
from .text import number_text
from .text.judges_text import SURE, Trust
from .text.number_text import counted, listed
from .text.ranking_text import pair_of
from .text.ungraded_text import never_answered, outputs_to_judge, reason_of_failed_calls

_REACHING = ("--base-url", "--endpoint", "--connection", "--replay")
"""Options for reaching a model."""

_NAMED = 3
"""Most systems named with what they lack; more are counted."""

_LABELS = 50
"""Number of outputs that a person is asked to label at a time."""

_MATTERS, _MOST, _WIDE = 0.05, 0.99, 0.2
"""Smallest relevant difference, share of differing items above which it is not planned, and interval width that says little of one system."""


def next_step(summary: RunSummary, trust: Sequence[Trust]) -> Answer:
    """Return the step of the first rule that applies."""
    for rule in (
        *(_ask_again, _change_judge, _add_missing, _allow_code, _judge_open, _label_open),
        *(_tell_apart, _narrow, _move_threshold, _correct_labels, _fix_labels),
    ):
        answer = rule(summary)
        if answer is not None:
            return answer
    return _certify(summary, trust) or Answer(
        text=_reviewed(summary), evidence="items", address=items_at(status="wrong")
    )


def _certify(summary: RunSummary, trust: Sequence[Trust]) -> Answer | None:
    """Certify a proven judge."""
    proven = next((each.judge for each in trust if each.word == "proven"), None)
    if proven is None or not summary.folder:
        return None
    folder, judge = shlex.quote(summary.folder), shlex.quote(proven)
    out = shlex.quote(f"{summary.folder}/certificate.json")
    return Answer(
        text=f"Certify {proven}, then check it again from time to time:",
        evidence="calibration",
        command=f"fiducial audit certify {folder} --by {judge} --claim accuracy={SURE:g} --out {out}",
    )


def _all_decided(summary: RunSummary) -> bool:
    """Return whether people have decided every disagreement."""
    decided = summary.agreement.adjudication
    return decided is not None and not any(each.disagreements.left for each in decided.judges.values())


def _reviewed(summary: RunSummary) -> str:
    """Return the last step, if everything is graded: reviewing the failures, if any."""
    whole = [system.overall for system in summary.systems]
    ungraded = sum(rate.of - rate.n for rate in whole if rate is not None)
    if ungraded and not any(rate.n for rate in whole if rate is not None):
        reasons = [why for use in summary.judges for each in use.reasons.values() for why in each]
        return f"{counted(ungraded, 'output')} ungraded" + (
            f": {reasons[0].rstrip('.')}." if reasons else "."
        )
    if any(
        rate is None
        or rate.value is None
        or rate.fractions
        or rate.n != rate.of
        or rate.name == ALL_CORRECTED  # an estimate, not a count of outputs
        for rate in whole
    ):
        return "Review the failures in the report."
    graded = sum(rate.n for rate in whole if rate is not None)
    passed = sum(round((rate.value or 0.0) * rate.n) for rate in whole if rate is not None)
    if passed == graded:
        return f"Everything is graded. All {graded:,} passed."
    return f"Everything is graded. Review the {counted(graded - passed, 'failure')} in the report."


def _ask_again(summary: RunSummary) -> Answer | None:
    calls = sum(
        use.outcomes.get("failed", 0)
        for use in summary.judges
        if use.id is None or use.id.kind not in COUNTED
    )
    checks = sum(system.failed_checks for system in summary.systems)
    failures = [
        *([number_text.missing(calls)] if calls else []),
        *([f"{number_text.not_checked(checks)}{_reason_of_failed_checks(summary)}"] if checks else []),
    ]
    if not failures:
        return None
    why = reason_of_failed_calls(never_answered(summary.judges))
    if summary.command and (not summary.resumes or _has(summary, "--replay")):
        again = ". The recording or batch has no reply for them; ask a model."
        return Answer(text=f"{'; '.join(failures)}{again}", evidence="judges")
    retry = f"the same command retries only these{'; a changed checker needs a new --out' if checks else ''}."
    fix = f". Fix this first: {why}. Then" if why else ";"
    return Answer(
        text=f"{'; '.join(failures)}{fix} {retry}",
        evidence="judges",
        command=summary.command_with(),
        below_reasons=f"{'; '.join(failures)}. Fix the reason above; then {retry}" if why else "",
    )


def _reason_of_failed_checks(summary: RunSummary) -> str:
    """Return the commonest reason why custom checkers failed, with the exception and its line."""
    reasons = Counter[str]()
    for system in summary.systems:
        reasons.update(system.failures)
    return f": {reasons.most_common(1)[0][0].rstrip('.')}" if reasons else ""


def _add_missing(summary: RunSummary) -> Answer | None:
    """Propose adding the outputs that systems lack."""
    less = {system.system: system.missing for system in summary.systems if system.missing}
    if not less:
        return None
    count = sum(less.values())
    sentence = f"{counted(count, 'case')} {'has' if count == 1 else 'have'} no output"
    if len(summary.systems) > 1:
        each = [f"{name} has none for {counted(n, 'case')}" for name, n in less.items()]
        sentence = f"{counted(count, 'output')} {'is' if count == 1 else 'are'} missing: {listed(each)}"
        if len(less) > _NAMED:
            sentence = f"{counted(len(less), 'system')} lack outputs, {count:,} in all"
    if any(_has(summary, option) for option in ("--generate", "--agent")):
        return Answer(
            text=f"{sentence}. The same command generates them:",
            evidence="systems",
            command=summary.command_with(),
        )
    text = f"{sentence}. Add them to the outputs, with an error if there is no answer, and use a new --out."
    return Answer(text=text, evidence="systems")


def _allow_code(summary: RunSummary) -> Answer | None:
    """Propose running the code of workspaces that were not checked without it."""
    count = sum(system.faults.get("code_not_allowed", 0) for system in summary.systems)
    if not count:
        return None
    option = "allow_code=True" if summary.command.startswith("fiducial.") else "--allow-code"
    out = "out" if summary.command.startswith("fiducial.") else "--out"
    text = (
        f"{counted(count, 'output')} not checked, because code may not run. Add {option} and use a new {out}."
    )
    return Answer(text=text, evidence="systems")


def _judge_open(summary: RunSummary) -> Answer | None:
    """Propose judges for undecided outputs that no judge was asked about."""
    kinds, recorded = Counter[Kind](), Counter[Kind]()
    for system in summary.systems:
        kinds.update(system.unjudged)
        recorded.update(system.unjudged_steps)
    if not kinds:
        return None
    undecided = counted(kinds.total(), "undecided output")
    judges = sorted({judge for kind, n in kinds.items() for judge in judges_for(kind, n, recorded[kind])})
    new = [judge for judge in judges if not any(_is_judge(word, judge) for word in summary.words)]
    if not new and not summary.command.startswith("fiducial."):
        text = f"Reach a model for the {undecided} ({number_text.NEEDS_MODEL}); the same command continues."
        return Answer(text=text, evidence="systems", command=summary.command_with())
    model = next((use.id.model for use in summary.judges if use.id is not None), number_text.MODEL)
    options = " ".join(
        ["--judge", *new, *([] if _has(summary, "--model") else ["--model", shlex.quote(model)])]
    )
    named = ", ".join(f'"{judge}"' for judge in judges)
    reached = any(_has(summary, option) for option in _REACHING)
    needs = "" if reached or model == BASELINE else f" ({number_text.NEEDS_MODEL})"
    return Answer(
        text=f"Add a judge for the {undecided}{needs}:",
        evidence="systems",
        command=summary.command_with(options, f'judges=[{named}], model="{model}"'),
    )


def _change_judge(summary: RunSummary) -> Answer | None:
    """Propose another model or prompt if most replies of a judge are refusals or unreadable."""
    for use in summary.judges:
        for outcome, words in _NO_SCORE.items():
            lost = use.outcomes.get(outcome, 0)
            if 2 * lost > outputs_to_judge(use):
                why = next(iter(use.reasons.get(outcome, {})), "").rstrip(".")
                lost_outputs = (
                    f"{lost:,} of {counted(outputs_to_judge(use), 'output')}{f' ({why})' if why else ''}"
                )
                return Answer(
                    text=f"{use.name} {words} {lost_outputs}. Use another --model or variant of the judge, with a new --out.",
                    evidence="judges",
                )
    return None


_NO_SCORE: Mapping[Outcome, str] = {"unparsable": "gave no readable score for", "refused": "refused to grade"}
"""Outcomes that another model or prompt may avoid, with the judge's action in words."""


def _is_judge(word: str, judge: str) -> bool:
    """Return whether a typed word names a judge, with or without variant and model."""
    return re.split("[/@]", word.removeprefix("--judge="), maxsplit=1)[0] == judge


def _has(summary: RunSummary, option: str) -> bool:
    """Return whether an option was typed."""
    return any(word == option or word.startswith(f"{option}=") for word in summary.words)


def _label_open(summary: RunSummary) -> Answer | None:
    """Propose labels of the undecided part if none correct it."""
    strata = summary.strata
    if strata is not None:
        unlabelled = _unlabelled(strata.open)
    else:
        labelled = any(panel.n for panel in summary.agreement.judges.values())
        uncorrected = {OPEN} if labelled else {OPEN, JUDGED}
        unlabelled = max((_uncorrected(system, uncorrected) for system in summary.systems), default=0)
    if not unlabelled:
        return None
    some = f"{_LABELS} of the " if unlabelled > _LABELS else "the "
    text = f"Label {some}{counted(unlabelled, 'judged output')} to correct the judges' rates:"
    return Answer(text=text, evidence="systems", command=summary.review_command())


def _unlabelled(part: Part) -> int:
    """Count the judged outputs without a label of systems that labels do not correct."""
    names = [name for name in part.graded if name not in part.corrected_systems]
    return sum(part.graded[name] - part.labelled[name] for name in names)


def _uncorrected(system: SystemResult, names: AbstractSet[str]) -> int:
    """Count the outputs in these parts whose judge is not corrected with labels.

    Judges may grade the same outputs or others; all of them together are known where none is corrected.
    """
    corrected = {part.by for part in system.strata if part.name == CORRECTED}
    parts = [part.n for part in system.strata if part.name in names and part.by not in corrected]
    checked = max((part.n for part in system.strata if part.name == DECIDED), default=0)
    if parts and not corrected and system.overall is not None:
        return max(*parts, system.overall.n - checked)
    return max(parts, default=0)


def _tell_apart(summary: RunSummary) -> Answer | None:
    """Propose labels or cases if the difference of the first two systems is uncertain."""
    if summary.strata is None:
        return None
    part, _ = deciding(summary.strata)
    ranked = list(ranked_rates(part))
    pair, better = pair_of(part.pairs, *ranked[:2]) if len(ranked) > 1 else (None, True)
    if better or pair is None or not pair.n:
        return None
    ends = [abs(end) for end in (pair.difference.low, pair.difference.high) if end is not None]
    if max(ends, default=1) <= _MATTERS:
        return None
    apart = listed(ranked[:2])
    if pair.corrected and (labels := labels_for_pair(pair, summary.strata.open, _MATTERS)):
        text = (
            f"Label {counted(labels, 'more output')} to tell {apart} apart, if they differ by {_MATTERS:g}:"
        )
        return Answer(text=text, evidence="systems", command=summary.review_command())
    if pair.difference.value is None:
        return None
    discordant = min(max((pair.a_only_right + pair.b_only_right) / pair.n, _MATTERS), _MOST)
    size = pair.n / pair.effective_clusters
    clusters = f" --rows-per-cluster {size:.3g} --icc {pair.icc:.2g}" if size > 1 else ""
    return Answer(
        text=f"Add cases to tell {apart} apart. To detect a difference of {_MATTERS:g}:",
        evidence="systems",
        command=f"fiducial plan --difference {_MATTERS:g} --discordant {discordant:.2g}{clusters}",
    )


def _narrow(summary: RunSummary) -> Answer | None:
    """Propose more cases if the interval of a single system is wide."""
    if len(summary.systems) != 1:
        return None
    system = summary.systems[0]
    checked = [part for part in system.strata if part.name == DECIDED]
    rate = system.overall
    if rate is not None and rate.value is None and rate.n > sum(part.n for part in checked):
        ungraded = counted(rate.of - rate.n, "output")
        return Answer(
            text=f"Judges left {ungraded} ungraded, too many for a rate of all. Use another --model or variant of the judge, with a new --out.",
            evidence="judges",
        )
    if rate is None or rate.value is None:
        rate = max(checked, key=lambda part: part.n, default=None)
    if rate is None or rate.value is None or rate.low is None or rate.high is None:
        return None
    if rate.high - rate.low <= _WIDE:
        return None
    share = min(max(rate.value, _MATTERS), 1 - _MATTERS)
    return Answer(
        text=f"The interval is wide; add cases. To estimate the pass rate to within {_MATTERS:g}:",
        evidence="systems",
        command=f"fiducial plan --half-width {_MATTERS:g} --prevalence {share:.2g}",
    )


def _move_threshold(summary: RunSummary) -> Answer | None:
    """Return a step to another threshold, if one does clearly better on held-out items."""
    for caution in summary.agreement.cautions:
        for judge, threshold in caution.about.items() if caution.kind == "another_cut" else ():
            if judge not in summary.baselines:
                text = f"Threshold {threshold:g} beats that of {judge} on held-out items:"
                option = shlex.quote(f"{judge}={threshold:g}")
                again = summary.command_with(f"--pass-at {option}", f'pass_at={{"{judge}": {threshold:g}}}')
                return Answer(text=text, evidence="calibration", command=again)
    return None


def _correct_labels(summary: RunSummary) -> Answer | None:
    """Propose correcting the references of labels that people found wrong."""
    decided = summary.agreement.adjudication
    if decided is None or not summary.folder:
        return None
    wrong = max(
        (judge.disagreements.judge_right + judge.agreements.judge_wrong for judge in decided.judges.values()),
        default=0,
    )
    if not wrong:
        return None
    text = f"Correct the references behind {counted(wrong, 'label')} found wrong:"
    return Answer(
        text=text,
        evidence="calibration",
        command=f"fiducial labels export {shlex.quote(summary.folder)} --out patch.jsonl",
    )


def _fix_labels(summary: RunSummary) -> Answer | None:
    calibration = summary.agreement
    if len(calibration.judges) < 2 or not calibration.suspected_label_errors:  # noqa: PLR2004 - one may err
        return None
    if _all_decided(summary):
        return None
    count = calibration.suspected_count
    return Answer(
        text=f"Most judges contradict {counted(count, 'label')}. Decide who is right:",
        evidence="items",
        address=item_at(calibration.suspected_label_errors[0].item_id),
        command=summary.review_command("--of suspects"),
    )
