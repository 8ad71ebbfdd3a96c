"""Draw mutants of modules, and list those that the module's own tests do not notice.

See benchmarks/source_mutants.py, whose option ``--random`` runs it. Each module gets ``each`` mutants, drawn from all that cosmic-ray makes
of it. They are tried against ``tests/.../test_MODULE.py``, and where that passes against all tests of its folder.
"""

from __future__ import annotations

import difflib
import importlib
import random
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from mutated_copy import MutatedCopy, mutated_copy

_SYNTAX: Any = importlib.import_module("cosmic_ray.ast")
_MUTATING: Any = importlib.import_module("cosmic_ray.mutating")
_OPERATORS: Any = importlib.import_module("cosmic_ray.plugins")
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


def is_noticed(copy: MutatedCopy, module: Path, changed: str, python: str) -> bool:
    """Return whether a test of the module, or of its folder, fails."""
    folder = Path("tests") / module.parent
    tried = (folder / f"test_{module.name}", folder)
    return any(copy.noticing_test(str(module), changed, [str(tests)], python) for tests in tried)


def changed_lines(before: str, after: str) -> str:
    """Return the lines that a mutant changed."""
    lines = difflib.unified_diff(before.splitlines(), after.splitlines(), n=0, lineterm="")
    return "\n".join(line for line in lines if line[:1] in "+-@" and line[:3] not in {"+++", "---"})


def try_module(
    copy: MutatedCopy, module: Path, python: str, each: int, rng: random.Random
) -> tuple[int, int]:
    """Print the mutants of a module that survive; return how many were tried and noticed."""
    source = (copy.root / module).read_text(encoding="utf-8")
    known = list(mutants_of(source))
    noticed = tried = 0
    for mutant in rng.sample(known, min(each, len(known))):
        changed: str | None = _MUTATING.mutate_code(
            source, _OPERATORS.get_operator(mutant.operator)(), mutant.place
        )
        if not changed or changed == source:
            continue
        tried += 1
        if is_noticed(copy, module, changed, python):
            noticed += 1
        else:
            print(f"survives: {module}\n{changed_lines(source, changed)}\n", flush=True)
    return tried, noticed


def try_modules(modules: Iterable[str], *, python: str, each: int, seed: int) -> None:
    """Try mutants of the modules, and print those that survive."""
    rng = random.Random(seed)  # noqa: S311 - which mutants are tried
    tried = noticed = 0
    with mutated_copy(python) as copy:
        for module in map(Path, modules):
            of, found = try_module(copy, module, python, each, rng)
            tried, noticed = tried + of, noticed + found
            print(f"{module}: {found} of {of} noticed", flush=True)
    print(f"all: {noticed} of {tried} noticed")
