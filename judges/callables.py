"""Custom judges: functions of a case and an output, which replace a model."""

from __future__ import annotations

import asyncio
import hashlib
import inspect
import json
from collections.abc import AsyncGenerator, Callable, Iterable
from dataclasses import dataclass, replace
from types import CodeType
from typing import TYPE_CHECKING, Any, Self, cast

import msgspec

from ..plugins import place
from ..records import Case, JudgeId, Kind, Output, Verdict
from .cycle import judge_concurrently
from .judge import Work
from .loop_thread import thread_safe_call
from .prompt_variables import NotApplicableError

if TYPE_CHECKING:
    from .judge import ModelClient

_EXPECTED = "expected a score in [0, 1], a truth value, (score, reason) or a Verdict"
_MAX_SHOWN_LENGTH = 80


@dataclass(frozen=True)
class FunctionJudge:
    """A judge that calls a function.

    Attributes:
        id: The judge's id.
        by: Name that signs its verdicts.
        function: Function or coroutine function of a case and an output. It returns a score in [0, 1] or a boolean, alone or
            in a tuple with a reason, or a Verdict.
    """

    id: JudgeId
    by: str
    function: Callable[[Case, Output], Any]

    kinds: frozenset[Kind] | None = None
    pass_at: float | None = None

    def named(self, by: str) -> Self:
        """Return the judge under another name; see `Judge`."""
        return replace(self, by=by)

    async def verdict(self, case: Case, output: Output, client: ModelClient, repeat: int = 0) -> Verdict:
        """Judge one output by calling the function; see `Judge`."""
        del client
        return await self._call(case, output, repeat)

    async def verdicts(self, work: Iterable[Work], client: ModelClient) -> AsyncGenerator[Verdict]:
        """Judge repetitions of outputs concurrently; see `Judge`."""
        async for verdict in judge_concurrently(work, self._call, client.concurrency):
            yield verdict

    async def _call(self, case: Case, output: Output, repeat: int = 0) -> Verdict:
        """Return the verdict on an output.

        It is ``not_applicable`` if the function raises a `NotApplicableError`, ``failed`` if it raises another error, and
        ``unparsable`` if it returns no score.
        """
        try:
            verdict = _verdict_of(await result_of(self.function, case, output), output)
        except NotApplicableError as error:
            verdict = Verdict.on(
                output.key, by="", source="judge", outcome="not_applicable", reason=str(error)
            )
        except (Exception, SystemExit) as error:  # noqa: BLE001 - any error of a user's function is a failed verdict
            reason = " ".join(f"{type(error).__name__}: {error}".split())
            verdict = Verdict.on(output.key, by="", source="judge", outcome="failed", reason=reason)
        # A function may return a verdict of its own, on any item: identity and author are always those of this call.
        return msgspec.structs.replace(
            verdict,
            case_id=output.case_id,
            system=output.system,
            trial=output.trial,
            by=self.by,
            source="judge",
            repeat=repeat,
            judge=self.id,
        )


async def result_of(function: Callable[..., Any], *arguments: Any) -> Any:
    """Call a function in a thread, or in the event loop if it is a coroutine function."""
    result = (
        function(*arguments)
        if inspect.iscoroutinefunction(function)
        else await asyncio.to_thread(thread_safe_call(function), *arguments)
    )
    return await result if inspect.isawaitable(result) else result


def callable_judge(name: str, function: Callable[[Case, Output], Any]) -> FunctionJudge:
    """Make a judge of a function (see `FunctionJudge`).

    Its fingerprint depends on the function's source, so a changed function is another judge.
    """
    fingerprint = hashlib.sha256(
        json.dumps([name, place(function), _code_text(function)]).encode()
    ).hexdigest()
    judge_id = JudgeId(kind="callable", name=name, variant="function", fingerprint=fingerprint)
    return FunctionJudge(judge_id, judge_id.plain, function)


def _code_text(function: Any) -> str:
    """Return the source of a function, or its compiled code if it has no source."""
    try:
        return inspect.getsource(function if hasattr(function, "__code__") else cast("Any", type(function)))
    except (OSError, TypeError):
        code = getattr(function, "__code__", None)
        return "" if code is None else _compiled(code)


def _compiled(code: CodeType) -> str:
    """Return compiled code as a text that is the same in every process."""
    constants: tuple[Any, ...] = code.co_consts
    constant_texts = [
        _compiled(constant) if isinstance(constant, CodeType) else repr(constant) for constant in constants
    ]
    return repr((code.co_code, code.co_names, code.co_varnames, constant_texts))


def _verdict_of(result: object, output: Output) -> Verdict:
    if isinstance(result, Verdict):
        return result
    pair = cast("tuple[Any, ...]", result) if isinstance(result, tuple) else (result, None)
    score, reason = pair if len(pair) == 2 else (None, None)  # noqa: PLR2004 - score and reason
    item: Any = getattr(score, "item", None)
    if not isinstance(score, int | float) and callable(item):
        score = item()  # a scalar of numpy
    if not isinstance(score, int | float) or not 0 <= score <= 1 or not isinstance(reason, str | None):
        problem = f"{_EXPECTED}, got {repr(cast('Any', result))[:_MAX_SHOWN_LENGTH]}"
        return Verdict.on(output.key, by="", source="judge", outcome="unparsable", reason=problem)
    return Verdict.on(output.key, by="", source="judge", score=float(score), reason=reason)
