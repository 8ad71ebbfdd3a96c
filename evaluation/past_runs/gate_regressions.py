"""Regressions and flaky cases of a gate, and cases that must not fail anew."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from ...calibration.gating.gate_results import GateAnswer, GateCheck
from ...records import ItemKey
from .changed_verdicts import ChangedVerdict
from .gate_comparability import GatePair, comparison_doubt, unpaired_checks
from .gate_rates import chance_doubt, describe_graders
from .gated_judging import GatedOutput
from .gated_runs import GatedRun, cases_with_tag

_MAX_CASES_NAMED = 5
"""Cases that a sentence names."""


def regressions(pair: GatePair) -> Iterator[ChangedVerdict]:
    """Yield one output of each case that passed in all trials before and fails in all now."""
    passes_before, passes_after = _passes_by_case(pair.before), _passes_by_case(pair.after)
    reported = set[str]()
    for key, output in pair.after.items():
        case = key.case_id
        # One failing output stands for all trials of its case.
        if case in reported or output.passes is not False:
            continue
        if _all_pass(passes_before.get(case, [])) and _none_pass(passes_after[case]):
            reported.add(case)
            yield ChangedVerdict(
                case_id=case,
                system=key.system,
                trial=key.trial,
                by=output.by,
                before="pass",
                after="fail",
                error_type=output.error_type,
            )


def flaky_cases(pair: GatePair) -> Iterator[str]:
    """Yield cases that pass some of their trials, and passed more of them before."""
    passes_before, passes_after = _passes_by_case(pair.before), _passes_by_case(pair.after)
    for case, trials in passes_after.items():
        before, after = _share_passing(passes_before.get(case, [])), _share_passing(trials)
        if len(trials) > 1 and before is not None and after is not None and 0.0 < after < before:
            yield case


def _share_passing(trials: list[bool | None]) -> float | None:
    graded_trials = [trial for trial in trials if trial is not None]
    return sum(graded_trials) / len(graded_trials) if graded_trials else None


def _passes_by_case(outputs: Mapping[ItemKey, GatedOutput]) -> dict[str, list[bool | None]]:
    """Return whether each trial of a case passes, or None for an ungraded one."""
    passes: dict[str, list[bool | None]] = {}
    for key, output in outputs.items():
        passes.setdefault(key.case_id, []).append(output.passes)
    return passes


def new_failures(
    before: GatedRun | None, after: GatedRun, pairs: list[GatePair], tag: str, reasons: list[str]
) -> Iterator[GateCheck]:
    """Check each system for new failures of cases with a tag.

    A tag of either run counts, because a branch could drop one to hide a failure. ``reasons`` say why the runs are not comparable.
    """
    tagged_cases, condition = cases_with_tag(after, tag, before), f"no new failures {tag}"
    if before is None:
        pairs = [
            GatePair(name, {}, outputs, tagged_cases, len(tagged_cases))
            for name, outputs in after.systems.items()
        ]
    for pair in pairs:
        passes_before, passes_after = _passes_by_case(pair.before), _passes_by_case(pair.after)
        required = [
            case for case in sorted(tagged_cases) if before is None or _all_pass(passes_before.get(case, []))
        ]
        outcome = _sort_cases(required, passes_after, after)
        doubt = chance_doubt(after, pair.after)
        if before is not None:
            doubt = comparison_doubt(pair, reasons) or doubt or chance_doubt(before, pair.before)
        yield GateCheck(
            system=pair.name,
            condition=condition,
            limit=0,
            answer="cannot tell" if doubt else outcome.answer,
            why=doubt or outcome.why("cases" if before is None else "cases that passed before"),
            would_tell="" if doubt else outcome.would_tell,
            by=describe_graders(after, pair.after, "uncorrected"),
            share=outcome.passed / len(required) if required else None,
        )
    if before is not None:
        yield from unpaired_checks(before, after, condition, 0, before.systems)


class _RequiredCases(NamedTuple):
    """Cases that must pass.

    Attributes:
        passed: Number of them that pass.
        failed: Ids of cases that fail.
        gone: Ids of cases that the run lacks.
        doubtful: Ids of cases that are ungraded, or pass some of their trials.
    """

    passed: int
    failed: list[str]
    gone: list[str]
    doubtful: list[str]

    @property
    def answer(self) -> GateAnswer:
        if self.failed:
            return "fails"
        return "passes" if self.passed and not self.gone and not self.doubtful else "cannot tell"

    @property
    def would_tell(self) -> str:
        """Data that would settle the answer; empty if it is settled, or no case is required."""
        needed_data = [
            *(["these cases in the later run"] if self.gone else []),
            *(["more trials, or grades, of these cases"] if self.doubtful else []),
        ]
        return "" if self.failed else "; ".join(needed_data)

    def why(self, what: str) -> str:
        """Say how many of the cases pass, and which do not; ``what`` is the noun for the cases."""
        count = self.passed + len(self.failed) + len(self.gone) + len(self.doubtful)
        cases_by_outcome = {
            "failed": self.failed,
            "not in the later run": self.gone,
            "ungraded, or passing some of their trials": [] if self.failed else self.doubtful,
        }
        case_lists = [
            f"{outcome}: {_list_cases(cases)}" for outcome, cases in cases_by_outcome.items() if cases
        ]
        return "; ".join([f"{self.passed:,} of {count:,} {what} pass", *case_lists])


def _sort_cases(
    cases: Sequence[str], trials: Mapping[str, list[bool | None]], run: GatedRun
) -> _RequiredCases:
    """Sort the cases that must pass by their outcome in the run."""
    failed = [case for case in cases if _none_pass(trials.get(case, []))]
    gone = [case for case in cases if case not in trials and case not in (run.cases or {})]
    passed = [case for case in cases if _all_pass(trials.get(case, []))]
    doubtful = [case for case in cases if case not in {*failed, *gone, *passed}]
    return _RequiredCases(len(passed), failed, gone, doubtful)


def _all_pass(trials: list[bool | None]) -> bool:
    return bool(trials) and all(trials)


def _none_pass(trials: list[bool | None]) -> bool:
    return bool(trials) and all(trial is False for trial in trials)


def _list_cases(cases: list[str]) -> str:
    return ", ".join(cases[:_MAX_CASES_NAMED]) + (
        f" and {len(cases) - _MAX_CASES_NAMED:,} more" if len(cases) > _MAX_CASES_NAMED else ""
    )
