"""Configuration of the documentation site (`make site`).

Pages stay where they are; README.md gives their order.
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
    "README.md",  # its contents are the site's, its text is the repository's front
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

autodoc_typehints = "none"
autodoc_member_order = "bysource"
napoleon_google_docstring = True
python_use_unqualified_type_names = True


def _contents(readme: str) -> str:
    """Return the site's contents: groups of pages from README's last section, then the rest."""
    groups = re.findall(r"^\* \*([^*]+)\*: (.*)$", readme, re.MULTILINE)
    left = sorted(
        page.stem
        for page in ROOT.glob("docs/*.md")
        if f"](docs/{page.name})" not in "".join(links for _, links in groups)
    )
    groups.append(("Also", "".join(f"[{name}](docs/{name}.md)" for name in left if name != "index")))
    lists: list[str] = []
    for title, links in groups:
        pages = [link for link in re.findall(r"\]\(([^)#]+)\)", links) if link != "docs/index.md"]
        entries = "\n".join(
            f"/{page}*" if page.endswith("/") else f"/{page.rpartition('.')[0]}" for page in pages
        )
        lists.append(f"```{{toctree}}\n:hidden:\n:glob:\n:caption: {title}\n\n{entries}\n```")
    return "\n\n".join(lists)


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

    def add(_: Any, name: str, source: list[str]) -> None:
        if name == root_doc:
            source[0] += "\n\n" + _contents((ROOT / "README.md").read_text("utf-8"))
        elif name.startswith("examples/") and name != "examples/README":
            source[0] = f"---\norphan: true\n---\n{source[0]}"  # examples/README lists them
        elif name == "docs/reference":
            source[0] += _not_named(source[0])

    app.connect("source-read", add)
    app.connect("build-finished", _make_legible)
