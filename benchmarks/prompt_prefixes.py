"""Share of a question's characters that prompt caches can reuse, by prompt.

    python benchmarks/prompt_prefixes.py [--criteria 6] [--json]

Two tables. Over the items of the built-in suite: characters of each question that it has in common, from the first on, with some earlier question
of the same prompt. About one conversation: what the second to the last of some questions about different criteria have in common with the one
before. Providers cache whole prefixes of about 1,024 tokens upwards; this counts characters, before any tokenizer.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence
from statistics import mean
from typing import Any, NamedTuple

from commands import described

from fiducial.data import demo_path
from fiducial.evaluation.inputs import EvaluationInputs
from fiducial.evaluation.judging.asking import every_output, remaining_work
from fiducial.evaluation.judging.tasks import JudgeTask, judge_task
from fiducial.judges import NotApplicableError, PromptJudge, shipped_prompts
from fiducial.judges.criteria import question_cases
from fiducial.judges.criteria_judge import criterion_work
from fiducial.records import Case, Output

MODEL = "any"
_TURNS = 40


class Prefix(NamedTuple):
    """Shares of the characters of a prompt's questions that an earlier question begins with.

    Attributes:
        prompt: The prompt.
        questions: Number of questions.
        least: The smallest share of all but the first.
        mean: Their mean.
    """

    prompt: str
    questions: int
    least: float
    mean: float


def main() -> int:
    """Print both tables; returns the exit code."""
    parser = described(__doc__)
    parser.add_argument("--criteria", type=int, default=6, help="criteria of the one conversation")
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    suite = list(over_the_suite())
    rubric = list(over_criteria(arguments.criteria))
    if arguments.json:
        print(
            json.dumps(
                {"suite": [each._asdict() for each in suite], "criteria": [each._asdict() for each in rubric]}
            )
        )
        return 0
    _print("Items of the built-in suite", suite)
    print()
    _print(f"{arguments.criteria} criteria of one conversation", rubric)
    return 0


def over_the_suite() -> Iterator[Prefix]:
    """Yield the shares of every prompt over the suite's items."""
    with EvaluationInputs(demo_path("cases.jsonl"), [demo_path("outputs.jsonl")]) as inputs:
        for name in shipped_prompts():
            task = judge_task(str(name), MODEL)
            texts = [
                text
                for case, output in _items(inputs, task)
                if (text := question(_asked(task), case, output))
            ]
            if len(texts) > 1:
                yield prefix(str(name), texts)


def _items(inputs: EvaluationInputs, task: JudgeTask) -> Iterator[tuple[Case, Output]]:
    work = criterion_work(_asked(task), remaining_work(inputs, task, every_output, (), 1))
    return ((case, output) for case, output, _ in work)


def over_criteria(count: int) -> Iterator[Prefix]:
    """Yield prefix shares of the rubric prompts, over criteria of a made-up conversation."""
    messages: list[Any] = [
        [
            {
                "role": "user",
                "content": f"Question {turn}: what do I have to know about step {turn} of the plan, and why?",
            }
        ]
        for turn in range(_TURNS)
    ]
    answers: list[Any] = [
        [f"About step {turn}: begin early, write down what you find, and ask before you go on. " * 5]
        for turn in range(_TURNS)
    ]
    criteria = [
        {"text": f"In the answer on step {number}, the agent says why it matters to begin early."}
        for number in range(count)
    ]
    case = Case(id="plan", kind="open_answer", messages=messages, reference={"criteria": criteria})
    output = Output(case_id="plan", system="a", turns=answers)
    for name in shipped_prompts():
        judge = _asked(judge_task(str(name), MODEL))
        if "criterion" in judge.prompt.shown:
            yield prefix(
                str(name), [question(judge, question_case, output) for question_case in question_cases(case)]
            )


def _asked(task: JudgeTask) -> PromptJudge:
    assert task.prompt_judge is not None
    return task.prompt_judge


def question(judge: PromptJudge, case: Case, output: Output) -> str:
    """Return all that a model is sent about an item; empty where the judge does not apply."""
    try:
        return json.dumps(judge.messages(case, output), ensure_ascii=False)
    except NotApplicableError:
        return ""


def prefix(name: str, texts: Sequence[str]) -> Prefix:
    """Return what each text but the first has in common with the text before or any earlier one."""
    shares = [
        max(common(text, earlier) for earlier in texts[:number]) / len(text)
        for number, text in enumerate(texts)
        if number
    ]
    return Prefix(name, len(texts), min(shares), mean(shares))


def common(text: str, other: str) -> int:
    """Return the length of the longest common prefix of two texts."""
    low, high = 0, min(len(text), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if text[:middle] == other[:middle] else (low, middle - 1)
    return low


def _print(title: str, rows: Sequence[Prefix]) -> None:
    print(f"{title}: share of a question's characters that an earlier one begins with")
    print(f"{'prompt':34} {'n':>5} {'least':>6} {'mean':>6}")
    for row in rows:
        print(f"{row.prompt:34} {row.questions:5} {row.least:6.2f} {row.mean:6.2f}")


if __name__ == "__main__":
    sys.exit(main())
