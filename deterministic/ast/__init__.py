"""Check single-turn tool calls against acceptable values, as BFCL does or strictly."""

from .tool_calls import check_tool_calls

__all__ = ["check_tool_calls"]
