"""Tables of pairs: outputs, systems and choices in the layouts that files have."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from each_row import each_row
from table_files import written

import fiducial as fd
from fiducial.errors import ColumnsError, InputError
from fiducial.formats.pairwise_rows import are_pairs

PAIR = {"question": "Why?", "output_1": "Because.", "output_2": "It scatters."}
AB = {"question": "Why?", "response_A": "Because.", "response_B": "It scatters."}
MODELS = {"id": "q", "model_a": "careful", "model_b": "hasty"}


def scores(rows: list[dict[str, Any]], path: Path, **options: Any) -> list[float | None]:
    return [verdict.score for verdict in fd.read(written(rows, path), **options).verdicts]


def asked(rows: list[dict[str, Any]], **more: Any) -> list[dict[str, Any]]:
    return [{**row, "question": f"{number}?", "id": f"q{number}", **more} for number, row in enumerate(rows)]


@each_row(
    ("row", "column", "words", "found"),
    [
        (PAIR, "preference", [2, 1, 0, 1.5, 1.25], [0.0, 1.0, 0.5, 0.5, 0.75]),
        (PAIR, "label", [1, 2], [1.0, 0.0]),
        (AB, "label", ["A>B", "B>A", "A=B", "A>>B", "B<<A", "[[A>B]]"], [1.0, 0.0, 0.5, 1.0, 1.0, 1.0]),
        (AB, "verdict", ["A", "B", "tie", "[[B]]", "response_A", "Response B"], [1.0, 0.0, 0.5, 0.0, 1.0, 0.0]),
        (MODELS, "winner", ["model_a", "model_b", "tie", "tie (bothbad)", "both_bad"], [1.0, 0.0, 0.5, 0.5, 0.5]),
        (MODELS, "winner", ["careful", "hasty", "tie"], [1.0, 0.0, 0.5]),
        (AB, "choice", ["first", "second", "tie"], [1.0, 0.0, 0.5]),
        (AB, "better", ["A is better", "B is much better", "equal"], [1.0, 0.0, 0.5]),
        ({"outputs": ["Because.", "It scatters."]}, "preference", ["first", "second"], [1.0, 0.0]),
        ({"outputs": ["Because.", "It scatters."]}, "preference", [1, 2, 0], [1.0, 0.0, 0.5]),
        ({"response_0": "Because.", "response_1": "It scatters."}, "better_response_id", [0, 1], [1.0, 0.0]),
        ({"answer_0": "Because.", "answer_1": "It scatters."}, "winner", [1, 1, 0], [0.0, 0.0, 1.0]),
    ],
)  # fmt: skip
def test_choices_are_scores_of_the_first(
    row: dict[str, Any], column: str, words: list[Any], found: list[float], tmp_path: Path
):
    rows = [{**each, column: word} for each, word in zip(asked([row] * len(words)), words, strict=True)]
    for name in ("pairs.json", "pairs.jsonl", "pairs.csv"):
        written = [
            {key: json.dumps(held) if isinstance(held, list) else held for key, held in each.items()}
            for each in rows
        ]
        assert scores(written if name.endswith("csv") else rows, tmp_path / name) == found


@pytest.fixture
def alpaca(tmp_path: Path) -> Path:
    rows = [
        {"instruction": f"{number}?", "output_1": "x", "output_2": f"y{number}", "generator_1": "old", "generator_2": "new",
         "annotator": "alpaca_eval_gpt4", "preference": preference, "price_per_example": 0.02, "time_per_example": 1.0}
        for number, preference in enumerate([2.0, 2.0, 1.0, 0.0, 1.5])
    ]  # fmt: skip
    return written(rows, tmp_path / "annotations.json")


def test_an_annotation_of_alpaca_eval_is_a_verdict_on_two_outputs(alpaca: Path):
    read = fd.read(alpaca)
    assert (read.format, len(read.cases), len(read.outputs)) == ("pairs", 5, 10)
    first = read.verdicts[0]
    assert (first.system, first.by, first.source, first.score) == (
        "old vs new",
        "alpaca_eval_gpt4",
        "judge",
        0.0,
    )


def test_a_price_is_no_label_and_one_annotator_is_named(alpaca: Path):
    with pytest.raises(InputError, match=r"one annotator \('alpaca_eval_gpt4', 5 choices\)"):
        fd.calibrate(alpaca)


def test_the_win_rate_counts_ties_half(alpaca: Path):
    (match,) = fd.prefer(alpaca).judges[0].matches
    assert (match.a, match.n, match.one_order, match.tied) == ("old", 5, 5, 2)
    assert match.preferred.value == pytest.approx((1 + 2 * 0.5) / 5)


def test_both_bad_is_a_tie_that_says_so(tmp_path: Path):
    (verdict,) = fd.read(written([{**MODELS, "winner": "tie (bothbad)"}], tmp_path / "a.jsonl")).verdicts
    assert (verdict.score, verdict.evidence) == (0.5, {"value": "tie (bothbad)", "both_bad": True})


def test_choices_in_one_hot_columns_are_read(tmp_path: Path):
    none = {"winner_model_a": 0, "winner_model_b": 0, "winner_tie": 0}
    rows = asked([{**MODELS, **none, name: 1} for name in none])
    assert scores(rows, tmp_path / "a.csv") == [1.0, 0.0, 0.5]
    (empty,) = fd.read(written([{**MODELS, **none}], tmp_path / "b.csv"), as_="pairs").verdicts
    assert (empty.score, empty.outcome) == (None, "unparsable")


def test_the_chosen_one_is_the_better_one(tmp_path: Path):
    read = fd.read(written([{"prompt": "Why?", "chosen": "So.", "rejected": "No."}], tmp_path / "a.jsonl"))
    assert [(verdict.system, verdict.source, verdict.score) for verdict in read.verdicts] == [
        ("chosen vs rejected", "human", 1.0)
    ]
    assert [output.text for output in read.outputs] == ["So.", "No."]


def test_both_games_of_mt_bench_are_verdicts_in_both_orders(tmp_path: Path):
    row = {"question_id": 81, "model_1": "m", "model_2": "n", "g1_winner": "model_1", "g2_winner": "model_2", "judge": ["gpt-4", "pair-v2"], "turn": 1}  # fmt: skip
    read = fd.read(written([row], tmp_path / "pair.jsonl"))
    assert [(verdict.system, verdict.by, verdict.score) for verdict in read.verdicts] == [
        ("m vs n", "gpt-4/pair-v2", 1.0),
        ("n vs m", "gpt-4/pair-v2", 1.0),
    ]


def test_a_game_that_failed_has_no_score(tmp_path: Path):
    row = {
        "question_id": 81,
        "model_1": "m",
        "model_2": "n",
        "g1_winner": "error",
        "g2_winner": "tie",
        "judge": "gpt-4",
    }
    assert [(verdict.outcome, verdict.score) for verdict in fd.read(written([row], tmp_path / "a.jsonl")).verdicts] == [("failed", None), ("graded", 0.5)]  # fmt: skip


def test_a_row_without_a_choice_is_ungraded_and_counted(tmp_path: Path):
    rows = asked(
        [{**MODELS, "human_winner": "model_a", "judge_pick": pick} for pick in ("A", "B", None, "perhaps")]
    )
    read = fd.read(written(rows, tmp_path / "a.json"))
    judged = [(verdict.outcome, verdict.score) for verdict in read.verdicts if verdict.by == "judge_pick"]
    assert judged == [("graded", 1.0), ("graded", 0.0), ("not_applicable", None), ("unparsable", None)]


def test_outputs_of_one_question_are_one_case_and_others_a_further_one(tmp_path: Path):
    rows = [
        {
            "question": "Why?",
            "model_a": "x",
            "model_b": "y",
            "response_a": "1",
            "response_b": "2",
            "winner": "model_a",
        },
        {
            "question": "Why?",
            "model_a": "y",
            "model_b": "x",
            "response_a": "2",
            "response_b": "1",
            "winner": "model_a",
        },
        {
            "question": "Why?",
            "model_a": "x",
            "model_b": "y",
            "response_a": "3",
            "response_b": "2",
            "winner": "model_a",
        },
    ]
    read = fd.read(written(rows, tmp_path / "a.json"))
    assert (len(read.cases), len(read.outputs)) == (2, 4)
    assert [verdict.system for verdict in read.verdicts] == ["x vs y", "y vs x", "x vs y"]
    assert read.cases[1].cluster == read.cases[0].id


def test_two_outputs_of_one_system_tell_nothing_and_are_listed(tmp_path: Path):
    rows = asked([{**MODELS, "winner": "model_a"}, {**MODELS, "model_b": "careful", "winner": "model_a"}])
    read = fd.read(written(rows, tmp_path / "a.json"))
    assert (len(read.verdicts), len(read.skipped)) == (1, 1)


@each_row(
    ("row", "column", "values"),
    [
        (AB, "label", [0, 1, 2]),
        (AB, "winner", [1, 2, 1]),
        (PAIR, "preference", [0, 1, 1]),
        (MODELS, "winner", [0, 1, 0]),
    ],
)
def test_numbers_that_nobody_explained_are_asked(
    row: dict[str, Any], column: str, values: list[int], tmp_path: Path
):
    rows = [{**each, column: value} for each, value in zip(asked([row] * 3), values, strict=True)]
    path = written(rows, tmp_path / "a.json")
    with pytest.raises(ColumnsError, match="nothing says which is meant"):
        fd.read(path)
    words = {str(value): float(value == values[0]) for value in values}
    assert scores(rows, tmp_path / "b.json", as_="pairs", map_label=words)[0] == 1.0


def test_a_swapped_row_needs_a_choice_that_names_its_output(tmp_path: Path):
    rows = asked([{**AB, "verdict": word, "swapped": True} for word in ("A", "response_A", "tie")])
    read = fd.read(written(rows, tmp_path / "a.json"))
    assert [(verdict.system, verdict.score) for verdict in read.verdicts] == [("response_B vs response_A", 0.0), ("response_B vs response_A", 0.5)]  # fmt: skip
    assert "first shown" in read.skipped[0].reason


@each_row(
    "rows",
    [
        [{"question": "Why?", "answer_a": "x", "answer_b": "y", "label": "pass"}],
        [{"question": "Why?", "answer_a": "x", "answer_b": "y", "score_a": 1, "score_b": 2}],
        [{"question": "Why?", "answer": "B", "judge_choice": "C", "correct_choice": "A"}],
        [{"item_id": "1", "judge": "j", "score": 1, "label": 0}],
        [{"question": "Why?", "response": "x", "preference": "dark mode"}],
    ],
)
def test_other_tables_are_none_of_pairs(rows: list[dict[str, Any]]):
    assert not are_pairs(rows)


def test_other_columns_are_tags_of_the_case(alpaca: Path):
    read = fd.read(alpaca)
    assert read.tags == ["price_per_example", "time_per_example"]
    assert read.cases[0].tags == {"price_per_example": 0.02, "time_per_example": 1.0}


@each_row(
    ("row", "column", "numbers"),
    [
        ({"outputs": ["Because.", "It scatters."]}, "preference", [0, 1, None]),
        ({"completion_a": "Because.", "completion_b": "It scatters."}, "preference", ["1.0", "0.0", "0.5"]),
        ({"response_0": "Because.", "response_1": "It scatters."}, "preference", [0, 1]),
        (AB, "preference", [0.2, 0.75]),
    ],
)
def test_numbers_that_may_mean_either_output_are_asked(
    row: dict[str, Any], column: str, numbers: list[Any], tmp_path: Path
):
    rows = [
        {**each, column: number} for each, number in zip(asked([row] * len(numbers)), numbers, strict=True)
    ]
    with pytest.raises(fd.ChoiceNeeded) as caught:
        scores(rows, tmp_path / "rows.jsonl")
    assert {"0", "1"} <= caught.value.arguments["map_label"].keys()


def test_shares_between_0_and_1_follow_what_both_ends_mean(tmp_path: Path):
    rows = [
        {**row, "preference": share} for row, share in zip(asked([AB] * 3), [0.2, "0.75", 1], strict=True)
    ]
    assert scores(rows, tmp_path / "a.csv", map_label={"0": 1, "1": 0}) == pytest.approx([0.8, 0.25, 0.0])
    assert scores(rows, tmp_path / "b.csv", map_label={"0": 0, "1": 1}) == pytest.approx([0.2, 0.75, 1.0])


def test_three_outputs_are_no_pair():
    row = {"prompt": "Why?", "response_0": "a", "response_1": "b", "response_2": "c", "winner": "1"}
    assert not are_pairs([row])


@each_row(
    ("judgments", "found"),
    [(7, [None]), ("A>B", [None]), ({"decision": "A>B"}, [1.0]), (float("nan"), []), (None, [])],
)
def test_judgments_that_are_no_list_are_one_judgment(judgments: Any, found: list[Any], tmp_path: Path):
    judged = {**AB, "judgments": [{"decision": "A>B"}, {"decision": "B>A"}], "label": "A>B"}
    rows = asked([judged] * 50)
    rows[40]["judgments"] = judgments
    read = fd.read(written(rows, tmp_path / "rows.jsonl"), as_="pairs")
    of_row = [verdict for verdict in read.verdicts if verdict.case_id == "q40"]
    assert [verdict.score for verdict in of_row if verdict.by != "label"] == found
    assert ([verdict.score for verdict in of_row if verdict.by == "label"], read.skipped) == ([1.0], [])


@each_row("word", ["NaN", "nan"])
def test_numbers_beside_a_text_for_none_are_asked(word: str):
    assert are_pairs([{**AB, "preference": value} for value in (word, 1, 0, 1, 0, 1)])


def test_a_game_that_a_row_lacks_is_an_unreadable_choice(tmp_path: Path):
    games = {**AB, **MODELS, "g1_winner": "model_1", "g2_winner": "model_2"}
    rows = asked([games] * 50)
    del rows[40]["g2_winner"]
    read = fd.read(written(rows, tmp_path / "rows.jsonl"), as_="pairs")
    assert ([verdict.outcome for verdict in read.verdicts[80:82]], read.skipped) == (
        ["graded", "not_applicable"],
        [],
    )
