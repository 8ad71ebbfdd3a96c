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
    StratumRate,
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
from .text.judges_text import PROVEN_RATE, Trust
from .text.number_text import counted, listed
from .text.ranking_text import pair_of
from .text.ungraded_text import never_answered, outputs_to_judge, reason_of_failed_calls

_MODEL_OPTIONS = ("--base-url", "--endpoint", "--connection", "--replay")
"""Options for reaching a model."""

_MOST_NAMED = 3
"""Most systems named with the number of outputs that they lack; more are counted."""

_LABELS_AT_A_TIME = 50
"""Number of outputs that a person is asked to label at a time."""

_RELEVANT_DIFFERENCE = 0.05
_MOST_DISCORDANT = 0.99
"""Largest share of differing items in a proposed plan."""

_WIDE_INTERVAL = 0.2
"""Width of a single system's interval above which more cases are proposed."""


def next_step(summary: RunSummary, trust: Sequence[Trust]) -> Answer:
    """Return the step of the first rule that applies."""
    for rule in (
        *(_retry_calls, _change_judge, _add_missing, _allow_code, _judge_undecided, _label_undecided),
        *(_separate_systems, _narrow_interval, _move_threshold, _correct_references, _decide_labels),
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
        command=f"fiducial audit certify {folder} --by {judge} --claim accuracy={PROVEN_RATE:g} --out {out}",
    )


def _all_adjudicated(summary: RunSummary) -> bool:
    """Return whether people have decided every disagreement."""
    adjudication = summary.agreement.adjudication
    return adjudication is not None and not any(
        each.disagreements.left for each in adjudication.judges.values()
    )


def _reviewed(summary: RunSummary) -> str:
    """Return the last step, if everything is graded: reviewing the failures, if any."""
    overall = [system.overall for system in summary.systems]
    known = [rate for rate in overall if rate is not None]
    ungraded = sum(rate.of - rate.n for rate in known)
    graded = sum(rate.n for rate in known)
    if ungraded and not graded:
        reasons = [why for use in summary.judges for each in use.reasons.values() for why in each]
        return f"{counted(ungraded, 'output')} ungraded" + (
            f": {reasons[0].rstrip('.')}." if reasons else "."
        )
    if len(known) < len(overall) or not all(map(_counts_passes, known)):
        return "Review the failures in the report."
    passed = sum(round((rate.value or 0.0) * rate.n) for rate in known)
    if passed == graded:
        return f"Everything is graded. All {graded:,} passed."
    return f"Everything is graded. Review the {counted(graded - passed, 'failure')} in the report."


def _counts_passes(rate: StratumRate) -> bool:
    """Return whether a rate is the share of all outputs that pass, not a mean or an estimate."""
    return (
        rate.value is not None
        and not rate.fractions
        and rate.n == rate.of
        and rate.name != ALL_CORRECTED  # an estimate
    )


def _retry_calls(summary: RunSummary) -> Answer | None:
    """Propose the same command again if calls or custom checkers failed."""
    calls = sum(
        use.outcomes.get("failed", 0)
        for use in summary.judges
        if use.id is None or use.id.kind not in COUNTED
    )
    checks = sum(system.failed_checks for system in summary.systems)
    failures = [
        *([number_text.missing_verdicts(calls)] if calls else []),
        *([f"{number_text.unchecked_outputs(checks)}{_reason_of_failed_checks(summary)}"] if checks else []),
    ]
    if not failures:
        return None
    failed = "; ".join(failures)
    if summary.command and (not summary.resumes or _is_typed(summary, "--replay")):
        text = f"{failed}. The recording or batch has no reply for them; ask a model."
        return Answer(text=text, evidence="judges")
    reason = reason_of_failed_calls(never_answered(summary.judges))
    retry = f"the same command retries only these{'; a changed checker needs a new --out' if checks else ''}."
    fix = f". Fix this first: {reason}. Then" if reason else ";"
    return Answer(
        text=f"{failed}{fix} {retry}",
        evidence="judges",
        command=summary.command_with(),
        below_reasons=f"{failed}. Fix the reason above; then {retry}" if reason else "",
    )


def _reason_of_failed_checks(summary: RunSummary) -> str:
    """Return the commonest reason why custom checkers failed, with the exception and its line."""
    reasons = Counter[str]()
    for system in summary.systems:
        reasons.update(system.failures)
    return f": {reasons.most_common(1)[0][0].rstrip('.')}" if reasons else ""


def _add_missing(summary: RunSummary) -> Answer | None:
    """Propose adding the outputs that systems lack."""
    missing = {system.system: system.missing for system in summary.systems if system.missing}
    if not missing:
        return None
    count = sum(missing.values())
    sentence = f"{counted(count, 'case')} {'has' if count == 1 else 'have'} no output"
    if len(summary.systems) > 1:
        clauses = [f"{name} has none for {counted(n, 'case')}" for name, n in missing.items()]
        sentence = f"{counted(count, 'output')} {'is' if count == 1 else 'are'} missing: {listed(clauses)}"
        if len(missing) > _MOST_NAMED:
            sentence = f"{counted(len(missing), 'system')} lack outputs, {count:,} in all"
    if any(_is_typed(summary, option) for option in ("--generate", "--agent")):
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
    is_python = summary.command.startswith("fiducial.")
    option, out = ("allow_code=True", "out") if is_python else ("--allow-code", "--out")
    text = (
        f"{counted(count, 'output')} not checked, because code may not run. Add {option} and use a new {out}."
    )
    return Answer(text=text, evidence="systems")


def _judge_undecided(summary: RunSummary) -> Answer | None:
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
        ["--judge", *new, *([] if _is_typed(summary, "--model") else ["--model", shlex.quote(model)])]
    )
    named = ", ".join(f'"{judge}"' for judge in judges)
    is_reachable = any(_is_typed(summary, option) for option in _MODEL_OPTIONS)
    needs = "" if is_reachable or model == BASELINE else f" ({number_text.NEEDS_MODEL})"
    return Answer(
        text=f"Add a judge for the {undecided}{needs}:",
        evidence="systems",
        command=summary.command_with(options, f'judges=[{named}], model="{model}"'),
    )


def _change_judge(summary: RunSummary) -> Answer | None:
    """Propose another model or prompt if most replies of a judge are refusals or unreadable."""
    for use in summary.judges:
        outputs = outputs_to_judge(use)
        for outcome, action in _NO_SCORE.items():
            ungraded = use.outcomes.get(outcome, 0)
            if 2 * ungraded > outputs:
                reason = next(iter(use.reasons.get(outcome, {})), "").rstrip(".")
                most = f"{ungraded:,} of {counted(outputs, 'output')}{f' ({reason})' if reason else ''}"
                return Answer(text=f"{use.name} {action} {most}. {_ANOTHER_JUDGE}", evidence="judges")
    return None


_NO_SCORE: Mapping[Outcome, str] = {"unparsable": "gave no readable score for", "refused": "refused to grade"}
"""Outcomes that another model or prompt may avoid, with the judge's action in words."""

_ANOTHER_JUDGE = "Use another --model or variant of the judge, with a new --out."


def _is_judge(word: str, judge: str) -> bool:
    """Return whether a typed word names a judge, with or without variant and model."""
    return re.split("[/@]", word.removeprefix("--judge="), maxsplit=1)[0] == judge


def _is_typed(summary: RunSummary, option: str) -> bool:
    """Return whether an option was typed."""
    return any(word == option or word.startswith(f"{option}=") for word in summary.words)


def _label_undecided(summary: RunSummary) -> Answer | None:
    """Propose labels of judged outputs if none correct their rates."""
    strata = summary.strata
    if strata is not None:
        unlabelled = _unlabelled(strata.open)
    else:
        labelled = any(panel.n for panel in summary.agreement.judges.values())
        uncorrected = {OPEN} if labelled else {OPEN, JUDGED}
        unlabelled = max((_uncorrected(system, uncorrected) for system in summary.systems), default=0)
    if not unlabelled:
        return None
    first = f"{_LABELS_AT_A_TIME} of the " if unlabelled > _LABELS_AT_A_TIME else "the "
    text = f"Label {first}{counted(unlabelled, 'judged output')} to correct the judges' rates:"
    return Answer(text=text, evidence="systems", command=summary.review_command())


def _unlabelled(part: Part) -> int:
    """Count the unlabelled judged outputs of systems whose rates labels do not correct."""
    names = [name for name in part.graded if name not in part.corrected_systems]
    return sum(part.graded[name] - part.labelled[name] for name in names)


def _uncorrected(system: SystemResult, names: AbstractSet[str]) -> int:
    """Count the outputs in these parts whose judge is not corrected with labels.

    Judges may grade the same outputs or different ones: if none is corrected, the system's total is exact.
    """
    corrected = {part.by for part in system.strata if part.name == CORRECTED}
    parts = [part.n for part in system.strata if part.name in names and part.by not in corrected]
    checked = max((part.n for part in system.strata if part.name == DECIDED), default=0)
    if parts and not corrected and system.overall is not None:
        return max(*parts, system.overall.n - checked)
    return max(parts, default=0)


def _separate_systems(summary: RunSummary) -> Answer | None:
    """Propose labels or cases if the difference of the first two systems is uncertain."""
    if summary.strata is None:
        return None
    part, _ = deciding(summary.strata)
    ranked = list(ranked_rates(part))
    pair, better = pair_of(part.pairs, *ranked[:2]) if len(ranked) > 1 else (None, True)
    if better or pair is None or not pair.n:
        return None
    ends = [abs(end) for end in (pair.difference.low, pair.difference.high) if end is not None]
    if max(ends, default=1) <= _RELEVANT_DIFFERENCE:
        return None
    both = listed(ranked[:2])
    if pair.corrected and (labels := labels_for_pair(pair, summary.strata.open, _RELEVANT_DIFFERENCE)):
        text = f"Label {counted(labels, 'more output')} to tell {both} apart, if they differ by {_RELEVANT_DIFFERENCE:g}:"
        return Answer(text=text, evidence="systems", command=summary.review_command())
    if pair.difference.value is None:
        return None
    differing = (pair.a_only_right + pair.b_only_right) / pair.n
    discordant = min(max(differing, _RELEVANT_DIFFERENCE), _MOST_DISCORDANT)
    size = pair.n / pair.effective_clusters
    clusters = f" --rows-per-cluster {size:.3g} --icc {pair.icc:.2g}" if size > 1 else ""
    return Answer(
        text=f"Add cases to tell {both} apart. To detect a difference of {_RELEVANT_DIFFERENCE:g}:",
        evidence="systems",
        command=f"fiducial plan --difference {_RELEVANT_DIFFERENCE:g} --discordant {discordant:.2g}{clusters}",
    )


def _narrow_interval(summary: RunSummary) -> Answer | None:
    """Propose more cases if the interval of a single system is wide."""
    if len(summary.systems) != 1:
        return None
    system = summary.systems[0]
    checked = [part for part in system.strata if part.name == DECIDED]
    rate = system.overall
    if rate is not None and rate.value is None and rate.n > sum(part.n for part in checked):
        ungraded = counted(rate.of - rate.n, "output")
        text = f"Judges left {ungraded} ungraded, too many for a rate of all. {_ANOTHER_JUDGE}"
        return Answer(text=text, evidence="judges")
    if rate is None or rate.value is None:
        rate = max(checked, key=lambda part: part.n, default=None)
    if rate is None or rate.value is None or rate.low is None or rate.high is None:
        return None
    if rate.high - rate.low <= _WIDE_INTERVAL:
        return None
    share = min(max(rate.value, _RELEVANT_DIFFERENCE), 1 - _RELEVANT_DIFFERENCE)
    return Answer(
        text=f"The interval is wide; add cases. To estimate the pass rate to within {_RELEVANT_DIFFERENCE:g}:",
        evidence="systems",
        command=f"fiducial plan --half-width {_RELEVANT_DIFFERENCE:g} --prevalence {share:.2g}",
    )


def _move_threshold(summary: RunSummary) -> Answer | None:
    """Propose another threshold if it does clearly better on held-out items."""
    for caution in summary.agreement.cautions:
        for judge, threshold in caution.about.items() if caution.kind == "another_cut" else ():
            if judge not in summary.baselines:
                text = f"Threshold {threshold:g} beats that of {judge} on held-out items:"
                option = shlex.quote(f"{judge}={threshold:g}")
                command = summary.command_with(f"--pass-at {option}", f'pass_at={{"{judge}": {threshold:g}}}')
                return Answer(text=text, evidence="calibration", command=command)
    return None


def _correct_references(summary: RunSummary) -> Answer | None:
    """Propose correcting the references of labels that people found wrong."""
    adjudication = summary.agreement.adjudication
    if adjudication is None or not summary.folder:
        return None
    wrong = max(
        (
            each.disagreements.judge_right + each.agreements.judge_wrong
            for each in adjudication.judges.values()
        ),
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


def _decide_labels(summary: RunSummary) -> Answer | None:
    """Propose deciding who is right on labels that most judges contradict."""
    calibration = summary.agreement
    if len(calibration.judges) < 2 or not calibration.suspected_label_errors:  # noqa: PLR2004 - one may err
        return None
    if _all_adjudicated(summary):
        return None
    count = calibration.suspected_count
    return Answer(
        text=f"Most judges contradict {counted(count, 'label')}. Decide who is right:",
        evidence="items",
        address=item_at(calibration.suspected_label_errors[0].item_id),
        command=summary.review_command("--of suspects"),
    )
