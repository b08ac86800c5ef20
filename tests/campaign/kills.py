"""Campaign c: a program that works on a state or writes a release is killed at a random call of the system. The state
afterwards is the old one or the new one, never one between; an output is the old file or the whole new one.
SIGTERM, SIGINT and SIGHUP leave nothing half-done and no temporary file; after SIGKILL only files with the
names of temporary ones may be left, and the next run of the program is not disturbed by them."""
import os
import random
import re
import shutil
import signal
import subprocess

import driver
from checker import need

OUTPUTS = ["r.csv", "g.csv", "p.json", "e.html"]
TEMPORARY = re.compile(r"\.(tmp|old)(-journal)?$")
SCHEMA = """missing: ["?"]
key: key
attributes:
  key: identifying
  age: {role: quasi, type: integer}
  born: {role: quasi, type: date}
  job: {role: quasi, taxonomy: {Health: [nurse, surgeon], Food: [baker, cook]}}
  zip: {role: quasi, mask: right}
  ill: sensitive
privacy: {k: 3, constraints: [{model: distinct-l-diversity, attribute: ill, l: 2}]}
"""
# Calls at which a program is killed: those of the end, where files are named and the state is committed, are few, and as likely
# each as any moment of the work.
KINDS = ["memory", "open", "read", "write", "sync", "rename", "unlink", "truncate", "stat", "lock"]
HEADER = "key,age,born,job,zip,ill\n"


def people(rng, letter, numbers):
    return "".join("%s%d,%d,19%02d-0%d-1%d,%s,%03d,%s\n" % (
        letter, i, rng.randint(18, 90), rng.randint(20, 99), rng.randint(1, 9), rng.randint(0, 9),
        rng.choice(["nurse", "surgeon", "baker", "cook"]), rng.randint(100, 160), rng.choice(["flu", "gout", "cold"]))
        for i in numbers)


def at_call(tools, **what):
    """The environment of a program whose calls are counted (fault/fail_nth.c)."""
    shim = os.path.join(os.path.dirname(os.path.abspath(tools.program)), "libfail_nth.so")
    return dict(os.environ, LD_PRELOAD=shim, **what)


class Scene:
    """What is prepared once for all kills of a worker: the files, and what each command makes of them."""

    def __init__(self, tools):
        rng = random.Random(17)
        self.tools, self.dir = tools, tools.path("scene")
        os.mkdir(self.dir)
        self.write("s.yaml", SCHEMA)
        self.write("t.csv", HEADER + people(rng, "a", range(260)))
        self.write("i.csv", HEADER + people(rng, "b", range(40)))
        self.write("u.csv", HEADER + people(rng, "a", range(20, 40)))
        self.write("d.csv", "key\n" + "".join("a%d\n" % i for i in range(100, 140)))
        out = ["-o", "r.csv", "--groups", "g.csv", "--report", "p.json", "--report-external", "e.html"]
        self.commands = {
            "anonymize": ["anonymize", "t.csv", "-s", "s.yaml", "-a", "kmember", "--state", "n.state"] + out,
            "plain": ["anonymize", "t.csv", "-s", "s.yaml", "-a", "mondrian"] + out,
            "insert": ["insert", "x.state", "i.csv"] + out,
            "delete": ["delete", "x.state", "d.csv", "-o", "r.csv", "--joint-k", "2"],
            "update": ["update", "x.state", "u.csv"],
            "optimize": ["optimize", "x.state", "-o", "r.csv"],
            "release": ["release", "x.state"] + out,
        }
        self.run(["anonymize", "t.csv", "-s", "s.yaml", "-a", "mondrian", "--state", "x.state", "-o", "first.csv"])
        self.before = self.content("x.state")
        self.after, self.made, self.calls = {}, {}, {}
        for name in self.commands:
            folder = self.fresh("made", None)
            self.calls[name] = self.run(self.commands[name], folder)
            state = "n.state" if name == "anonymize" else "x.state"
            self.after[name] = self.content(os.path.join(folder, state))
            self.made[name] = {f: open(os.path.join(folder, f), "rb").read() for f in OUTPUTS
                               if os.path.exists(os.path.join(folder, f))}

    def write(self, name, text):
        with open(os.path.join(self.dir, name), "w") as file:
            file.write(text)

    def run(self, command, folder=None):
        """How many calls of each kind the command made."""
        counts = self.tools.path("counts")
        done = subprocess.run([self.tools.program] + command + ["-q"], cwd=folder or self.dir, capture_output=True,
                              env=at_call(self.tools, FAIL_COUNTS=counts))
        need(done.returncode == 0, "%s ended with %d: %s" % (command[0], done.returncode, done.stderr.decode()))
        with open(counts) as file:
            found = dict(line.split() for line in file)
        return {kind: int(found[kind]) for kind in KINDS if int(found[kind]) > 0}

    def fresh(self, name, old):
        """A folder with the files; `old`: outputs that are there already."""
        folder = self.tools.path(name)
        shutil.rmtree(folder, ignore_errors=True)
        os.mkdir(folder)
        for file in ("s.yaml", "t.csv", "i.csv", "u.csv", "d.csv", "x.state"):
            shutil.copy(os.path.join(self.dir, file), folder)
        for file in OUTPUTS if old else []:
            with open(os.path.join(folder, file), "w") as out:
                out.write(old)
        return folder

    def content(self, state):
        """What a state holds, as it can be seen from outside. The release that is asked for is of a copy."""
        path = os.path.join(self.dir, state)
        found = self.tools.driver.ask({"do": "describe", "state": path})
        need(found["status"] == driver.OK, "the state is not sound: " + found.get("message", ""))
        shutil.copy(path, self.tools.path("copy.state"))
        shown = self.tools.driver.ask({"do": "release", "state": self.tools.path("copy.state"),
                                       "want": "release groups"})
        need(shown["status"] == driver.OK, "the state cannot be released: " + shown.get("message", ""))
        return tuple(found[name] for name in ("records", "groups", "releases", "history", "departed")) + (
            shown["release"], shown["groups"])


def scene_of(tools):
    """Kept in the worker; tools.clear() takes only the folders of single cases away."""
    if not hasattr(tools, "scene"):
        tools.clear_all, tools.clear = tools.clear, lambda: None
        tools.scene = Scene(tools)
    return tools.scene


def same_output(name, got, made):
    """Reports hold times and the pid is nowhere; of them only the end is compared: a whole file has it."""
    if name.endswith((".json", ".html")):
        return got.rstrip()[-8:] == made.rstrip()[-8:] and len(got) > len(made) // 2
    return got == made


def run_case(rng, tools, record):
    scene = scene_of(tools)
    name = rng.choice(list(scene.commands))
    command = scene.commands[name]
    how = rng.choice([signal.SIGKILL] * 8 + [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
    old = "old\n" if rng.random() < 0.4 else None
    folder = scene.fresh("case", old)
    kind = rng.choice(list(scene.calls[name]))
    at = 1 + rng.randrange(scene.calls[name][kind])
    record["what.txt"] = "%s\nsignal %d at call %d of %s, %s\n" % (
        " ".join(command), how, at, kind, "over old files" if old else "")
    process = subprocess.Popen([tools.program] + command + ["-q"], cwd=folder, stdin=subprocess.DEVNULL,
                               stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                               env=at_call(tools, TMPDIR=folder, FAIL_KIND=kind, FAIL_AT=str(at), FAIL_SIGNAL=str(int(how))))
    code = process.wait()
    said = process.stderr.read().decode(errors="replace")
    process.stderr.close()
    record["stderr.txt"] = said
    need(code in (0, -how), "ended with %d: %s" % (code, said))
    state = "n.state" if name == "anonymize" else "x.state"
    if how == signal.SIGKILL and rng.random() < 0.2:  # once more, while the state is being recovered
        subprocess.run([tools.program, "state", state, "-q"], cwd=folder, capture_output=True,
                       env=at_call(tools, FAIL_KIND=rng.choice(["read", "write", "unlink", "sync", "lock"]),
                                   FAIL_AT=str(rng.randint(1, 8)), FAIL_SIGNAL=str(int(signal.SIGKILL))))
    ended = look(scene, folder, name, state, old, how, code)
    if how == signal.SIGKILL and rng.random() < 0.1 and ended.startswith("as before"):
        scene.run(command, folder)  # what is left of the first run does not disturb the second
        need(scene.content(os.path.join(folder, state)) == scene.after[name],
             "after a second run the state is another one")
        left = [f for f in os.listdir(folder) if TEMPORARY.search(f)]
        need(not left, "what a killed run left is still there after the next one: %s" % left)
    return ended


def look(scene, folder, name, state, old, how, code):
    """What is left: the state and the outputs, each old or new."""
    made = scene.made[name]
    left = set(os.listdir(folder)) - {"s.yaml", "t.csv", "i.csv", "u.csv", "d.csv", "x.state"}
    new_state = None
    path = os.path.join(folder, state)
    if name == "anonymize" and not os.path.exists(path):
        new_state = False
    elif name != "plain":
        content = scene.content(path)
        need(content in (scene.before, scene.after[name]) if name != "anonymize" else content == scene.after[name],
             "the state is neither as before nor as after")
        new_state = content == scene.after[name]
    n_new = 0
    for file in made:
        full = os.path.join(folder, file)
        if not os.path.exists(full):
            need(old is None or any(f.startswith(file + ".") and f.endswith(".old") for f in left), "%s is gone" % file)
            continue
        got = open(full, "rb").read()
        if old is not None and got == old.encode():
            continue
        need(same_output(file, got, made[file]), "%s is half-written" % file)
        n_new += 1
    rest = {f for f in left if f not in OUTPUTS and not f.startswith(state)}
    stray = {f for f in rest if not TEMPORARY.search(f) and not f.startswith(("kanon", "etilqs"))}
    need(not stray, "files are left: %s" % sorted(stray))
    if how != signal.SIGKILL:
        need(not rest, "temporary files are left after a signal that can be caught: %s" % sorted(rest))
        need(n_new in (0, len(made)), "%d of %d outputs are new" % (n_new, len(made)))
        need(code == 0 or (n_new == 0 and not new_state), "stopped, but something was done")
    if code == 0:
        need(n_new == len(made) and new_state is not False, "done, but not everything is there")
    if n_new == 0 and not new_state:
        return "as before"
    return "as after" if n_new == len(made) and new_state is not False else "some outputs named"
