"""Before anything is released: the risk of a table as it is, and a schema that is proposed for it."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, Literal

from pykanon import _kanon, api, arguments, frames, run
from pykanon.run import Progress
from pykanon.said import Said

if TYPE_CHECKING:
    from typing_extensions import Unpack


class Profile(Mapping[str, Any]):
    """Whom a table singles out before it is anonymised, and what k will cost. No figure is a value of the table."""

    def __init__(self, found: dict[str, Any]) -> None:
        self._found = found

    def __getitem__(self, name: str) -> Any:
        return self._found[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._found)

    def __len__(self) -> int:
        return len(self._found)

    def __repr__(self) -> str:
        return f"<pykanon.Profile: {self['records']:,} records, {self['unique_records']:,} of them unique>"


@arguments.checked
def profile(table: Any, *, costs: bool = True, seed: int = 0, threads: int = 0, strict: bool = False,
            index: api.Index = "drop", progress: Progress = None, **said: Unpack[Said]) -> Profile:  # fmt: skip
    """The risk of a table as it is, and what k will cost.

    >>> import pykanon
    >>> people = {"age": [23, 23, 41, 44], "sex": ["f", "f", "m", "m"]}
    >>> found = pykanon.profile(people, quasi=["age", "sex"], costs=False)
    >>> found["unique_records"], found["records"]
    (2, 4)

    Returns:
        A :class:`Profile`: figures by name, such as ``["unique_records"]``, ``["sets"]`` and ``["costs"]``.

    Raises:
        UsageError: an argument is wrong.
        DataError: a column is not there, or its values are not of its type.
    """
    number = arguments.seed(seed)
    _, loaded = api.load(table, progress, index, threads, 0, strict, said)
    text = run.call(lambda t: _kanon.profile(loaded, t, threads=threads, seed=number, costs=costs), progress)
    return Profile(json.loads(text))


class Proposal:
    """A schema that is proposed, and why. ``text`` is its YAML, ``columns`` says what each column was taken for.

    It can be given to :func:`pykanon.anonymize` as ``schema``. Look at it first: a proposal knows names and forms of
    values, not what they mean.
    """

    def __init__(self, found: dict[str, Any]) -> None:
        self.text: str = found["schema"]
        self.columns: list[dict[str, Any]] = found["columns"]
        self.records: int = found["records"]
        self.k: int = found["k"]
        self.entity: str | None = found["entity"]
        self.key: str | None = found["key"]
        self.sets: list[dict[str, Any]] = found["sets"]
        self.notes: list[str] = found["notes"]

    def role(self, name: Literal["quasi", "sensitive", "identifying", "insensitive"]) -> list[str]:
        """The columns with that role: ``quasi``, ``sensitive``, ``identifying`` or ``insensitive``."""
        return [column["name"] for column in self.columns if column["role"] == name]

    @arguments.checked
    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the schema to a file, to be looked at, changed and used."""
        with open(path, "w", encoding="utf-8", newline="") as file:
            file.write(self.text)

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        quasi = f"{len(self.role('quasi'))} of {len(self.columns)} columns are quasi-identifiers"
        return f"<pykanon.Proposal: {quasi}, k = {self.k}>"


@arguments.checked
def propose(table: Any, *, bands: bool = True, threads: int = 0, index: api.Index = "drop",
            progress: Progress = None) -> Proposal:  # fmt: skip
    """A schema for a table, by the names of its columns and the form of their values; ``bands``: with bands of numbers.

    >>> import pykanon
    >>> people = {"name": ["Ann", "Bob", "Cid", "Dan"], "age": [23, 25, 41, 44], "sex": ["f", "m", "m", "f"]}
    >>> proposed = pykanon.propose(people)
    >>> proposed.role("quasi")
    ['age', 'sex']
    >>> pykanon.anonymize(people, schema=proposed, k=2)
    <pykanon.Release: 4 records in 2 groups, k = 2>

    Returns:
        A :class:`Proposal`, to look at, and to give to other functions as ``schema``.

    Raises:
        UsageError: the table is none.
    """
    threads = arguments.whole(threads, "threads")
    stream = frames.stream_of(table, arguments.index(index, False))
    return Proposal(run.call(lambda t: _kanon.propose(stream, t, threads=threads, bands=bands), progress))
