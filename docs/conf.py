"""The documentation as a site (`make site`): the pages where they lie, in the order in which README.md names them."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

# pyright: reportMissingImports=false, reportUnknownVariableType=false, reportUnknownMemberType=false, reportUnknownArgumentType=false, reportUnknownParameterType=false

ROOT = Path(__file__).parents[1]

project = "fiducial"
root_doc = "docs/index"
include_patterns = ["*.md", "docs/**", "data/**.md", "notebooks/*.md"]
exclude_patterns = ["README.md"]  # its contents are the site's, its text is the repository's front
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]

myst_heading_anchors = 3

html_theme = "furo"
html_title = "fiducial"
html_copy_source = False
html_show_copyright = False

autodoc_typehints = "none"
autodoc_member_order = "bysource"
napoleon_google_docstring = True
python_use_unqualified_type_names = True


def _contents(readme: str) -> str:
    """The site's contents: the groups of pages that the last section of README.md links, decisions by themselves."""
    groups = re.findall(r"^\* \*([^*]+)\*: (.*)$", readme, re.MULTILINE)
    lists: list[str] = []
    for title, links in groups:
        pages = [link for link in re.findall(r"\]\(([^)#]+)\)", links) if link != "docs/index.md"]
        entries = "\n".join(
            f"/{page}*" if page.endswith("/") else f"/{page.rpartition('.')[0]}" for page in pages
        )
        lists.append(f"```{{toctree}}\n:hidden:\n:glob:\n:caption: {title}\n\n{entries}\n```")
    return "\n\n".join(lists)


def setup(app: Any) -> None:
    """Give the first page its contents."""

    def add(_: Any, name: str, source: list[str]) -> None:
        if name == root_doc:
            source[0] += "\n\n" + _contents((ROOT / "README.md").read_text("utf-8"))

    app.connect("source-read", add)
