"""Operators on answers: wrong ones that look right, and right ones that look different."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from functools import partial

import msgspec

from ...records import Output
from ..letter_case import is_code
from . import near_values
from .near_values import near_names
from .operator import Mutation, Operator
from .seeding import shuffled
from .subject import Subject

_REFUSALS = (
    "I could not verify whether it is {answer}, so I have no answer to give.",
    "One page mentions {answer}, but nothing confirms it; I am unable to answer.",
)
_DENIALS = ("It is definitely not {answer}.", "{answer} is a common mistake and wrong.")
_STATEMENTS = ("The answer is {answer}.", "After looking it up, I can say that it is {answer}.")
_PADDING = (
    "I went through the material step by step, compared what it says in different places, and checked that nothing "
    "speaks against it. The answer is {answer}. I am happy to explain how I arrived at it, should that be of use."
)


def give_sibling_answer(subject: Subject, _rng: random.Random) -> Iterator[Mutation]:
    """Give the answer of another question."""
    for answer in wrong_answers(subject):
        yield _make_fault(subject, answer, "the answer of another question")


def rephrase(
    templates: Sequence[str], label: float, change: str, subject: Subject, rng: random.Random
) -> Iterator[Mutation]:
    """Put the right answer into a sentence, which denies it, withholds it or states it."""
    for template in shuffled(templates, rng):
        text = template.format(answer=answer_of_output(subject.output))
        yield Mutation(with_text(subject.output, text), change, label=label, by_design=label == 0.0)


def contradict_answer(subject: Subject, rng: random.Random) -> Iterator[Mutation]:
    """Give the right answer together with a wrong one."""
    for wrong_answer in wrong_answers(subject):
        first, second = shuffled([answer_of_output(subject.output), wrong_answer], rng)
        yield _make_fault(
            subject, f"Either {first} or {second}.", f"{wrong_answer!r} stands beside it", by_design=True
        )


def give_near_number(subject: Subject, _rng: random.Random) -> Iterator[Mutation]:
    """Change a number or a date in the answer."""
    answer = answer_of_output(subject.output)
    for change in (
        near_values.shift_dates,
        near_values.near_numbers_in_text,
        near_values.other_magnitude_in_text,
    ):
        for text in change(answer):
            yield _make_fault(subject, text, f"{text!r} instead of {answer!r}")


def give_near_name(subject: Subject, rng: random.Random) -> Iterator[Mutation]:
    """Give a name that begins like the right one."""
    answer = answer_of_output(subject.output)
    for text in near_names(answer, rng):
        yield _make_fault(subject, text, f"{text!r} instead of {answer!r}")


def change_letter_case(subject: Subject, _rng: random.Random) -> Iterator[Mutation]:
    """Write the answer in upper and in lower case, unless it looks like a code."""
    answer = answer_of_output(subject.output)
    if is_code(answer):
        return
    yield _make_twin(subject, answer.upper(), "the answer in capitals")
    yield _make_twin(subject, answer.lower(), "the answer without capitals")


def change_punctuation(subject: Subject, _rng: random.Random) -> Iterator[Mutation]:
    """End the answer with a period, or put it in quotes."""
    answer = answer_of_output(subject.output)
    yield _make_twin(subject, f"{answer}.", "a period at the end")
    yield _make_twin(subject, f'"{answer}"', "the answer in quotes")


def give_accepted_alias(subject: Subject, rng: random.Random) -> Iterator[Mutation]:
    """Give another accepted answer."""
    for answer in shuffled(accepted_answers(subject), rng):
        if answer != answer_of_output(subject.output):
            yield _make_twin(subject, answer, f"{answer!r}, which is accepted as well")


def reorder_answers(subject: Subject, _rng: random.Random) -> Iterator[Mutation]:
    """List the accepted answers in another order."""
    answers = accepted_answers(subject)
    if len(answers) > 1:
        case = msgspec.structs.replace(
            subject.case, reference={**subject.case.reference, "answers": answers[::-1]}
        )
        change = "the accepted answers are listed from back to front"
        yield Mutation(subject.output, change, case, label=1.0)


def answer_of_output(output: Output) -> str:
    """Return the answer of an output: its text, or the last text of its turns."""
    if output.text is not None or output.turns is None:
        return output.text or ""
    texts = [step for turn in output.turns for step in turn if isinstance(step, str)]
    return texts[-1] if texts else ""


def with_text(output: Output, text: str) -> Output:
    """Return the output with a text in the place of its answer."""
    if output.text is not None or output.turns is None:
        return msgspec.structs.replace(output, text=text)
    turns = [list(turn) for turn in output.turns]
    for turn in reversed(turns):
        for index in reversed(range(len(turn))):
            if isinstance(turn[index], str):
                turn[index] = text
                return msgspec.structs.replace(output, turns=turns)
    return msgspec.structs.replace(output, text=text)


def accepted_answers(subject: Subject) -> list[str]:
    """Return the accepted answers."""
    return list(subject.case.reference.get("answers") or ())


def wrong_answers(subject: Subject) -> Iterator[str]:
    """Yield answers to other questions that are not accepted here."""
    accepted = {answer.lower() for answer in accepted_answers(subject)}
    for sibling in subject.siblings:
        answers: list[str] = sibling.reference.get("answers") or []
        # Another question may have the same answer.
        if answers and accepted.isdisjoint(answer.lower() for answer in answers):
            yield answers[0]


def _make_fault(subject: Subject, text: str, change: str, *, by_design: bool = False) -> Mutation:
    return Mutation(with_text(subject.output, text), change, label=0.0, by_design=by_design)


def _make_twin(subject: Subject, text: str, change: str) -> Mutation:
    return Mutation(with_text(subject.output, text), change, label=1.0)


ANSWERS = (
    Operator("answer_of_sibling", "answer", "fault", give_sibling_answer, "the answer of another question"),
    Operator("answer_negated", "answer", "fault", partial(rephrase, _DENIALS, 0.0, "the right answer is denied"), "the right answer, denied"),
    Operator("answer_contradicted", "answer", "fault", contradict_answer, "the right answer beside another one"),
    Operator("answer_in_refusal", "answer", "fault", partial(rephrase, _REFUSALS, 0.0, "a refusal that mentions the answer"), "a refusal that mentions the answer"),
    Operator("answer_near_number", "answer", "fault", give_near_number, "a number or date that is near"),
    Operator("answer_near_name", "answer", "fault", give_near_name, "a name that begins like the right one"),
    Operator("answer_in_sentence", "answer", "twin", partial(rephrase, _STATEMENTS, 1.0, "the answer in a sentence"), "the answer in a sentence"),
    Operator("answer_padded", "answer", "twin", partial(rephrase, (_PADDING,), 1.0, "the answer in many words"), "the answer in many words"),
    Operator("answer_letter_case", "answer", "twin", change_letter_case, "capitals, or none"),
    Operator("answer_punctuation", "answer", "twin", change_punctuation, "a period or quotes"),
    Operator("answer_alias", "answer", "twin", give_accepted_alias, "another accepted answer"),
    Operator("answers_reordered", "answer", "twin", reorder_answers, "accepted answers listed in another order"),
)  # fmt: skip
