"""The report in a real browser: the first screen, what a reader can do, and attacks."""

from __future__ import annotations

import base64
import re
from pathlib import Path
from typing import Any

import pytest
from chromium import NARROW, WIDE, Browser

import fiducial as fd


def bottom(browser: Browser, selector: str) -> float:
    """Return how far down an element ends."""
    return float(
        browser.run("return document.querySelector(arguments[0]).getBoundingClientRect().bottom", selector)
    )


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_it_opens_without_a_word_on_the_console_and_asks_for_nothing_else(
    browser: Browser, demo: Path, dark: bool
):
    page = demo / "report.html"
    browser.open(page, dark=dark)
    assert browser.console() == []
    assert browser.requested() == {page.as_uri()}


@pytest.mark.parametrize("size", [WIDE, NARROW])
def test_the_answer_with_its_rate_and_the_systems_are_on_the_first_screen(
    browser: Browser, demo: Path, size: tuple[int, int]
):
    browser.open(demo / "report.html", size=size)
    assert "careful is best: 0.86 [0.79, 0.90] of 180 outputs pass" in browser.one("#better").text
    assert bottom(browser, "#better") <= size[1]
    assert bottom(browser, "#answers article table") <= size[1]


def test_next_step_and_judges_are_on_the_first_screen(browser: Browser, demo: Path):
    browser.open(demo / "report.html", size=WIDE)
    assert "8 of 8 judges need more labels" in browser.one("#trusted").text
    assert bottom(browser, "#next") <= WIDE[1]
    assert bottom(browser, "#trusted p") <= WIDE[1]


def test_a_fault_leads_to_its_items(browser: Browser, demo: Path):
    browser.open(demo / "report.html")
    browser.one(".chips a").click()
    assert_count(browser, "4 of 540")


def test_the_failures_add_up_and_each_part_leads_to_as_many_items(browser: Browser, demo: Path):
    browser.open(demo / "report.html")
    *failures, every = browser.all(".chips a")
    counts = [int(failure.text.partition(" ")[0].replace(",", "")) for failure in failures]
    for each, count in zip(failures, counts, strict=True):
        each.click()
        assert_count(browser, f"{count} of 540")
    every.click()
    assert_count(browser, f"{sum(counts)} of 540")
    assert browser.run("return document.querySelector('#filter [name=system]').value") == "careful"


def test_an_ungraded_count_leads_to_as_many_items(browser: Browser, demo: Path):
    browser.open(demo / "report.html")
    (link, *_) = browser.all("#answers a[href*='group=ungraded']")
    assert link.text == "4"
    link.click()
    assert_count(browser, "4 of 540")


def test_a_count_of_items_leads_to_them(browser: Browser, demo: Path):
    browser.open(demo / "report.html")
    browser.one(".totals .fails a").click()
    assert_count(browser, f"{browser.one('.totals .fails strong').text} of 540")


def test_no_name_in_a_table_breaks_inside_a_word(browser: Browser, demo: Path):
    browser.open(demo / "report.html", size=WIDE)
    broken = browser.run(
        "return [...document.querySelectorAll('#calibration .columns tbody th')].filter((each) => {"
        "  const range = document.createRange(); range.selectNodeContents(each.firstChild);"
        "  return !each.textContent.includes(' ') && range.getClientRects().length > 1; }).map((each) => each.textContent)"
    )
    assert broken == []


def test_a_cell_of_a_judges_table_leads_to_as_many_items(browser: Browser, demo: Path):
    browser.open(demo / "report.html")
    (link, *_) = browser.all("#calibration a[href*='group=']")
    number = link.text
    link.click()
    assert_count(browser, f"{number} of 540")


def test_a_filter_opens_its_first_match_with_verdicts_and_answer_in_sight(browser: Browser, demo: Path):
    browser.open(demo / "report.html")
    browser.one(".chips a").click()
    assert_count(browser, "4 of 540")
    browser.until("return document.querySelector('#item .detail')?.textContent.includes('Verdicts')")
    assert "wrong state after the calls" in browser.run("return document.querySelector('#item').textContent")
    assert browser.run("return document.querySelector('#row-0').getAttribute('aria-selected')") == "true"
    assert 0 <= bottom(browser, "#item .detail > .wide") <= WIDE[1]
    assert browser.run("return document.querySelector('#item .steps').textContent").startswith(
        "previous knext j"
    )


def test_the_next_step_leads_to_the_very_item_and_its_command_can_be_copied(browser: Browser, demo: Path):
    browser.open(demo / "report.html")
    assert browser.one("#next button.copy").is_displayed()
    browser.one("#next button.copy").click()
    browser.until(
        "return ['copied', 'selected'].includes(document.querySelector('#next button.copy').textContent)"
    )
    browser.one("#next a").click()
    browser.until("return document.querySelector('#item h3')?.textContent === 'support-04 · sloppy'")


def test_systems_stand_side_by_side_in_one_row_a_case(browser: Browser, demo: Path):
    browser.open(demo / "report.html", place="#items?sort=beside")
    browser.until("return document.querySelectorAll('#list [role=option]').length > 0")
    shown = browser.run(
        "return [...document.querySelector('#list [role=option]').querySelectorAll('.chip')].map((each) => each.textContent)"
    )
    assert [each.partition(":")[0] for each in shown] == ["careful", "hasty", "sloppy"]
    browser.one("#list .chip.fails").click()
    browser.until("return document.querySelector('#item h3')?.textContent === 'support-04 · hasty'")


def test_a_status_has_its_colour_in_the_list(browser: Browser, demo: Path):
    browser.open(demo / "report.html", place="#items?status=fails")
    browser.until("return document.querySelectorAll('#list .fails .status').length > 0")
    colours = browser.run(
        "return ['.status', '.id'].map((kind) => getComputedStyle(document.querySelector('#list .fails ' + kind)).color)"
    )
    assert colours[0] != colours[1]


def test_next_and_previous_go_through_the_items(browser: Browser, demo: Path):
    browser.open(demo / "report.html", place="#travel-02/sloppy?status=fails")
    browser.until("return document.querySelectorAll('#item .steps button').length === 2")
    browser.run("document.querySelectorAll('#item .steps button')[1].click()")
    browser.until("return document.querySelector('#item h3').textContent === 'travel-03 · hasty'")
    browser.run("document.querySelectorAll('#item .steps button')[0].click()")
    browser.until("return document.querySelector('#item h3').textContent === 'travel-02 · sloppy'")
    assert browser.address().endswith("#travel-02/sloppy?status=fails")


@pytest.mark.parametrize(("size", "most"), [(WIDE, 2_200), (NARROW, 4_000)])
def test_the_items_are_one_click_away_and_within_reach_of_scrolling(
    browser: Browser, demo: Path, size: tuple[int, int], most: int
):
    browser.open(demo / "report.html", size=size)
    top = browser.run("return document.querySelector('#items').getBoundingClientRect().top + window.scrollY")
    assert top <= most


def test_the_demos_page_weighs_at_most_400_kb(demo: Path):
    assert (demo / "report.html").stat().st_size <= 400_000


@pytest.mark.parametrize("size", [WIDE, NARROW])
def test_nothing_is_wider_than_the_window(browser: Browser, demo: Path, size: tuple[int, int]):
    browser.open(demo / "report.html", size=size)
    assert browser.run("return document.documentElement.scrollWidth") <= size[0]


SHOWN = "return [...document.querySelectorAll('#list [role=option] .id')].map((each) => each.textContent)"


def assert_count(browser: Browser, beginning: str) -> None:
    """Wait until the list counts so many items."""
    browser.until(f"return document.querySelector('#count').value.startsWith({beginning!r})")


def test_filters_leave_what_was_asked_for_and_stand_in_the_address(browser: Browser, demo: Path):
    browser.open(demo / "report.html")
    browser.one("#filter select[name=system]").send_keys("careful")
    assert_count(browser, "180 of 540")
    shown = browser.run(SHOWN)
    assert shown
    assert all(each.endswith(" · careful") for each in shown)
    browser.one("#search").send_keys("no such words anywhere")
    browser.until("return document.querySelector('#count').value === '0 of 540'")
    assert browser.run(SHOWN) == []
    assert browser.run("return location.hash") == "#items?q=no+such+words+anywhere&system=careful"


def test_words_of_the_texts_are_found(browser: Browser, demo: Path):
    browser.open(demo / "report.html")
    browser.one("#search").send_keys("task_completion/reasons@claude")
    browser.until("return /^[1-9][0-9]* of 540$/.test(document.querySelector('#count').value)")
    assert browser.run(SHOWN)


def test_an_address_leads_to_its_item(browser: Browser, demo: Path):
    browser.open(demo / "report.html", place="#calendar-02/careful?status=fails")
    browser.until("return document.querySelector('#item .detail').textContent.includes('duration_minutes')")
    assert browser.run("return document.querySelector('#item h3').textContent") == "calendar-02 · careful"
    assert browser.run("return document.querySelector('#filter [name=status]').value") == "fails"
    assert browser.console() == []


def test_an_address_of_nothing_says_so(browser: Browser, demo: Path):
    browser.open(demo / "report.html", place="#nowhere/nobody")
    browser.until("return document.querySelector('#item').textContent.includes('no item nowhere · nobody')")
    assert browser.all("#item h3") == []


def test_keys_go_through_the_items(browser: Browser, demo: Path):
    browser.open(demo / "report.html", place="#items")
    browser.until("return !document.querySelector('#browser').hidden")
    titles: list[str] = []
    for key in "jjk":
        browser.press(key)
        titles.append(browser.run("return document.querySelector('#item h3').textContent"))
    assert titles[0] == titles[2] != titles[1]
    browser.press("?")
    assert browser.run("return document.querySelector('#keys').open") is True
    browser.one("#keys button").click()
    browser.until("return !document.querySelector('#keys').open")
    browser.press("/")
    assert browser.run("return document.activeElement.id") == "search"


@pytest.mark.attack("terminal and report")
def test_hostile_texts_stay_texts(browser: Browser, hostile: Path):
    page = hostile / "report.html"
    browser.open(page)
    browser.until("return !document.querySelector('#browser').hidden")
    for _ in range(2):
        browser.press("j")
        browser.until("return document.querySelector('#item .detail')?.textContent")
        browser.run("document.querySelectorAll('details').forEach((each) => { each.open = true; })")
    assert browser.run("return window.broken") is None
    foreign = "img, iframe, object, embed, a[href^='javascript:'], [onclick], [onerror]"
    assert [element.get_attribute("outerHTML") for element in browser.all(foreign)] == []
    text = browser.run("return document.body.innerText")
    assert "<script>window.broken = 1</script>" in text
    assert "{{ 7*7 }}" in text
    assert browser.console() == []
    assert browser.requested() == {page.as_uri()}


@pytest.mark.parametrize(("size", "dark"), [(WIDE, False), (NARROW, True)], ids=["wide-light", "narrow-dark"])
def test_axe_finds_nothing_wrong_with_contrast_roles_and_names(
    browser: Browser, demo: Path, axe: Path, size: tuple[int, int], dark: bool
):
    browser.open(demo / "report.html", size=size, dark=dark)
    assert browser.violations(axe) == []


def test_the_ungraded_of_a_system_count_what_it_did_not_answer_and_the_list_has_them(
    browser: Browser, tmp_path: Path
):
    cases = [fd.Case(id=f"c{n}", kind="memory_answer", reference={"answers": ["x"]}) for n in range(5)]
    outputs = [fd.Output(case_id=f"c{n}", system="a", text="x") for n in range(5)]
    outputs += [fd.Output(case_id=f"c{n}", system="b", text="x") for n in range(3)]
    page = fd.evaluate(cases, outputs, out=tmp_path / "run", progress=False).report(tmp_path / "page.html")
    browser.open(page)
    (link,) = browser.all("#answers a[href*='group=ungraded']")
    assert link.text == "2"
    link.click()
    assert_count(browser, "2 of 10")
    browser.one("#list .row").click()
    browser.until("return document.querySelector('#item').innerText.includes('b has no output')")


def test_a_filter_that_no_item_meets_is_kept_and_the_list_says_what_it_looked_for(
    browser: Browser, demo: Path
):
    browser.open(demo / "report.html")
    browser.run("window.location.hash = '#items?system=nobody&fault=unheard'")
    assert_count(browser, "0 of 540")
    said = browser.one("#none").text
    assert all(word in said for word in ("System", "nobody", "Fault", "unheard"))


MARKED = """# Heading </script><script>window.broken = 1</script><img src=x onerror="window.broken = 2">

A **bold** word, `code <b>`, [a link](javascript:window.broken=7), ![a picture](https://tracker.example/x.png).

- first
  - inner
2. second

| a | b |
|---|---|
| 1 | <img src=x onerror=window.broken=8> |

```html
<script>window.broken = 9</script>
```
> quoted
"""


SCRIPTED = b'<svg xmlns="http://www.w3.org/2000/svg"><script>window.broken = 10</script></svg>'


@pytest.fixture(scope="module")
def marked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A report of one answer in Markdown, to a question with images, under long names."""
    pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
    images = [
        f"data:image/png;base64,{pixel}",
        "https://tracker.example/pixel.png",
        f"data:image/svg+xml;base64,{base64.b64encode(SCRIPTED).decode()}",
    ]
    parts = [{"type": "image_url", "image_url": {"url": url}} for url in images]
    messages: Any = [
        {"role": "system", "content": "Be kind."},
        {"role": "user", "content": [{"type": "text", "text": "What is it?"}, *parts]},
    ]
    name = f"{'very-' * 18}long"
    case = fd.Case(id=f"{name}-case", kind="memory_answer", messages=messages, reference={"answers": ["x"]})
    output = fd.Output(case_id=case.id, system=f"{name}-system", text=MARKED)
    folder = tmp_path_factory.mktemp("marked")
    run = fd.evaluate([case], [output], out=folder / "run", progress=False)
    return run.report(folder / "report.html")


@pytest.mark.attack("terminal and report")
def test_markdown_is_rendered_of_texts_alone_and_its_source_is_a_click_away(browser: Browser, marked: Path):
    browser.open(marked)
    browser.until("return document.querySelector('#item .markdown') !== null")
    shown = "#item .agent > .markdown"
    assert browser.one(f"{shown} strong").text == "bold"
    assert browser.one(f"{shown} .heading").text.startswith("Heading </script>")
    assert [element.text for element in browser.all(f"{shown} .entry")] == ["• first", "• inner", "2. second"]
    assert [element.text for element in browser.all(f"{shown} td")] == [
        "1",
        "<img src=x onerror=window.broken=8>",
    ]
    assert browser.one(f"{shown} pre").text == "<script>window.broken = 9</script>"
    assert browser.all("#item .markdown :is(a, img, script, iframe, b, [onclick], [onerror])") == []
    assert browser.run("return window.broken") is None
    assert not browser.one("#item .agent > pre").is_displayed()
    browser.one("#item .agent .views button:last-child").click()
    assert browser.one("#item .agent > pre").is_displayed()
    assert not browser.one(shown).is_displayed()
    assert browser.console() == []


def test_an_image_of_the_record_is_shown_and_no_other_is_loaded(browser: Browser, marked: Path):
    browser.open(marked)
    browser.until("return document.querySelector('#item img')?.naturalWidth === 1")
    assert len(browser.all("#item img")) == 1
    assert "https://tracker.example/pixel.png, not loaded" in browser.one("#item .user").text
    assert {each for each in browser.requested() if not each.startswith("data:")} == {marked.as_uri()}


def test_long_names_lose_their_middle_and_keep_the_system(browser: Browser, marked: Path):
    browser.open(marked)
    browser.until("return document.querySelector('#item h3') !== null")
    for selector in ("#list .id", "#item .permalink"):
        element = browser.one(selector)
        assert re.fullmatch(r"very-\S+…\S*long-case · very-\S+…\S*ng-system", element.text)
        assert len(element.get_attribute("title") or "") > 180
    ends = [
        browser.run("return document.querySelector(arguments[0]).scrollWidth", literal)
        for literal in ("#list .head", "#list")
    ]
    assert ends[0] <= ends[1]


def test_axe_finds_nothing_wrong_with_a_rendered_answer(browser: Browser, marked: Path, axe: Path):
    browser.open(marked)
    browser.until("return document.querySelector('#item .markdown') !== null")
    assert browser.violations(axe) == []
