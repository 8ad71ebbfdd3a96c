from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
import tomllib
import venv
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import click
import pytest

import fiducial

ROOT = Path(__file__).parents[1]
NOT_PACKAGED = {"tests", "benchmarks", "examples", "notebooks", "docs", "build", "dist"}


def packaged_files() -> Iterator[Path]:
    """Yield every file of the product, without walking environments and other folders."""
    for folder, folders, files in os.walk(ROOT):
        folders[:] = [each for each in folders if not each.startswith(".") and each not in NOT_PACKAGED]
        yield from (Path(folder) / file for file in files if file.endswith(".py"))


def test_every_package_in_the_tree_is_listed_in_pyproject():
    found = {
        ".".join(["fiducial", *init.parent.relative_to(ROOT).parts])
        for init in packaged_files()
        if init.name == "__init__.py"
    }
    listed = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["setuptools"]["packages"]
    assert sorted(listed) == sorted(found)


def test_the_distribution_is_not_named_like_the_marker_detector_of_the_index_and_its_extras_name_it():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    entries = [
        *project["dependencies"],
        *(e for extra in project["optional-dependencies"].values() for e in extra),
    ]
    assert project["name"] == "fiducial-eval"
    assert list(project["scripts"]) == ["fiducial", project["name"]]
    assert len({*project["scripts"].values()}) == 1
    assert {re.split(r"[\[>=<]", entry)[0] for entry in entries if entry.startswith("fiducial")} == {
        "fiducial-eval"
    }


def test_the_entry_points_are_there():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert list(project["entry-points"]) == ["inspect_ai", "pytest11"]
    for module in project["entry-points"]["inspect_ai"].values():  # what Inspect alone can import
        assert (ROOT / f"{module.removeprefix('fiducial.').replace('.', '/')}.py").exists()
    for module in project["entry-points"]["pytest11"].values():
        assert import_module(module).__name__ == module


def test_all_names_the_public_api_and_every_name_resolves():
    assert sorted(fiducial.__all__) == dir(fiducial)
    assert [name for name in fiducial.__all__ if getattr(fiducial, name, None) is None] == []


def third_party_imports() -> set[str]:
    """Top-level modules of others that the product imports."""
    modules = set[str]()
    for file in packaged_files():
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            if isinstance(node, ast.Import):
                modules.update(alias.name for alias in node.names)
            elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
                modules.add(node.module)
    return {module.partition(".")[0] for module in modules} - sys.stdlib_module_names


def test_everything_that_is_imported_is_declared_and_documented():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    declared = {re.split(r"[\[>=<]", entry)[0] for entry in project["dependencies"]}
    extras = {
        re.split(r"[\[>=<]", entry)[0]
        for extra in (
            "inspect",
            "languages",
            "mcp",
            "otel",
            "parquet",
            "promptflow",
            "sign",
            "tables",
            "web",
            "worlds",
        )
        for entry in project["optional-dependencies"][extra]
    }
    by_module = {
        "genai_prices": "genai-prices",
        "opentelemetry": "opentelemetry-sdk",
        "html_to_markdown": "html-to-markdown",
        "ruamel": "ruamel.yaml",
        "tree_sitter": "tree-sitter",
    }
    imported = {by_module.get(module, module) for module in third_party_imports()}
    imported -= {"inspect_ai", "pytest"}  # who load their plugins
    assert {"click", "msgspec"} <= imported
    assert imported - declared - extras == set()
    documented = (ROOT / "docs" / "dependencies.md").read_text()
    assert [name for name in declared if name not in documented] == []


def run_python(code: str) -> str:
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout


def test_importing_the_package_or_asking_for_help_loads_nothing_heavy():
    code = """
import sys
import fiducial
from fiducial.cli.main import cli
cli.main(["--help"], standalone_mode=False)
print([name for name in ("openai", "pandas", "numpy", "scipy", "promptflow", "rich", "jinja2", "matplotlib") if name in sys.modules])
"""
    assert run_python(code).splitlines()[-1] == "[]"


@pytest.mark.slow
def test_the_wheel_works_where_only_the_wheel_is_installed(tmp_path: Path):
    """PYTHONPATH gives dependencies from click's folder, without the editable install."""
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "-q"]
    source = tmp_path / "source"
    subprocess.run(["git", "clone", "-q", ROOT, source], check=True, capture_output=True)
    subprocess.run([*pip, "wheel", "--no-build-isolation", "--no-deps", "-w", tmp_path, source], check=True)
    (wheel,) = tmp_path.glob("fiducial_eval-*.whl")
    venv.create(tmp_path / "venv", with_pip=False)
    python = tmp_path / "venv" / "bin" / "python"
    subprocess.run([*pip, "--python", python, "install", "--no-deps", wheel], check=True)

    environment = {
        "PYTHONPATH": str(Path(click.__file__).parents[1]),
        "PATH": "/usr/bin:/bin",
        "HOME": str(tmp_path),
    }
    command = [tmp_path / "venv" / "bin" / "fiducial", "--version"]
    shown = subprocess.run(command, env=environment, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert shown.stdout == f"fiducial, version {fiducial.__version__}\n"
