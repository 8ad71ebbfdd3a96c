"""Configuration of the documentation site (`make site`).

Pages stay where they are; the last section of index.md gives their order.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

# pyright: reportMissingImports=false, reportUnknownVariableType=false, reportUnknownMemberType=false, reportUnknownArgumentType=false, reportUnknownParameterType=false

ROOT = Path(__file__).parents[1]

project = "fiducial"
root_doc = "docs/index"
include_patterns = ["*.md", "docs/**", "data/**.md", "examples/**.md", "notebooks/*.md"]
exclude_patterns = [
    "README.md",  # the repository's front
    *(
        ".*",
        "build",
        "dist",
    ),  # Sphinx walks through all folders, and through links: an environment is large, and a link may lead back
]
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]

myst_heading_anchors = 4

html_theme = "furo"
html_title = "fiducial"
html_copy_source = False
html_show_copyright = False
html_static_path = ["static"]
html_css_files = ["site.css"]
html_js_files = ["copy.js"]
html_search_scorer = "docs/static/scorer.js"

autodoc_typehints = "none"
autodoc_member_order = "bysource"
napoleon_google_docstring = True
python_use_unqualified_type_names = True


_PAGE = re.compile(r"\]\(([^)#]+)\)(?: \(((?:\[[^\]]*\]\([^)]*\)(?:, )?)+)\))?")
"""A link to a page, and links in brackets to the pages below it."""


def _groups() -> dict[str, dict[str, list[str]]]:
    """Return the site's contents: groups of pages, each with those below it."""
    index = (ROOT / "docs" / "index.md").read_text("utf-8")
    groups = re.findall(r"^\* \*([^*]+)\*: (.*)$", index, re.MULTILINE)
    return {
        title: {
            _target(page): [_target(each) for each in re.findall(r"\]\(([^)#]+)\)", below)]
            for page, below in _PAGE.findall(links)
        }
        for title, links in groups
    }


def _target(link: str) -> str:
    """Return a page as the contents name it: from the root, without its suffix."""
    page = link.removeprefix("../") if link.startswith("../") else f"docs/{link}"
    return f"/{page.rpartition('.')[0]}"


def _tree(pages: list[str], caption: str = "") -> str:
    title = f":caption: {caption}\n" if caption else ""
    return "```{toctree}\n:hidden:\n:glob:\n" + title + "\n" + "\n".join(pages) + "\n```"


def _contents() -> str:
    groups = _groups()
    named = {
        page
        for group in groups.values()
        for page in (*group, *(each for below in group.values() for each in below))
    }
    left = sorted(
        f"/docs/{page.stem}" for page in ROOT.glob("docs/*.md") if f"/docs/{page.stem}" not in named
    )
    rest = [page for page in left if page != f"/{root_doc}"]
    trees = [_tree(list(group), title) for title, group in groups.items()]
    return "\n\n".join([*trees, *([_tree(rest, "Also")] if rest else [])])


def _not_named(reference: str) -> str:
    """Public names that the reference does not have in a section of their own yet."""
    import fiducial  # noqa: PLC0415 - only where the site is built

    left = [name for name in fiducial.__all__ if f"fiducial.{name}\n" not in reference and name[0] != "_"]
    listed = "\n".join(
        f".. auto{'class' if name[0].isupper() else 'function'}:: fiducial.{name}" for name in left
    )
    return f"\nMore\n----\n\n{listed}\n" if left else ""


_LEGIBLE = {
    '<p class="caption" role="heading">': '<p class="caption" role="heading" aria-level="2">',
    '<aside class="sidebar-drawer">': '<aside class="sidebar-drawer" aria-label="All pages">',
    '<aside class="toc-drawer">': '<aside class="toc-drawer" aria-label="On this page">',
    '<aside class="toc-drawer no-toc">': '<aside class="toc-drawer no-toc" aria-label="On this page">',
    "<pre>": '<pre tabindex="0">',
    '<div class="table-wrapper': '<div tabindex="0" class="table-wrapper',
    '<th class="head"><p></p></th>': '<td class="head"></td>',
}
"""What axe-core finds wrong in the theme's pages, and what is right: levels, names, keys that scroll, no empty headings."""


def _make_legible(app: Any, _: Exception | None) -> None:
    for page in Path(app.outdir).rglob("*.html"):
        text = page.read_text("utf-8")
        made = text
        for wrong, right in _LEGIBLE.items():
            made = made.replace(wrong, right)
        if made != text:
            page.write_text(made, "utf-8")


def setup(app: Any) -> None:
    """Add contents to the first page, new names to the reference, and screen reader text to all."""
    below = {page: pages for group in _groups().values() for page, pages in group.items() if pages}

    def add(_: Any, name: str, source: list[str]) -> None:
        if name == "docs/decisions/README":
            source[0] += "\n\n" + _tree(["/docs/decisions/0*"])
        if f"/{name}" in below:
            source[0] += "\n\n" + _tree(below[f"/{name}"])
        if name == root_doc:
            source[0] += "\n\n" + _contents()
        elif name.startswith("examples/") and name != "examples/README":
            source[0] = f"---\norphan: true\n---\n{source[0]}"  # examples/README lists them
        elif name == "docs/reference":
            source[0] += _not_named(source[0])

    app.connect("source-read", add)
    app.connect("build-finished", _make_legible)
