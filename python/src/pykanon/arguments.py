"""What the functions check of their arguments before any work."""

from __future__ import annotations

import difflib
import functools
import inspect
import operator
import textwrap
from collections.abc import Callable, Collection, Mapping
from typing import Any, TypeVar

from pykanon import schema
from pykanon.about import ABOUT, WORDS
from pykanon.errors import UsageError

#: 2^53 - 1: every host holds whole numbers up to here exactly.
SEED_MAX = 9007199254740991

F = TypeVar("F", bound=Callable[..., Any])


def seed(value: Any, name: str = "seed") -> int:
    """A seed, else an error with the words of the library."""
    try:
        number = operator.index(value)
    except TypeError:
        number = -1
    if not 0 <= number <= SEED_MAX:
        raise UsageError(f"{name} must be a whole number from 0 to {SEED_MAX}")
    return number


def whole(value: Any, name: str) -> int:
    """A whole number, else an error that says so; 10.0 is one."""
    try:
        number = operator.index(value)
    except TypeError:
        if not isinstance(value, float) or not value.is_integer():
            raise UsageError(f"{name} must be a whole number, not {type(value).__name__}") from None
        number = int(value)
    if abs(number) > SEED_MAX:
        raise UsageError(f"{name} is out of range")
    return number


def text(value: Any, name: str) -> str | None:
    """A text or None."""
    if value is not None and not isinstance(value, str):
        raise UsageError(f"{name} must be a text, not {type(value).__name__}")
    return value


def settings(value: Mapping[str, Any] | None, name: str = "settings") -> dict[str, str]:
    """Settings as texts: True is "true"."""
    if value is not None and not isinstance(value, Mapping):
        raise UsageError(f"{name} is a dict by name, not {type(value).__name__}", f'Example: {name}={{"s": 50}}')
    return {n: str(v).lower() if isinstance(v, bool) else str(v) for n, v in (value or {}).items()}


def order(shuffle: bool, shuffle_seed: int | None) -> dict[str, Any]:
    """How the records of a release are ordered: a seed alone asks for a shuffled release, too."""
    if shuffle not in (True, False):
        raise UsageError("shuffle is True or False", "shuffle_seed=7 names an order.")
    key = 0 if shuffle_seed is None else seed(shuffle_seed, "shuffle_seed")
    return {"shuffle": bool(shuffle) or shuffle_seed is not None, "shuffle_seed": key}


def index(value: str, shuffled: bool) -> str:
    """What becomes of the index of a frame. A shuffled release cannot keep it: it would tell the order of the records."""
    if value not in ("error", "drop", "keep"):
        raise UsageError("index is one of 'error', 'drop' and 'keep'")
    if value == "keep" and shuffled:
        raise UsageError("index='keep' would undo the shuffle", "Use index='drop', or do not shuffle.")
    return value


def unknown(called: str, name: str, known: Collection[str]) -> TypeError:
    """The error about a keyword that a function does not have, with the nearest one that it has."""
    near = difflib.get_close_matches(name, known, 1)
    return TypeError(f"{called}() has no argument '{name}'" + (f"; did you mean '{near[0]}'?" if near else ""))


def check_word(name: str, value: Any, words: Collection[str]) -> None:
    """A word that an argument does not know. Every host says it in these words."""
    if value not in words:
        raise UsageError(f"{name}: there is no '{value}'", f"choose one of: {', '.join(words)}")


def check_words(given: Mapping[str, Any]) -> None:
    """The arguments that take one of several words, also for each column."""
    for name, words in WORDS.items():
        value = given.get(name)
        if isinstance(value, Mapping):
            for column, word in value.items():
                check_word(f"{name}: {column}", word, words)
        elif value is not None and name not in ("types", "masks"):  # these are mappings, which schema.make says
            check_word(name, value, words)


def described(names: Collection[str]) -> str:
    """The end of a docstring: what the table of options says of each argument."""
    lines = [
        textwrap.fill(f"{name}: {ABOUT[name]}", 110, initial_indent=" " * 8, subsequent_indent=" " * 12,
                      break_on_hyphens=False)  # fmt: skip
        for name in names
        if name in ABOUT
    ]
    return "\n".join(["\n    Arguments:", *lines, ""])


def checked(function: F) -> F:
    """Unknown keywords are an error that names this function, also where others take them from ``**said``; help() has all."""
    parameters = inspect.signature(function).parameters
    known = [name for name, one in parameters.items() if one.kind is not one.VAR_KEYWORD]
    if len(known) < len(parameters):
        known += [name for name in inspect.signature(schema.make).parameters if name not in known]

    @functools.wraps(function)
    def call(*args: Any, **given: Any) -> Any:
        for name in given:
            if name not in known:
                raise unknown(function.__name__, name, known)
        check_words(given)
        return function(*args, **given)

    call.__doc__ = (function.__doc__ or "") + described(known)
    return call  # type: ignore[return-value]
