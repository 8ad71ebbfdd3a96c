"""The 26 prompt configurations of the format-sensitivity category, and their ids."""

from __future__ import annotations

from itertools import product
from typing import Literal, NamedTuple, TypeAlias

import msgspec

ReturnFormat: TypeAlias = Literal["python", "json", "verbose_xml", "concise_xml"]
DocumentFormat: TypeAlias = Literal["python", "xml", "json"]
PromptFormat: TypeAlias = Literal["plaintext", "markdown"]
Style: TypeAlias = Literal["classic", "experimental"]


class Configuration(msgspec.Struct, frozen=True, kw_only=True):
    """Prompt format for a prompt-mode system: function documents and form of the calls.

    Attributes:
        ret_fmt: Format of calls.
        tool_call_tag: Whether calls must be between ``<TOOLCALL>`` tags.
        func_doc_fmt: Format of function documents.
        prompt_fmt: Plain paragraphs, or Markdown with headings.
        style: Wording of the instructions.
    """

    ret_fmt: ReturnFormat = "python"
    tool_call_tag: bool = False
    func_doc_fmt: DocumentFormat = "json"
    prompt_fmt: PromptFormat = "plaintext"
    style: Style = "classic"

    @property
    def id(self) -> str:
        """The configuration as it is written in ids of entries."""
        return "&".join(f"{name}={getattr(self, name)}" for name in self.__struct_fields__)


DEFAULT = Configuration()
"""Configuration of all other categories in prompt mode."""

_RETURN_FORMATS: tuple[ReturnFormat, ...] = ("python", "json", "verbose_xml", "concise_xml")
_DOCUMENT_FORMATS: tuple[DocumentFormat, ...] = ("python", "xml", "json")

CONFIGURATIONS: tuple[Configuration, ...] = (
    *(
        Configuration(ret_fmt=ret_fmt, tool_call_tag=tagged, func_doc_fmt=func_doc_fmt)
        for ret_fmt, tagged, func_doc_fmt in product(_RETURN_FORMATS, (True, False), _DOCUMENT_FORMATS)
    ),
    Configuration(prompt_fmt="markdown"),
    Configuration(style="experimental"),
)
"""All configurations, in BFCL's order."""

_BY_ID = {configuration.id: configuration for configuration in CONFIGURATIONS}


class SensitivityId(NamedTuple):
    """The parts of ``format_sensitivity_N:<configuration>:<original id>``."""

    number: int
    configuration: Configuration
    original: str

    def __str__(self) -> str:
        return f"format_sensitivity_{self.number}:{self.configuration.id}:{self.original}"


def parse_sensitivity_id(entry_id: str) -> SensitivityId:
    """Split an id of the format-sensitivity category into its parts.

    Raises:
        ValueError: The id does not have three parts, or names an unknown configuration.
    """
    head, _, rest = entry_id.partition(":")
    configuration, _, original = rest.partition(":")
    if configuration not in _BY_ID or not original:
        raise ValueError(
            f"{entry_id!r} is not of the form format_sensitivity_N:<configuration>:<original id>"
        )
    return SensitivityId(int(head.rpartition("_")[2]), _BY_ID[configuration], original)
