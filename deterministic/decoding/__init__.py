"""From a raw reply to calls in BFCL's form, a list of ``{name: {argument: value}}``: one module per way of writing them."""

from .native import decode_native, decode_tool_calls
from .replies import Form, decode_output, decode_prompt
from .strict_python_calls import Unquoted
from .strict_replies import decode_native_strictly, decode_output_strictly, decode_prompt_strictly

__all__ = [
    "Form",
    "Unquoted",
    "decode_native",
    "decode_native_strictly",
    "decode_output",
    "decode_output_strictly",
    "decode_prompt",
    "decode_prompt_strictly",
    "decode_tool_calls",
]
