"""Results are displayed wherever they come from."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from typing import cast

import pytest

from fiducial.api.trials import TrialRates
from fiducial.calibration import Calibration
from fiducial.records import result
from fiducial.records.result import BINDERS, Display, Displayed, Framed, display_of


def _subtypes(kind: type) -> Iterator[type]:
    for subclass in kind.__subclasses__():
        yield subclass
        yield from _subtypes(subclass)


def _result_types() -> dict[str, type]:
    return {name: getattr(import_module(f"fiducial.api.{home}"), name) for name, home in BINDERS.items()}


def test_a_type_with_a_data_frame_says_what_a_row_is():
    framed = [kind for kind in [*_result_types().values(), TrialRates] if issubclass(kind, Framed)]
    assert [kind for kind in framed if "``to_frame`` has one row per" not in (kind.__doc__ or "")] == []
    assert len(framed) > 1


def test_each_type_below_the_api_names_the_module_that_binds_its_display():
    kinds = _result_types()
    assert [name for name, kind in kinds.items() if display_of(kind) is display_of(Displayed)] == []
    shown_below = {
        kind.__name__: kind
        for kind in _subtypes(Displayed)
        if kind.__module__.startswith("fiducial.") and not kind.__module__.startswith("fiducial.api.")
    }
    del shown_below["Result"], shown_below["ResultOnPage"]
    assert shown_below == kinds


def test_a_display_is_bound_when_a_result_is_first_displayed(monkeypatch: pytest.MonkeyPatch):
    # As after reading a pickle in another process, which imports the module of the type and nothing of `api`.
    display = cast("Display", object())
    imported: list[str] = []

    def bind(module: str, _package: str) -> None:
        imported.append(module)
        result.bind_display(Calibration, display)

    monkeypatch.setattr(result, "_DISPLAYS", {Displayed: object()})
    monkeypatch.setattr(result, "import_module", bind)
    assert [display_of(Calibration), display_of(Calibration)] == [display, display]
    assert imported == ["..api.table_results"]
