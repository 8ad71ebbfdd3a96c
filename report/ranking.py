"""Name the best system of a run, by the part of the outputs that can rank systems.

Systems are ranked by all outputs if judges' verdicts are corrected with labels for most systems, else by the outputs that
checkers decided; see `deciding`. Sentences are built in `ranking_text`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import msgspec
from msgspec.structs import replace

from ..calibration.comparison.comparison_results import ComparedStratum, ContradictedLabels, Strata
from ..calibration.statistic import Statistic
from ..evaluation.conclusion.run_results import (
    ALL_CORRECTED,
    ALL_UNCORRECTED,
    DECIDED,
    JudgeUse,
    SystemResult,
    UnevenTrials,
)
from ..evaluation.conclusion.run_results import StratumRate as Rate
from ..evaluation.conclusion.run_summary import RunSummary
from ..proposed_steps import Command, PythonCall
from .text import number_text
from .text.number_text import all_counted, counted, listed
from .text.ranking_text import (
    ON_ALL,
    ON_CHECKED,
    ON_CORRECTED,
    ON_JUDGED,
    ON_LABELLED,
    JudgedBy,
    if_chosen,
    largest_possible,
    pair_of,
    ranking_sentence,
)
from .text.systems_text import IF_SAMPLED, NOT_RANKED, Ranked, corrected_by_sample, main_rate

_PASSING_WORDS = {
    ON_ALL: "{} outputs pass",
    ON_CHECKED: "{} checked outputs pass",
    ON_LABELLED: "{} labelled outputs pass",
    ON_JUDGED: "{} judged outputs pass (uncorrected)",
    ON_CORRECTED: "{} judged outputs pass (corrected with labels)",
}
"""Words after the leader's rate, by part; ``{}`` stands for n."""


class Answer(msgspec.Struct, frozen=True, kw_only=True):
    """Answer to one of a reader's questions about a run.

    Attributes:
        text: A sentence or two, with the numbers.
        evidence: Name of the report's section that has the details.
        step: The command to type, or the call, or None if there is none.
        address: Link to the items concerned, in the report: ``#CASE/SYSTEM/TRIAL`` or ``#items?...``; empty if there are none.
        below_reasons: The text if reasons of failed calls are printed above it; empty if it is the same.
    """

    text: str
    evidence: str
    step: Command | PythonCall | None = None
    address: str = ""
    below_reasons: str = ""

    @property
    def command(self) -> str:
        """The command to type, as text; empty if there is none."""
        return "" if self.step is None else str(self.step)


def best_system_answer(summary: RunSummary) -> Answer:
    """Return the first answer: the best system, or the pass rate of a single one."""
    if len(summary.systems) == 1:
        text = _only_system(summary.systems[0], summary.judges)
    else:
        text = best_system(summary.strata, [system.system for system in summary.systems])
    condition = number_text.if_random(
        rates_if_random(summary.strata, summary.systems), named=len(summary.systems) > 1
    )
    several = len(summary.systems) > 1
    chosen_note = if_chosen(labels_contradicted(summary.strata, summary.systems), named=several)
    sentences = [f"{text}{_uneven_trials(summary.systems)}", *filter(None, [condition, chosen_note])]
    return Answer(text=" ".join(sentences), evidence="systems")


def ranked_in(summary: RunSummary) -> Ranked:
    """Return the rates by which the first answer ranks systems."""
    if summary.strata is None:
        return NOT_RANKED
    part, where = deciding(summary.strata)
    rates = {name: part.rates[name] for name in ranked_rates(part)}
    return Ranked(rates, checked=where in {ON_CHECKED, ON_LABELLED})


def rates_if_random(strata: Strata | None, systems: Sequence[SystemResult] = ()) -> dict[str, Statistic]:
    """Return rates by system that hold if labels are a random sample, which nobody declared.

    They are of all outputs or, without such rates, of the undecided ones.
    """
    if strata is not None:
        return strata.all.if_random or strata.open.if_random
    rates = {
        system.system: part for system in systems if (part := system.overall or system.judged) is not None
    }
    return {name: part.if_random for name, part in rates.items() if part.if_random is not None}


def labels_contradicted(
    strata: Strata | None, systems: Sequence[SystemResult] = ()
) -> Mapping[str, ContradictedLabels]:
    """Return the systems whose labels of undecided outputs are clearly no random sample."""
    if strata is not None:
        return strata.open.contradicted
    contradicted = {
        system.system: system.judged.contradicted for system in systems if system.judged is not None
    }
    return {name: labels for name, labels in contradicted.items() if labels is not None}


_MAX_UNEVEN = 3
"""Most systems whose rates by case the first sentences name; more are counted."""


def _uneven_trials(systems: Sequence[SystemResult]) -> str:
    """Return a sentence that each case has weight 1; empty unless numbers of trials are unequal."""
    rates = {system.system: rate for system in systems if (rate := main_rate(system)) is not None}
    trials_by_system = {name: rate.trials for name, rate in rates.items() if rate.trials is not None}
    if not trials_by_system:
        return ""
    # A rate of an earlier version weighs outputs equally; it is known by its missing number of cases.
    if old_names := [name for name in trials_by_system if rates[name].n_cases is None]:
        return _by_outputs({name: trials_by_system[name] for name in old_names}, several=len(systems) > 1)
    fewest, most = (
        min(trials.fewest for trials in trials_by_system.values()),
        max(trials.most for trials in trials_by_system.values()),
    )
    text = f" Cases have unequal numbers of trials ({fewest:,} to {most:,}), and each has weight 1."
    if retried := [name for name, trials in trials_by_system.items() if trials.retried]:
        whose = f" of {number_text.named_or_counted(retried)}" if len(systems) > 1 else ""
        text += f" Each case{whose} with fewer trials ends in its only pass: if only failed cases were tried again, the rate is too high."
    return text


def _by_outputs(uneven: Mapping[str, UnevenTrials], *, several: bool) -> str:
    """Return a sentence with the rates by equal weight of cases, for an earlier version's run."""
    rates = [
        f"{f'{name} ' if several else ''}{number_text.by_case(trials)}"
        for name, trials in list(uneven.items())[:_MAX_UNEVEN]
    ]
    if len(uneven) > _MAX_UNEVEN:
        rates.append(f"{counted(len(uneven) - _MAX_UNEVEN, 'more system')}")
    return f" Cases have unequal numbers of trials; with weight 1 for each case, judges uncorrected: {', '.join(rates)}."


def _no_common_case(part: ComparedStratum, where: str) -> str:
    """Say that no compared pair has a graded case in common; pairs may all be with one system."""
    in_every_pair = [name for name in part.outputs if all(name in {pair.a, pair.b} for pair in part.pairs)]
    if part.pairs and len(in_every_pair) == 1:
        [reference] = in_every_pair
        return (
            f"Nothing to compare with {reference} yet: no system has a graded case in common with it {where}."
        )
    return f"No significant difference between systems yet: they have no graded case in common {where}."


def best_system(strata: Strata | None, systems: Iterable[str]) -> str:
    """Return sentences on the best of several systems, or why none can be named."""
    if strata is None:
        return "The systems have no case in common; none is best."
    part, where = deciding(strata)
    ranked = ranked_rates(part)
    unranked = _unranked(strata, part)
    if not ranked:
        return "No significant difference between systems yet: nothing is graded."
    if ungraded := [system for system in systems if system not in ranked and system not in unranked]:
        return (
            f"No significant difference between systems yet: nothing of {listed(ungraded)} is graded {where}."
        )
    if not any(pair.n for pair in part.pairs):
        return _no_common_case(part, where)
    text = _ranking_of_part(part, where, ranked)
    if unranked:
        text += f" Not ranked, for too few or unusual labels: {number_text.named_or_counted(unranked)}."
    if part is strata.all:
        text += _best_by_checkers(strata, part)
    if part is strata.decided and any(strata.open.outputs.values()):
        noun = "other output" if part.by_labels else "undecided output"
        leader = next(iter(ranked))
        text += f" {_by_judges(strata.open, leader, noun)}{_ahead_on_all(strata, part, leader)}"
    return text


def _ranking_of_part(part: ComparedStratum, where: str, ranked: Mapping[str, float]) -> str:
    """Return the sentence that names the best on a part, or that no difference is significant."""
    return ranking_sentence(
        ranked,
        # n is the number of graded outputs, or of all where the rate covers all.
        graded_rates(part)
        | {name: replace(part.rates[name], n=part.outputs[name]) for name in part.graded_rates},
        part.pairs,
        where=where,
        passing=_passing_of(part, where, next(iter(ranked))),
        judged_by=_judged_by(part) if where == ON_JUDGED else None,
    )


def _best_by_checkers(strata: Strata, whole: ComparedStratum) -> str:
    """Return a sentence on the best on checked outputs, if it is not shown to be best on all.

    With judged outputs the intervals are wider, and what checkers show stays true.
    """
    best = _best_of(strata.decided)
    if best is None or best == _best_of(whole):
        return ""
    where = ON_LABELLED if strata.decided.by_labels else ON_CHECKED
    decided_by = "labels" if strata.decided.by_labels else "checkers"
    return f" By {decided_by} alone, {_ranking_of_part(strata.decided, where, ranked_rates(strata.decided))}"


def _best_of(part: ComparedStratum) -> str | None:
    """Return the first system if it is significantly better than the second, else None."""
    leader, second, *_ = [*ranked_rates(part), None, None]
    if leader is None or second is None:
        return None
    return leader if pair_of(part.pairs, leader, second)[1] else None


def _judged_by(part: ComparedStratum) -> JudgedBy:
    """Return the judges whose verdicts make the rates; only the first if it graded everything."""
    judges = [name for name in part.by if name not in part.judges or any(part.judges[name].graded.values())]
    if judges and judges[0] in part.judges and part.judges[judges[0]].graded == part.graded:
        judges = judges[:1]
    return JudgedBy(judges, any(part.labelled.values()))


_CORRECTION_WORDS = {
    ALL_UNCORRECTED: ", judged ones uncorrected",
    ALL_CORRECTED: ", judged ones corrected with labels",
}


def _only_system(system: SystemResult, judges: Sequence[JudgeUse]) -> str:
    """Return the sentence on a single system: its rate of all outputs, else of the checked ones."""
    overall = system.overall
    if overall is not None and overall.value is not None:
        condition = f" ({IF_SAMPLED})" if corrected_by_sample([system], judges) else ""
        return f"{system.system}: {_passing_clause(overall, 'outputs')}{_CORRECTION_WORDS.get(overall.name, '')}{condition}{_range_clause(overall, system.failed_calls)}."
    parts = [part for part in system.strata if part.name == DECIDED and part.value is not None]
    if not parts:
        return f"{system.system}: nothing is graded yet."
    checked = parts[0]
    unchecked = checked.of - checked.n
    kind_of_unchecked = "ungraded" if system.judged is None or not system.judged.n else "unchecked"
    if kind_of_unchecked == "ungraded" and checked.outcomes.get("undecided", 0) == unchecked:
        others_clause = f"; {unchecked:,} undecided"
    else:
        others_clause = f"; {unchecked:,} {kind_of_unchecked}"
    return f"{system.system}: {_passing_clause(checked, 'checked outputs')}{others_clause if unchecked else ''}{_range_clause(checked, system.failed_calls, kind_of_unchecked)}."


def _passing_clause(rate: Rate, plural: str) -> str:
    value = number_text.with_interval(rate.value or 0.0, rate.low, rate.high)
    noun = plural if rate.n != 1 else plural.removesuffix("s")
    cases_and_outputs = f"{rate.n:,} {noun}"
    if rate.n_cases is not None:
        cases_and_outputs = f"{counted(rate.n_cases, 'case')} ({cases_and_outputs})"
    if rate.fractions:
        return f"mean score {value} of {cases_and_outputs}"
    return f"{value} of {cases_and_outputs} {'passes' if rate.n == 1 else 'pass'}"


def _range_clause(rate: Rate, failed_calls: int, kind_of_ungraded: str = "ungraded") -> str:
    """Return a sentence on the rate's range if all outputs that it leaves out failed or passed."""
    if rate.bounds is None:
        return ""
    low, high = map(number_text.decimal, rate.bounds)
    ungraded = rate.of - rate.n
    kind_of_ungraded = "missing" if rate.outcomes.get("missing") == ungraded else kind_of_ungraded
    failed = f" ({failed_calls:,} by failed calls)" if failed_calls and kind_of_ungraded == "ungraded" else ""
    return (
        f". {low} to {high} if {all_counted(ungraded, f'{kind_of_ungraded} output')}{failed} failed or passed"
    )


def deciding(strata: Strata) -> tuple[ComparedStratum, str]:
    """Return the part of the outputs that ranks systems, and words for it.

    It is all outputs if none are judged, or if labels correct the judged ones of most systems; else the checked outputs, or
    the judged ones if none are checked.
    """
    decided, judged, whole = strata.decided, strata.open, strata.all
    if not any(judged.outputs.values()):
        return decided, ON_ALL
    corrected_systems = whole.corrected_systems
    if 2 * len(corrected_systems) > len(whole.rates) and all(
        whole.rates[name].value is not None for name in corrected_systems
    ):
        return whole, ON_ALL
    if any(decided.graded.values()):
        return decided, ON_LABELLED if decided.by_labels else ON_CHECKED
    return judged, ON_CORRECTED if judged.corrected_systems else ON_JUDGED


def _passing_of(part: ComparedStratum, where: str, leader: str) -> str:
    """Return the words after the leader's rate: of outputs or, if these have weights, of cases."""
    words = _PASSING_WORDS[where]
    if leader not in part.n_cases:
        return words
    noun, verb = words.removeprefix("{} ").split(" pass", 1)
    return f"{counted(part.n_cases[leader], 'case')} ({{}} {noun}) pass{verb}"


def _unranked(strata: Strata, part: ComparedStratum) -> list[str]:
    """Return the systems that are left out of the ranking, since labels correct only others."""
    if part is strata.decided or not part.corrected_systems:
        return []
    return [name for name in part.rates if name not in part.corrected_systems]


def ranked_rates(part: ComparedStratum) -> dict[str, float]:
    """Return the defined rates of a part, the best system first.

    Systems that are significantly worse than another on common outputs come after those that are not, whatever their rates,
    which may cover other outputs. If labels correct some systems, only these are ranked.
    """
    usable = part.corrected_systems or list(part.rates)
    values = {name: rate.value for name in usable if (rate := part.rates[name]).value is not None}
    beaten = {pair.b if pair.better == pair.a else pair.a for pair in part.pairs if pair.better is not None}
    return dict(sorted(values.items(), key=lambda entry: (entry[0] in beaten, -entry[1])))


def graded_rates(part: ComparedStratum) -> dict[str, Statistic]:
    """Return the rates of a part with graded outputs as n; else n may count only labels."""
    return {
        name: replace(rate, n=part.graded[name]) if rate.value is not None else rate
        for name, rate in part.rates.items()
    }


def _ahead_on_all(strata: Strata, part: ComparedStratum, leader: str) -> str:
    """Return a sentence on systems that the leader beats on a part, but not by all outputs."""
    rates = {name: rate.value for name, rate in strata.all.rates.items() if rate.value is not None}
    beaten = [name for name in rates if pair_of(part.pairs, leader, name)[1]]
    higher = [name for name in beaten if leader in rates and rates[name] > rates[leader]]
    if not higher:
        return ""
    verb = "is" if len(higher) == 1 else "are"
    return f" But on all outputs, judged ones uncorrected, {listed(higher)} {verb} ahead."


def _why_only_one(undecided: ComparedStratum, name: str, noun: str) -> str:
    """Say why systems are not compared on undecided outputs, of which one has a rate."""
    total = sum(undecided.outputs.values())
    if undecided.outputs[name] == total:
        return f"Only {name} has {noun}s: {total:,}."
    if any(graded for other, graded in undecided.graded.items() if other != name):
        return f"Labels correct only {name}, so systems are not compared on {counted(total, noun)}."
    return f"Of {counted(total, noun)}, only those of {name} are graded."


def _by_judges(undecided: ComparedStratum, leader: str, noun: str) -> str:
    """Return a sentence that compares systems on undecided outputs by judges.

    Args:
        undecided: The part of undecided outputs.
        leader: The best system by checkers.
        noun: Noun for one undecided output.
    """
    total = sum(undecided.outputs.values())
    outputs = counted(total, noun)
    ranked = ranked_rates(undecided)
    if not ranked:
        return f"{outputs} {'is' if total == 1 else 'are'} ungraded."
    graded = sum(undecided.graded.values())
    scope = f"On {outputs if graded == total else f'{graded:,} of {outputs}'}"
    first, *others = ranked
    if not others:
        return _why_only_one(undecided, first, noun)
    beaten = [name for name in others if pair_of(undecided.pairs, first, name)[1]]
    largest = largest_possible(pair.difference for pair in undecided.pairs if first in {pair.a, pair.b})
    largest_note = f" ({largest} could still be there)" if largest else ""
    if undecided.corrected_systems:
        result = (
            f"{first} passes more often than {listed(beaten)}"
            if beaten
            else f"no difference is significant{largest_note}"
        )
        return f"{scope}, judged and corrected with labels, {result}."
    if not beaten:
        return f"{scope}, judges (uncorrected) show no significant difference{largest_note}."
    to_whom = "" if beaten == others else f" to {listed(beaten)}"
    return f"{scope}, judges (uncorrected) prefer {first}{to_whom}{' too' if first == leader and not to_whom else ''}."
