"""The HTML report: one file that opens from the disk, loads nothing, and runs nothing that came with the data."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from typing import Any

import jinja2
from markupsafe import Markup

from ..calibration.cuts import HALF, Cut
from ..records import InputPath, atomic_write
from . import words
from .answers import answers
from .calibration_page import calibration_page
from .document import as_html
from .items.error_words import in_words
from .items.packing import pack
from .judges_page import costs_document, trust_document
from .markup import fit
from .model import MOST_TEXTS, Candidate, ReportData
from .overview import overview_document
from .page import asset, policy, template


def _passing(data: ReportData) -> str:
    """From which score on verdicts pass: of most judges, and of those that have another cut."""
    own = [
        f"{judge.name} from {cut.at:g} on"
        for judge in data.judges
        if judge.id is not None and (cut := data.cuts.get(judge.id, Cut())).at != HALF
    ]
    return "; ".join([f"a score of at least {HALF:g}", *own])


def _told(column: str, choice: str) -> str:
    """A value that items can be filtered by, in words."""
    return f"{in_words(choice)} ({choice})" if column == "fault" else choice


_FUNCTIONS: dict[str, Any] = {
    "in_words": in_words,
    "passing": _passing,
    "told": _told,
}
"""What the template may call."""


def write_report(
    path: InputPath, data: ReportData, items: Iterable[Candidate], *, texts: int | None = MOST_TEXTS
) -> None:
    """Write a report to a file, which appears only when it is complete.

    Args:
        path: The file.
        data: Everything but the items.
        items: The items; gone through once.
        texts: Of how many of them the page holds the texts; None for all.

    Raises:
        InputError: The file cannot be written.
    """
    page = render_report(data, items, texts=texts)
    with atomic_write(path) as file:
        file.write(page.encode("utf-8"))


def render_report(data: ReportData, items: Iterable[Candidate], *, texts: int | None = MOST_TEXTS) -> str:
    """Make a report.

    Args:
        data: Everything but the items.
        items: The items; gone through once, so that they can be streamed.
        texts: Of how many of them, those most worth reading, the page holds the texts; None for all.

    Returns:
        The page. It holds no lone surrogate and can be written as UTF-8.
    """
    style, script = asset("report.css", "items.css"), asset("report_address.js", "report.js")
    told = answers(data)
    return report_template().render(
        data=data,
        items=pack(items, data.cuts, texts),
        calibration=None
        if data.calibration is None
        else as_html(calibration_page(data.calibration, data.scores, data.baselines)),
        answers=told,
        overview=as_html(overview_document(data.systems, data.compared)),
        trust=as_html(trust_document(told.trust, data.labels, data.certificates)),
        judges=as_html(costs_document(data.judges, data.calibration)),
        style=style,
        script=script,
        policy=policy(style, script),
    )


@cache
def report_template() -> jinja2.Template:
    """The page's template, compiled once a process."""
    return _environment().get_template("report.html.j2", globals=_FUNCTIONS)


def _environment() -> jinja2.Environment:
    environment = jinja2.Environment(
        loader=jinja2.FunctionLoader(template),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_finalize,
    )
    environment.filters.update(
        count=words.count,
        moment=words.moment,
        outcomes=words.outcomes,
    )
    return environment


def _finalize(value: object) -> object:
    """Cut every text that the template prints, and spell out what is invisible; markup of our own passes."""
    return fit(value) if isinstance(value, str) and not isinstance(value, Markup) else value
