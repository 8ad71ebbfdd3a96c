"""Ladder questions: a dial makes a case with a faulty and a right output, by level and seed."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import NamedTuple

import msgspec

from ....deterministic.checkers import check
from ....deterministic.mutation import Dial, Rung
from ....deterministic.options import CheckOptions
from ....errors import ConfigurationError
from ....records import Case, ItemKey, JudgeId, Output, encode_record
from ....records.output import planted_step
from ..probe_folder import ProbeFacts

RIGHT, FAULTY = "right", "faulty"


class LadderRound(msgspec.Struct, frozen=True, kw_only=True):
    """Questions to one judge about one dial in one round, recorded before asking.

    Seeds are not recorded, because they follow from the levels. The k-th question about a faulty output at a level has seed k. The k-th
    question about a right output has seed k, counted over all levels.

    Attributes:
        judge: The judge that is asked.
        dial: Name of the dial.
        faulty: Level of each question about a faulty output.
        right: Level of each question about a right output.
    """

    judge: JudgeId
    dial: str
    faulty: list[int]
    right: list[int]


class LadderQuestion(NamedTuple):
    """Question about the faulty or the right output of a case that a dial makes."""

    dial: str
    level: int
    seed: int
    faulty: bool

    @property
    def key(self) -> ItemKey:
        """Key of the output."""
        return ItemKey(f"{self.dial}/{self.level}/{self.seed}", FAULTY if self.faulty else RIGHT, 0)

    @property
    def cluster(self) -> str:
        """Cluster, which questions of the same seed share at all levels."""
        return f"{self.dial}/{self.seed}"

    def facts(self, label: float, rung: Rung) -> ProbeFacts:
        """Return the facts of the question as a probe."""
        right_output = self.key._replace(system=RIGHT)
        if not self.faulty:
            return ProbeFacts(self.key, self.dial, "nothing", right_output, label, "")
        is_trajectory = rung.faulty.turns is not None
        planted = planted_step(rung.case, rung.right, rung.faulty) if is_trajectory else None
        return ProbeFacts(self.key, self.dial, "fault", right_output, label, rung.change, planted)


def questions(rows: Iterable[LadderRound]) -> Iterator[LadderQuestion]:
    """Yield the questions that one judge was asked, in order."""
    asked_before: Counter[tuple[str, int | None]] = Counter()  # by dial and level; None for right outputs
    for row in rows:
        for level in row.faulty:
            yield LadderQuestion(row.dial, level, asked_before[row.dial, level], faulty=True)
            asked_before[row.dial, level] += 1
        for level in row.right:
            yield LadderQuestion(row.dial, level, asked_before[row.dial, None], faulty=False)
            asked_before[row.dial, None] += 1


class LadderItem(NamedTuple):
    """Case and output of a ladder question, and its facts as a probe."""

    case: Case
    output: Output
    facts: ProbeFacts


def make_item(dial: Dial, question: LadderQuestion, options: CheckOptions) -> LadderItem:
    """Make the case and output for a question.

    Raises:
        ConfigurationError: The strict checker contradicts the dial's label.
    """
    rung = dial.make(question.seed, question.level)
    output = rung.faulty if question.faulty else rung.right
    label = (rung.label or 0.0) if question.faulty else 1.0
    if rung.label is None:  # the dial gives no label, so the checker must agree with 1 and 0
        score = check(rung.case, output, options).score
        if score != label:
            raise ConfigurationError(
                f"dial {dial.name!r}, level {question.level}, seed {question.seed}: strict rules give its {question.key.system} output {score}"
            )
    case_id, system, trial = question.key
    return LadderItem(
        msgspec.structs.replace(rung.case, id=case_id, cluster=question.cluster),
        msgspec.structs.replace(output, case_id=case_id, system=system, trial=trial),
        question.facts(label, rung),
    )


def dial_hash(dial: Dial) -> str:
    """Return a hash of a dial's first case at each level, which identifies the dial."""
    digest = hashlib.sha256()
    for level in dial.levels:
        digest.update(encode_record(dial.make(0, level)))
    return digest.hexdigest()
