"""The work of tasks: iterators of Arrow batches in, iterators of Arrow batches out (``mapInArrow``).

Each is a function of its rows and of the plan. Nothing depends on the number of a partition or of an attempt, on the order in
which batches arrive, or on which executor runs it: a task that is run twice gives the same bytes twice.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pyarrow as pa

from pykanon import _kanon, frames
from pykanon.errors import Error, InternalError, UsageError
from pykanon.spark.plan import BLOCK, BYTES, GROUP, PLACE, SLOT, Opened, Plan, opened

Batches = Iterator[pa.RecordBatch]

#: So many rows are read at a time where a task need not see all of its rows at once.
PIECE = 100_000

#: What a task that fails says, in one line of its traceback; ``failure_in`` finds it there.
MARK = "kanon-failure:"


class TaskFailure(Exception):
    """An error of the library on its way to the driver."""


def failure_in(text: str) -> tuple[str, str, str, str] | None:
    """Class, message, hint and topic of an error that a task met, from the text of Spark's exception."""
    _, found, rest = text.partition(MARK)
    if not found:
        return None
    try:
        kind, message, hint, topic = json.JSONDecoder().raw_decode(rest)[0]
    except ValueError:
        return None
    return kind, message, hint, topic


def told(task: Callable[..., Batches]) -> Callable[..., Batches]:
    """Errors of the library leave the task as one line that the driver can read."""

    @functools.wraps(task)
    def guarded(*args: Any) -> Batches:
        try:
            yield from task(*args)
        except Error as problem:
            parts = [type(problem).__name__, problem.message, problem.hint, problem.topic]
            raise TaskFailure(MARK + json.dumps(parts)) from None

    return guarded


# ---- rows --------------------------------------------------------------------------------------------------------------


def _pieces(batches: Batches) -> Iterator[pa.Table]:
    """The rows of a task, some at a time."""
    held: list[pa.RecordBatch] = []
    n = 0
    for batch in batches:
        if batch.num_rows > 0:
            held.append(batch)
            n += batch.num_rows
        if n >= PIECE:
            yield pa.Table.from_batches(held)
            held, n = [], 0
    if held:
        yield pa.Table.from_batches(held)


def _blocks(batches: Batches) -> Iterator[tuple[int, pa.Table]]:
    """The rows of a task block by block; they come sorted by block. Only one block is held at a time."""
    held: list[pa.RecordBatch] = []
    now, ended = -1, set()
    for batch in batches:
        blocks = batch.column(BLOCK).to_numpy(zero_copy_only=False)
        if len(blocks) == 0:
            continue
        borders = [0, *(np.flatnonzero(np.diff(blocks)) + 1).tolist(), len(blocks)]
        for begin, end in zip(borders, borders[1:]):
            block = int(blocks[begin])
            if block != now:
                if held:
                    yield now, pa.Table.from_batches(held)
                ended.add(now)
                if block in ended:
                    raise InternalError("the rows of a block did not come together")
                held, now = [], block
            held.append(batch.slice(begin, end - begin))
    if held:
        yield now, pa.Table.from_batches(held)


def place_bytes(rows: pa.Table) -> bytes:
    return bytes(rows.column(PLACE).to_numpy().astype("<i8", copy=False).tobytes())


def complete(rows: pa.Table, plan: Plan) -> pa.Table:
    """All columns of the table in its order. Those that did not travel hold nulls: their cells are not looked at."""
    nothing = pa.nulls(rows.num_rows)
    return pa.table({c: rows.column(c) if c in rows.column_names else nothing for c in plan.columns})


def load(rows: pa.Table, o: Opened) -> Any:
    """A table of the library: a part of the whole, in the domain of the whole."""
    stream = complete(rows, o.plan).__arrow_c_stream__()
    return _kanon.table_import(
        o.schema, stream, _kanon.ticker_new(), threads=1, strict=o.plan.recipe.strict, domain=o.domain
    )


# ---- what is merged ----------------------------------------------------------------------------------------------------


def _bytes_batch(pieces: list[bytes]) -> pa.RecordBatch:
    return pa.RecordBatch.from_arrays([pa.array(pieces, pa.large_binary()).cast(pa.binary())], [BYTES])


def fold(into: Any, other: Any) -> Any:
    """The merge of two, where the first may be None."""
    if into is None:
        return other
    _kanon.piece_merge(into, other)
    return into


@told
def merge(plan: Plan, batches: Batches) -> Batches:
    """One object of the many that come in."""
    merged = None
    domain = opened(plan).domain
    for batch in batches:
        for piece in batch.column(BYTES):
            merged = fold(merged, _kanon.piece_read(piece.as_py(), domain))
    if merged is not None:
        yield _bytes_batch([_kanon.piece_write(merged)])


# ---- rows that several stages read -------------------------------------------------------------------------------------


@told
def shrink(batches: Batches) -> Batches:
    """The rows of a task in few pieces, each a stream of Arrow: what domain and cuts read many times, Spark converts once.

    Texts are stored as codes with a list of the distinct ones.
    """
    for rows in _pieces(batches):
        yield _bytes_batch([to_ipc(pa.table([_by_code(c) for c in rows.columns], rows.column_names), "lz4")])


def _by_code(column: pa.ChunkedArray) -> pa.ChunkedArray:
    is_text = pa.types.is_string(column.type) or pa.types.is_large_string(column.type)
    return column.combine_chunks().dictionary_encode() if is_text else column


def _shrunk(batches: Batches) -> Iterator[pa.Table]:
    """The pieces that ``shrink`` made. Texts are texts again: the library would take codes for categories."""
    for batch in batches:
        for piece in batch.column(BYTES):
            rows = from_ipc(piece.as_buffer())
            yield rows.cast(plain(rows.schema))


# ---- the stages --------------------------------------------------------------------------------------------------------


@told
def domain_of_part(plan: Plan, batches: Batches) -> Batches:
    """Stage 1: the distinct values of the rows, with counts and first places."""
    o = opened(plan)
    domain = None
    for rows in _shrunk(batches):
        stream = complete(rows, plan).__arrow_c_stream__()
        part = _kanon.domain_read(
            o.schema, stream, place_bytes(rows), _kanon.ticker_new(), threads=1, strict=plan.recipe.strict
        )
        domain = fold(domain, part)
    if domain is not None:
        yield _bytes_batch([_kanon.piece_write(domain)])


@told
def counts_of_part(plan: Plan, batches: Batches) -> Batches:
    """Stage 2: histograms of the parts that are still to be cut."""
    o = opened(plan)
    counts = None
    for rows in _shrunk(batches):
        counts = fold(counts, _kanon.cuts_count(o.cuts, load(rows, o)))
    if counts is not None:
        yield _bytes_batch([_kanon.piece_write(counts)])


@told
def route(plan: Plan, slots: list[int], batches: Batches) -> Batches:
    """Stage 3: the block of each row, and the slot that brings it to the task of that block."""
    o = opened(plan)
    slot_of_block = np.array(slots, np.int32)
    for rows in _pieces(batches):
        blocks = np.frombuffer(_kanon.cuts_block_of(o.cuts, load(rows, o)), np.int32)
        with_block = rows.append_column(BLOCK, pa.array(blocks))
        yield from with_block.append_column(SLOT, pa.array(slot_of_block[blocks % len(slots)])).to_batches()


@told
def group(plan: Plan, batches: Batches) -> Batches:
    """Stage 4: the group of each row of a block, and in a row of its own what placing the records left over needs."""
    o = opened(plan)
    sizes = _kanon.cuts_describe(o.cuts)[2]
    for block, rows in _blocks(batches):
        if rows.num_rows != sizes[block]:
            raise InternalError("a block has lost records, or has some twice")
        places = rows.column(PLACE).to_numpy()
        if not (np.diff(places) > 0).all():
            raise InternalError("the records of a block are not in order")
        table = load(rows, o)
        grouping = _kanon.block_group(table, o.cuts, block, _kanon.ticker_new(), **plan.options)
        if _kanon.grouping_describe(grouping)[2] > 0:
            raise UsageError(
                "the algorithm suppresses records, which Spark does not do",
                "Leave out the setting that makes it do so, or choose another algorithm.",
            )
        groups = _kanon.block_groups_new(table, grouping, o.cuts, block, place_bytes(rows))
        numbers = pa.array(np.frombuffer(_kanon.grouping_rows(grouping), np.int64))
        yield from _with_bytes(rows.drop_columns([SLOT]).append_column(GROUP, numbers), None)
        yield from _with_bytes(_blank(rows.schema, block), _kanon.piece_write(groups))


def _blank(columns: pa.Schema, block: int) -> pa.Table:
    """A row for the bytes of a block: it has no values."""
    own = {BLOCK: pa.array([block], pa.int32()), PLACE: pa.array([None], pa.int64())}
    values = {f.name: own.get(f.name, pa.nulls(1, f.type)) for f in columns if f.name != SLOT}
    return pa.table({**values, GROUP: pa.array([-1], pa.int64())})


def _with_bytes(rows: pa.Table, content: bytes | None) -> list[pa.RecordBatch]:
    column = pa.nulls(rows.num_rows, pa.binary()) if content is None else pa.array([content], pa.binary())
    batches: list[pa.RecordBatch] = rows.append_column(BYTES, column).to_batches(max_chunksize=PIECE)
    return batches


@told
def rest_of_blocks(plan: Plan, batches: Batches) -> Batches:
    """Stage 5: the records that blocks left over."""
    o = opened(plan)
    rest = None
    for batch in batches:
        for piece in batch.column(BYTES):
            groups = _kanon.piece_read(piece.as_py(), o.domain)
            rest = fold(rest, _kanon.rest_new(groups))
    if rest is not None:
        yield _bytes_batch([_kanon.piece_write(rest)])


@told
def offers_of_blocks(plan: Plan, rest_bytes: bytes, batches: Batches) -> Batches:
    """Stage 5: the groups that blocks offer to them."""
    o = opened(plan)
    rest = _kanon.piece_read(rest_bytes, o.domain)
    offers = None
    for batch in batches:
        for piece in batch.column(BYTES):
            groups = _kanon.piece_read(piece.as_py(), o.domain)
            offers = fold(offers, _kanon.rest_offer(rest, groups))
    if offers is not None:
        yield _bytes_batch([_kanon.piece_write(offers)])


@told
def pack(batches: Batches) -> Batches:
    """Rows as bytes of an Arrow stream, to be collected with their types."""
    for batch in batches:
        if batch.num_rows > 0:
            yield _bytes_batch([to_ipc(pa.Table.from_batches([batch]))])


def to_ipc(rows: pa.Table, compression: str | None = None) -> bytes:
    """A table as bytes."""
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, rows.schema, options=pa.ipc.IpcWriteOptions(compression=compression)) as writer:
        writer.write_table(rows)
    return bytes(sink.getvalue().to_pybytes())


def from_ipc(content: bytes | pa.Buffer) -> pa.Table:
    """The table that ``to_ipc`` wrote."""
    return pa.ipc.open_stream(content).read_all()


@told
def release(plan: Plan, arrivals: dict[int, bytes], expected: list[int], batches: Batches) -> Batches:
    """Stage 6: the release of each block, checked by the library as it is made, and in a row of its own its figures.

    ``arrivals`` are the records left over that join a group of this block, ``expected`` how many records it has then.
    """
    o = opened(plan)
    target = pa.ipc.read_schema(pa.py_buffer(plan.target))
    for block, rows in _blocks(batches):
        whole = rows.filter(pa.compute.greater(rows.column(GROUP), 0))
        if block in arrivals:
            joined = from_ipc(arrivals[block]).select(whole.column_names)
            whole = pa.concat_tables([whole, joined.cast(whole.schema)]).sort_by(PLACE)
        if whole.num_rows != expected[block]:
            raise InternalError("a block has lost records, or has some twice")
        if whole.num_rows == 0:
            continue
        table = load(whole, o)
        numbers = whole.column(GROUP).to_numpy().astype("<i8", copy=False).tobytes()
        grouping = _kanon.grouping_new(table, bytes(numbers))
        if _kanon.grouping_describe(grouping)[3] < plan.options["k"]:
            raise InternalError("a group has fewer than k records")
        released = released_rows(table, grouping, plan.numeric, target)
        yield from _with_bytes(released.append_column(PLACE, whole.column(PLACE)), None)
        figures = _kanon.piece_write(_kanon.tally_new(table, grouping))
        blank = pa.table({f.name: pa.nulls(1, f.type) for f in target})
        yield from _with_bytes(blank.append_column(PLACE, pa.nulls(1, pa.int64())), figures)


def released_rows(table: Any, grouping: Any, numeric: int, target: pa.Schema | None = None) -> pa.Table:
    """The release as Spark can take it: no dictionaries, times in microseconds. It has been checked when it arrives here."""
    stream = _kanon.release(table, grouping, _kanon.ticker_new(), numeric=numeric, threads=1)
    found = pa.table(frames.Stream(stream))
    return found.cast(plain(found.schema) if target is None else target)


def plain(columns: pa.Schema) -> pa.Schema:
    """The types of a release in Spark."""

    def of(kind: pa.DataType) -> pa.DataType:
        if pa.types.is_dictionary(kind):
            return of(kind.value_type)
        if pa.types.is_timestamp(kind):
            return pa.timestamp("us", kind.tz)
        return kind

    return pa.schema([pa.field(f.name, of(f.type)) for f in columns])
