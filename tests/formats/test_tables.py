"""Rows of tables, and of tools that write rows."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeAlias

import pytest

import fiducial as fd
from fiducial.api.reading import import_files
from fiducial.cli.spelled_options import option_of
from fiducial.errors import InputError, UsageError
from fiducial.records import ToolCall
from fiducial.report.text.import_text import import_lines
from fiducial.spelling import spelled_as_options

Read: TypeAlias = Callable[..., fd.Reading]


@pytest.fixture
def read(tmp_path: Path):
    def read(text: str, name: str = "rows.csv", **options: Any):
        (tmp_path / name).write_text(text)
        return fd.read(tmp_path / name, **options)

    return read


def test_cells_are_the_texts_that_stand_there(read: Read):
    found = read("id,question,answer,expected,price\n001,When?,2026-01-01,01,1.50\n")
    [case] = found.cases
    assert (case.id, case.reference, case.tags) == ("001", {"answers": ["01"]}, {"price": "1.50"})
    assert found.outputs[0].text == "2026-01-01"


@pytest.mark.parametrize("wrapper", ["function", "function_call", "functionCall", "tool_call"])
def test_an_expected_call_may_be_in_the_form_of_any_provider(read: Read, wrapper: str):
    call = {wrapper: {"name": "f", "args": {"x": 1}}}
    [case] = read(json.dumps({"question": "a", "expected_calls": [call]}), "rows.jsonl").cases
    assert case.reference == {"calls": [{"name": "f", "arguments": {"x": 1}}]}


def test_a_column_of_messages_with_results_in_a_user_message_ends_with_the_answer(read: Read):
    messages: list[dict[str, Any]] = [
        {"role": "user", "content": "Go"},
        {"role": "assistant", "content": [{"type": "tool_use", "id": "c", "name": "f", "input": {}}]},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "c", "content": "1"}]},
        {"role": "assistant", "content": "Done."},
    ]
    found = read(json.dumps({"id": "1", "messages": messages}), "rows.jsonl", as_="json")
    assert found.cases[0].messages == [{"role": "user", "content": "Go"}]
    assert (found.outputs[0].text, found.outputs[0].tool_calls) == ("Done.", [ToolCall(name="f")])


@pytest.mark.parametrize(("name", "separator"), [("a.tsv", "\t"), ("a.csv", ";"), ("a.csv", "|")])
def test_the_separator_is_that_of_the_header(read: Read, name: str, separator: str):
    found = read(separator.join(["question", "answer"]) + "\n" + separator.join(['"a,b"', "c"]) + "\n", name)
    assert (found.format, found.cases[0].messages[0], found.outputs[0].text) == ("csv", {"role": "user", "content": "a,b"}, "c")  # fmt: skip


def test_a_row_with_too_many_fields_is_listed_with_its_line(read: Read):
    found = read("question,answer\na,b\nc,d,e\nf,g\n")
    assert len(found.cases) == 2
    assert [(skipped.line, skipped.reason) for skipped in found.skipped] == [
        (3, "wrong number of fields: 3, but the header has 2")
    ]


def test_a_column_that_is_named_twice_is_refused(read: Read):
    with pytest.raises(InputError, match="question: the header names this column twice"):
        read("question,question\na,b\n")


def test_calls_and_lists_stand_in_cells_as_json(read: Read):
    calls = json.dumps([{"name": "f", "args": {"x": 1}}]).replace('"', '""')
    found = read(f'question,tool_calls,expected_calls,contexts\na,"{calls}","{calls}","[""p"", ""q""]"\n')
    [case] = found.cases
    assert (case.kind, found.outputs[0].tool_calls) == ("tool_call", [ToolCall(name="f", arguments={"x": 1})])
    assert [item.content for item in case.context] == ["p", "q"]
    assert fd.check(case, found.outputs[0]).score == 1.0


def test_a_column_is_a_score_or_a_label_where_that_is_said(read: Read):
    text = "question,answer,quality,gold\na,b,0.5,1\nc,d,-7,0\n"
    found = read(text, map={"score": "quality", "label": "gold"})
    assert [(v.by, v.source, v.score) for v in found.verdicts] == [
        ("quality", "judge", 0.5),
        ("gold", "human", 1.0),
        ("gold", "human", 0.0),
    ]
    assert [skipped.line for skipped in found.skipped] == [3]


@pytest.mark.parametrize(
    ("field", "hint"),
    [
        ("label", "with label_scale=('?', '?') (1:5 if 5 is best"),
        ("score", "map={'label': 'score'}, label_scale=('?', '?')"),
    ],
)
def test_the_worst_grade_of_a_scale_that_nobody_named_is_no_pass(
    read: Read, tmp_path: Path, field: str, hint: str
):
    (tmp_path / "graded.csv").write_text(f"id,{field}\nx,1\ny,5\nz,3\n")
    found = read("id,question,answer\nx,a,b\ny,c,d\nz,e,f\n", join=tmp_path / "graded.csv")
    assert [verdict.source for verdict in found.verdicts] == []
    assert [skipped.line for skipped in found.skipped] == [2, 3, 4]
    assert hint in found.skipped[0].reason


@pytest.mark.parametrize(
    ("name", "asked"),
    [
        ("label", {"label_scale": ("?", "?")}),
        ("human_score", {"label_scale": ("?", "?")}),
        ("score", {"score_scale": {"score": ("?", "?")}}),
    ],
)
def test_the_scale_of_grades_above_1_is_asked(read: Read, name: str, asked: dict[str, Any]):
    text = f"id,question,answer,{name}\n" + "".join(
        f"q{number},a,b,{number % 5 + 1}\n" for number in range(10)
    )
    with pytest.raises(fd.ChoiceNeeded) as caught:
        read(text)
    assert caught.value.arguments == asked
    answered: Any = {
        key: (1, 5) if isinstance(open_, tuple) else {name: (1, 5)} for key, open_ in asked.items()
    }
    graded = [verdict.score for verdict in read(text, **answered).verdicts if verdict.by == name]
    assert graded == [0.0, 0.25, 0.5, 0.75, 1.0] * 2


def test_columns_are_asked_about_in_their_order_in_the_table(read: Read):
    people = [f"annotator_{name}" for name in ("c", "a", "f", "b", "e", "d")]
    text = f"question,answer,{','.join(people)}\n" + "".join(
        f"q{number},a,{','.join(6 * [str(number % 5 + 1)])}\n" for number in range(10)
    )
    with pytest.raises(fd.ChoiceNeeded) as caught:
        read(text)
    assert [choice.question.split("'")[1] for choice in caught.value.choices] == people


def test_the_user_may_say_that_no_column_holds_labels_or_scores(read: Read):
    topics = ("shop", "travel", "food", "garden", "boats")
    text = "id,question,answer,label,gpt_score\n" + "".join(
        f"q{number},a,b,{topics[number % 5]},{number % 4}\n" for number in range(20)
    )
    with pytest.raises(fd.ChoiceNeeded, match="'label': ''"):
        read(text)
    found = read(text, map={"label": "", "score": ""})
    assert (found.verdicts, found.skipped, found.cases[1].tags["label"]) == ([], [], "travel")


def test_a_label_outside_its_scale_names_that_scale(read: Read):
    found = read("question,answer,grade\na,b,1\nc,d,9\n", label_scale=(1, 5))
    assert [verdict.score for verdict in found.verdicts] == [0.0]
    assert "the label '9' is not from 1 to 5" in found.skipped[0].reason


def test_grades_may_have_a_decimal_comma(read: Read):
    found = read(
        "Frage;answer;Note;score\na;b;4,5;0,25\nc;d;1;1,0\n",
        map={"query": "Frage", "label": "Note"},
        label_scale=(1, 5),
    )
    assert [verdict.score for verdict in found.verdicts] == [0.25, 0.875, 1.0, 0.0]


def test_cases_by_the_default_criterion_are_counted_and_quote_it(tmp_path: Path):
    (tmp_path / "rows.csv").write_text("question,answer\nq,x\nr,y\n")
    told = list(import_lines(import_files([tmp_path / "rows.csv"], tmp_path / "shop")))
    assert told[2].startswith("  2 cases by the default criterion, 'The reply does what the user asked for")
    own = import_files([tmp_path / "rows.csv"], tmp_path / "shop", criterion="It is short.")
    assert own.default_criterion == 0


WIDE = "question,expected,answer_a,answer_b\nq,x,x,\nr,y,no,y\n"
BOTH = {"response": "answer_a", "answer_b": "response"}


def test_several_columns_of_answers_are_a_system_each(read: Read):
    found = read(WIDE, map=BOTH)
    assert [(case.id, case.tags) for case in found.cases] == [("row-000001", {}), ("row-000002", {})]
    assert [(output.case_id, output.system, output.text) for output in found.outputs] == [
        ("row-000001", "answer_a", "x"),
        ("row-000001", "answer_b", None),
        ("row-000002", "answer_a", "no"),
        ("row-000002", "answer_b", "y"),
    ]


def test_a_row_without_one_of_several_columns_has_no_answer_of_that_system(read: Read):
    rows = [{"question": "q", "answer_a": "x"}, {"question": "r", "answer_a": "y", "answer_b": "z"}]
    found = read("".join(f"{json.dumps(row)}\n" for row in rows), "rows.jsonl", map=BOTH, as_="json")
    assert [output.system for output in found.outputs] == ["answer_a", "answer_a", "answer_b"]


@pytest.mark.parametrize(
    ("extra", "options", "message"),
    [
        ("grade", {}, "column 'grade' may be of any of the answers in 'answer_a', 'answer_b'"),
        ("model", {}, "column 'model' may be of any of the answers"),
        ("note", {"system": "me"}, "system= names one system, and 2 columns hold answers"),
    ],
)
def test_what_may_be_of_any_of_several_answers_is_refused(
    read: Read, extra: str, options: dict[str, Any], message: str
):
    text = "".join(f"{line},{'1' if n else extra}\n" for n, line in enumerate(WIDE.splitlines()))
    with pytest.raises(UsageError, match=message):
        read(text, map=BOTH, **options)


def test_columns_that_look_like_answers_of_several_systems_are_all_proposed(read: Read):
    found = read("question,gold,answer_a,answer_b\nq 1,x,x y,z y\nr 1,y,no no,y y\n")
    assert f"name those that are fields: map={BOTH!r}" in repr(found)


def test_rows_of_which_nothing_says_what_they_are_name_the_option(read: Read):
    with pytest.raises(UsageError, match="farbe=shape: neither is a field"):
        read("colour,form\nred,round\n", as_="csv", map={"farbe": "shape"})
    named = r"name them, for example map=\{'query': 'colour', 'response': 'form'\}"
    with pytest.raises(InputError, match=named):
        read("colour,form\nred,round\n", as_="csv")


def test_data_frames_and_rows_are_read_without_a_change():
    import pandas as pd

    frame = pd.DataFrame({"id": ["001", "002"], "question": ["a", "b"], "answer": ["c", None], "n": [1.0, float("nan")]})  # fmt: skip
    found = fd.read(frame)
    assert [(case.id, case.tags) for case in found.cases] == [("001", {"n": 1.0}), ("002", {})]
    assert [(output.case_id, output.error) for output in found.outputs] == [("001", None), ("002", "the answer is empty")]  # fmt: skip
    assert fd.read([{"id": "001", "question": "a", "answer": "c"}]).outputs[0].text == "c"


def test_an_empty_answer_is_an_output_unless_every_one_is_empty(read: Read):
    found = read("id,question,answer\na,Where?,\nb,When?,Now\nc,Who?,\n")
    assert {output.case_id: output.error for output in found.outputs} == {"a": "the answer is empty", "b": None, "c": "the answer is empty"}  # fmt: skip
    assert fd.check(found.cases[0], next(each for each in found.outputs if each.case_id == "a")).score == 0.0
    found = read("id,question,answer\na,Where?,\nb,When?,\n")
    assert (len(found.cases), found.outputs) == (2, [])
    assert "the answer is empty in every row (2)" in found.skipped[0].reason


def test_rows_of_one_session_are_one_conversation_and_rows_with_a_reference_are_not(read: Read):
    found = read("session_id,question,answer\ns,Where?,Rome\ns,When?,Now\n")
    assert [(case.id, len(case.turns)) for case in found.cases] == [("s", 2)]
    found = read("session_id,question,answer,expected\ns,Where?,Rome,Rome\ns,When?,Now,Now\n")
    assert [case.cluster for case in found.cases] == ["s", "s"]


def test_references_are_joined_by_id_and_those_of_no_case_are_listed(read: Read, tmp_path: Path):
    calls = json.dumps([{"name": "f", "arguments": {"x": 1}}]).replace('"', '""')
    table = tmp_path / "expected.csv"
    table.write_text(f'id,expected_calls,team\na,"{calls}",north\nz,"{calls}",\n')
    found = read('id,question,tool_calls\na,Go,"' + calls + '"\n', "rows.csv", join=table)
    assert (found.cases[0].kind, found.cases[0].tags) == ("tool_call", {"team": "north"})
    assert fd.check(found.cases[0], found.outputs[0]).score == 1.0
    assert [(skipped.line, skipped.reason) for skipped in found.skipped] == [(3, "no case has the id 'z'")]


TOOL = '[{"type": "function", "function": {"name": "weather", "parameters": {"type": "object", "properties": {"city": {"type": "string"}}}}}]'


def test_expected_calls_may_be_written_as_text_and_an_unreadable_one_costs_no_case(
    read: Read, tmp_path: Path
):
    table = tmp_path / "expected.csv"
    table.write_text(
        "Calls of the fourth quarter;;;\nSession ID;Expected calls;Human grade;\n"
        "a;f(x=1);yes;\nb;f(x=1;no;\n"
        ';;;\nc;"[{""name"": ""f"", ""arguments"": ""{oops""}]";yes;\n'
    )
    calls = '"[{""name"": ""f"", ""arguments"": {""x"": 1}}]"'
    found = read("id,question,tool_calls\n" + "".join(f"{name},Go,{calls}\n" for name in "abc"), join=table)
    assert [case.kind for case in found.cases] == ["tool_call", "any_call", "any_call"]
    assert found.cases[0].reference["calls"] == [{"name": "f", "arguments": {"x": 1}}]
    assert [(verdict.by, verdict.score) for verdict in found.verdicts] == [("Human grade", 1.0), ("Human grade", 0.0), ("Human grade", 1.0)]  # fmt: skip
    assert [(skipped.line, skipped.field) for skipped in found.skipped] == [(4, "expected_calls"), (6, "expected_calls")]  # fmt: skip
    assert "the arguments of f are not a JSON object" in found.skipped[1].reason


def test_a_title_above_the_header_and_empty_columns_behind_it_are_no_header(read: Read):
    found = read("Answers 2026;;;\n;;;\nquestion;answer;;\na;b;;\nc;d;;e\n")
    assert [case.messages for case in found.cases] == [[{"role": "user", "content": "a"}]]
    assert [skipped.line for skipped in found.skipped] == [5]
    with pytest.raises(InputError, match="two columns have no name: name them in the header"):
        read("question,,,answer\na,,,b\n")


def test_a_reading_of_nothing_shows_why(read: Read):
    with pytest.raises(InputError, match="no record in it can be read as csv: no column is known"):
        read("nr,frage,antwort\n1,Wer war das?,Sie war es.\n")
    with pytest.raises(InputError, match=r"rows\.csv: it has no records to read as csv"):
        read("question,answer\n")


def test_a_data_frame_with_odd_headers_shows_what_became_a_tag():
    import pandas as pd

    frame = pd.DataFrame({"User asks:": ["Which town?"], "Bot reply": ["Ghent"], "Team": ["x"], "ok": [1]})
    found = fd.read(frame)
    assert found.tags == ["User asks:", "Team"]
    assert repr(found).endswith(
        "read as tags: 'User asks:', 'Team'; name those that are fields: map={'query': 'User asks:'}>"
    )
    named = fd.read(frame, map={"query": "User asks"})
    assert (len(named.cases[0].messages), named.tags) == (1, ["Team"])


def test_an_empty_list_of_expected_calls_says_that_none_is_due(read: Read, tmp_path: Path):
    (tmp_path / "expected.csv").write_text("id,expected_calls\nb,[]\n")
    row: dict[str, Any] = {"question": "Thanks!", "answer": "Bye.", "tools": json.loads(TOOL)}
    given: list[dict[str, Any]] = [{"id": "a", "expected_calls": []}, {"id": "b"}, {"id": "c"}]
    rows = "".join(json.dumps(row | each) + "\n" for each in given)
    found = read(rows, "rows.jsonl", join=tmp_path / "expected.csv")
    assert [case.kind for case in found.cases] == ["no_call", "no_call", "open_answer"]
    assert fd.check(found.cases[0], found.outputs[0]).score == 1.0
    run = fd.evaluate(found.cases[:1], found.outputs[:1], out=tmp_path / "run")
    fd.export(run, "hf", tmp_path / "exported")
    assert [case.kind for case in fd.read(tmp_path / "exported").cases] == ["no_call"]


def test_calls_in_a_column_of_answers_are_expected_calls(read: Read):
    expected = '[{""name"": ""weather"", ""arguments"": {""city"": ""Ghent""}}]'
    found = read(f'question,answer,expected\nWeather?,Sunny,"{expected}"\n')
    [case] = found.cases
    assert (case.kind, case.reference["calls"]) == (
        "tool_call",
        [{"name": "weather", "arguments": {"city": "Ghent"}}],
    )
    found = read('question,answer,expected\nWeather?,{},"{""name"": ""Ghent""}"\n')
    assert found.cases[0].kind == "memory_answer"


def test_an_id_of_no_case_names_the_one_that_is_spelled_alike(read: Read, tmp_path: Path):
    (tmp_path / "expected.csv").write_text("id,expected\nConv 1,yes\nconv-2,no\nconv-9,no\n")
    found = read("id,question,answer\nconv-1,Is it?,yes\nconv-2,Is it?,no\n", join=tmp_path / "expected.csv")
    assert [skipped.reason for skipped in found.skipped] == [
        "no case has the id 'Conv 1' (did you mean 'conv-1'?)",
        "no case has the id 'conv-9'",
    ]


def test_a_line_that_ends_early_is_said_to(read: Read):
    found = read('{"question": "a", "answer": "b"}\n{"question": "a", "ans\n', "rows.jsonl")
    assert found.skipped[0].line == 2
    found = read('{"question": "a", "answer": "b"}\n{"question": [\n', "rows.jsonl")
    assert found.skipped[0].reason == "not JSON: it ends before it is complete"


def test_references_of_which_none_has_a_case_name_what_there_is(read: Read, tmp_path: Path):
    table = tmp_path / "expected.csv"
    table.write_text("id,expected\nA1,Rome\n")
    with pytest.raises(InputError, match="no id in it is that of a case: 'A1'"):
        read("id,question,answer\na1,Where?,Rome\n", join=table)
    table.write_text("name,expected\nA1,Rome\n")
    with pytest.raises(InputError, match="no column holds the ids of cases"):
        read("id,question,answer\na1,Where?,Rome\n", join=table)


def test_numbers_beside_a_sample_of_ragas_are_verdicts(read: Read):
    messages = [
        {"type": "human", "content": "Price?"},
        {"type": "ai", "content": "", "tool_calls": [{"name": "price", "args": {"item": "mug"}}]},
        {"type": "tool", "content": "12"},
        {"type": "ai", "content": "12"},
    ]
    rows = [
        {"user_input": "Price?", "response": "12", "retrieved_contexts": ["Mug: 12"], "reference": "12", "faithfulness": 1.0, "recall": float("nan")},
        {"user_input": messages, "reference_tool_calls": [{"name": "price", "args": {"item": "mug"}}]},
    ]  # fmt: skip
    found = read("".join(json.dumps(row) + "\n" for row in rows), "rows.jsonl")
    assert found.format == "ragas"
    assert [case.kind for case in found.cases] == ["web_search_answer", "tool_call"]
    assert [(v.by, v.outcome, v.score) for v in found.verdicts] == [("faithfulness", "graded", 1.0), ("recall", "failed", None)]  # fmt: skip
    assert fd.check(found.cases[1], found.outputs[1]).score == 1.0


def test_a_csv_of_ragas_has_its_metrics_labels_contexts_and_empty_answers(read: Read):
    rows = (
        "user_input,retrieved_contexts,response,faithfulness,recall,human,lang\n"
        "a,\"['one', 'it''s \"\"two\"\"']\",b,0.75,nan,Good,de\n".replace("''", "\\'")
        + "c,\"['x' 'y']\",d,,1,,en\n"
        + "e,plain,,0.5,1,Bad,\n"
    )
    found = read(rows)
    assert found.format == "ragas"
    assert [[item.content for item in case.context] for case in found.cases] == [["one", "it's \"two\""], ["x", "y"], ["plain"]]  # fmt: skip
    assert [output.error for output in found.outputs] == [None, None, "the answer is empty"]
    assert [case.tags for case in found.cases] == [{"lang": "de"}, {"lang": "en"}, {}]
    assert [(v.by, v.source, v.score) for v in found.verdicts] == [
        ("faithfulness", "judge", 0.75),
        ("recall", "judge", None),
        ("human", "human", 1.0),
        ("faithfulness", "judge", None),
        ("recall", "judge", 1.0),
        ("faithfulness", "judge", 0.5),
        ("recall", "judge", 1.0),
        ("human", "human", 0.0),
    ]


def test_answers_may_be_graded_by_the_context_before_a_reference(read: Read, tmp_path: Path):
    rows = "question,context,answer,ground_truth\na,b,c,d\ne,,f,g\n"
    assert [case.kind for case in read(rows).cases] == ["web_search_answer", "memory_answer"]
    told = "\n".join(import_lines(read(rows).save(tmp_path / "in")))
    assert "grade_by='context' (judge: groundedness)" in told
    found = read(rows, grade_by="context")
    assert [case.kind for case in found.cases] == ["grounded_answer", "open_answer"]
    assert found.cases[1].reference["answer"] == "g"
    with pytest.raises(UsageError, match="grade_by= expects reference or context, got 'both'"):
        read(rows, grade_by="both")


def test_a_table_of_scores_alone_is_sent_to_where_scores_are_read(read: Read, tmp_path: Path):
    with pytest.raises(InputError, match="need no import: `fiducial calibrate`"):
        import_files([_written(tmp_path, "id,judge_score,human\na,1,1\n")], tmp_path / "in")


def _written(tmp_path: Path, text: str) -> Path:
    (tmp_path / "scores.csv").write_text(text)
    return tmp_path / "scores.csv"


def test_columns_named_after_metrics_are_judges_scores(read: Read):
    rows = "question,answer,faithfulness,answer_relevancy,lang\na,b,0.5,nan,de\nc,d,,0.9,en\n"
    found = read(rows)
    assert [(verdict.by, verdict.score) for verdict in found.verdicts] == [
        ("faithfulness", 0.5),
        ("answer_relevancy", None),
        ("faithfulness", None),
        ("answer_relevancy", 0.9),
    ]
    assert found.tags == ["lang"]
    table = fd.calibrate([{"faithfulness": n % 2, "answer_relevancy": 1, "human": n % 2} for n in range(8)])
    assert [*table] == ["faithfulness", "answer_relevancy"]


def test_labels_of_two_answers_in_a_row_are_not_taken_for_two_peoples(read: Read):
    rows = "question,answer_a,answer_b,human_a,human_b\na,b,c,1,0\n"
    with pytest.raises(UsageError, match=r"'human_a' may be of any of the answers .*'label': 'human_a'"):
        read(rows, map={"answer_a": "response", "answer_b": "response"})
    [verdict] = read(rows, map={"response": "answer_a", "label": "human_a"}).verdicts
    assert (verdict.by, verdict.score) == ("human_a", 1.0)


def test_a_score_of_phoenix_that_is_better_when_low_is_turned_round_and_said(read: Read):
    score = {"name": "toxic", "score": 0.25, "kind": "llm", "direction": "minimize"}
    row = {"input": "a", "output": "b", "toxic_execution_details": {"status": "COMPLETED"}, "toxic_score": json.dumps(score)}  # fmt: skip
    [verdict] = read(json.dumps(row) + "\n", "rows.jsonl").verdicts
    assert (verdict.score, verdict.evidence["value"], verdict.evidence["direction"]) == (
        0.75,
        0.25,
        "minimize",
    )


def test_grades_of_azure_on_another_scale_are_taken_by_whether_they_pass(read: Read):
    row = {
        "inputs.query": "a",
        "inputs.response": "b",
        "outputs.coherence.coherence": 4.0,
        "outputs.coherence.gpt_coherence": 4.0,
        "outputs.coherence.coherence_result": "pass",
        "outputs.coherence.coherence_threshold": 3,
        "outputs.coherence.coherence_reason": "It flows.",
        "outputs.safety.safety_status": "error",
        "outputs.safety.safety_reason": "429",
        "outputs.length.length": 40,
    }
    found = read(json.dumps({"rows": [row], "metrics": {}}), "result.json")
    assert [(v.by, v.outcome, v.score, v.reason) for v in found.verdicts] == [
        ("coherence", "graded", 1.0, "It flows."),
        ("safety", "failed", None, "429"),
    ]
    assert found.verdicts[0].evidence["value"] == 4.0
    assert found.skipped[0].reason == (
        "expected a score in [0, 1] from 'length', got 40; for another scale: score_scale={'length': ('?', '?')} (0:100 if 100 is best, 100:0 if 0 is)"
    )


def test_calls_of_nine_spellings_are_one(read: Read):
    spelt: list[Any] = [
        {"id": "c", "type": "function", "function": {"name": "f", "arguments": '{"x": 1}'}},
        {"id": "c", "function": "f", "arguments": {"x": 1}, "type": "function"},
        {"type": "tool_call", "id": "c", "name": "f", "arguments": {"x": 1}},
        {"tool_call": {"id": "c", "function": {"name": "f", "arguments": '{"x": 1}'}}},
        {"name": "f", "args": {"x": 1}, "id": "c"},
        {"type": "tool_call", "tool_call_id": "c", "name": "f", "arguments": {"x": 1}},
        {"name": "f", "inputParameters": {"x": 1}},
        {"name": "f", "input_parameters": {"x": 1}},
        {"type": "tool_use", "id": "c", "name": "f", "input": {"x": 1}},
    ]
    rows = "".join(json.dumps({"question": "a", "tool_calls": [call]}) + "\n" for call in spelt)
    outputs = read(rows, "rows.jsonl", as_="json").outputs
    for output in outputs:
        assert output.tool_calls is not None
        [call] = output.tool_calls
        assert call.name == "f"
        assert call.arguments in ({"x": 1}, '{"x": 1}')
    assert len(outputs) == len(spelt)


def test_a_folder_that_datasets_saved_is_read_without_that_library(tmp_path: Path):
    pa = pytest.importorskip("pyarrow")
    folder = tmp_path / "saved"
    folder.mkdir()
    for name in ("dataset_info.json", "state.json"):
        (folder / name).write_text("{}")
    table = pa.table({"id": ["001"], "question": ["a"], "answer": ["b"]})
    with pa.OSFile(str(folder / "data-00000-of-00001.arrow"), "wb") as file, pa.ipc.new_stream(file, table.schema) as out:  # fmt: skip
        out.write_table(table)
    found = fd.read(folder)
    assert (found.format, found.cases[0].id, found.outputs[0].text) == ("hf", "001", "b")


def test_a_parquet_file_with_the_columns_of_a_tool_is_that_tools(tmp_path: Path):
    import pandas as pd

    pytest.importorskip("pyarrow")
    score = json.dumps({"name": "short", "score": 1.0, "direction": "maximize"})
    rows = {"input": ["a"], "output": ["b"], "short_score": [score], "short_execution_details": ['{"status": "COMPLETED"}']}  # fmt: skip
    pd.DataFrame(rows).to_parquet(tmp_path / "rows.parquet")
    found = fd.read(tmp_path / "rows.parquet")
    assert (found.format, [(v.by, v.score) for v in found.verdicts]) == ("phoenix", [("short", 1.0)])


@pytest.mark.parametrize("name", ["rows.csv", "rows.jsonl"])
def test_a_row_of_a_trial_below_0_is_listed_with_its_line(read: Read, name: str):
    rows = [{"question": "a?", "answer": "b", "trial": trial} for trial in (0, -1, 2)]
    text = "".join(f"{json.dumps(row)}\n" for row in rows)
    if name.endswith(".csv"):
        text = "question,answer,trial\n" + "".join(f"a?,b,{row['trial']}\n" for row in rows)
    found = read(text, name)
    assert [output.trial for output in found.outputs] == [0, 2]
    line = 3 if name.endswith(".csv") else 2
    assert [(skipped.line, skipped.field) for skipped in found.skipped] == [(line, "trial")]
    assert "whole number" in found.skipped[0].reason


def test_columns_of_a_joined_table_are_named_beside_those_of_the_answers(tmp_path: Path):
    (tmp_path / "answers.csv").write_text("id,asked,reply\na,What?,x\nb,Who?,y\n")
    (tmp_path / "right.csv").write_text("key,truth\na,x\nb,z\n")
    names = {"asked": "query", "reply": "response", "key": "id", "truth": "accepted_answers"}
    found = fd.read(tmp_path / "answers.csv", map=names, join=tmp_path / "right.csv")
    assert [case.reference for case in found.cases] == [{"answers": ["x"]}, {"answers": ["z"]}]
    with pytest.raises(
        InputError, match="gone=label: there is no such column; there are 'asked', 'id', 'key', "
    ):
        fd.read(tmp_path / "answers.csv", map=names | {"gone": "label"}, join=tmp_path / "right.csv")


@pytest.mark.parametrize("cell", ['["p", "q"', "['p', 'q", '[{"content": "p"}', '["p" and q]'])
def test_a_list_of_passages_that_cannot_be_read_is_listed_with_its_line(read: Read, cell: str):
    quoted = cell.replace('"', '""')
    found = read(f'question,answer,contexts\na,b,"[""p""]"\nc,d,"{quoted}"\n')
    assert [len(case.context) for case in found.cases] == [1]
    [skipped] = found.skipped
    assert (skipped.line, skipped.field) == (3, "context")
    assert skipped.reason.startswith("begins as a list and cannot be read as one: ")


@pytest.mark.parametrize("cell", ["[1] first [2] second", "[p, q]", "[]", "plain"])
def test_a_passage_may_begin_with_a_bracket(read: Read, cell: str):
    found = read(f'question,answer,contexts\na,b,"{cell}"\n')
    assert not found.skipped
    assert [item.content for item in found.cases[0].context] == ([] if cell == "[]" else [cell])


@pytest.mark.parametrize(
    ("column", "remedy"),
    [
        (
            "score",
            "add --score-scale 'score=?:?' (1:5 if 5 is best, 5:1 if 1 is), or if people gave them: --map label=score --label-scale '?:?' (1:5 if 5 is best, 5:1 if 1 is)",
        ),
        ("human_label", "add --label-scale '?:?' (1:5 if 5 is best, 5:1 if 1 is)"),
        (
            "judge_score",
            "add --score-scale 'judge_score=?:?' (1:5 if 5 is best, 5:1 if 1 is), or if people gave them: --map label=judge_score --label-scale '?:?' (1:5 if 5 is best, 5:1 if 1 is)",
        ),
    ],
)
def test_grades_above_1_behind_many_up_to_1_are_refused(tmp_path: Path, column: str, remedy: str):
    grades = [number % 2 for number in range(600)]
    text = "".join(f"q{number},a,{grade}\n" for number, grade in enumerate([*grades, 4]))
    (tmp_path / "rows.csv").write_text(f"question,answer,{column}\n{text}")
    with spelled_as_options(option_of):
        with pytest.raises(InputError) as refused:
            import_files([tmp_path / "rows.csv"], tmp_path / "out")
        assert str(refused.value) == (
            f"{tmp_path}/rows.csv:602: {column}: 4 is above 1, and all before it were read as grades from 0 to 1; {remedy}"
        )
    assert not (tmp_path / "out").exists()


def test_grades_of_a_known_scale_may_come_late(tmp_path: Path):
    text = "".join(f"q{number},a,{4 if number == 600 else 1}\n" for number in range(601))
    (tmp_path / "rows.csv").write_text(f"question,answer,human_label\n{text}")
    scaled = fd.read(tmp_path / "rows.csv", label_scale=(1, 5))
    assert {verdict.score for verdict in scaled.verdicts} == {0.0, 0.75}
    assert len(fd.read(tmp_path / "rows.csv", map_label={"4": None}).verdicts) == 600


@pytest.mark.parametrize("name", ["sheet.xlsx", "sheet.ods"])
def test_a_spreadsheets_own_file_says_what_to_save(read: Read, tmp_path: Path, name: str):
    saved = rf"{name}: is a spreadsheet; save each sheet as CSV \(UTF-8\)"
    with pytest.raises(InputError, match=saved):
        read("PK\x03\x04", name)
    (tmp_path / name).write_text("PK\x03\x04")
    with pytest.raises(InputError, match=saved):
        read("id,question,answer\na,b,c\n", join=tmp_path / name)
    with pytest.raises(InputError, match=saved):
        fd.calibrate(tmp_path / name)


def test_calls_that_were_made_may_be_written_as_text_too(read: Read):
    rows = ["f(x=1),f(x=1)", 'f(x=1),"[{""name"": ""f"", ""arguments"": ""{oops""}]"', "f(x=1),f"]
    found = read("question,expected_calls,tool_calls\n" + "".join(f"Go,{row}\n" for row in rows))
    checked = [fd.check(case, output).score for case, output in zip(found.cases, found.outputs, strict=True)]
    assert checked == [1.0, 0.0]
    assert [(skipped.line, skipped.reason.partition(":")[0]) for skipped in found.skipped] == [(4, "cannot be read as calls")]  # fmt: skip


def test_a_data_frames_numbers_and_nulls_are_ids_trials_and_empty_answers(read: Read):
    lines = [
        '{"id": 7.0, "question": "a?", "answer": "b", "trial": 1.0, "model": 4}',
        '{"id": 8.0, "question": NaN, "answer": "b", "context": NaN}',
        '{"id": 9.0, "question": "c?", "answer": NaN, "expected": NaN, "score": NaN}',
    ]
    reading = read("\n".join(lines), "rows.jsonl")
    assert [(case.id, len(case.messages)) for case in reading.cases] == [("7", 1), ("8", 0), ("9", 1)]
    assert [case.kind for case in reading.cases] == ["open_answer"] * 3
    assert [(output.system, output.trial, output.error) for output in reading.outputs] == [
        ("4", 1, None), ("logged", 0, None), ("logged", 0, "the answer is empty")]  # fmt: skip
    assert [verdict.outcome for verdict in reading.verdicts] == ["not_applicable"]
    assert read("question,answer,trial\na?,b,2.0\n").outputs[0].trial == 2


def test_a_fraction_is_no_id(read: Read):
    [skipped] = read('{"id": 1.5, "question": "a?"}\n{"id": 2, "question": "a?"}\n', "rows.jsonl").skipped
    assert (skipped.field, skipped.reason) == ("id", "expected a text or a whole number, got 1.5")


def test_a_text_for_no_score_is_an_ungraded_verdict(read: Read):
    reading = read("question,answer,score\na?,b,n/a\nc?,d,0.5\n")
    assert [(verdict.outcome, verdict.score) for verdict in reading.verdicts] == [
        ("not_applicable", None),
        ("graded", 0.5),
    ]


def test_a_row_of_an_id_alone_is_not_told_to_map_it(read: Read):
    [skipped] = read('{"id": 1, "question": "a?"}\n{"id": 2}\n', "rows.jsonl").skipped
    assert skipped.reason == "the row has no question, answer or reference; its columns are 'id'"


def test_the_input_of_an_instruction_belongs_to_the_question_and_is_no_tag(read: Read):
    reading = read("instruction,input,output\nTranslate.,Hallo,Hello\n")
    assert reading.cases[0].messages == [{"role": "user", "content": "Translate.\n\nHallo"}]
    assert (reading.tags, reading.cases[0].tags) == ([], {})


def test_a_title_may_be_followed_by_blank_lines(read: Read):
    assert read("Answers of May,\n\nquestion,answer\na?,b\n").outputs[0].text == "b"


def test_that_no_call_is_expected_is_not_lost_without_tools(read: Read):
    reading = read("question,answer,expected_calls\na?,b,none\n")
    [skipped] = reading.skipped
    assert (reading.cases[0].kind, skipped.field) == ("open_answer", "expected_calls")
    assert skipped.reason.startswith("no call is expected, but this cannot be checked without tools")


def test_a_blank_id_is_none(read: Read):
    assert read("id,question,answer\n  ,a?,b\n").cases[0].id == "row-000001"


def test_files_that_a_folders_format_does_not_read_are_listed(tmp_path: Path):
    (tmp_path / "a.csv").write_text("question,answer\na?,b\n")
    (tmp_path / "b.jsonl").write_text('{"question": "c?", "answer": "d"}\n')
    (tmp_path / "notes.txt").write_text("none")
    (tmp_path / "._a.csv").write_bytes(b"\x00\x05\x16\x07\xff")  # macOS adds it to ZIP files
    reading = fd.read(tmp_path)
    assert (reading.format, len(reading.cases)) == ("csv", 1)
    assert [(skipped.file, skipped.reason) for skipped in reading.skipped] == [
        (str(tmp_path / "b.jsonl"), "not read, since its folder is read as csv; import the file by itself")
    ]


def test_rows_of_other_lengths_are_one_kind_without_a_number_of_their_own(tmp_path: Path) -> None:
    table = tmp_path / "answers.csv"
    table.write_text("id,question,answer\n1,Where?\n2,Where?,Rome\n3,Where?,in,Rome\n4,Where?,maybe\n")
    summary = import_files([table], tmp_path / "out")
    (part,) = summary.skipped_parts
    assert (part.count, part.problem, part.first.line) == (2, "wrong number of fields", 2)
