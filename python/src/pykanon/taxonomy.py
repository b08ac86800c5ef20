"""Taxonomies as objects: made from a column, read, checked, shown and written in another form."""

from __future__ import annotations

import csv as tables
import io
import os
from collections.abc import Iterator, Mapping
from typing import Any, Literal

from pykanon import _kanon, arguments, frames, run, schema
from pykanon.errors import UsageError
from pykanon.said import Names, Schema, Tree

FORMS = ("auto", "csv", "indented", "yaml", "parents", "json")
METHODS = ("widths", "frequencies", "dates", "mask", "prefixes", "rare")


class TaxonomyCheck(Mapping[str, Any]):
    """What is wrong with a taxonomy. ``bool(check)``: it can be used; ``findings`` are what is wrong, and what is worth a look."""

    def __init__(self, found: dict[str, Any]) -> None:
        self._found = found
        self.findings: list[dict[str, Any]] = found["findings"]

    def __getitem__(self, name: str) -> Any:
        return self._found[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._found)

    def __len__(self) -> int:
        return len(self._found)

    def __bool__(self) -> bool:
        return bool(self._found["errors"] == 0)

    def __repr__(self) -> str:
        lines = "".join(f"\n  {one['count']} {one['name']}: {one['sentence']}" for one in self.findings)
        return f"<pykanon.TaxonomyCheck: {self['leaves']:,} leaves, {'good' if self else 'bad'}>{lines}"


class Taxonomy:
    """A tree of categories, for ``taxonomies={"job": taxonomy}`` or ``pykanon.Quasi(taxonomy=taxonomy)``.

    >>> import pykanon
    >>> people = {"zip": ["79098", "79100", "80331", "80333"]}
    >>> codes = pykanon.Taxonomy.build(people, "zip", prefixes=[3])
    >>> print(codes)
    *
        790*
            79098
        791*
            79100
        803*
            80331
            80333
    >>> bool(codes.check(people, "zip"))
    True
    """

    @arguments.checked
    def __init__(self, tree: Tree, form: Literal["auto", "csv", "indented", "yaml", "parents", "json"] = "auto") -> None:
        """Reads a taxonomy: a nested dict, a table of paths from value to root, or the path of a file."""
        self._source: str | bytes = os.fspath(tree) if isinstance(tree, (str, os.PathLike)) else schema.tree_text(tree).encode()
        self._form = FORMS.index(form)
        self._handle: Any = None

    def _open(self) -> Any:
        """The handle: a taxonomy that is not sound can be checked and not used."""
        if self._handle is None:
            self._handle = run.call(lambda t: _kanon.taxonomy_read(self._source, self._form))
        return self._handle

    @classmethod
    @arguments.checked
    def build(cls, table: Any, column: str, *, widths: Any = None, frequencies: Any = None, dates: Any = None,
              mask: Literal["right", "left"] | None = None, prefixes: Any = None, rare: int | None = None,
              schema: Schema = None, missing: Names = None,
              empty: Literal["missing", "value"] | None = None) -> Taxonomy:  # fmt: skip
        """A taxonomy of the values of a column; ``table`` is a table or the path of a CSV file. One of six ways:

        ``widths=[5, 20]``: bands of numbers; ``frequencies=[16, 4]``: bands with about as many records each;
        ``dates=["month", "year"]``; ``mask="right"``; ``prefixes=[3, 1]``; ``rare=10``: values of fewer records are "other".
        """
        given = dict(zip(METHODS, (widths, frequencies, dates, mask, prefixes, rare)))
        chosen = [name for name, value in given.items() if value is not None]
        if len(chosen) != 1:
            raise UsageError(f"give one of {', '.join(METHODS[:-1])} and rare", "Example: prefixes=[3, 1]")
        value = given[chosen[0]]
        levels = ",".join(map(str, value)) if isinstance(value, (list, tuple, range)) else str(value)
        place = _column_of(table, column, schema, missing, empty)
        made = cls.__new__(cls)
        method = METHODS.index(chosen[0])
        made._handle = run.call(lambda t: _kanon.taxonomy_build(place[0], column, method, levels, *place[1:]))
        made._source, made._form = made.csv().encode(), FORMS.index("csv")
        return made

    @arguments.checked
    def check(self, table: Any = None, column: str | None = None, *, schema: Schema = None, missing: Names = None,
              empty: Literal["missing", "value"] | None = None) -> TaxonomyCheck:  # fmt: skip
        """What is wrong with the taxonomy, and whether it has all values of a column, if a table is given."""
        if (table is None) != (column is None):
            raise UsageError("give table and column, or neither")
        place = _column_of(table, column, schema, missing, empty)
        found = run.call(lambda t: _kanon.taxonomy_check(self._source, self._form, place[0], column, *place[1:]))
        return TaxonomyCheck(found)

    @arguments.checked
    def count(self, table: Any, column: str, *, schema: Schema = None, missing: Names = None,
              empty: Literal["missing", "value"] | None = None) -> dict[str, int]:  # fmt: skip
        """How many records of a table each category stands for, by name; those whose value it lacks are in ``None``."""
        place = _column_of(table, column, schema, missing, empty)
        unknown = run.call(lambda t: _kanon.taxonomy_count(self._open(), place[0], column, *place[1:]))
        found: dict[Any, int] = {name: records for name, _, _, _, records in _kanon.taxonomy_nodes(self._open())}
        return found | ({None: unknown} if unknown else {})

    @arguments.checked
    def save(self, path: str | os.PathLike[str], form: Literal["auto", "csv", "indented", "yaml", "parents", "json"] = "auto") -> None:
        """Writes the taxonomy; the form goes by the ending of the path: .txt, .yaml, .json, else CSV."""
        run.call(lambda t: _kanon.taxonomy_write(self._open(), os.fspath(path), FORMS.index(form)))

    def to_dict(self) -> dict[str, Any]:
        """The tree as nested dicts, as ``taxonomies`` takes it."""
        below: list[dict[str, Any]] = []
        for name, parent, _, _, _ in _kanon.taxonomy_nodes(self._open()):
            below.append({})
            if parent >= 0:
                below[parent][name] = below[-1]
        root: str = _kanon.taxonomy_nodes(self._open())[0][0]
        return {root: below[0]}

    @arguments.checked
    def show(self, depth: int | None = None) -> str:
        """The tree as indented text, of so many levels below the root."""
        lines = []
        for name, _, at, leaves, _ in _kanon.taxonomy_nodes(self._open()):
            if depth is None or at < depth:
                lines.append("    " * at + name)
            elif at == depth:
                lines.append("    " * at + name + (f"  ... {leaves} leaves" if leaves > 1 else ""))
        return "\n".join(lines)

    def csv(self) -> str:
        """The tree as CSV, as schemas read it."""
        written: bytes = run.call(lambda t: _kanon.taxonomy_write(self._open(), None, FORMS.index("csv"))) or b""
        return written.decode()

    def __str__(self) -> str:
        return self.show()

    def __repr__(self) -> str:
        root = _kanon.taxonomy_nodes(self._open())[0]
        return f"<pykanon.Taxonomy: {root[3]:,} leaves below {root[0]}>"

    def __getstate__(self) -> dict[str, Any]:
        return {"_source": self.csv().encode(), "_form": FORMS.index("csv"), "_handle": None}


def _column_of(table: Any, column: str | None, given: Schema, missing: Names, empty: str | None) -> tuple[Any, ...]:
    """For the library: a path, the bytes of a CSV file or None; texts that mean "no value"; whether the empty text is a value; a
    schema."""
    handle = None if given is None else schema.new(given)
    return _source_of(table, column, empty == "value"), schema.texts(missing, "missing"), empty == "value", handle


def _source_of(table: Any, column: str | None, is_value: bool) -> Any:
    if table is None or isinstance(table, (str, os.PathLike)):
        return None if table is None else os.fspath(table)
    found = frames.texts_of(table, str(column))
    text = io.StringIO()
    writer = tables.writer(text, lineterminator="\n", quoting=tables.QUOTE_ALL)
    writer.writerow([column])
    writer.writerows([value or ""] for value in found if value is not None or not is_value)
    return text.getvalue().encode()
