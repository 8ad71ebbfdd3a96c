"""Text for a calibration on pairs of outputs: agreement per verdict and by both orders."""

from __future__ import annotations

from collections.abc import Iterator

from ...calibration.preference.preference_results import ChoiceAgreement, PairCalibrationNumbers
from ...calibration.statistic import Statistic
from ..document import CautionLine, Piece, document
from ..document_parts import ENDS, DocumentTable
from .number_text import counted, outcomes, statistic, statistic_cells

_FEW = 20
_MAX_PEOPLE = 5
_CHOICES = ("second", "tie", "first")


@document
def pair_calibration_document(numbers: PairCalibrationNumbers) -> Iterator[Piece]:
    """Yield each judge's agreement with people, all of it."""
    yield _people(numbers)
    for by, agreement in numbers.agreements.items():
        yield ""
        yield f"{by}: {_answer(agreement)}"
        yield from _left_out(agreement)
        yield DocumentTable(("", "share", "interval", "n", ""), list(_rows(agreement)), left_aligned=ENDS)
        yield "  verdicts by people's choice (rows) and the judge's:"
        rows = [(name, *(f"{count:,}" for count in agreement.table[at])) for at, name in enumerate(_CHOICES)]
        yield DocumentTable(("", *_CHOICES), rows, indent=4)
        yield from map(CautionLine, _limits(agreement))


@document
def pair_calibration_screen(numbers: PairCalibrationNumbers) -> Iterator[Piece]:
    """Yield each judge's agreement with people, in short."""
    for by, agreement in numbers.agreements.items():
        yield f"{by}: {_answer(agreement)}"
        yield from _left_out(agreement)
    yield ""
    yield _people(numbers)
    head = ["judge", "n", "agreement", "without ties", "kappa"]
    in_both = any(choice_agreement.both_orders for choice_agreement in numbers.agreements.values())
    rows = [
        (
            by,
            f"{each.n:,}",
            *map(_short, (each.agreement, each.decided, each.kappa)),
            *([_short(each.right_in_both)] if in_both else []),
        )
        for by, each in numbers.agreements.items()
    ]
    yield DocumentTable((*head, "right in both orders") if in_both else tuple(head), rows, indent=0)
    yield from (
        CautionLine(f"{by}: {limit}") for by, each in numbers.agreements.items() for limit in _limits(each)
    )


def _people(numbers: PairCalibrationNumbers) -> str:
    shown = list(numbers.people.items())[:_MAX_PEOPLE]
    names = ", ".join(f"{by} ({count:,})" for by, count in shown)
    names += f" and {len(numbers.people) - _MAX_PEOPLE:,} others" if len(numbers.people) > _MAX_PEOPLE else ""
    agree = numbers.people_agree
    together = (
        ""
        if agree is None or agree.value is None
        else f"; two people agree on {statistic(agree)} of {agree.n:,}"
    )
    return f"{counted(numbers.pairs, 'pair')}; people's choices: {names}{together}"


def _answer(agreement: ChoiceAgreement) -> str:
    if agreement.agreement.value is None:
        return "no verdict on a pair that people compared"
    right = round(agreement.agreement.value * agreement.n)
    return f"agrees with people on {right:,} of {agreement.n:,} verdicts, {statistic(agreement.agreement)}"


def _left_out(agreement: ChoiceAgreement) -> Iterator[str]:
    if any(agreement.ungraded.values()):
        yield f"  without a choice, in no number: {outcomes(agreement.ungraded)}"
    if agreement.unlabelled:
        yield f"  on pairs without people's choice, or with as many against as for it: {agreement.unlabelled:,}"


def _rows(agreement: ChoiceAgreement) -> Iterator[tuple[str, ...]]:
    shares = {
        "same choice, a tie is one": agreement.agreement,
        "same, a tie against a choice half": agreement.ties_half,
        "same, without ties": agreement.decided,
        "Cohen's kappa, three choices": agreement.kappa,
    }
    if agreement.both_orders:
        shares |= {
            "right in both orders": agreement.right_in_both,
            "wrong in both orders": agreement.wrong_in_both,
            "the order decides": agreement.flips,
            "right on balance of both orders": agreement.right_on_balance,
        }
    yield from ((name, *statistic_cells(each)) for name, each in shares.items())


def _limits(agreement: ChoiceAgreement) -> Iterator[str]:
    if 0 < agreement.pairs < _FEW:
        yield f"few pairs ({agreement.pairs:,}), so intervals are rough"
    if agreement.n and not agreement.both_orders:
        yield "no pair was judged in both orders, so nothing says whether the order decides"


def _short(value: Statistic) -> str:
    return "" if value.value is None else statistic(value)
