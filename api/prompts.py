"""Prompt files: list, show, render, check and import them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from textwrap import wrap
from typing import Any

import msgspec

from ..errors import InputError, UsageError
from ..evaluation.judging.judge_task import replay_in
from ..formats.bfcl import assemble_prompt
from ..judges.catalogue import (
    SPLITTER,
    KnownPrompt,
    all_prompts,
    decision_prompts,
    find_prompt,
    known_prompts,
)
from ..judges.front_matter import read_prompt_text
from ..judges.parsing import inferred_parse
from ..judges.prompt_file import PromptFile, read_prompt_file
from ..judges.prompt_import import import_prompt as import_text
from ..judges.prompt_judge import PromptJudge, load_judge
from ..judges.prompt_text import portability_problems
from ..judges.prompt_variables import NotApplicableError, Replay
from ..records import Case, CaseIndex, Message, Output, atomic_write, nearest, read_records
from ..spelling import setting
from .checking import Worlds, worlds_of
from .display import Document, Result
from .paths import FilePath, input_path, written_path

_WIDTH = 80
"""Columns of the list of prompts."""

_NO_MODEL = "no model"
"""Model name of a judge that is loaded for inspection only."""

_AGENT_PROMPT = "bfcl"
"""Name of the leaderboard's prompt to an agent, which is not a judge."""


class PromptFacts(msgspec.Struct, frozen=True, kw_only=True):
    """Facts about a prompt included in the package.

    Attributes:
        judge: Name of the judge.
        variant: Name of the variant.
        default: Whether it is the judge's default.
        inputs: Its inputs.
        scale: The possible scores.
        reply: Parser of its reply.
        description: Description for people.
        experimental: Whether no real model's replies to it were recorded.
        measured: Accuracy per model and data, with the keys of prompts/recorded.toml and the result of the comparison (``found``).
    """

    judge: str
    variant: str
    default: bool
    inputs: list[str]
    scale: str
    reply: str | None
    description: str
    experimental: bool
    measured: list[dict[str, Any]]

    def known(self) -> str:
        """Describe in words what is known about the prompt's accuracy."""
        if self.experimental:
            return "Experimental: no replies recorded"
        return "; ".join(map(_measurement_words, self.measured)) or "Recorded, accuracy not measured"


_DATA_WORDS = {"suite": "the built-in suite", "real": "real tool calls"}


def _measurement_words(measurement: Mapping[str, Any]) -> str:
    text = f"{measurement['model']} on {_DATA_WORDS[measurement['data']]}: accuracy {measurement['accuracy']:.3f} (n {measurement['n']})"
    if measurement["found"] is None:
        return text
    other, p = measurement["against"], f"p {measurement['p']:.3f}"
    if measurement["found"] == "no difference shown":
        return f"{text}, no difference from {other} shown ({p})"
    return f"{text}, {measurement['found']} than {other} ({p})"


def _measurements(known_prompt: KnownPrompt) -> list[dict[str, Any]]:
    return [{**msgspec.to_builtins(prompt), "found": prompt.found} for prompt in known_prompt.measured]


class Prompts(Result, frozen=True, kw_only=True):
    """Prompts included in the package.

    Attributes:
        judges: Facts about the judges' prompts.
        splitter: Name and description of the prompt that splits answers into statements.
    """

    judges: list[PromptFacts]
    splitter: tuple[str, str]

    def document(self) -> Document:
        """Return the prompts as a document, each with the first sentence of its description.

        An asterisk (*) marks a judge's default variant. The accuracy of each prompt is in brackets.
        """
        lines: list[str] = []
        for judge in self.judges:
            mark = "*" if judge.default else " "
            lines += _prompt_lines(mark, f"{judge.judge}/{judge.variant}", judge.description)
            lines += wrap(f"[{judge.known()}]", _WIDTH, initial_indent=_INDENT, subsequent_indent=_INDENT)
        lines += _prompt_lines(" ", *self.splitter)
        return [*lines, "* default variant"]


_INDENT = " " * 33
"""Indent of lines below a prompt's name, as wide as its column."""


def _prompt_lines(mark: str, name: str, description: str) -> list[str]:
    sentence = description.partition(". ")[0].rstrip(".")
    return wrap(f"{mark} {name:30} {sentence}", _WIDTH, subsequent_indent=_INDENT)


def prompts() -> Prompts:
    """Return the prompts included in the package."""
    splitter = read_prompt_file(find_prompt(str(SPLITTER))[1])
    return Prompts(
        judges=[
            PromptFacts(
                judge=name.judge,
                variant=name.variant,
                default=find_prompt(name.judge)[0] == name,
                inputs=list(prompt.inputs),
                scale=str(prompt.scale),
                reply=(prompt.parse or {}).get("mode"),
                description=prompt.description,
                experimental=known_prompts()[name].experimental,
                measured=_measurements(known_prompts()[name]),
            )
            for name, path in {**all_prompts(), **decision_prompts()}.items()
            if name != SPLITTER
            for prompt in [read_prompt_file(path)]
        ],
        splitter=(str(SPLITTER), splitter.description),
    )


def prompt_text(judge: str) -> str:
    """Return the text of a judge's prompt file: a name, a name/variant, or a path."""
    return read_prompt_text(find_prompt(judge)[1])


def rendered_prompt(
    judge: str,
    cases: FilePath,
    outputs: FilePath | None,
    case_id: str,
    *,
    system: str | None = None,
    trial: int = 0,
    worlds: Worlds = None,
) -> tuple[Sequence[Message], Mapping[str, Any]]:
    """Return the full prompt for one output: messages and decoding parameters.

    For ``bfcl``, it is the prompt that asks an agent for calls as text.
    """
    case = _find_case(input_path(cases), case_id)
    if judge == _AGENT_PROMPT:
        return assemble_prompt(case), {}
    if outputs is None:
        raise UsageError(f"{setting('outputs')} is needed: a judge is asked about a case and an output")
    output = _find_output(input_path(outputs), case_id, system, trial)
    prompt_judge = _load_for_inspection(judge, replay_in(worlds_of(worlds)))
    try:
        return prompt_judge.messages(case, output), dict(prompt_judge.parameters)
    except NotApplicableError as error:
        raise UsageError(f"{judge} does not apply to {output.key}: {error}") from error


def _load_for_inspection(judge: str, replay: Replay | None = None) -> PromptJudge:
    """Load a judge for inspection, without a model.

    Prompts of decision models load only with a decision protocol; any will do.
    """
    only_decides = read_prompt_file(find_prompt(judge)[1]).only_decides
    return load_judge(judge, model=_NO_MODEL, replay=replay, api="systemone" if only_decides else "chat")


def _find_case(cases: Path, case_id: str) -> Case:
    with CaseIndex(cases) as index:
        if case_id not in index:
            raise InputError(f"there is no case {case_id!r}{nearest(case_id, index)}", path=cases)
        return index[case_id]


def _find_output(outputs: Path, case_id: str, system: str | None, trial: int) -> Output:
    systems: dict[str, None] = {}
    for output in read_records(outputs, Output):
        if output.case_id == case_id and output.trial == trial:
            if system in {None, output.system}:
                return output
            systems[output.system] = None
    of_system = "" if system is None else f" of system {system!r}"
    hint = f"; systems: {', '.join(systems)}" if systems else ""
    raise InputError(
        f"there is no output{of_system} for the case {case_id!r}, trial {trial}{hint}", path=outputs
    )


def check_prompt(file: FilePath) -> list[str]:
    """Check a prompt file; return its inputs, reply parser and portability problems.

    An unusable file raises a PromptError with the line.
    """
    path = _require_prompty(input_path(file), f"{file}")
    prompt = _load_for_inspection(str(path)).prompt
    return [_summary(prompt), *([] if prompt.only_decides else portability_problems(prompt))]


def import_prompt(
    file: FilePath,
    out: FilePath,
    *,
    inputs: Sequence[str] = (),
    scale: str | None = None,
    step: float | None = None,
) -> str:
    """Import a prompt file from chat messages in JSON, or from another tool's prompt file.

    Return a summary of the new file; see `judges.prompt_import`.
    """
    path = _require_prompty(written_path(out), setting("out", out))
    text, prompt = import_text(input_path(file), path, inputs, scale, step)
    with atomic_write(path) as target:
        target.write(text.encode())
    return _summary(prompt)


def _require_prompty(path: Path, name: str) -> Path:
    if path.suffix != ".prompty":
        raise UsageError(f"{name}: prompt files end in .prompty")
    return path


def _summary(prompt: PromptFile) -> str:
    parse = inferred_parse(prompt) if prompt.parse is None else prompt.parse
    reply = ", ".join(f"{name} {value}" for name, value in parse.items())
    if parse == {"mode": "number"}:
        reply = "must be only a number"
    threshold = "" if prompt.pass_at is None else f"; passes at {prompt.pass_at:g} of 1"
    inputs = [
        f"{name} ({declared.source})" if declared.source else name for name, declared in prompt.inputs.items()
    ]
    return f"ok; inputs {', '.join(inputs) or 'none'}; score {prompt.scale}{threshold}; reply {reply}"
