"""Declarations of settings: values, spelling, help, and what could do harm.

A verb (`run`, `calibrate`) has a class of settings. Each field is a setting: its annotation has the type of its values, and a
`Setting` with everything else. The options of the command line, the check of team files and `--help` are made from these classes.
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
"""Ways to make a value of a typed text, where its type is not enough; `cli.forms` has the functions."""

REPEATABLE_BY_FORM: Mapping[Form, bool] = {
    "labels of one file": True,
    "numbers": False,
    "parameters": True,
    "pass at": True,
}
"""Whether an option may be repeated, for forms in which the type of the value does not show it."""


class Setting(msgspec.Struct, frozen=True):
    """Words and limits of a setting.

    Attributes:
        help: Description in `--help`.
        option: Its option; by default the field's name with dashes.
        aliases: Further spellings of the option that are accepted but never proposed, such as former ones.
        short: Its option of one letter.
        metavar: Placeholder of its value in `--help`.
        form: Way to make its value of a text, or None if its type is enough.
        low: Lowest number.
        high: Highest number.
        low_open: True if the lowest number itself is not allowed.
        high_open: True if the highest number itself is not allowed.
        section: Heading in `--help`, or None for the common ones.
        harmless: True if a team file may set it without being trusted. It names no code, endpoint, cluster, secret or file to
            write, and drops nothing.
        is_argument: True if it is a positional argument, without an option.
        required: True if it must be given.
        eager: True if the command line reads it before other settings, which depend on it.
        shows_default: False if `--help` does not show its default.
    """

    help: str = ""
    option: str | None = None
    aliases: tuple[str, ...] = ()
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

    def named(self, names: Iterable[str]) -> dict[str, Any]:
        """Return the values of the settings with these names; other names are ignored."""
        known_names = names_of(type(self))
        return {name: getattr(self, name) for name in names if name in known_names}

    def replace(self, **values: Any) -> Self:
        """Return a copy of the settings with some values replaced."""
        return type(self)(**{**vars(self), **values})


class VerbSetting(NamedTuple):
    """Setting of a verb.

    Attributes:
        name: Name of the field, and of the argument in Python.
        kind: Type of one value: `bool`, `int`, `float`, `str`, `Path` or another.
        choices: The allowed values; empty if there is no fixed list.
        allows_several: True if its type is a tuple of any length.
        default: Its default, or None if there is none.
        setting: Its words and limits.
    """

    name: str
    kind: Any
    choices: tuple[str, ...]
    allows_several: bool
    default: Any
    setting: Setting

    @property
    def option(self) -> str:
        """Its name on the command line."""
        return self.setting.option or f"--{self.name.replace('_', '-')}"

    @property
    def is_repeatable(self) -> bool:
        """True if its option may be given several times."""
        return (
            self.allows_several
            if self.setting.form is None
            else REPEATABLE_BY_FORM.get(self.setting.form, self.allows_several)
        )


def names_of(verb: type[DeclaredSettings]) -> dict[str, type[DeclaredSettings]]:
    """Return the names of a verb's settings by the class that declares each, bases last."""
    names = dict.fromkeys(verb.__annotations__ if "__annotations__" in vars(verb) else (), verb)
    for base in verb.__bases__:
        if issubclass(base, DeclaredSettings) and base is not DeclaredSettings:
            names = {**names, **{name: part for name, part in names_of(base).items() if name not in names}}
    return names


def verb_settings(verb: type[DeclaredSettings]) -> Iterator[VerbSetting]:
    """Yield the settings of a verb in the order of `names_of`.

    Modules of settings have no ``from __future__ import annotations``: string annotations would have to be evaluated at every start.
    """
    for name, part in names_of(verb).items():
        kind, setting = get_args(part.__annotations__[name])
        value = _value_type(kind)
        yield VerbSetting(
            name, value.kind, value.choices, value.allows_several, getattr(part, name, None), setting
        )


class _ValueType(NamedTuple):
    """Type of one value of a setting, its choices, and whether there may be several values."""

    kind: Any
    choices: tuple[str, ...] = ()
    allows_several: bool = False


def _value_type(kind: Any) -> _ValueType:
    """Return the type of values that an annotation declares."""
    if get_origin(kind) in {Union, UnionType}:
        kind = next(arg for arg in get_args(kind) if arg is not NoneType)
    if get_origin(kind) is tuple and get_args(kind)[-1] is Ellipsis:
        return _value_type(get_args(kind)[0])._replace(allows_several=True)
    if get_origin(kind) is Literal:
        return _ValueType(str, get_args(kind))
    return _ValueType(kind)
