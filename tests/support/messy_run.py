"""Messy run: long names, right-to-left text, missing outputs, few labels."""

from __future__ import annotations

import random
from pathlib import Path

import fiducial as fd

SYSTEMS = tuple(
    f"mistral-large-2411-customer-desk-{part}-prompt-v{number}-temperature-0.7-with-retrieval-and-memory"
    for number, part in enumerate(("orders", "returns", "billing"), start=1)
)
QUESTIONS = (
    "How many days do I have to return a coat?",
    "كم يوما لدي لإرجاع المعطف؟",
    "Wie viele Tage habe ich, um einen Mantel zurückzugeben?",
    "מה עולה משלוח מהיר לנורווגיה?",
)


def messy_inputs(
    cases: int, *, worse: bool = False
) -> tuple[list[fd.Case], list[fd.Output], list[fd.Verdict]]:
    """Return cases, outputs and labels; ``worse`` outputs fail more often."""
    draw = random.Random(1)
    made_cases: list[fd.Case] = []
    outputs: list[fd.Output] = []
    labels: list[fd.Verdict] = []
    for number in range(cases):
        days = str(10 + number % 80)
        case = fd.Case(
            id=f"{number:05d}-{'customer-desk-conversation-imported-from-the-old-system-' * 2}{number % 97}"[
                :100
            ],
            kind="memory_answer",
            messages=[
                {"role": "system", "content": "You are the desk of a shop. Be brief. " * 20},
                {"role": "user", "content": QUESTIONS[number % len(QUESTIONS)]},
            ],
            reference={"answers": [days]},
        )
        made_cases.append(case)
        for rank, system in enumerate(SYSTEMS):
            chance = draw.random()
            if chance < 0.02 * rank:
                continue
            right = chance > 0.2 + 0.15 * rank + 0.25 * worse
            text = _answer(days, right=right, form=draw.randrange(4))
            output = fd.Output(case_id=case.id, system=system, text=text)
            outputs.append(output)
            if number % 20 == 0:
                labels.append(_label(output, float(right)))
    return made_cases, outputs, labels


def _answer(days: str, *, right: bool, form: int) -> str:
    """Return an answer that a checker decides, or one of three that it leaves to a judge."""
    if not right:
        return (
            "",
            f"You do not have **{days} days**.",
            f"ليس لديك {days} يوما",
            "* a week\n* from the day of delivery",
        )[form]
    return (
        days,
        f"You have **{days} days**.",
        f"لديك {days} يوما",
        f"* {days} days\n* from the day of delivery",
    )[form]


def _label(output: fd.Output, score: float) -> fd.Verdict:
    return fd.Verdict(
        case_id=output.case_id, system=output.system, by="ann", source="human", outcome="graded", score=score
    )


def messy_run(folder: Path, cases: int, *, worse: bool = False) -> fd.Run:
    """Evaluate them with the word overlap baseline, which passes much that is wrong."""
    made_cases, outputs, labels = messy_inputs(cases, worse=worse)
    judge = fd.judge("memory_answer", model="baseline")
    return fd.evaluate(made_cases, outputs, judges=judge, labels=labels, out=folder, progress=False)
