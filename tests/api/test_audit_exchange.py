"""Another tool's judge, audited by our probes."""

from __future__ import annotations

import json
import math
import random
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeAlias

import pytest
from command import fiducial

import fiducial as fd
from fiducial.api.audits import export_probes, import_audit
from fiducial.errors import InputError, RunFolderError, UsageError
from fiducial.records import Verdict, read_records

TOOL: dict[str, Any] = {"name": "book", "parameters": {"type": "object", "properties": {"city": {"type": "string"}, "nights": {"type": "integer"}}, "required": ["city", "nights"]}}  # fmt: skip


def case(number: int) -> dict[str, Any]:
    question = {"role": "user", "content": f"Book {number + 2} nights in Rome for {{{{guest}}}} {number}."}
    calls = [{"name": "book", "arguments": {"city": "Rome", "nights": number + 2}}]
    return {"id": f"trip-{number}", "kind": "tool_call", "messages": [question], "tools": [TOOL], "reference": {"calls": calls}}  # fmt: skip


@pytest.fixture(scope="module")
def probes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("made") / "probes"
    fd.mutate([case(number) for number in range(4)], out=folder)
    return folder


def faults(probes: Path) -> dict[str, float]:
    """The label of each probe, by the name it has outside."""
    from fiducial.evaluation.audit.foreign_judges import probe_name

    return {probe_name(label.key): label.score or 0.0 for label in read_records(probes / "labels.jsonl", Verdict)}  # fmt: skip


Judged: TypeAlias = Callable[[str], float | None]
ResultsOf: TypeAlias = Callable[[Path, Judged], Path]


def inspect_results(exported: Path, judged: Judged) -> Path:
    log = json.loads((exported / "log.json").read_text())
    for sample in log["samples"]:
        score = judged(sample["id"])
        sample["scores"] = {"theirs": {"value": math.nan if score is None else score}}
    (exported / "scored.json").write_text(json.dumps(log))
    return exported / "scored.json"


def azure_results(exported: Path, judged: Judged) -> Path:
    lines = (exported / "rows.jsonl").read_text().splitlines()
    rows = [json.loads(line) for line in lines]
    scored = [{**{f"inputs.{k}": v for k, v in row.items()}, "outputs.theirs.score": judged(row["id"])} for row in rows]  # fmt: skip
    (exported / "result.json").write_text(json.dumps({"rows": scored, "metrics": {}}))
    return exported / "result.json"


def promptfoo_results(exported: Path, judged: Judged) -> Path:
    config = json.loads((exported / "promptfooconfig.json").read_text())
    results: list[dict[str, Any]] = []
    for place, test in enumerate(config["tests"]):
        score = judged(test["metadata"]["probe"])
        part = {"pass": bool(score), "score": score, "reason": "", "assertion": {"type": "llm-rubric", "metric": "theirs"}}  # fmt: skip
        results.append({"promptIdx": 0, "testIdx": place, "provider": {"id": "echo"}, "prompt": {"raw": "x", "label": "x"}, "vars": {}, "testCase": test, "response": {"output": "x"}, "failureReason": 0, "gradingResult": {"pass": True, "score": 1, "componentResults": [part]}})  # fmt: skip
    (exported / "results.json").write_text(json.dumps({"results": {"results": results}}))
    return exported / "results.json"


TOOLS = [("inspect", inspect_results), ("azure", azure_results), ("promptfoo", promptfoo_results)]


@pytest.mark.parametrize(("to", "results_of"), TOOLS)
def test_a_judge_that_knows_the_labels_misses_nothing_and_one_that_passes_all_everything(
    to: str, results_of: ResultsOf, probes: Path, tmp_path: Path
):
    labels = faults(probes)
    export_probes(probes, to, tmp_path / "theirs")
    audit = import_audit(probes, results_of(tmp_path / "theirs", labels.__getitem__), tmp_path / "good")
    theirs = next(judge for judge in audit.judges if judge.judge == "theirs")
    caught = {
        operator.operator: operator.rate.value for operator in theirs.operators if operator.plants == "fault"
    }
    assert len(caught) >= 3
    assert set(caught.values()) == {1.0}
    audit = import_audit(probes, results_of(tmp_path / "theirs", lambda _: 1.0), tmp_path / "bad")
    theirs = next(judge for judge in audit.judges if judge.judge == "theirs")
    assert {operator.rate.value for operator in theirs.operators if operator.plants == "fault"} == {0.0}
    assert (tmp_path / "bad" / "to_read.jsonl").read_text().count('"survivor"') > 0


def test_what_their_judge_could_not_judge_is_no_answer(probes: Path, tmp_path: Path):
    export_probes(probes, "inspect", tmp_path / "theirs")
    audit = import_audit(probes, inspect_results(tmp_path / "theirs", lambda _: None), tmp_path / "audit")
    assert all(operator.rate.value is None for operator in audit.judges[0].operators)
    outcomes = {verdict.outcome for verdict in read_records(tmp_path / "audit" / "verdicts.jsonl", Verdict)}
    assert outcomes == {"not_applicable"}


@pytest.mark.parametrize("seed", range(6))
def test_counts_of_probes_are_in_the_order_of_the_verdicts(seed: int, probes: Path, tmp_path: Path):
    export_probes(probes, "azure", tmp_path / "theirs")
    results = azure_results(tmp_path / "theirs", lambda _: 1.0)
    rows = json.loads(results.read_text())["rows"]
    random.Random(seed).shuffle(rows)
    results.write_text(json.dumps({"rows": rows, "metrics": {}}))
    audit = import_audit(probes, results, tmp_path / "audit")
    plants = {label.key: label.evidence["plants"] for label in read_records(probes / "labels.jsonl", Verdict)}
    verdicts = read_records(tmp_path / "audit" / "verdicts.jsonl", Verdict)
    assert list(audit.probes) == list(dict.fromkeys(plants[verdict.key] for verdict in verdicts))


def test_two_verdicts_of_a_judge_on_one_trial_of_a_probe_are_refused(probes: Path, tmp_path: Path):
    export_probes(probes, "promptfoo", tmp_path / "theirs")
    results = promptfoo_results(tmp_path / "theirs", lambda _: 1.0)
    rows = json.loads(results.read_text())["results"]["results"]
    results.write_text(json.dumps({"results": {"results": [*rows, rows[0]]}}))
    import_audit(probes, results, tmp_path / "repeated")
    verdicts = list(read_records(tmp_path / "repeated" / "verdicts.jsonl", Verdict))
    assert [
        verdict.repeat for verdict in verdicts if (verdict.key, verdict.by) == (verdicts[0].key, "theirs")
    ] == [0, 1]
    results.write_text(
        json.dumps({"results": {"results": [*rows, {**rows[0], "provider": {"id": "other"}}]}})
    )
    with pytest.raises(InputError, match=r"expected one verdict of 'theirs' on 'test-0', trial 0; got two"):
        import_audit(probes, results, tmp_path / "audit")


@pytest.mark.parametrize("to", ["inspect", "azure", "promptfoo"])
def test_nothing_that_is_exported_says_what_was_planted(to: str, probes: Path, tmp_path: Path):
    labels = list(read_records(probes / "labels.jsonl", Verdict))
    operators = {str(label.evidence["operator"]) for label in labels} - {"original"}
    text = "".join(file.read_text() for file in export_probes(probes, to, tmp_path / "theirs"))
    assert [name for name in operators if name in text] == []
    assert [label.system for label in labels if label.system in text and label.system != "reference"] == []


def test_a_text_with_braces_is_no_template_of_promptfoo(probes: Path, tmp_path: Path):
    export_probes(probes, "promptfoo", tmp_path / "theirs")
    config = json.loads((tmp_path / "theirs" / "promptfooconfig.json").read_text())
    assert all(test["vars"]["question"].startswith("{% raw %}Book ") for test in config["tests"])


def test_what_cannot_be_done_is_told(probes: Path, tmp_path: Path):
    with pytest.raises(UsageError, match="probes are not written for 'deepeval'; there are inspect, promptfoo, azure"):  # fmt: skip
        export_probes(probes, "deepeval", tmp_path)
    other = tmp_path / "rows.jsonl"
    other.write_text('{"id": "a", "query": "b", "response": "c"}\n')
    with pytest.raises(InputError, match="no score in it is of one of these probes"):
        import_audit(probes, other, tmp_path / "audit")


@pytest.mark.parametrize(("to", "results_of"), TOOLS)
def test_an_export_prints_how_to_judge_it_and_how_to_import_the_results(
    to: str, results_of: ResultsOf, probes: Path, tmp_path: Path
):
    folder = tmp_path / "of theirs"
    printed = fiducial("audit", "export", probes, "--to", to, "--out", folder).out.splitlines()
    judging, importing = printed[-2].strip(), shlex.split(printed[-1])
    results = importing[4]
    assert results in judging.replace("'", "").replace('"', "")
    results_of(folder, lambda _: 1.0).rename(results)
    done = fiducial(*importing[1:-1], tmp_path / "audit")
    assert (done.code, "theirs" in done.out) == (0, True)


def test_the_verdicts_of_a_run_are_not_replaced(probes: Path, tmp_path: Path):
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "run.json").write_text("{}")
    with pytest.raises(RunFolderError, match="holds a run, whose verdicts would be replaced; choose another"):
        import_audit(probes, tmp_path / "results.json", tmp_path / "run")
