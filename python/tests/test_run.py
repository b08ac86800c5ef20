"""Long calls: progress, stopping, threads, processes, memory."""

import gc
import multiprocessing
import os
import pickle
import random
import resource
import signal
import subprocess
import sys
import textwrap
import threading
import time

import pytest

import pykanon
from pykanon import _kanon, errors, run


def big(n=60000, seed=1):
    rng = random.Random(seed)
    return {c: [rng.randint(0, 10000) for _ in range(n)] for c in "abcdef"}


def test_progress_function_sees_stages(people, roles):
    seen = []
    pykanon.anonymize(big(), quasi=list("abcdef"), k=5, progress=lambda *now: seen.append(now))
    assert {stage for stage, *_ in seen} and all(total >= done >= 0 for _, done, total, _ in seen if total)


def test_an_exception_of_the_progress_function_stops_the_work():
    class Enough(Exception):
        pass

    def stop(*_):
        raise Enough

    with pytest.raises(Enough):
        pykanon.anonymize(big(), quasi=list("abcdef"), k=5, effort="best", progress=stop)


def test_interrupt_raises_keyboard_interrupt_and_leaves_nothing(tmp_path):
    script = textwrap.dedent("""
        import random, sys, pykanon
        from pykanon import _kanon
        rng = random.Random(1)
        table = {c: [rng.randint(0, 10000) for _ in range(60000)] for c in "abcdef"}
        print("ready", flush=True)
        try:
            pykanon.anonymize(table, quasi=list("abcdef"), k=5, effort="best")
            print("not interrupted", flush=True)
        except KeyboardInterrupt:
            pass  # the traceback, which holds the table, goes with this block
        import gc; gc.collect()
        print("interrupted", _kanon.live_objects(), flush=True)
    """)
    child = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True, cwd=tmp_path)
    assert child.stdout.readline() == "ready\n"
    time.sleep(1)
    child.send_signal(signal.SIGINT)
    assert child.stdout.read() == "interrupted 0\n"
    assert child.wait() == 0
    assert os.listdir(tmp_path) == []


def test_stops_at_random_moments():
    rng = random.Random(5)
    table = big(20000)
    for _ in range(5):
        wait = rng.random() * 0.5
        ticker_of = []

        def work(ticker):
            ticker_of.append(ticker)
            handle = pykanon.schema.make(quasi=list("abcdef"))
            loaded = _kanon.table_import(handle, pykanon.frames.stream_of(table), ticker)
            return _kanon.anonymize(loaded, ticker, k=5, effort="best")

        thread = threading.Timer(wait, lambda: [_kanon.ticker_stop(t) for t in ticker_of])
        thread.start()
        try:
            run.call(work)
        except pykanon.Cancelled:
            pass
        thread.join()


def test_calls_from_several_threads(people, roles):
    expected, found = pykanon.anonymize(people, k=5, **roles).groups, []
    threads = [threading.Thread(target=lambda: found.append(pykanon.anonymize(people, k=5, **roles).groups))
               for _ in range(8)]  # fmt: skip
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [expected] * 8


def in_child(_):
    table = {"age": list(range(40))}
    return list(pykanon.anonymize(table, quasi=["age"], k=4, threads=2).groups)


def test_fork_works():
    here = in_child(0)
    with multiprocessing.get_context("fork").Pool(2) as pool:
        assert pool.map(in_child, range(4)) == [here] * 4


def test_many_calls_do_not_grow(people, roles):
    """The count of calls is KANON_CALLS (10,000 in the long test); after a warm-up memory stays where it is."""
    calls = int(os.environ.get("KANON_CALLS", "600"))
    small = {c: v[:20] for c, v in people.items()}

    def memory():
        gc.collect()
        with open("/proc/self/statm", encoding="ascii") as file:
            return int(file.read().split()[1]) * resource.getpagesize()

    for _ in range(200):
        pykanon.anonymize(small, k=4, **roles).table
    before = memory()
    for _ in range(calls):
        pykanon.anonymize(small, k=4, **roles).table
    assert memory() - before < 8 << 20


def test_every_status_has_an_exception():
    for status in range(1, 9):
        problem = errors.of(status, "message", "hint", "topic")
        assert isinstance(problem, pykanon.Error) and problem.message == "message" and problem.hint == "hint"
        again = pickle.loads(pickle.dumps(problem))
        assert type(again) is type(problem) and again.hint == "hint"
    assert len({type(errors.of(s, "", "", "")) for s in range(1, 9)}) == 8


def test_infeasible(people, roles):
    with pytest.raises(pykanon.InfeasibleError):
        pykanon.anonymize(people, k=1000, **roles)


def test_handles_are_told_apart():
    with pytest.raises(ValueError):
        _kanon.table_describe(_kanon.ticker_new())
    with pytest.raises((TypeError, ValueError)):
        _kanon.table_describe("text")
