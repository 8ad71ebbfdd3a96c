"""Reads a page as a browser would."""

from __future__ import annotations

from html.parser import HTMLParser

VOID = {"meta", "input", "link", "img", "br", "hr"}


class Page(HTMLParser):
    """Elements and attributes of a page as in a browser; fails on unclosed tags."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[tuple[str, str]] = []
        self._open: list[str] = []
        self.feed(page)
        self.close()
        assert self._open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert len({name for name, _ in attrs}) == len(attrs), attrs
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self._open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self._open:
            self.texts.append((self._open[-1], data))

    def of(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for found, attributes in self.elements if found == tag]

    def inside(self, tag: str) -> list[str]:
        return [text for found, text in self.texts if found == tag]

    def policy(self) -> str:
        return next(
            attributes["content"] or ""
            for tag, attributes in self.elements
            if attributes.get("http-equiv") == "Content-Security-Policy" and tag == "meta"
        )

    def text(self) -> str:
        """Return the text a reader sees, with runs of blanks collapsed."""
        return " ".join(" ".join(text for tag, text in self.texts if tag not in {"style", "script"}).split())
