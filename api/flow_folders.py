"""Flow folders that promptflow runs: a flex flow, or a DAG flow with a variant per prompt."""

from __future__ import annotations

import inspect
import json
from pathlib import Path
from typing import Any, Literal, TypeAlias

from ..errors import InputError, UsageError
from ..judges.catalogue import all_prompts, find_prompt
from ..spelling import setting
from .evaluators import EVALUATORS, JudgeEvaluator, flex_flow
from .paths import FilePath, written_path

FlowForm: TypeAlias = Literal["flex", "dag"]

_FLOW_TYPES = {str: "string", list: "list", dict: "object"}
"""Types of columns in promptflow's words."""

_COLUMN_SUFFIXES = ("", "_score", "_result", "_reason", "_status")
"""Ends of the columns of a result, after the judge's name."""

_JUDGE_SCRIPT = '''"""Judge one row; the model is asked as OPENAI_BASE_URL and OPENAI_API_KEY say."""

from functools import cache

from fiducial.api.evaluators import {name}
from promptflow.core import tool

evaluator = cache({name})


@tool
def judge({parameters}) -> dict:
    return evaluator(model, variant)({arguments})
'''

_AGGREGATE_SCRIPT = '''"""Metrics over all rows: mean, n and status counts."""

from fiducial.api.evaluators import {name}
from promptflow.core import log_metric, tool


@tool
def aggregate(rows: list) -> dict:
    metrics = {name}.__aggregate__({name}, [row for row in rows if row])
    for key, value in metrics.items():
        log_metric(key, value)
    return metrics
'''


def flow_folder(
    judge: str, folder: FilePath, form: FlowForm = "flex", *, model: str = "gpt-4.1-mini"
) -> Path:
    """Write a folder for `pf flow test` and `pf run create`.

    Args:
        judge: A judge's name; for a DAG flow, ``name/variant`` names the default variant.
        folder: Folder to create.
        form: ``flex`` for ``flow.flex.yaml``, ``dag`` for ``flow.dag.yaml`` with every variant of the judge's prompt.
        model: The model of a DAG flow, unless a row or ``--inputs model=NAME`` names one.

    Raises:
        UsageError: There is no such judge, or the folder holds a flow of the other form.
        InputError: The folder cannot be written.
    """
    path, name = written_path(folder), judge.partition("/")[0]
    other_flow = "flow.flex.yaml" if form == "dag" else "flow.dag.yaml"
    if (path / other_flow).exists():
        raise UsageError(
            f"{path}: holds {other_flow}, and promptflow takes one flow per folder; choose another {setting('out')}"
        )
    if form == "flex":
        return flex_flow(name, path)
    if name not in EVALUATORS:
        raise UsageError(f"no flow for the judge {name!r}; there are {', '.join(sorted(EVALUATORS))}")
    default = find_prompt(judge)[0]
    variants = [prompt.variant for prompt in all_prompts() if prompt.judge == name]
    evaluator = EVALUATORS[name]
    files = {
        "judge.py": _JUDGE_SCRIPT.format(name=evaluator.__name__, **_signature(evaluator)),
        "aggregate.py": _AGGREGATE_SCRIPT.format(name=evaluator.__name__),
        "flow.dag.yaml": _dag(evaluator, variants, getattr(default, "variant", variants[0]), model),
    }
    try:
        path.mkdir(parents=True, exist_ok=True)
        for file, text in files.items():
            (path / file).write_text(text, encoding="utf-8")
    except OSError as error:
        raise InputError(f"cannot be written: {error.strerror or error}", path=path) from error
    return path


def _parameters(evaluator: type[JudgeEvaluator[...]]) -> list[inspect.Parameter]:
    """Return the columns of a row; those with a default come last."""
    return list(inspect.signature(evaluator.__call__).parameters.values())[1:]


def _signature(evaluator: type[JudgeEvaluator[...]]) -> dict[str, str]:
    columns = [(parameter.name, parameter.annotation.__name__) for parameter in _parameters(evaluator)]
    return {
        "parameters": ", ".join(
            f"{name}: {kind}" for name, kind in [("model", "str"), ("variant", "str"), *columns]
        ),
        "arguments": ", ".join(f"{name}={name}" for name, _ in columns),
    }


def _dag(evaluator: type[JudgeEvaluator[...]], variants: list[str], default: str, model: str) -> str:
    """Return the flow as JSON, which is also valid YAML."""
    parameters = _parameters(evaluator)
    columns = {parameter.name: f"${{inputs.{parameter.name}}}" for parameter in parameters}
    flow: dict[str, Any] = {
        "inputs": {"model": {"type": "string", "default": model}}
        | {parameter.name: _input(parameter) for parameter in parameters},
        "outputs": {
            f"{evaluator.judge}{suffix}": {
                "type": "object",
                "reference": f"${{judge.output.{evaluator.judge}{suffix}}}",
            }
            for suffix in _COLUMN_SUFFIXES
        },
        "nodes": [
            {"name": "judge", "use_variants": True},
            {
                "name": "aggregate",
                "type": "python",
                "source": {"type": "code", "path": "aggregate.py"},
                "inputs": {"rows": "${judge.output}"},
                "aggregation": True,
            },
        ],
        "node_variants": {
            "judge": {
                "default_variant_id": default,
                "variants": {
                    variant: {
                        "node": {
                            "type": "python",
                            "source": {"type": "code", "path": "judge.py"},
                            "inputs": {"model": "${inputs.model}", "variant": variant, **columns},
                        }
                    }
                    for variant in variants
                },
            }
        },
    }
    return json.dumps(flow, indent=2) + "\n"


def _input(parameter: inspect.Parameter) -> dict[str, Any]:
    declaration: dict[str, Any] = {"type": _FLOW_TYPES.get(parameter.annotation, "object")}
    if parameter.default is not inspect.Parameter.empty:
        declaration["default"] = parameter.default
    return declaration
