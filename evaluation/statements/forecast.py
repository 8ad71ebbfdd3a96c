"""What judging answers statement by statement will ask, before anything is asked."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ...judges import Judge, Work
from ...records import Output, Verdict
from ..context import RunContext
from ..judging.stage import open_work
from ..judging.tasks import JudgeTask
from ..run_folder.folder import STATEMENTS
from ..run_folder.journal import Journal
from ..run_folder.verdict_log import VerdictKey, settled
from .inputs import Splits, StatementInputs
from .splitting import Wanted, long_answers, statement_task, wanted_answers
from .statement import Statement

_SENTENCE_END = re.compile(r"(?<=[.!?])\s+|(?<=[\u3002\uff01\uff1f])|\n+")


def foreseen_work(
    context: RunContext, task: JudgeTask, wanted: Wanted, repeats: int
) -> Iterator[tuple[Judge, Iterator[Work]]]:
    """What judging answers statement by statement will ask. An answer that is not split yet counts as a statement a sentence.

    Args:
        context: Inputs, folder and progress.
        task: Made by `by_statement`.
        wanted: Whether an answer is to be judged.
        repeats: How often each statement is judged.

    Yields:
        Who will be asked, and about what: the splitter, then the judge.
    """
    assert task.asked is not None
    assert task.splitter is not None
    assert task.splitter.asked is not None
    wanted = wanted_answers(context, task, wanted)
    long = long_answers(context.inputs, task.asked, wanted)
    with Journal(context.folder.path / STATEMENTS, Verdict) as journal:
        split = settled(journal)
    yield task.splitter.asked, open_work(context.inputs, task.splitter, long.__contains__, split, 1)
    with Splits(context.folder, task.splitter.id, long) as splits_of:

        def statements_of(output: Output) -> list[Statement]:
            known = VerdictKey(output.key, splits_of.splitter, 0) in split
            return splits_of(output) if known or output.key not in long else _sentences(output)

        inputs = StatementInputs(context.inputs, wanted, statements_of)
        done = settled(context.folder.verdicts)
        yield task.asked, open_work(inputs, statement_task(task), lambda _: True, done, repeats)


def _sentences(output: Output) -> list[Statement]:
    """What a long answer's statements may be like before it is split, to foresee what judging them takes."""
    found = dict.fromkeys(part.strip() for part in _SENTENCE_END.split(output.text or ""))
    return [Statement(part, part) for part in found if part]
