"""Mutate the source, and list the mutants that the module's own tests do not notice.

    python -m venv ENV && ENV/bin/pip install cosmic-ray
    ENV/bin/python benchmarks/source_mutants.py PYTHON MODULE [MODULE ...] [--each 12] [--seed 1]

``PYTHON`` is the interpreter that has fiducial and its tests. Each module gets ``--each`` mutants, drawn from all that cosmic-ray makes of it.
They are tried against ``tests/.../test_MODULE.py``, and where that passes against all tests of its folder. Work in a clone of your own: the
source is changed in place, and put back.
"""

from __future__ import annotations

import argparse
import difflib
import importlib
import random
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parents[1]
_SYNTAX: Any = importlib.import_module("cosmic_ray.ast")
_MUTATING: Any = importlib.import_module("cosmic_ray.mutating")
_OPERATORS: Any = importlib.import_module("cosmic_ray.plugins")
_SECONDS = 300
"""After which tests that do not end count as failed."""
_SWAPPED = {
    "Eq_NotEq", "NotEq_Eq", "Lt_LtE", "LtE_Lt", "Gt_GtE", "GtE_Gt", "Lt_Gt", "Gt_Lt", "Is_IsNot", "IsNot_Is",
    "Add_Sub", "Sub_Add", "Mul_Div", "Div_Mul", "Pow_Mul", "FloorDiv_Div", "Mod_Mul", "USub_UAdd",
}  # fmt: skip
_OTHERS = ("AddNot", "NumberReplacer", "ReplaceAndWithOr", "ReplaceOrWithAnd", "ReplaceTrueWithFalse", "ReplaceFalseWithTrue", "ReplaceContinue", "ReplaceBreak")  # fmt: skip


class Mutant(NamedTuple):
    """A change: which operator, at which of the places where it applies."""

    operator: str
    place: int


def mutants_of(source: str) -> Iterator[Mutant]:
    """Yield every mutant of a module."""
    for name in _OPERATORS.operator_names():
        short = name.removeprefix("core/")
        if short.startswith(_OTHERS) or short.partition("Operator_")[2] in _SWAPPED:
            yield from (
                Mutant(name, place)
                for place in range(_places(_SYNTAX.get_ast(source), _OPERATORS.get_operator(name)()))
            )


def _places(node: Any, operator: Any) -> int:
    """Return at how many places an operator applies."""
    below = sum(_places(child, operator) for child in getattr(node, "children", ()))
    return below + sum(1 for _ in operator.mutation_positions(node))


def is_noticed(python: str, module: Path) -> bool:
    """Return whether a test of the module, or of its folder, fails."""
    own = ROOT / "tests" / module.parent / f"test_{module.name}"
    tried = [own] if own.exists() else []
    folder = ROOT / "tests" / module.parent
    return any(not passes(python, each) for each in [*tried, folder])


def passes(python: str, tests: Path) -> bool:
    """Return whether the tests pass."""
    command = [python, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", "-p", "no:randomly", str(tests)]
    try:
        done = subprocess.run(command, cwd=ROOT, capture_output=True, timeout=_SECONDS, check=False)
    except subprocess.TimeoutExpired:
        return False
    return done.returncode in {0, 5}


def changed_lines(before: str, after: str) -> str:
    """Return the lines that a mutant changed."""
    lines = difflib.unified_diff(before.splitlines(), after.splitlines(), n=0, lineterm="")
    return "\n".join(line for line in lines if line[:1] in "+-@" and line[:3] not in {"+++", "---"})


def try_module(python: str, module: Path, each: int, rng: random.Random) -> tuple[int, int]:
    """Print the mutants of a module that survive; return how many were tried and noticed."""
    path = ROOT / module
    source = path.read_text(encoding="utf-8")
    known = list(mutants_of(source))
    noticed = tried = 0
    try:
        for mutant in rng.sample(known, min(each, len(known))):
            changed: str | None = _MUTATING.mutate_code(
                source, _OPERATORS.get_operator(mutant.operator)(), mutant.place
            )
            if not changed or changed == source:
                continue
            tried += 1
            path.write_text(changed, encoding="utf-8")
            if is_noticed(python, module):
                noticed += 1
            else:
                print(f"survives: {module}\n{changed_lines(source, changed)}\n", flush=True)
    finally:
        path.write_text(source, encoding="utf-8")
    return tried, noticed


def main() -> None:
    """Try mutants of the modules, and print those that survive."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("python")
    parser.add_argument("modules", nargs="+", type=Path)
    parser.add_argument("--each", type=int, default=12)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    rng = random.Random(arguments.seed)  # noqa: S311 - which mutants are tried
    tried = noticed = 0
    for module in arguments.modules:
        of, found = try_module(arguments.python, module, arguments.each, rng)
        tried, noticed = tried + of, noticed + found
        print(f"{module}: {found} of {of} noticed", flush=True)
    print(f"all: {noticed} of {tried} noticed")


if __name__ == "__main__":
    main()
