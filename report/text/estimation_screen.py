"""One screen of an estimate: the rate to report, of all and by system."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import chain

from ...calibration.corrected_rate.estimation_results import Estimation, RateEstimate
from ..document import CautionLine, CommandLine, Document, Piece
from ..items.naming import short_names
from . import number_text
from .caution_text import sentences
from .estimation_text import (
    NOT_INCLUDED,
    bound_of,
    by_case,
    by_columns,
    if_random,
    label_errors_of,
    parts_shown,
    places,
    scenarios_of,
    target_of,
    ungraded_of,
    unpaired,
)
from .number_text import counted, draw_command
from .one_screen import PlotRow, plotted_table


def estimation_screen(estimation: Estimation) -> Document:
    """State the pass rate."""
    return _pieces(estimation)


def _pieces(estimation: Estimation) -> Iterator[Piece]:
    parts = parts_shown(estimation)
    whole = next(iter(parts.values()))
    judge = "the judge" if estimation.judge is None else estimation.judge
    if estimation.undecided_only:
        yield f"{_answer(whole, judge, 'the undecided outputs')} {NOT_INCLUDED}"
    else:
        yield _answer(whole, judge, "these outputs" if whole.target == "finite" else "outputs like these")
    yield from if_random(whole)
    yield from ungraded_of(whole)
    yield from bound_of(whole)
    if whole.labels_only.n:
        # A sentence on scenarios ends in a colon, before their table.
        about = [target_of(whole)], label_errors_of(whole)
        yield from chain(*(about if not scenarios_of(whole) else reversed(about)))
        yield from _scenarios(whole)
    else:
        yield "No judged item has a label, so the rate is uncorrected. Draw items to label:"
        yield CommandLine(draw_command())
    yield ""
    names = short_names(parts)
    if names.shared:
        yield f"systems {names.shared}"
    ranked = any(part.rank is not None and part.rank.value is not None for part in parts.values())
    corrected = any(part.reported for part in parts.values())
    rows = [_row(names.of(name), part, corrected=corrected) for name, part in parts.items()]
    main = ("if random" if whole.only_if_random else "corrected") if corrected else "uncorrected"
    alone = "judge alone" if estimation.judge is None else "first judge"
    head = (main, "labels", "judged", alone, *(["rank"] * ranked))
    cells = [
        (name, rate, (*behind, *([_rank(part)] * ranked)))
        for (name, rate, behind), part in zip(rows, parts.values(), strict=True)
    ]
    is_mean = any(part.is_mean for part in parts.values())
    yield plotted_table("", head, cells, scale="mean" if is_mean else "pass rate")
    if not scenarios_of(whole):
        yield from _strata(whole)
    if ranked:
        yield CautionLine(unpaired())
    yield from map(CautionLine, _limits(parts))


def _answer(part: RateEstimate, judge: str, outputs: str) -> str:
    """State the rate of these outputs, or of outputs like these if it is of a population."""
    name = None if part.only_if_random else part.reported
    if name is None:
        rate = number_text.statistic(part.uncorrected)
        if part.fractions:  # fractional scores: their mean is not a pass rate
            scored = counted(part.uncorrected.n, "output")
            return f"Mean score {rate} of {scored}{by_case(part)} by {judge} alone, uncorrected."
        return f"{rate} of {outputs} pass by {judge} alone ({part.uncorrected.n:,} judged{by_case(part)}), uncorrected."
    rate = number_text.statistic(part.estimates[name])
    labels = part.estimates[name].n
    judged = part.n_labelled + part.n_unlabelled
    stated = f"Mean label {rate} of {outputs}" if part.is_mean else f"{rate} of {outputs} pass"
    if name == "labels_only":
        if labels == judged + part.n_missing:
            return f"{stated} (all {labels:,} labelled{by_case(part)})."
        return f"{stated} ({labels:,} labelled{by_case(part)}); {judge} is not used."
    says = f"{judge}'s mean score is" if part.fractions else f"{judge} alone says"
    alone = "" if part.judge_mean is None else f"; {says} {number_text.decimal(part.judge_mean)}"
    return f"{stated} ({judged:,} judged, {labels:,} labelled{by_case(part)}){alone}."


def _row(name: str, part: RateEstimate, *, corrected: bool) -> PlotRow:
    """Return a part's rate, not an uncorrected one among corrected ones, and its counts."""
    rate = None if corrected and part.reported is None else part.rate
    alone = "-" if part.judge_mean is None else number_text.decimal(part.judge_mean)
    judged = f"{part.n_items - part.n_missing:,}" + (f" of {part.n_items:,}" if part.n_missing else "")
    labels = (part.labels_only if part.reported is None else part.estimates[part.reported]).n
    return name, rate, (f"{labels:,}", judged, alone)


def _scenarios(part: RateEstimate) -> Iterator[Piece]:
    """Yield the rate of each scenario of all items, with the option that declares it."""
    if scenarios := scenarios_of(part):
        rows = [(scenario.chosen, scenario.rate, (scenario.option,)) for scenario in scenarios]
        yield plotted_table("if chosen", ("rate", "option"), rows)
        yield by_columns(part)


def _rank(part: RateEstimate) -> str:
    return "-" if part.rank is None or part.rank.value is None else places(part.rank)


def _strata(part: RateEstimate) -> Iterator[Piece]:
    """Yield each stratum of all items."""
    if part.strata:
        rows = [
            (name, each.estimate, (f"{each.n_labelled:,}", f"{each.n:,}"))
            for name, each in part.strata.items()
        ]
        yield plotted_table("stratum", ("rate", "labels", "items"), rows)


def _limits(parts: Mapping[str, RateEstimate]) -> list[str]:
    """Return a line for each kind of caution, naming the parts if several."""
    whole, kinds = next(iter(parts.values())), dict[str, list[str]]()
    for name, part in parts.items():
        for each, sentence in zip(part.cautions, sentences(part.cautions), strict=True):
            if each.kind == "chosen_by_score" and part is whole and scenarios_of(part):
                continue  # said beside the scenarios
            kinds.setdefault(each.kind, []).append(f"{name}: {sentence}")
    return [
        lines[0] + (f"; also for {counted(len(lines) - 1, 'system')}" if len(lines) > 1 else "")
        for lines in kinds.values()
    ]
