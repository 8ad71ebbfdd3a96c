"""Records are read by several threads at once, from the first on."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest
from source_tree import product_files

from fiducial.records import typed_values
from fiducial.records.typed_values import convert, decode_json, decode_msgpack, json_decoder

FIRST_USES = """
import sys, threading
from msgspec import Struct, defstruct
from fiducial.records.typed_values import convert, decode_json, json_decoder

sys.setswitchinterval(1e-6)
for number in range(120):
    inner = defstruct("Inner", [("a", int, 0), ("b", str | None, None)], namespace={"__module__": __name__})
    outer = defstruct("Outer", [("f", list[inner], []), ("g", dict[str, inner], {}), ("h", inner | None, None)])
    together = threading.Barrier(4)

    def read(use):
        together.wait()
        use()

    uses = [
        lambda: convert({"f": [{"a": 1}], "h": {"a": 2}}, outer),
        lambda: decode_json(b'{"g": {"x": {"a": 1}}}', outer),
        lambda: json_decoder(list[outer]).decode(b'[{"h": {"b": "x"}}]'),
        lambda: convert({"a": 3}, inner),
    ]
    threads = [threading.Thread(target=read, args=(use,)) for use in uses]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
print("read")
"""


_MAY_BUILD = re.compile(r"msgspec\.(convert|\w+\.(decode|Decoder))\(\S")


class Point(msgspec.Struct):
    x: int


def test_the_first_use_of_a_type_by_several_threads_does_not_end_the_process():
    shown = subprocess.run(
        [sys.executable, "-c", FIRST_USES], capture_output=True, text=True, check=False, timeout=300
    )
    assert (shown.returncode, shown.stdout) == (0, "read\n"), shown.stderr


def test_values_come_from_plain_data_json_and_message_pack():
    assert convert({"x": 1}, Point) == Point(1)
    assert decode_json('[{"x": 1}]', list[Point]) == [Point(1)]
    assert decode_msgpack(msgspec.msgpack.encode({"x": 1}), Point | None) == Point(1)
    assert json_decoder(Point).decode(b'{"x": 1}') == Point(1)
    for read in (lambda: convert({"x": "a"}, Point), lambda: decode_json(b'{"x": "a"}', Point)):
        with pytest.raises(msgspec.ValidationError):
            read()


def _typed_uses(path: Path) -> list[str]:
    """Calls of msgspec that build what it knows of a type."""
    found: list[str] = []
    source = path.read_text(encoding="utf-8")
    for node in ast.walk(ast.parse(source)) if _MAY_BUILD.search(source) else ():
        if isinstance(node, ast.Call) and (name := ast.unparse(node.func)).startswith("msgspec."):
            typed = name == "msgspec.convert" or any(keyword.arg == "type" for keyword in node.keywords)
            if typed or (name.endswith(".Decoder") and node.args):
                found.append(f"{path}:{node.lineno}: {name}")
    return found


def test_no_other_module_makes_msgspec_build_a_type():
    assert [use for path in product_files() if path.stem != "typed_values" for use in _typed_uses(path)] == []
    assert len(_typed_uses(Path(typed_values.__file__))) == 5
