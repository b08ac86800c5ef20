"""The kinds of runs. Each is a function of a run, as the files *.toml describe it, that calls kanon and returns figures."""
import collections
import contextlib
import json
import os
import shutil
import signal
import subprocess
import tempfile
import time

import classifier
import tables

# Raised when a kind computes something else from the same parameters: results made before are then not reused.
REVISION = {"anonymize": 1, "bound": 2, "incremental": 1, "classify": 1, "outliers": 1}


class Failed(Exception):
    pass


class Kanon:
    """Calls the program in a directory of its own, and counts the processor time of all calls."""

    running = set()

    def __init__(self, program, folder):
        self.program, self.folder, self.seconds = program, folder, 0.0

    def path(self, name):
        return os.path.join(self.folder, name)

    def call(self, *arguments):
        """(standard output, processor seconds)"""
        arguments = [str(a) for a in arguments]
        with open(self.path("stdout"), "w+b") as out, open(self.path("stderr"), "w+b") as err:
            # In a session of its own: Ctrl-C makes kanon end a search early, and that would be taken for its result.
            child = subprocess.Popen([self.program] + arguments, stdin=subprocess.DEVNULL, stdout=out, stderr=err,
                                     start_new_session=True)
            self.running.add(child.pid)
            try:
                _, status, usage = os.wait4(child.pid, 0)
            except BaseException:
                child.kill()
                raise
            finally:
                self.running.discard(child.pid)
            child.returncode = os.waitstatus_to_exitcode(status)
            out.seek(0), err.seek(0)
            if child.returncode != 0:
                raise Failed(f"kanon {' '.join(arguments)}\n{err.read().decode()}(status {child.returncode})")
            spent = usage.ru_utime + usage.ru_stime
            self.seconds += spent
            return out.read().decode(), spent

    @classmethod
    def stop_all(cls):
        for pid in list(cls.running):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)

    def report(self, name):
        with open(self.path(name), encoding="utf-8") as f:
            return json.load(f)


def options(run, table, schema):
    """The command line of a grouping."""
    line = ["anonymize", table, "-s", schema, "-k", run["k"], "-a", run["algorithm"], "--seed", run["seed"]]
    line += ["-q", "--threads", 1]
    for name, value in sorted(run.get("set", {}).items()):
        line += ["--set", f"{name}={str(value).lower() if isinstance(value, bool) else value}"]
    for name in ("refine", "effort"):
        if name in run:
            line += ["--" + name, run[name]]
    return line


def figure(report, name):
    """`name`, or `name[column]`, of a report."""
    if "[" in name:
        name, column = name.rstrip("]").split("[")
        return report["attributes"][column].get(name)
    return report.get(name)


def anonymize(run, kanon, made):
    """Group the table; the figures are those of the report, `largest` group, `converged`, and those of the `evaluate` lines.
    A timed run writes nothing but the release, and `cpu_seconds` is the least of its repeats."""
    line = options(run, made.table(run["table"]), made.schema(run["schema"]))
    if run.get("timed"):
        spent = [kanon.call(*line, "-o", os.devnull)[1] for _ in range(run.get("repeats", 3))]
        return {"cpu_seconds": round(min(spent), 4)}
    kanon.call(*line, "-o", os.devnull, "--groups", kanon.path("groups.csv"), "--report", kanon.path("report.json"))
    report = kanon.report("report.json")
    sizes = collections.Counter(row[1] for row in tables.read(kanon.path("groups.csv"))[1] if row[1] != "0")
    settings = dict(s.split("=", 1) for s in report["settings"])
    found = {"largest": max(sizes.values()), "converged": int(not any("still moved" in w for w in report["warnings"])),
             "delta": settings.get("delta"), "delta_prime": settings.get("delta-prime")}
    for extra in run.get("evaluate", []):
        settings = [word for name, value in extra.get("set", {}).items() for word in ("--set", f"{name}={value}")]
        kanon.call("evaluate", made.table(run["table"]), "-s", made.schema(extra.get("schema", run["schema"])), *settings,
                   "--groups", kanon.path("groups.csv"), "-k", run["k"], "--report", kanon.path("more.json"), "-q",
                   "--threads", 1)
        found[extra["as"]] = figure(kanon.report("more.json"), extra["figure"])
    return {name: found[name] if name in found else figure(report, name) for name in run["measures"]}


def bound(run, kanon, made):
    """The proven lower bound, by the name of what it bounds, so that it stands on the same axis."""
    limit = ["--time-limit", run["time-limit"]] if "time-limit" in run else []
    line = ["bound", made.table(run["table"]), "-s", made.schema(run["schema"]), "-k", run["k"], "-q", "--threads", 1]
    printed, _ = kanon.call(*line, *limit)
    return {"information_loss": float(dict(line.split(maxsplit=1) for line in printed.splitlines())["lower_bound"])}


def incremental(run, kanon, made):
    """Truta 5: the static algorithm on a table, then a `change` (insert or delete of `size` records), against the static
    algorithm on what the table then is; both before and after the optimisation. Seconds are the least of the repeats."""
    source = {"from": "adult", "seed": run["seed"], "number": True}
    base = min(10000, len(tables.read(made.table({"from": "adult"}))[1]) * 2 // 3)
    size = min(run["size"], base // 2)
    header, rows = tables.read(made.table({**source, "slice": [0, base + base // 2]}))
    fewer, more = rows[:base], rows[: base + size]
    before, after = (fewer, more) if run["change"] == "insert" else (more, fewer)
    file = {name: kanon.path(name) for name in ("before.csv", "after.csv", "change.csv", "begin", "state", "report.json")}
    for name, some in (("before.csv", before), ("after.csv", after), ("change.csv", rows[base: base + size])):
        tables.write(file[name], header, some)
    schema = made.schema("adult-keyed")

    def step(state, *command):
        """(loss, seconds) of a command on a copy of the state, which is then the state."""
        spent = []
        for report in [()] * run.get("repeats", 3) + [("--report", file["report.json"])]:
            shutil.copy(state, file["state"])
            spent.append(kanon.call(command[0], file["state"], *command[1:], "-q", *report)[1])
        return kanon.report("report.json")["information_loss"], min(spent[:-1])

    def static(*more):
        line = options(run, file["after.csv"], schema) + ["-o", os.devnull, *more]
        seconds = min(kanon.call(*line)[1] for _ in range(run.get("repeats", 3)))
        kanon.call(*line, "--report", file["report.json"])
        return kanon.report("report.json")["information_loss"], seconds

    found = {}
    kanon.call(*options(run, file["before.csv"], schema), "-o", os.devnull, "--state", file["begin"])
    found["incremental_loss"], found["incremental_seconds"] = step(file["begin"], run["change"], file["change.csv"])
    os.replace(file["state"], file["begin"])
    found["incremental_optimised_loss"], found["incremental_optimise_seconds"] = step(file["begin"], "optimize")
    found["static_loss"], found["static_seconds"] = static()
    found["static_optimised_loss"], refined = static("--refine", "il-optimization")
    found["static_optimise_seconds"] = max(0.0, refined - found["static_seconds"])
    _, found["static_scan_seconds"] = static("--set", "search=scan")
    return {name: round(value, 4) for name, value in found.items()}


def classify(run, kanon, made):
    """Release two thirds of the table, learn from the release, and ask about the other third as it is."""
    train, test = (made.table({**run["table"], "part": part, "seed": 1}) for part in ("train", "test"))
    schema = made.schema(run["schema"])
    label = "diagnosis" if made.sample_rows else run["predict"]
    if run["algorithm"] == "none":
        release = train
    elif run["algorithm"] == "majority":
        header, rows = tables.read(test)
        share = collections.Counter(row[header.index(label)] for row in rows).most_common(1)[0][1] / len(rows)
        return {"accuracy_quasi": share, "accuracy_all": share}
    else:
        release = kanon.path("release.csv")
        kanon.call(*options(run, train, schema), "-o", release)
    return {"accuracy_quasi": round(classifier.accuracy(schema, train, release, test, label, True), 5),
            "accuracy_all": round(classifier.accuracy(schema, train, release, test, label, False), 5)}


def outliers(run, kanon, made):
    """Group a table to which outliers were added; the loss of the records that were there before, by the ranges they had."""
    original = made.table({k: v for k, v in run["table"].items() if k not in ("outliers", "far")})
    kanon.call(*options(run, made.table(run["table"]), made.schema(run["schema"])), "-o", kanon.path("release.csv"))
    header, rows = tables.read(kanon.path("release.csv"))
    tables.write(kanon.path("release.csv"), header, rows[: len(tables.read(original)[1])])
    printed, _ = kanon.call("evaluate", original, "-s", made.schema(run["schema"]), "--release", kanon.path("release.csv"))
    return {"loss_of_originals": float(dict(line.split(maxsplit=1) for line in printed.splitlines())["information_loss"])}


KINDS = {"anonymize": anonymize, "bound": bound, "incremental": incremental, "classify": classify, "outliers": outliers}


def perform(run, program, made, scratch):
    """(figures, processor seconds spent) of a run."""
    with tempfile.TemporaryDirectory(dir=scratch) as folder:
        kanon, began = Kanon(program, folder), time.thread_time()
        figures = KINDS[run["kind"]](run, kanon, made)
        return figures, kanon.seconds + time.thread_time() - began
