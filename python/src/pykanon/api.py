"""The functions that people call, and what they give back."""

from __future__ import annotations

import array
import difflib
import html
import operator
import os
import tempfile
import warnings
from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from typing import Any, Literal

from pykanon import _kanon, arguments, forms, frames, run, schema
from pykanon.errors import PrivacyWarning, UsageError
from pykanon.run import Progress
from pykanon.schema import Names, Schema, Taxonomy

try:
    import numpy
except ImportError:  # arrays are then those of Python
    numpy = None  # type: ignore[assignment]


def _share(value: Any) -> str:
    """A share as a text without an exponent: 0.00001, also of NumPy's numbers."""
    return value if isinstance(value, str) else format(Decimal(repr(float(value))), "f")


class Measures(Mapping[str, Any]):
    """Figures by name; those of single columns in ``of(column)``. ``formula(name)`` says how one is computed."""

    def __init__(self, figures: list[tuple[str, str | None, float | int | None, str]]) -> None:
        self._table = {name: value for name, column, value, _ in figures if column is None}
        self._columns: dict[str, dict[str, Any]] = {}
        for name, column, value, _ in figures:
            if column is not None:
                self._columns.setdefault(column, {})[name] = value
        self._formulas = {name: formula for name, _, _, formula in figures}

    def __getitem__(self, name: str) -> Any:
        if name not in self._table:
            near = difflib.get_close_matches(str(name), self._table, 1, 0.4)
            raise KeyError(f"no measure {name!r}" + (f"; did you mean {near[0]!r}?" if near else ""))
        return self._table[name]

    def __iter__(self) -> Any:
        return iter(self._table)

    def __len__(self) -> int:
        return len(self._table)

    def of(self, column: str) -> dict[str, Any]:
        """The figures of one column."""
        return dict(self._columns[column])

    def columns(self) -> list[str]:
        """The columns that have figures of their own."""
        return list(self._columns)

    def formula(self, name: str) -> str:
        """How a figure is computed."""
        return self._formulas[name]

    def __repr__(self) -> str:
        return "\n".join(f"{name:<20} {_shown(value)}" for name, value in self._table.items())


def _shown(value: Any) -> str:
    return "-" if value is None else f"{value:,}" if isinstance(value, int) else f"{value:,.6g}"


class Release:
    """A table that was anonymised. Everything in it has passed the independent check of the library.

    ``table`` is the release as the kind of table that came in, without suppressed records unless they are kept, ``measures``
    has the figures, ``groups`` the group of each record of that table. The object is also an Arrow stream: ``polars.DataFrame(release)``, ``pyarrow.table(release)``.
    """

    def __init__(self, handles: tuple[Any, Any, Any], original: Any, form: dict[str, Any], index: str) -> None:
        self._schema, self._table, self._grouping = handles
        self._original, self._form, self._index = original, form, index
        self._released: Any = None
        self._measures: Measures | None = None
        self._saved: dict[str, Any] | None = None
        described = _kanon.grouping_describe(self._grouping)
        self.records, self.n_groups, self.n_suppressed, self.k = described[:4]
        self.algorithm, self.notes = described[4], described[6]
        _, self.columns, of_table, privacy = _kanon.table_describe(self._table)
        self.warnings = [*of_table, *described[5]]
        for text in [*of_table[:privacy], *described[5][: described[7]]]:
            warnings.warn(text, PrivacyWarning, stacklevel=4)  # above arguments.checked
        for text in of_table[privacy:]:
            if "so withheld: " in text:  # whoever misses a column should know why
                warnings.warn(text, UserWarning, stacklevel=4)

    def __getstate__(self) -> dict[str, Any]:
        """What is pickled: the release, its figures and reports. The original and its groups stay in this process."""
        if self._saved is not None:
            return self.__dict__
        kept = {name: value for name, value in self.__dict__.items() if name not in ("_schema", "_table", "_grouping", "_original")}
        table = self.table
        if frames.kind_of(table) in ("duckdb", "arrow"):  # neither can be pickled
            table = frames.as_kind(self.__arrow_c_stream__(), "pyarrow")
        reports = {
            (external, form): self._written("report_external" if external else "report", None, f"report.{form}")
            for external in (False, True)
            for form in ("json", "html")
        }
        groups = _kanon.grouping_rows(self._grouping)
        return kept | {"_released": table, "_measures": self.measures, "_saved": {"reports": reports, "groups": groups}}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__ = state

    def _live(self) -> tuple[Any, Any]:
        """The handles; a release that was loaded from a pickle has none."""
        if self._saved is not None:
            hint = "It has its table, measures, groups and reports; anonymise again for more."
            raise UsageError("a release that was pickled no longer has the table that it was made of", hint)
        return self._table, self._grouping

    def _written(self, what: str, where: str | None, name: str, **form: Any) -> Any:
        table, grouping = self._live()
        return run.call(lambda t: _kanon.publish(table, grouping, t, what, where, name=name, **form))

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        if self._saved is not None:
            return frames.stream_of(self._released, "drop")
        return run.call(lambda t: _kanon.release(self._table, self._grouping, t, **self._form))

    @property
    def table(self) -> Any:
        """The release, as the kind of table that came in."""
        if self._released is None:
            groups = self.groups if self._index == "keep" and self.n_suppressed > 0 else None
            self._released = frames.same_kind(self.__arrow_c_stream__(), self._original, self._index, groups)
        return self._released

    @property
    def groups(self) -> Any:
        """The number of the group of each record of the original, from 1; 0 is a suppressed record. A NumPy array, so that
        ``frame[release.groups == 3]`` are the records of group 3; without NumPy an ``array.array``."""
        numbers = _kanon.grouping_rows(self._grouping) if self._saved is None else self._saved["groups"]
        return array.array("q", numbers) if numpy is None else numpy.frombuffer(numbers, dtype=numpy.int64).copy()

    @property
    def suppressed(self) -> Any:
        """Which records of the original are suppressed, as a mask; ``n_suppressed`` counts them. A NumPy array, or without
        NumPy a list."""
        groups = self.groups
        return [group == 0 for group in groups] if numpy is None else groups == 0

    @property
    def measures(self) -> Measures:
        """Every measure of the release."""
        if self._measures is None:
            self._measures = self.evaluate()
        return self._measures

    def evaluate(self, **settings: Any) -> Measures:
        """The measures with settings of their own, such as ``r=0.7``."""
        given = arguments.settings(settings)
        table, grouping = self._live()
        return Measures(run.call(lambda t: _kanon.evaluate(table, grouping, t, given)))

    def report(self, path: str | os.PathLike[str], external: bool = False) -> None:
        """Writes the report: a page if the path ends in ``.html``, else JSON. ``external``: for readers of the release."""
        where = os.fspath(path)
        if self._saved is None:
            self._written("report_external" if external else "report", where, where)
            return
        form = "html" if where.endswith(".html") else "json"
        _replace(where, self._saved["reports"][external, form], private=not external)

    def to_csv(self, path: str | os.PathLike[str] | None = None,
               numeric: Literal["interval", "range", "mean", "columns"] = "interval", shuffle: bool = False,
               shuffle_seed: int | None = None) -> Any:  # fmt: skip
        """The release as the program writes it, byte for byte; without a path, the bytes."""
        form, order = forms.of(numeric, forms.CSV), arguments.order(shuffle, shuffle_seed)
        where = None if path is None else os.fspath(path)
        return self._written("release", where, "release.csv", numeric=form, **order)

    def state(self, path: str | os.PathLike[str], *, joint_k: int | str | None = None, released: bool = True) -> Any:
        """Keeps table and groups in a new file, for inserts and deletes; returns the open :class:`pykanon.State`.

        This release is the first one of the state, with which later ones are compared; ``released=False`` says that nobody
        gets it. ``joint_k``: how many records (or persons, if there is an entity) all releases together leave alike; k
        unless the schema says otherwise, ``"off"`` to be warned only.
        """
        from pykanon.state import State, joint_size

        place, size, (table, grouping) = os.fspath(path), joint_size(joint_k), self._live()
        run.call(
            lambda t: _kanon.state_create(place, table, self._schema, grouping, t, joint_k=size, released=released)
        )
        return State(place)

    def plot(self, what: str = "sizes", ax: Any = None) -> Any:
        """A plot with matplotlib: ``sizes`` (of the groups) or ``loss`` (by column). Returns the axes."""
        from pykanon import plots

        if what not in ("sizes", "loss"):
            raise UsageError("what is one of 'sizes' and 'loss'")
        return plots.sizes(self, ax) if what == "sizes" else plots.loss(self, ax)

    def __repr__(self) -> str:
        hidden = f", {self.n_suppressed:,} suppressed" if self.n_suppressed else ""
        return f"<pykanon.Release: {self.records:,} records in {self.n_groups:,} groups, k = {self.k}{hidden}>"

    def _repr_html_(self) -> str:
        figures = [(n, self.measures[n]) for n in ("records", "groups", "suppressed", "k", "avg_loss", "highest_risk")]
        rows = "".join(f"<tr><th style='text-align:left'>{n}</th><td>{_shown(v)}</td></tr>" for n, v in figures)
        notices = "".join(f"<li>{html.escape(w)}</li>" for w in self.warnings)
        return f"<table>{rows}</table>" + (f"<ul>{notices}</ul>" if notices else "")


def _replace(path: str, content: bytes, private: bool) -> None:
    """A file with this content, complete or not there; a private one is for its owner alone, as the library makes it."""
    with tempfile.NamedTemporaryFile(dir=os.path.dirname(os.path.abspath(path)), delete=False) as file:
        try:
            file.write(content)
            if not private:
                umask = os.umask(0)
                os.umask(umask)
                os.chmod(file.name, 0o666 & ~umask)
            file.close()
            os.replace(file.name, path)
        except BaseException:
            os.unlink(file.name)
            raise


class Check(Mapping[str, Any]):
    """What a release really is. ``bool(check)``: everything that was asked holds and could be counted."""

    def __init__(self, found: dict[str, Any]) -> None:
        self._found = found
        self.violated: list[str] = found["violated"]
        self.not_shown: list[str] = found["not_shown"]
        self.warnings: list[str] = found["warnings"]

    def __getitem__(self, name: str) -> Any:
        return self._found[name]

    def __iter__(self) -> Any:
        return iter(self._found)

    def __len__(self) -> int:
        return len(self._found)

    def __bool__(self) -> bool:
        return bool(self._found["holds"])

    def __repr__(self) -> str:
        verdict = "holds" if self else "does not hold"
        reasons = "".join(f"\n  violated: {v}" for v in self.violated) + "".join(
            f"\n  cannot be seen: {v}" for v in self.not_shown
        )
        return f"<pykanon.Check: k = {self['k']}, {self['classes']:,} classes; what was asked {verdict}>{reasons}"


class Bound(Mapping[str, Any]):
    """A proven lower bound on the loss: no grouping of the table with this k loses less."""

    def __init__(self, found: dict[str, Any]) -> None:
        self._found = found
        self.lower_bound: float = found["lower_bound"]

    def __getitem__(self, name: str) -> Any:
        return self._found[name]

    def __iter__(self) -> Any:
        return iter(self._found)

    def __len__(self) -> int:
        return len(self._found)

    def __repr__(self) -> str:
        return f"<pykanon.Bound: k = {self['k']}, no grouping loses less than {self.lower_bound:,.6g}>"


class Curve(list[dict[str, Any]]):
    """The points of a trade-off: each a dict of k, its place in the grid, its figures and whether another point beats it."""

    def optimal(self) -> list[dict[str, Any]]:
        """The points that no other beats."""
        return [p for p in self if p["result"] == "optimal"]

    def plot(self, ax: Any = None) -> Any:
        """Loss against risk, with matplotlib. Returns the axes."""
        from pykanon import plots

        return plots.curve(self, ax)


def load(table: Any, progress: Progress, index: str, threads: int, memory: int, strict: bool,
         said: dict[str, Any]) -> tuple[Any, Any]:  # fmt: skip
    """The schema and the table as handles."""
    handle = schema.make(**said)

    def is_withheld(column: str) -> bool:
        """Unless it is the entity or a key, which the library knows."""
        role = _kanon.schema_role(handle, column)
        return role == "identifying" or (role is None and said.get("default_role") != "insensitive")

    stream = frames.stream_of(table, index, is_withheld)
    threads, memory = arguments.whole(threads, "threads"), arguments.whole(memory, "memory")
    loaded = run.call(
        lambda t: _kanon.table_import(handle, stream, t, threads=threads, memory=memory, strict=strict), progress
    )
    return handle, loaded


@arguments.checked
def anonymize(
    table: Any,
    *,
    # generated: anonymize
    k: int = 0,
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
    algorithm: str | None = None,
    settings: Mapping[str, Any] | None = None,
    constraints: str | Mapping[str, Any] | Iterable[str | Mapping[str, Any]] | None = None,
    entity: str | None = None,
    entity_together: bool = False,
    suppress: float | str | None = None,
    suppressed: Literal["drop", "keep"] | None = None,
    key: Names = None,
    refine: str | None = None,
    effort: Literal["fast", "balanced", "best"] | None = None,
    refine_settings: Mapping[str, Any] | None = None,
    recode: Literal["record", "attribute"] = "record",
    blocks: int = 0,
    memory: int = 0,
    seed: int = 0,
    threads: int = 0,
    numeric: Literal["columns", "interval", "mean"] = "columns",
    shuffle: bool = False,
    shuffle_seed: int | None = None,
    strict: bool = False,
    # end
    index: str = "error",
    progress: Progress = None,
) -> Release:
    """Groups similar records and generalises each group until every record is like at least ``k - 1`` others.

    ``table`` is a DataFrame of pandas or polars, a table of pyarrow, a relation of duckdb, a structured array of NumPy, a
    dict of columns, or anything with ``__arrow_c_stream__``. Columns are named as ``quasi`` (generalised), ``sensitive``
    (released as it is, protected by the groups), ``identifying`` (never released) or ``insensitive`` (released as it is).
    A column without a role is withheld, with a warning, or an error if ``strict``.

    Texts and categories are categories, whatever their digits, and ordered ones levels: ``types`` says otherwise, and
    ``orders`` names the levels of a column from the lowest to the highest. ``bands`` makes intervals end
    at multiples of a width, at edges, or at the ends of ``"month"``, ``"year"`` and so on; ``top`` and ``bottom`` hide what lies beyond. ``formats``, ``decimal`` and ``thousands`` say how dates and numbers in
    columns of text are written. ``missing`` are texts that mean "no value", in addition to the empty text, which is a value
    with ``empty="value"``. ``shuffle`` releases the records in the order of a hash of their released cells, keyed by
    ``shuffle_seed``, which alone shuffles, too. ``schema`` is a file, or what :func:`propose` returned; the other arguments win over it.

    ``suppress`` is the share of the records that may be suppressed. They are not in the release, which then has fewer rows
    than the table; ``suppressed="keep"`` releases them with nothing in their quasi columns, if they are a class that
    satisfies everything, and else suppresses none.

    >>> import pykanon
    >>> people = {"age": [23, 25, 41, 44], "zip": ["79098", "79100", "79102", "79104"],
    ...           "disease": ["flu", "cold", "flu", "angina"]}
    >>> pykanon.anonymize(people, quasi=["age", "zip"], masks={"zip": "right"}, sensitive="disease", k=2)
    <pykanon.Release: 4 records in 2 groups, k = 2>

    With ``strict``, a column without a role is an error:

    >>> pykanon.anonymize(people, quasi=["age", "zip"], k=2, strict=True)
    Traceback (most recent call last):
    pykanon.errors.DataError: ...
    """
    table_form, order = forms.of(numeric, forms.TABLE), arguments.order(shuffle, shuffle_seed)
    index, k = arguments.index(index, order["shuffle"]), arguments.whole(k, "k")
    said = dict(
        schema=schema, quasi=quasi, sensitive=sensitive, identifying=identifying, insensitive=insensitive, types=types,
        orders=orders, weights=weights, taxonomies=taxonomies, masks=masks, bands=bands, top=top, bottom=bottom,
        formats=formats,        decimal=decimal, thousands=thousands, missing=missing, empty=empty, constraints=constraints,
        entity=entity, entity_together=entity_together, key=key, default_role=default_role,
        suppressed=suppressed,
    )  # fmt: skip
    handle, loaded = load(table, progress, index, threads, memory, strict, said)
    options: dict[str, Any] = dict(
        k=k, algorithm=arguments.text(algorithm, "algorithm"), settings=arguments.settings(settings), seed=arguments.seed(seed), threads=threads,
        refine=arguments.text(refine, "refine"), refine_settings=arguments.settings(refine_settings, "refine_settings"),
        blocks=arguments.whole(blocks, "blocks"), memory=memory, effort=arguments.text(effort, "effort"),
        by_attribute=recode == "attribute", suppress=None if suppress is None else _share(suppress),
    )  # fmt: skip
    grouping = run.call(lambda t: _kanon.anonymize(loaded, t, **options), progress)
    form = dict(numeric=table_form, threads=threads, **order)
    return Release((handle, loaded, grouping), table, form, index)


@arguments.checked
def improve(table: Any, groups: Any = None, *, release: str | os.PathLike[str] | None = None, k: int = 0,
            repair: bool = False, refine: str | None = None, refine_settings: Mapping[str, Any] | None = None,
            effort: Literal["fast", "balanced", "best"] | None = None, suppress: float | str | None = None,
            numeric: Literal["columns", "interval", "mean"] = "columns",
            shuffle: bool = False, shuffle_seed: int | None = None, seed: int = 0, threads: int = 0, memory: int = 0,
            strict: bool = False, index: str = "error", progress: Progress = None, **said: Any) -> Release:  # fmt: skip
    """Makes groups better that are there already, whoever made them; the result never loses more. ``said``: columns and
    requirements, as in anonymize.

    ``groups`` has the number of the group of each record, 0 for a suppressed one, or is an earlier :class:`Release` of the
    table. ``release`` in its place: a file with a release of the table by any tool, its records in the same order, or with the
    columns of ``key``, which say which record each row is; records that it lacks are suppressed. Groups that do
    not satisfy what is asked are refused, or with ``repair`` changed as far as that takes.

    >>> import pykanon
    >>> people = {"age": [23, 41, 25, 44]}
    >>> better = pykanon.improve(people, [1, 1, 2, 2], quasi="age", k=2)
    >>> better.table.column("age_max").to_pylist()
    [25, 44, 25, 44]
    """
    table_form, order = forms.of(numeric, forms.TABLE), arguments.order(shuffle, shuffle_seed)
    index, k = arguments.index(index, order["shuffle"]), arguments.whole(k, "k")
    if (groups is None) == (release is None):
        raise UsageError("give the groups to begin with: either groups or release")
    handle, loaded = load(table, progress, index, threads, memory, strict, said)
    start = _start(handle, loaded, groups, release)
    options: dict[str, Any] = dict(
        k=k, seed=arguments.seed(seed), threads=threads, memory=memory, refine=refine,
        refine_settings=arguments.settings(refine_settings, "refine_settings"), effort=effort,
        suppress=None if suppress is None else _share(suppress), start=start, repair=repair,
    )  # fmt: skip
    grouping = run.call(lambda t: _kanon.anonymize(loaded, t, **options), progress)
    form = dict(numeric=table_form, threads=threads, **order)
    return Release((handle, loaded, grouping), table, form, index)


def _start(handle: Any, loaded: Any, groups: Any, release: str | os.PathLike[str] | None) -> Any:
    """The handle of the groups to begin with."""
    if release is not None:
        if not isinstance(release, (str, os.PathLike)):
            raise UsageError(f"release is the path of a file, not {type(release).__name__}", "Give groups, or write it to a file.")
        return _kanon.grouping_from_release(loaded, handle, os.fspath(release))
    numbers = groups.groups if isinstance(groups, Release) else groups
    try:
        return _kanon.grouping_new(loaded, array.array("q", [operator.index(g) for g in numbers]).tobytes())
    except (TypeError, OverflowError, ValueError) as wrong:
        raise UsageError("groups has a whole number for each record, 0 for a suppressed one") from wrong


@arguments.checked
def check(table: Any, *, k: int = 0, risk_threshold: float = 0.0, index: str = "drop", progress: Progress = None,
          **said: Any) -> Check:  # fmt: skip
    """What a release really satisfies, whichever tool made it. ``said``: columns and requirements, as in anonymize.

    Every column of the release needs a role, or ``default_role="insensitive"``. Cells that differ are different, unless
    ``same`` says that texts are one: ``same=[("?", "NA")]``.

    >>> import pykanon
    >>> released = {"age": ["[20..29]", "[20..29]", "35"], "disease": ["flu", "cold", "flu"]}
    >>> found = pykanon.check(released, quasi=["age"], sensitive=["disease"], k=2)
    >>> bool(found), found["k"]
    (False, 1)
    """
    handle = schema.make(**said)
    stream = frames.stream_of_release(table, index)
    return Check(run.call(lambda t: _kanon.check(handle, stream, t, k=arguments.whole(k, "k"), risk_threshold=risk_threshold), progress))


@arguments.checked
def evaluate(table: Any, release: Any, *, k: int = 0, settings: Mapping[str, Any] | None = None, threads: int = 0,
             strict: bool = False, index: str = "drop", progress: Progress = None, **said: Any) -> Measures:  # fmt: skip
    """What a release of ``table`` loses, whichever tool made it: a frame, or the path of a file. Its records may be in any
    order; those that it lacks count as suppressed. ``said``: columns and requirements, as in anonymize.

    >>> import pykanon
    >>> people = {"age": [23, 25, 41, 44]}
    >>> by_another_tool = {"age": ["20-29", "20-29", "40-49", "40-49"]}
    >>> pykanon.evaluate(people, by_another_tool, quasi="age")["unknown_cells"]
    0
    """
    handle, loaded = load(table, progress, index, threads, 0, strict, said)
    given = os.fspath(release) if isinstance(release, (str, os.PathLike)) else frames.stream_of_release(release, index)
    options: dict[str, Any] = dict(settings=arguments.settings(settings), k=arguments.whole(k, "k"), threads=threads)
    return Measures(run.call(lambda t: _kanon.evaluate_release(loaded, handle, given, t, **options), progress))


@arguments.checked
def bound(table: Any, *, k: int = 0, seconds: float = 0.0, rounds: int = 0,
          certificate: str | os.PathLike[str] | None = None,
          threads: int = 0, strict: bool = False, index: str = "drop", progress: Progress = None, **said: Any) -> Bound:  # fmt: skip
    """A proven lower bound on the loss of every grouping without suppression; ``certificate``: where its proof goes."""
    _, loaded = load(table, progress, index, threads, 0, strict, said)
    proof = None if certificate is None else os.fspath(certificate)
    found = run.call(
        lambda t: _kanon.bound(loaded, t, k=arguments.whole(k, "k"), seconds=seconds, rounds=rounds, threads=threads, certificate=proof), progress
    )
    return Bound(found)


@arguments.checked
def tradeoff(table: Any, *, k: Iterable[int] = (2, 5, 10, 25, 50, 100), suppress: Iterable[float] = (),
             algorithm: str | None = None, settings: Mapping[str, Any] | None = None, refine: str | None = None,
             effort: Literal["fast", "balanced", "best"] | None = None, seed: int = 0, threads: int = 0, page: str | os.PathLike[str] | None = None,
             strict: bool = False, index: str = "drop", progress: Progress = None, **said: Any) -> Curve:  # fmt: skip
    """The curve of loss against risk over several ``k``. ``page``: also write it as a page with plots."""
    _, loaded = load(table, progress, index, threads, 0, strict, said)
    given: dict[str, Any] = dict(
        k=",".join(str(arguments.whole(one, "k")) for one in k), suppress=",".join(map(_share, suppress)) or None, algorithm=algorithm,
        settings=arguments.settings(settings), refine=arguments.text(refine, "refine"), effort=effort,
        seed=arguments.seed(seed), threads=threads,
        plot=None if page is None else os.fspath(page),
    )  # fmt: skip
    points = run.call(lambda t: _kanon.tradeoff(loaded, t, **given), progress)
    return Curve(map(_point, points))


def _point(point: dict[str, Any]) -> dict[str, Any]:
    figures = {name: value for name, column, value, _ in point["figures"] if column is None}
    return {"k": int(point["settings"]["k"]), "settings": point["settings"], "result": point["result"], **figures}
