"""The reference has every public name, and the site every page."""

from __future__ import annotations

import re
from pathlib import Path

import fiducial as fd

ROOT = Path(__file__).parents[2]


def test_every_public_name_is_in_the_reference():
    page = (ROOT / "docs" / "reference.rst").read_text("utf-8")
    named = re.findall(r"^\.\. auto\w+:: fiducial\.(\w+)$", page, re.MULTILINE)
    assert sorted({*named, "__version__", "errors", "FiducialError"}) == sorted({*fd.__all__, "errors"}), (
        "docs/reference.rst"
    )


def test_every_page_has_its_place_in_the_contents():
    readme = (ROOT / "README.md").read_text("utf-8")
    listed = {
        link
        for links in re.findall(r"^\* \*[^*]+\*: (.*)$", readme, re.MULTILINE)
        for link in re.findall(r"\]\(([^)#]+)\)", links)
    }
    pages = {f"docs/{page.name}" for page in (ROOT / "docs").iterdir() if page.suffix in {".md", ".rst"}}
    assert sorted(pages - listed) == [], "the last section of README.md is the contents of the site"
