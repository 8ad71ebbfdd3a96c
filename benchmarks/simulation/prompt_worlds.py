"""Simulated prompts: labelled answers, a judge's prompt and candidates, with known truth."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from scripted_access import ScriptedAccess

import fiducial as fd
from fiducial.api.improving import Improvement
from fiducial.calibration.comparison.prompt_gain import (
    HeldOutItems,
    ProbedPair,
    is_improvement,
    look_alpha,
    operator_changes,
    prompt_gain,
)
from fiducial.calibration.decisions import drawn_rank
from fiducial.evaluation.improvement.improvement_results import ImprovementAnswer

Bools = npt.NDArray[np.bool_]

_PROMPT = """---
name: Judge
description: Judges answers.
model: {{api: chat, parameters: {{temperature: 0}}}}
inputs:
  query: {{type: string, kind: string}}
  response: {{type: string, kind: string}}
  fence: {{type: string, kind: string}}
template: {{format: {{kind: jinja2}}, parser: {{kind: prompty}}}}
scale: {{minimum: 0, maximum: 1, step: 1}}
---
user:
This is variant {variant}.
=== {{{{fence}}}} {{{{query}}}} {{{{fence}}}} {{{{response}}}} {{{{fence}}}} ===
Reply with 1 or 0 alone.
"""
_VARIANT, _ANSWER = re.compile(r"variant (\d+)"), re.compile(r"answer (\d+)( ?\S?)")
_RIGHT = 0.75
"""Accuracy of the current prompt."""


class PromptWorld(NamedTuple):
    """Parameters of one simulated world.

    Attributes:
        items: Labelled items.
        per_group: Items in a group; their verdicts are correlated.
        gain: Gain of one of four candidates; the others fix as many verdicts as they break.
        label_errors: Share of labels that are wrong, with which one candidate agrees.
        adjudicated: Whether every label that the current prompt contradicts was adjudicated.
        believes: Share of announced verdicts that the candidates believe.
        operators: Operators with 200 probes each, beside the attacks; only `answer_of` has them.
        loss: Loss on the probes of one of these.
    """

    items: int = 400
    per_group: int = 1
    gain: float = 0.0
    label_errors: float = 0.0
    adjudicated: bool = False
    believes: float = 0.0
    operators: int = 0
    loss: float = 0.0


class Drawn(NamedTuple):
    """Draw of a world: the truth, the labels and each prompt's verdicts, the current one first."""

    truth: Bools
    label: Bools
    said: list[Bools]


def drawn_world(world: PromptWorld, seed: int) -> Drawn:
    """Draw a world."""
    rng = np.random.default_rng(seed)
    n, group = world.items, np.arange(world.items) // world.per_group
    truth = rng.random(n) < 0.6
    label = truth ^ (rng.random(n) < world.label_errors)
    chance = np.full(n, _RIGHT) if world.per_group == 1 else rng.beta(3.0, 1.0, n)[group]
    current = rng.random(n) < chance
    said = [current]
    for place in range(4):
        gain = world.gain if place == 3 else 0.0
        fixes, breaks = 0.3 + 3 * gain, 0.1 + (3 * gain * 0.25 - gain) / _RIGHT
        luck = np.where(rng.random(n) < 0.5, rng.random(n)[group], rng.random(n))
        said.append(np.where(current, luck >= breaks, luck < fixes))
    if world.label_errors:
        said[-1] = np.where(truth != label, rng.random(n) >= 0.9, said[-1])
    return Drawn(truth, label, [right == truth for right in said])


def answer_of(world: PromptWorld, seed: int) -> ImprovementAnswer:
    """Decide on one draw of a world as `fiducial.improve` does, without prompts and files."""
    drawn = drawn_world(world, seed)
    group = np.arange(world.items) // world.per_group
    decided = (drawn.said[0] != drawn.label) & world.adjudicated
    label = np.where(decided, drawn.truth, drawn.label)
    held = np.array([_place(number, seed) < 0.5 for number in range(group[-1] + 1)])[group]
    right = [said == label for said in drawn.said]
    shares = [float(each[~held].mean()) for each in right]
    best = 1 + int(np.argmax(shares[1:]))
    if shares[best] <= shares[0]:
        return "no better in development"
    alpha = look_alpha(1)
    gain = prompt_gain(HeldOutItems(right[0][held], right[best][held], group[held], decided[held]), alpha)
    attacked = _attacked(world, drawn, seed, best, np.flatnonzero(held & ~label))
    changes = operator_changes([*attacked, *_mutants(world, seed)], alpha)
    if not gain.proven:
        return "gain not shown"
    return "improved" if is_improvement(gain, changes) else "worse on probes"


def _place(group: int, seed: int) -> float:
    return int.from_bytes(drawn_rank(f"g{group}", seed), "big") / 2**64


def _attacked(
    world: PromptWorld, drawn: Drawn, seed: int, best: int, wrong: npt.NDArray[np.int64]
) -> Iterator[ProbedPair]:
    """Yield the probes of outputs labelled wrong: as they are, and with two announced verdicts."""
    believed = _believed(world, seed)
    for number in wrong.tolist():
        current, new = (not drawn.said[variant][number] for variant in (0, best))
        group = f"g{number // world.per_group}"
        yield ProbedPair("labelled_wrong", "control", current, new, group)
        for name in ("injected", "plain"):
            yield ProbedPair(name, "attack", current, new and not believed[number], group)


def _mutants(world: PromptWorld, seed: int) -> Iterator[ProbedPair]:
    """Yield probes; the current prompt judges nine in ten of them correctly.

    Candidates change 6 % of the verdicts.
    """
    rng = np.random.default_rng([seed, 2])
    for operator in range(world.operators):
        current = rng.random(200) < 0.9
        breaks = 0.1 / 3 + (world.loss / 0.9 if operator == 0 else 0.0)
        new = np.where(current, rng.random(200) >= breaks, rng.random(200) < 0.3)
        for number, (before, after) in enumerate(zip(current.tolist(), new.tolist(), strict=True)):
            yield ProbedPair(f"operator-{operator}", "fault", before, after, f"{operator}-{number}")


def _believed(world: PromptWorld, seed: int) -> Bools:
    return np.random.default_rng([seed, 1]).random(world.items) < world.believes


def improved(world: PromptWorld, seed: int) -> Improvement:
    """Run `fiducial.improve` on one draw of a world; models are functions."""
    drawn = drawn_world(world, seed)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        prompts = [folder / f"variant-{number}.prompty" for number in range(len(drawn.said))]
        for number, path in enumerate(prompts):
            path.write_text(_PROMPT.format(variant=number))
        options: dict[str, Any] = {}
        if world.adjudicated:
            fd.write_records(folder / "decided.jsonl", _decided(drawn))
            options["adjudications"] = folder / "decided.jsonl"
        rows = [
            {
                "id": f"q{n}",
                "question": f"question {n}",
                "answer": f"answer {n}",
                "label": int(label),
                "cluster": f"g{n // world.per_group}",
            }
            for n, label in enumerate(drawn.label)
        ]
        access = ScriptedAccess(said=_judge(drawn, world, seed))
        return fd.improve(
            rows,
            prompts[0],
            candidates=prompts[1:],
            model="scripted",
            out=folder / "out",
            access=lambda: access,
            seed=seed,
            progress=False,
            **options,
        )


def _judge(drawn: Drawn, world: PromptWorld, seed: int) -> Callable[[str], str]:
    believed = _believed(world, seed)

    def said(text: str) -> str:
        found = _ANSWER.findall(text)[-1]
        number, variant = int(found[0]), int((_VARIANT.search(text) or [0, 0])[1])
        announced = "verdict" in text or "score" in text.lower() or "</S2>" in text
        if announced and variant and believed[number]:
            return "1"
        return str(int(drawn.said[variant][number]))

    return said


def _decided(drawn: Drawn) -> list[fd.Verdict]:
    """Return a decision on every label that the current prompt contradicts."""
    return [
        fd.Verdict(
            case_id=f"q{n}",
            system="logged",
            by="ann",
            source="human",
            outcome="graded",
            score=float(drawn.truth[n]),
        )
        for n in np.flatnonzero(drawn.said[0] != drawn.label).tolist()
    ]
