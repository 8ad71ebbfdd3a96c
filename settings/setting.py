"""Declarations of settings: values, spelling, help, and what could do harm.

A verb (`run`, `calibrate`) is a struct. Each field is a setting: the annotation says what its values are, `Setting` the rest.
Options of the command line, team files, the trust that these need, and `--help` are made of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from types import NoneType, UnionType
from typing import (
    Any,
    Literal,
    NamedTuple,
    Self,
    TypeAlias,
    Union,
    dataclass_transform,
    get_args,
    get_origin,
)

import msgspec

Form: TypeAlias = Literal[
    "accept edited",
    "existing folder",
    "folder",
    "grade",
    "header",
    "input",
    "input file",
    "json",
    "kind of scores",
    "labels of one file",
    "numbers",
    "out",
    "out file",
    "out folder",
    "parameters",
    "pass at",
    "plugin",
    "records",
    "reparse",
    "run folder unless dry run",
    "file unless dry run",
    "scale of grades",
    "scale of a judge",
    "verbose",
]
"""How a text becomes a value, where the type of the value does not say it."""

SEVERAL: Mapping[Form, bool] = {
    "labels of one file": True,
    "numbers": False,
    "parameters": True,
    "pass at": True,
}
"""Whether the option may be given several times, by form, where the type of the value does not say it."""


class Setting(msgspec.Struct, frozen=True):
    """Words and limits of a setting.

    Attributes:
        help: What it does, as `--help` says it.
        option: Its option; by default the field's name with dashes.
        earlier: Names under which it is known, too.
        short: Its option of one letter.
        metavar: Form of its value in `--help`.
        form: How a text becomes its value, or None if its type says it.
        low: Lowest number.
        high: Highest number.
        low_open: True if the lowest number itself is not allowed.
        high_open: True if the highest number itself is not allowed.
        section: Heading in `--help`, or None for the common ones.
        harmless: True if it names no code, endpoint, cluster, secret or file to write, and drops nothing.
        is_argument: True if it has no option: its place says what it is.
        required: True if there is no default, and None is no value.
        eager: True if other settings depend on it.
        shows_default: False if `--help` does not show its default.
    """

    help: str = ""
    option: str | None = None
    earlier: tuple[str, ...] = ()
    short: str | None = None
    metavar: str | None = None
    form: Form | None = None
    low: float | None = None
    high: float | None = None
    low_open: bool = False
    high_open: bool = False
    section: str | None = None
    harmless: bool = False
    is_argument: bool = False
    required: bool = False
    eager: bool = False
    shows_default: bool = True


@dataclass_transform(kw_only_default=True, frozen_default=True)
class DeclaredSettings:
    """Base of verbs and of the parts that they share: settings by name.

    Raises:
        TypeError: A setting is unknown, or one without a default is missing.
    """

    def __init__(self, **values: Any) -> None:
        names = names_of(type(self))
        missing = [name for name in names if name not in values and not hasattr(self, name)]
        if missing or not values.keys() <= names.keys():
            raise TypeError(
                f"{type(self).__name__}: missing {missing}, unknown {values.keys() - names.keys()}"
            )
        vars(self).update(values)

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError(f"{name}: settings do not change; `replace` returns others")

    def named(self, wanted: Iterable[str]) -> dict[str, Any]:
        """Return the settings among these names with their values."""
        names = names_of(type(self))
        return {name: getattr(self, name) for name in wanted if name in names}

    def replace(self, **values: Any) -> Self:
        """Return these settings with other values of some."""
        return type(self)(**{**vars(self), **values})


class Declared(NamedTuple):
    """Setting of a verb.

    Attributes:
        name: Name of the field, and of the argument in Python.
        kind: Type of one value: `bool`, `int`, `float`, `str`, `Path` or another.
        choices: The only values, if they are few.
        several: True if it may be given several times.
        default: Its default, or None without one.
        setting: The rest.
    """

    name: str
    kind: Any
    choices: tuple[str, ...]
    several: bool
    default: Any
    setting: Setting

    @property
    def option(self) -> str:
        """Its name on the command line."""
        return self.setting.option or f"--{self.name.replace('_', '-')}"

    @property
    def is_repeatable(self) -> bool:
        """True if its option may be given several times."""
        return self.several if self.setting.form is None else SEVERAL.get(self.setting.form, self.several)


def names_of(verb: type[DeclaredSettings]) -> dict[str, type[DeclaredSettings]]:
    """Return the settings of a verb and the class that declares each: its own, then its parts'."""
    names = dict.fromkeys(verb.__annotations__ if "__annotations__" in vars(verb) else (), verb)
    for base in verb.__bases__:
        if issubclass(base, DeclaredSettings) and base is not DeclaredSettings:
            names = {**names, **{name: part for name, part in names_of(base).items() if name not in names}}
    return names


def declared(verb: type[DeclaredSettings]) -> Iterator[Declared]:
    """Yield the settings of a verb in the order of `names_of`.

    Their modules do without ``from __future__ import annotations``: texts would have to be evaluated at each start.
    """
    for name, part in names_of(verb).items():
        kind, setting = get_args(part.__annotations__[name])
        value, choices, several = _value(kind)
        yield Declared(name, value, choices, several, getattr(part, name, None), setting)


def _value(kind: Any) -> tuple[Any, tuple[str, ...], bool]:
    """Return the type of one value, its choices, and whether there may be several."""
    if get_origin(kind) in {Union, UnionType}:
        kind = next(arg for arg in get_args(kind) if arg is not NoneType)
    if get_origin(kind) is tuple and get_args(kind)[-1] is Ellipsis:
        value, choices, _ = _value(get_args(kind)[0])
        return value, choices, True
    if get_origin(kind) is Literal:
        return str, get_args(kind), False
    return kind, (), False
