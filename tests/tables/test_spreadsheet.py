from each_row import each_row

from fiducial.tables.spreadsheet import as_text_cell


@each_row("begin", ["=", "+", "-", "@", "\t", "\r", "\n", "\uff1d", "\uff0b", "\uff0d", "\uff20"])
def test_what_a_spreadsheet_would_compute_is_shown_as_text(begin: str):
    assert as_text_cell(begin + "HYPERLINK(1)") == "'" + begin + "HYPERLINK(1)"


@each_row("text", ["", "gpt-4.1", "a=b", "'=1", "1-2"])
def test_other_text_stays_as_it_is(text: str):
    assert as_text_cell(text) == text
