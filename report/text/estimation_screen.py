"""One screen of an estimate: the pass rate to report, its conditions, and a row per system.

`estimation_text` shows the same in full.
"""

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
    explained,
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
    """Build the screen of an estimate."""
    return _pieces(estimation)


def _pieces(estimation: Estimation) -> Iterator[Piece]:
    rates = parts_shown(estimation)
    whole = next(iter(rates.values()))  # the estimate of all outputs stands first
    judge = "the judge" if estimation.judge is None else estimation.judge
    if estimation.undecided_only:
        yield f"{_rate_sentence(whole, judge, 'the undecided outputs')} {NOT_INCLUDED}"
    else:
        yield _rate_sentence(
            whole, judge, "these outputs" if whole.target == "finite" else "outputs like these"
        )
    yield from if_random(whole)
    yield from ungraded_of(whole)
    yield from bound_of(whole)
    if whole.labels_only.n:
        # A sentence on scenarios ends in a colon, before their table.
        sentences_on_labels = [target_of(whole)], label_errors_of(whole)
        yield from chain(*(sentences_on_labels if not scenarios_of(whole) else reversed(sentences_on_labels)))
        yield from _scenario_table(whole)
    else:
        yield "No judged item has a label, so the rate is uncorrected. Draw items to label:"
        yield CommandLine(draw_command())
    yield ""
    names = short_names(rates)
    if names.shared:
        yield f"systems {names.shared}"
    has_ranks = any(
        rate_estimate.rank is not None and rate_estimate.rank.value is not None
        for rate_estimate in rates.values()
    )
    has_correction = any(rate_estimate.reported for rate_estimate in rates.values())
    rows = [
        _row(names.of(name), rate_estimate, corrected=has_correction) for name, rate_estimate in rates.items()
    ]
    main_heading = ("if random" if whole.only_if_random else "corrected") if has_correction else "uncorrected"
    judge_heading = "judge alone" if estimation.judge is None else "first judge"
    head = (main_heading, "labels", "judged", judge_heading, *(["rank"] * has_ranks))
    cells = [
        (name, rate, (*counts, *([_rank_cell(rate_estimate)] * has_ranks)))
        for (name, rate, counts), rate_estimate in zip(rows, rates.values(), strict=True)
    ]
    is_mean = any(rate_estimate.is_mean for rate_estimate in rates.values())
    yield plotted_table("", head, cells, scale="mean" if is_mean else "pass rate")
    if not scenarios_of(whole):
        yield from _stratum_table(whole)
    if has_ranks:
        yield CautionLine(unpaired())
    yield from map(CautionLine, _caution_lines(rates))


def _rate_sentence(part: RateEstimate, judge: str, outputs: str) -> str:
    """Return the sentence that states the rate.

    Args:
        part: The estimate to state.
        judge: Name of the judge, or words for it.
        outputs: Words for the outputs that the rate is of.
    """
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
    judge_clause = f"{judge}'s mean score is" if part.fractions else f"{judge} alone says"
    judge_alone = (
        "" if part.judge_mean is None else f"; {judge_clause} {number_text.decimal(part.judge_mean)}"
    )
    return f"{stated} ({judged:,} judged, {labels:,} labelled{by_case(part)}){judge_alone}."


def _row(name: str, part: RateEstimate, *, corrected: bool) -> PlotRow:
    """Return a row of the table; an uncorrected rate is left out among corrected ones."""
    rate = None if corrected and part.reported is None else part.rate
    judge_mean = "-" if part.judge_mean is None else number_text.decimal(part.judge_mean)
    judged = f"{part.n_items - part.n_missing:,}" + (f" of {part.n_items:,}" if part.n_missing else "")
    labels = (part.labels_only if part.reported is None else part.estimates[part.reported]).n
    return name, rate, (f"{labels:,}", judged, judge_mean)


def _scenario_table(part: RateEstimate) -> Iterator[Piece]:
    """Yield a table of rates by how labels may have been chosen, with the option that says so."""
    if scenarios := scenarios_of(part):
        rows = [(scenario.chosen, scenario.rate, (scenario.option,)) for scenario in scenarios]
        yield plotted_table("if chosen", ("rate", "option"), rows)
        yield explained(part.explained_by)


def _rank_cell(part: RateEstimate) -> str:
    return "-" if part.rank is None or part.rank.value is None else places(part.rank)


def _stratum_table(part: RateEstimate) -> Iterator[Piece]:
    """Yield a table of the strata that items were drawn by, if there are any."""
    if part.strata:
        rows = [
            (name, stratum.estimate, (f"{stratum.n_labelled:,}", f"{stratum.n:,}"))
            for name, stratum in part.strata.items()
        ]
        yield plotted_table("stratum", ("rate", "labels", "items"), rows)


def _caution_lines(parts: Mapping[str, RateEstimate]) -> list[str]:
    """Return a line per kind of caution: its first sentence, and how many more systems have it."""
    whole, lines_by_kind = next(iter(parts.values())), dict[str, list[str]]()
    for name, part in parts.items():
        for caution, sentence in zip(part.cautions, sentences(part.cautions), strict=True):
            if caution.kind == "chosen_by_score" and part is whole and scenarios_of(part):
                continue  # said beside the scenarios
            lines_by_kind.setdefault(caution.kind, []).append(f"{name}: {sentence}")
    return [
        lines[0] + (f"; also for {counted(len(lines) - 1, 'system')}" if len(lines) > 1 else "")
        for lines in lines_by_kind.values()
    ]
