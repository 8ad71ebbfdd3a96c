"""Several endpoints in Python and on the command line: URLs, mappings, the team's file."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from command import fiducial
from each_row import each_row
from provider_server import Answer, ProviderServer, Seen, Status

import fiducial as fd
from fiducial.api.model_access import EndpointLike, find_endpoint, model_access, shares_of
from fiducial.errors import ConfigurationError, UsageError
from fiducial.judges.transport.endpoint import EndpointShare
from fiducial.records import write_records

KEYS = {"A_KEY": "sk-of-a-very-secret", "B_KEY": "sk-of-b-very-secret"}


def shares(
    *given: EndpointLike, environment: Mapping[str, str] = KEYS, concurrency: int = 8
) -> tuple[EndpointShare, ...]:
    return shares_of(given, concurrency, "sk-of-all", environment)


def test_a_url_is_an_endpoint_of_weight_one_with_the_key_of_all():
    (share,) = shares("http://h/v1")
    assert (share.endpoint.base_url, share.endpoint.api_key) == ("http://h/v1", "sk-of-all")
    assert (share.slots, share.model) == (8, None)


def test_options_follow_it():
    (share,) = shares("http://h/v1?a=1&b=2,key-env=B_KEY,weight=0.5,model=deployed,name")
    assert share.endpoint.base_url == "http://h/v1?a=1&b=2"
    assert share.endpoint.api_key == KEYS["B_KEY"]
    assert (share.slots, share.model) == (4, "deployed,name")


def test_a_mapping_says_the_same():
    named = {"base_url": "http://h/v1", "key_env": "B_KEY", "weight": 0.5, "model": "deployed"}
    assert shares(named) == shares("http://h/v1,key-env=B_KEY,weight=0.5,model=deployed")
    assert shares({"base_url": "http://h/v1", "api_key": "k"})[0].endpoint.api_key == "k"


def test_calls_in_flight_go_by_weight_or_are_told():
    told = shares(
        "http://a/v1", "http://b/v1,weight=3", "http://c/v1,weight=0.01", "http://d/v1,concurrency=5"
    )
    assert [share.slots for share in told] == [8, 24, 1, 5]


def test_several_keys_to_one_address_are_several_endpoints():
    told = shares("http://h/v1,key-env=A_KEY", "http://h/v1,key-env=B_KEY")
    assert [share.endpoint.api_key for share in told] == list(KEYS.values())
    assert not any(key in repr(told) for key in KEYS.values())


@each_row(
    ("given", "why"),
    [
        ("http://h/v1,weight=0", "a weight above 0"),
        ("http://h/v1,weight=nan", "a weight above 0"),
        ("http://h/v1,weight=much", "a weight above 0"),
        ("http://h/v1,concurrency=0", "calls in flight from 1"),
        ("http://h/v1,concurrency=1.5", "calls in flight from 1"),
        ("http://h/v1,key=sk-1", "expected each of key-env, weight"),
        ("http://h/v1,weight=1,weight=2", "once with a value"),
        ("http://h/v1,model=", "once with a value"),
        ("ftp://h/v1", "begins with http"),
        ("http://u:p@h/v1", "holds a password"),
        ("http://h/v1,connection=mine.yml", "drop the URL"),
        ({"url": "http://h/v1"}, "unknown key 'url'"),
        ("http://h/v1,weight=5000", "a weight above 0 and at most 4,096, got 5,000"),
        ("http://h/v1,weight=1000", "weight 1,000 times concurrency=8 is above 4,096 calls in flight"),
        ({"base_url": "http://h/v1", "concurrency": True}, "calls in flight from 1 to 4,096, got True"),
        ({"base_url": "http://h/v1", "model": 5}, "model= expects a text, got 5"),
        ({"base_url": 5}, "base_url= expects a text, got 5"),
        ({"base_url": "http://h/v1", "weight": True}, "a weight above 0"),
    ],
)
def test_what_is_no_endpoint_is_refused(given: EndpointLike, why: str):
    with pytest.raises(UsageError, match=why):
        shares(given)


@pytest.mark.parametrize("given", ["api-key=sk-secret", "http://h/v1,api-key=sk-secret"])
def test_a_key_in_place_of_an_endpoint_is_not_printed(given: str):
    with pytest.raises(UsageError) as refused:
        shares(given)
    assert "sk-secret" not in str(refused.value)


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        ({"concurrency": True}, "concurrency= expects a whole number"),
        ({"patience": -1}, "patience= expects a number of at least 0, got -1"),
        ({"timeout": "60"}, "timeout= expects a number, got '60'"),
        ({"timeout": 0}, "timeout= expects a number above 0, got 0"),
    ],
)
def test_arguments_that_cannot_be_used_are_refused(arguments: dict[str, Any], why: str):
    settings: dict[str, Any] = {"concurrency": 8, "base_url": "http://h/v1", **arguments}
    with pytest.raises(UsageError, match=why):
        model_access(None, **settings)


def test_one_that_is_named_twice_is_refused():
    with pytest.raises(UsageError, match="named twice with the same key and model"):
        shares("http://h/v1", "http://h/v1,weight=2")


def test_a_key_that_is_not_there_is_named_by_its_variable():
    with pytest.raises(ConfigurationError, match="key-env=C_KEY: this variable is not set"):
        shares("http://h/v1,key-env=C_KEY")


AZURE = {"AZURE_OPENAI_ENDPOINT": "https://mine.openai.azure.com", "OPENAI_API_VERSION": "2024-10-21"}
OF_OPENAI, OF_AZURE = {"OPENAI_API_KEY": "sk-of-openai"}, {"AZURE_OPENAI_API_KEY": "of-azure"}


@each_row(
    ("base_url", "api_key", "keys", "kind", "key"),
    [
        (None, "given", {}, "azure", "given"),
        (None, "given", OF_OPENAI, "azure", "given"),
        (None, "given", OF_AZURE, "azure", "given"),
        (None, None, OF_OPENAI | OF_AZURE, "azure", "of-azure"),
        (None, None, OF_OPENAI, "openai", "sk-of-openai"),
        ("http://h/v1", "given", OF_AZURE, "openai", "given"),
    ],
)
def test_a_key_of_azure_goes_to_azure_only(
    base_url: str | None, api_key: str | None, keys: dict[str, str], kind: str, key: str
):
    endpoint = find_endpoint(base_url, api_key, AZURE | keys)
    assert (endpoint.kind, endpoint.api_key) == (kind, key)
    assert endpoint.base_url == (AZURE["AZURE_OPENAI_ENDPOINT"] if kind == "azure" else base_url)


@pytest.fixture
def servers(
    bare_environment: None, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> Iterator[tuple[ProviderServer, ProviderServer]]:
    """Two that answer, in an environment with two keys and nothing else."""
    for name, key in KEYS.items():
        monkeypatch.setenv(name, key)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    with ExitStack() as exits:
        both = [exits.enter_context(ProviderServer(script=_meets)) for _ in range(2)]
        yield both[0], both[1]


def _meets(seen: Seen) -> Answer:
    return Answer("<S1>because</S1><S2>1</S2>" if "<S2>" in seen.text else "Rome", delay=0.01)


def case(number: int) -> fd.Case:
    asked: list[Any] = [{"role": "user", "content": f"Capital {number}?"}]
    return fd.Case(id=f"c{number}", kind="open_answer", messages=asked, reference={"criterion": "A city."})


def output(number: int) -> fd.Output:
    return fd.Output(case_id=f"c{number}", system="me", text=f"Rome {number}")


CASES, OUTPUTS = [case(number) for number in range(40)], [output(number) for number in range(40)]


def named(servers: tuple[ProviderServer, ProviderServer]) -> list[str]:
    return [f"{each.base_url},key-env={key}" for each, key in zip(servers, KEYS, strict=True)]


def keys_at(server: ProviderServer) -> set[str]:
    return {seen.headers["authorization"].removeprefix("Bearer ") for seen in server.seen}


def test_a_judge_asks_both_each_with_its_own_key(servers: tuple[ProviderServer, ProviderServer]):
    judge = fd.judge("rubric", model="m", endpoints=named(servers), concurrency=4)
    run = fd.evaluate(CASES, OUTPUTS, judges=judge)
    assert run.systems["me"].open["rubric/reasons@m"].n == 40
    assert sum(len(server.seen) for server in servers) == 40
    assert [keys_at(server) for server in servers] == [{key} for key in KEYS.values()]


def test_who_was_asked_does_not_change_who_judges(servers: tuple[ProviderServer, ProviderServer]):
    both = fd.judge("rubric", model="m", endpoints=named(servers))
    one = fd.judge("rubric", model="m", base_url=servers[0].base_url, api_key="k")
    verdicts = [judge(CASES[0], OUTPUTS[0]) for judge in (both, one)]
    assert verdicts[0].judge == verdicts[1].judge
    assert verdicts[0].evidence == verdicts[1].evidence


def test_outputs_are_generated_by_both(servers: tuple[ProviderServer, ProviderServer]):
    made = fd.generate(CASES, "m", endpoints=named(servers), concurrency=2)
    assert len(made) == 40
    assert min(len(server.seen) for server in servers) > 5


def test_a_deployment_is_asked_by_its_own_name(servers: tuple[ProviderServer, ProviderServer]):
    one, other = named(servers)
    judge = fd.judge("rubric", model="m", endpoints=[one, f"{other},model=ours"], concurrency=2)
    fd.evaluate(CASES, OUTPUTS, judges=judge)
    assert [{seen.body["model"] for seen in server.seen} for server in servers] == [{"m"}, {"ours"}]


def test_what_was_asked_of_both_is_in_the_cache_of_both(servers: tuple[ProviderServer, ProviderServer]):
    fd.evaluate(CASES, OUTPUTS, judges=fd.judge("rubric", model="m", endpoints=named(servers)))
    fd.evaluate(CASES, OUTPUTS, judges=fd.judge("rubric", model="m", endpoints=named(servers)[::-1]))
    assert sum(len(server.seen) for server in servers) == 40


def test_base_url_and_endpoints_do_not_go_together():
    with pytest.raises(UsageError, match="drop base_url and connection"):
        fd.judge("rubric", model="m", base_url="http://h/v1", endpoints=["http://i/v1"])


@pytest.fixture
def files(servers: tuple[ProviderServer, ProviderServer], tmp_path: Path) -> tuple[Path, Path]:
    """Cases and outputs in files."""
    del servers
    write_records(tmp_path / "cases.jsonl", CASES)
    write_records(tmp_path / "outputs.jsonl", OUTPUTS)
    return tmp_path / "cases.jsonl", tmp_path / "outputs.jsonl"


def judged(files: tuple[Path, Path], *args: Any) -> Any:
    cases, outputs = files
    return fiducial(
        "judge", cases, "--outputs", outputs, "--judge", "rubric", "--model", "m", "--out", "run", *args
    )


def test_the_command_asks_both_and_says_what_became_of_each(
    servers: tuple[ProviderServer, ProviderServer], files: tuple[Path, Path], tmp_path: Path
):
    servers[1].script = lambda seen: Status(401)
    one, other = named(servers)
    result = judged(files, "--endpoint", one, "--endpoint", other)
    assert result.code == 0, result.err
    assert f"endpoint {servers[0].base_url}: 40 replies\n" in result.err
    assert f"endpoint {servers[1].base_url}: 0 replies, " in result.err
    assert "failed, the last: HTTP 401" in result.err
    kept = [path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()]
    assert not any(key.encode() in content for key in KEYS.values() for content in kept)
    assert not any(key in result.out + result.err for key in KEYS.values())


def test_the_team_names_them_in_its_file(
    servers: tuple[ProviderServer, ProviderServer], files: tuple[Path, Path], tmp_path: Path
):
    one, other = named(servers)
    (tmp_path / "fiducial.toml").write_text(f'[model]\nendpoint = ["{one}", "{other}"]\n')
    refused = judged(files)
    assert (refused.code, "endpoint: not taken from this file" in refused.err) == (2, True)
    result = fiducial(
        "--trust-config",
        "judge",
        files[0],
        "--outputs",
        files[1],
        "--judge",
        "rubric",
        "--model",
        "m",
        "--out",
        "run",
    )
    assert result.code == 0, result.err
    assert sum(len(server.seen) for server in servers) == 40
    typed = judged(files, "--base-url", servers[0].base_url, "--out", "other", "--no-cache")
    assert (typed.code, "endpoint http" in typed.err) == (0, False)


def test_a_batch_goes_to_one(servers: tuple[ProviderServer, ProviderServer], files: tuple[Path, Path]):
    one, other = named(servers)
    result = judged(files, "--endpoint", one, "--endpoint", other, "--batch")
    assert (result.code, "--batch goes to one endpoint" in result.err) == (2, True)


def test_an_address_beside_endpoints_is_refused(files: tuple[Path, Path]):
    result = judged(files, "--endpoint", "http://h/v1", "--base-url", "http://i/v1")
    assert (result.code, "drop --base-url" in result.err) == (2, True)
