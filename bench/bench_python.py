"""What the Python package costs on top of the library: bench_python.py KANON TABLE SCHEMA [ROUNDS]

The same table is grouped by the program and by the package, from typed columns in memory, in turns, with one thread; the
least of all rounds counts, since other programs disturb the clock. Then the memory: how far the process grows above the
table that was there before, at its peak and at the end."""

import ctypes
import json
import os
import subprocess
import sys
import tempfile
import time

import pyarrow as pa
import pyarrow.csv

import pykanon


def program_seconds(program, table, schema, folder):
    """Seconds of the grouping alone, as the program tells them."""
    report = os.path.join(folder, "report.json")
    subprocess.run([program, "anonymize", table, "-s", schema, "-k", "10", "-a", "kmember", "--seed", "1", "--threads", "1",
                    "--quiet", "-o", os.path.join(folder, "release.csv"), "--groups", os.path.join(folder, "groups.csv"),
                    "--report", report], check=True)  # fmt: skip
    with open(report, encoding="utf-8") as file:
        return json.load(file)["seconds"]


class Clock:
    """Seconds of each call into the extension, by its name."""

    def __init__(self):
        self.seconds = {}
        for name in ("table_import", "anonymize", "release"):
            self._watch(name, getattr(pykanon._kanon, name))

    def _watch(self, name, function):
        def timed(*args, **options):
            began = time.perf_counter()
            try:
                return function(*args, **options)
            finally:
                self.seconds[name] = time.perf_counter() - began

        setattr(pykanon._kanon, name, timed)


def memory(name):
    with open("/proc/self/status", encoding="ascii") as file:
        return next(int(line.split()[1]) for line in file if line.startswith(name)) / 1024


def rounds(program, path, schema, table, n):
    best, clock = {}, Clock()
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(n):
            now = {"program": program_seconds(program, path, schema, folder)}
            began = time.perf_counter()
            result = pykanon.anonymize(table, schema=schema, k=10, algorithm="kmember", seed=1, threads=1)
            whole = time.perf_counter() - began
            now.update(clock.seconds, binding=whole - clock.seconds["table_import"] - clock.seconds["anonymize"])
            result.__arrow_c_stream__()
            now["release"] = clock.seconds["release"]
            best = {name: min(seconds, best.get(name, seconds)) for name, seconds in now.items()}
        with open(os.path.join(folder, "groups.csv"), encoding="ascii") as file:
            same = [int(line.rpartition(",")[2]) for line in list(file)[1:]] == list(result.groups)
    return best, same


def main():
    program, path, schema = sys.argv[1:4]
    n = int(sys.argv[4]) if len(sys.argv) > 4 else 3
    table = pa.csv.read_csv(path, convert_options=pa.csv.ConvertOptions(column_types={"zip": pa.string()}))
    pa.default_memory_pool().release_unused()
    ctypes.CDLL(None).malloc_trim(0)  # what reading the file left behind would hide what comes
    before = memory("VmRSS")
    with open("/proc/self/clear_refs", "w", encoding="ascii") as file:
        file.write("5")  # the peak is counted from here
    result = pykanon.anonymize(table, schema=schema, k=10, algorithm="kmember", seed=1, threads=1)
    grouped, grouping_peak = memory("VmRSS"), memory("VmHWM")
    released = pa.table(result)
    peak, end = memory("VmHWM"), memory("VmRSS")
    release_size = released.nbytes / 1e6
    del result, released
    best, same = rounds(program, path, schema, table, n)
    ratio = 100 * (best["anonymize"] + best["binding"] - best["program"]) / best["program"]
    print(f"records                          {table.num_rows:10,}")
    print(f"grouping by the program, seconds {best['program']:10.3f}")
    print(f"grouping by the package          {best['anonymize']:10.3f}   ({'same' if same else 'DIFFERENT'} groups)")
    print(f"Python around it                 {best['binding']:10.4f}   (together {ratio:+.1f} % of the program)")
    print(f"reading the Arrow table          {best['table_import']:10.3f}")
    print(f"release as Arrow, checked        {best['release']:10.3f}")
    print(f"memory above the table, MiB      {grouped - before:10.0f}   after grouping, {grouping_peak - before:.0f} at its peak")
    print(f"with the release ({release_size:.0f} MB)         {end - before:10.0f}   {peak - before:.0f} at its peak")


main()
