from collections.abc import Iterator
from random import Random

from msgspec.structs import replace

import fiducial as fd
from fiducial.deterministic.mutation import Mutation, Subject


@fd.operator("shouted", family="answer", plants="twin", about="the same answer in capitals")
def shout(subject: Subject, rng: Random) -> Iterator[Mutation]:
    if subject.output.text:
        yield Mutation(replace(subject.output, text=subject.output.text.upper()), "wrote it in capitals")
