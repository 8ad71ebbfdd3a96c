"""Ladder questions: dial, level, seed, and faulty or right output; and the probes they make."""

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

    The k-th question about a faulty output at a level is made of seed k, the k-th about a right one of seed k whatever its level, so that
    levels are all there is to say.

    Attributes:
        judge: The judge that is asked.
        dial: By name.
        faulty: The level of each question about a faulty output.
        right: The level of each question about a right one.
    """

    judge: JudgeId
    dial: str
    faulty: list[int]
    right: list[int]


class LadderQuestion(NamedTuple):
    """One question: about the right output of a dial's case, or about the faulty one."""

    dial: str
    level: int
    seed: int
    faulty: bool

    @property
    def key(self) -> ItemKey:
        """The output that is asked about."""
        return ItemKey(f"{self.dial}/{self.level}/{self.seed}", FAULTY if self.faulty else RIGHT, 0)

    @property
    def cluster(self) -> str:
        """Scene, which the question shares with questions at other levels."""
        return f"{self.dial}/{self.seed}"

    def facts(self, label: float, rung: Rung) -> ProbeFacts:
        """Return the question as a probe of an audit."""
        right = self.key._replace(system=RIGHT)
        if not self.faulty:
            return ProbeFacts(self.key, self.dial, "nothing", right, label, "")
        turned = rung.faulty.turns is not None
        planted = planted_step(rung.case, rung.right, rung.faulty) if turned else None
        return ProbeFacts(self.key, self.dial, "fault", right, label, rung.change, planted)


def questions(rows: Iterable[LadderRound]) -> Iterator[LadderQuestion]:
    """Yield the questions that one judge was asked, in order."""
    seeds: Counter[tuple[str, int | None]] = Counter()
    for row in rows:
        for faulty, levels in ((True, row.faulty), (False, row.right)):
            for level in levels:
                place = (row.dial, level if faulty else None)
                yield LadderQuestion(row.dial, level, seeds[place], faulty)
                seeds[place] += 1


class Posed(NamedTuple):
    """A question as the judge sees it: case and output, with the facts that label it."""

    case: Case
    output: Output
    facts: ProbeFacts


def pose(dial: Dial, question: LadderQuestion, options: CheckOptions) -> Posed:
    """Make the case and output for a question.

    Raises:
        ConfigurationError: The strict checker contradicts the dial's label.
    """
    rung = dial.make(question.seed, question.level)
    output = rung.faulty if question.faulty else rung.right
    label = (rung.label or 0.0) if question.faulty else 1.0
    if rung.label is None:
        score = check(rung.case, output, options).score
        if score != label:
            raise ConfigurationError(
                f"dial {dial.name!r}, level {question.level}, seed {question.seed}: strict rules give its {question.key.system} output {score}"
            )
    case_id, system, trial = question.key
    return Posed(
        msgspec.structs.replace(rung.case, id=case_id, cluster=question.cluster),
        msgspec.structs.replace(output, case_id=case_id, system=system, trial=trial),
        question.facts(label, rung),
    )


def sample_of(dial: Dial) -> str:
    """Return a hash of a dial's first question at each level; a change means another dial."""
    digest = hashlib.sha256()
    for level in dial.levels:
        digest.update(encode_record(dial.make(0, level)))
    return digest.hexdigest()
