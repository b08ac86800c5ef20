#!/usr/bin/env python3
"""Campaigns: random cases against a checker that shares nothing with the product.

    tests/campaign/campaign.py BUILD KIND... [--seconds N] [--cases N] [--seed S] [--workers N] [--first I]

BUILD is a build folder with the program, campaign_driver and libfail_nth (make campaign builds them). KIND:
runs, states, kills. A case is named by seed, kind and number, and depends on nothing else, so a failing one is
run again with --first and --cases 1. What a failing case needs is written to build/campaign/KIND-SEED-NUMBER.
Ends with 1 where anything was wrong."""
import argparse
import collections
import multiprocessing
import os
import random
import shutil
import sys
import tempfile
import time
import traceback

import checker
import driver as driver_module
import runs

KINDS = {"runs": runs}
for name in ("states", "kills"):
    try:
        KINDS[name] = __import__(name)
    except ImportError:
        pass


class Tools:
    """What a case may use: the driver, the program, and a folder of its own."""

    def __init__(self, build):
        self.build = os.path.abspath(build)
        self.program = os.path.join(self.build, "kanon")
        self.driver = driver_module.Driver(os.path.join(self.build, "tests", "campaign", "campaign_driver"))
        memory = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
        self.folder = tempfile.mkdtemp(prefix="kanon-campaign.", dir=memory)

    def path(self, name):
        return os.path.join(self.folder, name)

    def clear(self):
        for name in os.listdir(self.folder):
            path = self.path(name)
            shutil.rmtree(path) if os.path.isdir(path) else os.unlink(path)

    def close(self):
        self.driver.stop()
        shutil.rmtree(self.folder, ignore_errors=True)


def write_reproduction(args, kind, number, record, why):
    folder = os.path.join(args.out, "%s-%s-%d" % (kind, args.seed, number))
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    again = "tests/campaign/campaign.py %s %s --seed %s --first %d --cases 1 --workers 1" % (
        args.build, kind, args.seed, number)
    record = dict(record, **{"why.txt": why + "\n\nagain: " + again + "\n"})
    for name, content in record.items():
        mode = "wb" if isinstance(content, bytes) else "w"
        with open(os.path.join(folder, name), mode, **({} if mode == "wb" else
                  {"encoding": "utf-8", "errors": "surrogateescape", "newline": ""})) as file:
            file.write(content)
    return folder


def work(args, kind, worker, results):
    """One worker: every n-th case until the time is over."""
    tools = Tools(args.build)
    counts, wrong, number, n_cases = collections.Counter(), [], args.first + worker, 0
    end = time.monotonic() + args.seconds
    try:
        while time.monotonic() < end and number < args.first + args.cases and len(wrong) < 20:
            record = {}
            rng = random.Random("%s/%s/%d" % (args.seed, kind, number))
            tools.clear()
            try:
                counts[KINDS[kind].run_case(rng, tools, record)] += 1
            except (checker.Wrong, driver_module.Died) as problem:
                wrong.append((str(problem)[:300], write_reproduction(args, kind, number, record, str(problem))))
            except Exception:  # a mistake of the campaign itself, shown with the case that it happened in
                why = traceback.format_exc()
                wrong.append((why.splitlines()[-1], write_reproduction(args, kind, number, record, why)))
            n_cases += 1
            number += args.workers
    finally:
        tools.close()
    results.put((n_cases, counts, wrong))


def campaign(args, kind):
    begin = time.monotonic()
    results = multiprocessing.Queue()
    workers = [multiprocessing.Process(target=work, args=(args, kind, i, results)) for i in range(args.workers)]
    for process in workers:
        process.start()
    total, counts, wrong = 0, collections.Counter(), []
    for _ in workers:
        n, c, w = results.get()
        total, counts, wrong = total + n, counts + c, wrong + w
    for process in workers:
        process.join()
    print("%s: seed %s, %d cases in %.0f s: %s; %d wrong" % (
        kind, args.seed, total, time.monotonic() - begin,
        ", ".join("%d %s" % (n, what) for what, n in counts.most_common()), len(wrong)))
    for why, folder in wrong:
        print("  %s: %s" % (folder, why))
    sys.stdout.flush()
    return not wrong and total > 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build")
    parser.add_argument("kinds", nargs="+", choices=sorted(KINDS))
    parser.add_argument("--seconds", type=float, default=1e9)
    parser.add_argument("--cases", type=int, default=10 ** 12)
    parser.add_argument("--seed", default=None)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--workers", type=int, default=os.cpu_count())
    parser.add_argument("--out", default="build/campaign")
    args = parser.parse_args()
    if args.seed is None:
        args.seed = str(random.SystemRandom().randint(1, 10 ** 9))
    print("campaign: seed %s" % args.seed)
    sys.stdout.flush()
    good = [campaign(args, kind) for kind in args.kinds]
    sys.exit(0 if all(good) else 1)


if __name__ == "__main__":
    main()
