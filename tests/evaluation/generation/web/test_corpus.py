"""The offline web."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from fiducial.errors import InputError
from fiducial.evaluation.generation.web.corpus import Corpus
from fiducial.evaluation.generation.web.engine import PageError

PAGES = [
    {
        "url": "https://tea.example/da-hong-pao",
        "title": "Da Hong Pao",
        "text": "Da Hong Pao is the dearest tea; it grows in Fujian, China.",
    },
    {
        "url": "https://forbes.example/china",
        "title": "Rich lists",
        "html": "<h1>China</h1><p>The richest is Zhong Shanshan.</p><script>tea()</script>",
    },
    {"url": "https://coffee.example/", "title": "Coffee", "text": "Coffee is no leaf."},
]


@pytest.fixture
def corpus(tmp_path: Path) -> Corpus:
    path = tmp_path / "pages.jsonl"
    path.write_text("".join(json.dumps(page) + "\n" for page in PAGES))
    return Corpus(path)


def test_pages_are_ranked_by_the_words_they_share(corpus: Corpus):
    assert [hit.url for hit in corpus.search("dearest tea China", 10, "wt-wt")] == [
        "https://tea.example/da-hong-pao",
        "https://forbes.example/china",
    ]
    assert len(corpus.search("dearest tea China", 1, "wt-wt")) == 1
    assert corpus.search("zebra", 10, "wt-wt") == []
    assert corpus.search("", 10, "wt-wt") == []


def test_a_script_is_no_word_of_a_page(corpus: Corpus):
    assert [hit.url for hit in corpus.search("tea", 10, "")] == ["https://tea.example/da-hong-pao"]


def test_the_snippet_is_where_the_words_are(tmp_path: Path):
    path = tmp_path / "pages.jsonl"
    text = " ".join(["filler"] * 300 + ["needle", "here"] + ["filler"] * 300)
    path.write_text(json.dumps({"url": "https://a.example", "text": text}) + "\n")
    (hit,) = Corpus(path).search("needle", 3, "")
    assert "needle here" in hit.snippet or hit.snippet.endswith("needle")
    assert len(hit.snippet.split()) == 40


def test_a_page_is_fetched_by_its_address(corpus: Corpus):
    assert corpus.fetch("https://coffee.example/") == ("https://coffee.example/", "Coffee is no leaf.", False)
    assert corpus.fetch("https://forbes.example/china").html
    with pytest.raises(PageError, match="404"):
        corpus.fetch("https://elsewhere.example/")


def test_a_folder_of_pages_is_a_web(tmp_path: Path):
    (tmp_path / "tea.example").mkdir()
    (tmp_path / "tea.example" / "pu_erh.md").write_text("# Pu-erh\nA fermented tea.")
    (tmp_path / "a.html").write_text("<title>x</title><p>Hello</p>")
    (tmp_path / "picture.png").write_bytes(b"\x89PNG")
    corpus = Corpus(tmp_path)
    (hit,) = corpus.search("fermented", 5, "")
    assert (hit.title, hit.url) == ("Pu-erh", "https://tea.example/pu_erh.md")
    assert corpus.fetch("https://a.html").html


@pytest.mark.attack("the web of agents")
def test_a_link_out_of_the_folder_is_no_page(tmp_path: Path):
    (tmp_path / "web").mkdir()
    (tmp_path / "secret.txt").write_text("key")
    (tmp_path / "web" / "link.txt").symlink_to(tmp_path / "secret.txt")
    with pytest.raises(InputError, match="holds no page"):
        Corpus(tmp_path / "web")


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ({"url": "a"}, "expected text, or html"),
        ({"url": "a", "text": "x", "html": "y"}, "expected text, or html"),
        ({"text": "x"}, "url"),
        ({"url": "a", "text": "x", "body": "y"}, "body"),
    ],
)
def test_a_line_that_is_no_page_is_named(tmp_path: Path, line: dict[str, str], message: str):
    path = tmp_path / "pages.jsonl"
    path.write_text(json.dumps({"url": "https://ok.example", "text": "x"}) + "\n" + json.dumps(line) + "\n")
    with pytest.raises(InputError, match=message) as told:
        Corpus(path)
    assert told.value.line == 2


def test_an_address_stands_once(tmp_path: Path):
    path = tmp_path / "pages.jsonl"
    path.write_text((json.dumps({"url": "https://ok.example", "text": "x"}) + "\n") * 2)
    with pytest.raises(InputError, match="occurs twice"):
        Corpus(path)
