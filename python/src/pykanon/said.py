"""What can be said of columns and requirements: the types of arguments, and ``columns={"age": pykanon.Quasi(bands=5)}``."""

from __future__ import annotations

import dataclasses
import datetime
import os
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, ClassVar, Literal, Protocol, TypedDict, runtime_checkable

from pykanon import arguments
from pykanon.about import ABOUT, FIELDS, WORDS

#: A tree of categories: a nested mapping, a table of paths from leaf to root, a Taxonomy, or the path of its file.
Tree = Mapping[str, Any] | Sequence[Sequence[str]] | str | os.PathLike[str] | Any
Names = str | Iterable[str] | None
Edge = int | float | str | datetime.date
#: A width, edges, or a word such as "month".
Bands = Edge | Sequence[Edge]
Setting = str | int | float
Constraint = str | Mapping[str, Setting]


@runtime_checkable
class HasText(Protocol):
    """A schema that is not in a file, such as a proposal: ``text`` is its YAML."""

    text: str


@runtime_checkable
class HasCsv(Protocol):
    """A taxonomy that is not in a file: ``csv()`` is its text."""

    def csv(self) -> str: ...


Schema = str | os.PathLike[str] | HasText | None


@dataclasses.dataclass(frozen=True, kw_only=True, repr=False)
class Column:
    """What a column is: one of Quasi, Sensitive, Insensitive and Identifying."""

    role: ClassVar[str]

    def __post_init__(self) -> None:
        for name, value in self.said().items():
            if FIELDS[name] in WORDS:
                arguments.check_word(name, value, WORDS[FIELDS[name]])

    def said(self) -> dict[str, Any]:
        """What is said of the column besides its role."""
        found = ((field.name, getattr(self, field.name)) for field in dataclasses.fields(self))
        return {name: value for name, value in found if value is not None and value is not False}

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(f'{name}={value!r}' for name, value in self.said().items())})"


@dataclasses.dataclass(frozen=True, kw_only=True, repr=False)
class Released(Column):
    """A column that is released, and how its values are read."""

    # generated: released
    taxonomy: Tree | None = None
    type: Literal["integer", "decimal", "date", "categorical", "ordinal"] | None = None
    order: Sequence[Any] | None = None
    format: str | None = None
    decimal: str | None = None
    thousands: str | None = None
    # end


@dataclasses.dataclass(frozen=True, kw_only=True, repr=False)
class Quasi(Released):
    """A quasi-identifier, such as age, place or profession: it is generalised.

    >>> import pykanon
    >>> people = {"age": [23, 24, 41, 44], "disease": ["flu", "cold", "flu", "angina"]}
    >>> columns = {"age": pykanon.Quasi(bands=5), "disease": pykanon.Sensitive()}
    >>> pykanon.anonymize(people, k=2, columns=columns).table.column("age_max").to_pylist()
    [24, 24, 44, 44]
    """

    role = "quasi"
    # generated: quasi
    bands: Bands | None = None
    top: Edge | None = None
    bottom: Edge | None = None
    mask: Literal["right", "left"] | None = None
    weight: float | None = None
    ends: Literal["exact", "drawn"] | None = None
    # end


@dataclasses.dataclass(frozen=True, kw_only=True, repr=False)
class Sensitive(Released):
    """A sensitive column, such as a disease: it is released as it is, and protected by the groups."""

    role = "sensitive"
    permute: bool = False


@dataclasses.dataclass(frozen=True, kw_only=True, repr=False)
class Insensitive(Released):
    """A column that says nothing about a person: it is released as it is."""

    role = "insensitive"
    permute: bool = False


@dataclasses.dataclass(frozen=True, kw_only=True, repr=False)
class Identifying(Column):
    """A column that names a person: it is never released."""

    role = "identifying"


for _kind in (Quasi, Sensitive, Insensitive, Identifying):
    _kind.__init__ = arguments.checked(_kind.__init__)  # type: ignore[method-assign]
    _about = {name: ABOUT[FIELDS[name]] for name in (field.name for field in dataclasses.fields(_kind))}
    _kind.__doc__ = arguments.with_args(_kind.__doc__ or "", _about)

Columns = Mapping[str, Column] | None


class Said(TypedDict, total=False):
    """The keywords about columns and requirements that functions share."""

    columns: Columns
    # generated: said
    schema: Schema
    quasi: Names
    sensitive: Names
    identifying: Names
    insensitive: Names
    default_role: Literal["quasi", "sensitive", "identifying", "insensitive"] | None
    taxonomies: Mapping[str, Tree] | None
    bands: Mapping[str, Bands] | None
    top: Mapping[str, Edge] | None
    bottom: Mapping[str, Edge] | None
    masks: Mapping[str, Literal["right", "left"]] | None
    weights: Mapping[str, float] | None
    permute: Names
    ends: Mapping[str, Literal["exact", "drawn"]] | None
    types: Mapping[str, Literal["integer", "decimal", "date", "categorical", "ordinal"]] | None
    orders: Mapping[str, Sequence[Any]] | None
    formats: Mapping[str, str] | None
    missing: Names
    empty: Literal["missing", "value"] | None
    decimal: str | Mapping[str, str] | None
    thousands: str | Mapping[str, str] | None
    same: Iterable[Sequence[str]] | None
    constraints: Constraint | Iterable[Constraint] | None
    entity: str | None
    entity_together: bool
    suppressed: Literal["drop", "keep"] | None
    singled_out: float | str | None
    key: Names
    # end
