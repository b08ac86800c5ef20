#!/usr/bin/env python3
"""Every command of the program while the system below it fails: fail_nth.c makes the n-th call of a kind fail, in
libraries as well. First the calls are counted, then each is made to fail in turn (or a spread sample of them).
Afterwards

- the program ended by itself, with exit status 0 or 4, and where it failed with one line that says what;
- no temporary file is left; what it was to write is complete or not there;
- a state is as it was, or as it is after the command, and which of the two the exit status says.

    tests/fault/run_faults.py BUILD [--all | --each N] [--seconds S] [--seed S] [--workers N]
    tests/fault/run_faults.py BUILD --command NAME --kind KIND --at N [--stays]

BUILD holds the program and libfail_nth.so, without sanitizers. A failing case is shown with what runs it again."""
import argparse
import collections
import gzip
import json
import multiprocessing
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time

KINDS = ["memory", "open", "read", "write", "sync", "rename", "unlink", "truncate", "map", "thread", "stat", "lock",
         "short-read", "short-write"]
SCHEMA = """missing: ["?"]
key: key
attributes:
  key: identifying
  age: {role: quasi, type: integer}
  born: {role: quasi, type: date}
  job: {role: quasi, taxonomy: jobs.csv}
  zip: {role: quasi, mask: right}
  ill: sensitive
privacy: {k: 3, constraints: [{model: distinct-l-diversity, attribute: ill, l: 2}]}
"""
HEADER = "key,age,born,job,zip,ill\n"
OUT = ["-o", "r.csv", "--groups", "g.csv", "--report", "p.json", "--report-external", "e.html"]
RUN = ["t.csv", "-s", "s.yaml"]
FEW = ["few.csv", "-s", "s.yaml"]  # for commands that try many groupings: each call is to fail once

# name: arguments; files that are written; the state that is changed
COMMANDS = {
    "anonymize": (["anonymize"] + RUN + ["-a", "kmember", "--threads", "2"] + OUT,
                  ["r.csv", "g.csv", "p.json", "e.html"], None),
    "stdout": (["anonymize"] + RUN + ["-a", "mondrian", "--numeric", "columns"], [], None),
    "attribute": (["anonymize"] + FEW + ["--recode", "attribute", "--set", "starts=1", "-o", "r.csv"], ["r.csv"], None),
    "memory": (["anonymize"] + RUN + ["-a", "top-down", "--memory", "60M", "--shuffle", "-o", "shuffled.csv"],
               ["shuffled.csv"], None),
    "workers": (["anonymize", "t.csv", "-s", "free.yaml", "-a", "mondrian", "--blocks", "9", "--workers", "2", "-o",
                 "r.csv"], ["r.csv"], None),
    "create": (["anonymize"] + RUN + ["-a", "mondrian", "--state", "n.state", "-o", "r.csv"],
               ["r.csv", "n.state"], None),
    "evaluate": (["evaluate"] + RUN + ["--groups", "groups.csv", "--threads", "2", "--report", "p.json"],
                 ["p.json"], None),
    "improve": (["improve"] + RUN + ["--groups", "groups.csv", "--repair", "--effort", "fast", "-o", "r.csv"],
                ["r.csv"], None),
    "loss": (["evaluate"] + RUN + ["--release", "release.csv"], [], None),
    "check": (["check", "release.csv", "-s", "s.yaml"], [], None),
    "bound": (["bound"] + RUN + ["--certificate", "c.json"], ["c.json"], None),
    "bound-check": (["bound"] + RUN + ["--check", "certificate.json"], [], None),
    "tradeoff": (["tradeoff"] + RUN + ["-k", "2,3", "-a", "mondrian", "--measure", "query-count=20", "-o", "v.csv",
                                       "--json", "v.json", "--plot", "v.html"], ["v.csv", "v.json", "v.html"], None),
    "insert": (["insert", "x.state", "i.csv"] + OUT, ["r.csv", "g.csv", "p.json", "e.html"], "x.state"),
    "delete": (["delete", "x.state", "d.csv", "-o", "r.csv", "--joint-k", "2"], ["r.csv"], "x.state"),
    "update": (["update", "x.state", "u.csv"], [], "x.state"),
    "optimize": (["optimize", "x.state", "-o", "r.csv"], ["r.csv"], "x.state"),
    "release": (["release", "x.state", "-o", "r.csv"], ["r.csv"], "x.state"),
    "release-stdout": (["release", "x.state"], [], "x.state"),
    "state": (["state", "x.state"], [], "x.state"),
    "audit": (["audit", "x.state", "-k", "2"], [], "x.state"),
    "init": (["init", "t.csv", "-o", "proposed.yaml"], ["proposed.yaml"], None),
    "init-stdout": (["init", "packed.csv.gz"], [], None),
    "profile": (["profile", "few.csv", "-s", "quick.yaml","--threads", "2", "--report", "p.json"], ["p.json"], None),
    "codebook": (["anonymize"] + RUN + ["-a", "mondrian", "--bands", "age=5", "-o", "r.csv", "--codebook", "b.json"],
                 ["r.csv", "b.json"], None),
    "codebook-pages": (["release", "x.state", "-o", "r.csv", "--codebook", "r.csv-metadata.json", "--report", "p.html"],
                       ["r.csv", "r.csv-metadata.json", "p.html"], "x.state"),
    "build": (["taxonomy", "build", "t.csv", "--column", "zip", "--prefixes", "2,1", "-o", "zips.csv"],
              ["zips.csv"], None),
    "build-bands": (["taxonomy", "build", "t.csv", "--column", "age", "--frequencies", "8,2", "--form", "json"],
                    [], None),
    "taxonomy-check": (["taxonomy", "check", "jobs.csv", "--table", "t.csv", "--column", "job"], [], None),
    "show": (["taxonomy", "show", "jobs.csv", "--table", "t.csv", "--column", "job"], [], None),
    "convert": (["taxonomy", "convert", "jobs.csv", "-o", "jobs.yaml"], ["jobs.yaml"], None),
    "convert-back": (["taxonomy", "convert", "tree.yaml", "--form", "indented"], [], None),
    "help": (["help", "anonymize"], [], None),
    "topic": (["help", "models"], [], None),
    "completion": (["completion", "bash"], [], None),
    "drivers": (["drivers"], [], None),
    "version": (["--version"], [], None),
    "algorithms": (["algorithms", "tgc"], [], None),
    "sample": (["sample", "hospital", "--rows", "20", "-o", "demo"], ["demo"], None),
}
INPUTS = ["s.yaml", "quick.yaml", "free.yaml", "jobs.csv", "t.csv", "few.csv", "i.csv", "u.csv", "d.csv", "x.state", "groups.csv",
          "release.csv", "certificate.json", "packed.csv.gz", "tree.yaml"]
TELLS_TIMES = ("state", "bound", "profile")
SPEAKS_ONLY = ("algorithms", "drivers", "help", "topic", "completion", "version")  # and takes no --quiet


class Broken(Exception):
    pass


def need(holds, sentence):
    if not holds:
        raise Broken(sentence)


def people(rng, letter, numbers):
    return "".join("%s%d,%d,19%02d-0%d-1%d,%s,%03d,%s\n" % (
        letter, i, rng.randint(18, 90), rng.randint(20, 99), rng.randint(1, 9), rng.randint(0, 9),
        rng.choice(["nurse", "surgeon", "baker", "cook"]), rng.randint(100, 160), rng.choice(["flu", "gout", "cold"]))
        for i in numbers)


def normal(name, content):
    """A file without what differs from run to run: times, and in pages their numbers."""
    if name.endswith(".json"):
        try:
            return json.dumps(without_times(json.loads(content)), sort_keys=True).encode()
        except ValueError:
            return b"not JSON"
    if name.endswith(".html"):
        return content.rstrip()[-16:] + re.sub(rb"[^<>]", b"", content)
    if name == "v.csv":
        return re.sub(rb"[0-9.e-]+\n", b"\n", content)
    return content


def without_times(thing):
    if isinstance(thing, dict):
        return {k: without_times(v) for k, v in thing.items() if k not in ("seconds", "time", "date", "created")}
    if isinstance(thing, list):
        return [without_times(v) for v in thing]
    return thing


class Faults:
    def __init__(self, build):
        self.program = os.path.abspath(os.path.join(build, "kanon"))
        self.shim = os.path.abspath(os.path.join(build, "libfail_nth.so"))
        memory = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
        self.root = tempfile.mkdtemp(prefix="kanon-faults.", dir=memory)
        self.scene = os.path.join(self.root, "scene")
        self.case = os.path.join(self.root, "case")
        self.temporary = os.path.join(self.root, "tmp")
        os.mkdir(self.scene)
        self.prepare()
        self.counts, self.good, self.known = {}, {}, {}

    def write(self, name, text):
        with open(os.path.join(self.scene, name), "w") as file:
            file.write(text)

    def prepare(self):
        rng = random.Random(5)
        self.write("s.yaml", SCHEMA)
        self.write("jobs.csv", "nurse;Health;*\nsurgeon;Health;*\nbaker;Food;*\ncook;Food;*\n")
        self.write("t.csv", HEADER + people(rng, "a", range(36)))
        self.write("quick.yaml", SCHEMA + "algorithm: mondrian\n")
        self.write("free.yaml", SCHEMA[:SCHEMA.index("privacy:")] + "privacy: {k: 3}\n")
        self.write("few.csv", HEADER + people(random.Random(7), "c", range(9)))
        self.write("i.csv", HEADER + people(rng, "b", range(6)))
        self.write("u.csv", HEADER + people(rng, "a", range(3, 8)))
        self.write("d.csv", "key\na10\na11\na12\na13\n")
        self.plain(["anonymize"] + RUN + ["-a", "mondrian", "--state", "x.state", "-o", "release.csv", "--groups",
                                          "groups.csv"])
        self.plain(["bound"] + RUN + ["--certificate", "certificate.json"])
        self.plain(["taxonomy", "convert", "jobs.csv", "-o", "tree.yaml"])
        with open(os.path.join(self.scene, "t.csv"), "rb") as table:
            packed = gzip.compress(table.read(), mtime=0)
        with open(os.path.join(self.scene, "packed.csv.gz"), "wb") as file:
            file.write(packed)

    def plain(self, arguments, folder=None):
        done = subprocess.run([self.program] + arguments + ["-q"], cwd=folder or self.scene, capture_output=True)
        need(done.returncode == 0, "%s ended with %d: %s" % (arguments[0], done.returncode, done.stderr.decode()))
        return done.stdout

    def fresh(self):
        for folder in (self.case, self.temporary):
            shutil.rmtree(folder, ignore_errors=True)
            os.mkdir(folder)
        for name in INPUTS:
            shutil.copy(os.path.join(self.scene, name), self.case)

    def run(self, command, kind, at, stays=False):
        """Exit status, standard output, standard error."""
        self.fresh()
        counts = os.path.join(self.root, "counts")
        env = dict(os.environ, LD_PRELOAD=self.shim, TMPDIR=self.temporary, FAIL_KIND=kind, FAIL_AT=str(at),
                   FAIL_COUNTS=counts)
        if stays:
            env["FAIL_STAYS"] = "1"
        quiet = [] if command in SPEAKS_ONLY else ["-q"]
        try:
            done = subprocess.run([self.program] + COMMANDS[command][0] + quiet, cwd=self.case, env=env,
                                  capture_output=True, stdin=subprocess.DEVNULL, timeout=60)
        except subprocess.TimeoutExpired:
            raise Broken("it hangs") from None
        return done.returncode, done.stdout, done.stderr.decode(errors="replace")

    def held(self, state):
        """What a state holds: what the program says of it, without times, and what it would release. The same bytes
        without a journal hold the same."""
        with open(os.path.join(self.case, state), "rb") as file:
            bytes_now = file.read()
        if os.path.exists(os.path.join(self.case, state + "-journal")):
            return self.asked(state)
        if bytes_now not in self.known:
            self.known = {bytes_now: self.asked(state), **dict(list(self.known.items())[:1])}
        return self.known[bytes_now]

    def asked(self, state):
        said = subprocess.run([self.program, "state", state], cwd=self.case, capture_output=True)
        need(said.returncode == 0, "the state is not sound: " + said.stderr.decode(errors="replace"))
        text = re.sub(rb"[0-9-]+T[0-9:]+Z", b"", said.stdout)
        copy = os.path.join(self.root, "copy.state")
        shutil.copy(os.path.join(self.case, state), copy)
        return text, self.plain(["release", copy])

    def files(self):
        out = {}
        for folder, _, names in os.walk(self.case):
            for name in names:
                path = os.path.relpath(os.path.join(folder, name), self.case)
                if path not in INPUTS:
                    with open(os.path.join(folder, name), "rb") as file:
                        out[path] = normal(name, file.read())
        if "shuffled.csv" in out:  # in another order each time
            out["shuffled.csv"] = b"\n".join(sorted(out["shuffled.csv"].splitlines()))
        return out

    def learn(self, command):
        """The command without a fault: how many calls it makes, what it prints, writes and does to the state."""
        _, outputs, state = COMMANDS[command]
        self.fresh()
        before = self.held(state) if state else None
        code, out, err = self.run(command, "memory", 0)
        need(code == 0, "without a fault it ends with %d: %s" % (code, err))
        with open(os.path.join(self.root, "counts")) as file:
            self.counts[command] = {line.split()[0]: int(line.split()[1]) for line in file}
        files = {name: content for name, content in self.files().items() if not name.endswith(".state")}
        self.good[command] = {"out": normal(".csv", out), "files": files, "before": before,
                              "after": self.held(state) if state else None,
                              "made": self.held("n.state") if "n.state" in outputs else None}

    def examine(self, command, kind, at, stays):
        """Let a call fail and look at what is left. Returns the exit status."""
        _, outputs, state = COMMANDS[command]
        good = self.good[command]
        code, out, err = self.run(command, kind, at, stays)
        need(code >= 0, "killed by signal %d: %s" % (-code, err))
        need(code in (0, 4), "exit status %d: %s" % (code, err.strip()))
        lines = err.splitlines()
        if code == 4:
            need(len(lines) == 1 and lines[0].startswith("kanon: ") and len(lines[0]) > 12,
                 "not one line that says what failed: %r" % err)
            need("internal" not in lines[0] and "defect" not in lines[0],
                 "a failing system is called a defect: " + lines[0])
        left = self.files()
        if kind == "unlink":  # what cannot be removed stays
            left = {n: c for n, c in left.items() if not re.search(r"\.(tmp|old)$|-journal", n)}
        else:
            need(not os.listdir(self.temporary), "a temporary file is left in TMPDIR")
        journal = state + "-journal" if state else "n.state-journal"
        left.pop(journal, None)
        made = left.pop("n.state", None)
        if code == 0:
            missing = sorted(set(good["files"]) - set(left))
            need(not missing, "done, but %s is not there" % missing)
            wrong = [name for name, content in good["files"].items() if left[name] != content]
            need(not wrong, "done, but %s is not what it is without a fault" % wrong)
            need(normal(".csv", out) == good["out"] or kind == "thread" or command in TELLS_TIMES,
                 "done, but standard output is another one")
        stray = sorted(set(left) - set(good["files"]))
        need(not stray, "files are left: %s" % stray)
        if code == 4 and left and command != "sample":
            # what is printed comes after the files: they are complete then
            need("standard output" in err or self.said_so(err), "failed, but outputs are there: %s: %s" % (
                sorted(left), err.strip()))
            need(left == good["files"], "failed, and outputs are not what they are without a fault: %s" % sorted(left))
        self.examine_state(command, code, err, made, good, state)
        return code

    @staticmethod
    def said_so(err):
        """The message says that the work was done nevertheless."""
        return re.search(r"(was|is|IS) (changed|recorded|written|kept|applied|done|made|complete)", err) is not None

    def examine_state(self, command, code, err, made, good, state):
        if good["made"] is not None:
            need((made is not None) == (code == 0) or self.said_so(err), "the command is done, but there is no state"
                 if code == 0 else "the state is there, but the command failed")
            if made is not None:
                need(self.held("n.state") == good["made"], "the new state is not what it is without a fault")
        if state is None:
            return
        now = self.held(state)
        need(now in (good["before"], good["after"]), "the state is neither as before nor as after")
        if code == 0:
            need(now == good["after"], "done, but the state is as before")
        elif good["before"] != good["after"]:
            need(now == good["before"] or self.said_so(err), "failed, but the state was changed: " + err.strip())

    def close(self):
        shutil.rmtree(self.root, ignore_errors=True)


def forgotten(program):
    """The commands of the program that no case runs; kanon serve does not end by itself, serve_attacks.py attacks it."""
    said = subprocess.run([program, "--help"], capture_output=True, text=True, check=True).stdout
    listed = re.search(r"^commands:\n((?:  .*\n)+)", said, re.M).group(1)
    return sorted({line.split()[0] for line in listed.splitlines()} - {c[0][0] for c in COMMANDS.values()} - {"serve"})


def chosen(rng, n, each):
    """All numbers up to n, or the first, the last and a spread sample."""
    if each is None or n <= each:
        return list(range(1, n + 1))
    step = n / each
    return sorted({1, n} | {min(n, 1 + int((i + rng.random()) * step)) for i in range(each)})


def cases(args, faults, rng):
    for command in [args.command] if args.command else COMMANDS:
        faults.learn(command)
        for kind in [args.kind] if args.kind else KINDS:
            n = faults.counts[command].get(kind, 0)
            each = args.each and args.each * (3 if kind == "memory" else 1)
            numbers = [args.at] if args.at else chosen(rng, n, each)
            for at in numbers:
                yield command, kind, at, args.stays
                if args.at:
                    continue
                if kind in ("memory", "write", "sync", "read") and (args.each is None or at % 3 == 0):
                    yield command, kind, at, True


def work(args, worker, results):
    """One of several workers: every n-th case, until the time is over."""
    faults, begin = Faults(args.build), time.monotonic()
    counts, wrong, done = collections.Counter(), 0, 0
    listed = list(cases(args, faults, random.Random(args.seed)))
    if args.seconds < 1e9:
        random.Random(args.seed).shuffle(listed)
    for command, kind, at, stays in listed[worker::args.workers]:
        if time.monotonic() - begin > args.seconds:
            break
        done += 1
        try:
            code = faults.examine(command, kind, at, stays)
            counts["%s %s" % (kind, "survived" if code == 0 else "refused")] += 1
        except Broken as problem:
            wrong += 1
            if wrong <= 100:
                print("  --command %s --kind %s --at %d%s: %s" % (
                    command, kind, at, " --stays" if stays else "", problem))
                sys.stdout.flush()
    faults.close()
    results.put((done, len(listed), counts, wrong))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build")
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--each", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=1e9)
    parser.add_argument("--seed", default=str(random.SystemRandom().randint(1, 10 ** 9)))
    parser.add_argument("--command", choices=sorted(COMMANDS))
    parser.add_argument("--kind", choices=KINDS)
    parser.add_argument("--at", type=int)
    parser.add_argument("--stays", action="store_true", help="with --at: all calls after it fail, too")
    parser.add_argument("--workers", type=int, default=1)
    args = parser.parse_args()
    if args.all:
        args.each = None
    for name in ("kanon", "libfail_nth.so"):
        if not os.path.exists(os.path.join(args.build, name)):
            print("faults: %s has no %s" % (args.build, name))
            sys.exit(77)
    missing = forgotten(os.path.join(args.build, "kanon"))
    if missing:
        print("faults: no case runs %s" % ", ".join(missing))
        sys.exit(1)
    print("faults: seed %s" % args.seed)
    sys.stdout.flush()
    results = multiprocessing.Queue()
    workers = [multiprocessing.Process(target=work, args=(args, i, results)) for i in range(args.workers)]
    for process in workers:
        process.start()
    total, listed, counts, wrong, begin = 0, 0, collections.Counter(), 0, time.monotonic()
    for _ in workers:
        done, listed, found, bad = results.get()
        total, counts, wrong = total + done, counts + found, wrong + bad
    for process in workers:
        process.join()
    print("faults: seed %s, %d of %d cases in %.0f s: %s; %d wrong" % (
        args.seed, total, listed, time.monotonic() - begin,
        ", ".join("%d %s" % (n, what) for what, n in sorted(counts.items())), wrong))
    sys.exit(1 if wrong or total == 0 else 0)


if __name__ == "__main__":
    main()
