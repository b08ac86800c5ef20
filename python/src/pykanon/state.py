"""Tables that change: a state keeps a table and its groups in one file, and every release stays k-anonymous."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from types import TracebackType
from typing import Any, Literal, TypeVar

from pykanon import _kanon, arguments, forms, frames, run
from pykanon.errors import PrivacyWarning, UsageError
from pykanon.run import Progress

T = TypeVar("T")


def joint_size(joint_k: int | Literal["off"] | None) -> int:
    """As the library counts it: 0 is what the state says, -1 is off."""
    if joint_k is None:
        return 0
    if joint_k == "off":
        return -1
    if isinstance(joint_k, bool) or not isinstance(joint_k, int) or joint_k < 2:
        raise UsageError("joint_k must be a whole number, 2 or more, or 'off'")
    return joint_k


def _warn_of_audit(done: dict[str, Any]) -> None:
    """Classes that are too small with all releases, unless none may be: then there is no such release."""
    if done["joint_below"] == 0:
        return
    if done["joint_required"]:
        why = "they were before this release, which no release can change"
    else:
        why = "nothing was withheld, because joint_k is off"
    arguments.warn(
        f"those who have all {done['release']} releases can tell {done['joint_below']} records from fewer than "
        f"{done['joint_k'] - 1} others; {why}", PrivacyWarning)  # fmt: skip


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

    @arguments.checked
    def __init__(self, path: str | os.PathLike[str], wait_seconds: int = 0) -> None:
        place = os.fspath(path)
        self.path, self._ticker, self._lock = place, _kanon.ticker_new(), threading.RLock()
        self._handle: Any = None
        wait_seconds = arguments.whole(wait_seconds, "wait_seconds")
        self.last_change: dict[str, Any] = {}
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
        done, released = self._call(lambda: _kanon.state_change(handle, what, stream, **options), progress)
        self._note(done)
        return done, released

    def _note(self, done: dict[str, Any]) -> None:
        self.last_change = done
        if done["question"]:
            arguments.warn(f"{done['question']}; look whether columns are exchanged", UserWarning)
        if done["privacy"]:
            arguments.warn(done["privacy"], PrivacyWarning)
        _warn_of_audit(done)

    @arguments.checked
    def insert(self, records: Any, *, grow_taxonomy: bool = False, joint_k: int | Literal["off"] | None = None, again: bool = False,
               effort: Literal["fast", "balanced", "best"] | None = None, progress: Progress = None) -> dict[str, Any]:  # fmt: skip
        """Each new record joins the group whose loss grows least. Returns what changed.

        Where a search made the groups, it looks for less loss around those that changed: ``effort`` says how much,
        ``"fast"`` (not at all), ``"balanced"`` or ``"best"``.

        Records that are those of the last change are refused, because a change that was made may look like one that was
        not; ``again`` says that they are meant.
        """
        return self._change("insert", records, progress, grow_taxonomy=grow_taxonomy, joint_k=joint_size(joint_k), again=again,
                            effort=effort)[0]  # fmt: skip

    @arguments.checked
    def delete(self, keys: Any, *, joint_k: int | Literal["off"] | None = None, again: bool = False,
               effort: Literal["fast", "balanced", "best"] | None = None,
               progress: Progress = None) -> dict[str, Any]:  # fmt: skip
        """The records with these keys go; groups that become too small are dispersed."""
        return self._change("delete", keys, progress, joint_k=joint_size(joint_k), again=again, effort=effort)[0]

    @arguments.checked
    def update(self, records: Any, *, grow_taxonomy: bool = False, joint_k: int | Literal["off"] | None = None,
               effort: Literal["fast", "balanced", "best"] | None = None,
               progress: Progress = None) -> dict[str, Any]:  # fmt: skip
        """The records with these keys get the values of the other columns."""
        return self._change("update", records, progress, grow_taxonomy=grow_taxonomy, joint_k=joint_size(joint_k), effort=effort)[0]

    @arguments.checked
    def improve(self, *, refine: str | None = None, progress: Progress = None) -> dict[str, Any]:
        """Runs a refinement on the groups; the loss never rises. ``refine``: which one, ``"il-optimization"`` by default."""
        return self._change("improve", None, progress, refine=refine)[0]

    optimize = improve  # the name before 1.0

    @arguments.checked
    def release(self, path: str | os.PathLike[str] | None = None, *, kind: Literal["arrow", "duckdb", "numpy", "pandas", "polars", "pyarrow"] | None = None,
                numeric: Literal["interval", "range", "mean", "columns"] | None = None,
                joint_k: int | Literal["off"] | None = None, shuffle: bool = False, shuffle_seed: int | None = None,
                progress: Progress = None) -> Any:  # fmt: skip
        """Publishes what the state holds and records it as a release.

        With a ``path`` the release is a CSV file; without one it is returned. ``kind`` says as what: ``"pandas"``,
        ``"polars"``, ``"pyarrow"``, ``"duckdb"``, ``"arrow"`` (a stream), or, without it, the bytes of the CSV file. A
        state keeps texts: columns that are not quasi-identifiers come back as text. ``numeric`` is that of
        :func:`pykanon.anonymize` for tables, and ``interval``, ``range``, ``mean`` or ``columns`` for CSV. A release is
        recorded when it is complete, and only then returned.

        Each release after the first is audited together with all before it: no record may become one of fewer than
        ``joint_k`` (by default what the state says, k unless its schema says otherwise) that all releases leave alike.
        Records are withheld, or shown in other groups, where that is needed; ``"off"`` only warns. ``last_change`` has what
        was found: ``withheld``, ``joint_smallest``, ``joint_below`` and more.
        """
        order = arguments.order(shuffle, shuffle_seed)
        if kind is None:
            where = None if path is None else os.fspath(path)
            form = forms.of(numeric or "interval", forms.CSV)
            options = dict(path=where, want_release=True, joint_k=joint_size(joint_k), numeric=form)
            return self._change("release", None, progress, **options, **order)[1]
        if path is not None:
            raise UsageError("a release has a path or a kind, not both")
        frames.check_kind(kind)
        handle, table_form = self._open(), forms.of(numeric or "columns", forms.TABLE)
        size = joint_size(joint_k)
        done, capsule = self._call(lambda: _kanon.state_release(handle, table_form, size, **order), progress)
        self._note(done)
        return frames.as_kind(capsule, kind)

    def describe(self) -> dict[str, Any]:
        """Checks every page, record and group of the file, and says what is in it."""
        handle = self._open()
        return self._call(lambda: _kanon.state_describe(handle))

    @arguments.checked
    def audit(self, k: int | None = None) -> dict[str, Any]:
        """What somebody who has all releases can tell apart."""
        handle, size = self._open(), arguments.size_of_groups(k)
        return self._call(lambda: _kanon.state_audit(handle, size))

    def __repr__(self) -> str:
        return f"<pykanon.State: {self.path}{' (closed)' if self._handle is None else ''}>"
