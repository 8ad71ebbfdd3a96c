"""HTML report: one offline file that runs nothing that came with the data."""

from __future__ import annotations

from collections.abc import Iterable

import jinja2

from ..calibration.pass_threshold import HALF, PassThreshold
from ..records import InputPath
from .calibration_page import calibration_page
from .document import as_html
from .first_answers import answers
from .items.addresses import items_at
from .items.error_text import in_words
from .items.packing import pack
from .judges_page import costs_document, trust_document
from .model import MOST_TEXTS, Candidate, ReportData
from .overview import MOST_COLUMNS, faults_document, overview_document
from .page import rendered, templates, write_page
from .text.judges_text import judges_table
from .text.systems_text import by_rate, systems_document

_TEMPLATE = "report.html.j2"


def _passing(data: ReportData) -> str:
    """Return the thresholds in words: the default, and each judge with another one."""
    own = [
        f"{judge.name} from {cut.at:g} on"
        for judge in data.judges
        if judge.id is not None and (cut := data.cuts.get(judge.id, PassThreshold())).at != HALF
    ]
    return "; ".join([f"a score of at least {HALF:g}", *own])


def _told(column: str, choice: str) -> str:
    """Return the label of a filter value; a fault is put into words."""
    return f"{in_words(choice)} ({choice})" if column == "fault" else choice


_MOST_JUDGES = 5
"""Rows of the first screen's table of judges."""

_MOST_FAULTS = 6


def _failures(data: ReportData) -> list[tuple[int, str, str]]:
    """Return the best system's commonest faults: count, description and link to the items."""
    if not data.systems:
        return []
    best = by_rate(data.systems)[0]
    faults = list(best.faults.items())[:_MOST_FAULTS]
    return [
        (count, in_words(fault), items_at(status="wrong", system=best.system, fault=fault))
        for fault, count in faults
    ]


def write_report(
    path: InputPath, data: ReportData, items: Iterable[Candidate], *, texts: int | None = MOST_TEXTS
) -> None:
    """Write a report to a file, see `render_report`; an `InputError` if it cannot be written.

    The file appears only when it is complete.
    """
    write_page(path, render_report(data, items, texts=texts))


def render_report(data: ReportData, items: Iterable[Candidate], *, texts: int | None = MOST_TEXTS) -> str:
    """Make a report.

    Args:
        data: Everything but the items.
        items: The items; gone through once, so that they can be streamed.
        texts: Of how many of them, those most worth reading, the page holds the texts; None for all.

    Returns:
        The page.
    """
    told = answers(data)
    return rendered(
        _TEMPLATE,
        ["report.css", "items.css"],
        ["report_address.js", "report.js"],
        data=data,
        items=pack(items, data.cuts, texts),
        calibration=None
        if data.calibration is None
        else as_html(calibration_page(data.calibration, data.scores, data.baselines, data.thresholds)),
        answers=told,
        systems=as_html(systems_document(data.systems, data.judges, linked=True)),
        judged=as_html(judges_table(told.trust, most=_MOST_JUDGES, linked=True, control=told.control)),
        failures=_failures(data),
        faults=as_html(faults_document(data.systems)) if len(data.systems) > MOST_COLUMNS else "",
        overview=as_html(overview_document(data.systems, data.compared)),
        trust=as_html(trust_document(told.trust, data.labels, data.certificates, told.control)),
        judges=as_html(costs_document(data.judges, data.calibration)),
        in_words=in_words,
        items_at=items_at,
        passing=_passing(data),
        told=_told,
    )


def report_template() -> jinja2.Template:
    """Return the page's template, compiled before it is needed."""
    return templates().get_template(_TEMPLATE)
