"""Regressions and flaky cases of a gate, and cases that must not fail anew."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from ...calibration.gating.gate_results import GateAnswer, GateCheck
from ...records import ItemKey
from .changed_verdict import ChangedVerdict
from .gate_pairs import GatePair, no_comparison, unpaired
from .gate_rates import graders, guesses, tagged
from .gated_judging import GatedOutput
from .gated_runs import GatedRun

_SHOWN = 5
"""Most cases that a sentence names."""


def regressions(pair: GatePair) -> Iterator[ChangedVerdict]:
    """Yield one output of each case that passed in all trials before and fails in all now."""
    was, now = _by_case(pair.before), _by_case(pair.after)
    told = set[str]()
    for key, each in pair.after.items():
        case = key.case_id
        if case in told or each.passes is not False:
            continue
        if _all_pass(was.get(case, [])) and _none_pass(now[case]):
            told.add(case)
            yield ChangedVerdict(
                case_id=case,
                system=key.system,
                trial=key.trial,
                by=each.by,
                before="pass",
                after="fail",
                error_type=each.error_type,
            )


def flaky_cases(pair: GatePair) -> Iterator[str]:
    """Yield cases that pass some of their trials, and passed more of them before."""
    was, now = _by_case(pair.before), _by_case(pair.after)
    for case, trials in now.items():
        shares = [_share_passing(each) for each in (was.get(case, []), trials)]
        if len(trials) > 1 and None not in shares and 0.0 < (shares[1] or 0.0) < (shares[0] or 0.0):
            yield case


def _share_passing(trials: list[bool | None]) -> float | None:
    known = [trial for trial in trials if trial is not None]
    return sum(known) / len(known) if known else None


def _by_case(outputs: Mapping[ItemKey, GatedOutput]) -> dict[str, list[bool | None]]:
    found: dict[str, list[bool | None]] = {}
    for key, each in outputs.items():
        found.setdefault(key.case_id, []).append(each.passes)
    return found


def new_failures(
    before: GatedRun | None, after: GatedRun, pairs: list[GatePair], tag: str, reasons: list[str]
) -> Iterator[GateCheck]:
    """Yield the condition on each system; a branch can drop a tag, so either run's counts."""
    wanted, condition = tagged(after, tag, before), f"no new failures {tag}"
    if before is None:
        pairs = [GatePair(name, {}, found, wanted, len(wanted)) for name, found in after.systems.items()]
    for pair in pairs:
        was, now = _by_case(pair.before), _by_case(pair.after)
        asked = [case for case in sorted(wanted) if before is None or _all_pass(was.get(case, []))]
        found = _asked(asked, now, after)
        doubt = guesses(after, pair.after)
        if before is not None:
            doubt = no_comparison(pair, reasons) or doubt or guesses(before, pair.before)
        yield GateCheck(
            system=pair.name,
            condition=condition,
            limit=0,
            answer="cannot tell" if doubt else found.answer,
            why=doubt or found.why("cases" if before is None else "cases that passed before"),
            would_tell="" if doubt else found.would_tell,
            by=graders(after, pair.after, "uncorrected"),
            share=found.passed / len(asked) if asked else None,
        )
    if before is not None:
        yield from unpaired(before, after, condition, 0, before.systems)


class _Asked(NamedTuple):
    """Cases that must pass.

    Attributes:
        passed: Number of those that do.
        failed: Those that fail.
        gone: Those that the run lacks.
        doubtful: Those that are ungraded, or pass some of their trials.
    """

    passed: int
    failed: list[str]
    gone: list[str]
    doubtful: list[str]

    @property
    def answer(self) -> GateAnswer:
        """Answer to the condition."""
        if self.failed:
            return "fails"
        return "passes" if self.passed and not self.gone and not self.doubtful else "cannot tell"

    @property
    def would_tell(self) -> str:
        """Data that would tell; empty if the answer does, or no case is asked about."""
        wanted = [
            *(["these cases in the later run"] if self.gone else []),
            *(["more trials, or grades, of these cases"] if self.doubtful else []),
        ]
        return "" if self.failed else "; ".join(wanted)

    def why(self, what: str) -> str:
        """Say how many pass, and which do not."""
        count = self.passed + len(self.failed) + len(self.gone) + len(self.doubtful)
        named = {
            "failed": self.failed,
            "not in the later run": self.gone,
            "ungraded, or passing some of their trials": [] if self.failed else self.doubtful,
        }
        told = [f"{how}: {_named(cases)}" for how, cases in named.items() if cases]
        return "; ".join([f"{self.passed:,} of {count:,} {what} pass", *told])


def _asked(cases: Sequence[str], trials: Mapping[str, list[bool | None]], run: GatedRun) -> _Asked:
    """Part the cases that must pass by what became of them."""
    failed = [case for case in cases if _none_pass(trials.get(case, []))]
    gone = [case for case in cases if case not in trials and case not in (run.cases or {})]
    passed = [case for case in cases if _all_pass(trials.get(case, []))]
    doubtful = [case for case in cases if case not in {*failed, *gone, *passed}]
    return _Asked(len(passed), failed, gone, doubtful)


def _all_pass(trials: list[bool | None]) -> bool:
    return bool(trials) and all(trials)


def _none_pass(trials: list[bool | None]) -> bool:
    return bool(trials) and all(trial is False for trial in trials)


def _named(cases: list[str]) -> str:
    return ", ".join(cases[:_SHOWN]) + (f" and {len(cases) - _SHOWN:,} more" if len(cases) > _SHOWN else "")
