"""`--scale`: add a scale to prompt files that declare none."""

from __future__ import annotations

import hashlib
import re
from pathlib import Path

from ..errors import PromptError, UsageError
from ..evaluation.judging.tasks import split_spec
from ..judges.front_matter import read_front_matter, split_front_matter
from ..judges.prompt_file import prompt_of
from ..judges.prompt_inputs import require_fillable
from ..judges.prompt_scale import scale_from_option, scale_line
from ..records import atomic_write
from ..spelling import setting

__all__ = ["with_scale"]


def with_scale(spec: str, scale: str) -> str:
    """Return a judge whose prompt file declares a scale.

    A copy of the file with the added line is kept in the user's cache folder; the same file and scale give the same copy, so that a run
    resumes. Judges that are not prompt files are returned unchanged.

    Args:
        spec: A judge as on the command line: a path, perhaps with ``@MODEL``.
        scale: Worst and best score, ``1-5``, or a prompt file's form, ``{minimum: 1, maximum: 5, step: 1}``.

    Raises:
        UsageError: The scale is invalid, or the file already declares one.
        PromptError: The file is not a prompt file.
    """
    judge, model = split_spec(spec)
    path = Path(judge)
    if path.suffix != ".prompty":
        return spec
    try:
        line = scale_line(scale_from_option(scale))
    except ValueError as error:
        raise UsageError(f"{setting('scale', scale)}: {error}") from error
    if read_front_matter(path).values.get("scale") is not None:
        raise UsageError(f"{path} declares a scale; leave {setting('scale')} out, or change the file")
    opening, newline, rest = path.read_text("utf-8").partition("\n")
    text = f"{opening}{newline}{line}\n{rest}"
    copy = _copy_folder(text) / path.name
    _require_usable(copy, text, path)
    if not copy.exists():
        copy.parent.mkdir(parents=True, exist_ok=True)
        with atomic_write(copy) as file:
            file.write(text.encode())
    return str(copy) if model is None else f"{copy}@{model}"


def _require_usable(copy: Path, text: str, path: Path) -> None:
    """Refuse an unusable prompt, naming its own file and lines, not those of the copy."""
    try:
        prompt = prompt_of(split_front_matter(text, copy))
        require_fillable(prompt)
    except PromptError as error:
        message = str(error)
        position = re.match(rf"{re.escape(str(copy))}:(\d+)", message)
        if position is None:
            raise
        # The copy has one line more, the scale.
        raise PromptError(f"{path}:{int(position[1]) - 1}{message[position.end() :]}") from error


def _copy_folder(text: str) -> Path:
    from platformdirs import user_cache_path  # noqa: PLC0415 - only if a scale is named

    return user_cache_path("fiducial") / "prompts" / hashlib.sha256(text.encode()).hexdigest()[:16]
