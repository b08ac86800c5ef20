"""Tables of other libraries: as Arrow streams on the way in, and as the kind that came in on the way out.

Whatever has ``__arrow_c_stream__`` is read without a copy. The libraries themselves are imported only if an object of
theirs comes in.
"""

from __future__ import annotations

import importlib
import os
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from pykanon.errors import DataError, UsageError


class Stream:
    """An Arrow stream of the library, to be read once by anything that knows the Arrow PyCapsule interface."""

    def __init__(self, capsule: Any) -> None:
        self._capsule = capsule

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        # A requested schema is declined, as the interface allows: the types are those of the release.
        capsule, self._capsule = self._capsule, None
        if capsule is None:
            raise UsageError("the stream was read before", "Ask for a new one.")
        return capsule


def kind_of(table: Any) -> str:
    """``pandas``, ``polars``, ``pyarrow``, ``duckdb``, ``numpy`` or ``arrow`` (anything else with a stream)."""
    for kind in type(table).__mro__:  # a GeoDataFrame is a frame of pandas
        module = kind.__module__.partition(".")[0].lstrip("_")
        if module in ("pandas", "polars", "pyarrow", "duckdb", "numpy"):
            return module
    return "arrow"


def _nothing(column: str) -> bool:
    return False


def stream_of(table: Any, index: str = "error", is_withheld: Callable[[str], bool] = _nothing) -> Any:
    """A capsule with the stream of a table. A path is not a table: files are read by the program or by other libraries.

    A column that Arrow cannot hold is refused unless it is withheld, such as one of Python objects.
    """
    kind = kind_of(table)
    if kind == "pandas":
        table = _from_pandas(table, index, is_withheld)
    elif kind == "numpy":
        table = _from_numpy(table, is_withheld)
    elif kind == "duckdb":
        table = _from_duckdb(table)
    elif isinstance(table, Mapping):
        table = _from_columns(dict(table), "a dict of columns", is_withheld)
    if not hasattr(table, "__arrow_c_stream__"):
        hint = "Give a DataFrame, a relation, or anything that has __arrow_c_stream__."
        if isinstance(table, (str, os.PathLike)):
            hint = "Read the file first: pandas.read_csv(path, dtype={\"zip\": str}), pyarrow.parquet.read_table(path), ..."
        elif isinstance(table, (list, tuple)):
            hint = "Make a frame of the rows: pandas.DataFrame(rows)"
        elif type(table).__name__ == "LazyFrame":
            hint = "Give a DataFrame: frame.collect()"
        raise UsageError(f"{_a(table)} is not a table", hint)
    return table.__arrow_c_stream__()


def _a(thing: Any) -> str:
    name = type(thing).__name__
    return f"{'an' if name[:1].lower() in 'aeiou' else 'a'} {name}"


def stream_of_release(table: Any, index: str) -> Any:
    """A capsule with a release of any tool: intervals of pandas, such as ``pd.cut`` makes, are read as texts."""
    if kind_of(table) == "pandas" and hasattr(table, "columns"):
        pandas = importlib.import_module("pandas")
        kinds = {c: getattr(table[c].dtype, "categories", table[c]).dtype for c in table.columns[~table.columns.duplicated()]}
        cuts = [c for c, dtype in kinds.items() if isinstance(dtype, pandas.IntervalDtype)]
        table = table.assign(**{c: table[c].astype(object).map(str, na_action="ignore") for c in cuts}) if cuts else table
    return stream_of(table, index)


def release_of(release: Any, index: str) -> Any:
    """A release of any tool for the library: the path of its file, its bytes, or a capsule."""
    if isinstance(release, (str, os.PathLike)):
        return os.fspath(release)
    return release if isinstance(release, bytes) else stream_of_release(release, index)


def texts_of(table: Any, column: str) -> list[str | None]:
    """The values of a column as the library writes them; None is no value."""
    pyarrow = _pyarrow("a table in memory")
    whole = pyarrow.table(Stream(stream_of(table, "drop")))
    if column not in whole.column_names:
        raise DataError(f"{column}: the table has no such column")
    values = whole.column(column)
    if pyarrow.types.is_dictionary(values.type):
        values = values.cast(values.type.value_type)
    texts: list[str | None] = values.cast(pyarrow.string()).to_pylist()
    return texts


def _pyarrow(what: str) -> Any:
    try:
        import pyarrow
    except ImportError:
        raise UsageError(f"{what} needs pyarrow", "Install it: pip install pyarrow") from None
    return pyarrow


def _from_pandas(frame: Any, index: str, is_withheld: Callable[[str], bool]) -> Any:
    """The columns of a frame. Its index is not a column; one that has a name, or is not of whole numbers, may name persons."""
    if type(frame).__name__ == "Series":
        raise UsageError("a Series is not a table", "Give a DataFrame: series.to_frame()")
    if not hasattr(frame, "columns"):
        raise UsageError(f"{_a(frame)} is not a table", "Give a DataFrame.")
    if index == "error" and not _is_plain(frame.index):
        raise UsageError(
            "the frame has an index of its own, which would be lost",
            "Say index='keep' or index='drop', or make it a column with reset_index().",
        )
    twice = sorted({str(c) for c in frame.columns if list(frame.columns).count(c) > 1})
    if twice:
        raise DataError(f"columns with the same name: {', '.join(twice)}", "Rename them.")
    odd = [c for c in frame.columns if not isinstance(c, str)]
    if odd:
        raise DataError(f"{len(odd)} column name{'s are not texts' if len(odd) > 1 else ' is not a text'}", "Rename them: df.columns = df.columns.map(str)")
    pyarrow = _pyarrow("pandas")
    refused: list[str] = []
    try:
        arrow = pyarrow.Table.from_pandas(frame, preserve_index=False)
    except _refusals(pyarrow):
        refused = _refused(pyarrow, {c: frame[c] for c in frame.columns}, is_withheld)
        arrow = pyarrow.Table.from_pandas(frame.drop(columns=refused), preserve_index=False)
    odd = [field.name for field in arrow.schema if isinstance(field.type, pyarrow.BaseExtensionType)]
    shown = [name for name in odd if not is_withheld(name)]
    if shown:  # their storage is something else: a period would be released as a number of months
        raise DataError(f"columns of a type that is not supported: {', '.join(shown)}", "Make texts or timestamps of them.")
    hidden = {*refused, *odd}
    if not hidden:
        return arrow
    return pyarrow.table({c: _unread(pyarrow, len(frame)) if c in hidden else arrow.column(c) for c in frame.columns})


def _from_columns(columns: dict[Any, Any], what: str, is_withheld: Callable[[str], bool]) -> Any:
    pyarrow = _pyarrow(what)
    try:
        return pyarrow.table(columns)
    except _refusals(pyarrow):
        lengths = {len(values) for values in columns.values()}
        if len(lengths) > 1:
            raise DataError("the columns are not equally long", "Give each column a value for each record.") from None
        hidden = _refused(pyarrow, columns, is_withheld)
    return pyarrow.table({c: _unread(pyarrow, len(v)) if c in hidden else v for c, v in columns.items()})


def _refusals(pyarrow: Any) -> tuple[type[BaseException], ...]:
    """What pyarrow raises about values: a text may be none in any encoding."""
    return pyarrow.ArrowException, OverflowError, UnicodeError


def _unread(pyarrow: Any, n: int) -> Any:
    """In place of a column that nobody reads: of a type that the library refuses if it is to be read after all."""
    return pyarrow.nulls(n, pyarrow.list_(pyarrow.null()))


def _refused(pyarrow: Any, columns: Mapping[Any, Any], is_withheld: Callable[[str], bool]) -> list[str]:
    """The columns that Arrow refuses, if all of them are withheld. Its own message, which would show a value, must not reach
    a traceback."""

    def is_refused(values: Any) -> bool:
        try:
            pyarrow.array(values, from_pandas=True)
        except _refusals(pyarrow):
            return True
        return False

    refused = [c for c, values in columns.items() if is_refused(values)]
    shown = [str(c) for c in refused if not is_withheld(c)]
    if shown or not refused:
        raise DataError(
            f"a column holds values of several types, or of one that is not known: {', '.join(shown) or 'unknown'}",
            "Give each column one type.",
        ) from None
    return refused


def _is_plain(index: Any) -> bool:
    """Whole numbers without a name: what pandas makes by itself, and what is left of it in a filtered or sorted frame."""
    return index.nlevels == 1 and index.name is None and index.dtype.kind in "iu"


def _from_numpy(records: Any, is_withheld: Callable[[str], bool]) -> Any:
    if records.dtype.names is None:
        hint = 'Name its columns: pandas.DataFrame(array, columns=["age", "zip"])'
        raise UsageError("an array without named fields is not a table", hint)
    return _from_columns({name: records[name] for name in records.dtype.names}, "a structured array", is_withheld)


def _from_duckdb(relation: Any) -> Any:
    if hasattr(relation, "__arrow_c_stream__"):
        return relation
    reader = getattr(relation, "fetch_arrow_reader", None) or getattr(relation, "fetch_record_batch", None)
    if reader is None:
        raise UsageError("this object of duckdb is not a relation", "Give a relation: duckdb.sql('...')")
    return reader()


#: What a release can be made into.
KINDS = ("arrow", "duckdb", "numpy", "pandas", "polars", "pyarrow")


def check_kind(kind: str) -> None:
    """An error unless ``kind`` is known and its library is there: before a release is made, not after it."""
    if kind not in KINDS:
        raise UsageError(f"kind is one of {', '.join(map(repr, KINDS))}")
    for name in (kind, "pyarrow") if kind in ("pandas", "duckdb", "numpy") else (kind,) if kind != "arrow" else ():
        try:
            importlib.import_module(name)
        except ImportError:
            raise UsageError(f"{name} is not installed", f"Install it: pip install {name}") from None


def same_kind(capsule: Any, original: Any, index: str = "error", groups: Any = None) -> Any:
    """The stream as the kind of table that ``original`` is; pyarrow or a stream where that is not known. ``groups``: of the
    records of ``original``, where those of group 0 may not be in the stream."""
    kind = "pyarrow" if isinstance(original, Mapping) else kind_of(original)
    return as_kind(capsule, kind, original, index, groups)


def as_kind(capsule: Any, kind: str, original: Any = None, index: str = "error", groups: Any = None) -> Any:
    """The stream as a table of that kind."""
    stream = Stream(capsule)
    if kind == "pandas":
        return _to_pandas(stream, original, index, groups)
    if kind == "polars":
        return _to_polars(stream, original)
    if kind == "duckdb":
        return importlib.import_module("duckdb").from_arrow(_pyarrow("duckdb").table(stream))
    if kind == "numpy":
        return _pyarrow("numpy").table(stream).to_pandas().to_records(index=False)
    return _in_zones(_pyarrow("pyarrow").table(stream), original) if kind == "pyarrow" else stream


def _to_polars(stream: Stream, original: Any) -> Any:
    polars = importlib.import_module("polars")
    frame = polars.DataFrame(stream)
    was = original.schema if kind_of(original) == "polars" else {}
    times = {c: was[c] for c, dtype in frame.schema.items() if isinstance(dtype, polars.Datetime) and dtype != was.get(c, dtype)}
    return frame.with_columns(polars.col(c).cast(dtype) for c, dtype in times.items()) if times else frame


def _time_types(names: Iterable[str], original: Any) -> dict[str, Any]:
    """The Arrow types that columns had: the means of times come from the library as seconds and as UTC."""
    kind = "dict" if isinstance(original, Mapping) else None if original is None else kind_of(original)
    pyarrow = _pyarrow("times")
    if kind == "pandas":
        return {c: pyarrow.array(original[c].iloc[:1]).type for c in names if c in original.columns}
    if kind == "dict":
        return {c: pyarrow.array(original[c]).type for c in names if c in original}
    if kind == "pyarrow" and hasattr(original, "schema"):
        return {c: original.schema.field(c).type for c in names if c in original.schema.names}
    return {}


def _in_zones(table: Any, original: Any) -> Any:
    """The same instants, shown in the zones and units that their columns had."""
    is_time = _pyarrow("times").types.is_timestamp
    wanted = _time_types([field.name for field in table.schema if is_time(field.type)], original)
    for i, field in enumerate(table.schema):
        was = wanted.get(field.name)
        if was is not None and is_time(was) and was != field.type and (was.tz is None) == (field.type.tz is None):
            table = table.set_column(i, field.with_type(was), table.column(i).cast(was))
    return table


def _to_pandas(stream: Any, original: Any, index: str, groups: Any = None) -> Any:
    """A frame. Whole numbers with nulls become Int64 and booleans boolean, where pandas alone would make floats of them."""
    pyarrow, pandas = _pyarrow("pandas"), importlib.import_module("pandas")
    table = _in_zones(pyarrow.table(stream), original)
    nullable = {
        pyarrow.int8(): pandas.Int8Dtype(),
        pyarrow.int16(): pandas.Int16Dtype(),
        pyarrow.int32(): pandas.Int32Dtype(),
        pyarrow.int64(): pandas.Int64Dtype(),
        pyarrow.uint8(): pandas.UInt8Dtype(),
        pyarrow.uint16(): pandas.UInt16Dtype(),
        pyarrow.uint32(): pandas.UInt32Dtype(),
        pyarrow.uint64(): pandas.UInt64Dtype(),
        pyarrow.bool_(): pandas.BooleanDtype(),
    }
    arrow_kept = {c for c in (() if original is None else original.columns) if type(original[c].dtype).__name__ == "ArrowDtype"}
    with_nulls = {n for n in table.column_names if table.column(n).null_count > 0}
    known = () if original is None else original.columns
    was_nullable = {c for c in known if "pandas" in type(original[c].dtype).__module__}
    frame = table.to_pandas(date_as_object=False)
    for name in table.column_names:
        dtype = nullable.get(table.schema.field(name).type)
        column = name if name in known else name.removesuffix("_min").removesuffix("_max")
        if column in arrow_kept:
            frame[name] = table.column(name).to_pandas(types_mapper=pandas.ArrowDtype)
        elif name in known and isinstance(original[name].dtype, pandas.StringDtype) and frame[name].dtype != original[name].dtype:
            frame[name] = frame[name].astype(original[name].dtype)
        elif dtype is not None and (name in with_nulls or name in was_nullable):
            frame[name] = table.column(name).to_pandas(types_mapper=nullable.get)
    for column in known:
        for name in (column, f"{column}_min", f"{column}_max"):
            if name in frame.columns and (name == column or name not in known):
                frame[name] = _own_categories(frame[name], original[column])
    if index == "keep" and len(frame) == len(original):
        frame.index = original.index
    elif index == "keep" and groups is not None:
        frame.index = original.index[[row for row, group in enumerate(groups) if group != 0]]
    return frame


def _own_categories(released: Any, original: Any) -> Any:
    """A released column with the categories that the original had, where these are no texts: 1 is released as ``"1"``."""
    if not hasattr(original, "cat") or not hasattr(released, "cat"):
        return released
    values = {str(value): value for value in original.cat.categories if not isinstance(value, str)}
    wanted = [values.get(name, name) for name in released.cat.categories]
    return released.cat.rename_categories(wanted) if len(set(map(str, wanted))) == len(wanted) else released
