"""What a reader wants to know first, by rules that docs/report.md states: which system is better, which judge may be trusted, what to do next."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Literal, TypeAlias

import msgspec

from ..calibration.agreement.results import Calibration, JudgeCalibration
from ..calibration.comparison.results import Comparison, Pair, Strata, Stratum
from ..calibration.statistic import Statistic
from ..evaluation.conclusion.results import CORRECTED, DECIDED, OPEN, JudgeUse, SystemResult
from . import words
from .adjudication_words import adjudicated_by
from .words import counted

TrustWord: TypeAlias = Literal["as it is", "corrected", "only on some", "not", "unknown"]
"""How far a judge may be trusted: its rates stand as they are; need labels to correct them; stand on some slices; say nothing; nobody knows."""

_TRUSTED: dict[TrustWord, str] = {
    "as it is": "{} as they are",
    "corrected": "{} where labels correct their rates",
    "only on some": "{} on some outputs only",
    "not": "{} not at all",
}
_THE_JUDGE: dict[TrustWord, str] = {
    "as it is": "Trust the judge as it is.",
    "corrected": "Trust the judge where labels correct its rates.",
    "only on some": "Trust the judge on some outputs only.",
    "not": "Do not trust the judge.",
    "unknown": "Nobody knows yet how far the judge may be trusted.",
}
"""The same of the only one."""

SURE = 0.9
"""A judge stands as it is when even the lower ends of its true positive and its true negative rate reach this."""

CHANCE = 0.5
"""Balanced accuracy of a judge that does not look."""

_ALARM = 0.05
_ASKED_BY = {"--judge": "JUDGE", "--model": "NAME"}
_LABELS = 50
"""How many outputs a person is asked to label at a time."""

_MATTERS, _LEAST, _MOST, _WIDE = 0.05, 0.0001, 0.99, 0.2
"""A difference that is looked for where none is seen, the smallest and the largest of all, and an interval that says little of one system."""


class Answer(msgspec.Struct, frozen=True, kw_only=True):
    """An answer.

    Attributes:
        text: In a sentence or two, with its numbers.
        evidence: The section of the report that shows it.
        command: What to type; empty where there is nothing.
    """

    text: str
    evidence: str
    command: str = ""


class Trust(msgspec.Struct, frozen=True, kw_only=True):
    """How far a judge may be trusted.

    Attributes:
        judge: Which.
        word: How far.
        why: In a sentence.
        panel: What that rests on.
        adjudicated: How its labels were adjudicated; empty where they were not.
    """

    judge: str
    word: TrustWord
    why: str
    panel: JudgeCalibration
    adjudicated: str = ""


class Answers(msgspec.Struct, frozen=True, kw_only=True):
    """The three answers.

    Attributes:
        better: Which system is better?
        trust: May this judge be trusted, for what? One a judge; baselines are none.
        next: What next?
    """

    better: Answer
    trust: list[Trust]
    next: Answer

    @property
    def trusted(self) -> str:
        """How many judges may be trusted how far, in a sentence; empty where there is none."""
        if len(self.trust) == 1:
            return _THE_JUDGE[self.trust[0].word]
        counts = Counter(each.word for each in self.trust)
        told = [_TRUSTED[word].format(f"{counts[word]:,}") for word in _TRUSTED if counts[word]]
        judges, unknown = counted(len(self.trust), "judge"), counts["unknown"]
        if not told:
            return f"Nobody knows yet how far the {judges} may be trusted." if unknown else ""
        return (
            f"Of {judges} trust {', '.join(told)}{f'; of {unknown:,} nobody knows yet' if unknown else ''}."
        )


class Found(msgspec.Struct, frozen=True, kw_only=True):
    """What the answers are made of.

    Attributes:
        systems: What a run says of each system.
        judges: What each judge was used for.
        calibration: How far they agree with the labels.
        compared: The systems against each other, where there are several.
        folder: Where the run is kept, for commands; empty where that is in memory.
        command: The command of the run, or the function.
    """

    systems: Sequence[SystemResult]
    judges: Sequence[JudgeUse] = ()
    calibration: Calibration | None = None
    compared: Comparison | None = None
    folder: str = "RUN"
    command: str = ""

    def again(self, options: str = "", arguments: str = "") -> str:
        """The same run once more, with options on the command line or arguments in Python."""
        if self.command.startswith("fiducial."):
            return f"fd.evaluate({', '.join(['...', *([arguments] if arguments else [])])})"
        return f"{self.command} {options}".rstrip() if self.command else ""

    def reviewed(self, options: str = "") -> str:
        """How a person is shown its items; of a run in memory, how it gets a folder first."""
        return (
            f"fiducial review {self.folder} {options}".rstrip()
            if self.folder
            else self.again(arguments='out="RUN"')
        )


def answers(found: Found) -> Answers:
    """Answer the three questions.

    Args:
        found: What a run came to.

    Returns:
        The answers, by the rules of docs/report.md.
    """
    trust = list(_trust(found))
    return Answers(better=_better(found), trust=trust, next=_next(found, trust))


def _better(found: Found) -> Answer:
    if len(found.systems) == 1:
        return Answer(text=_alone(found.systems[0]), evidence="systems")
    strata = None if found.compared is None else found.compared.strata
    if strata is None:
        return Answer(
            text="The systems have no output in common, so none can be called better.", evidence="systems"
        )
    part, of = deciding(strata)
    known = {name: rate.value for name, rate in part.rates.items() if rate.value is not None}
    if not known:
        return Answer(text="No system can be called better: nothing is graded yet.", evidence="systems")
    if unknown := [system.system for system in found.systems if system.system not in known]:
        text = f"No system can be called better yet, {of}: nothing of {_listed(unknown)} is graded."
        return Answer(text=text, evidence="systems")
    if not any(pair.n for pair in part.pairs):
        text = f"No system can be called better yet, {of}: no output of two systems on one case is graded."
        return Answer(text=text, evidence="systems")
    text = _ranking(sorted(known, key=lambda name: -known[name]), part.pairs, of)
    if part is strata.decided and any(strata.open.outputs.values()):
        text += f" {_rest(strata.open, max(known, key=lambda name: known[name]))}"
    return Answer(text=text, evidence="systems")


def _alone(system: SystemResult) -> str:
    """One system by itself: what checkers decided, and the rest by the first judge, corrected where labels do."""
    decided = [part for part in system.strata if part.name == DECIDED and part.value is not None]
    judged = [
        part
        for part in system.strata
        if part.by is not None and part.name != DECIDED and part.value is not None
    ]
    by_judge = ([part for part in judged if part.name == CORRECTED] or judged)[:1]
    told = [f"{words.rate(part)}, by checkers" for part in decided]
    told += [
        f"{words.rate(part)}, by {part.by}{'' if part.name == CORRECTED else ', uncorrected'}"
        for part in by_judge
    ]
    return f"{system.system} alone was evaluated: {'; '.join(told) or 'nothing of it is graded'}."


def deciding(strata: Strata) -> tuple[Stratum, str]:
    """The part that systems are ranked by: everything where the open part is corrected or there is none, else what checkers decided."""
    decided, left, whole = strata.decided, strata.open, strata.all
    if not any(left.outputs.values()):
        return decided, "of what checkers decided"
    if left.corrected and all(rate.value is not None for rate in whole.rates.values()):
        return whole, "of all outputs, what is open corrected by labels"
    if any(decided.graded.values()):
        return decided, "of what checkers decided"
    return left, "by the judges' word, uncorrected"


def _ranking(names: list[str], pairs: Sequence[Pair], of: str) -> str:
    leader, second = names[:2]
    beaten = [name for name in names[1:] if _pair(pairs, leader, name)[1]]
    gap = _gap(_pair(pairs, leader, second)[0], leader)
    if second in beaten:
        lead = f"{leader} is better than {_listed(beaten)}: it passes {gap} more than {second}, {of}."
        equal = [name for name in names[1:] if name not in beaten]
        return lead + (f" Not told apart from it: {_listed(equal)}." if equal else "")
    told = f"{leader} and {second} cannot be told apart: a difference of {gap}, {of}."
    return told + (f" {leader} is better than {_listed(beaten)}." if beaten else "")


def _pair(pairs: Sequence[Pair], a: str, b: str) -> tuple[Pair | None, bool]:
    """The pair, and whether its first is shown to be better."""
    pair = next((pair for pair in pairs if {pair.a, pair.b} == {a, b}), None)
    return pair, pair is not None and pair.better == a


def _gap(pair: Pair | None, leader: str) -> str:
    if pair is None or pair.difference.value is None:
        return "an unknown share"
    found = pair.difference
    ends = [None if end is None else end if pair.a == leader else -end for end in (found.low, found.high)]
    low, high = ends if pair.a == leader else reversed(ends)
    return " ".join(filter(None, (words.decimal(abs(pair.difference.value)), words.interval(low, high))))


def _rest(left: Stratum, leader: str) -> str:
    outputs = counted(sum(left.outputs.values()), "output")
    known = {name: rate.value for name, rate in left.rates.items() if rate.value is not None}
    if not known:
        return f"{outputs} that no checker decided are not judged."
    most = max(known.values())
    ahead = [name for name in known if known[name] == most]
    way = "the same way" if ahead == [leader] else f"the other way, to {_listed(ahead)}"
    if len(ahead) > 1 and leader in ahead:
        way = f"no way: {_listed(ahead)} stand equal"
    return f"Of {outputs} that no checker decided the judges, uncorrected, point {way}."


def _listed(names: Sequence[str]) -> str:
    *most, last = names
    return f"{', '.join(most)} and {last}" if most else last


def _trust(found: Found) -> Iterator[Trust]:
    panels = {} if found.calibration is None else found.calibration.judges
    judges = [use for use in found.judges if use.id is None or use.id.kind != "baseline"]
    for use in judges or found.judges:
        panel = panels.get(use.name, JudgeCalibration())
        word, why = _trusted(use.name, panel, found.calibration)
        adjudication = None if found.calibration is None else found.calibration.adjudication
        decided = adjudicated_by(adjudication, use.name)
        why = "; ".join(filter(None, (why, decided)))
        yield Trust(judge=use.name, word=word, why=why, panel=panel, adjudicated=decided)


def _trusted(name: str, panel: JudgeCalibration, calibration: Calibration | None) -> tuple[TrustWord, str]:
    right, wrong = panel.tp + panel.fn, panel.fp + panel.tn
    if not right or not wrong:
        return "unknown", f"it has no label of {'either' if not panel.n else 'each'} class to be held against"
    balanced = panel.statistics.get("balanced_accuracy")
    if balanced is not None and (balanced.low is None or balanced.low <= CHANCE):
        told = f"balanced accuracy {words.statistic(balanced)}"
        if balanced.high is None or balanced.high >= SURE:
            return "unknown", f"too few labels to tell it from chance, or from a good one: {told}"
        return "not", f"it may be no better than chance: {told}"
    misses = (
        f"it passes {panel.fp:,} of {wrong:,} wrong outputs and fails {panel.fn:,} of {right:,} right ones"
    )
    if _sure(panel):
        return "as it is", misses
    if calibration is not None and (good := _good_slices(name, calibration)):
        return "only on some", f"only on {good}; elsewhere {misses}"
    return "corrected", f"{misses}: labels have to correct its rates"


def _sure(panel: JudgeCalibration) -> bool:
    found = [panel.statistics.get(name) for name in ("true_positive_rate", "true_negative_rate")]
    return all(each is not None and each.low is not None and each.low >= SURE for each in found)


def _good_slices(name: str, calibration: Calibration) -> str:
    """Values of a column between which the judge differs, on which it stands as it is."""
    for column, judges in calibration.homogeneity.items():
        tests = judges.get(name, {}).values()
        if any(test.holm_p is not None and test.holm_p <= _ALARM for test in tests):
            slices = calibration.slices.get(column, {})
            good = [value for value, panels in slices.items() if name in panels and _sure(panels[name])]
            if good:
                return f"{column} {_listed(good)}"
    return ""


def _next(found: Found, trust: Sequence[Trust]) -> Answer:
    """What would narrow the answers most: the first of the rules that applies."""
    for rule in (
        *(_ask_again, _add_missing, _judge_open, _label_open, _tell_apart, _narrow),
        *(_move_cut, _correct_labels, _mend_labels),
    ):
        answer = rule(found)
        if answer is not None:
            return answer
    for each in trust if found.folder else ():
        if each.word == "as it is":
            claim = f"fiducial audit certify {found.folder} --by {each.judge} --claim accuracy={SURE:g} --out {found.folder}/certificate.json"
            return Answer(
                text=f"Certify {each.judge}, and check it again from time to time.",
                evidence="calibration",
                command=claim,
            )
    read = "where judges and labels differ" if trust else "what did not pass, and why"
    return Answer(text=f"Nothing is left open. Read {read}.", evidence="items")


def _ask_again(found: Found) -> Answer | None:
    calls = sum(
        use.outcomes.get("failed", 0)
        for use in found.judges
        if use.id is None or use.id.kind not in {"share", "jury"}
    )
    checks = sum(system.failed_checks for system in found.systems)
    told = [*([words.missing(calls)] if calls else []), *([words.not_checked(checks)] if checks else [])]
    if not told:
        return None
    text = f"{'; '.join(told)}; the same command tries these alone again."
    return Answer(text=text, evidence="judges", command=found.again())


def _add_missing(found: Found) -> Answer | None:
    """Outputs of cases that a system has none of."""
    less = {system.system: system.missing for system in found.systems if system.missing}
    if not less:
        return None
    told = f"{counted(sum(less.values()), 'output')} missing"
    told += f", of {_listed([*less])}" if len(found.systems) > 1 else ""
    if any(f" {option} " in found.command for option in ("--generate", "--agent")):
        return Answer(
            text=f"{told}; the same command makes these alone.", evidence="systems", command=found.again()
        )
    return Answer(text=f"{told}: have them made, and run with them into another folder.", evidence="systems")


def _judge_open(found: Found) -> Answer | None:
    left = words.not_judged(found.systems)
    if not left:
        return None
    missing = [f"{option} {name}" for option, name in _ASKED_BY.items() if f" {option} " not in found.command]
    command = found.again(" ".join(missing), 'judges="JUDGE", model="NAME"')
    return Answer(
        text=f"Have {left} judged (`fiducial prompts list` names judges).",
        evidence="systems",
        command=command,
    )


def _label_open(found: Found) -> Answer | None:
    """Labels of the open part, where there are none that correct it."""
    strata = None if found.compared is None else found.compared.strata
    if strata is not None:
        left = 0 if strata.open.corrected else _unlabelled(strata.open.graded, strata.open.labelled)
    else:
        left = max((_uncorrected(system) for system in found.systems), default=0)
    if not left:
        return None
    some = f"{_LABELS} of the " if left > _LABELS else "the "
    text = f"Label {some}{counted(left, 'output')} that only judges decided: their rates are not corrected."
    return Answer(text=text, evidence="systems", command=found.reviewed())


def _unlabelled(graded: Mapping[str, int], labelled: Mapping[str, int]) -> int:
    return sum(graded.values()) - sum(labelled.values())


def _uncorrected(system: SystemResult) -> int:
    corrected = {part.by for part in system.strata if part.name == CORRECTED}
    return max(
        (part.n for part in system.strata if part.name == OPEN and part.by not in corrected), default=0
    )


def _tell_apart(found: Found) -> Answer | None:
    """More items, where the first two systems cannot be told apart."""
    strata = None if found.compared is None else found.compared.strata
    if strata is None:
        return None
    part, _ = deciding(strata)
    ranked = sorted(
        (name for name, rate in part.rates.items() if rate.value is not None),
        key=lambda name: -_value(part.rates[name]),
    )
    pair, better = _pair(part.pairs, *ranked[:2]) if len(ranked) > 1 else (None, True)
    if better or pair is None or not pair.n or pair.difference.value is None:
        return None
    ends = [abs(end) for end in (pair.difference.low, pair.difference.high) if end is not None]
    if not pair.difference.value and max(ends, default=1) <= _MATTERS:
        return None
    difference = min(max(abs(pair.difference.value) or _MATTERS, _LEAST), _MOST)
    discordant = min(max((pair.a_only_right + pair.b_only_right) / pair.n, difference), _MOST)
    apart = "" if pair.difference.value else f" if {_MATTERS:g} would matter"
    return Answer(
        text=f"Add items to tell {ranked[0]} and {ranked[1]} apart{apart}; this says how many it takes:",
        evidence="systems",
        command=f"fiducial plan --difference {difference:.2g} --discordant {discordant:.2g}",
    )


def _narrow(found: Found) -> Answer | None:
    """More items of a system alone, whose rate has a wide interval."""
    if len(found.systems) != 1:
        return None
    rates = [part for part in found.systems[0].strata if part.name in {DECIDED, CORRECTED}]
    rate = max(rates, key=lambda part: part.n, default=None)
    if rate is None or rate.value is None or rate.low is None or rate.high is None:
        return None
    if rate.high - rate.low <= _WIDE:
        return None
    share = min(max(rate.value, _MATTERS), 1 - _MATTERS)
    return Answer(
        text=f"Add items: the interval is wide. This says how many (pass_rate) it takes for plus and minus {_MATTERS:g}:",
        evidence="systems",
        command=f"fiducial plan --half-width {_MATTERS:g} --prevalence {share:.2g}",
    )


def _value(rate: Statistic) -> float:
    return 0.0 if rate.value is None else rate.value


def _move_cut(found: Found) -> Answer | None:
    """Another cut, where one does clearly better on items that did not choose it."""
    baselines = {use.name for use in found.judges if use.id is not None and use.id.kind == "baseline"}
    for caution in () if found.calibration is None else found.calibration.cautions:
        for judge, cut in caution.about.items() if caution.kind == "another_cut" else ():
            if judge not in baselines:
                text = f"Let verdicts of {judge} pass from {cut:g} on: on items that did not choose this cut it does clearly better."
                again = found.again(f"--pass-at {judge}={cut:g}", f'pass_at={{"{judge}": {cut:g}}}')
                return Answer(text=text, evidence="calibration", command=again)
    return None


def _correct_labels(found: Found) -> Answer | None:
    """The references of labels that people found wrong."""
    decided = None if found.calibration is None else found.calibration.adjudication
    if decided is None or not found.folder:
        return None
    wrong = max(
        (judge.disagreements.judge_right + judge.agreements.judge_wrong for judge in decided.judges.values()),
        default=0,
    )
    if not wrong:
        return None
    text = f"Correct the references behind {counted(wrong, 'label')} that {'was' if wrong == 1 else 'were'} found wrong."
    return Answer(
        text=text, evidence="calibration", command=f"fiducial labels export {found.folder} --out patch.jsonl"
    )


def _mend_labels(found: Found) -> Answer | None:
    calibration = found.calibration
    if calibration is None or len(calibration.judges) < 2 or not calibration.suspected_label_errors:  # noqa: PLR2004 - one may err
        return None
    decided = calibration.adjudication
    if decided is not None and not any(judge.disagreements.left for judge in decided.judges.values()):
        return None
    suspects = counted(len(calibration.suspected_label_errors), "label")
    return Answer(
        text=f"Look at {suspects} that most judges contradict; mend those that are wrong.",
        evidence="items",
        command=found.reviewed("--of suspects"),
    )
