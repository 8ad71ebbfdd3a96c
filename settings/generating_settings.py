"""Settings of generating outputs."""

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

from .access_settings import AccessSettings, DryRunSettings
from .sections import WORKS
from .setting import DeclaredSettings, Setting


class WorkingSettings(DeclaredSettings):
    """Work of a model on cases."""

    mode: Annotated[
        Literal["tools", "prompt"],
        Setting("Native tools, or BFCL's instructions and calls in the text.", section=WORKS, harmless=True),
    ] = "tools"
    parameters: Annotated[
        Mapping[str, Any],
        Setting(
            "A decoding parameter, such as temperature=0; may be given several times.",
            option="--parameter",
            metavar="NAME=VALUE",
            form="parameters",
            section=WORKS,
        ),
    ] = {}
    steps_per_turn: Annotated[
        int,
        Setting(
            "Maximum steps per turn; one more ends the conversation.",
            low=1,
            high=10000,
            section=WORKS,
            harmless=True,
        ),
    ] = 21


class ToolsSettings(DeclaredSettings):
    """An agent's memory and web."""

    histories: Annotated[
        Path | None,
        Setting(
            "Earlier conversations of an agent with a memory (docs/generate.md).",
            form="input file",
            section=WORKS,
        ),
    ] = None
    search: Annotated[
        str | None,
        Setting(
            "The web: pages as JSON Lines or a folder, or a search service.",
            metavar="CORPUS|URL",
            section=WORKS,
        ),
    ] = None
    embedding_model: Annotated[
        str | None,
        Setting(
            "Model of the vector memory, at the same endpoint.  [default: hashed words]",
            metavar="NAME",
            section=WORKS,
            harmless=True,
        ),
    ] = None


class AgentSettings(DeclaredSettings):
    """Agents, trials and settings of generation, besides the model."""

    agent: Annotated[
        str | None,
        Setting(
            "A command to run instead of a model: it reads a case as JSON on standard input and writes an output as JSON.",
            metavar="COMMAND",
            section=WORKS,
        ),
    ] = None
    agent_calls: Annotated[
        bool,
        Setting(
            "The command calls the case's tools: JSON Lines both ways (docs/generate.md).",
            section=WORKS,
            harmless=True,
        ),
    ] = False
    agent_timeout: Annotated[
        float,
        Setting("Seconds for each run of the command.", low=0, low_open=True, section=WORKS, harmless=True),
    ] = 300.0
    system: Annotated[
        str | None,
        Setting(
            "Name of the model or agent in outputs.  [default: the model's name; agent]",
            section=WORKS,
            harmless=True,
        ),
    ] = None
    user_model: Annotated[
        str | None,
        Setting(
            "The model that plays the users of cases with a goal (docs/trajectories.md).",
            metavar="NAME",
            section=WORKS,
        ),
    ] = None
    user_base_url: Annotated[
        str | None,
        Setting(
            "Endpoint of that model; --api-key-env is not sent there.  [default: the other model's]",
            metavar="URL[,key-env=NAME]",
            section=WORKS,
        ),
    ] = None
    trials: Annotated[
        int, Setting("Attempts at each case.", low=1, high=1000, section=WORKS, harmless=True)
    ] = 1
    again: Annotated[
        bool,
        Setting(
            "Discard existing outputs and generate them again, for instance after a change of the agent.",
            section=WORKS,
        ),
    ] = False
    keep_crashes: Annotated[
        bool,
        Setting(
            "Grade an agent 0 that fails in one way on the first 8 cases, instead of stopping.",
            section=WORKS,
            harmless=True,
        ),
    ] = False


class GeneratingSettings(AgentSettings, WorkingSettings, ToolsSettings, AccessSettings, DryRunSettings):
    """A model or an agent that works on cases."""
