"""Documents on a terminal and on a page: same words, and no control codes or markup."""

from __future__ import annotations

import re

import pytest
from each_row import each_row
from markupsafe import Markup

from fiducial.calibration.statistic import Caution as Limit
from fiducial.calibration.statistic import Statistic
from fiducial.report.document import CautionLine, CommandLine, Details, Figure, as_html, as_lines, as_markdown
from fiducial.report.document_parts import Cell, DocumentTable, statistic_pieces
from fiducial.report.figures.forest_plot import PlottedInterval, forest
from fiducial.report.text.caution_text import folded
from fiducial.report.text.safe_text import columns_of

_HOSTILE = "<script>alert(1)</script>\x1b[31m\u202e"
_TABLE = DocumentTable(
    ("system", "rate", "of"),
    [("careful", Cell("0.90", "[0.83, 0.95]"), "114"), ("b", "0.5", "7")],
    caption="Rates",
    left_aligned=frozenset({0}),
)


def test_a_table_is_aligned_names_to_the_left_and_numbers_to_the_right():
    assert list(as_lines([_TABLE])) == [
        "Rates",
        "  system                rate   of",
        "  careful  0.90 [0.83, 0.95]  114",
        "  b                      0.5    7",
    ]


def test_a_page_has_every_word_that_a_terminal_has():
    document = [
        "Two of them.",
        _TABLE,
        CautionLine("few clusters", "Fewer than 20 clusters, so that the interval may be too short."),
        Figure(forest("a", [PlottedInterval(name="a", value=0.5)]), "a 0.50"),
    ]
    shown = as_html(document)
    for line in as_lines(document):
        for word in re.findall(r"[\w.]+", line.removeprefix("note: ")):
            assert word in shown


@pytest.mark.attack("terminal and report")
def test_nothing_hostile_is_markup_or_a_command_to_a_terminal():
    document = [
        _HOSTILE,
        CautionLine(_HOSTILE, _HOSTILE),
        DocumentTable((_HOSTILE, "b"), [(_HOSTILE, Cell(_HOSTILE, _HOSTILE))], caption=_HOSTILE),
        Figure(Markup("<svg></svg>"), _HOSTILE, _HOSTILE, DocumentTable((_HOSTILE,), [(_HOSTILE,)])),
    ]
    shown = as_html(document)
    assert "<script" not in shown
    assert "\x1b" not in shown
    assert not any("\x1b" in line or "\u202e" in line for line in as_lines(document))


@pytest.mark.attack("terminal and report")
def test_a_line_break_in_a_name_does_not_make_two_rows():
    assert len(list(as_lines([DocumentTable(("a", "b"), [("x\ny", "1")])]))) == 2


def test_statistics_that_are_undefined_for_one_reason_share_a_line():
    none = Statistic(n=5, undefined="every label is the same")
    found = {"mcc": none, "accuracy": Statistic(value=0.5, n=5), "cohen_kappa": none}
    table, line = as_lines(statistic_pieces(found, head=False))
    assert table.split() == ["accuracy", "0.500", "5"]
    assert line == "  undefined: mcc, cohen_kappa (every label is the same)"


def test_a_caution_is_a_line_and_unfolds_to_all_of_it():
    (caution,) = folded([Limit("few_clusters", dict.fromkeys("abcde", 7))])
    assert next(as_lines([caution])).endswith(": a (7), b (7), c (7) and 2 others")
    assert next(as_lines([caution], full=True)).endswith(": a (7), b (7), c (7), d (7), e (7)")
    assert "<summary>" in as_html([caution])


def test_paragraphs_are_broken_to_a_width_and_tables_are_not():
    lines = list(as_lines(["a word " * 30, _TABLE], width=40))
    assert max(map(len, lines[:-4])) <= 40
    assert lines[-4:] == list(as_lines([_TABLE]))


def test_a_command_in_a_paragraph_is_not_broken():
    command = "`fiducial plan 'my table.csv' --next 50`"
    lines = list(as_lines([f"Label some of them ({command} draws some), and one ` more."], width=30))
    assert any(command in line for line in lines) is False  # an open backtick marks no command
    lines = list(as_lines([f"Label some of them ({command} draws some), and more."], width=30))
    assert [command in line for line in lines].count(True) == 1
    assert max(len(line) for line in lines if command not in line) <= 30


def test_a_document_is_a_summary_in_githubs_markdown():
    document = [
        "Two of them.",
        _TABLE,
        CautionLine("few clusters", "Fewer than 20."),
        CommandLine("fiducial review run"),
        Details("More", ["inside"]),
        Figure(forest("a", [PlottedInterval(name="a", value=0.5)]), caption="c"),
    ]
    assert "\n".join(as_markdown(document)).splitlines() == [
        "Two of them.", "", "Rates", "",
        "| system | rate | of |", "|:--|--:|--:|", "| careful | 0.90 \\[0.83, 0.95\\] | 114 |", "| b | 0.5 | 7 |", "",
        "> few clusters", "", "<code>fiducial review run</code>", "",
        "<details><summary>More</summary>", "", "inside", "", "</details>",
    ]  # fmt: skip


@pytest.mark.attack("terminal and report")
@each_row(
    "text",
    [
        "<img src=x onerror=y>", "a | b", "[x](y)", "![x](y)", "*b* _i_ ~s~ `c` $f$", "@octocat", "#12", "http://x.example", "www.x.example",
        "# heading", "- item", "1. item", "---", "> quote", "a\n\n# b", "\\[x](y)", "&lt;script&gt;",
    ],
)  # fmt: skip
def test_nothing_hostile_means_anything_to_markdown(text: str):
    for piece in (
        text,
        CautionLine(text),
        CommandLine(text),
        Details(text, [text]),
        DocumentTable((text,), [(text,)]),
    ):
        for line in as_markdown([piece]):
            left = re.sub(r"\\.|&(?:lt|gt|amp);|</?(?:details|summary|code)>", "", line)
            left = left.replace("<!-- -->", "\N{BULLET}")
            cells = left.strip("|").strip() if isinstance(piece, DocumentTable) else left.removeprefix("> ")
            assert not re.search(r"[<>&\[\]`*_~$|]", cells), line
            assert not re.search(r"@\w|#\w|://|www\.", cells), line
            assert not re.match(r"(?:[-+#]|\d+[.)])\s|-{3}", cells) or isinstance(piece, DocumentTable), line


def test_columns_stay_aligned_beside_wide_letters_and_marks():
    table = DocumentTable(
        head=["system", "n"], rows=[["モデル甲", "1"], ["модель", "2"], ["e\u0301te\u0301", "3"]]
    )
    assert list(table.lines()) == [
        "  system    n",
        "  モデル甲  1",
        "  модель    2",
        "  e\u0301te\u0301       3",
    ]


def test_paragraphs_are_broken_by_columns_of_which_letters_of_east_asia_take_two():
    document = [f"  careful and {'長い名' * 5} cannot be told apart: {'語' * 10} {'語' * 10} and so on"]
    lines = list(as_lines(document, width=60))
    assert max(map(columns_of, lines)) <= 60
    assert " ".join(line.strip() for line in lines) == document[0].strip()
    assert all(line.startswith("    ") for line in lines[1:])


def test_a_caution_unfolds_only_where_there_is_more_to_read():
    assert "<details" not in CautionLine("few labels", "few labels").markup()
    assert "few labels of j (3)" in CautionLine("few labels", "few labels of j (3)").markup()
