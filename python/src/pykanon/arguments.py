"""What the functions check of their arguments before any work."""

from __future__ import annotations

import difflib
import functools
import inspect
import operator
from collections.abc import Callable, Collection
from typing import Any, TypeVar

from pykanon import schema
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
        return operator.index(value)
    except TypeError:
        if isinstance(value, float) and value.is_integer():
            return int(value)
        raise UsageError(f"{name} must be a whole number, not {type(value).__name__}") from None


def order(shuffle: bool, shuffle_seed: int | None) -> dict[str, Any]:
    """How the records of a release are ordered: a seed alone asks for a shuffled release, too."""
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


def checked(function: F) -> F:
    """Unknown keywords are an error that names this function, also where others take them from ``**said``."""
    parameters = inspect.signature(function).parameters
    known = {name for name, one in parameters.items() if one.kind is not one.VAR_KEYWORD}
    if len(known) < len(parameters):
        known |= set(inspect.signature(schema.make).parameters)

    @functools.wraps(function)
    def call(*args: Any, **given: Any) -> Any:
        for name in given:
            if name not in known:
                raise unknown(function.__name__, name, known)
        return function(*args, **given)

    return call  # type: ignore[return-value]
