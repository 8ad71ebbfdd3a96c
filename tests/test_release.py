from __future__ import annotations

import re
import tomllib
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

import pytest

from fiducial.version import VERSION

ROOT = Path(__file__).parents[1]
REPOSITORY = "https://code.example/team/fiducial"


@pytest.fixture(scope="module")
def release() -> ModuleType:
    spec = spec_from_file_location("release", ROOT / ".ci" / "release.py")
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_links_and_pictures_of_a_page_point_to_the_repository_at_its_tag(release: ModuleType, tmp_path: Path):
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "page.md").touch()
    (tmp_path / "shot.png").touch()
    page = "[a](docs/page.md#part) [b](docs) ![c](shot.png) [d](https://elsewhere.example) [e](#here)"
    assert release.absolute_links(page, REPOSITORY, "v1", root=tmp_path) == (
        f"[a]({REPOSITORY}/blob/v1/docs/page.md#part) [b]({REPOSITORY}/tree/v1/docs) "
        f"![c]({REPOSITORY}/raw/v1/shot.png) [d](https://elsewhere.example) [e](#here)"
    )


def test_a_link_to_a_file_that_is_not_there_stops_the_release(release: ModuleType, tmp_path: Path):
    with pytest.raises(SystemExit, match=r"README\.md: docs/gone\.md: no such file"):
        release.absolute_links("[a](docs/gone.md)", REPOSITORY, "v1", root=tmp_path)


def test_the_readme_of_a_release_has_no_link_that_only_works_in_the_repository(release: ModuleType):
    page = release.absolute_links((ROOT / "README.md").read_text("utf-8"), REPOSITORY, "v0.1.0")
    targets = [link["target"] for link in release._LINK.finditer(page)]
    assert len(targets) > 20
    assert [target for target in targets if not target.startswith(("https://", "http://", "#"))] == []


def test_without_an_address_links_of_the_repository_become_text(release: ModuleType):
    page = "[a](docs/page.md#part) ![c](shot.png) [d](https://elsewhere.example) [e](#here)"
    assert release.without_links(page) == ("a *c* [d](https://elsewhere.example) [e](#here)", 2)
    readme = (ROOT / "README.md").read_text("utf-8")
    shown, dropped = release.without_links(readme)
    assert (release.relative_links(shown), dropped) == ([], len(release.relative_links(readme)))


def test_unreleased_changes_and_a_tag_elsewhere_keep_a_commit_from_being_a_release(release: ModuleType):
    changelog = (
        "# Changelog\n\n## [Unreleased]\n\n### Added\n\n- one\n- two\n\n## [1.2.0] - 2026-01-31\n\n- three\n"
    )
    assert release.unreleased(changelog) == 2
    assert release.unreleased(changelog.replace("- one\n- two\n", "")) == 0
    assert "tag v1.2.0 is another commit" in release.not_ready("1.2.0", "abc", "def", 0)
    assert "2 unreleased changes" in release.not_ready("1.2.0", "", "def", 2)
    assert release.not_ready("1.2.0", "", "def", 0) is None
    assert release.not_ready("1.2.0", "def", "def", 0) is None


def test_pages_name_the_version_that_is_released():
    named = {
        version
        for page in ("docs/testing.md", "examples/agent-in-ci/workflow.yml")
        for version in re.findall(r"(?:fiducial@|rev: )v(\d[\w.]*)", (ROOT / page).read_text("utf-8"))
    }
    assert named == {VERSION}
    assert re.search(
        rf"^## \[{re.escape(VERSION)}\] - ", (ROOT / "CHANGELOG.md").read_text("utf-8"), re.MULTILINE
    )


def test_the_metadata_of_a_release_names_the_repository(release: ModuleType, tmp_path: Path):
    for name in ("README.md", "pyproject.toml"):
        (tmp_path / name).write_text((ROOT / name).read_text("utf-8"), "utf-8")
    page = tmp_path / "README.md"
    page.write_text("[a](README.md)", "utf-8")
    release.name_repository(tmp_path, REPOSITORY, "v0.1.0")
    project = tomllib.loads((tmp_path / "pyproject.toml").read_text("utf-8"))["project"]
    assert project["urls"]["Homepage"] == REPOSITORY
    assert project["urls"]["Changelog"] == f"{REPOSITORY}/blob/v0.1.0/CHANGELOG.md"
    assert project["scripts"]["fiducial"] == "fiducial.__main__:main"
    assert page.read_text("utf-8") == f"[a]({REPOSITORY}/blob/v0.1.0/README.md)"


@pytest.mark.parametrize(
    ("changelog", "released"),
    [
        ("## [1.2.0] - 2026-01-31\n", True),
        ("## [1.2.0]\n", False),
        ("## [Unreleased]\n", False),
        ("## [1x2.0] - 2026-01-31\n", False),
    ],
)
def test_a_version_is_released_once_the_changelog_dates_it(
    release: ModuleType, changelog: str, released: bool
):
    assert release.released_version(changelog, "1.2.0") is released
