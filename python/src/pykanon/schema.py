"""What is said about columns and requirements, as a schema of the library."""

from __future__ import annotations

import csv
import io
import json
import os
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from pykanon import _kanon
from pykanon.about import EXAMPLES, FIELDS
from pykanon.errors import DataError, UsageError
from pykanon.said import Column, HasCsv, HasText, Names, Schema, Tree

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from pykanon.said import Constraint, Said


def names(value: Names, argument: str = "columns") -> list[str]:
    """A list of names; a single text is one of them, not its letters."""
    return texts(value, argument, "a column name", "Rename the columns: df.columns = df.columns.map(str)")


def texts(value: Names, argument: str, what: str = "each", hint: str = "") -> list[str]:
    if value is None:
        return []
    found = [value] if isinstance(value, str) or not isinstance(value, Iterable) else list(value)
    for text in found:
        if not isinstance(text, str):
            raise UsageError(f"{argument}: {what} is a text, not {type(text).__name__}", hint)
    return found


def by_column(value: Any, argument: str, example: str) -> dict[str, Any]:
    """What an argument says about each column; a list of columns says nothing about them."""
    if value is None:
        return {}
    if not isinstance(value, Mapping):
        raise UsageError(f"{argument} is a dict by column, not {type(value).__name__}", f"Example: {argument}={example}")
    names(list(value), argument)
    return dict(value)


#: What makes intervals and categories of a column: the library is told one after another, and the last would win.
WAYS = {"masks": "a mask", "taxonomies": "a taxonomy", "orders": "an order", "bands": "bands", "top": "bands", "bottom": "bands"}
FITTING = {"a mask": ("categorical",), "a taxonomy": ("categorical",), "an order": ("ordinal",), "bands": ("integer", "decimal", "date")}


def _check_ways(given: Mapping[str, Any], places: Mapping[tuple[str, str], str]) -> None:
    """Each column has at most one way, and one that fits the type that is named for it."""
    seen: dict[str, tuple[str, str]] = {}

    def wrong(column: str, one: str, other: str) -> UsageError:
        return UsageError(f"column {column} has {one}, and {other}", "Remove one of the two.")

    for argument, way in WAYS.items():
        for column in given.get(argument) or ():
            here = way, f"{way} ({places.get((argument, column), argument)})"
            if seen.setdefault(column, here)[0] != way:
                raise wrong(column, seen[column][1], here[1])
    for column, type_name in (given.get("types") or {}).items():
        if column in seen and type_name not in FITTING[seen[column][0]]:
            raise wrong(column, seen[column][1], f"the type {type_name} ({places.get(('types', column), 'types')})")


ROLES = ("quasi", "sensitive", "identifying", "insensitive")
_COLUMNS = '{"age": pykanon.Quasi(bands=5), "disease": pykanon.Sensitive()}'


def make(**said: Unpack[Said]) -> Any:
    """A handle of a schema: the file, if one is given, and on top of it what the arguments say."""
    given, places = joined(said)
    _check_ways(given, places)
    if given.get("schema") is None and not given["quasi"] and given.get("default_role") != "quasi":
        raise DataError("no column is a quasi-identifier", 'Name those that could single out a person: quasi=["age", "zip"]')
    handle = new(given.get("schema"))
    for role in ROLES:
        for column in given[role]:
            _kanon.schema_set(handle, "role", column, role)
    for what, argument in (("type", "types"), ("weight", "weights"), ("mask", "masks"), ("format", "formats"), ("ends", "ends")):
        for column, value in given[argument].items():
            _kanon.schema_set(handle, what, column, _number(value, column) if what == "weight" else str(value))
    for column, levels in given["orders"].items():
        if isinstance(levels, str) or not isinstance(levels, Iterable):
            raise UsageError(f"the order of {column} is a list of levels", f"Example: orders={EXAMPLES['orders']}")
        _kanon.schema_set(handle, "order", column, _listed("order", map(str, levels)))
    for what in ("bands", "top", "bottom"):
        for column, value in given[what].items():
            _kanon.schema_set(handle, what, column, _bands(value))
    for place, marks in _separators(given.get("decimal"), given.get("thousands")).items():
        for name in marks:  # one of them is about both
            _kanon.schema_set(handle, name, place, None)
        for name, mark in marks.items():
            _kanon.schema_set(handle, name, place, mark)
    for column in given["permute"]:
        _kanon.schema_set(handle, "permute", column, "true")
    for column, tree in given["taxonomies"].items():
        _set_taxonomy(handle, column, tree)
    for one in given.get("same") or []:
        _kanon.schema_set(handle, "same", None, _listed("same", one))
    constraints = given.get("constraints")
    for constraint in [constraints] if isinstance(constraints, (str, Mapping)) else constraints or []:
        _kanon.schema_set(handle, "constraint", None, _constraint(constraint))
    lists = {
        "missing": texts(given.get("missing"), "missing", hint="None and NaN mean 'no value' in any case."),
        "key": names(given.get("key"), "key"),
    }
    for what, found in lists.items():
        if found:
            _kanon.schema_set(handle, what, None, _listed(what, found))
    for what in ("default_role", "empty", "entity", "suppressed"):
        if given.get(what) is not None:
            _kanon.schema_set(handle, what.replace("_", "-"), None, given[what])
    if given.get("singled_out") is not None:
        _kanon.schema_set(handle, "singled-out", None, str(given["singled_out"]))
    if given.get("entity_together"):
        _kanon.schema_set(handle, "entity-together", None, "true")
    return handle


def joined(said: Mapping[str, Any]) -> tuple[dict[str, Any], dict[tuple[str, str], str]]:
    """Arguments, with what ``columns`` says of each column in those that say it of several; and which of it comes from there."""
    given, places = dict(said), dict[tuple[str, str], str]()
    for role in ROLES:
        given[role] = names(given.get(role), role)
    given["permute"] = names(given.get("permute"), "permute")
    _check_once(given)
    for argument in FIELDS.values():
        if argument == "permute":  # columns are named, and nothing is said of them
            continue
        value = given.get(argument)
        if argument in ("decimal", "thousands"):
            given[argument] = value if value is None or isinstance(value, Mapping) else {None: value}
        else:
            given[argument] = by_column(value, argument, EXAMPLES[argument])
    for column, one in by_column(given.pop("columns", None), "columns", _COLUMNS).items():
        if not isinstance(one, Column):
            shown = f"pykanon.{one.__name__}, not {one.__name__}()" if isinstance(one, type) else type(one).__name__
            raise UsageError(f"columns: {column} is a {shown}", f"Example: columns={_COLUMNS}")
        for role in ROLES:
            if role != one.role and column in given[role]:
                contradiction = f"column {column}: {role} names it, and columns says that it is {one.role}"
                raise UsageError(contradiction, "Remove one of the two.")
        if column not in given[one.role]:
            given[one.role].append(column)
        for field, value in one.said().items():
            argument = FIELDS[field]
            if argument == "permute":
                given[argument] += [column] if value and column not in given[argument] else []
                continue
            values = given[argument] = dict(given[argument] or {})
            if column in values:
                raise UsageError(f"column {column}: columns says its {field}, and so does {argument}", "Remove one of the two.")
            values[column], places[argument, column] = value, "columns"
    return given, places


def _check_once(given: Mapping[str, list[str]]) -> None:
    seen: dict[str, str] = {}
    for role in ROLES:
        for column in given[role]:
            if seen.setdefault(column, role) != role:
                raise UsageError(f"the column {column} is named as {seen[column]} and as {role}", "Remove one of the two.")


def _listed(name: str, found: Iterable[str]) -> str:
    """A list as the text that the library reads; a text of C ends at a character of code 0."""
    listed = list(found)
    if any("\0" in text for text in listed):
        raise ValueError(f"the {name} has a character of code 0")
    return json.dumps(listed)


def _constraint(value: Constraint) -> str:
    """``{"model": "t-closeness", "attribute": "disease", "t": 0.3}`` as the text that the library reads."""
    if not isinstance(value, (str, Mapping)):
        example = '{"model": "t-closeness", "attribute": "disease", "t": 0.3}'
        raise UsageError(f"a constraint is a dict or a text, not {type(value).__name__}", f"Example: {example}")
    return value if isinstance(value, str) else json.dumps({name: str(part) for name, part in value.items()})


def new(schema: Schema) -> Any:
    if isinstance(schema, HasText):
        return _kanon.schema_new(None, schema.text)
    if not isinstance(schema, (str, os.PathLike, type(None))):
        hint = f"What is said of columns is columns={_COLUMNS}" if isinstance(schema, Mapping) else ""
        raise UsageError(f"schema is a file or a proposal, not {type(schema).__name__}", hint)
    return _kanon.schema_new(None if schema is None else os.fspath(schema))


def _separators(decimal: Mapping[Any, str] | None, thousands: Mapping[Any, str] | None) -> dict[Any, dict[str, str | None]]:
    """What the library reads, by column; None stands for all columns."""
    marks = [dict(decimal or {}), dict(thousands or {})]
    for mark in (*marks[0].values(), *marks[1].values()):
        if not isinstance(mark, str) or len(mark) != 1 or not mark.isascii():
            raise UsageError("a separator is one character, such as ',' or '.'")
    columns = [*marks[0], *(c for c in marks[1] if c not in marks[0])]
    return {c: {n: m[c] if c in m else m.get(None) for n, m in zip(("decimal", "thousands"), marks)} for c in columns}


def _bands(value: Any) -> str:
    """A width, a list of edges, or a word such as ``"month"``, as the text that the library reads."""
    if isinstance(value, (list, tuple, range)):
        return ",".join(map(str, value))
    return str(value)


def _number(value: Any, column: str) -> str:
    try:
        return str(float(value))
    except (TypeError, ValueError):
        raise UsageError(f"the weight of {column} is not a number", f"Example: weights={EXAMPLES['weights']}") from None


def _set_taxonomy(handle: Any, column: str, tree: Tree) -> None:
    if not isinstance(tree, (os.PathLike, HasCsv)) and not hasattr(tree, "__iter__") and not hasattr(tree, "to_pylist"):
        hint = "Give a nested dict, a table of paths from value to root, or a file."
        raise UsageError(f"the taxonomy of {column} is of type {type(tree).__name__}", hint)
    if isinstance(tree, (str, os.PathLike)):
        _kanon.schema_set(handle, "taxonomy", column, os.fspath(tree))
        return
    _kanon.schema_set(handle, "tree", column, tree_text(tree))


def tree_text(tree: Any) -> str:
    """A tree in memory as the CSV of a taxonomy."""
    if isinstance(tree, HasCsv):
        return tree.csv()
    text = io.StringIO()
    csv.writer(text, delimiter=";", lineterminator="\n").writerows(_paths(tree))
    return text.getvalue()


def _paths(tree: Any) -> list[list[str]]:
    """The paths from each leaf to the root."""
    if isinstance(tree, Mapping):
        return _paths_of_mapping(tree)
    if hasattr(tree, "itertuples"):
        tree = tree.itertuples(index=False, name=None)
    elif hasattr(tree, "iter_rows"):
        tree = tree.iter_rows()
    elif hasattr(tree, "to_pylist"):
        tree = [list(row.values()) for row in tree.to_pylist()]
    return [[str(node) for node in path if node is not None and node == node] for path in tree]


def _paths_of_mapping(tree: Mapping[str, Any]) -> list[list[str]]:
    """``{"any": {"Viral": {"HIV": None, "Flu": None}, "Cancer": None}}``: one root, leaves have nothing below them."""
    paths: list[list[str]] = []

    def walk(name: str, below: Any, above: list[str]) -> None:
        here = [name, *above]
        children = below.items() if isinstance(below, Mapping) else [(child, None) for child in below or []]
        for child, rest in children:
            walk(str(child), rest, here)
        if not below:
            paths.append(here)

    roots = list(tree.items())
    if len(roots) == 1 and roots[0][1]:
        walk(str(roots[0][0]), roots[0][1], [])
    else:
        for name, below in roots:
            walk(str(name), below, ["*"])
    return paths
