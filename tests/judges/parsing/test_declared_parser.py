"""Which parser a prompt gets."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from each_row import each_row
from hypothesis import given
from hypothesis import strategies as st

from fiducial.errors import DecodingError, PromptError
from fiducial.judges.parsing import make_parser
from fiducial.judges.parsing.declared_parser import choice_parser
from fiducial.judges.prompt_file import read_prompt_file
from fiducial.records.scale import Scale

SCALE, WORDS = Scale(0, 1, 0.5), {"first": 1.0, "second": 0.0, "tie": 0.5}
alone = choice_parser(SCALE, WORDS)
tagged = choice_parser(SCALE, WORDS, tag="S2", reasons=["S1"])


@pytest.mark.parametrize(
    ("reply", "score"),
    [("first", 1.0), (" Second.\n", 0.0), ("**TIE**", 0.5), ("<think>first? no.</think>\nsecond", 0.0)],
)
def test_a_word_alone_is_read(reply: str, score: float) -> None:
    assert alone(reply).score == score
    assert tagged(reply).score == score


@pytest.mark.parametrize(
    ("reply", "score"),
    [
        ("<S1>The first is wrong, the second is right.</S1>\n<S2>second</S2>", 0.0),
        ("<s2> Tie </s2>", 0.5),
        ("<S1>It says <S2>second</S2>.</S1><S2>first</S2>", 1.0),
        ("First: <S1>wrong</S1>\n**Second**\n\nright\n<S2>second</S2>", 0.0),
    ],
)
def test_a_tagged_word_is_read(reply: str, score: float) -> None:
    assert tagged(reply).score == score


def test_the_reason_is_kept() -> None:
    assert tagged("<S1>It is right.</S1><S2>first</S2>").reason == "It is right."


@each_row(
    "reply",
    [
        "",
        "A",
        "1",
        "neither",
        "The first output is better.",
        "first or second",
        "first second",
        "<S2>first</S2><S2>second</S2>",
        "<S2>your choice</S2><S2>first</S2>",
        "<S2>first</S2> and again <S2>first</S2>",
        "S2: second. It says <S2>first</S2>",
        "<S2>first",
        "<S1>first</S1>",
        "<S2></S2>",
        "firstly",
    ],
)
def test_anything_else_is_not_a_choice(reply: str) -> None:
    with pytest.raises(DecodingError):
        tagged(reply)


_DEGREES = choice_parser(
    SCALE, {"correct": 1.0, "partially correct": 0.5, "incorrect": 0.0}, tag="S2", reasons=["S1"]
)


@each_row(
    ("reply", "score"),
    [
        ("partially correct", 0.5),
        ("**Partially Correct**.", 0.5),
        ("<S1>The date is not correct.</S1><S2>partially_correct</S2>", 0.5),
        ("<S2>Partially-correct</S2>", 0.5),
        ("S2: partially correct\n<S2>partially correct</S2>", 0.5),
        ("<S2>correct</S2>", 1.0),
    ],
)
def test_a_label_may_have_several_words(reply: str, score: float) -> None:
    assert _DEGREES(reply).score == score


@each_row(
    "reply",
    [
        "not correct",
        "partially",
        "correct, partially",
        "partially correct, or incorrect",
        "S2: correct\n<S2>partially correct</S2>",
        "S2: partially correct\n<S2>correct</S2>",
        "<S2>partially correct</S2><S2>correct</S2>",
    ],
)
def test_a_part_of_a_label_or_two_labels_are_not_read(reply: str) -> None:
    with pytest.raises(DecodingError):
        _DEGREES(reply)


def test_the_message_says_what_was_found() -> None:
    with pytest.raises(DecodingError, match="none of first, second, tie alone in the reply, but 'neither'"):
        alone("neither")


@given(st.text())
def test_no_reply_does_anything_but_be_read_or_be_refused(reply: str) -> None:
    with suppress(DecodingError):
        assert tagged(reply).score in {0.0, 0.5, 1.0}


@each_row(
    ("parse", "why"),
    [
        ("{mode: choice}", "choices must map two words or more"),
        ("{mode: choice, choices: {a: 1}}", "choices must map two words or more"),
        ("{mode: choice, choices: {a: 1, b: 2}}", "the score of 'b', 2, is not on the scale"),
        ("{mode: choice, choices: {a: 1, b: true}}", "is not on the scale"),
        ("{mode: choice, choices: {a: 1, 'b: c': 0}}", "choices must map words to scores"),
        ("{mode: choice, choices: {b-c: 1, 'B c': 0}}", "has two scores"),
        ("{mode: choice, choices: {a: 1, A: 0}}", "has two scores"),
        ("{mode: choice, choices: {a: 1, b: 0}, tag: 'x y'}", "is not the name of a tag"),
        ("{mode: choice, choices: {a: 1, b: 0}, pick: last}", "unknown option pick"),
    ],
)
def test_a_declaration_that_cannot_be_kept_is_refused(tmp_path: Path, parse: str, why: str) -> None:
    path = tmp_path / "p.prompty"
    path.write_text(
        f"---\nname: p\nscale: {{minimum: 0, maximum: 1, step: 0.5}}\nparse: {parse}\n---\nuser:\nChoose.\n",
        encoding="utf-8",
    )
    with pytest.raises(PromptError, match=why):
        make_parser(read_prompt_file(path))


def parser_for(folder: Path, front: str, body: str = "user:\nJudge."):
    path = folder / "p.prompty"
    scale = "" if "scale:" in front else "scale: {minimum: 0, maximum: 1, step: 1}\n"
    path.write_text(f"---\nname: p\n{front}\n{scale}---\n{body}\n", encoding="utf-8")
    return make_parser(read_prompt_file(path))


@pytest.mark.parametrize(
    ("front", "body", "reply"),
    [
        ("", "user:\nReply <S2>score</S2>", "<S1>why</S1><S2>1</S2>"),
        ("", "user:\nReply <score>your score</score>", "<reason>why</reason><score>1</score>"),
        ("", "user:\nReply 0 or 1", "1"),
        ("model: {parameters: {response_format: {type: json_object}}}", "user:\nJudge.", '{"score": 1}'),
    ],
)
def test_without_a_declaration_the_prompt_itself_tells(
    tmp_path: Path, front: str, body: str, reply: str
) -> None:
    assert parser_for(tmp_path, front, body)(reply).score == 1


def test_a_share_of_pieces_goes_with_a_scale_whose_better_end_is_high(tmp_path: Path) -> None:
    for parse in ("{mode: tags, fraction_of: P}", "{mode: json, fraction_of: {list: a, key: b}}"):
        with pytest.raises(PromptError, match="fraction_of needs a scale with the highest score as the best"):
            parser_for(tmp_path, f"scale: {{minimum: 0, maximum: 1, better: low}}\nparse: {parse}")


@each_row(
    ("parse", "why"),
    [
        ("{mode: guess}", "unknown mode 'guess'"),
        ("{}", "unknown mode None"),
        ("{mode: tags, scor: S2}", "unknown option scor"),
        ("{mode: tags, score: 'a b'}", "not the name of a tag"),
        ("{mode: number, pick: first}", "alone or last"),
        ("{mode: number, after: 1}", "heading"),
        ("{mode: json, all_of: 1}", "1 is not the name of a key"),
        ("{mode: json, reason: [a]}", "is not the name of a key"),
        ("{mode: json, score: {a: b}}", "is not the name of a key"),
        ("{mode: json, fraction_of: pieces}", "a mapping with list, key and optionally cited"),
        ("{mode: json, fraction_of: {list: a}}", "a mapping with list, key and optionally cited"),
        ("{mode: json, fraction_of: {list: a, key: b, cited: [c]}}", "is not the name of a key"),
        ("{mode: tags, cited: true}", "beside fraction_of"),
        ("{mode: logprobs, pick: last}", "unknown option pick; known are none"),
    ],
)
def test_a_wrong_declaration_is_refused(tmp_path: Path, parse: Any, why: str) -> None:
    with pytest.raises(PromptError, match=rf"p\.prompty:3: parse: .*{why}"):
        parser_for(tmp_path, f"parse: {parse}")


def test_a_score_beyond_floating_point_is_refused_with_its_line(tmp_path: Path) -> None:
    path = tmp_path / "p.prompty"
    path.write_text(
        "---\nscale: {minimum: 0, maximum: 1}\n"
        f"parse: {{mode: choice, choices: {{yes: {10**400}, no: 0}}}}\n---\nuser:\nx\n"
    )
    with pytest.raises(PromptError, match=r"p\.prompty:3: parse: int too large"):
        make_parser(read_prompt_file(path))
