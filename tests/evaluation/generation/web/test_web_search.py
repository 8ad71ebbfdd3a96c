"""The web as an agent has it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from small_web import SmallWeb

from fiducial.errors import ProviderError, UsageError
from fiducial.evaluation.generation.web.corpus import Corpus
from fiducial.evaluation.generation.web.engine import MAX_PAGE_LENGTH
from fiducial.evaluation.generation.web.public_pages import Bounds
from fiducial.evaluation.generation.web.service import SearchService
from fiducial.evaluation.generation.web.web_search import search_engine, web_world

HTML = "<html><head><style>p{}</style></head><body><h1>Tea</h1><p>It <b>is</b>   hot.</p><script>x()</script></body></html>"


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    path = tmp_path / "pages.jsonl"
    path.write_text(
        json.dumps({"url": "https://tea.example", "title": "Tea", "html": HTML})
        + "\n"
        + json.dumps({"url": "https://long.example", "text": "x" * (MAX_PAGE_LENGTH + 5)})
        + "\n"
    )
    return path


def world(corpus: Path, **config: Any) -> Any:
    made = web_world(Corpus(corpus))()
    made.load(config)
    return made


def test_results_have_titles_addresses_and_snippets(corpus: Path):
    assert world(corpus).search_engine_query("hot tea") == [
        {"title": "Tea", "href": "https://tea.example", "body": "Tea It is hot."}
    ]
    assert world(corpus).duckduckgo_search("hot tea") == world(corpus).search_engine_query("hot tea")
    assert world(corpus, show_snippet=False).search_engine_query("hot tea") == [
        {"title": "Tea", "href": "https://tea.example"}
    ]
    assert world(corpus).search_engine_query("zebra") == {"error": "No results found."}


@pytest.mark.parametrize(
    ("mode", "content"),
    [("raw", HTML), ("markdown", "# Tea\n\nIt **is** hot."), ("truncate", "Tea\n\nIt is hot.")],
)
def test_a_page_is_read_in_three_ways(corpus: Path, mode: str, content: str):
    assert world(corpus).fetch_url_content("https://tea.example", mode=mode) == {"content": content}


def test_what_cannot_be_read_is_told(corpus: Path):
    fetch = world(corpus).fetch_url_content
    assert fetch("https://tea.example", mode="pdf") == {"error": "Unsupported mode: pdf"}
    assert fetch("tea.example") == {"error": "Invalid URL: tea.example"}
    assert "404" in fetch("https://nowhere.example")["error"]


def test_a_long_page_says_how_much_is_missing(corpus: Path):
    content = world(corpus).fetch_url_content("https://long.example")["content"]
    assert content.endswith("\n[5 more characters]")


def test_failures_come_as_often_as_was_said_and_the_same_each_time(corpus: Path):
    def outcomes(seed: int) -> list[bool]:
        fetch = world(corpus, failure_rate=0.5, seed=seed).fetch_url_content
        return ["error" in fetch("https://tea.example") for _ in range(200)]

    assert outcomes(1) == outcomes(1) != outcomes(2)
    assert 70 < sum(outcomes(1)) < 130
    assert all(
        "error" in world(corpus, failure_rate=1).fetch_url_content("https://tea.example") for _ in range(3)
    )


@pytest.mark.parametrize(
    "config", [{"failure_rate": 2}, {"failure_rate": "x"}, {"show_snippet": 1}, {"failure_rate": True}]
)
def test_a_scenario_of_another_form_is_refused(corpus: Path, config: dict[str, Any]):
    with pytest.raises((TypeError, ValueError)):
        world(corpus, **config)


def test_a_searx_instance_is_asked_for_json(web: SmallWeb):
    body = {
        "query": "x",
        "results": [{"url": "https://a.example", "title": "A", "content": "a text"}, {"title": "no address"}],
    }
    web.pages["/search"] = (200, {"Content-Type": "application/json"}, json.dumps(body).encode())
    hits = SearchService(web.root).search("tea & milk", 10, "wt-wt")
    assert hits == [("A", "https://a.example", "a text")]
    assert web.asked == ["/search?q=tea+%26+milk&format=json"]


def test_any_service_that_answers_json_will_do(web: SmallWeb):
    body = {
        "web": {
            "meta": [1, 2],
            "items": [{"link": f"https://{n}.example", "name": str(n), "description": "d"} for n in range(5)],
        }
    }
    web.pages["/find"] = (200, {"Content-Type": "application/json"}, json.dumps(body).encode())
    service = SearchService(f"{web.root}/find?text={{query}}&n={{count}}&in={{region}}")
    assert service.search("{count} a/b", 2, "de-de") == [
        ("0", "https://0.example", "d"),
        ("1", "https://1.example", "d"),
    ]
    assert web.asked == ["/find?text=%7Bcount%7D%20a/b&n=2&in=de-de"]


def test_a_service_that_does_not_answer_is_nothing_of_the_agents(web: SmallWeb):
    web.pages["/search"] = (500, {}, b"")
    with pytest.raises(ProviderError, match="does not answer: 500"):
        SearchService(web.root).search("tea", 10, "")
    web.pages["/search"] = (200, {}, b"<html>")
    with pytest.raises(ProviderError, match="did not answer with JSON"):
        SearchService(web.root).search("tea", 10, "")


@pytest.mark.attack("the web of agents")
def test_the_services_host_is_no_way_into_the_network_for_pages(web: SmallWeb):
    web.pages["/admin"] = (200, {}, b"secret")
    made = web_world(SearchService(web.root))()
    made.load({})
    assert "no public address" in made.fetch_url_content(f"{web.root}/admin")["error"]
    allowed = web_world(SearchService(web.root, Bounds(allowed={"127.0.0.1"})))()
    allowed.load({})
    assert allowed.fetch_url_content(f"{web.root}/admin") == {"content": "secret"}


def test_who_searches_is_a_corpus_or_an_address(corpus: Path):
    assert isinstance(search_engine(str(corpus)), Corpus)
    assert isinstance(search_engine("https://search.example"), SearchService)
    for wrong in ("nowhere.jsonl", "ftp://search.example", "http://", "http://[::1"):
        with pytest.raises(UsageError):
            search_engine(wrong)
