"""Judge classes for other runners: promptflow's flex flows and Azure's evaluators.

Each class is a view of `judge`.
"""

# No `from __future__ import annotations`: promptflow reads the constructor's annotations at run time.

import inspect
import math
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, ClassVar, Generic, ParamSpec, Self

from ..errors import ConfigurationError, InputError, UsageError
from ..records import Case, Output
from .evaluator_rows import (
    Columns,
    accepted_answer,
    columns,
    groundedness,
    rubric,
    task_completion,
    tool_call_accuracy,
)
from .judging import judge

P = ParamSpec("P")

_JUDGES_OWN_THRESHOLD = -1.0
"""Value of ``threshold`` that means the judge's own threshold: a number, since promptflow takes nothing else."""


class JudgeEvaluator(Generic[P]):
    """Judge as a callable: columns of a row in, columns out.

    Calls may come from any thread, and under any running loop; an instance can be pickled, and a key given here is pickled
    with it (see `fiducial.judge`).

    Args:
        model: The judging model's name at the endpoint; ``baseline`` for the word overlap control.
        variant: The prompt's variant; if empty, the judge's default.
        base_url: An OpenAI-compatible endpoint; if empty, as `fiducial.judge` finds it.
        api_key: The key; if empty, ``OPENAI_API_KEY``.
        connection: A promptflow connection, by name or file, instead of both.
        threshold: Lowest score whose result is ``pass``; by default the judge's own, else 0.5.
        concurrency: Maximum calls in flight.
        timeout: Time limit of one call, in seconds.
        attempts: Maximum failed calls per request.
    """

    judge: ClassVar[str]
    """The judge's name, with which the columns begin."""

    _item: ClassVar[Callable[..., tuple[Case, Output]]]
    """Function that makes a case and an output of a row."""

    def __init__(
        self,
        model: str,
        variant: str = "",
        *,
        base_url: str = "",
        api_key: str = "",
        connection: str = "",
        threshold: float = _JUDGES_OWN_THRESHOLD,
        concurrency: int = 64,
        timeout: float = 60.0,
        attempts: int = 6,
    ) -> None:
        # promptflow passes defaults as texts, hence the conversions.
        self._judge = judge(
            f"{self.judge}/{variant}" if variant else self.judge,
            model=str(model),
            base_url=base_url or None,
            api_key=api_key or None,
            connection=connection or None,
            cache=False,
            concurrency=int(concurrency),
            timeout=float(timeout),
            attempts=int(attempts),
        )
        self.threshold = (
            self._judge.pass_at if float(threshold) == _JUDGES_OWN_THRESHOLD else float(threshold)
        )

    def __call__(self, *args: P.args, **row: P.kwargs) -> Columns:
        """Judge one row, and wait for the columns of the result."""
        case, output = self._item(*args, **row)
        return columns(self.judge, self._judge(case, output), self.threshold)

    async def acall(self, *args: P.args, **row: P.kwargs) -> Columns:
        """Judge one row from a coroutine; see `__call__`."""
        case, output = self._item(*args, **row)
        return columns(self.judge, await self._judge.one(case, output), self.threshold)

    @classmethod
    def from_model_config(cls, config: dict[str, Any], **settings: Any) -> Self:
        """Create an evaluator from the model configuration that Azure's evaluators take.

        Args:
            config: ``type`` (``openai`` or ``azure_openai``) with ``model``, ``base_url`` and ``api_key``, or with
                ``azure_deployment``, ``azure_endpoint``, ``api_key`` and ``api_version``.
            **settings: See the class.

        Returns:
            The evaluator.

        Raises:
            ConfigurationError: Something is missing.
        """
        try:
            if config.get("type") != "azure_openai" and "azure_endpoint" not in config:
                endpoint = {name: config.get(name) or "" for name in ("base_url", "api_key")}
                return cls(config["model"], **endpoint, **settings)
            from ..judges.connections import AzureOpenAIConnection  # noqa: PLC0415 - few use it

            connection: Any = AzureOpenAIConnection(
                api_base=config["azure_endpoint"],
                api_key=config.get("api_key"),
                api_version=config["api_version"],
            )
            return cls(config["azure_deployment"], connection=connection, **settings)
        except KeyError as error:
            raise ConfigurationError(f"the model configuration lacks {error}") from error

    def __aggregate__(self, line_results: Sequence[dict[str, Any]]) -> dict[str, float]:
        """Return metrics over all rows: the mean with its n, and the other rows by status.

        Args:
            line_results: Results of the calls.

        Returns:
            ``NAME_mean`` (left out if no row is graded), ``NAME_graded``, ``NAME_rows``, and ``NAME_STATUS`` for each status
            that occurs.
        """
        name = self.judge
        values = (row.get(f"{name}_score") for row in line_results)
        # Azure writes None as NaN.
        scores = [score for score in values if score is not None and not math.isnan(score)]
        statuses = Counter(str(row.get(f"{name}_status", "failed")) for row in line_results)
        metrics: dict[str, float] = {f"{name}_graded": len(scores), f"{name}_rows": len(line_results)}
        if scores:
            metrics[f"{name}_mean"] = sum(scores) / len(scores)
        return metrics | {f"{name}_{status}": count for status, count in statuses.items()}

    def close(self) -> None:
        """Close the connections of this process; a further call opens new ones."""
        self._judge.close()


def _evaluator_class(
    name: str, judge: str, item: Callable[P, tuple[Case, Output]]
) -> type[JudgeEvaluator[P]]:
    """Create a judge's class with the parameter names and types of the function ``item``."""

    def call(evaluator: JudgeEvaluator[P], *args: P.args, **row: P.kwargs) -> Columns:
        return JudgeEvaluator.__call__(evaluator, *args, **row)

    async def acall(evaluator: JudgeEvaluator[P], *args: P.args, **row: P.kwargs) -> Columns:
        return await JudgeEvaluator.acall(evaluator, *args, **row)

    members: dict[str, Any] = {
        "judge": judge,
        "_item": staticmethod(item),
        "__module__": __name__,
        "__doc__": f"{item.__doc__}\n    See `JudgeEvaluator` for the settings and the columns of a result.",
    }
    signature = inspect.signature(item)
    receiver = inspect.Parameter("self", inspect.Parameter.POSITIONAL_ONLY)
    for attribute, method in (("__call__", call), ("acall", acall)):
        method.__name__, method.__qualname__ = attribute, f"{name}.{attribute}"
        method.__doc__ = item.__doc__
        # promptflow and Azure read the columns from this signature.
        setattr(  # noqa: B010 - to a type checker functions have no such attribute
            method,
            "__signature__",
            signature.replace(
                parameters=[receiver, *signature.parameters.values()], return_annotation=Columns
            ),
        )
        members[attribute] = method
    return type(name, (JudgeEvaluator,), members)


Groundedness = _evaluator_class("Groundedness", "groundedness", groundedness)
MemoryAnswer = _evaluator_class("MemoryAnswer", "memory_answer", accepted_answer("memory_answer"))
Rubric = _evaluator_class("Rubric", "rubric", rubric)
TaskCompletion = _evaluator_class("TaskCompletion", "task_completion", task_completion)
ToolCallAccuracy = _evaluator_class("ToolCallAccuracy", "tool_call_accuracy", tool_call_accuracy)
WebSearchAnswer = _evaluator_class(
    "WebSearchAnswer", "web_search_answer", accepted_answer("web_search_answer")
)

EVALUATORS: dict[str, type[JudgeEvaluator[...]]] = {
    evaluator.judge: evaluator
    for evaluator in (Groundedness, MemoryAnswer, Rubric, TaskCompletion, ToolCallAccuracy, WebSearchAnswer)
}
"""Judge classes by the judge's name."""


def flex_flow(judge: str, folder: Path) -> Path:
    """Create a folder that promptflow runs as a flex flow: for `pf flow test` and `pf.run`.

    Each flow needs its own folder, since promptflow writes into it.

    Raises:
        UsageError: There is no such judge.
        InputError: The folder cannot be written.
    """
    if judge not in EVALUATORS:
        raise UsageError(f"no flow for the judge {judge!r}; there are {', '.join(sorted(EVALUATORS))}")
    flow = (
        "# promptflow's flex flow of this judge: pf flow test --flow FOLDER --init model=NAME --inputs ROW.json\n"
        f"entry: fiducial.api.evaluators:{EVALUATORS[judge].__name__}\n"
    )
    try:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "flow.flex.yaml").write_text(flow, encoding="utf-8")
    except OSError as error:
        raise InputError(f"cannot be written: {error.strerror or error}", path=folder) from error
    return folder
