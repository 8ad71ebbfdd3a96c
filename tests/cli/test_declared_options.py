"""Options of a command are made of the settings that its verb declares."""

from collections.abc import Iterator
from importlib import import_module
from typing import Annotated

import click
import pytest
from click.testing import CliRunner

from fiducial.cli.declared_options import harmless_options, options_of
from fiducial.cli.main import cli
from fiducial.settings.results_settings import JsonSettings
from fiducial.settings.setting import DeclaredSettings, Setting, verb_settings
from fiducial.settings.verbs.trials import TrialsSettings


def commands(command: click.Command = cli, *words: str) -> Iterator[tuple[tuple[str, ...], click.Command]]:
    """Yield the words and the commands that are no groups."""
    if not isinstance(command, click.Group):
        yield words, command
        return
    for name in command.list_commands(click.Context(command)):
        found = command.get_command(click.Context(command), name)
        assert found is not None
        yield from commands(found, *words, name)


COMMANDS = dict(commands())


def verb_of(words: tuple[str, ...]) -> type[DeclaredSettings]:
    module = import_module(f"fiducial.settings.verbs.{'import_' if words[0] == 'import' else words[0]}")
    return getattr(
        module, f"{''.join(part.capitalize() for word in words for part in word.split('-'))}Settings"
    )


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_a_command_has_the_settings_of_its_verb_and_plugins(words: tuple[str, ...]):
    names = [param.name for param in COMMANDS[words].params]
    assert names == [*(each.name for each in verb_settings(verb_of(words))), "plugin"]


def test_a_verb_is_read_as_its_settings_say():
    found: list[object] = []

    @click.command()
    @options_of(TrialsSettings)
    def command(**values: object) -> None:
        found.append(values)

    runner = CliRunner()
    done = runner.invoke(command, ["--k", "1,4", "--pass-at", "0.7", "--pass-at", "j=1", __file__])
    assert done.exit_code == 0, done.output
    (values,) = found
    assert isinstance(values, dict)
    assert (values["ks"], values["pass_at"]) == ((1, 4), {"": 0.7, "j": 1.0})
    assert runner.invoke(command, []).exit_code == 2


def test_json_takes_a_file_or_nothing():
    @click.command()
    @options_of(JsonSettings)
    def command(json_file: str | None) -> None:
        click.echo(json_file)

    runner = CliRunner()
    assert [runner.invoke(command, words).output for words in ([], ["--json"], ["--json", "a.json"])] == [
        "\n",
        "-\n",
        "a.json\n",
    ]


class _Asked(DeclaredSettings):
    model: Annotated[str | None, Setting("Its name.", harmless=True)] = None
    seed: Annotated[int, Setting("Seed.", harmless=True)] = 0


class _Served(DeclaredSettings):
    model: Annotated[str | None, Setting("Its file.")] = None


def test_an_option_of_a_group_is_harmless_only_if_it_is_in_each_of_its_commands():
    @click.group()
    def group() -> None: ...

    for name, verb in (("ask", _Asked), ("serve", _Served)):

        @group.command(name)
        @options_of(verb)
        def command(**_: object) -> None: ...

    assert harmless_options(group) == {"seed"}
