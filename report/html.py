"""HTML report of a run: one offline file that executes nothing from the data.

`render_report` fills the template with documents and packed items; the other functions build documents for it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

import jinja2

from ..calibration.agreement.calibration_results import Calibration
from ..calibration.pass_threshold import HALF, PassThreshold
from ..calibration.statistic import Statistic
from ..deterministic.finding import in_words
from ..evaluation.conclusion.run_results import JudgeUse
from ..records import InputPath
from ..spelling import command
from .calibration_page import calibration_page, statistic_cell
from .document import CautionLine, Document, Figure, Piece, as_html, document
from .document_parts import FIRST, Cell, DocumentTable
from .figures.parts_bar import parts_bar
from .figures.scores import cost
from .first_answers import answers, contradicted_lines, few_groups_lines
from .items.naming import failed_only_by, items_at, short_names
from .items.packing import pack
from .model import MAX_TEXTS, ListedItem, ReportData
from .overview import MAX_COLUMNS, faults_document, overview_document
from .page import rendered, templates, write_page
from .ranking import ranked_in
from .text import number_text
from .text.failures_text import failure_parts
from .text.judges_text import judges_table
from .text.systems_text import by_rate, systems_document
from .text.trust_words import Trust
from .text.ungraded_text import ungraded_lines


def trust_document(
    trust: Sequence[Trust],
    labels: Mapping[str, int],
    certificates: Mapping[str, Sequence[str]] | None = None,
    control: Trust | None = None,
) -> Document:
    """Build the section on trust in judges: verdicts with reasons, labels, certificates.

    Args:
        trust: Verdicts on the judges.
        labels: Number of labels, by who gave them.
        certificates: Sentences on certificates in the run's folder, by judge.
        control: Verdict on a baseline.
    """
    if not trust:
        return []
    counts = ", ".join(
        f"{number_text.count(number)} by {author}" for author, number in labels.items() if number
    )
    certificate_lines = [
        f"{judge}: {finding}" for judge, findings in (certificates or {}).items() for finding in findings
    ]
    no_certificates = "Certificates in the run's folder: none."
    return [
        *judges_table(trust, why=True, control=control),
        f"Labels: {counts or 'none'}.",
        *(certificate_lines or [no_certificates]),
    ]


_COST_HEADINGS: tuple[str | Cell, ...] = (
    "Calls",
    "From cache",
    Cell(
        "Asked again",
        title="Replies that could not be read and were asked for once more; counted in the calls",
    ),
    "Tokens in",
    "Tokens out",
    Cell("Cost", title="US dollars for these tokens at list prices"),
    "Time",
)


@document
def costs_document(judges: Sequence[JudgeUse], calibration: Calibration | None) -> Iterator[Piece]:
    """Build the section on costs: a figure, a table of judges, and what they did not grade."""
    if not judges:
        return
    panels = {} if calibration is None else calibration.judges
    accuracies = {name: panel.statistics.get("accuracy") for name, panel in panels.items()}
    yield from _costs_figure(
        judges, {name: accuracy.value for name, accuracy in accuracies.items() if accuracy is not None}
    )
    yield _costs_table(judges, None if calibration is None else accuracies)
    yield from map(CautionLine, ungraded_lines(judges))


_NOT_SPENT = ("0", "-")
"""Cells that say that nothing was spent."""


def _costs_table(
    judges: Sequence[JudgeUse], accuracies: Mapping[str, Statistic | None] | None
) -> DocumentTable:
    """Return a table of judges, without cost columns in which no judge spent anything."""
    accuracy_heading = Cell("Accuracy", title="Share of labelled outputs on which judge and label agree")
    first_headings = ("Judge", "Verdicts", *(() if accuracies is None else (accuracy_heading,)))
    rows: list[tuple[str | Cell, ...]] = [
        (
            Cell(judge.name, judge.fingerprint[:12], f"fingerprint {judge.fingerprint}"),
            number_text.outcomes(judge.outcomes) or "none",
            *(() if accuracies is None else (statistic_cell(accuracies.get(judge.name)),)),
            *_spent_cells(judge),
        )
        for judge in judges
    ]
    headings = (*first_headings, *_COST_HEADINGS)
    columns = [
        column
        for column in range(len(headings))
        if column < len(first_headings) or any(row[column] not in _NOT_SPENT for row in rows)
    ]
    return DocumentTable(
        [headings[column] for column in columns],
        [[row[column] for column in columns] for row in rows],
        left_aligned=FIRST | {1},
    )


def _spent_cells(judge: JudgeUse) -> tuple[str, ...]:
    """Return a judge's cells below ``_COST_HEADINGS``."""
    return (
        number_text.count(judge.calls),
        number_text.count(judge.from_cache),
        number_text.count(judge.reasked),
        number_text.count(judge.prompt_tokens),
        number_text.count(judge.completion_tokens),
        "-" if judge.cost is None else f"${number_text.decimal(judge.cost, 4)}",
        "-" if judge.seconds is None else number_text.duration(judge.seconds),
    )


def _spent_anything(judges: Sequence[JudgeUse]) -> bool:
    return any(judge.calls or judge.prompt_tokens or judge.completion_tokens for judge in judges)


def _costs_figure(judges: Sequence[JudgeUse], accuracies: Mapping[str, float | None]) -> Iterator[Figure]:
    """Yield a figure of accuracy against cost, if at least two judges have both.

    If fewer than two have a price, tokens take the place of dollars.
    """
    dollars = {judge.name: _per_verdict(judge, judge.cost) for judge in judges}
    tokens = {
        judge.name: _per_verdict(judge, (judge.prompt_tokens + judge.completion_tokens) or None)
        for judge in judges
    }
    for unit, prices in (("$ a verdict", dollars), ("tokens a verdict", tokens)):
        points = {
            name: (price, accuracy)
            for name, price in prices.items()
            if (accuracy := accuracies.get(name)) is not None and price is not None
        }
        if len(points) > 1:
            caption = f"Accuracy by {unit}"
            yield Figure(cost(caption, points, unit=unit), caption=caption)
            return


def _per_verdict(judge: JudgeUse, amount: float | None) -> float | None:
    verdicts = sum(judge.outcomes.values())
    return amount / verdicts if amount is not None and verdicts else None


_TEMPLATE = "report.html.j2"


def _threshold_words(data: ReportData) -> str:
    """Return the pass thresholds in words: the default, and each judge with another one."""
    exceptions = [
        f"{judge.name} from {threshold.at:g} on"
        for judge in data.judges
        if judge.id is not None and (threshold := data.thresholds.get(judge.id, PassThreshold())).at != HALF
    ]
    return "; ".join([f"a score of at least {HALF:g}", *exceptions])


_STATUSES = {
    "disagreement": "disagreements",
    "not graded": "neither graded nor labelled",
    "fails": "failures",
    "passes": "passes",
}
"""Statuses of items in words, for the filter."""


def _choice_label(column: str, choice: str, count: int = 0) -> str:
    """Return the words for a value of a filter, in the singular if it has one item."""
    if column == "status":
        words_for_choice = _STATUSES.get(choice, choice)
        return _SINGULAR.get(words_for_choice, words_for_choice) if count == 1 else words_for_choice
    return f"{in_words(choice)} ({choice})" if column == "fault" else choice


_SINGULAR = {"disagreements": "disagreement", "failures": "failure", "passes": "pass"}

_MAX_JUDGES = 5
"""Most rows of the table of judges at the top of the page."""


def write_report(
    path: InputPath, data: ReportData, items: Iterable[ListedItem], *, texts: int | None = MAX_TEXTS
) -> None:
    """Write a report to a file, which appears only when it is complete; see `render_report`.

    Raises:
        InputError: The file cannot be written.
    """
    write_page(path, render_report(data, items, texts=texts))


def render_report(data: ReportData, items: Iterable[ListedItem], *, texts: int | None = MAX_TEXTS) -> str:
    """Make a report.

    Args:
        data: Everything but the items.
        items: The items; iterated once, so that they can be streamed.
        texts: Most items whose texts the page contains, the most important first, as far as they fit; None for all.

    Returns:
        The page.
    """
    first_answers, packed = answers(data), pack(items, data.thresholds, texts)
    names = short_names(system.system for system in data.systems)
    ranked = ranked_in(data)
    best_system = by_rate(data.systems, ranked)[0] if data.systems else None
    words_by_group = {
        failed_only_by(trust.judge): f"failed by {trust.judge} ({trust.word})"
        for trust in first_answers.trust
    }
    untested_groups = {failed_only_by(trust.judge) for trust in first_answers.trust if not trust.panel.n}
    failures_of_best_system = [] if best_system is None else packed.failures.get(best_system.system, [])
    failures = (
        []
        if best_system is None
        else failure_parts(best_system, failures_of_best_system, words_by_group, untested_groups)
    )
    return rendered(
        _TEMPLATE,
        ["report.css", "items.css"],
        ["report_address.js", "markdown.js", "report.js"],
        data=data,
        items=packed,
        calibration=None
        if data.calibration is None
        else as_html(calibration_page(data.calibration, data.scores, data.baselines, data.rates)),
        answers=first_answers,
        named=names.in_text,
        systems=as_html(
            [
                *systems_document(data.systems, data.judges, ranked, linked=True),
                *few_groups_lines(data),
                *contradicted_lines(data.counts),
            ]
        ),
        judged=as_html(
            judges_table(first_answers.trust, most=_MAX_JUDGES, linked=True, control=first_answers.control)
        ),
        failures=failures,
        failing="" if best_system is None else best_system.system,
        failed=sum(failure.n for failure in failures),
        failures_bar=parts_bar(
            "Failures by who found them",
            [(failure.what, failure.n) for failure in failures],
            [failure.what for failure in failures if failure.is_untested],
        ),
        faults=as_html(faults_document(data.systems)) if len(data.systems) > MAX_COLUMNS else "",
        overview=as_html(overview_document(data.systems, data.compared)),
        trust=as_html(
            trust_document(first_answers.trust, data.labels, data.certificates, first_answers.control)
        ),
        judges=as_html(costs_document(data.judges, data.calibration)),
        spent=_spent_anything(data.judges),
        in_words=in_words,
        items_at=items_at,
        all_texts=command("report", "RUN", all_texts=True),
        passing=_threshold_words(data),
        choice_label=_choice_label,
    )


def report_template() -> jinja2.Template:
    """Return the page's template, compiled before it is needed."""
    return templates().get_template(_TEMPLATE)
