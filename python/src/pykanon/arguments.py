"""What the functions check of their arguments before any work, and what help() says of them."""

from __future__ import annotations

import difflib
import functools
import inspect
import operator
import re
import sys
import textwrap
import warnings
from collections.abc import Callable, Collection, Mapping
from decimal import Decimal
from typing import Any, TypeVar

from pykanon.about import ABOUT, EXAMPLES, WORDS
from pykanon.errors import UsageError

#: 2^53 - 1: every host holds whole numbers up to here exactly.
SEED_MAX = 9007199254740991

#: What help() says of arguments that only Python has.
OWN = {
    "table": (
        "A DataFrame of pandas or polars, a table of pyarrow, a relation of duckdb, a structured array of NumPy, a dict of "
        "columns, or anything with ``__arrow_c_stream__``."
    ),
    "columns": (
        "What each column is and how it is generalised: ``{\"age\": pykanon.Quasi(bands=5), \"disease\": pykanon.Sensitive()}``. "
        "What is said here must not be said in another argument as well."
    ),
    "index": (
        "What becomes of the index of a pandas frame: ``\"error\"`` if it has a name or is not of whole numbers, ``\"drop\"``, "
        "``\"keep\"``."
    ),
    "progress": "True: show a bar; or a function that is called with stage, done, total and detail.",
    "costs": "Also estimate the information loss for each k, which takes most of the time.",
    "rounds": "Stop after this many rounds; 0: when the bound has converged.",
    "path": "A file.",
    "kind": "Return the release as this kind of table; without it, as the bytes of the CSV file.",
    "external": "The report for the recipients of the release, which counts only what the release shows.",
    "records": "The new records, a table with the columns of the state.",
    "keys": "A table with the key of each record that goes.",
    "released": "Whether the release that the state is made of was given away.",
    "method": "How the taxonomy is made.",
    "tree": "A nested dict, a table of paths from value to root, or the path of a file.",
}  # fmt: skip

F = TypeVar("F", bound=Callable[..., Any])


def warn(message: str, category: type[Warning]) -> None:
    """A warning about the line that called the package."""
    level, frame = 2, sys._getframe(1)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").partition(".")[0] == "pykanon":
        level, frame = level + 1, frame.f_back
    warnings.warn(message, category, stacklevel=level)


def seed(value: Any, name: str = "seed") -> int:
    """A seed, else an error with the words of the library."""
    try:
        number = operator.index(value)
    except TypeError:
        number = -1
    if not 0 <= number <= SEED_MAX:
        raise UsageError(f"{name} must be a whole number from 0 to {SEED_MAX}")
    return number


def whole(value: Any, name: str, least: int = 0) -> int:
    """A whole number, else an error that says so; 10.0 is one."""
    try:
        number = operator.index(value)
    except TypeError:
        if not isinstance(value, float) or not value.is_integer():
            raise UsageError(f"{name} must be a whole number, not {_shown(value)}") from None
        number = int(value)
    if isinstance(value, bool):
        raise UsageError(f"{name} must be a whole number, not bool")
    if not least <= number <= SEED_MAX:
        small = f"{name} must be a whole number, {least} or more, not {number}"
        raise UsageError(small if number < least else f"{name} is out of range")
    return number


def _shown(value: Any) -> str:
    """An argument in a message: a number as it is, else its type, since a text may be a cell by mistake."""
    return str(value) if isinstance(value, (int, float)) else type(value).__name__


def size_of_groups(value: Any) -> int:
    """k for the library, where 0 stands for what the schema says."""
    size = 0 if value is None else whole(value, "k", -SEED_MAX)
    if size < 2 and value is not None:
        raise UsageError("k must be a whole number, 2 or more")
    return size


def number(value: Any, name: str) -> float:
    """A number above 0, for the library; None is 0 there."""
    if value is None:
        return 0.0
    if isinstance(value, bool) or not hasattr(value, "__float__") or not 0 < float(value) < float("inf"):
        raise UsageError(f"{name} must be a number above 0, not {_shown(value)}")
    return float(value)


def share(value: Any, name: str = "suppress") -> str | None:
    """A share as a text without an exponent: 0.00001, also of NumPy's numbers."""
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, str) and not hasattr(value, "__float__"):
        raise UsageError(f"{name}: not a share of the records", "write 0.01 for one percent")
    return value if isinstance(value, str) else format(Decimal(repr(float(value))), "f")


def size(value: Any, name: str = "memory") -> int:
    """Bytes: a number, or a text such as "2G"."""
    if not isinstance(value, str):
        return whole(value, name)
    found = re.fullmatch(r"(\d{1,15})([KMGT]?)", value)
    if found is None:
        raise UsageError(f"{name} must be a number of bytes such as 500M or 2G")
    return int(found[1]) << 10 * " KMGT".index(found[2] or " ")


def block_size(value: Any) -> int:
    """Records in a block, as the library counts them: 0 is "auto", -1 "none"."""
    words = {"auto": 0, "none": -1, 0: 0, -1: -1}
    if isinstance(value, (str, int)) and not isinstance(value, bool) and value in words:
        return words[value]
    if isinstance(value, str) or whole(value, "blocks", -SEED_MAX) < 2:
        raise UsageError("blocks must be a whole number from 2 upwards, auto or none")
    return whole(value, "blocks")


def text(value: Any, name: str) -> str | None:
    """A text or None."""
    if value is not None and not isinstance(value, str):
        raise UsageError(f"{name} must be a text, not {type(value).__name__}")
    return value


def settings(value: Mapping[str, Any] | None, name: str = "settings") -> dict[str, str]:
    """Settings as texts: True is "true"."""
    if value is not None and not isinstance(value, Mapping):
        raise UsageError(f"{name} is a dict by name, not {type(value).__name__}", f"Example: {name}={EXAMPLES.get(name, EXAMPLES['settings'])}")
    return {n: str(v).lower() if isinstance(v, bool) else str(v) for n, v in (value or {}).items()}


def refine_settings(value: Mapping[str, Any] | None, moves: Any, time_limit: Any) -> dict[str, str]:
    """The settings of the refinement, two of which have arguments of their own."""
    given = settings(value, "refine_settings")
    own = {"moves": None if moves is None else str(whole(moves, "moves", -SEED_MAX)),
           "time-limit": None if time_limit is None else format(Decimal(repr(number(time_limit, "time_limit"))), "f")}  # fmt: skip
    for name, said in own.items():
        if said is not None and given.setdefault(name, said) != said:
            raise UsageError(f"{name.replace('-', '_')} and refine_settings say another {name}", "Remove one of the two.")
    return given


def order(shuffle: bool, shuffle_seed: int | None) -> dict[str, Any]:
    """How the records of a release are ordered: a seed alone asks for a shuffled release, too."""
    if shuffle not in (True, False):
        raise UsageError("shuffle is True or False", "shuffle_seed=7 names an order.")
    key = 0 if shuffle_seed is None else seed(shuffle_seed, "shuffle_seed")
    return {"shuffle": bool(shuffle) or shuffle_seed is not None, "shuffle_seed": key}


def index(value: str, shuffled: bool) -> str:
    """What becomes of the index of a frame. A shuffled release cannot keep it: it would tell the order of the records."""
    check_word("index", value, ("error", "drop", "keep"))
    if value == "keep" and shuffled:
        raise UsageError("index='keep' would undo the shuffle", "Use index='drop', or do not shuffle.")
    return value


def progress(value: Any) -> Any:
    """Whether progress is shown, or who is told."""
    if value not in (None, True, False) and not callable(value):
        raise UsageError(f"progress is True, False or a function, not {type(value).__name__}")
    return value


def unknown(called: str, name: str, known: Collection[str], reasons: Mapping[str, str] | None = None) -> TypeError:
    """The error about a keyword that a function does not have: why not, or the nearest one that it has."""
    why = (reasons or {}).get(name)
    near = difflib.get_close_matches(name, known, 1)
    near += [one for one in known if len(name) > 2 and one.startswith(name)]
    more = f": {why}" if why else f"; did you mean '{near[0]}'?" if near else ""
    return TypeError(f"{called}() has no argument '{name}'{more}")


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
        elif value is not None and name not in ("types", "masks", "ends", "numeric"):  # mappings, which schema.make says; forms.of
            check_word(name, value, words)


def with_args(doc: str, about: Mapping[str, str]) -> str:
    """A docstring with what is said of each argument, before what the function returns."""
    lines = [
        textwrap.fill(f"{name}: {text}", 110, initial_indent=" " * 8, subsequent_indent=" " * 12, break_on_hyphens=False)
        for name, text in about.items()
    ]
    head, returns, rest = doc.partition("\n    Returns:\n")
    section = "\n".join(["\n    Args:", *lines, ""]) if lines else ""
    return f"{head.rstrip()}\n{section}{returns}{rest}" if returns else f"{doc.rstrip()}\n{section}"


def checked(function: F, reasons: Mapping[str, str] | None = None, look_at_values: bool = True) -> F:
    """Unknown keywords are an error that names this function and the nearest word; help() has a line for every argument.

    ``reasons``: why it lacks arguments that people may expect. ``look_at_values``: words and what shows progress, too.
    """
    parameters = inspect.signature(function).parameters
    known = [name for name, one in parameters.items() if one.kind is not one.VAR_KEYWORD and name not in ("self", "cls")]
    if any(one.kind is one.VAR_KEYWORD for one in parameters.values()):
        from pykanon.said import Said

        known += [name for name in Said.__annotations__ if name not in known]
    is_init = function.__name__ == "__init__"

    @functools.wraps(function)
    def call(*args: Any, **given: Any) -> Any:
        for name in given:
            if name not in known:
                raise unknown(type(args[0]).__name__ if is_init else function.__qualname__, name, known, reasons)
        if look_at_values:
            check_words(given)
            progress(given.get("progress"))
        return function(*args, **given)

    about = {**ABOUT, **OWN}
    call.__doc__ = with_args(function.__doc__ or "", {name: about[name] for name in known if name in about})
    return call  # type: ignore[return-value]
