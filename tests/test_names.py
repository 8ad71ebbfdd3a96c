"""A name of a type or module means one thing, and no modules import each other in a circle."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from source_tree import ROOT, import_circles, names_annotated, shared_module_names, type_names


def _places(found: Mapping[str, list[Path]]) -> dict[str, list[str]]:
    return {name: [str(file.relative_to(ROOT)) for file in files] for name, files in found.items()}


def test_no_two_types_have_the_same_name():
    assert _places({name: files for name, files in type_names().items() if len(files) > 1}) == {}


def test_no_two_modules_have_the_same_name_but_a_command_and_what_does_its_work():
    assert _places(shared_module_names()) == {}


def test_no_modules_import_each_other_in_a_circle():
    assert import_circles() == []


def test_a_pass_threshold_is_called_threshold():
    public = {
        "cuts": [ROOT / "calibration" / "comparison" / "comparison_results.py"]
    }  # a key of `compare --json`
    names = {
        name: files for name, files in names_annotated("PassThreshold").items() if "threshold" not in name
    }
    assert _places(names) == _places(public)
