"""What is said about columns and requirements, as a schema of the library."""

from __future__ import annotations

import csv
import io
import os
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal, Protocol, runtime_checkable

from pykanon import _kanon
from pykanon.errors import UsageError

#: A tree of categories: a nested mapping, a table of paths from leaf to root, or the path of a taxonomy file.
Taxonomy = Mapping[str, Any] | Sequence[Sequence[str]] | str | os.PathLike[str] | Any
Names = str | Iterable[str] | None


@runtime_checkable
class HasText(Protocol):
    """A schema that is not in a file, such as a proposal: ``text`` is its YAML."""

    text: str


Schema = str | os.PathLike[str] | HasText | None


def names(value: Names) -> list[str]:
    """A list of names; a single text is one of them, not its letters."""
    return texts(value, "a column name", "Rename the columns: df.columns = df.columns.map(str)")


def texts(value: Names, what: str, hint: str = "") -> list[str]:
    if value is None:
        return []
    found = [value] if isinstance(value, str) or not isinstance(value, Iterable) else list(value)
    for text in found:
        if not isinstance(text, str):
            raise UsageError(f"{what} is a text, not {type(text).__name__}", hint)
    return found


def by_column(value: Any, argument: str, example: str) -> dict[str, Any]:
    """What an argument says about each column; a list of columns says nothing about them."""
    if value is None:
        return {}
    if not isinstance(value, Mapping):
        raise UsageError(f"{argument} is a dict by column, not {type(value).__name__}", f"Example: {argument}={example}")
    names(list(value))
    return dict(value)


#: What makes intervals and categories of a column: the library is told one after another, and the last would win.
WAYS = {"masks": "a mask", "taxonomies": "a taxonomy", "orders": "an order", "bands": "bands", "top": "bands", "bottom": "bands"}
FITTING = {"a mask": ("categorical",), "a taxonomy": ("categorical",), "an order": ("ordinal",), "bands": ("integer", "decimal", "date")}


def _check_ways(types: Any, **given: Any) -> None:
    """Each column has at most one way, and one that fits the type that is named for it."""
    seen: dict[str, str] = {}
    for argument, way in WAYS.items():
        for column in by_column(given[argument], argument, _EXAMPLES[argument]):
            if seen.setdefault(column, way) != way:
                raise UsageError(f"column {column} has {seen[column]} and {way}", "Remove one of the two.")
    for column, type_name in by_column(types, "types", _EXAMPLES["types"]).items():
        if column in seen and type_name not in FITTING[seen[column]]:
            raise UsageError(f"column {column} has {seen[column]}, and its type is {type_name}", "Remove one of the two.")


_EXAMPLES = {
    "types": '{"age": "integer"}',
    "weights": '{"age": 2}',
    "masks": '{"zip": "right"}',
    "formats": '{"born": "%d.%m.%Y"}',
    "orders": '{"school": ["none", "primary", "secondary"]}',
    "taxonomies": '{"job": "job.csv"}',
    "bands": '{"age": 5}',
    "top": '{"age": 90}',
    "bottom": '{"age": 18}',
}


def make(
    *,
    # generated: make
    quasi: Names = None,
    sensitive: Names = None,
    identifying: Names = None,
    insensitive: Names = None,
    schema: Schema = None,
    default_role: Literal["quasi", "sensitive", "identifying", "insensitive"] | None = None,
    taxonomies: Mapping[str, Taxonomy] | None = None,
    bands: Mapping[str, Any] | None = None,
    top: Mapping[str, Any] | None = None,
    bottom: Mapping[str, Any] | None = None,
    masks: Mapping[str, str] | None = None,
    weights: Mapping[str, float] | None = None,
    types: Mapping[str, str] | None = None,
    orders: Mapping[str, Sequence[Any]] | None = None,
    formats: Mapping[str, str] | None = None,
    missing: Names = None,
    empty: Literal["missing", "value"] | None = None,
    decimal: str | Mapping[str, str] | None = None,
    thousands: str | Mapping[str, str] | None = None,
    same: Iterable[Sequence[str]] | None = None,
    constraints: str | Mapping[str, Any] | Iterable[str | Mapping[str, Any]] | None = None,
    entity: str | None = None,
    entity_together: bool = False,
    suppressed: Literal["drop", "keep"] | None = None,
    key: Names = None,
    # end
) -> Any:
    """A handle of a schema: the file, if one is given, and on top of it what the arguments say."""
    handle = _new(schema)
    _check_ways(types, masks=masks, taxonomies=taxonomies, orders=orders, bands=bands, top=top, bottom=bottom)
    given = {"quasi": quasi, "sensitive": sensitive, "identifying": identifying, "insensitive": insensitive}
    _check_once(given)
    for role, columns in given.items():
        for column in names(columns):
            _kanon.schema_set(handle, "role", column, role)
    if default_role is not None:
        _kanon.schema_set(handle, "role", None, default_role)
    plain = (("type", types, "types"), ("weight", weights, "weights"), ("mask", masks, "masks"), ("format", formats, "formats"))
    for what, values, argument in plain:
        for column, value in by_column(values, argument, _EXAMPLES[argument]).items():
            _kanon.schema_set(handle, what, column, _number(value, column) if what == "weight" else str(value))
    for column, levels in (orders or {}).items():
        wrong = isinstance(levels, str) or not isinstance(levels, Iterable)
        if wrong or not list(levels) or any("\n" in str(level) for level in levels):
            raise UsageError(f"the order of {column} is a list of levels", f"Example: orders={_EXAMPLES['orders']}")
        _kanon.schema_set(handle, "order", column, "\n".join(map(str, levels)))
    for what, values in (("bands", bands), ("top", top), ("bottom", bottom)):
        for column, value in (values or {}).items():
            _kanon.schema_set(handle, what, column, _bands(value))
    for place, separators in _separators(decimal, thousands).items():
        _kanon.schema_set(handle, "separators", place, separators)
    for column, tree in (taxonomies or {}).items():
        _set_taxonomy(handle, column, tree)
    for text in texts(missing, "what means 'no value'"):
        _kanon.schema_set(handle, "missing", None, text)
    if empty is not None:
        _kanon.schema_set(handle, "empty", None, empty)
    for one in same or []:
        for other in one[1:]:
            _kanon.schema_set(handle, "same", one[0], other)
    for constraint in [constraints] if isinstance(constraints, (str, Mapping)) else constraints or []:
        _kanon.schema_set(handle, "constraint", None, _constraint(constraint))
    if entity is not None or entity_together:
        _kanon.schema_set(handle, "entity", entity, "together" if entity_together else "")
    if names(key):
        _kanon.schema_set(handle, "key", None, "\n".join(names(key)))
    if suppressed is not None:
        _kanon.schema_set(handle, "suppressed", None, suppressed)
    return handle


def _check_once(given: Mapping[str, Names]) -> None:
    seen: dict[str, str] = {}
    for role, columns in given.items():
        for column in names(columns):
            if seen.setdefault(column, role) != role:
                raise UsageError(f"the column {column} is named as {seen[column]} and as {role}")


def _constraint(value: str | Mapping[str, Any]) -> str:
    """``{"model": "t-closeness", "attribute": "disease", "t": 0.3}`` as the text that the library reads."""
    if not isinstance(value, (str, Mapping)):
        example = '{"model": "t-closeness", "attribute": "disease", "t": 0.3}'
        raise UsageError(f"a constraint is a dict or a text, not {type(value).__name__}", f"Example: {example}")
    return value if isinstance(value, str) else ",".join(f"{name}={part}" for name, part in value.items())


def _new(schema: Schema) -> Any:
    if isinstance(schema, HasText):
        return _kanon.schema_new(None, schema.text)
    if not isinstance(schema, (str, os.PathLike, type(None))):
        raise UsageError(f"schema is a file or a proposal, not {type(schema).__name__}")
    return _kanon.schema_new(None if schema is None else os.fspath(schema))


def _separators(decimal: str | Mapping[str, str] | None, thousands: str | Mapping[str, str] | None) -> dict[Any, str]:
    """What the library reads, by column; None stands for all columns."""
    marks: list[dict[Any, str]] = [
        dict(given) if isinstance(given, Mapping) else {} if given is None else {None: given}
        for given in (decimal, thousands)
    ]
    for mark in (*marks[0].values(), *marks[1].values()):
        if len(mark) != 1 or not mark.isascii():
            raise UsageError("a separator is one character, such as ',' or '.'")
    columns = [*marks[0], *(c for c in marks[1] if c not in marks[0])]
    return {c: "".join(m.get(c, m.get(None, "-")) for m in marks) for c in columns}


def _bands(value: Any) -> str:
    """A width, a list of edges, or a word such as ``"month"``, as the text that the library reads."""
    if isinstance(value, (list, tuple, range)):
        return ",".join(map(str, value))
    return str(value)


def _number(value: Any, column: str) -> str:
    try:
        return str(float(value))
    except (TypeError, ValueError):
        raise UsageError(f"the weight of {column} is not a number", f"Example: weights={_EXAMPLES['weights']}") from None


def _set_taxonomy(handle: Any, column: str, tree: Taxonomy) -> None:
    if not isinstance(tree, os.PathLike) and not hasattr(tree, "__iter__") and not hasattr(tree, "to_pylist"):
        hint = "Give a nested dict, a table of paths from value to root, or a file."
        raise UsageError(f"the taxonomy of {column} is of type {type(tree).__name__}", hint)
    if isinstance(tree, (str, os.PathLike)):
        _kanon.schema_set(handle, "taxonomy", column, os.fspath(tree))
        return
    text = io.StringIO()
    csv.writer(text, delimiter=";", lineterminator="\n").writerows(_paths(tree))
    _kanon.schema_set(handle, "tree", column, text.getvalue())


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
