"""From a raw reply to calls in BFCL's form, a list of ``{name: {argument: value}}``: one module per way of writing them."""

from .native import decode_native, decode_tool_calls
from .replies import Form, decode_output, decode_prompt

__all__ = ["Form", "decode_native", "decode_output", "decode_prompt", "decode_tool_calls"]
