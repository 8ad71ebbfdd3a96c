"""Calibration of judges that choose between two outputs: agreement with people's choices.

A pair may be judged in both orders, since judges tend to prefer a position. `preference_text` is about which system
is preferred.
"""

from __future__ import annotations

from collections.abc import Iterator

from ...calibration.preference.preference_results import ChoiceAgreement, PairCalibrationNumbers
from ...calibration.statistic import Statistic
from ..document import CautionLine, Piece, document
from ..document_parts import ENDS, DocumentTable
from .number_text import counted, outcomes, statistic, statistic_cells

_FEW_PAIRS = 20
"""Below this many pairs, intervals are called rough."""
_MAX_PEOPLE = 5
_CHOICES = ("second", "tie", "first")
"""Choices in the order of rows and columns of the agreement table."""


@document
def pair_calibration_document(numbers: PairCalibrationNumbers) -> Iterator[Piece]:
    """Build the full document: each judge's agreement with people, and its table of choices."""
    yield _people_sentence(numbers)
    for by, agreement in numbers.agreements.items():
        yield ""
        yield f"{by}: {_agreement_clause(agreement)}"
        yield from _unused_verdicts(agreement)
        yield DocumentTable(
            ("", "share", "interval", "n", ""), list(_share_rows(agreement)), left_aligned=ENDS
        )
        yield "  verdicts by people's choice (rows) and the judge's:"
        rows = [
            (name, *(f"{count:,}" for count in agreement.table[row])) for row, name in enumerate(_CHOICES)
        ]
        yield DocumentTable(("", *_CHOICES), rows, indent=4)
        yield from map(CautionLine, _cautions(agreement))


@document
def pair_calibration_screen(numbers: PairCalibrationNumbers) -> Iterator[Piece]:
    """Build the screen: a sentence and a row per judge on its agreement with people."""
    for by, agreement in numbers.agreements.items():
        yield f"{by}: {_agreement_clause(agreement)}"
        yield from _unused_verdicts(agreement)
    yield ""
    yield _people_sentence(numbers)
    head = ["judge", "n", "agreement", "without ties", "kappa"]
    any_both_orders = any(agreement.both_orders for agreement in numbers.agreements.values())
    rows = [
        (
            by,
            f"{agreement.n:,}",
            *map(_statistic_or_blank, (agreement.agreement, agreement.decided, agreement.kappa)),
            *([_statistic_or_blank(agreement.right_in_both)] if any_both_orders else []),
        )
        for by, agreement in numbers.agreements.items()
    ]
    yield DocumentTable((*head, "right in both orders") if any_both_orders else tuple(head), rows, indent=0)
    yield from (
        CautionLine(f"{by}: {limit}")
        for by, agreement in numbers.agreements.items()
        for limit in _cautions(agreement)
    )


def _people_sentence(numbers: PairCalibrationNumbers) -> str:
    shown = list(numbers.people.items())[:_MAX_PEOPLE]
    names = ", ".join(f"{by} ({count:,})" for by, count in shown)
    names += f" and {len(numbers.people) - _MAX_PEOPLE:,} others" if len(numbers.people) > _MAX_PEOPLE else ""
    agreement = numbers.people_agree
    agreement_clause = (
        ""
        if agreement is None or agreement.value is None
        else f"; two people agree on {statistic(agreement)} of {agreement.n:,}"
    )
    return f"{counted(numbers.pairs, 'pair')}; people's choices: {names}{agreement_clause}"


def _agreement_clause(agreement: ChoiceAgreement) -> str:
    if agreement.agreement.value is None:
        return "no verdict on a pair that people compared"
    right = round(agreement.agreement.value * agreement.n)
    return f"agrees with people on {right:,} of {agreement.n:,} verdicts, {statistic(agreement.agreement)}"


def _unused_verdicts(agreement: ChoiceAgreement) -> Iterator[str]:
    if any(agreement.ungraded.values()):
        yield f"  without a choice, in no number: {outcomes(agreement.ungraded)}"
    if agreement.unlabelled:
        yield f"  on pairs without people's choice, or with as many against as for it: {agreement.unlabelled:,}"


def _share_rows(agreement: ChoiceAgreement) -> Iterator[tuple[str, ...]]:
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
    yield from ((name, *statistic_cells(share)) for name, share in shares.items())


def _cautions(agreement: ChoiceAgreement) -> Iterator[str]:
    if 0 < agreement.pairs < _FEW_PAIRS:
        yield f"few pairs ({agreement.pairs:,}), so intervals are rough"
    if agreement.n and not agreement.both_orders:
        yield "no pair was judged in both orders, so nothing says whether the order decides"


def _statistic_or_blank(value: Statistic) -> str:
    return "" if value.value is None else statistic(value)
