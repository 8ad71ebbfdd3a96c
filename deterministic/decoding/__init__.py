"""Decode raw replies to calls in BFCL's form, a list of ``{name: {argument: value}}``.

Each way of writing calls has its module.
"""

from .json_replies import read_json_reply
from .python_calls import Unquoted
from .replies import (
    PLAIN,
    AskedForm,
    asked_form,
    decode_native,
    decode_native_strictly,
    decode_output,
    decode_prompt,
    decode_tool_calls,
)

__all__ = [
    "PLAIN",
    "AskedForm",
    "Unquoted",
    "asked_form",
    "decode_native",
    "decode_native_strictly",
    "decode_output",
    "decode_prompt",
    "decode_tool_calls",
    "read_json_reply",
]
