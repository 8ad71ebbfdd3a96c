"""Flex flows under promptflow itself.

Needs the extra ``promptflow`` (``make promptflow``).
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from distributions import installed
from flow_rows import ROWS, number, told_apart
from provider_server import ProviderServer, in_the_form_asked_for

from fiducial.api.evaluators import flex_flow
from fiducial.api.flow_folders import flow_folder
from fiducial.api.reading import read_strictly
from fiducial.judges import find_prompt
from fiducial.judges.catalogue import all_prompts
from fiducial.records import Verdict

pytestmark = pytest.mark.skipif(
    not installed("promptflow"),
    reason="the extra 'promptflow' is not installed: `make promptflow` runs these tests",
)
every_judge = pytest.mark.parametrize("judge", ROWS)

PATIENCE = 240.0
"""Seconds; promptflow has been seen to wait for ever for a worker that could not start."""

PF = str(Path(sys.executable).with_name("pf"))

RUN = """
import json, sys


def main():
    from promptflow.client import PFClient

    flow, model, base_url, data, name = sys.argv[1:]
    columns = json.loads(open(data).readline())
    client = PFClient()
    run = client.run(
        flow=flow,
        name=name,
        data=data,
        init={"model": model, "base_url": base_url, "api_key": "k"},
        column_mapping={column: "${data." + column + "}" for column in columns},
    )
    details = client.get_details(run)
    score = [column for column in details.columns if column.startswith("outputs.") and column.endswith("_score")]
    failed = client.runs.get(name).properties["system_metrics"]["__pf__.lines.failed"]
    result = {"scores": details[score[0]].tolist(), "metrics": client.get_metrics(run), "failed": failed}
    open("result.json", "w").write(json.dumps(result))


if __name__ == "__main__":  # promptflow's workers import this file, too
    main()
"""


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    """Return an environment in which promptflow keeps no trace and sends no telemetry.

    It writes into its own folder and starts no server.
    """
    settings = os.environ | {
        "PF_HOME_DIRECTORY": str(tmp_path / "promptflow"),
        "PF_DISABLE_TRACING": "true",
        "PF_WORKER_COUNT": "2",
        "HOME": str(tmp_path),
    }
    off = ("telemetry.enabled=false", "trace.destination=none")
    subprocess.run([PF, "config", "set", *off], env=settings, check=True, capture_output=True, cwd=tmp_path)
    return settings


def shell(
    environment: dict[str, str], folder: Path, *command: str | Path
) -> subprocess.CompletedProcess[str]:
    """Run a command of promptflow's; return its result."""
    return subprocess.run(
        command, env=environment, cwd=folder, capture_output=True, text=True, check=False, timeout=PATIENCE
    )


@every_judge
def test_pf_flow_test_runs_the_flow(
    judge: str, environment: dict[str, str], server: ProviderServer, tmp_path: Path
):
    (tmp_path / "row.json").write_text(json.dumps(ROWS[judge]))
    init = ("model=m", f"base_url={server.base_url}", "api_key=k")
    flow = flex_flow(judge, tmp_path / "flow")
    shown = shell(
        environment, tmp_path, PF, "flow", "test", "--flow", flow, "--init", *init, "--inputs", "row.json"
    )
    assert f'"{judge}_score": 1.0' in shown.stdout, shown.stdout + shown.stderr


@every_judge
def test_pf_run_fails_no_line(
    judge: str, environment: dict[str, str], server: ProviderServer, tmp_path: Path
):
    data = tmp_path / "rows.jsonl"
    data.write_text("".join(f"{json.dumps(row)}\n" for row in told_apart(ROWS[judge], 10)))
    server.script = in_the_form_asked_for(lambda seen: number(seen) % 2)
    (tmp_path / "run.py").write_text(RUN)
    given = (flex_flow(judge, tmp_path / "flow"), "m", server.base_url, data, f"run_{judge}")
    shown = shell(environment, tmp_path, sys.executable, "run.py", *given)
    assert (tmp_path / "result.json").exists(), shown.stdout + shown.stderr
    result = json.loads((tmp_path / "result.json").read_text())
    # promptflow calls a run "Completed" whatever failed in it: its records say how each line went.
    records = (tmp_path / "promptflow" / ".runs" / f"run_{judge}" / "flow_artifacts").glob("*.jsonl")
    statuses = [
        json.loads(line)["run_info"]["status"] for path in records for line in path.read_text().splitlines()
    ]
    assert (statuses, result["failed"]) == (["Completed"] * 10, 0)
    assert result["scores"] == [0.0, 1.0] * 5
    metrics = result["metrics"]
    assert (metrics[f"{judge}_mean"], metrics[f"{judge}_graded"], metrics[f"{judge}_rows"]) == (0.5, 10, 10)


@pytest.mark.parametrize("judge", ["rubric", "tool_call_accuracy"])
def test_pf_runs_a_dag_flow_and_its_variants_and_the_results_come_back(
    judge: str, environment: dict[str, str], server: ProviderServer, tmp_path: Path
):
    environment = environment | {"OPENAI_BASE_URL": server.base_url, "OPENAI_API_KEY": "k"}
    flow = flow_folder(f"{judge}/direct", tmp_path / "flow", "dag", model="m")
    (tmp_path / "row.json").write_text(json.dumps(ROWS[judge]))
    shown = shell(environment, tmp_path, PF, "flow", "test", "--flow", flow, "--inputs", "row.json")
    assert f'"{judge}_score": 1.0' in shown.stdout, shown.stdout + shown.stderr
    varied = shell(
        environment, tmp_path, PF, "flow", "test", "--flow", flow, "--inputs", "row.json", "--variant", "${judge.reasons}",
    )  # fmt: skip
    assert f'"{judge}_score": ' in varied.stdout, varied.stdout + varied.stderr
    data = tmp_path / "rows.jsonl"
    data.write_text("".join(f"{json.dumps(row)}\n" for row in told_apart(ROWS[judge], 2)))
    mapping = [f"{column}=${{data.{column}}}" for column in ROWS[judge]]
    variant = next(name.variant for name in all_prompts() if name.judge == judge and name.variant != "direct")
    shown = shell(
        environment, tmp_path, PF, "run", "create", "--flow", flow, "--data", data, "--name", f"dag_{judge}",
        "--variant", f"${{judge.{variant}}}", "--column-mapping", *mapping,
    )  # fmt: skip
    results = tmp_path / "promptflow" / ".runs" / f"dag_{judge}" / "flow_outputs" / "output.jsonl"
    assert results.exists(), shown.stdout + shown.stderr
    found = list(read_strictly("azure", results))
    verdicts = [each for each in found if isinstance(each, Verdict) and each.by == judge]
    assert [(verdict.case_id, verdict.score) for verdict in verdicts] == [
        ("row-000001", 1.0),
        ("row-000002", 1.0),
    ]


VARIANTS = """
import json, sys


def main():
    from promptflow.client import PFClient

    flow, row, *variants = sys.argv[1:]
    client = PFClient()  # its `test` is what `pf flow test --variant` calls
    found = {each: client.test(flow=flow, inputs=json.load(open(row)), variant="${judge." + each + "}") for each in variants}
    open("variants.json", "w").write(json.dumps(found))


if __name__ == "__main__":
    main()
"""


@every_judge
def test_pf_flow_test_runs_a_dag_flow_with_each_of_its_variants(
    judge: str, environment: dict[str, str], server: ProviderServer, tmp_path: Path
):
    environment = environment | {"OPENAI_BASE_URL": server.base_url, "OPENAI_API_KEY": "k"}
    server.script = in_the_form_asked_for(lambda seen: 1)
    variants = [prompt.variant for prompt in all_prompts() if prompt.judge == judge]
    flow = flow_folder(judge, tmp_path / "flow", "dag", model="m")
    (tmp_path / "row.json").write_text(json.dumps(ROWS[judge]))
    (tmp_path / "variants.py").write_text(VARIANTS)
    shown = shell(environment, tmp_path, sys.executable, "variants.py", flow, "row.json", *variants)
    assert (tmp_path / "variants.json").exists(), shown.stdout + shown.stderr
    found = json.loads((tmp_path / "variants.json").read_text())
    statuses = {each: row[f"{judge}_status"] for each, row in found.items()}
    assert statuses == dict.fromkeys(variants, "completed")
    assert len(server.seen) >= len(variants)


@pytest.mark.parametrize("spec", ["rubric/direct", "rubric/few_shot"])
def test_pf_flow_test_runs_a_prompt_file_as_it_is(
    spec: str, environment: dict[str, str], server: ProviderServer, tmp_path: Path
):
    """A prompt names no endpoint; promptflow wants it in the file, so a copy gets one."""
    _, path = find_prompt(spec)
    configuration = (
        f"  configuration:\n    type: openai\n    model: m\n    base_url: {server.base_url}\n    api_key: k\n"
    )
    copy = tmp_path / "rubric.prompty"
    copy.write_text(path.read_text().replace("  api: chat\n", f"  api: chat\n{configuration}"))
    row = {"query": "Which city?", "response": "Rome", "criterion": "Names a city.", "fence": "f3nce"}
    (tmp_path / "row.json").write_text(json.dumps(row))
    shown = shell(environment, tmp_path, PF, "flow", "test", "--flow", copy, "--inputs", "row.json")
    assert (len(server.seen), "1" in shown.stdout) == (1, True), shown.stdout + shown.stderr
