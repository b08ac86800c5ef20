"""What a task must know: the schema, the columns, the options, and what the driver has found so far.

A :class:`Plan` is pickled into every task. Objects of the library do not travel: a plan holds their bytes, and each process
opens them once (:func:`opened`), however many tasks it runs.
"""

from __future__ import annotations

import dataclasses
import hashlib
import os
from collections.abc import Mapping
from typing import Any

from pykanon import _kanon, schema
from pykanon.errors import UsageError
from pykanon.said import HasText

#: Columns of our own. They never reach a release.
PLACE, BLOCK, SLOT, GROUP, BYTES = (f"__kanon_{name}" for name in ("place", "block", "slot", "group", "bytes"))
OWN = (PLACE, BLOCK, SLOT, GROUP, BYTES)


@dataclasses.dataclass(frozen=True)
class Text:
    """The text of a schema, as :mod:`pykanon.schema` takes it."""

    text: str


@dataclasses.dataclass(frozen=True)
class Recipe:
    """How a schema is made where its files are not: its text, what arguments said, and the bytes of its taxonomies."""

    said: dict[str, Any]
    trees: dict[str, bytes]
    identifying: tuple[str, ...]  # key columns without a role of their own
    strict: bool
    k: int  # 0: the schema's own
    unread: tuple[str, ...] = ()  # sensitive columns that are left as they are

    @classmethod
    def of(cls, said: Mapping[str, Any], columns: list[str], key: list[str], k: int, strict: bool) -> tuple[Recipe, Any]:
        """The recipe, and the schema itself: made from the files, so that messages name them."""
        said, _ = schema.joined(said)
        handle = schema.make(**said)
        paths = {c: p for c in columns if (p := _kanon.schema_get(handle, "taxonomy", c)) is not None}
        trees = {c: schema.tree_text(t).encode() for c, t in said["taxonomies"].items() if not isinstance(t, (str, os.PathLike))}
        trees |= {column: _bytes_of(path) for column, path in paths.items()}
        hidden = tuple(c for c in key if _kanon.schema_get(handle, "role", c) is None)
        portable = {**said, "schema": _text_of(said.get("schema")), "taxonomies": {}}
        recipe = cls(portable, trees, hidden, strict, k)
        recipe.complete(handle)
        return recipe, handle

    def make(self) -> Any:
        """The schema as a handle."""
        handle = schema.make(**self.said)
        for column, tree in self.trees.items():
            _kanon.schema_set(handle, "tree", column, tree)
        self.complete(handle)
        return handle

    def complete(self, handle: Any) -> None:
        """What the arguments of a run add to the schema. Its k is the one that every release is checked for."""
        for column in self.identifying:
            _kanon.schema_set(handle, "role", column, "identifying")
        for column in self.unread:
            _kanon.schema_set(handle, "role", column, "insensitive")
        if self.k:
            _kanon.schema_set(handle, "k", None, str(self.k))


def _bytes_of(path: str) -> bytes:
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError as problem:
        raise UsageError(f"{path}: {problem.strerror}") from None


def _text_of(given: Any) -> Text | None:
    if given is None:
        return None
    return Text(given.text if isinstance(given, HasText) else _bytes_of(os.fspath(given)).decode())


@dataclasses.dataclass(frozen=True)
class Plan:
    """Everything that the tasks of one release share."""

    recipe: Recipe
    columns: tuple[str, ...]  # of the table, in order
    encoded: tuple[str, ...]  # quasi and sensitive: what domain, cuts and groups are made of
    kept: tuple[str, ...]  # not identifying: what is sent to the blocks
    options: dict[str, Any]  # of the run: k, algorithm, seed, blocks and so on
    numeric: int  # the form of generalised numbers
    domain: bytes = b""
    cuts: bytes = b""
    target: bytes = b""  # the Arrow schema of the release, as IPC

    def with_(self, **found: Any) -> Plan:
        """The plan with what the driver has found since."""
        return dataclasses.replace(self, **found)


    def without(self, column: str) -> Plan:
        """The plan with a sensitive column that is not encoded."""
        recipe = dataclasses.replace(self.recipe, unread=(*self.recipe.unread, column))
        return self.with_(recipe=recipe, encoded=tuple(c for c in self.encoded if c != column))


class Opened:
    """The objects of a plan in this process."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.schema = plan.recipe.make()
        self.domain = self.cuts = None
        if plan.domain:
            self.domain = _kanon.piece_read(plan.domain)
            _kanon.domain_seal(self.domain, self.schema)
        if plan.cuts:
            self.cuts = _kanon.piece_read(plan.cuts, self.domain)


_last: dict[bytes, Opened] = {}


def opened(plan: Plan) -> Opened:
    """The objects of a plan, made once in a process. Only the last plan is kept: a worker process outlives many jobs."""
    # The schema is small, but its arguments may be any objects: their text tells schemas apart, and so do the trees.
    parts = (repr(plan.recipe), repr(plan.columns), plan.domain, plan.cuts)
    mark = hashlib.sha256(b"".join(_digest(p.encode() if isinstance(p, str) else p) for p in parts)).digest()
    if mark not in _last:
        _last.clear()
        _last[mark] = Opened(plan)
    return _last[mark]


def _digest(part: bytes) -> bytes:
    return hashlib.sha256(part).digest()
