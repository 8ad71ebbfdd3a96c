from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import cast

import pytest
from audit_items import calls
from batch_server import BatchServer
from command import fiducial, typed, verdicts_in
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, PublicFormat
from provider_server import Answer, Body, ProviderServer, Seen, Status

from fiducial.judges.parsing.declared_parser import PARSER_VERSIONS
from fiducial.records import DIFFERS_IN_FORM, Case, Output, Verdict, read_records, write_records

OWN_OPERATOR = """
from fiducial.deterministic.mutation import Mutation, Operator
import msgspec

def silence(subject, chance):
    yield Mutation(msgspec.structs.replace(subject.output, tool_calls=[]), "nothing is called")

SILENCE = Operator("my_silence", "tool_call", "fault", silence, "no call at all")
"""


NO_TEMPERATURE = {
    "error": {"message": "Unsupported value: 'temperature' does not support 0.0.", "param": "temperature"}
}


@pytest.fixture
def cases(tmp_path: Path) -> Path:
    write_records(tmp_path / "cases.jsonl", calls(12))
    return tmp_path / "cases.jsonl"


@pytest.fixture(scope="module")
def probes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Probes of six calls, which audits read and nobody writes."""
    folder = tmp_path_factory.mktemp("mutated")
    write_records(folder / "cases.jsonl", calls(6))
    assert fiducial("audit", "mutate", folder / "cases.jsonl", "--out", folder / "probes").code == 0
    return folder / "probes"


@pytest.fixture(scope="module")
def judged_runs(same_inputs: tuple[Path, Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three runs over the same outputs, and the certificate of one, ``c.json``: at least 0.7 of its verdicts are right.

    ``run``, which is certified, and ``next`` are by a judge that is right, ``drifted`` by one that is wrong.
    """
    folder = tmp_path_factory.mktemp("judged")
    for name, script in (
        ("run", right_about_atlantis),
        ("next", right_about_atlantis),
        ("drifted", always_wrong),
    ):
        with ProviderServer(script) as server:
            judged(same_inputs, server, folder / name)
    assert certify(folder / "run", folder / "c.json", "accuracy=0.7").code == 0
    return folder


@pytest.fixture
def runs(judged_runs: Path, tmp_path: Path) -> Path:
    """Return a folder with copies of those runs."""
    return shutil.copytree(judged_runs, tmp_path / "runs")


@pytest.fixture
def certificate(runs: Path) -> Path:
    """Return the certificate of ``run``."""
    return runs / "c.json"


def ask(server: ProviderServer) -> list[str | Path]:
    return typed(judge="tool_call_accuracy/direct", model="m", base_url=server.base_url, no_cache=True)


def test_an_audit_names_its_phases_and_ends_with_the_report(
    probes: Path, server: ProviderServer, tmp_path: Path
):
    asked = ["--judge", "tool_call_accuracy", "--model", "baseline"]
    plain = fiducial("audit", "run", probes, *ask(server), "--sample", "2", "--out", tmp_path / "audit")
    climbed = fiducial(
        "audit",
        "run",
        "--ladder",
        "--evenly",
        "--only",
        "number_error",
        "--calls",
        "5",
        *asked,
        "--out",
        tmp_path / "ladder",
    )
    phases = [[line.partition(":")[0] for line in done.err.splitlines()] for done in (plain, climbed)]
    assert phases[0][-2:] == phases[1][-2:] == ["analysing verdicts", "writing the report"]
    judging = [each.startswith("judging by") and each.endswith(" (repeats)") for each in phases[0][:-2]]
    assert judging == [False, False, True]  # the judge, the baseline, and the judge again
    assert phases[1][0].endswith(" (ladder)")


def test_mutate_says_what_it_made_and_other_commands_read_it(cases: Path, tmp_path: Path):
    result = fiducial("audit", "mutate", cases, "--out", tmp_path / "probes")
    assert result.code == 0
    assert "of 12 right outputs" in result.out
    assert "swapped_enum" in result.out
    probes = tmp_path / "probes"
    checked = fiducial(
        "check",
        probes / "cases.jsonl",
        outputs=probes / "outputs.jsonl",
        rules="strict",
        out=tmp_path / "v.jsonl",
    )
    assert checked.code == 0
    labels = {label.key: label.score for label in read_records(probes / "labels.jsonl", Verdict)}
    verdicts = list(read_records(tmp_path / "v.jsonl", Verdict))
    forms = {verdict.key for verdict in verdicts if verdict.error_type == DIFFERS_IN_FORM}
    assert {key.system for key in forms} == {"reference~letter_case"}
    assert {verdict.key: 1.0 if verdict.key in forms else verdict.score for verdict in verdicts} == labels


def test_mutate_takes_the_right_ones_of_given_outputs(cases: Path, tmp_path: Path):
    right = "[rooms.book(city='New Lisbon Abel', arrival='2026-05-01', nights=2, price=80.0, board='none')]"
    outputs = [
        Output(case_id="call-0", system="a", text=right),
        Output(case_id="call-1", system="a", text="no"),
    ]
    write_records(tmp_path / "outputs.jsonl", outputs)
    result = fiducial("audit", "mutate", cases, outputs=tmp_path / "outputs.jsonl", out=tmp_path / "probes")
    assert "of 1 right output (skipped: 1 not right)" in " ".join(result.out.split())


def test_operators_of_ones_own_are_applied(cases: Path, tmp_path: Path):
    (tmp_path / "silent_operators.py").write_text(OWN_OPERATOR)
    result = fiducial(
        "audit",
        "mutate",
        cases,
        operator="silent_operators:SILENCE",
        only="my_silence",
        out=tmp_path / "probes",
    )
    assert result.code == 0
    assert "12 faults, 0 twins" in result.out


def test_an_unknown_operator_is_one_line_and_exit_2(cases: Path, tmp_path: Path):
    result = fiducial("audit", "mutate", cases, "--only", "typo", "--out", tmp_path / "probes")
    assert result.code == 2
    assert result.err.startswith("fiducial: --only typo: no such operator")


def test_run_reports_rates_with_intervals_beside_the_lexical_baseline(
    server: ProviderServer, probes: Path, tmp_path: Path
):
    result = fiducial(
        "audit", "run", probes, *ask(server), "--sample", "6", "--out", tmp_path / "audit", "-v"
    )
    assert result.code == 0
    assert "tool_call_accuracy/direct@m" in result.out
    assert "tool_call_accuracy/lexical@baseline" in result.out
    assert 'catches 0.000 [0.000, 0.390] (n 6) of "wrong listed value"' in result.out
    audit = json.loads((tmp_path / "audit" / "audit.json").read_text())
    (enum,) = [each for each in audit["judges"][0]["operators"] if each["operator"] == "swapped_enum"]
    assert (enum["rate"]["value"], enum["rate"]["n"]) == (0.0, 6)
    rows = [json.loads(line) for line in (tmp_path / "audit" / "to_read.jsonl").read_text().splitlines()]
    assert {row["what"] for row in rows} == {"survivor", "attack passed"}


def test_the_same_command_resumes_and_a_larger_sample_asks_only_for_what_is_new(
    server: ProviderServer, probes: Path, tmp_path: Path
):
    server.script = right_about_atlantis
    run = ("audit", "run", probes, *ask(server), "--out", tmp_path / "audit")
    fiducial(*run, "--sample", "2")
    first = len(server.seen)
    fiducial(*run, "--sample", "2")
    assert len(server.seen) == first
    fiducial(*run, "--sample", "3")
    asked = len(
        {
            (verdict.key, verdict.repeat)
            for verdict in verdicts_in(tmp_path / "audit")
            if "direct" in verdict.by
        }
    )
    assert first < len(server.seen) == asked


def test_help_shows_the_repeats_of_an_audit_and_not_those_of_a_run():
    shown = " ".join(fiducial("audit", "run", "--help").out.split())
    assert "--repeats N Number of times each output is judged. [default: 2;" in shown
    assert "[default: 1; 1<=x<=100]" in " ".join(fiducial("judge", "--help").out.split())


def test_right_outputs_are_asked_about_twice_and_probes_once(
    server: ProviderServer, probes: Path, tmp_path: Path
):
    fiducial("audit", "run", probes, *ask(server), "--sample", "2", "--out", tmp_path / "audit")
    verdicts = [v for v in verdicts_in(tmp_path / "audit") if "direct" in v.by]
    assert {verdict.system for verdict in verdicts if verdict.repeat == 1} == {"reference"}
    assert not any("~" in verdict.system for verdict in verdicts if verdict.repeat == 1)


@pytest.mark.parametrize("args", [("--max-cost", "1"), ("--api-key-env", "NOT_SET")])
def test_what_cannot_be_asked_is_said_before_a_folder_is_made(
    server: ProviderServer, probes: Path, tmp_path: Path, args: tuple[str, ...]
):
    result = fiducial("audit", "run", probes, *ask(server), *args, "--out", tmp_path / "audit")
    assert (result.code, len(result.err.splitlines()), len(server.seen)) == (2, 1, 0)
    assert not (tmp_path / "audit").exists()


def test_calls_that_failed_are_no_verdicts_and_exit_3(server: ProviderServer, probes: Path, tmp_path: Path):
    server.script = lambda seen: Status(400)
    result = fiducial("audit", "run", probes, *ask(server), "--sample", "1", "--out", tmp_path / "audit")
    assert result.code == 3
    assert "verdicts missing because calls failed: " in result.out
    audit = json.loads((tmp_path / "audit" / "audit.json").read_text())
    assert all(each["rate"]["value"] is None for each in audit["judges"][0]["operators"])


def test_json_alone_on_stdout(server: ProviderServer, probes: Path, tmp_path: Path):
    result = fiducial("audit", "run", probes, *ask(server), sample="1", json="-", out=tmp_path / "audit")
    assert json.loads(result.out)["judges"][0]["judge"] == "tool_call_accuracy/direct@m"


def test_what_is_no_folder_of_probes_is_one_line_and_exit_2(tmp_path: Path):
    result = fiducial(
        "audit", "run", tmp_path, judge="tool_call_accuracy", model="baseline", out=tmp_path / "a"
    )
    assert result.code == 2
    assert "not a folder of probes" in result.err
    assert "`fiducial audit mutate CASES --out PROBES` makes one" in result.err
    assert "Errno" not in result.err
    assert len(result.err.splitlines()) == 1


def judged(inputs: tuple[Path, Path], server: ProviderServer, out: Path, *more: str) -> None:
    cases, outputs = inputs
    result = fiducial(
        "run", cases, "--outputs", outputs, *ask(server), "--judge-on", "all", *more, "--out", out
    )
    assert result.code == 0, result.err


def right_about_atlantis(seen: Seen) -> Answer:
    return Answer("0" if "Atlantis" in seen.text else "1")


def always_wrong(seen: Seen) -> Answer:
    return Answer("1" if "Atlantis" in seen.text else "0")


def certify(run: Path, out: Path, *claims: str):
    return fiducial(
        "audit", "certify", run, *(part for claim in claims for part in ("--claim", claim)), "--out", out
    )


def test_a_certificate_is_written_when_its_claims_hold(runs: Path):
    result = certify(runs / "run", runs / "new.json", "accuracy=0.7")
    assert result.code == 0, result.err + result.out
    certificate = json.loads((runs / "new.json").read_text())
    (claim,) = certificate["claims"]
    assert (claim["holds"], claim["rate"]["value"], claim["rate"]["n"]) == (True, 1.0, 20)
    # Ten clusters of two, all of them right: as many trials as the usual dependence leaves of twenty.
    assert claim["rate"]["low"] == pytest.approx(0.05 ** ((1 + (2 - 1) * 0.3) / 20))
    assert len(certificate["anchors"]) == 20


def test_a_run_without_labels_certifies_nothing(server: ProviderServer, tmp_path: Path):
    server.script = lambda seen: Answer("1")
    case = Case(id="a", kind="open_answer", messages=[], reference={"criterion": "polite"})
    write_records(tmp_path / "cases.jsonl", [case])
    write_records(tmp_path / "outputs.jsonl", [Output(case_id="a", system="s", text="Please.")])
    asked = typed(judge="rubric", model="m", base_url=server.base_url, no_cache=True)
    files = (tmp_path / "cases.jsonl", "--outputs", tmp_path / "outputs.jsonl")
    assert fiducial("run", *files, *asked, "--out", tmp_path / "run").code == 0
    result = certify(tmp_path / "run", tmp_path / "c.json", "accuracy=0.7")
    assert (result.code, "no judge graded an output that has a label" in result.err) == (2, True)


def test_a_signed_copy_is_verified_with_the_public_key_and_without_the_anchors(runs: Path, tmp_path: Path):
    private = Ed25519PrivateKey.generate()
    pem = private.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    (tmp_path / "key.pem").write_bytes(pem)
    public = private.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
    (tmp_path / "public.pem").write_bytes(public)
    run, out = runs / "run", tmp_path / "c.json"
    made = fiducial(
        "audit", "certify", run, "--claim", "accuracy=0.7", "--sign", tmp_path / "key.pem", "--out", out
    )
    assert made.code == 0, made.err
    assert str(tmp_path / "c.signed.json") in made.out
    shown = fiducial(
        *("audit", "verify", tmp_path / "c.signed.json", "--key", tmp_path / "public.pem"),
        *("--certificate", out),
    )
    assert shown.code == 0, shown.err
    assert "the signature is valid" in shown.out
    assert "20 anchors are committed to, all 20 are those shown." in shown.out
    assert "salt" not in json.dumps(json.loads((tmp_path / "c.signed.json").read_text()))
    looked = fiducial("audit", "certify", run, "--against", out)
    assert looked.code == 0, looked.err + looked.out


def test_a_claim_that_does_not_hold_gives_no_certificate_and_exit_1(runs: Path):
    result = certify(runs / "run", runs / "new.json", "accuracy=0.7", "true_negative_rate=0.9")
    assert result.code == 1
    assert "no certificate" in result.out
    assert not (runs / "new.json").exists()


def test_a_certificate_stays_valid_while_the_judge_stays_as_it_was(
    server: ProviderServer, runs: Path, certificate: Path, same_inputs: tuple[Path, Path]
):
    server.script = right_about_atlantis
    judged(same_inputs, server, runs / "after")
    for count, name in enumerate(("next", "after"), 1):
        result = fiducial("audit", "certify", runs / name, "--against", certificate)
        assert result.code == 0
        assert f"looks at the anchors: {count}" in result.out
    again = fiducial("audit", "certify", runs / "after", "--against", certificate)
    assert "counted before" in again.out
    assert "looks at the anchors: 2" in again.out


def test_a_judge_that_drifted_voids_the_certificate_for_good(runs: Path, certificate: Path):
    result = fiducial("audit", "certify", runs / "drifted", "--against", certificate)
    assert result.code == 1
    assert "the judge has drifted" in result.out
    assert fiducial("audit", "certify", runs / "next", "--against", certificate).code == 1


def test_drift_is_looked_for_by_the_test_that_was_asked_for(runs: Path, tmp_path: Path):
    claim = ("audit", "certify", runs / "run", "--claim", "accuracy=0.7", "--out")
    paired = fiducial(*claim, tmp_path / "p.json")
    betting = fiducial(*claim, tmp_path / "e.json", "--drift", "e-process", "--accept", "0.8")
    assert "drift is a drop below this run's accuracy (paired)" in paired.out
    assert "drift is an accuracy below 0.800 (e-process" in betting.out
    later = [
        fiducial("audit", "certify", runs / "next", "--against", tmp_path / name).out
        for name in ("p.json", "e.json")
    ]
    assert "looks at the anchors: 1, right less often than when certified by 0.000 (p 0.5" in later[0]
    assert "looks at the anchors: 1, evidence of drift" in later[1]


def test_replies_from_the_cache_are_no_look(
    server: ProviderServer, runs: Path, certificate: Path, same_inputs: tuple[Path, Path]
):
    server.script = right_about_atlantis
    cached = typed(judge="tool_call_accuracy/direct", model="m", base_url=server.base_url, judge_on="all")
    for name in ("asked", "cached"):
        fiducial("run", same_inputs[0], "--outputs", same_inputs[1], *cached, "--out", runs / name)
    result = fiducial("audit", "certify", runs / "cached", "--against", certificate)
    assert "no look: 0 of 20 anchors" in result.out


def test_another_prompt_or_model_voids_the_certificate(
    server: ProviderServer, runs: Path, certificate: Path, same_inputs: tuple[Path, Path]
):
    server.script = right_about_atlantis
    other = typed(judge="tool_call_accuracy/direct", model="m2", base_url=server.base_url, judge_on="all")
    fiducial("run", same_inputs[0], *other, outputs=same_inputs[1], out=runs / "other")
    result = fiducial("audit", "certify", runs / "other", "--against", certificate)
    assert result.code == 1
    assert (
        "it is about tool_call_accuracy/direct@m, this run was judged by tool_call_accuracy/direct@m2"
        in " ".join(result.out.split())
    )
    assert "the judge changed: prompt, model" in result.out


def test_another_parser_voids_the_certificate_and_says_so(
    server: ProviderServer, inputs: tuple[Path, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    server.script = right_about_atlantis
    run = tmp_path / "run"
    with monkeypatch.context() as earlier:
        earlier.setitem(cast("dict[str, int]", PARSER_VERSIONS), "number", PARSER_VERSIONS["number"] - 1)
        judged(inputs, server, run)
        certify(run, run / "certificate.json", "accuracy=0.7")
    fiducial("judge", "--reparse", run)
    result = fiducial("audit", "certify", run, "--against", run / "certificate.json")
    assert (result.code, "another version of the parser" in result.out) == (1, True)
    assert "certificate void" in (run / "report.html").read_text()
    certify(run, run / "certificate.json", "accuracy=0.7")
    fiducial("report", run)
    assert "certificate void" not in (run / "report.html").read_text()


def test_other_labels_void_the_certificate(runs: Path, certificate: Path):
    relabelled = Verdict(
        case_id="case-1", system="agent", by="ana", source="human", outcome="graded", score=0.0
    )
    write_records(runs / "labels.jsonl", [relabelled])
    assert fiducial("labels", "add", runs / "next", runs / "labels.jsonl").code == 0
    result = fiducial("audit", "certify", runs / "next", "--against", certificate)
    assert result.code == 1
    assert "the labels of 1 anchors changed, case-1|agent|0 among them" in result.out


@pytest.mark.parametrize(
    "options",
    [
        (),
        ("--claim", "accuracy=0.7"),
        ("--claim", "accuracy", "--out", "c"),
        ("--claim", "kappa=0.7", "--out", "c"),
        ("--claim", "accuracy=7", "--out", "c"),
    ],
)
def test_options_that_do_not_go_together_are_exit_2(judged_runs: Path, options: tuple[str, ...]):
    result = fiducial("audit", "certify", judged_runs / "run", *options)
    assert result.code == 2
    assert len(result.err.splitlines()) == 1


def test_an_audit_cannot_be_certified_because_its_probes_are_no_sample(
    server: ProviderServer, probes: Path, tmp_path: Path
):
    fiducial("audit", "run", probes, *ask(server), "--sample", "1", "--out", tmp_path / "audit")
    result = certify(tmp_path / "audit", tmp_path / "c.json", "accuracy=0.7")
    assert result.code == 2
    assert "no sample of what the judge is used on" in result.err


def test_a_dry_run_counts_the_calls_that_the_run_then_makes(
    server: ProviderServer, probes: Path, tmp_path: Path
):
    server.script = right_about_atlantis
    run = ("audit", "run", probes, *ask(server), "--sample", "2", "--out", tmp_path / "audit")
    result = fiducial(*run, "--dry-run")
    assert (result.code, len(server.seen), (tmp_path / "audit").exists()) == (0, 0, False)
    fiducial(*run)
    assert f"calls: {len(server.seen)} for" in result.out
    assert "calls: 0 for 0 verdicts" in fiducial(*run, "--dry-run").out


def test_a_budget_ends_an_audit_and_more_of_it_goes_on(server: ProviderServer, probes: Path, tmp_path: Path):
    server.script = right_about_atlantis
    run = ("audit", "run", probes, *ask(server), "--sample", "2", "--out", tmp_path / "audit")
    assert fiducial(*run, "--max-calls", "10").code == 3
    assert len(server.seen) == 10
    assert fiducial(*run).code == 0


def test_a_judge_may_name_its_own_model(server: ProviderServer, probes: Path, tmp_path: Path):
    judge = typed(
        judge=("tool_call_accuracy/direct@a", "tool_call_accuracy/direct@b"), base_url=server.base_url
    )
    result = fiducial("audit", "run", "-v", probes, *judge, no_cache=True, sample="2", out=tmp_path / "audit")
    assert "tool_call_accuracy/direct@a against tool_call_accuracy/direct@b, faults" in result.out


def test_without_a_model_there_is_one_line_and_exit_2(probes: Path, tmp_path: Path):
    result = fiducial("audit", "run", probes, "--judge", "tool_call_accuracy", "--out", tmp_path / "audit")
    assert (result.code, len(result.err.splitlines())) == (2, 1)
    assert "no model is named" in result.err


def test_an_audit_can_be_asked_by_the_providers_batch_endpoint(
    probes: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")
    with BatchServer(answer=lambda line: "1") as batches:
        judge = ("--judge", "tool_call_accuracy/direct", "--model", "m", "--base-url", batches.base_url)
        how = ("--batch", "--poll-seconds", "0", "--sample", "2", "--out", tmp_path / "audit")
        result = fiducial("audit", "run", probes, *judge, *how)
        sizes = [len(lines) for lines in batches.asked()]
    verdicts = [v for v in verdicts_in(tmp_path / "audit") if "direct" in v.by]
    assert result.code == 0, result.err
    assert sum(sizes) == len(verdicts) == len({(verdict.key, verdict.repeat) for verdict in verdicts})
    assert len(sizes) == 2  # all probes once, then right outputs again


def test_an_audit_goes_on_without_what_the_model_refuses(
    probes: Path, tmp_path: Path, server: ProviderServer
):
    server.script = lambda seen: (
        Body(json.dumps(NO_TEMPERATURE).encode(), 400) if "temperature" in seen.body else Answer("1")
    )
    out = tmp_path / "audit"
    ladder = ("--ladder", "--only", "parallel_calls", "--calls", "12")
    command = ("audit", "run", probes, "--sample", "1", *ladder, "--out", out, *ask(server))
    told = fiducial(*command)
    assert told.code == 0, told.err
    assert "not sent, since the model refuses it: temperature" in " ".join(told.out.split())
    (judge,) = {verdict.judge for verdict in verdicts_in(out) if verdict.by == "tool_call_accuracy/direct@m"}
    roster = {each["by"]: each for each in json.loads((out / "run.json").read_bytes())["roster"]}
    assert roster["tool_call_accuracy/direct@m"]["refused"] == {"temperature": None}
    assert judge is not None
    assert roster["tool_call_accuracy/direct@m"]["id"]["fingerprint"] == judge.fingerprint
    asked = len(server.seen)
    assert fiducial(*command).code == 0
    assert len(server.seen) == asked
