#!/usr/bin/env python3
"""kanon anonymize --workers on a table larger than its memory: processor seconds, and the peak memory of all processes
together, beside the program by itself. The releases are compared.

    bench/bench_workers.py KANON [--rows N] [--memory SIZE] [--workers 1,2] [--folder F] -- OPTION...

Memory is sampled: resident bytes of all processes, added (shared pages count in each of them)."""
import argparse
import filecmp
import os
import resource
import subprocess
import sys
import tempfile
import time

PAGE = os.sysconf("SC_PAGE_SIZE")


def family(pid):
    out = [pid]
    try:
        with open("/proc/%d/task/%d/children" % (pid, pid)) as file:
            out += [int(word) for word in file.read().split()]
    except OSError:
        pass
    return out


def resident(pid):
    try:
        with open("/proc/%d/statm" % pid) as file:
            return int(file.read().split()[1]) * PAGE
    except (OSError, IndexError):
        return 0


def measure(command):
    """Processor seconds, clock seconds, peak bytes of all processes, of one."""
    before, begin = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    process = subprocess.Popen(command)
    most, most_single = 0, 0
    while process.poll() is None:
        sizes = [resident(pid) for pid in family(process.pid)]
        most, most_single = max(most, sum(sizes)), max(most_single, *sizes)
        time.sleep(0.01)
    if process.returncode != 0:
        sys.exit("%s ended with %d" % (" ".join(command), process.returncode))
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return cpu, time.monotonic() - begin, most, most_single


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kanon")
    parser.add_argument("--rows", type=int, default=4000000)
    parser.add_argument("--memory", default="")
    parser.add_argument("--workers", default="1,2")
    parser.add_argument("--folder")
    own, options = sys.argv[1:], []
    if "--" in own:
        own, options = own[:own.index("--")], own[own.index("--") + 1:]
    args = parser.parse_args(own)
    kanon = os.path.abspath(args.kanon)
    with tempfile.TemporaryDirectory(prefix="kanon-bench.") as own_folder:
        os.chdir(args.folder or own_folder)
        compare(kanon, args, options)


def compare(kanon, args, options):
    if not os.path.exists("t/hospital.csv"):
        subprocess.run([kanon, "sample", "hospital", "--rows", str(args.rows), "-q", "-o", "t"], check=True)
    print("table: %d rows, %.0f MB" % (args.rows, os.path.getsize("t/hospital.csv") / 1e6))
    run = [kanon, "anonymize", "t/hospital.csv", "-s", "t/hospital.yaml", "-q"] + options
    shapes = [("by itself", [])]
    for n in args.workers.split(","):
        shapes.append(("%s workers" % n, ["--workers", n] + (["--memory", args.memory] if args.memory else [])))
    for name, more in shapes:
        cpu, clock, all_of_them, one = measure(run + more + ["-o", "%s.csv" % name.replace(" ", "-")])
        print("%-10s %8.1f s of processor time, %7.1f s by the clock, %6.0f MB, one process %6.0f MB" % (
            name, cpu, clock, all_of_them / 1e6, one / 1e6))
        sys.stdout.flush()
        if more and not filecmp.cmp("by-itself.csv", "%s.csv" % name.replace(" ", "-"), shallow=False):
            sys.exit("the releases differ")


main()
