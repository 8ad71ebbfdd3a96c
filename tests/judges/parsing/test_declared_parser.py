"""Which parser a prompt gets."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from fiducial.errors import PromptError
from fiducial.judges.parsing import make_parser
from fiducial.judges.prompt_file import read_prompt_file


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
        with pytest.raises(PromptError, match="fraction_of is the share of pieces that hold"):
            parser_for(tmp_path, f"scale: {{minimum: 0, maximum: 1, better: low}}\nparse: {parse}")


@pytest.mark.parametrize(
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
        ("{mode: json, fraction_of: pieces}", "a mapping with list, key and perhaps cited"),
        ("{mode: json, fraction_of: {list: a}}", "a mapping with list, key and perhaps cited"),
        ("{mode: json, fraction_of: {list: a, key: b, cited: [c]}}", "is not the name of a key"),
        ("{mode: tags, cited: true}", "beside fraction_of"),
        ("{mode: logprobs, pick: last}", "unknown option pick"),
    ],
)
def test_a_wrong_declaration_is_refused(tmp_path: Path, parse: Any, why: str) -> None:
    with pytest.raises(PromptError, match=rf"p\.prompty:3: parse: .*{why}"):
        parser_for(tmp_path, f"parse: {parse}")
