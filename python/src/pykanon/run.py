"""Long calls: they run on a thread of their own, while this one shows progress and listens for Ctrl-C."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable
from typing import Any, TypeVar

from pykanon import _kanon

T = TypeVar("T")

#: A function that is told (stage, done, total, detail) now and then; total is 0 where it is not known.
ProgressFunction = Callable[[str, int, int, str], None]
Progress = bool | None | ProgressFunction


class _Bar:
    """A bar of tqdm, a widget in notebooks; without tqdm a line on standard error."""

    def __init__(self) -> None:
        self.stage, self.bar = "", None
        try:
            from tqdm.auto import tqdm

            self.make: Any = tqdm
        except ImportError:
            self.make = None

    def __call__(self, stage: str, done: int, total: int, detail: str) -> None:
        if self.make is None:
            share = f"{100 * done // total} %" if total else ""
            print(f"\rkanon: {stage} {share} {detail}"[:79].ljust(79), end="", file=sys.stderr, flush=True)
        elif total > 0:
            self._move(stage, done, total, detail)
        self.stage = stage

    def _move(self, stage: str, done: int, total: int, detail: str) -> None:
        bar: Any = self.bar
        if bar is None or stage != self.stage:
            self.close()
            bar = self.bar = self.make(total=total, desc=stage, unit="", unit_scale=True, leave=False)
        bar.total = total
        bar.update(done - bar.n)
        if detail:
            bar.set_postfix_str(detail, refresh=False)

    def close(self) -> None:
        bar: Any = self.bar
        if bar is not None:
            bar.close()
        elif self.make is None and self.stage:
            print("\r".ljust(80) + "\r", end="", file=sys.stderr, flush=True)
        self.bar = None


def call(work: Callable[[Any], T], progress: Progress = None, ticker: Any = None) -> T:
    """What ``work(ticker)`` returns or raises. A state has a ticker of its own, which its library object knows.

    Ctrl-C and exceptions of the progress function stop the work and are raised when it has ended and left nothing behind.
    """
    if ticker is None:
        ticker = _kanon.ticker_new()
    else:
        _kanon.ticker_reset(ticker)
    outcome: list[T] = []
    failure: list[BaseException] = []
    ended = threading.Event()

    def body() -> None:
        try:
            outcome.append(work(ticker))
        except BaseException as problem:  # raised again below, on the thread that waits
            failure.append(problem)
        finally:
            ended.set()

    thread = threading.Thread(target=body, name="kanon", daemon=True)
    show: Any = _Bar() if progress is True else progress
    try:
        thread.start()
        _watch(ended, ticker, show)
    except BaseException:
        _kanon.ticker_stop(ticker)
        if thread.ident is not None:
            _wait(ended)
        raise
    finally:
        if isinstance(show, _Bar):
            show.close()
    thread.join()
    if failure:
        raise failure.pop()  # not kept here: the traceback would hold itself, and with it the table
    return outcome[0]


def _wait(ended: threading.Event) -> None:
    """Waits for work that was told to stop, however often Ctrl-C is pressed meanwhile.

    Not with ``Thread.join``: once Ctrl-C has interrupted it, Python takes the thread for ended although it runs.
    """
    while not ended.is_set():
        try:
            ended.wait()
        except KeyboardInterrupt:
            continue


def _watch(ended: threading.Event, ticker: Any, show: ProgressFunction | None) -> None:
    """Waits for the work. Short calls see no delay: the first waits are short, the later ones 50 ms."""
    pause, began, last = 0.001, time.monotonic(), None
    while not ended.wait(pause):
        pause = min(0.05, 2 * pause)
        if show and time.monotonic() - began > 0.5:
            stage, done, total, detail, _ = now = _kanon.ticker_read(ticker)
            if stage and now != last:
                show(stage, done, total, detail)
            last = now
