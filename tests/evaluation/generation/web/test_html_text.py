"""HTML is converted in processes that can be killed."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from fiducial.evaluation.generation.web.engine import Page, PageError, shown_page
from fiducial.evaluation.generation.web.html_text import MAX_HTML, ConversionError, html_to_text

pytestmark = pytest.mark.attack("the web of agents")

HOSTILE: dict[str, Callable[[], str]] = {
    "doctypes": lambda: "<!DOCTYPE" * 400_000,
    "attributes": lambda: "<a " + " ".join(f"a{number}=1" for number in range(300_000)) + ">x</a>",
    "nested": lambda: "<div>" * 200_000,
}


def test_pages_are_converted_one_after_the_other():
    assert [html_to_text(f"<p>{number} <b>x</b></p>", "plain") for number in range(3)] == [
        "0 x",
        "1 x",
        "2 x",
    ]
    assert html_to_text("<p>a <b>x</b></p>", "markdown") == "a **x**"


@pytest.mark.parametrize("what", HOSTILE)
def test_a_page_that_takes_too_long_is_given_up_and_the_next_one_is_converted(what: str):
    try:
        text = html_to_text(HOSTILE[what](), "plain", 0.3)
    except ConversionError as error:
        assert str(error).startswith("the page could not be converted")  # noqa: PT017 - both ends are good
    else:
        assert len(text) <= MAX_HTML
    assert html_to_text("<p>next</p>", "plain") == "next"


def test_an_agent_is_told_of_a_page_that_cannot_be_converted():
    page = Page("https://example.org", HOSTILE["doctypes"](), html=True)
    with pytest.raises(PageError, match=r"could not be converted within 0 seconds: https://example\.org"):
        shown_page(page, "truncate", 0.0)


def test_no_more_than_a_megabyte_is_converted():
    assert len(html_to_text("<p>" + "x" * (3 * MAX_HTML), "plain")) <= MAX_HTML
