"""Generation phase of BFCL: run a model on the data set, and write a result tree."""

from __future__ import annotations

import asyncio
from collections.abc import Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from ...formats.bfcl import Category, DataSource, read_cases
from ...formats.bfcl.result_trees import ResultIndex
from ...judges.prices import PriceList
from ...records import Case, Closing, ItemKey, Step, ToolResults, write_records
from ..generation.attempt import Attempt, AttemptRow, MadeOutput, attempt_row
from ..generation.binding import bind, lock
from ..generation.generate import GenerationTally, generate
from ..generation.generation_forecast import GenerationForecast, forecast_attempts
from ..generation.output_sources import OutputSource
from ..progress import Progress
from ..store.journal import Journal

VERSION = "v4"
"""BFCL's version in the names of result files."""

_INFERENCE_ERROR = "Error during inference: "
"""Prefix of BFCL's result for an entry whose call failed; BFCL's checker grades it as wrong."""


class GeneratedCategory(NamedTuple):
    """Results of generating one category."""

    category: Category
    tally: GenerationTally


def generate_tree(
    source: DataSource,
    categories: Sequence[Category],
    by: OutputSource,
    results: Path,
    progress: Progress,
    *,
    count_failures: bool = False,
) -> list[GeneratedCategory]:
    """Generate results for categories, or resume it.

    The system gets a folder in the result tree. With ``count_failures``, an entry whose call failed after its retries gets the line that
    BFCL writes for it, which scores 0. Otherwise it gets no result, and the next command tries it again.

    Returns:
        The outcome of each category, in the order given.

    Raises:
        InputError: The data set cannot be read.
        RunFolderError: Another process writes this system's folder, or its results were made with other settings.
    """
    folder = system_folder(results, by.system)

    async def work() -> list[GeneratedCategory]:
        generated: list[GeneratedCategory] = []
        with _open_attempts(folder, by) as attempts:
            async with by.agent() as agent:
                for category in categories:
                    cases = {case.id: case for case in read_cases(source, category)}
                    path = _result_file(folder, category)
                    with CategoryFile(path, attempts, count_failures=count_failures) as file:
                        tally = await generate(cases, agent, file, progress, tasks=by.tasks)
                        file.put_in_order(cases)
                    generated.append(GeneratedCategory(category, tally))
        return generated

    return asyncio.run(work())


def forecast_tree(
    source: DataSource,
    categories: Sequence[Category],
    by: OutputSource,
    results: Path,
    prices: PriceList | None,
) -> GenerationForecast:
    """Forecast `generate_tree` for all categories, without making calls or writing files.

    Raises:
        InputError: The data set or an existing result cannot be read.
    """
    folder, remaining, total = system_folder(results, by.system), list[Case](), 0
    for category in categories:
        path = _result_file(folder, category)
        ids_with_result = {*ResultIndex(path).lines} if path.exists() else set[str]()
        cases = {case.id: case for case in read_cases(source, category)}
        total += len(cases)
        remaining += [case for case_id, case in cases.items() if case_id not in ids_with_result]
    attempts = ((case, 0) for case in remaining)
    return forecast_attempts(by, attempts, prices, wanted=total, existing=total - len(remaining))


def _result_file(folder: Path, category: Category) -> Path:
    return folder / category.folder / f"BFCL_{VERSION}_{category.name}_result.json"


def system_folder(results: Path, system: str) -> Path:
    """Return the folder of a system's results in a tree."""
    return results / system.replace("/", "_")  # as BFCL does


@contextmanager
def _open_attempts(folder: Path, by: OutputSource) -> Generator[Journal[AttemptRow]]:
    """Open the attempts journal of a system's folder in a result tree, for one writing process.

    Raises:
        RunFolderError: Another process writes it, or its results were made with other settings.
    """
    with lock(folder):
        folder.mkdir(exist_ok=True)
        has_results = any(folder.rglob("BFCL_*_result.json"))
        bind(folder / "generation.json", by.system, by.facts, has_outputs=has_results)
        with Journal(folder / "attempts.jsonl", AttemptRow) as attempts:
            yield attempts


class CategoryFile(Closing):
    """Store of outputs in one file of a result tree; for ``count_failures`` see `generate_tree`."""

    tracked = True

    def __init__(self, path: Path, attempts: Journal[AttemptRow], *, count_failures: bool) -> None:
        self.path = path
        self._attempts = attempts
        self._count_failures = count_failures
        path.parent.mkdir(parents=True, exist_ok=True)
        self._lines: Journal[dict[str, Any]] = Journal(path, dict[str, Any])
        self._done = {*ResultIndex(path).lines}

    def has(self, key: ItemKey, case: Case) -> bool:
        """Return whether the output exists; see `Store.has`."""
        del case
        return key.case_id in self._done

    def error_of(self, key: ItemKey) -> str | None:
        """Return the error of an output; see `Store.error_of`."""
        del key

    def add(self, made_output: MadeOutput) -> None:
        """Save an output; see `Store.add`."""
        self._write(result_line(made_output.attempt, in_turns=made_output.output.turns is not None))
        self._attempts.append(attempt_row(made_output))
        self._attempts.flush()

    def fail(self, key: ItemKey, failure: str, calls: int) -> None:
        """Record an attempt without output; see `Store.fail`."""
        self._attempts.append(AttemptRow(**key._asdict(), failure=failure, calls=calls))
        self._attempts.flush()
        if self._count_failures:
            self._write({"id": key.case_id, "result": f"{_INFERENCE_ERROR}{failure}"})

    def put_in_order(self, case_ids: Iterable[str]) -> None:
        """Rewrite the lines in the order of the data set, all or nothing."""
        self._lines.close()
        index = ResultIndex(self.path)
        ordered = [case_id for case_id in case_ids if case_id in index]
        ordered += sorted({*index.lines} - {*ordered})  # results without an entry
        write_records(self.path, (line.fields for line in index.read(ordered)))
        self._lines = Journal(self.path, dict[str, Any])

    def close(self) -> None:
        """Close the file; remove it if it is empty."""
        self._lines.close()
        if not self.path.stat().st_size:
            self.path.unlink()

    def _write(self, line: dict[str, Any]) -> None:
        self._lines.append(line)
        self._lines.flush()
        self._done.add(line["id"])


def result_line(attempt: Attempt, *, in_turns: bool) -> dict[str, Any]:
    """Return an attempt as a line of a result file."""
    fields: dict[str, list[list[Any]]] = {
        "result": attempt.raw,
        "input_token_count": [[step.prompt_tokens for step in turn] for turn in attempt.usage],
        "output_token_count": [[step.completion_tokens for step in turn] for turn in attempt.usage],
        "latency": attempt.step_seconds,
    }
    if any(any(turn) for turn in attempt.reasoning):
        fields["reasoning_content"] = attempt.reasoning
    line: dict[str, Any] = {"id": attempt.case.id}
    if not in_turns:
        # BFCL writes the only step of a single-turn entry without lists around it.
        line |= {name: turns[0][0] for name, turns in fields.items() if turns and turns[0]}
    else:
        line |= {**fields, "inference_log": list(_inference_log(attempt))}
    if attempt.error is not None:
        line["result"] = f"{_INFERENCE_ERROR}{attempt.error}"
    return line


def _inference_log(attempt: Attempt) -> Iterator[dict[str, Any]]:
    """Yield the log of messages and calls, by turn and step, with the results of calls."""
    for messages, turn in zip(attempt.case.turns, attempt.turns, strict=False):
        entry: dict[str, Any] = {"begin_of_turn_query": messages}
        steps: list[list[dict[str, Any]]] = []
        for step in turn:
            if isinstance(step, ToolResults):
                steps[-1] += [{"role": "tool", "content": result} for result in step.results]
            else:
                steps.append([{"role": "assistant", "content": _log_content(step)}])
        yield entry | {f"step_{number}": log for number, log in enumerate(steps)}


def _log_content(step: Step) -> Any:
    return step if isinstance(step, str) else msgspec.to_builtins(step)
