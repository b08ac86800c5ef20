#!/usr/bin/env python3
"""How long a call of the extension goes on after it was cancelled.

    postgres_cancel.py PSQL SOCKET_DIRECTORY CANCELS STATEMENT...

Runs each statement CANCELS times in a session of its own and cancels it at a random moment, spread evenly over the processor
time that the statement takes when it is left alone. Prints, for each statement, the median and the most of what passed from
the signal to the error: processor time of the backend, and the clock. Called by bench/postgres.sh."""
import os
import random
import signal
import statistics
import subprocess
import sys
import time

psql, directory, cancels = sys.argv[1], sys.argv[2], int(sys.argv[3])


def processor_seconds(pid):
    with open(f"/proc/{pid}/schedstat") as file:
        return int(file.read().split()[0]) * 1e-9


class Session:
    def __init__(self):
        self.process = subprocess.Popen(
            psql.split() + ["-XAtq", "-h", directory, "-U", "postgres", "-d", "postgres", "-f", "-"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.pid = int(self.ask("SELECT pg_backend_pid();"))

    def say(self, text):
        self.process.stdin.write(text + "\n")
        self.process.stdin.flush()

    def ask(self, text):
        self.say(text)
        return self.process.stdout.readline()

    def end(self):
        self.process.stdin.close()
        self.process.wait()


def whole(statement):
    """The processor time of a statement, rolled back."""
    session = Session()
    before = processor_seconds(session.pid)
    session.ask(f"BEGIN; SELECT 'x' FROM (SELECT {statement}) s LIMIT 1;")
    seconds = processor_seconds(session.pid) - before
    session.say("ROLLBACK;")
    session.end()
    return seconds


def cancelled(statement, after):
    """Processor time and clock from the signal to the error; None where the statement ended before."""
    session = Session()
    before = processor_seconds(session.pid)
    session.say(f"BEGIN; SELECT 'x' FROM (SELECT {statement}) s LIMIT 1;")
    while processor_seconds(session.pid) - before < after:
        time.sleep(0.002)
    at, clock = processor_seconds(session.pid), time.monotonic()
    os.kill(session.pid, signal.SIGINT)
    answer = session.process.stdout.readline()
    clock, at = time.monotonic() - clock, processor_seconds(session.pid) - at
    session.end()
    return (at, clock) if "canceling statement" in answer else None


seed = int(os.environ.get("BENCH_SEED", time.time()))
random.seed(seed)
print(f"seed {seed}", file=sys.stderr)
print("| cancelled call | takes, s | cancels | processor time: median | most, ms | clock: median | most, ms |")
print("|-|-:|-:|-:|-:|-:|-:|")
for statement in sys.argv[4:]:
    seconds = whole(statement)
    found = [cancelled(statement, seconds * (i + random.random()) / (cancels + 0.5)) for i in range(cancels)]
    found = [f for f in found if f is not None]
    figures = [f"{1000 * pick([f[i] for f in found]):.0f}" for i in range(2) for pick in (statistics.median, max)]
    print(f"| `{statement}` | {seconds:.1f} | {len(found)} | {' | '.join(figures)} |", flush=True)
