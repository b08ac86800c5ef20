#!/usr/bin/env python3
"""Workers of kanon anonymize that are killed from outside, one in each stage, and a driver that is stopped or killed.

    tests/cli/kill_workers.py KANON

Stages are told by the files in the exchange folder; children are found in /proc."""
import os
import signal
import subprocess
import sys
import time

KANON = sys.argv[1]
STAGES = ["count", "domain", "codes", "counts", "rows", "grouped", "offers", "lines", "classes"]
RUN = [KANON, "anonymize", "k/hospital.csv", "-s", "k/hospital.yaml", "-k", "4", "--blocks", "400", "--seed", "2",
       "--effort", "fast", "-q"]


def children(pid):
    try:
        with open("/proc/%d/task/%d/children" % (pid, pid)) as file:
            return [int(word) for word in file.read().split()]
    except OSError:
        return []


def exchange_files():
    for folder in os.listdir("tmp"):
        try:
            yield from os.listdir(os.path.join("tmp", folder))
        except OSError:
            pass


def need(holds, sentence):
    if not holds:
        print(sentence)
        sys.exit(1)


def nothing_left(process):
    need(not children(process.pid), "a worker is left")
    need(os.listdir("tmp") == [], "files are left in TMPDIR: %s" % os.listdir("tmp"))


def killed_workers():
    """One worker is killed when the first file of each stage is seen."""
    waiting, kills = list(STAGES), []
    process = subprocess.Popen(RUN + ["--workers", "3", "-o", "killed.csv"])
    while process.poll() is None:
        seen = {name.split("-")[0] for name in exchange_files()}
        for stage in [stage for stage in waiting if stage in seen]:
            waiting.remove(stage)
            for worker in children(process.pid)[:1]:
                try:
                    os.kill(worker, signal.SIGKILL)
                    kills.append(stage)
                except ProcessLookupError:
                    pass
        time.sleep(0.0005)
    need(process.returncode == 0, "exit status %d after workers were killed in %s" % (process.returncode, kills))
    with open("whole.csv", "rb") as left, open("killed.csv", "rb") as right:
        need(left.read() == right.read(), "another release after workers were killed in %s" % kills)
    nothing_left(process)
    print("killed in:", *kills)
    return kills


def stopped_driver(number, wanted):
    process = subprocess.Popen(RUN + ["--workers", "2", "-o", "stopped.csv"], stderr=subprocess.PIPE)
    while process.poll() is None and "rows-0" not in exchange_files():
        time.sleep(0.0005)
    process.send_signal(number)
    _, said = process.communicate()
    if process.returncode == 0:
        return  # it was done too soon
    need(process.returncode == wanted, "exit status %d instead of %d" % (process.returncode, wanted))
    need(not os.path.exists("stopped.csv"), "a release after signal %d" % number)
    if number != signal.SIGKILL:
        need(b"stopped; nothing was written" in said, "no message after signal %d" % number)
        nothing_left(process)


def main():
    if not os.path.exists("/proc/self/task/%d/children" % os.getpid()):
        sys.exit(0)
    subprocess.run([KANON, "sample", "hospital", "--rows", "6000", "--seed", "9", "-q", "-o", "k"], check=True)
    subprocess.run(RUN + ["-o", "whole.csv"], check=True)
    kills = killed_workers()
    need(len(kills) >= 4, "workers were killed only in %s" % kills)
    stopped_driver(signal.SIGTERM, -signal.SIGTERM)
    stopped_driver(signal.SIGINT, -signal.SIGINT)
    stopped_driver(signal.SIGKILL, -signal.SIGKILL)
    subprocess.run(RUN + ["--workers", "2", "-o", "again.csv"], check=True)
    need(os.listdir("tmp") == [], "the next run does not remove what a killed one left")


main()
