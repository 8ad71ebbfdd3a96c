"""Whole result trees: counts, files written, and systems kept apart."""

from __future__ import annotations

from typing import Any

import pytest

from fiducial.errors import InputError

RIGHT = {
    "simple_python_0": "[garden.water(bed='roses', litres=10)]",
    "simple_python_1": "[garden.water(bed='herbs')]",
    "simple_python_2": "[garden.prune(plant='hazel')]",
}
WRONG = {**RIGHT, "simple_python_1": "[garden.water(bed='lawn')]"}


def test_right_answers_leave_only_the_header(tree: Any):
    tree.answer("good", RIGHT, "simple_python")
    tree.score()
    assert tree.score_file("good", "simple_python") == [
        {"accuracy": 1.0, "correct_count": 3, "total_count": 3}
    ]


def test_a_wrong_answer_is_a_line_with_all_that_belongs_to_it(tree: Any):
    tree.answer("bad", WRONG, "simple_python")
    tree.score()
    header, line = tree.score_file("bad", "simple_python")
    assert header == {"accuracy": 2 / 3, "correct_count": 2, "total_count": 3}
    assert list(line) == [
        "id",
        "model_name",
        "test_category",
        "valid",
        "error",
        "error_type",
        "prompt",
        "model_result_raw",
        "model_result_decoded",
        "possible_answer",
    ]
    assert (line["id"], line["model_name"], line["valid"]) == ("simple_python_1", "bad", False)
    assert line["error_type"] == "value_error:string"
    assert line["prompt"]["id"] == "simple_python_1"
    assert line["model_result_decoded"] == [{"garden.water": {"bed": "lawn"}}]
    assert line["possible_answer"] == [{"garden.water": {"bed": ["herbs"], "litres": [5, ""]}}]
    [reason] = line["error"]
    assert "bed" in reason
    assert "lawn" in reason


def test_an_answer_that_cannot_be_decoded_has_no_decoded_form(tree: Any):
    tree.answer("s", {"simple_python_0": "I cannot"}, "simple_python")
    tree.score(partial=True)
    _, line = tree.score_file("s", "simple_python")
    assert line["error_type"] == "ast_decoder:decoder_failed"
    assert "model_result_decoded" not in line


def test_a_decoded_form_that_is_no_call_list_is_written_as_text(tree: Any):
    tree.answer("s", {"simple_python_0": [{"garden.water": "[1]"}]}, "simple_python")
    tree.score(partial=True)
    _, line = tree.score_file("s", "simple_python")
    assert line["error_type"] == "ast_decoder:decoder_wrong_output_format"
    assert line["model_result_decoded"] == "[{'garden.water': [1]}]"
    assert line["model_result_raw"] == "[{'garden.water': '[1]'}]"


def test_a_parallel_mismatch_says_why_each_call_was_not_the_one(tree: Any):
    answer = "[garden.water(bed='roses'), garden.water(bed='lawn')]"
    tree.answer("s", {"parallel_0": answer}, "parallel")
    tree.score()
    _, line = tree.score_file("s", "parallel")
    sentence, tried = line["error"]
    assert line["error_type"] == "parallel_function_checker_no_order:cannot_find_match"
    assert isinstance(sentence, str)
    assert tried["sub_error_type"] == "value_error:string"
    assert tried["model_output_item"] == {"garden.water": {"bed": "lawn"}}
    assert tried["possible_answer_item"] == {"garden.water": {"bed": ["herbs"], "litres": [5, ""]}}


def test_a_call_where_none_belongs_shows_what_was_decoded(tree: Any):
    tree.answer("s", {"irrelevance_0": "[garden.water(bed='x')]"}, "irrelevance")
    tree.score()
    _, line = tree.score_file("s", "irrelevance")
    assert list(line)[4:] == ["prompt", "model_result", "decoded_result", "error", "error_type"]
    assert line["decoded_result"] == [{"garden.water": {"bed": "x"}}]


def test_no_call_where_one_belongs_has_nothing_decoded(tree: Any):
    tree.answer("s", {"live_relevance_0-0-0": "No, thanks."}, "live_relevance")
    tree.score()
    _, line = tree.score_file("s", "live_relevance")
    assert (line["decoded_result"], line["error_type"]) == (None, "relevance_error:decoder_failed")


TURNS = [[[{"add": '{"a": 1, "b": 2}'}], "3"], [[{"mean": '{"numbers": [1, 3]}'}], "2"]]


def test_a_conversation_that_does_all_is_valid(tree: Any):
    tree.answer("s", {"multi_turn_miss_func_0": TURNS}, "multi_turn_miss_func")
    assert tree.score()["s"].scores["multi_turn_miss_func"].tally.correct == 1


def test_a_conversation_that_falls_short_names_its_error_inside(tree: Any):
    tree.answer("s", {"multi_turn_miss_func_0": TURNS[:1]}, "multi_turn_miss_func", inference_log=["said"])
    tree.score()
    _, line = tree.score_file("s", "multi_turn_miss_func")
    assert list(line)[4:] == [
        "error",
        "prompt",
        "model_result_raw",
        "model_result_decoded",
        "possible_answer",
        "inference_log",
    ]
    assert line["error"]["error_type"] == "multi_turn:force_terminated"
    assert line["error"]["error_message"]
    assert line["model_result_decoded"] == [[["add(a=1,b=2)"]]]
    assert line["inference_log"] == ["said"]


def test_a_conversation_that_never_was_keeps_what_is_stored(tree: Any):
    tree.answer("s", {"multi_turn_miss_func_0": "Error during inference"}, "multi_turn_miss_func")
    tree.score()
    _, line = tree.score_file("s", "multi_turn_miss_func")
    assert line["error"]["error_type"] == "multi_turn:inference_error"
    assert line["model_result"] == "Error during inference"
    assert "model_result_raw" not in line


def test_agentic_files_lie_by_backend_and_quote_the_last_message(tree: Any):
    answer = [[[{"recall": '{"key": "plant"}'}], "It was an oak."]]
    tree.answer("s", {"memory_rec_sum_0-garden-0": answer}, "memory_rec_sum")
    tree.score()
    assert (tree.scores / "s/agentic/memory/rec_sum/BFCL_v4_memory_rec_sum_score.json").is_file()
    _, line = tree.score_file("s", "memory_rec_sum")
    assert line["error"]["error_type"] == "agentic:answer_not_found"
    assert line["last_non_fc_message"] == "It was an oak."
    assert line["prompt"] == [[{"role": "user", "content": "Which plant did I mention?"}]]
    assert line["possible_answer"] == ["hazel", "a hazel"]


def test_format_sensitivity_is_decoded_as_each_configuration_asked(tree: Any, bfcl_data: Any):
    from fiducial.formats.bfcl import CATEGORIES, open_source, read_entries

    calls = {
        "python": "[garden.prune(plant='hazel')]",
        "json": '[{"function": "garden.prune", "parameters": {"plant": "hazel"}}]',
        "verbose_xml": '<functions><function name="garden.prune"><params><param name="plant" value="hazel" type="string"/></params></function></functions>',
        "concise_xml": '<functions><function name="garden.prune"><param name="plant" type="string">hazel</param></function></functions>',
    }
    answers: dict[str, str] = {}
    for entry in read_entries(open_source(bfcl_data), CATEGORIES["format_sensitivity"]):
        if entry.id.endswith(":simple_python_2"):
            text = calls[entry.id.split("ret_fmt=")[1].split("&")[0]]
            answers[entry.id] = f"<TOOLCALL>{text}</TOOLCALL>" if "tool_call_tag=True" in entry.id else text
    tree.answer("s", answers, "format_sensitivity")
    tree.score(partial=True)
    [header] = tree.score_file("s", "format_sensitivity")
    assert header["total_count"] == header["correct_count"] == 26
    assert len(header) == 3 + 3 + 26


def test_systems_are_scored_apart(tree: Any):
    tree.answer("good", RIGHT, "simple_python")
    tree.answer("bad", WRONG, "simple_python")
    tree.answer("talks", {"multi_turn_miss_func_0": TURNS}, "multi_turn_miss_func")
    systems = tree.score()
    correct = {name: {c: s.tally.correct for c, s in score.scores.items()} for name, score in systems.items()}
    assert correct == {
        "good": {"simple_python": 3},
        "bad": {"simple_python": 2},
        "talks": {"multi_turn_miss_func": 1},
    }


def test_names_are_decided_by_what_a_system_writes(tree: Any):
    underscored = {name: text.replace("garden.", "garden_") for name, text in RIGHT.items()}
    tree.answer("dots", RIGHT, "simple_python")
    tree.answer("underscores", underscored, "simple_python")
    systems = tree.score()
    assert {name: system.names for name, system in systems.items()} == {
        "dots": "dotted",
        "underscores": "underscored",
    }
    assert {system.scores["simple_python"].tally.correct for system in systems.values()} == {3}


def test_names_that_the_user_states_hold_for_every_system(tree: Any):
    tree.answer("dots", RIGHT, "simple_python")
    assert tree.score(names="underscored")["dots"].scores["simple_python"].tally.correct == 0


def test_total_is_the_number_of_answers_when_part_is_scored(tree: Any):
    tree.answer("s", {"simple_python_2": RIGHT["simple_python_2"]}, "simple_python")
    tree.score(partial=True)
    assert tree.score_file("s", "simple_python") == [{"accuracy": 1.0, "correct_count": 1, "total_count": 1}]


def test_an_incomplete_category_stops_before_its_score_file_is_written(tree: Any):
    tree.answer("s", {"simple_python_2": "x"}, "simple_python")
    with pytest.raises(InputError, match="holds 1 of the 3"):
        tree.score()
    assert not list(tree.scores.rglob("*.json"))


def test_strict_rules_leave_open_what_a_call_alone_does_not_show(tree: Any):
    tree.answer("s", {"live_relevance_0-0-0": "[garden.water(bed='soil')]"}, "live_relevance")
    tree.score(rules="strict")
    header, line = tree.score_file("s", "live_relevance")
    assert header == {"accuracy": None, "correct_count": 0, "total_count": 0, "undecided_count": 1}
    assert line["valid"] is None


def test_scoring_again_replaces_what_was_there(tree: Any):
    tree.answer("s", WRONG, "simple_python")
    tree.score()
    tree.answer("s", RIGHT, "simple_python")
    tree.score()
    assert len(tree.score_file("s", "simple_python")) == 1
