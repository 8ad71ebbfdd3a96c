from __future__ import annotations

import site
import sys
from pathlib import Path

import pytest

from fiducial.deterministic.sandbox.installation import package_variables, python_folders
from fiducial.deterministic.sandbox.limits import Limits
from fiducial.deterministic.sandbox.running import run_confined

PYTHON = (
    "bin/python3",
    "lib/python3.11/os.py",
    "lib/python3.11/site-packages/package.py",
    "lib/libpython3.so",
)
PRIVATE = ("share/keyrings/login.keyring", "bin/secret-tool", "state/history", "lib/mail/inbox", ".env")


def installed(prefix: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A Python installed in a folder beside a person's other things."""
    for name in (*PYTHON, *PRIVATE):
        (prefix / name).parent.mkdir(parents=True, exist_ok=True)
        (prefix / name).write_text("")
    monkeypatch.setattr(sys, "prefix", str(prefix))
    return prefix


def shown(prefix: Path) -> set[str]:
    """Which of the files are in what is shown."""
    folders = [Path(folder) for folder in python_folders()]
    return {
        name
        for name in (*PYTHON, *PRIVATE)
        if any((prefix / name).is_relative_to(folder) for folder in folders)
    }


@pytest.mark.parametrize("prefix", [".local", ".", ".."])
def test_of_a_folder_with_other_things_only_python_is_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, prefix: str
):
    monkeypatch.setenv("HOME", str(tmp_path / "people" / "home"))
    place = (tmp_path / "people" / "home" / prefix).resolve()
    assert shown(installed(place, monkeypatch)) == set(PYTHON)


def test_of_a_project_that_is_a_virtual_environment_only_python_is_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    (tmp_path / "pyvenv.cfg").write_text("")
    assert shown(installed(tmp_path, monkeypatch)) == set(PYTHON)


def test_an_installation_with_a_folder_of_its_own_is_shown_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    assert shown(installed(tmp_path / "conda", monkeypatch)) == {*PYTHON, *PRIVATE}


def test_every_link_to_the_interpreter_is_shown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    (tmp_path / "python3").symlink_to(sys.executable)
    (tmp_path / "python").symlink_to("python3")
    monkeypatch.setattr(sys, "executable", str(tmp_path / "python"))
    assert {str(tmp_path / "python"), str(tmp_path / "python3")} <= set(python_folders())


def test_a_keyring_beside_the_users_packages_cannot_be_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    keyring = tmp_path / ".local" / "share" / "keyrings" / "login.keyring"
    keyring.parent.mkdir(parents=True)
    keyring.write_text("secret")
    monkeypatch.setattr(site, "USER_BASE", str(tmp_path / ".local"))
    (tmp_path / "workspace").mkdir()
    code = f"print(open({str(keyring)!r}).read())"
    report = run_confined([[sys.executable, "-c", code]], tmp_path / "workspace", Limits(wall_seconds=60))
    if report.confinement.files != "private root":
        pytest.skip("needs namespaces")
    assert (report.runs[0].out, b"FileNotFoundError" in report.runs[0].err) == (b"", True)


@pytest.mark.parametrize(
    ("enabled", "settings"), [(False, {"PYTHONNOUSERSITE": "1"}), (True, {"PYTHONUSERBASE": "/base"})]
)
def test_the_users_packages_are_never_those_of_a_workspace(
    monkeypatch: pytest.MonkeyPatch, enabled: bool, settings: dict[str, str]
):
    monkeypatch.setattr(site, "ENABLE_USER_SITE", enabled)
    monkeypatch.setattr(site, "USER_BASE", "/base")
    assert package_variables() == settings | {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
