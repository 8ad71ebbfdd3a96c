"""Settings of a team's file that need the user's trust."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path

import click
import pytest
from command import Result, fiducial

from fiducial.api.prompt_trust import DECODING_PARAMETERS, parameters_to_trust
from fiducial.cli.declared_options import harmless_options
from fiducial.cli.main import COMMANDS, cli
from fiducial.judges.catalogue import all_prompts

pytestmark = pytest.mark.attack("settings")

_EVIL = "from pathlib import Path\nPath('imported').touch()\n\ndef F():\n    return 1\n"
_SETTINGS = '[check]\nfunctions = ["evilmod:F"]\n'


@pytest.fixture(autouse=True)
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The user's state folder; nothing is trusted yet."""
    sys.modules.pop("evilmod", None)  # another test of this process may have imported its own
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.delenv("FIDUCIAL_TRUST_CONFIG", raising=False)
    return tmp_path / "state"


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that somebody else made, with a module that leaves a trace when it is imported."""
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "evilmod.py").write_text(_EVIL)
    (folder / "fiducial.toml").write_text(_SETTINGS)
    (folder / "fiducial.toml").chmod(0o644)
    monkeypatch.chdir(folder)
    return folder


@pytest.fixture
def check(inputs: tuple[Path, Path], tmp_path: Path) -> Callable[..., Result]:
    """Check something, with further options."""
    cases, outputs = inputs
    return lambda *more: fiducial("check", cases, "--outputs", outputs, "--out", tmp_path / "v.jsonl", *more)


def test_code_that_a_file_names_is_not_imported_unasked(project: Path, check: Callable[..., Result]):
    done = check()
    assert (done.code, (project / "imported").exists()) == (2, False)
    assert f"{project / 'fiducial.toml'}: [check] functions: not taken from this file" in done.err
    assert "--trust-config" in done.err


def test_a_plugin_that_a_file_names_is_not_imported_unasked(project: Path, check: Callable[..., Result]):
    (project / "fiducial.toml").write_text('[check]\nplugin = "evilmod.py"\n')
    done = check()
    assert (done.code, (project / "imported").exists()) == (2, False)
    assert check("--trust-config").code == 0
    assert (project / "imported").exists()


def test_it_is_taken_once_the_user_says_so_and_until_the_file_changes(
    project: Path, check: Callable[..., Result]
):
    assert check("--trust-config").code == 0
    assert (project / "imported").exists()
    assert check().code == 0
    (project / "fiducial.toml").write_text(_SETTINGS + "\n")
    assert check().code == 2


def test_a_ci_says_so_by_a_variable_and_nothing_is_remembered(
    project: Path, check: Callable[..., Result], monkeypatch: pytest.MonkeyPatch, state: Path
):
    monkeypatch.setenv("FIDUCIAL_TRUST_CONFIG", "1")
    assert check().code == 0
    assert not state.exists()


@pytest.mark.parametrize(("mode", "told"), [(0o664, "others can write"), (0o646, "others can write")])
def test_a_file_that_others_can_write_is_never_trusted(
    project: Path, check: Callable[..., Result], mode: int, told: str
):
    (project / "fiducial.toml").chmod(mode)
    done = check("--trust-config")
    assert (done.code, told in done.err, (project / "imported").exists()) == (2, True, False)


@pytest.mark.skipif(not hasattr(os, "getuid") or os.getuid() != 0, reason="only root can give a file away")
def test_a_file_of_another_user_is_never_trusted(project: Path, check: Callable[..., Result]):
    os.chown(project / "fiducial.toml", 12345, 12345)
    done = check("--trust-config")
    assert (done.code, "belongs to another user" in done.err) == (2, True)


def test_a_link_to_a_file_that_was_trusted_elsewhere_is_not(
    project: Path, check: Callable[..., Result], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.delitem(sys.modules, "evilmod", raising=False)
    assert check("--trust-config").code == 0
    assert (project / "imported").exists()
    monkeypatch.delitem(sys.modules, "evilmod")
    other = tmp_path / "cloned"
    other.mkdir()
    (other / "evilmod.py").write_text(_EVIL)
    (other / "fiducial.toml").symlink_to(project / "fiducial.toml")
    monkeypatch.chdir(other)
    done = check()
    assert (done.code, "it is a link" in done.err, (other / "imported").exists()) == (2, True, False)


@pytest.mark.parametrize("typed", [("run",), ("--", "run")])
def test_a_table_of_a_command_within_another_needs_trust_however_it_is_called(
    project: Path, typed: tuple[str, ...]
):
    (project / "fiducial.toml").write_text('[artifacts.run]\nagent = "touch ran"\nallow-code = true\n')
    done = fiducial("artifacts", *typed, "nowhere", "--out", "out")
    assert "[artifacts] agent, allow-code: not taken from this file" in done.err
    assert (done.code, (project / "ran").exists()) == (2, False)


def test_a_key_is_not_sent_to_an_endpoint_that_a_file_names_unasked(
    project: Path, inputs: tuple[Path, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "secret")
    (project / "fiducial.toml").write_text(
        '[model]\nmodel = "m"\nbase-url = "http://127.0.0.1:9/v1"\napi-key-env = "AWS_SECRET_ACCESS_KEY"\n'
    )
    cases, outputs = inputs
    done = fiducial("judge", "-v", cases, outputs=outputs, judge="rubric", out=tmp_path / "run")
    assert (done.code, "[model] base-url, api-key-env: not taken" in done.err) == (2, True)
    assert not (tmp_path / "run").exists()


def test_harmless_settings_are_taken_and_the_file_is_named(project: Path, check: Callable[..., Result]):
    (project / "fiducial.toml").write_text("[check]\nrules = 'strict'\n")
    done = check()
    assert (done.code, f"settings: {project / 'fiducial.toml'}" in done.err) == (0, True)


def test_settings_of_other_commands_do_not_matter(project: Path):
    assert fiducial("cache", "info", "--cache", "none.sqlite").code == fiducial("plan", "--help").code == 0


@pytest.mark.parametrize("name", ["--trust-config", "--help"])
def test_a_file_named_like_an_option_is_neither_trust_nor_a_request_for_help(project: Path, name: str):
    (project / "fiducial.toml").write_text('[prompts.check]\nplugin = "evilmod.py"\n')
    (project / name).write_text("no prompt")
    done = fiducial("prompts", "check", "--", name)
    assert (done.code, "plugin: not taken from this file" in done.err) == (2, True)
    assert not (project / "imported").exists()


def test_help_asks_for_no_trust(project: Path):
    assert fiducial("check", "--help").code == 0


@pytest.mark.usefixtures("project")
def test_on_a_terminal_the_user_is_asked(check: Callable[..., Result], monkeypatch: pytest.MonkeyPatch):
    questions: list[str] = []

    def confirm(question: str, *, err: bool) -> bool:
        questions.append(question)
        return err

    monkeypatch.setattr("click.confirm", confirm)
    monkeypatch.setattr("fiducial.cli.config_trust.on_terminal", lambda: True)
    assert check().code == 0
    assert "[check] sets functions" in questions[0]


HARMLESS = frozenset[str]().union(
    *(
        harmless_options(command)
        for name in COMMANDS
        if (command := cli.get_command(click.Context(cli), name))
    )
)


def _options(command: click.Command | None) -> set[str]:
    assert command is not None
    own = {opt.lstrip("-") for param in command.params for opt in param.opts}
    below = command.commands.values() if isinstance(command, click.Group) else ()
    return own.union(*map(_options, below))


def test_every_option_that_names_a_file_to_be_written_needs_trust():
    assert not {name for name in _known() if name == "out" or name.endswith("-out")} & HARMLESS


def test_options_that_name_code_endpoints_or_clusters_need_trust():
    dangerous = {
        *("agent", "allow-code", "environment", "functions", "operator", "plugin", "again", "accept-edited"),
        *(
            "base-url",
            "connection",
            "endpoint",
            "generate-base-url",
            "user-base-url",
            "search",
            "api-key-env",
            "engine",
            "address",
        ),
        *("cache", "histories-out", "html", "json", "out", "outputs-out", "record", "results"),
    }
    assert _known() >= dangerous
    assert not dangerous & HARMLESS


@pytest.mark.parametrize("setting", ['engine = "ray"', 'address = "ray.example:6379"'])
def test_a_cluster_that_a_file_names_is_not_reached_unasked(
    project: Path, inputs: tuple[Path, Path], tmp_path: Path, setting: str
):
    (project / "fiducial.toml").write_text(f"[run]\n{setting}\n")
    cases, outputs = inputs
    done = fiducial("run", cases, "--outputs", outputs, "--out", tmp_path / "run")
    assert done.code == 2
    assert "not taken from this file" in done.err
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize(
    "setting",
    [
        'tools = "[]"',
        'file_ids = ["secret"]',
        'reasoning = {url = "https://evil.example"}',
        r"""reasoning = '{"url": "https:\/\/evil.example"}'""",
    ],
)
def test_decoding_parameters_that_could_reach_out_need_trust(
    project: Path, inputs: tuple[Path, Path], tmp_path: Path, setting: str
):
    (project / "fiducial.toml").write_text(f"[model.judge_parameters]\n{setting}\n")
    cases, outputs = inputs
    asked = ("judge", cases, "--outputs", outputs, "--judge", "rubric", "--model", "m", "--dry-run")
    done = fiducial(*asked, "--out", tmp_path / "run")
    assert done.code == 2
    assert "judge_parameters: not taken from this file" in done.err


@pytest.mark.attack("settings")
@pytest.mark.parametrize(
    "place",
    [("generate", "parameter"), ("judge", "judge_parameter"), ("judge", "judge-parameter")],
)
@pytest.mark.parametrize(
    "pair",
    [
        r"""tools=[{"type":"mcp","server_url":"https:\/\/evil.example"}]""",
        "tools=[]",
        r"""reasoning={"url":"https:\/\/evil.example"}""",
    ],
)
def test_parameters_as_pairs_that_could_reach_out_need_trust(
    project: Path, inputs: tuple[Path, Path], tmp_path: Path, place: tuple[str, str], pair: str
):
    table, option = place
    (project / "fiducial.toml").write_text(f"[{table}]\n{option} = ['{pair}']\n")
    cases, outputs = inputs
    of = {"generate": (), "judge": ("--outputs", outputs, "--judge", "rubric", "--dry-run")}[table]
    done = fiducial(table, cases, *of, "--model", "m", "--out", tmp_path / "out")
    assert done.code == 2
    assert f"{option}: not taken from this file" in done.err


@pytest.mark.parametrize(
    ("content", "tables"),
    [
        ('[model]\nbase-url = "http://127.0.0.1:9/v1"\n', "[model] base-url"),
        ('[judge]\nbase-url = "http://127.0.0.1:9/v1"\n', "[judge] base-url"),
        (
            '[judge]\nreplay = "r.jsonl"\n[model]\nbase-url = "http://127.0.0.1:9/v1"\n',
            "[judge] or [model] base-url, replay",
        ),
    ],
)
def test_a_setting_is_refused_with_the_table_in_which_it_stands(
    project: Path, inputs: tuple[Path, Path], tmp_path: Path, content: str, tables: str
):
    (project / "fiducial.toml").write_text(content)
    cases, outputs = inputs
    asked = ("judge", cases, "--outputs", outputs, "--judge", "rubric", "--model", "m", "--dry-run")
    done = fiducial(*asked, "--out", tmp_path / "out")
    assert (done.code, f"fiducial.toml: {tables}: not taken" in done.err) == (2, True)


@pytest.mark.parametrize("table", ["generate", "judge"])
def test_decoding_parameters_as_pairs_need_no_trust(
    project: Path, inputs: tuple[Path, Path], tmp_path: Path, table: str
):
    option = {"generate": "parameter", "judge": "judge_parameter"}[table]
    (project / "fiducial.toml").write_text(f"[{table}]\n{option} = ['temperature=0', 'seed=1']\n")
    cases, outputs = inputs
    of = {"generate": (), "judge": ("--outputs", outputs, "--judge", "rubric", "--dry-run")}[table]
    done = fiducial(table, cases, *of, "--model", "m", "--out", tmp_path / "out")
    assert "not taken from this file" not in done.err


def write_prompt(file: Path, parameters: str, scale: str = "scale: {minimum: 0, maximum: 1}") -> None:
    """Write a prompt file with these parameters."""
    model = f"model: {{api: chat, configuration: {{base_url: 'http://10.0.0.1'}}, parameters: {parameters}}}"
    inputs = "inputs: {response: {type: string}}"
    file.write_text(f"---\n{model}\n{inputs}\n{scale}\n---\nuser:\n{{{{response}}}}\n")


_MORE = [
    "{tools: [{type: mcp, server_url: 'https://evil.example'}]}",
    "{tools: []}",
    "{n: 100}",
    "{models: [expensive]}",
    "{web_search_options: {}}",
    "{store: true}",
    "{extra_body: {tools: []}}",
    "{extra_headers: {authorization: x}}",
    "{base_url: x}",
    "{temperature: 0, service_tier: priority}",
    "{response_format: {type: json_schema, url: 'https://evil.example'}}",
    r"""{response_format: {type: json_schema, url: "https:\/\/evil.example"}}""",
]


@pytest.mark.parametrize("parameters", _MORE)
def test_a_prompt_that_a_file_names_and_that_sends_more_than_decoding_parameters_needs_trust(
    project: Path, inputs: tuple[Path, Path], tmp_path: Path, parameters: str
):
    write_prompt(project / "theirs.prompty", parameters)
    (project / "fiducial.toml").write_text('[judge]\njudge = "theirs.prompty"\n')
    asked = ("judge", inputs[0], "--outputs", inputs[1], "--model", "m", "--dry-run", "--out", tmp_path / "r")
    done = fiducial(*asked)
    assert done.code == 2
    assert "[judge] judge (theirs.prompty sends " in done.err
    assert "not taken from this file" in done.err
    assert "not taken from this file" not in fiducial(*asked, "--trust-config").err


@pytest.mark.parametrize(
    ("settings", "asked"),
    [
        ('[run]\njudge = ["rubric", "theirs.prompty"]\njury = "majority"', "run cases --outputs outputs --out r"),
        ('[model]\njudge = ["theirs.prompty@m"]', "run cases --outputs outputs --out r"),
        ('[model]\njudge = "./theirs.prompty"', "judge cases --outputs outputs --out r"),
        ('[judge]\njudge = "plain.prompty"\nscale = "0-1"', "judge cases --outputs outputs --out r"),
        ('[compare]\njudge = "theirs.prompty"', "compare r --by system --out p"),
        ('[audit.run]\njudge = ["theirs.prompty"]', "audit run probes --out r"),
        ('[batch.export]\njudge = ["theirs.prompty"]', "batch export cases --outputs outputs --out r"),
        ('[batch.import]\njudge = ["theirs.prompty"]', "batch import cases --outputs outputs --results b --out r"),
        ('[improve]\nprompt = "theirs.prompty"', "improve r --model m --out p"),
        ('[improve]\ncandidate = ["theirs.prompty"]', "improve r --prompt rubric --model m --out p"),
    ],
)  # fmt: skip
def test_every_setting_that_names_a_prompt_is_looked_into(project: Path, settings: str, asked: str):
    write_prompt(project / "theirs.prompty", "{tools: []}")
    write_prompt(project / "plain.prompty", "{tools: []}", scale="description: without a scale")
    (project / "fiducial.toml").write_text(settings)
    done = fiducial(*asked.split())
    assert done.code == 2
    assert ".prompty sends tools): not taken from this file" in done.err.replace("@m", "")


def test_a_prompt_that_a_file_names_and_that_only_decodes_needs_no_trust(
    project: Path, inputs: tuple[Path, Path], tmp_path: Path
):
    sent = ", ".join(f"{name}: 1" for name in DECODING_PARAMETERS - {"response_format"})
    write_prompt(project / "theirs.prompty", f"{{{sent}, response_format: {{type: json_object}}}}")
    (project / "fiducial.toml").write_text('[judge]\njudge = "theirs.prompty"\n')
    asked = ("judge", inputs[0], "--outputs", inputs[1], "--model", "m", "--dry-run", "--out", tmp_path / "r")
    assert fiducial(*asked).code == 0


def test_a_prompt_that_the_user_typed_sends_what_it_says(
    project: Path, inputs: tuple[Path, Path], tmp_path: Path
):
    write_prompt(project / "mine.prompty", "{tools: []}")
    (project / "fiducial.toml").write_text("[judge]\nmodel = 'm'\n")
    asked = ("judge", inputs[0], "--outputs", inputs[1], "--judge", "mine.prompty", "--dry-run")
    assert fiducial(*asked, "--out", tmp_path / "r").code == 0


@pytest.mark.parametrize("parameters", ["{tools: [}", "[tools]", "{model: other}"])
def test_a_prompt_that_cannot_be_read_is_refused(
    project: Path, inputs: tuple[Path, Path], tmp_path: Path, parameters: str
):
    write_prompt(project / "theirs.prompty", parameters)
    (project / "fiducial.toml").write_text('[judge]\njudge = "theirs.prompty"\n')
    asked = ("judge", inputs[0], "--outputs", inputs[1], "--model", "m", "--dry-run", "--out", tmp_path / "r")
    done = fiducial(*asked)
    assert (done.code, "theirs.prompty:" in done.err) == (2, True)


def test_shipped_prompts_send_decoding_parameters_only():
    assert {str(path): parameters_to_trust(str(path)) for path in all_prompts().values()} == {
        str(path): [] for path in all_prompts().values()
    }


def _known() -> set[str]:
    context = click.Context(cli)
    return set[str]().union(*(_options(cli.get_command(context, name)) for name in COMMANDS))


_SETTINGS_OF_A_STRANGER = (
    *('[run]\nengine = "ray"\naddress = "127.0.0.1:1"\n', '[run]\n"engine" = "ray"\n', 'run.engine = "ray"\n'),
    *('run.address = "10.0.0.1:6379"\n', 'run = {engine = "ray"}\n', '[[run]]\nengine = "ray"\n', '[run]\nEngine = "ray"\n'),
    *('[run]\nbase-url = "http://10.0.0.1/"\n', '[run]\n"\\u0065ngine" = "ray"\n', '[default]\nengine = "ray"\n'),
    *('base_url = "http://10.0.0.1/"\n', '[run]\nplugin = ["evil.py"]\n', '[run]\nagent = "touch pwned"\n'),
    *('[run]\napi_key_env = "HOME"\n', '[run]\nrecord = "pwned"\n', '[run]\nout = "pwned"\n', '[run]\ncache = "pwned"\n'),
    *("trust_config = true\n", "[run]\ntrust_config = true\n", "[run]\nhelp = true\n", '\ufeff[run]\nengine = "ray"\n'),
    *('[run]\r\nengine = "ray"\r\n', '[run]\nengine = "ray\\u0000"\n', '[run]\nengine = "\\u001b[2J\\u202e"\n'),
    *(f'[run]\nengine = "{"x" * 5_000_000}"\n', f"a = {'[' * 5000}{']' * 5000}\n", f"[run]\nseed = {'9' * 5000}\n"),
    *("[run]\nengine = 2001-01-01\n", '[run]\nengine="a"\nengine="b"\n'),
)  # fmt: skip


def test_a_strangers_settings_are_refused_in_a_line_however_they_are_written():
    Path("evil.py").write_text("open('pwned', 'w')")
    taken: list[tuple[str, Result]] = []
    for text in _SETTINGS_OF_A_STRANGER:
        Path("fiducial.toml").write_bytes(text.encode())
        ended = fiducial(*["run", "cases.jsonl", "--outputs", "outputs.jsonl", "--model", "m"])
        in_a_line = (ended.code, len(ended.err.splitlines())) == (2, 1) and "fiducial.toml" in ended.err
        if not in_a_line or {"\x1b", "\u202e"} & {*ended.err} or Path("pwned").exists():
            taken.append((text[:40], ended))
    assert not taken
