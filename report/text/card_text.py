"""Cards of judges in words: one card, a table of several cards, and a badge.

A card (`AuditCard`) is what a judge let through and rejected on a shipped set of probes. Documents are for pages,
screens for terminals.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet

from ...calibration.statistic import Statistic
from ...evaluation.audit.cards.card_table import AuditCards
from ...evaluation.audit.cards.judge_card import AuditCard, CardMiss, CardProbabilities
from ..document import Piece, document
from ..document_parts import DocumentTable
from ..items.naming import short_names
from .number_text import count, counted, interval, moment, number, outcomes
from .one_screen import clipped
from .probe_text import probe_title
from .safe_text import WIDTH, columns_of, shortened

MISS_SORTS = {
    "fault": "faults it let through",
    "attack": "attacks that worked",
    "twin": "harmless changes it rejected",
    "nothing": "right outputs it rejected",
    "control": "wrong outputs without the attack that it let through",
}
"""Headings of wrongly graded probes, by what was planted."""

_MAX_CHARS, _MIN_CHANGE_COLUMNS = 160, 20
"""Longest reason or change, in characters; narrowest column of changes on a screen."""

_NAME_COLUMNS = 28
"""Width of a judge's name on the screen."""

LIMITS = (
    "Planted faults are not distributed like your systems' errors: no share here is an accuracy on your data. "
    "Shares are of graded probes; intervals are 95 %, clustered by case."
)


@document
def card_document(card: AuditCard) -> Iterator[Piece]:
    """Build the document of one card: shares, every miss with its reason, origin and limits."""
    yield from card_shares(card)
    yield from _miss_tables(card)
    yield from card_origin(card)
    yield LIMITS


@document
def card_screen(card: AuditCard) -> Iterator[Piece]:
    """Build one card for a terminal: like the document, but without reasons of misses."""
    yield from card_shares(card)
    yield from _brief_miss_tables(card)
    yield from card_origin(card)
    yield LIMITS


def card_shares(card: AuditCard) -> Iterator[Piece]:
    """Yield the shares of probes that a card's judge let through and rejected."""
    yield headline(card)
    if sentence := _ungraded_sentence(card):
        yield sentence
    yield DocumentTable(("", "share", "95 %", "n"), list(_share_rows(card)))
    yield _natural_sentence(card)
    yield from card_probability_tables(card)


def card_origin(card: AuditCard) -> Iterator[Piece]:
    """Yield the cost of a card, and its set, seal, judge, versions and maker."""
    yield _cost_sentence(card)
    served_by = f"; served by {', '.join(card.served)}" if card.served else ""
    by_maker = f" by {card.made_by}" if card.made_by else ""
    yield (
        f"{card.set.name} (seal {card.set.seal[:12]}), judge {card.id.fingerprint[:12]}{served_by}, passes from {card.pass_at:g}; "
        f"made {moment(card.made)}{by_maker}, fiducial {card.fiducial}"
    )


def _brief_miss_tables(card: AuditCard) -> Iterator[Piece]:
    """Yield a table of misses by what was planted; changes are cut so that rows fit the screen.

    All rows are yielded, since the screen counts those that it cuts.
    """
    for plants, heading in MISS_SORTS.items():
        rows = [
            (probe_title(miss.operator), miss.case_id.partition("~")[0], miss.change)
            for miss in card.misses
            if miss.plants == plants
        ]
        if rows:
            kind_width, case_width = (max(columns_of(row[column]) for row in rows) for column in range(2))
            # Two blanks stand before each of the three columns.
            room = max(_MIN_CHANGE_COLUMNS, WIDTH - 2 - kind_width - 2 - case_width - 2)
            yield DocumentTable(
                ("kind", "case", "change"),
                [(*row[:2], clipped(shortened(row[2], _MAX_CHARS), room)) for row in rows],
                caption=f"{heading}: {len(rows):,}",
                left_aligned=frozenset(range(3)),
            )


@document
def card_table_document(table: AuditCards) -> Iterator[Piece]:
    """Build tables of cards, one table per combination of case kinds; cards are not ranked."""
    yield f"{counted(len(table.cards), 'card')} of {table.set.name} (seal {table.set.seal[:12]})"
    for kinds, cards in table.groups.items():
        head = (
            "judge",
            "faults caught",
            "right rejected",
            "attacks worked",
            "natural faults caught",
            "ungraded",
            "$ per 1,000",
            "made",
        )
        yield DocumentTable(
            head, [_table_row(card) for card in cards], caption=f"on {kinds.replace('_', ' ')}"
        )
    yield from probability_tables(table)
    yield from signature_tables(table)
    yield LIMITS


@document
def card_table_screen(table: AuditCards) -> Iterator[Piece]:
    """Build the table of cards for a terminal, with counts in place of shares and intervals.

    All cards are rows of one table, so that a screen that cuts it can say how many are missing.
    """
    names = short_names((card.judge for card in table.cards), columns=_NAME_COLUMNS)
    yield (
        f"{counted(len(table.cards), 'card')} of {table.set.name} (seal {table.set.seal[:12]}): planted faults caught, "
        "right outputs rejected, attacks that worked, natural faults caught."
    )
    yield ""
    rows: list[Sequence[str]] = []
    for kinds, cards in table.groups.items():
        rows.append((_kinds_heading(kinds), "", "", "", ""))
        rows += [(f"  {names.of(card.judge)}", *_count_cells(card)) for card in cards]
    head = ("judge", "caught", "rejected", "attacks", "natural")
    yield DocumentTable(head, rows, left_aligned=frozenset({0}), indent=0)
    missing_by_kind = [
        _missing_counts(noun, [sum(outcome.values()) for outcome in outcomes_by_card])
        for noun, outcomes_by_card in (
            ("probe", [card.shares.ungraded for card in table.cards]),
            ("natural output", [card.natural.ungraded for card in table.cards if card.natural is not None]),
        )
    ]
    if any(missing_by_kind):
        yield f"without a score, in none of these counts: {', '.join(filter(None, missing_by_kind))}"
    yield from signature_tables(table)
    yield LIMITS


def _missing_counts(noun: str, missing: Sequence[int]) -> str:
    """Return how many have no score, and for how many judges; empty if all have one.

    Args:
        noun: Noun for one of the things without a score.
        missing: Number of things without a score, for each judge.
    """
    return (
        f"{counted(sum(missing), noun)} of {counted(sum(map(bool, missing)), 'judge')}"
        if any(missing)
        else ""
    )


def _kinds_heading(kinds_of_cases: str) -> str:
    words = kinds_of_cases.replace("_", " ")
    return f"on {words if len(words) <= _NAME_COLUMNS else counted(kinds_of_cases.count(',') + 1, 'kind') + ' of cases'}:"


def _count_cells(card: AuditCard) -> Sequence[str]:
    shares, natural = card.shares, card.natural
    return (
        *map(_hits_of_n, (shares.caught, shares.rejected, shares.attacks_passed)),
        "not tried" if natural is None else _hits_of_n(natural.caught),
    )


def headline(card: AuditCard) -> str:
    """Return one sentence on what the judge let through and rejected."""
    shares = card.shares
    if not shares.caught.n and not shares.rejected.n:
        return f"{card.judge} graded nothing"
    let_through = shares.caught.n - _hits(shares.caught)
    attacks_clause = (
        f", {_hits(shares.attacks_passed):,} of {counted(shares.attacks_passed.n, 'attack')} worked"
        if shares.attacks_passed.n
        else ""
    )
    missing = sum(shares.ungraded.values())
    missing_note = f" ({missing:,} more without a score)" if missing else ""
    return (
        f"{card.judge} let {let_through:,} of {counted(shares.caught.n, 'planted fault')} through, "
        f"rejected {_hits(shares.rejected):,} of {counted(shares.rejected.n, 'right output')}{attacks_clause}{missing_note}"
    )


def _ungraded_sentence(card: AuditCard) -> str:
    ungraded = card.shares.ungraded
    return f"without a score: {outcomes(ungraded)}; in none of these shares" if any(ungraded.values()) else ""


def _natural_sentence(card: AuditCard) -> str:
    """Return a sentence on natural faults, which real systems made, or that they were not tried."""
    natural = card.natural
    if natural is None:
        return "natural faults: not tried"
    coverage = (
        "" if natural.found == natural.named else f" ({natural.found:,} of {natural.named:,} outputs found)"
    )
    return (
        f"natural faults{coverage}: {_hits(natural.caught):,} of {natural.caught.n:,} caught, "
        f"{_hits(natural.rejected):,} of {counted(natural.rejected.n, 'right output')} rejected"
        + (f"; without a score: {outcomes(natural.ungraded)}" if any(natural.ungraded.values()) else "")
    )


def _miss_tables(card: AuditCard) -> Iterator[Piece]:
    """Yield tables of the probes that the judge graded wrongly, by what was planted."""
    for plants, heading in MISS_SORTS.items():
        misses = [miss for miss in card.misses if miss.plants == plants]
        if misses:
            yield DocumentTable(
                ("kind", "output", "change", "the judge's reason"),
                [_miss_row(miss) for miss in misses],
                caption=f"{heading}: {len(misses):,}",
                left_aligned=frozenset(range(4)),
            )


def _cost_sentence(card: AuditCard) -> str:
    """Return calls, recorded replies, dollars and seconds of a card."""
    cost = card.cost
    cost_texts = [f"asked {counted(cost.verdicts, 'time')}"]
    if cost.from_recording:
        cost_texts.append(f"{cost.from_recording:,} from a recording or the cache")
    if cost.dollars is not None:
        cost_texts.append(f"${cost.dollars:.4f}")
    if cost.seconds_an_item is not None:
        cost_texts.append(f"{cost.seconds_an_item:.2f} s an item")
    return ", ".join(cost_texts)


def badge_text(card: AuditCard) -> tuple[str, str]:
    """Return the left and the right text of a card's badge: its set, and its counts."""
    caught, rejected = card.shares.caught, card.shares.rejected
    fault_count, right_count = (_probe_count(card, plants) for plants in ({"fault"}, {"nothing", "twin"}))
    if caught.value is None and rejected.value is None:
        return card.set.name, "graded nothing"
    return (
        card.set.name,
        f"{_hits(caught):,} of {fault_count:,} faults caught, {_hits(rejected):,} of {right_count:,} right outputs rejected",
    )


def _probe_count(card: AuditCard, plants: AbstractSet[str]) -> int:
    operators = [operator for operator in card.operators if operator.plants in plants]
    return sum(result.rate.n + sum(result.ungraded.values()) for result in operators)


def _share_rows(card: AuditCard) -> Iterator[Sequence[str]]:
    shares = card.shares
    for name, share in (
        ("planted faults caught", shares.caught),
        ("right outputs and harmless changes rejected", shares.rejected),
        ("attacks that worked", shares.attacks_passed),
        ("the same without the attack", shares.controls_passed),
    ):
        if share.n:
            yield name, number(share.value), interval(share.low, share.high, 3), count(share.n)


def _table_row(card: AuditCard) -> Sequence[str]:
    shares, natural = card.shares, card.natural
    # Replies of a recording cost nothing, so only verdicts that were asked for share the cost.
    dollars, verdicts_asked_for = card.cost.dollars, card.cost.verdicts - card.cost.from_recording
    return (
        card.judge,
        _share_cell(shares.caught),
        _share_cell(shares.rejected),
        _share_cell(shares.attacks_passed),
        "not tried" if natural is None else _share_cell(natural.caught),
        _ungraded_cell(card),
        "-" if dollars is None or not verdicts_asked_for else f"{1000 * dollars / verdicts_asked_for:.2f}",
        card.made[:10],
    )


def _ungraded_cell(card: AuditCard) -> str:
    natural_outcomes = "" if card.natural is None else outcomes(card.natural.ungraded)
    return (outcomes(card.shares.ungraded) or "0") + (natural_outcomes and f"; natural: {natural_outcomes}")


def _hits_of_n(share: Statistic) -> str:
    return "-" if share.value is None else f"{_hits(share):,} of {share.n:,}"


def _share_cell(share: Statistic) -> str:
    if share.value is None:
        return "-"
    return f"{number(share.value)} {interval(share.low, share.high)} (n {share.n:,})"


def _miss_row(miss: CardMiss) -> Sequence[str]:
    output = f"{miss.case_id}, {miss.system}"
    return (
        probe_title(miss.operator),
        output,
        shortened(miss.change, _MAX_CHARS),
        shortened(miss.reason or "-", _MAX_CHARS),
    )


def _hits(share: Statistic) -> int:
    return 0 if share.value is None else round(share.value * share.n)


def signature_tables(table: AuditCards) -> Iterator[DocumentTable]:
    """Yield a table of signed cards with their makers and keys, if any card is signed."""
    rows = [(card.judge, card.made_by or "-", key) for card, key in table.with_signers if key is not None]
    if rows:
        head = ("judge", "made by", "key")
        yield DocumentTable(
            head, rows, left_aligned=frozenset(range(3)), caption="signed, and unchanged since"
        )


_PROBABILITY_HEAD = ("judge", "on", "mean p - rate", "ECE", "Brier", "base rate's Brier", "n")
_PROBABILITY_CAPTION = "scores as probabilities, without attacks"


def card_probability_tables(card: AuditCard) -> Iterator[DocumentTable]:
    """Yield a table of how well a card's score probabilities fit, if it has any."""
    if rows := list(_probability_rows(card)):
        yield DocumentTable(
            _PROBABILITY_HEAD[1:],
            [row[1:] for row in rows],
            left_aligned=frozenset({0}),
            caption=_PROBABILITY_CAPTION,
        )


def probability_tables(table: AuditCards) -> Iterator[DocumentTable]:
    """Yield a table of how well several cards' score probabilities fit, if any card has some."""
    if rows := [row for card in table.cards for row in _probability_rows(card)]:
        yield DocumentTable(
            _PROBABILITY_HEAD, rows, left_aligned=frozenset({0, 1}), caption=_PROBABILITY_CAPTION
        )


def _probability_rows(card: AuditCard) -> Iterator[tuple[str, ...]]:
    natural = None if card.natural is None else card.natural.probabilities
    for name, probabilities in (("the set", card.probabilities), ("natural part", natural)):
        if probabilities is not None:
            yield (card.judge, name, *_probability_cells(probabilities))


def _probability_cells(probabilities: CardProbabilities) -> tuple[str, ...]:
    return (
        _with_interval(probabilities.calibration_in_the_large),
        _with_interval(probabilities.ece),
        _with_interval(probabilities.brier),
        number(probabilities.brier_of_base_rate.value),
        f"{probabilities.brier.n:,}",
    )


def _with_interval(statistic: Statistic) -> str:
    return f"{number(statistic.value)} {interval(statistic.low, statistic.high)}".strip()
