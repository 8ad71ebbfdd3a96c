"""What the pages share: our own files, and the policy by which a browser runs nothing else."""

from __future__ import annotations

import base64
import hashlib
from functools import cache
from importlib.resources import files

from markupsafe import Markup

_TEMPLATES = files(f"{__package__}") / "templates"


@cache
def asset(*names: str) -> Markup:
    """Files of ours, one after another, as markup that is not escaped."""
    return Markup("\n".join(template(name) for name in names))  # noqa: S704 - shipped with the package


def template(name: str) -> str:
    """The text of one of our files."""
    return (_TEMPLATES / name).read_text("utf-8")


def policy(style: Markup, script: Markup) -> str:
    """The Content-Security-Policy: nothing is loaded, and only our own style and script run, known by their hashes."""
    return (
        f"default-src 'none'; style-src '{_digest(style)}'; script-src '{_digest(script)}'; "
        "base-uri 'none'; form-action 'none'"
    )


def _digest(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode("utf-8")).digest()).decode("ascii")
