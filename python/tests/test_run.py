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

import pytest

import pykanon
from pykanon import _kanon, errors, run


def big(n=60000, seed=1):
    rng = random.Random(seed)
    return {c: [rng.randint(0, 10000) for _ in range(n)] for c in "abcdef"}


def test_progress_function_sees_stages(people, roles):
    seen = []
    pykanon.anonymize(big(20000), quasi=list("abcdef"), k=5, progress=lambda *now: seen.append(now))
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
        told = []
        def tell(*_):
            told or print("working", flush=True)
            told.append(True)
        try:
            pykanon.anonymize(table, quasi=list("abcdef"), k=5, effort="best", progress=tell)
            print("not interrupted", flush=True)
        except KeyboardInterrupt:
            pass  # the traceback, which holds the table, goes with this block
        import gc; gc.collect()
        print("interrupted", _kanon.live_objects(), flush=True)
    """)
    child = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True, cwd=tmp_path)
    assert child.stdout.readline() == "working\n"
    child.send_signal(signal.SIGINT)
    assert child.stdout.read() == "interrupted 0\n"
    assert child.wait() == 0
    assert os.listdir(tmp_path) == []


def test_stops_in_every_stage():
    table = big(20000)
    stages = ("", "grouping", "refining")
    for first in range(len(stages)):
        ticker_of, begun, ended = [], threading.Event(), threading.Event()

        def work(ticker):
            ticker_of.append(ticker)
            begun.set()
            handle = pykanon.schema.make(quasi=list("abcdef"))
            loaded = _kanon.table_import(handle, pykanon.frames.stream_of(table), ticker)
            return _kanon.anonymize(loaded, ticker, k=5, effort="best")

        def stop(wanted=stages[first:], ticker_of=ticker_of, begun=begun, ended=ended):
            begun.wait()
            while "" not in wanted and _kanon.ticker_read(ticker_of[0])[0] not in wanted and not ended.wait(0.001):
                pass  # nothing tells of a new stage but the ticker, which is asked; on a busy machine it is a later one
            _kanon.ticker_stop(ticker_of[0])

        thread = threading.Thread(target=stop)
        thread.start()
        try:
            with pytest.raises(pykanon.Cancelled):
                run.call(work)
        finally:
            ended.set()
            thread.join()


def test_calls_from_several_threads(people, roles):
    expected, found = pykanon.anonymize(people, k=5, **roles).groups.tolist(), []
    threads = [threading.Thread(target=lambda: found.append(pykanon.anonymize(people, k=5, **roles).groups.tolist()))
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


def test_interrupts_come_again_and_again(tmp_path):
    """A second and a third Ctrl-C while the work is being stopped change nothing."""
    script = textwrap.dedent("""
        import signal, threading, pykanon
        from pykanon import _kanon, run
        signal.signal(signal.SIGINT, signal.default_int_handler)
        ended = []
        begun, pressed, waiting = threading.Event(), threading.Event(), threading.Semaphore(0)
        def work(ticker):
            begun.set()
            pressed.wait()
            ended.append(True)
        class Shown: # the end of the work, which says when it is waited for
            def __init__(self, event):
                self.event, self.is_set = event, event.is_set
            def wait(self):
                waiting.release()
                self.event.wait()
        wait = run._wait
        run._wait = lambda event: wait(Shown(event))
        def press():
            begun.wait()
            for _ in range(4): # one that comes right before the wait begins does not end it: press again
                signal.pthread_kill(threading.main_thread().ident, signal.SIGINT)
                while not waiting.acquire(timeout=0.2):
                    signal.pthread_kill(threading.main_thread().ident, signal.SIGINT)
            pressed.set()
        threading.Thread(target=press, daemon=True).start()
        try:
            run.call(work)
        except KeyboardInterrupt:
            print("interrupted", ended)
    """)
    told = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, cwd=tmp_path, check=True)
    assert told.stdout == "interrupted [True]\n"


def state_of(path):
    table = {"id": [str(i) for i in range(40)], "age": list(range(40))}
    return pykanon.anonymize(table, quasi=["age"], identifying=["id"], key="id", k=4).state(path)


def test_a_state_belongs_to_its_process(tmp_path):
    with state_of(tmp_path / "s.kanon") as state:
        child = os.fork()
        if child == 0:
            try:
                state.describe()
                os._exit(1)
            except pykanon.UsageError as problem:
                state.close()
                os._exit(0 if "another process" in str(problem) else 2)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
        assert state.insert({"id": ["x"], "age": [7]})["records"] == 41
    del state


def test_a_state_from_several_threads(tmp_path):
    with state_of(tmp_path / "s.kanon") as state:
        threads = [threading.Thread(target=state.insert, args=({"id": [f"x{i}"], "age": [i]},)) for i in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert state.describe()["records"] == 48
    del state


def test_a_state_can_be_stopped_and_used_again(tmp_path):
    class Enough(Exception):
        pass

    with state_of(tmp_path / "s.kanon") as state:
        _kanon.ticker_stop(state._ticker)  # as a Ctrl-C before: it does not reach the next call
        assert state.insert({"id": ["x"], "age": [7]})["records"] == 41
        handle, ticker = state._open(), state._ticker
        _kanon.ticker_stop(ticker)
        with pytest.raises(pykanon.Cancelled):
            _kanon.state_change(handle, "release", None, want_release=True)
        assert state.describe()["releases"] == 1
        with pytest.raises(pykanon.Error):
            state.insert({"id": ["x"], "age": [7]})
    del state, handle


def test_capsules_misnamed_used_twice_and_never():
    import pyarrow as pa

    handle, ticker = pykanon.schema.make(quasi=["age"]), _kanon.ticker_new()
    table = pa.table({"age": [1, 2, 3, 4]})
    with pytest.raises(ValueError):
        _kanon.table_import(handle, table.schema.__arrow_c_schema__(), ticker)  # another kind of capsule
    capsule = table.__arrow_c_stream__()
    _kanon.table_import(handle, capsule, ticker)
    with pytest.raises(ValueError, match="read before"):
        _kanon.table_import(handle, capsule, ticker)
    result = pykanon.anonymize(table, quasi=["age"], k=2)
    result.__arrow_c_stream__()  # dropped without being read
    del result, handle, ticker


def test_texts_with_a_null_character_are_refused():
    with pytest.raises(ValueError, match="code 0"):
        pykanon.anonymize({"age": [1, 2]}, quasi=["age"], missing=["a\0b"], k=2)


def test_a_producer_that_fails_names_no_value_and_frees_everything():
    import pyarrow as pa

    def batches():
        yield pa.record_batch({"age": [1, 2, 3]})
        raise RuntimeError("the producer failed")

    reader = pa.RecordBatchReader.from_batches(pa.schema([("age", pa.int64())]), batches())
    with pytest.raises(pykanon.Error):
        pykanon.anonymize(reader, quasi=["age"], k=2)


@pytest.mark.parametrize("with_tqdm", [True, False])
def test_progress_is_shown(with_tqdm, monkeypatch, capsys):
    if not with_tqdm:
        monkeypatch.setitem(sys.modules, "tqdm.auto", None)  # as if it were not installed
    bar = run._Bar()
    for done in (0, 40, 100):
        bar("grouping", done, 100, "loss 0.1")
    bar("writing", 5, 10, "")
    bar.close()
    shown = capsys.readouterr().err
    assert "grouping" in shown and "writing" in shown and (with_tqdm or "40 %" in shown)
