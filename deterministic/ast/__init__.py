"""Single-turn tool calls against a reference of acceptable values, as BFCL's AST checker decides them."""

from .tool_calls import check_tool_calls

__all__ = ["check_tool_calls"]
