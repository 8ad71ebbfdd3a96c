"""Pages lead where they say."""

from __future__ import annotations

import re
import subprocess
from functools import cache
from pathlib import Path

from each_row import each_row

ROOT = Path(__file__).parents[2]


@cache
def pages() -> list[str]:
    listed = subprocess.run(["git", "ls-files", "*.md"], cwd=ROOT, capture_output=True, text=True, check=True)
    return listed.stdout.split()


@each_row("page", pages)
def test_every_link_of_a_page_to_a_file_leads_somewhere(page: str):
    links = re.findall(r"\]\((?!https?:|#)([^)#]+)", (ROOT / page).read_text("utf-8"))
    assert [link for link in links if not (ROOT / page).parent.joinpath(link).exists()] == []


@each_row("page", pages)
def test_every_anchor_of_a_link_is_a_heading_of_its_page(page: str):
    links = re.findall(r"\]\(([^)#:\s]*)#([^)\s]+)\)", (ROOT / page).read_text("utf-8"))
    aimed = [((ROOT / page).parent / link if link else ROOT / page, anchor) for link, anchor in links]
    missing = [
        f"{target.name}#{anchor}"
        for target, anchor in aimed
        if target.suffix == ".md" and anchor not in anchors(target)
    ]
    assert missing == []


def anchors(page: Path) -> set[str]:
    """Return the anchors of a page's headings, as GitHub and the site make them."""
    text = re.sub(r"```.*?```", "", page.read_text("utf-8"), flags=re.DOTALL)
    headings = re.findall(r"^#+ (.*)$", text, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", "-") for heading in headings}


@each_row("page", pages)
def test_a_page_of_the_documentation_is_linked_and_not_only_named(page: str):
    assert re.findall(r"(?<!\[)`docs/[a-z0-9/-]+\.md`", (ROOT / page).read_text("utf-8")) == []
