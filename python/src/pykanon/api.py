"""The functions that people call, and what they give back."""

from __future__ import annotations

import array
import difflib
import html
import operator
import os
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

from pykanon import _kanon, arguments, forms, frames, run, schema
from pykanon.errors import DataError, PrivacyWarning, UsageError
from pykanon.run import Progress
from pykanon.said import Bands, Columns, Constraint, Edge, Names, Said, Schema, Setting, Tree
from pykanon.verdict import Verdict

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from pykanon.state import State

try:
    import numpy
except ImportError:  # arrays are then those of Python
    numpy = None  # type: ignore[assignment]


Index = Literal["error", "drop", "keep"]
Path = str | os.PathLike[str]


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
        return _named(self._table, name, "measure")

    def __iter__(self) -> Iterator[str]:
        return iter(self._table)

    def __len__(self) -> int:
        return len(self._table)

    def of(self, column: str) -> dict[str, Any]:
        """The figures of one column."""
        found: dict[str, Any] = _named(self._columns, column, "column with figures of its own")
        return dict(found)

    def columns(self) -> list[str]:
        """The columns that have figures of their own."""
        return list(self._columns)

    def formula(self, name: str) -> str:
        """How a figure is computed."""
        text: str = _named(self._formulas, name, "measure")
        return text

    def __repr__(self) -> str:
        return "\n".join(f"{name:<20} {_shown(value)}" for name, value in self._table.items())


def _named(found: Mapping[str, Any], name: str, what: str) -> Any:
    if name not in found:
        near = difflib.get_close_matches(str(name), found, 1, 0.4)
        raise KeyError(f"no {what} {name!r}" + (f"; did you mean {near[0]!r}?" if near else ""))
    return found[name]


def _shown(value: Any) -> str:
    return "-" if value is None else f"{value:,}" if isinstance(value, int) else f"{value:,.6g}"


class Release:
    """A table that was anonymised. Everything in it has passed the independent check of the library.

    ``table`` is the release as the kind of table that came in, without suppressed records unless they are kept, ``measures``
    has the figures, ``groups`` the group of each record of that table. The object is also an Arrow stream: ``polars.DataFrame(release)``, ``pyarrow.table(release)``.
    """

    def __init__(self, handles: tuple[Any, Any, Any], original: Any, notation: dict[str, Any], index: str) -> None:
        self._schema, self._table, self._grouping = handles
        self._original, self._form, self._index = original, notation, index
        self._released: Any = None
        self._measures: Measures | None = None
        self._verdict: Verdict | None = None
        self._saved: dict[str, Any] | None = None
        described = _kanon.grouping_describe(self._grouping)
        self.records, self.n_groups, self.n_suppressed, self.k = described[:4]
        self.algorithm, self.notes = described[4], described[6]
        _, self.columns, of_table, privacy = _kanon.table_describe(self._table)
        self.warnings = [*of_table, *described[5]]
        for text in [*of_table[:privacy], *described[5][: described[7]]]:
            arguments.warn(text, PrivacyWarning)
        for text in of_table[privacy:]:
            if "so withheld: " in text:  # whoever misses a column should know why
                arguments.warn(text, UserWarning)

    def __getstate__(self) -> dict[str, Any]:
        """What is pickled: the release, its figures and reports. The original and its groups stay in this process."""
        if self._saved is not None:
            return self.__dict__
        kept = {name: value for name, value in self.__dict__.items() if name not in ("_schema", "_table", "_grouping", "_original")}
        table = self.table
        if frames.kind_of(table) in ("duckdb", "arrow"):  # neither can be pickled
            table = frames.as_kind(self.__arrow_c_stream__(), "pyarrow")
        reports = {
            (external, form): self._written(
                "report_external" if external else "report", None, f"report.{form}", shuffle=self._is_shuffled()
            )
            for external in (False, True)
            for form in ("json", "html")
        }
        groups = _kanon.grouping_rows(self._grouping)
        return kept | {"_released": table, "_measures": self.measures, "_verdict": self.verdict, "_saved": {"reports": reports, "groups": groups}}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__ = state

    def _is_shuffled(self) -> bool:
        return bool(self._form.get("shuffle") or self._form.get("shuffle_seed"))

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

    def evaluate(self, *, from_certificate: Path | None = None, **settings: Setting) -> Measures:
        """The measures with settings of their own, such as ``r=0.7``.

        ``from_certificate``: the file of a certificate that :func:`pykanon.bound` wrote for the table. It is verified, and the
        measures then have ``lower_bound``, and ``gap``: the loss of this release over that bound.
        """
        given = arguments.settings(settings)
        proof = None if from_certificate is None else os.fspath(from_certificate)
        table, grouping = self._live()
        return Measures(run.call(lambda t: _kanon.evaluate(table, grouping, t, given, certificate=proof)))

    @property
    def verdict(self) -> Verdict:
        """What decides whether ``table`` may be given away, row by row, in the words of the report."""
        if self._verdict is None:
            table, grouping = self._live()
            threads = self._form.get("threads", 0)
            self._verdict = Verdict(run.call(lambda t: _kanon.verdict(table, grouping, self._is_shuffled(), threads)))
        return self._verdict

    def advice(self) -> list[str]:
        """What the release teaches, in sentences: which column pays most, which requirement is tight, and what changes of the
        schema would save, found by short runs; what saves most comes first."""
        table, grouping = self._live()
        return [_with_argument(sentence, topic) for sentence, topic in run.call(lambda t: _kanon.advise(table, grouping))]

    @arguments.checked
    def report(self, path: Path, external: bool = False, from_certificate: Path | None = None) -> None:
        """Writes the report: a page if the path ends in ``.html``, else JSON. With a certificate it has the proven gap."""
        where = os.fspath(path)
        if self._saved is None:
            proof = None if from_certificate is None else os.fspath(from_certificate)
            what = "report_external" if external else "report"
            self._written(what, where, where, certificate=proof, shuffle=self._is_shuffled())
            return
        form = "html" if where.endswith(".html") else "json"
        _replace(where, self._saved["reports"][external, form], private=not external)

    @arguments.checked
    def codebook(self, path: Path | None = None,
                 numeric: Literal["interval", "range", "mean", "columns"] | None = None) -> Any:  # fmt: skip
        """Writes how to read the release, for its recipients: a page if the path ends in ``.html``, CSVW if it ends in
        ``-metadata.json``, else a Frictionless Table Schema (JSON); without a path, the bytes of that. ``numeric``: of the file
        that it describes, if that is not ``table``."""
        where = None if path is None else os.fspath(path)
        own = next(name for name, form in forms.TABLE.items() if form == self._form["numeric"])
        return self._written("codebook", where, where or "codebook.json", numeric=forms.of(numeric or own, forms.CSV))

    @arguments.checked
    def to_csv(self, path: Path | None = None,
               numeric: Literal["interval", "range", "mean", "columns"] = "interval", shuffle: bool = False,
               shuffle_seed: int | None = None) -> Any:  # fmt: skip
        """The release as the program writes it, byte for byte; without a path, the bytes."""
        form, order = forms.of(numeric, forms.CSV), arguments.order(shuffle, shuffle_seed)
        where = None if path is None else os.fspath(path)
        return self._written("release", where, "release.csv", numeric=form, **order)

    def to_groups(self, path: Path) -> None:
        """Writes which record is in which group, as the program does: CSV with the columns row and group."""
        self._written("groups", os.fspath(path), "groups.csv")

    @arguments.checked
    def state(self, path: Path, *, joint_k: int | Literal["off"] | None = None, released: bool = True) -> State:
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

    @arguments.checked
    def plot(self, what: Literal["sizes", "loss"] = "sizes", ax: Any = None) -> Any:
        """A plot with matplotlib: ``sizes`` (of the groups) or ``loss`` (by column). Returns the axes."""
        from pykanon import plots

        arguments.check_word("what", what, ("sizes", "loss"))
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
        self._found = found | {"verdict": Verdict(found["verdict"])}
        self.verdict: Verdict = self._found["verdict"]
        self.violated: list[str] = found["violated"]
        self.not_shown: list[str] = found["not_shown"]
        self.warnings: list[str] = found["warnings"]
        self.findings: list[dict[str, Any]] = found["findings"]
        self.compared: list[dict[str, Any]] = found["compared"]

    def __getitem__(self, name: str) -> Any:
        return self._found[name]

    def __iter__(self) -> Iterator[str]:
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

    def __iter__(self) -> Iterator[str]:
        return iter(self._found)

    def __len__(self) -> int:
        return len(self._found)

    def __repr__(self) -> str:
        return f"<pykanon.Bound: k = {self['k']}, no grouping loses less than {self.lower_bound:,.6g}>"


class Certificate(Mapping[str, Any]):
    """Whether a certificate proves its lower bound for a table. ``bool(certificate)``: it does; ``reason``: why it does not."""

    def __init__(self, found: dict[str, Any]) -> None:
        self._found = found
        self.lower_bound: float = found["lower_bound"]
        self.reason: str = found["reason"]

    def __getitem__(self, name: str) -> Any:
        return self._found[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._found)

    def __len__(self) -> int:
        return len(self._found)

    def __bool__(self) -> bool:
        return bool(self._found["holds"])

    def __repr__(self) -> str:
        verdict = "is proved" if self else f"is not proved: {self.reason}"
        return f"<pykanon.Certificate: k = {self['k']}, the bound {self.lower_bound:,.6g} {verdict}>"


class Curve(list[dict[str, Any]]):
    """The points of a trade-off: each a dict of k, its place in the grid, its figures and whether another point beats it."""

    def optimal(self) -> list[dict[str, Any]]:
        """The points that no other beats."""
        return [p for p in self if p["result"] == "optimal"]

    @arguments.checked
    def plot(self, ax: Any = None) -> Any:
        """Loss against risk, with matplotlib. Returns the axes."""
        from pykanon import plots

        return plots.curve(self, ax)


def load(table: Any, progress: Progress, index: str, threads: int, memory: int | str, strict: bool,
         said: Mapping[str, Any]) -> tuple[Any, Any]:  # fmt: skip
    """The schema and the table as handles."""
    threads, memory = arguments.whole(threads, "threads"), arguments.size(memory)
    handle = schema.make(**said)

    def is_withheld(column: str) -> bool:
        """Unless it is the entity or a key, which the library knows."""
        role = _kanon.schema_get(handle, "role", column)
        return role == "identifying" or (role is None and said.get("default_role") != "insensitive")

    stream = frames.stream_of(table, index, is_withheld)
    try:
        return handle, run.call(
            lambda t: _kanon.table_import(handle, stream, t, threads=threads, memory=memory, strict=strict), progress
        )
    except DataError as wrong:
        raise _with_list(wrong, said) from None


def _with_list(wrong: DataError, said: Mapping[str, Any]) -> DataError:
    """The error, with a better hint where a text with commas was meant as several names."""
    for role in schema.ROLES:
        text = said.get(role)
        if isinstance(text, str) and "," in text and wrong.message.startswith(f"{text}: "):
            parts = ", ".join(f'"{part.strip()}"' for part in text.split(","))
            return DataError(wrong.message, f"Several columns are a list: {role}=[{parts}]", wrong.topic)
    return wrong


#: What to say in Python, by the topic of advice.
_ARGUMENTS = {
    "leave-out": "name it in identifying", "taxonomy": "taxonomies, or pykanon.Taxonomy.build", "bands": "bands",
    "weight": "weights", "narrower-bands": "bands", "suppress": "suppress", "refine": 'refine="search"',
    "tradeoff": "pykanon.tradeoff", "bound": "pykanon.bound",
    "quasi": "quasi, weights",
}  # fmt: skip


def _with_argument(sentence: str, topic: str) -> str:
    return f"{sentence} ({_ARGUMENTS[topic]})" if topic in _ARGUMENTS else sentence


@arguments.checked
def anonymize(
    table: Any,
    # generated: anonymize
    k: int | None = None,
    quasi: Names = None,
    sensitive: Names = None,
    identifying: Names = None,
    schema: Schema = None,
    columns: Columns = None,
    *,
    insensitive: Names = None,
    default_role: Literal["quasi", "sensitive", "identifying", "insensitive"] | None = None,
    taxonomies: Mapping[str, Tree] | None = None,
    bands: Mapping[str, Bands] | None = None,
    top: Mapping[str, Edge] | None = None,
    bottom: Mapping[str, Edge] | None = None,
    masks: Mapping[str, Literal["right", "left"]] | None = None,
    weights: Mapping[str, float] | None = None,
    permute: Names = None,
    ends: Mapping[str, Literal["exact", "drawn"]] | None = None,
    types: Mapping[str, Literal["integer", "decimal", "date", "categorical", "ordinal"]] | None = None,
    orders: Mapping[str, Sequence[Any]] | None = None,
    formats: Mapping[str, str] | None = None,
    missing: Names = None,
    empty: Literal["missing", "value"] | None = None,
    decimal: str | Mapping[str, str] | None = None,
    thousands: str | Mapping[str, str] | None = None,
    algorithm: str | None = None,
    settings: Mapping[str, Setting] | None = None,
    constraints: Constraint | Iterable[Constraint] | None = None,
    entity: str | None = None,
    entity_together: bool = False,
    suppress: float | str | None = None,
    suppressed: Literal["drop", "keep"] | None = None,
    singled_out: float | str | None = None,
    key: Names = None,
    refine: str | None = None,
    effort: Literal["fast", "balanced", "best"] | None = None,
    moves: int | None = None,
    time_limit: float | None = None,
    refine_settings: Mapping[str, Setting] | None = None,
    recode: Literal["record", "attribute"] = "record",
    blocks: int | Literal["auto", "none"] = "auto",
    memory: int | str = 0,
    seed: int = 0,
    threads: int = 0,
    numeric: Literal["columns", "interval", "mean"] = "columns",
    shuffle: bool = False,
    shuffle_seed: int | None = None,
    strict: bool = False,
    # end
    index: Index = "error",
    progress: Progress = None,
) -> Release:
    """Groups similar records and generalises each group until every record is like at least ``k - 1`` others.

    Columns are named as ``quasi`` (generalised), ``sensitive`` (released as it is, protected by the groups), ``identifying``
    (never released) or ``insensitive`` (released as it is). A column without a role is withheld, with a warning, or an error
    if ``strict``. Texts and categories are categories, whatever their digits, and ordered categories levels; ``types`` says
    otherwise. What ``schema`` says, other arguments win over.

    >>> import pykanon
    >>> people = {"age": [23, 25, 41, 44], "zip": ["79098", "79100", "79102", "79104"],
    ...           "disease": ["flu", "cold", "flu", "angina"]}
    >>> release = pykanon.anonymize(people, k=2, quasi=["age", "zip"], sensitive="disease", masks={"zip": "right"})
    >>> release
    <pykanon.Release: 4 records in 2 groups, k = 2>
    >>> release.table.to_pylist()[0]
    {'age_min': 23, 'age_max': 25, 'zip': '79***', 'disease': 'flu'}

    The same, column by column:

    >>> columns = {"age": pykanon.Quasi(), "zip": pykanon.Quasi(mask="right"), "disease": pykanon.Sensitive()}
    >>> pykanon.anonymize(people, k=2, columns=columns).table == release.table
    True

    Returns:
        A :class:`Release`: its ``table`` is of the kind that came in, ``measures`` are the figures, ``warnings`` what is worth
        knowing. Suppressed records are not in the table, unless ``suppressed="keep"``.

    Raises:
        UsageError: an argument is wrong, or k is missing.
        DataError: a column is not there, or its values are not of its type.
        InfeasibleError: no groups can satisfy what is required.
    """
    return _anonymize(table, dict(locals()), index, progress)


def _anonymize(table: Any, given: dict[str, Any], index: str, progress: Progress, groups: Any = None) -> Release:
    """The release of a table, grouped or from ``groups``, with the arguments of :func:`anonymize`."""
    table_form = forms.of(given["numeric"], forms.TABLE)
    order = arguments.order(given["shuffle"], given["shuffle_seed"])
    index, threads = arguments.index(index, order["shuffle"]), given["threads"]
    options: dict[str, Any] = dict(
        k=arguments.size_of_groups(given["k"]), seed=arguments.seed(given["seed"]), threads=arguments.whole(threads, "threads"),
        memory=arguments.size(given["memory"]), refine=arguments.text(given["refine"], "refine"),
        refine_settings=arguments.refine_settings(given["refine_settings"], given["moves"], given["time_limit"]),
        effort=given["effort"], suppress=arguments.share(given["suppress"]),
    )  # fmt: skip
    if groups is None:
        options |= dict(
            algorithm=arguments.text(given["algorithm"], "algorithm"), settings=arguments.settings(given["settings"]),
            blocks=arguments.block_size(given["blocks"]), recode=given["recode"],
        )  # fmt: skip
    said = {name: given[name] for name in Said.__annotations__ if name in given}
    handle, loaded = load(table, progress, index, threads, given["memory"], given["strict"], said)
    if groups is not None:
        options |= dict(start=groups(handle, loaded), repair=given["repair"])
    grouping = run.call(lambda t: _kanon.anonymize(loaded, t, **options), progress)
    return Release((handle, loaded, grouping), table, dict(numeric=table_form, threads=threads, **order), index)


@arguments.checked
def improve(table: Any, groups: Any = None, *, release: Any = None, k: int | None = None,
            repair: bool = False, refine: str | None = None, refine_settings: Mapping[str, Setting] | None = None,
            effort: Literal["fast", "balanced", "best"] | None = None, moves: int | None = None,
            time_limit: float | None = None, suppress: float | str | None = None,
            numeric: Literal["columns", "interval", "mean"] = "columns",
            shuffle: bool = False, shuffle_seed: int | None = None, seed: int = 0, threads: int = 0, memory: int | str = 0,
            strict: bool = False, index: Index = "error", progress: Progress = None,
            **said: Unpack[Said]) -> Release:  # fmt: skip
    """Improves an existing grouping, from any tool. The result never loses more than it started with.

    ``groups`` are the number of the group of each record, 0 for a suppressed one, or an earlier :class:`Release` of the
    table. ``release`` instead: a release of the table by any tool, a table or the path of a file, its records in the same
    order, or with the columns of ``key``, which say which record each row is; records that it lacks are suppressed. Groups
    that do not satisfy what is required are refused, or with ``repair`` changed as little as possible.

    >>> import pykanon
    >>> people = {"age": [23, 41, 25, 44]}
    >>> better = pykanon.improve(people, [1, 1, 2, 2], quasi="age", k=2)
    >>> better.table.column("age_max").to_pylist()
    [25, 44, 25, 44]

    Returns:
        A :class:`Release`, as of :func:`anonymize`.

    Raises:
        UsageError: an argument is wrong, or the groups are not of this table.
        InfeasibleError: the groups do not satisfy what is required, and ``repair`` is not set.
    """
    if (groups is None) == (release is None):
        raise UsageError("give the groups to begin with: either groups or release")
    given = dict(locals()) | said
    return _anonymize(table, given, index, progress, lambda handle, loaded: _start(handle, loaded, groups, release))


def _start(handle: Any, loaded: Any, groups: Any, release: Any) -> Any:
    """The handle of the groups to begin with."""
    if release is not None:
        given = frames.release_of(release, "drop")
        return run.call(lambda t: _kanon.grouping_from_release(loaded, handle, given))
    numbers = groups.groups if isinstance(groups, Release) else groups
    try:
        found = array.array("q", [operator.index(g) for g in numbers])
    except (TypeError, OverflowError) as wrong:
        raise UsageError("groups has a whole number for each record, 0 for a suppressed one") from wrong
    rows = _kanon.table_describe(loaded)[0]
    if len(found) != rows:
        raise UsageError(f"groups has {len(found)} numbers, and the table {rows} records")
    return _kanon.grouping_new(loaded, found.tobytes())


@arguments.checked
def check(table: Any, *, k: int | None = None, risk_threshold: float | None = None, original: Any = None,
          earlier: Any = None, population: Any = None, index: Index = "drop",
          progress: Progress = None, **said: Unpack[Said]) -> Check:  # fmt: skip
    """What a release really satisfies, whichever tool made it.

    Every column of the release needs a role, or ``default_role="insensitive"``. Cells that differ are different, unless
    ``same`` says that texts are one: ``same=[("?", "NA")]``.

    >>> import pykanon
    >>> released = {"age": ["[20..29]", "[20..29]", "35"], "disease": ["flu", "cold", "flu"]}
    >>> found = pykanon.check(released, quasi=["age"], sensitive=["disease"], k=2)
    >>> bool(found), found["k"]
    (False, 1)

    With ``original``, the table that it was made of, each record is compared with its row (by ``key``, in order, or as a
    multiset) and persons are counted; ``earlier`` are one or several releases before it; ``population`` are people of whom
    somebody may know the quasi-identifiers. Each is a table, the path of a file, or its bytes.

    >>> patients = {"age": [23, 28, 35], "disease": ["flu", "cold", "flu"]}
    >>> pykanon.check(released, original=patients, quasi=["age"], sensitive=["disease"]).findings[0]["sentence"]
    'compared with the 3 records of the original row by row, in the order of the table'

    Returns:
        A :class:`Check`: true if everything that was required holds; ``violated`` are sentences about what does not, and
        ``findings`` what the other tables show.

    Raises:
        UsageError: an argument is wrong.
        DataError: a quasi-identifier is not in the release.
    """
    handle = schema.make(**said)
    options: dict[str, Any] = dict(k=arguments.size_of_groups(k))
    options["risk_threshold"] = 0.0 if risk_threshold is None else float(risk_threshold)
    dropped = arguments.index(index, False)
    several = [] if earlier is None else list(earlier) if isinstance(earlier, (list, tuple)) else [earlier]
    options["key"] = schema.names(said.get("key"), "key")
    for name, given in (("original", original), ("population", population)):
        options[name] = None if given is None else frames.release_of(given, dropped)
    options["earlier"] = [frames.release_of(given, dropped) for given in several]
    stream = frames.stream_of_release(table, dropped)
    return Check(run.call(lambda t: _kanon.check(handle, stream, t, **options), progress))


@arguments.checked
def evaluate(table: Any, release: Any = None, *, groups: Any = None, k: int | None = None,
             measure_settings: Mapping[str, Setting] | None = None, from_certificate: Path | None = None, threads: int = 0,
             strict: bool = False, index: Index = "drop", progress: Progress = None, **said: Unpack[Said]) -> Measures:  # fmt: skip
    """What a release of ``table`` loses, whichever tool made it: a table or the path of a file, or ``groups`` of its records.

    The records of a release may be in any order; those that it lacks count as suppressed. ``groups`` are the number of the
    group of each record, or a :class:`Release`: they have all measures, and settings of them.

    >>> import pykanon
    >>> people = {"age": [23, 25, 41, 44]}
    >>> by_another_tool = {"age": ["20-29", "20-29", "40-49", "40-49"]}
    >>> pykanon.evaluate(people, by_another_tool, quasi="age")["unknown_cells"]
    0

    Returns:
        :class:`Measures`: figures by name, such as ``["information_loss"]``.

    Raises:
        UsageError: an argument is wrong.
        DataError: a quasi-identifier is not in the release, or it has more records than the table.
    """
    if (groups is None) == (release is None):
        raise UsageError("give what is measured: either release or groups")
    handle, loaded = load(table, progress, index, threads, 0, strict, said)
    options: dict[str, Any] = dict(
        settings=arguments.settings(measure_settings, "measure_settings"), k=arguments.size_of_groups(k), threads=threads
    )
    if groups is None:
        if from_certificate is not None:
            raise UsageError("a certificate is compared with groups, not with a release", "Give groups.")
        given = frames.release_of(release, arguments.index(index, False))
        return Measures(run.call(lambda t: _kanon.evaluate_release(loaded, handle, given, t, **options), progress))
    start, proof = _start(handle, loaded, groups, None), None if from_certificate is None else os.fspath(from_certificate)
    return Measures(run.call(lambda t: _kanon.evaluate(loaded, start, t, certificate=proof, **options), progress))


@arguments.checked
def bound(table: Any, *, k: int | None = None, time_limit: float | None = None, rounds: int = 0, certificate: Path | None = None,
          threads: int = 0, strict: bool = False, index: Index = "drop", progress: Progress = None,
          **said: Unpack[Said]) -> Bound:  # fmt: skip
    """A proven lower bound on the information loss of every grouping without suppression.

    >>> import pykanon
    >>> people = {"age": [23, 25, 41, 44]}
    >>> release = pykanon.anonymize(people, k=2, quasi="age")
    >>> pykanon.bound(people, k=2, quasi="age").lower_bound <= release.measures["information_loss"]
    True

    Returns:
        A :class:`Bound`; its ``lower_bound`` is what no grouping can go below.

    Raises:
        UsageError: an argument is wrong, or k is missing.
        InfeasibleError: the table has fewer than k records.
    """
    options: dict[str, Any] = dict(k=arguments.size_of_groups(k), rounds=arguments.whole(rounds, "rounds"))
    options |= dict(seconds=arguments.number(time_limit, "time_limit"), threads=threads)
    proof = None if certificate is None else os.fspath(certificate)
    _, loaded = load(table, progress, index, threads, 0, strict, said)
    return Bound(run.call(lambda t: _kanon.bound(loaded, t, certificate=proof, **options), progress))


@arguments.checked
def check_certificate(table: Any, certificate: Any, *, threads: int = 0, strict: bool = False, index: Index = "drop",
                      progress: Progress = None, **said: Unpack[Said]) -> Certificate:  # fmt: skip
    """Whether a certificate that :func:`bound` wrote proves its lower bound for this table, with code of its own.

    ``certificate`` is the path of the file, or its bytes.

    >>> import pykanon, tempfile, os
    >>> people, path = {"age": [23, 25, 41, 44]}, os.path.join(tempfile.mkdtemp(), "bound.json")
    >>> found = pykanon.bound(people, k=2, quasi="age", certificate=path)
    >>> bool(pykanon.check_certificate(people, path, quasi="age"))
    True

    Returns:
        A :class:`Certificate`: true if the bound is proved; ``reason`` says why it is not.

    Raises:
        DataError: the file is not a certificate at all.
    """
    given = certificate if isinstance(certificate, bytes) else os.fspath(certificate)
    _, loaded = load(table, progress, index, threads, 0, strict, said)
    return Certificate(run.call(lambda t: _kanon.certificate_check(loaded, given, t, threads), progress))


@arguments.checked
def tradeoff(table: Any, *, k: int | Iterable[int] = (2, 5, 10, 25, 50, 100), suppress: float | Iterable[float] = (),
             algorithm: str | None = None, settings: Mapping[str, Any] | None = None, refine: str | None = None,
             effort: Literal["fast", "balanced", "best"] | None = None,
             measure_settings: Mapping[str, Setting] | None = None, seed: int = 0, threads: int = 0,
             page: Path | None = None, strict: bool = False, index: Index = "drop", progress: Progress = None,
             **said: Unpack[Said]) -> Curve:  # fmt: skip
    """The curve of loss against risk over several ``k``.

    >>> import pykanon
    >>> people = {"age": list(range(20, 60))}
    >>> [point["k"] for point in pykanon.tradeoff(people, k=[2, 4], quasi="age").optimal()]
    [2, 4]

    Returns:
        A :class:`Curve`: a list of points, each a dict with k, its figures and whether another point beats it.

    Raises:
        UsageError: an argument is wrong.
        InfeasibleError: not one of the points can be reached.
    """
    given: dict[str, Any] = dict(
        k=",".join(str(arguments.size_of_groups(one)) for one in _several(k)),
        suppress=",".join(arguments.share(one) or "" for one in _several(suppress)) or None,
        algorithm=arguments.text(algorithm, "algorithm"), settings=arguments.settings(settings),
        measure_settings=arguments.settings(measure_settings, "measure_settings"),
        refine=arguments.text(refine, "refine"), effort=effort, seed=arguments.seed(seed), threads=threads,
        plot=None if page is None else os.fspath(page),
    )  # fmt: skip
    _, loaded = load(table, progress, index, threads, 0, strict, said)
    points = run.call(lambda t: _kanon.tradeoff(loaded, t, **given), progress)
    return Curve(map(_point, points))


def _several(value: Any) -> Iterable[Any]:
    """One value, or several."""
    return value if isinstance(value, Iterable) and not isinstance(value, str) else (value,)


def _point(point: dict[str, Any]) -> dict[str, Any]:
    figures = {name: value for name, column, value, _ in point["figures"] if column is None}
    k = int(point["settings"]["k"])
    own = {"k": k, "settings": point["settings"], "result": point["result"], "from_k": point["from_k"] or k}
    return {**own, **figures}
