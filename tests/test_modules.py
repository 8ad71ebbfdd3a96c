"""A module holds one idea: at most 400 lines, whose loop variables say what they hold."""

from __future__ import annotations

import ast

from source_tree import ROOT, parsed, product_files

_MAX_LINES = 400
_UNNAMED = "each"


def test_no_module_is_longer_than_400_lines():
    lines = {
        str(path.relative_to(ROOT)): path.read_text(encoding="utf-8").count("\n") for path in product_files()
    }
    assert {path: count for path, count in lines.items() if count > _MAX_LINES} == {}


def test_a_loop_variable_says_what_it_holds():
    loops = [
        f"{path.relative_to(ROOT)}:{loop.target.lineno}"
        for path in product_files()
        for loop in ast.walk(parsed(path))
        if isinstance(loop, ast.For | ast.AsyncFor | ast.comprehension)
        for name in ast.walk(loop.target)
        if isinstance(name, ast.Name) and name.id == _UNNAMED
    ]
    assert loops == []
