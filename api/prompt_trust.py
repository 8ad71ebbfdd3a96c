"""Parameters of a prompt file that the user did not name themselves."""

from __future__ import annotations

from pathlib import Path

from ..judges.decoding_parameters import DECODING_PARAMETERS, beyond_decoding

__all__ = ["DECODING_PARAMETERS", "parameters_to_trust"]


def parameters_to_trust(judge: str) -> list[str]:
    """Return the parameters of a judge's prompt file that do more than shape a reply.

    A shipped judge, and a file that does not exist, have none.

    Raises:
        PromptError: The file's front matter cannot be read.
    """
    if ".prompty" not in judge:
        return []
    from ..evaluation.judging.tasks import split_spec  # noqa: PLC0415 - slow to import, and few settings name a prompt
    from ..judges.catalogue import is_prompt_file  # noqa: PLC0415
    from ..judges.prompt_file import declared_parameters  # noqa: PLC0415

    prompt, _ = split_spec(judge)
    if not is_prompt_file(prompt) or not Path(prompt).is_file():
        return []
    return beyond_decoding(declared_parameters(Path(prompt)))
