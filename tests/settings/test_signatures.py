"""Arguments in Python are the settings of the verbs: the same names, defaults and choices."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable
from types import UnionType
from typing import Any, Literal, Union, get_args, get_origin

import pytest

import fiducial as fd
from fiducial.api.checking import Workspaces
from fiducial.api.model_access import AccessArguments
from fiducial.api.tables import TableReading
from fiducial.evaluation.run_plan import Plan
from fiducial.settings.access_settings import AccessSettings
from fiducial.settings.setting import DeclaredSettings, VerbSetting, verb_settings
from fiducial.settings.verbs.audit import (
    AuditCertifySettings,
    AuditMutateSettings,
    AuditRunSettings,
    AuditVerifySettings,
)
from fiducial.settings.verbs.bfcl import BfclScoreSettings
from fiducial.settings.verbs.calibrate import CalibrateSettings
from fiducial.settings.verbs.check import CheckSettings
from fiducial.settings.verbs.compare import CompareSettings
from fiducial.settings.verbs.estimate import EstimateSettings
from fiducial.settings.verbs.export import ExportSettings
from fiducial.settings.verbs.generate import GenerateSettings
from fiducial.settings.verbs.history import HistorySettings
from fiducial.settings.verbs.import_ import ImportSettings
from fiducial.settings.verbs.improve import ImproveSettings
from fiducial.settings.verbs.judge import JudgeSettings
from fiducial.settings.verbs.labels import LabelsExportSettings
from fiducial.settings.verbs.merge import MergeSettings
from fiducial.settings.verbs.plan import PlanSettings
from fiducial.settings.verbs.review import ReviewSettings
from fiducial.settings.verbs.rubrics import RubricsSettings
from fiducial.settings.verbs.run import RunSettings
from fiducial.settings.verbs.trials import TrialsSettings

VERBS: list[tuple[type[DeclaredSettings], Callable[..., Any]]] = [
    (RunSettings, fd.evaluate),
    (JudgeSettings, fd.evaluate),
    (GenerateSettings, fd.generate),
    (CheckSettings, fd.check_file),
    (CalibrateSettings, fd.calibrate),
    (CompareSettings, fd.compare),
    (CompareSettings, fd.prefer),
    (EstimateSettings, fd.estimate),
    (TrialsSettings, fd.trials),
    (PlanSettings, fd.plan_labels),
    (PlanSettings, fd.plan_budget),
    (ImproveSettings, fd.improve),
    (AuditMutateSettings, fd.mutate),
    (AuditRunSettings, fd.audit),
    (AuditCertifySettings, fd.certify),
    (AuditVerifySettings, fd.check_certificate),
    (ReviewSettings, fd.review),
    (LabelsExportSettings, fd.export_labels),
    (MergeSettings, fd.merge),
    (RubricsSettings, fd.rubrics),
    (ImportSettings, fd.read),
    (ExportSettings, fd.export),
    (HistorySettings, fd.history),
    (BfclScoreSettings, fd.score_bfcl),
]

OF_PRINTING = {"json_file", "as_json", "verbose", "quiet", "html", "markdown", "dry_run"}
"""Settings of what a command prints; in Python a result has methods."""

OTHERWISE = {
    "price": "prices",
    "expect_served_by": "served_by",
    "no_cache": "cache",
    "api_key_env": "api_key",
    "jury": "rule",
    "columns": "map",
    "no_header": "header",
}
"""Names in Python of settings that are named otherwise there."""

DEFAULTS = {
    (fd.read, "header"): None,  # --header and --no-header are two options
    (fd.evaluate, "judge_on"): 200,  # a number, where the command line has a text
    (fd.prefer, "judges"): "preference",
    (fd.prefer, "poll_seconds"): None,  # no batch, which the command line says with --batch
    (fd.audit, "poll_seconds"): None,
    (fd.generate, "concurrency"): None,  # of the model, or of the agent
}
"""Defaults in Python that differ from those of the command line."""


def arguments(function: Callable[..., Any]) -> dict[str, inspect.Parameter]:
    return dict(inspect.signature(inspect.unwrap(function)).parameters)


def choices(function: Callable[..., Any], annotation: Any) -> set[str]:
    """The literals of an annotation, those in aliases included."""
    module = vars(sys.modules[inspect.unwrap(function).__module__])
    kind = eval(annotation, module) if isinstance(annotation, str) else annotation
    if get_origin(kind) in {Union, UnionType}:
        return set[str]().union(*(choices(function, arg) for arg in get_args(kind)))
    return set(get_args(kind)) if get_origin(kind) is Literal else set()


def nothing(value: object) -> bool:
    return value in (None, (), {}, inspect.Parameter.empty)


@pytest.mark.parametrize(
    ("verb", "function"), VERBS, ids=[f"{verb.__name__}-{function.__name__}" for verb, function in VERBS]
)
def test_an_argument_has_the_default_and_the_choices_of_its_setting(
    verb: type[DeclaredSettings], function: Callable[..., Any]
):
    wrong: list[tuple[VerbSetting, inspect.Parameter]] = []
    for setting in verb_settings(verb):
        argument = arguments(function).get(setting.name)
        if argument is None:
            continue
        default = DEFAULTS.get((function, setting.name), setting.default)
        same = argument.default == default or (nothing(argument.default) and nothing(default))
        if not same or not set(setting.choices) <= choices(function, argument.annotation):
            wrong.append((setting, argument))
    assert wrong == []


IN_PYTHON = {
    *AccessArguments.__annotations__,
    *TableReading.__annotations__,
    *Workspaces.__annotations__,
    *Plan.__struct_fields__,
    *(name for _, function in VERBS for name in arguments(function)),
    *(name for function in (fd.judge, fd.jury, fd.add_labels) for name in arguments(function)),
}
"""Names of arguments of the API."""

ON_THE_COMMAND_LINE_ALONE = {
    "agent_calls",  # a Python function is called by the tools it is given
    "agent_timeout",
    "batch",  # poll_seconds says it
    "fail_under",  # fd.assert_rate
    "min_graded",
    "ungraded",
    "gates",
    "generate",  # fd.generate, whose outputs fd.evaluate takes
    "generate_base_url",
    "map",  # reading
    "reparse",
    "scale",  # fd.judge takes prompt files that declare one
    "tables",  # table
    "labelled",  # run_or_table
    "draw",  # part of the table
    "labels_patch",  # fd.correct_cases
    "on_average",  # assurance=None
    "operator",  # operators
    "explain",  # of a folder
    "endpoint",  # of an export: the environment
    "against",
    "signed",
    "slices",  # a method of the calibration
    "key",
    "paths",
    "of",
}
"""Settings without an argument of the same name, each for the reason beside it."""


def test_access_to_a_model_has_the_same_settings_in_python():
    names = {OTHERWISE.get(each.name, each.name) for each in verb_settings(AccessSettings)}
    assert names - {*AccessArguments.__annotations__} == {"concurrency"}  # an argument of each function


@pytest.mark.parametrize("verb", {verb: None for verb, _ in VERBS}, ids=lambda verb: verb.__name__)
def test_a_setting_is_an_argument_in_python_or_says_why_not(verb: type[DeclaredSettings]):
    names = {OTHERWISE.get(each.name, each.name) for each in verb_settings(verb)}
    assert names - IN_PYTHON - OF_PRINTING - ON_THE_COMMAND_LINE_ALONE == set()
