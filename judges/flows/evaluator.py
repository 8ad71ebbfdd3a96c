"""What the judges' classes have in common: settings that survive pickling, one connection a process, rows as results."""

# No `from __future__ import annotations`: promptflow reads the constructor's annotations at run time.

import asyncio
import math
import os
from collections import Counter
from collections.abc import Sequence
from contextlib import AsyncExitStack
from typing import Any, ClassVar, Self

from ...errors import ConfigurationError
from ...records import Case, Output
from ..judge import Judge, load_judge
from ..judging import judge_output
from ..transport import Provider
from ..transport.connect import connect
from ..transport.endpoint import Endpoint
from .loop_thread import submit
from .rows import columns


class JudgeEvaluator:
    """A judge as a callable: columns of a row in, columns out.

    Calls from any thread, and from under any running loop, share one connection pool a process: they are done in a private
    loop (`loop_thread`). An instance can be pickled; keys given here are pickled with it, keys in the environment are not.

    Args:
        model: The judging model's name at the endpoint.
        variant: The prompt's variant; the judge's default when empty.
        base_url: An OpenAI-compatible endpoint; the openai library's own default when empty.
        api_key: The key; when empty, the openai library's own variable is asked (``OPENAI_API_KEY``).
        threshold: From which score on a result is ``pass``.
        concurrency: Calls in flight at most.
        timeout: Seconds until one call is given up.
        attempts: Calls for one request at most.
    """

    judge: ClassVar[str]
    """The judge's name, which the columns begin with."""

    def __init__(
        self,
        model: str,
        variant: str = "",
        *,
        base_url: str = "",
        api_key: str = "",
        threshold: float = 0.5,
        concurrency: int = 64,
        timeout: float = 60.0,
        attempts: int = 6,
    ) -> None:
        # promptflow hands defaults over as texts.
        self.threshold = float(threshold)
        self._spec = f"{self.judge}/{variant}" if variant else self.judge
        self._model = str(model)
        self._endpoint = Endpoint(base_url=str(base_url) or None, api_key=str(api_key) or None)
        self._settings: dict[str, Any] = {
            "concurrency": int(concurrency),
            "timeout": float(timeout),
            "attempts": int(attempts),
        }
        self._loaded: Judge | None = None
        self._connected: tuple[int, Provider, AsyncExitStack] | None = None
        self._load()  # an unknown variant is said now, not at the first row

    @classmethod
    def from_model_config(cls, config: dict[str, Any], **settings: Any) -> Self:
        """Make one of the model configuration that Azure's evaluators take.

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
                return cls(
                    config["model"],
                    base_url=config.get("base_url") or "",
                    api_key=config.get("api_key") or "",
                    **settings,
                )
            made = cls(config["azure_deployment"], **settings)
            made._endpoint = Endpoint(
                base_url=config["azure_endpoint"],
                api_key=config.get("api_key"),
                kind="azure",
                api_version=config["api_version"],
            )
        except KeyError as error:
            raise ConfigurationError(f"the model configuration lacks {error}") from error
        return made

    def __aggregate__(self, line_results: Sequence[dict[str, Any]]) -> dict[str, float]:
        """Metrics over all rows: the mean with how many rows are behind it, and the rest by status.

        Args:
            line_results: What the calls returned.

        Returns:
            ``NAME_mean`` (left out when no row is graded), ``NAME_graded``, ``NAME_rows``, and ``NAME_STATUS`` for each status
            that occurs.
        """
        name = self.judge
        given = (row.get(f"{name}_score") for row in line_results)
        scores = [
            score for score in given if score is not None and not math.isnan(score)
        ]  # Azure writes None as NaN
        statuses = Counter(str(row.get(f"{name}_status", "failed")) for row in line_results)
        metrics: dict[str, float] = {f"{name}_graded": len(scores), f"{name}_rows": len(line_results)}
        if scores:
            metrics[f"{name}_mean"] = sum(scores) / len(scores)
        return metrics | {f"{name}_{status}": count for status, count in statuses.items()}

    def _wait(self, case: Case, output: Output) -> dict[str, Any]:
        """Judge from a thread without a loop, or with one that may wait."""
        return submit(self._judge(case, output)).result()

    async def _await(self, case: Case, output: Output) -> dict[str, Any]:
        """Judge from a coroutine, in whatever loop."""
        return await asyncio.wrap_future(submit(self._judge(case, output)))

    async def _judge(self, case: Case, output: Output) -> dict[str, Any]:
        verdict = await judge_output(case, output, self._load(), await self._connect())
        return columns(self.judge, verdict, self.threshold)

    def _load(self) -> Judge:
        if self._loaded is None:
            self._loaded = load_judge(self._spec, model=self._model)
        return self._loaded

    async def _connect(self) -> Provider:
        """This process's provider; one that came with a fork or out of a pickle belongs to another loop."""
        if self._connected is None or self._connected[0] != os.getpid():
            exits = AsyncExitStack()
            provider = await exits.enter_async_context(connect(self._endpoint, **self._settings))
            self._connected = (os.getpid(), provider, exits)
        return self._connected[1]

    def close(self) -> None:
        """Close the connections of this process; a further call opens new ones."""
        if self._connected is not None and self._connected[0] == os.getpid():
            _, _, exits = self._connected
            self._connected = None
            submit(exits.aclose()).result()

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__ | {"_connected": None, "_loaded": None}
