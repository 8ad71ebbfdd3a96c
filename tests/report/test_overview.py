"""Systems side by side: what the figures and the table show."""

from __future__ import annotations

from found_results import compared, systems

from fiducial.calibration import compare, table_from_rows
from fiducial.evaluation.conclusion.run_results import (
    ALL_UNCORRECTED,
    CORRECTED,
    ONE_EACH,
    ONE_EACH_CORRECTED,
    OPEN,
    StratumRate,
)
from fiducial.report.document import Columns, Details, Document, Figure, as_html
from fiducial.report.document_parts import DocumentTable
from fiducial.report.overview import overview_document, overview_leads


def _figures(document: Document) -> list[str]:
    return [each.caption for piece in document if isinstance(piece, Columns) for each in piece.pieces if isinstance(each, Figure)]  # fmt: skip


def test_systems_stand_in_columns_and_parts_in_rows():
    document = list(overview_document(systems("a", "b", "c"), compared("a", "b", "c", judged=1.0)))
    (table,) = [piece for piece in document if isinstance(piece, DocumentTable)]
    assert list(table.head) == ["part", "a", "b", "c"]
    assert [row[0] for row in table.rows] == [
        "checked outputs",
        "undecided outputs, judged, uncorrected",
        "all outputs, uncorrected",
    ]
    assert all(len(row) == 4 for row in table.rows)


def test_there_is_a_figure_of_each_part_and_one_of_the_differences_to_the_best():
    document = list(overview_document(systems("a", "b", "c"), compared("a", "b", "c", judged=1.0)))
    *parts, difference = _figures(document)
    assert parts == ["checked outputs", "undecided outputs, judged, uncorrected", "all outputs, uncorrected"]
    # The first sentence has the interval of its pair alone, which is narrower.
    at_once = "Lead of a over each other system, on the checked outputs; intervals hold for all pairs at once"
    assert difference == at_once
    shown = as_html(document)
    assert shown.count("<svg") == 4
    assert f"{at_once}</title><desc>b 0.0" in shown


def test_a_single_lead_has_the_interval_of_the_first_sentence():
    found = compared("a", "c")
    assert found.strata is not None
    *_, caption = _figures(list(overview_document(systems("a", "c"), found)))
    assert caption == "Lead of a over each other system, on all outputs"
    _, leads = overview_leads(found.strata)
    (pair,) = found.strata.decided.pairs
    assert (leads["c"].low, leads["c"].high) == (pair.difference.low, pair.difference.high)


def test_the_n_of_a_corrected_rate_is_that_of_the_graded_outputs():
    rows = [
        {
            "item_id": f"i{n}|{name}|0",
            "judge": "j",
            "system": name,
            "score": 0.0,
            "checker_score": None,
            "label": float(n % 2) if n < 6 else None,
        }
        for name in ("a", "b")
        for n in range(30)
    ]
    found = compare(table_from_rows(rows), by="system", labels_chosen_by="random")
    (table,) = [
        piece for piece in overview_document(systems("a", "b"), found) if isinstance(piece, DocumentTable)
    ]
    shown = {str(name): as_html([DocumentTable((), [cells])]) for name, *cells in table.rows}
    assert shown["undecided outputs, judged, corrected with labels"].count("n 30") == 2
    assert shown["all outputs"].count("n 30") == 2


def test_rates_of_all_outputs_have_the_range_of_ungraded_outputs_in_table_and_figure():
    rate = StratumRate(
        name=ALL_UNCORRECTED, n=78, of=80, value=0.5, low=0.4, high=0.6, bounds=(0.4875, 0.5125)
    )
    document = list(overview_document(systems("a", "b", overall=rate), compared("a", "b", judged=1.0)))
    (table,) = [piece for piece in document if isinstance(piece, DocumentTable)]
    whole = next(row for row in table.rows if row[0] == "all outputs, uncorrected")
    assert all("0.49 to 0.51 if all ungraded items failed or passed" in str(cell) for cell in whole[1:])
    assert "0.49 to 0.51 if all ungraded" in as_html(document)


def test_leads_over_all_others_hold_at_once():
    found = compared("a", "b", "c").strata
    assert found is not None
    leader, leads = overview_leads(found)
    wide = {pair.b: pair.simultaneous for pair in found.decided.pairs if pair.a == leader}
    assert leads == wide


def test_one_system_is_shown_by_itself_with_what_its_judge_says():
    rest = StratumRate(name=OPEN, by="j", n=5, of=7, value=0.4, outcomes={"failed": 2}, bounds=(0.3, 0.6))
    document = list(overview_document(systems("a", strata=[rest]), None))
    assert _figures(document) == ["checked outputs", "undecided outputs, judged, uncorrected"]
    assert "n 5 of 7 (2 failed) 0.30 to 0.60 if all ungraded" in as_html(document)


def test_several_judges_of_the_open_part_are_not_pooled():
    strata = [
        StratumRate(name=OPEN, by="first", n=5, of=5, value=0.2, note="no labels"),
        StratumRate(name=OPEN, by="second", n=5, of=5, value=0.3, note="no labels"),
        StratumRate(name=CORRECTED, by="first", n=5, of=5, value=0.25, declared="random"),
    ]
    document = list(overview_document(systems("a", strata=strata), None))
    assert _figures(document) == ["checked outputs", "undecided outputs, judged, corrected with labels"]
    (details,) = [piece for piece in document if isinstance(piece, Details)]
    table, note = details.pieces
    assert isinstance(table, DocumentTable)
    names = [as_html([DocumentTable((), [row[:1]])]) for row in table.rows]
    assert [name.count("first") for name in names] == [1, 1, 0]
    assert ["corrected with labels" in name for name in names] == [False, True, False]
    assert note == "first, second: no labels"


def test_what_has_no_rate_says_why():
    nothing = StratumRate(name=OPEN, by="j", n=0, of=7, undefined="no output was judged")
    assert "undefined <small>no output was judged" in as_html(
        overview_document(systems("a", strata=[nothing]), None)
    )


def test_nothing_decided_and_nothing_judged_is_no_figure():
    assert _figures(list(overview_document([], None))) == []


def test_one_corrected_judge_of_two_is_not_the_rate_of_all_undecided_outputs():
    strata = [
        StratumRate(name=OPEN, by="j", n=5, of=5, value=0.6, low=0.2, high=0.9),
        StratumRate(name=OPEN, by="k", n=3, of=3, value=1.0, low=0.4, high=1.0),
        StratumRate(name=CORRECTED, by="j", n=2, of=5, value=0.9, low=0.3, high=1.0),
    ]
    both = StratumRate(name=ONE_EACH_CORRECTED, n=8, of=8, value=0.7, low=0.3, high=0.9)
    document = overview_document(systems("a", strata=strata, judged=both), None)
    table = next(piece for piece in document if isinstance(piece, DocumentTable))
    assert ["0.70" in as_html([table]), "0.90 [" in as_html([table])] == [True, False]


def test_one_system_with_two_judges_has_the_rate_of_the_headline():
    strata = [StratumRate(name=OPEN, by=judge, n=5, of=5, value=0.6) for judge in ("j", "k")]
    both = StratumRate(name=ONE_EACH, n=10, of=10, value=0.6)
    whole = StratumRate(name=ALL_UNCORRECTED, n=70, of=70, value=0.51)
    document = overview_document(systems("a", strata=strata, judged=both, overall=whole), None)
    table = next(piece for piece in document if isinstance(piece, DocumentTable))
    assert [row[0] for row in table.rows] == [
        "checked outputs",
        "undecided outputs, judged, uncorrected",
        "all outputs, uncorrected",
    ]
    assert "0.51" in as_html([table])
