"""Settings of `fiducial mcp`."""

from pathlib import Path
from typing import Annotated

from ..setting import DeclaredSettings, Setting


class McpSettings(DeclaredSettings):
    """Settings of `fiducial mcp`."""

    folder: Annotated[
        Path, Setting("The only folder that is read and written.", form="existing folder", required=True)
    ]
    model: Annotated[
        str | None,
        Setting("The judging model.  [default: none; nothing can be judged]", metavar="NAME", harmless=True),
    ] = None
    base_url: Annotated[
        str | None, Setting("An OpenAI-compatible endpoint.  [default: $OPENAI_BASE_URL]", metavar="URL")
    ] = None
    max_calls: Annotated[int, Setting("Model calls per request.", metavar="N", low=0, harmless=True)] = 1000
    max_cost: Annotated[
        float | None, Setting("Dollars per request.", metavar="USD", low=0, harmless=True)
    ] = None
