"""Tables that change: a state keeps a table and its groups in one file, and every release stays k-anonymous."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from types import TracebackType
from typing import Any, TypeVar

from pykanon import _kanon, arguments, forms, frames, run
from pykanon.errors import UsageError
from pykanon.run import Progress

T = TypeVar("T")


class State:
    """A state that was made by ``Release.state`` or by the program. Every change is one transaction.

    >>> import pykanon, tempfile, os
    >>> people = {"id": ["1", "2", "3", "4"], "age": [23, 25, 41, 44]}
    >>> path = os.path.join(tempfile.mkdtemp(), "people.kanon")
    >>> first = pykanon.anonymize(people, quasi=["age"], identifying=["id"], key="id", k=2)
    >>> with first.state(path) as state:
    ...     state.insert({"id": ["5"], "age": [24]})["records"]
    5
    """

    def __init__(self, path: str | os.PathLike[str], wait_seconds: int = 0) -> None:
        place = os.fspath(path)
        self.path, self._ticker, self._lock = place, _kanon.ticker_new(), threading.RLock()
        self._handle: Any = None
        self._handle = self._call(lambda: _kanon.state_open(place, wait_seconds, self._ticker))

    def __enter__(self) -> State:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Closes the file. A state that is not closed is closed when it is collected."""
        self._handle = None

    def _open(self) -> Any:
        if self._handle is None:
            raise UsageError("the state is closed")
        return self._handle

    def _call(self, work: Callable[[], T], progress: Progress = None) -> T:
        """A call on the state: one at a time, with the ticker that it was opened with."""
        with self._lock:
            return run.call(lambda _: work(), progress, self._ticker)

    def _change(self, what: str, delta: Any, progress: Progress, **options: Any) -> tuple[dict[str, Any], bytes]:
        handle = self._open()
        stream = None if delta is None else frames.stream_of(delta, "drop")
        return self._call(lambda: _kanon.state_change(handle, what, stream, **options), progress)

    def insert(self, records: Any, *, grow_taxonomy: bool = False, joint_k: int = 0, again: bool = False,
               effort: str | None = None, progress: Progress = None) -> dict[str, Any]:  # fmt: skip
        """Each new record joins the group whose loss grows least. Returns what changed.

        Where a search made the groups, it looks for less loss around those that changed: ``effort`` says how much,
        ``"fast"`` (not at all), ``"balanced"`` or ``"best"``.

        Records that are those of the last change are refused, because a change that was made may look like one that was
        not; ``again`` says that they are meant.
        """
        return self._change("insert", records, progress, grow_taxonomy=grow_taxonomy, joint_k=joint_k, again=again,
                            effort=effort)[0]  # fmt: skip

    def delete(self, keys: Any, *, joint_k: int = 0, again: bool = False, effort: str | None = None,
               progress: Progress = None) -> dict[str, Any]:  # fmt: skip
        """The records with these keys go; groups that become too small are dispersed."""
        return self._change("delete", keys, progress, joint_k=joint_k, again=again, effort=effort)[0]

    def update(self, records: Any, *, grow_taxonomy: bool = False, joint_k: int = 0, effort: str | None = None,
               progress: Progress = None) -> dict[str, Any]:  # fmt: skip
        """The records with these keys get the values of the other columns."""
        return self._change("update", records, progress, grow_taxonomy=grow_taxonomy, joint_k=joint_k, effort=effort)[0]

    def optimize(self, *, progress: Progress = None) -> dict[str, Any]:
        """Makes the groups better."""
        return self._change("optimize", None, progress)[0]

    def release(self, path: str | os.PathLike[str] | None = None, *, kind: str | None = None, numeric: str | None = None,
                joint_k: int = 0, shuffle: bool = False, shuffle_seed: int | None = None,
                progress: Progress = None) -> Any:  # fmt: skip
        """Publishes what the state holds and records it as a release.

        With a ``path`` the release is a CSV file; without one it is returned. ``kind`` says as what: ``"pandas"``,
        ``"polars"``, ``"pyarrow"``, ``"duckdb"``, ``"arrow"`` (a stream), or, without it, the bytes of the CSV file. A
        state keeps texts: columns that are not quasi-identifiers come back as text. ``numeric`` is that of
        :func:`pykanon.anonymize` for tables, and ``interval``, ``range``, ``mean`` or ``columns`` for CSV. A release is
        recorded when it is complete, and only then returned.
        """
        order = arguments.order(shuffle, shuffle_seed)
        if kind is None:
            where = None if path is None else os.fspath(path)
            form = forms.of(numeric or "interval", forms.CSV)
            options = dict(path=where, want_release=True, joint_k=joint_k, numeric=form)
            return self._change("release", None, progress, **options, **order)[1]
        if path is not None:
            raise UsageError("a release has a path or a kind, not both")
        frames.check_kind(kind)
        handle, table_form = self._open(), forms.of(numeric or "columns", forms.TABLE)
        capsule = self._call(
            lambda: _kanon.state_release(handle, table_form, joint_k, **order), progress
        )[1]
        return frames.as_kind(capsule, kind)

    def describe(self) -> dict[str, Any]:
        """Checks every page, record and group of the file, and says what is in it."""
        handle = self._open()
        return self._call(lambda: _kanon.state_describe(handle))

    def audit(self, k: int = 0) -> dict[str, Any]:
        """What somebody who has all releases can tell apart."""
        handle = self._open()
        return self._call(lambda: _kanon.state_audit(handle, k))

    def __repr__(self) -> str:
        return f"<pykanon.State: {self.path}{' (closed)' if self._handle is None else ''}>"
