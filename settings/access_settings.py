"""Settings of access to models."""

from pathlib import Path
from typing import Annotated

from .sections import MODEL_ACCESS
from .setting import DeclaredSettings, Setting


class AccessSettings(DeclaredSettings):
    """Access to a model, and its budget."""

    base_url: Annotated[
        str | None,
        Setting(
            "An OpenAI-compatible endpoint.  [default: $OPENAI_BASE_URL]", metavar="URL", section=MODEL_ACCESS
        ),
    ] = None
    endpoints: Annotated[
        tuple[str, ...],
        Setting(
            "One of several endpoints that share the load (docs/configuration.md); may be given several times.",
            option="--endpoint",
            metavar="URL[,key-env=NAME][,weight=W][,model=NAME][,api=NAME]",
            section=MODEL_ACCESS,
        ),
    ] = ()
    connection: Annotated[
        str | None,
        Setting(
            "A connection of promptflow, instead of --base-url and --api-key-env (docs/promptflow.md).",
            metavar="NAME|FILE.yml",
            section=MODEL_ACCESS,
        ),
    ] = None
    api_key_env: Annotated[
        str | None,
        Setting(
            "Variable that holds the key.  [default: OPENAI_API_KEY]", metavar="NAME", section=MODEL_ACCESS
        ),
    ] = None
    concurrency: Annotated[
        int, Setting("Maximum calls in flight.", low=1, high=4096, section=MODEL_ACCESS, harmless=True)
    ] = 64
    timeout: Annotated[
        float, Setting("Time limit of one call, in seconds.", low=0.1, section=MODEL_ACCESS, harmless=True)
    ] = 60.0
    attempts: Annotated[
        int, Setting("Maximum failed calls per request.", low=1, high=20, section=MODEL_ACCESS, harmless=True)
    ] = 6
    patience: Annotated[
        float,
        Setting(
            "Retry a call that takes this many times as long as usual; 0: never.",
            low=0,
            section=MODEL_ACCESS,
            harmless=True,
        ),
    ] = 10.0
    expect_served_by: Annotated[
        str | None,
        Setting(
            "Accept replies only from this model, in any release, if the endpoint names the model.",
            metavar="MODEL",
            section=MODEL_ACCESS,
            harmless=True,
        ),
    ] = None
    cache: Annotated[
        Path | None,
        Setting(
            "The reply cache's file.  [default: in the user's cache folder]",
            form="out file",
            section=MODEL_ACCESS,
        ),
    ] = None
    no_cache: Annotated[
        bool, Setting("Neither read nor write the reply cache.", section=MODEL_ACCESS, harmless=True)
    ] = False
    record: Annotated[
        Path | None, Setting("Also append every reply to this file.", form="out file", section=MODEL_ACCESS)
    ] = None
    replay: Annotated[
        Path | None,
        Setting("Answer from a recording only; send no request.", form="input file", section=MODEL_ACCESS),
    ] = None
    max_calls: Annotated[
        int | None,
        Setting(
            "Make no more calls than this, retries included.",
            metavar="N",
            low=0,
            section=MODEL_ACCESS,
            harmless=True,
        ),
    ] = None
    max_cost: Annotated[
        float | None,
        Setting("Spend no more than this.", metavar="USD", low=0, section=MODEL_ACCESS, harmless=True),
    ] = None
    price: Annotated[
        tuple[str, ...],
        Setting(
            "Dollars per million tokens.  [default: listed prices]",
            metavar="[MODEL=]IN/OUT[/CACHED]",
            section=MODEL_ACCESS,
            harmless=True,
        ),
    ] = ()


class DryRunSettings(DeclaredSettings):
    """A forecast instead of calls."""

    dry_run: Annotated[
        bool,
        Setting(
            "Print the expected calls, tokens and cost; make no call and write nothing.",
            harmless=True,
            eager=True,
        ),
    ] = False
