"""Campaign a: a random table with random settings is anonymised, and the release is checked; a refusal must be true."""
import collections
import csv
import io
import os
import re
import sqlite3
import subprocess

import checker
import driver
import numerals
import tables
from checker import Wrong, need

ALGORITHMS = ["auto", "kmember", "densest", "strips", "kmember-p", "oka", "kmeans-adjust-each", "kmeans-fill",
              "kmeans-adjust-last", "tgc", "tgc-u", "tgc-p", "tgc-b", "mondrian", "top-down", "greedy-threshold",
              "wfcm", "attribute-cut", "full-domain"]
PROTECTS = ("kmember-p", "tgc", "tgc-p", "tgc-b")  # sensitive columns, which must be there
LEVELS = ("attribute-cut", "full-domain")
FORMS = ["interval", "range", "mean", "columns"]
SEARCHES = {"kmember", "densest", "kmember-p", "oka", "kmeans-adjust-each", "kmeans-fill", "kmeans-adjust-last", "tgc",
            "tgc-u", "tgc-p", "tgc-b", "greedy-threshold", "wfcm"}


def settings(rng, algorithm):
    out = []
    if algorithm in SEARCHES and rng.random() < 0.5:
        out.append("search=" + rng.choice(["scan", "index"]))
    if algorithm.startswith("tgc"):
        out.append("max-iterations=1")
        if rng.random() < 0.3:
            out.append("delta=" + rng.choice(["0", "0.3", "1"]))
        if rng.random() < 0.3:
            out.append("s=%d" % rng.randint(1, 10))
        if rng.random() < 0.2:
            out.append("max-size=%d" % rng.randint(5, 9))
        if rng.random() < 0.2:
            out.append("partition=none")
    if algorithm.startswith("kmeans") or algorithm == "wfcm":
        out.append("max-iterations=%d" % rng.randint(1, 15))
    if algorithm == "oka":
        out += [s for s in ("size-factor=false", "suppress-small=true", "iterations=2") if rng.random() < 0.4]
    if algorithm == "mondrian" and rng.random() < 0.5:
        out.append("ties=relaxed")
    if algorithm == "greedy-threshold" and rng.random() < 0.7:
        out.append("threshold=" + rng.choice(["0", "0.02", "0.1", "0.5", "1", "3"]))
    if algorithm == "densest" and rng.random() < 0.3:
        out.append("every=%d" % rng.randint(1, 4))
    if algorithm == "attribute-cut":
        out += ["starts=%d" % rng.randint(0, 2), "rounds=%d" % rng.randint(0, 3)]
    if algorithm in ("oka", "kmeans-fill") and rng.random() < 0.2:
        out.append("cluster-on=all")
    return out


def request(rng, table):
    algorithm = rng.choice(ALGORITHMS)
    while not any(c.role == "sensitive" for c in table.columns) and algorithm in PROTECTS:
        algorithm = rng.choice(ALGORITHMS)
    chosen = settings(rng, algorithm)
    out = {"do": "anonymize", "schema": table.schema(), "table": table.csv(), "want": "release groups",
           "algorithm": algorithm, "settings": "\n".join(chosen), "seed": rng.randint(0, 3),
           "threads": rng.randint(1, 2), "numeric": rng.choice([0, 0, 0, 1, 2, 3])}
    if "cluster-on=all" in chosen:
        out["all"] = 1
    if algorithm == "auto":
        out["effort"] = "fast"
    attribute_level = algorithm in LEVELS and rng.random() < 0.7 and not table.together
    if attribute_level:
        out["recode"] = 1
        if out["numeric"] == 2:
            out["numeric"] = 0
    else:
        shape = 1 if table.together else rng.random()
        if shape < 0.15:
            out.update({"refine": "search", "refine-settings": "moves=%d" % rng.choice([1, 50, 300])})
        elif shape < 0.4:
            out["refine"] = "il-optimization"
        if rng.random() < 0.2:
            out["blocks"] = rng.randint(2, 12)
        if out.get("refine") == "search":
            out.pop("effort", None)
    if rng.random() < 0.1:
        out["shuffle"] = 1
    if rng.random() < 0.1:
        out["want"] += " report external"
    return out


def is_named(column, said):
    return re.search(r": %s: " % re.escape(column.name), ": " + said["message"]) is not None


def check_answer(table, asked, said):
    """Raises Wrong, or returns how the run ended."""
    status = said["status"]
    need("broken" not in said, said.get("broken", ""))
    if status != driver.OK:
        need(said["message"] and "\n" not in said["message"] + said["hint"], "the message is not one line")
        need("SECRET" not in said["message"], "a message holds a value")
    refused = checker.refused_form(table, FORMS[int(asked.get("numeric", 0))])
    if status == driver.OK:
        need(not refused, "a form of numbers that this table cannot have")
        checker.check_release(table, said["release"], said["groups"], FORMS[int(asked.get("numeric", 0))],
                              "recode" in asked, "shuffle" in asked)
        return "released"
    if status == driver.EINFEASIBLE:
        exists = checker.grouping_exists(table)
        if exists is True and checker.satisfied(table, table.rows, True) is not None:
            return "refused, could be met by suppressing"  # docs/privacy.md: suppression lowers the loss, nothing else
        need(exists is not True, "refused, but a grouping exists: " + said["message"])
        return "refused" if exists is False else "refused, not tried"
    if status == driver.EINVAL and (asked.get("numeric") == 3 or "blocks" in asked or refused):
        return "invalid"
    if status == driver.EDATA and not table.clean:
        return "bad input"
    if status == driver.EDATA and any(not column.said and is_named(column, said) for column in table.columns):
        return "asked how to read"
    raise Wrong("status %s: %s" % (driver.STATUS[status], said["message"]))


def damaged(rng, table, release, form):
    """The release with one cell changed so that a class falls below k; None where that cannot be said of it."""
    lines = checker.read_csv(release, table.delimiter)
    header = checker.released_header(table, form)
    places = [p for p, (i, _) in enumerate(header) if table.columns[i].role == "quasi"]
    numbers = [p for p in places if table.columns[header[p][0]].kind == "integer"]
    classes = collections.Counter(tuple(line[p] for p in places) for line in lines[1:])
    small = [n for n, line in enumerate(lines) if n > 0 and classes[tuple(line[p] for p in places)] == table.k]
    if not small or not numbers or form != "interval" or table.entity is not None:
        return None
    lines[rng.choice(small)][rng.choice(numbers)] = "987654"
    out = io.StringIO(newline="")
    csv.writer(out, delimiter=table.delimiter, lineterminator="\n").writerows(lines)
    return out.getvalue()


def check_the_check(rng, tools, table, asked, said):
    """What the product says of its own release, and of one that was damaged."""
    form = FORMS[int(asked.get("numeric", 0))]
    ask = {"do": "check", "schema": asked["schema"], "table": said["release"], "delimiter": table.delimiter}
    found = tools.driver.ask(ask)
    need(found["status"] == driver.OK, "check: " + found.get("message", ""))
    if form in ("interval", "range") and table.entity is None and table.clean:
        need(found["holds"] == "1" or int(found["not-shown"]) > 0, "check does not find what the release has: " +
             found.get("violated", ""))
    text = damaged(rng, table, said["release"], form)
    if text is not None:
        found = tools.driver.ask(dict(ask, table=text))
        need(found["status"] == driver.OK and found["holds"] == "0", "check passes a release with a class below k")


FLAGS = {"algorithm": "-a", "seed": "--seed", "threads": "--threads", "refine": "--refine", "effort": "--effort",
         "blocks": "--blocks"}


def run_program(tools, asked, said):
    """The program does what the library did: the same release, or the exit status that belongs to the failure."""
    for name, text in (("t.csv", asked["table"]), ("s.yaml", asked["schema"])):
        with open(tools.path(name), "w", newline="", encoding="utf-8") as file:
            file.write(text)
    command = [tools.program, "anonymize", "t.csv", "-s", "s.yaml", "-q", "-o", "r.csv", "--groups", "g.csv",
               "--numeric", FORMS[int(asked["numeric"])]]
    for name, flag in FLAGS.items():
        if name in asked:
            command += [flag, str(asked[name])]
    for setting in asked["settings"].split("\n") if asked["settings"] else []:
        command += ["--set", setting]
    command += ["--recode", "attribute"] if "recode" in asked else []
    if "refine-settings" in asked:
        command += ["--moves", asked["refine-settings"].split("=")[1]]
    done = subprocess.run(command, cwd=tools.folder, capture_output=True, timeout=60)
    wanted = {driver.OK: 0, driver.EINVAL: 2, driver.EDATA: 3, driver.EINFEASIBLE: 1}[said["status"]]
    need(done.returncode == wanted, "the program ends with %d, the library with %s: %s" % (
        done.returncode, driver.STATUS[said["status"]], done.stderr.decode(errors="replace")))
    for name, what in (("r.csv", "release"), ("g.csv", "groups")):
        if said["status"] == driver.OK:
            with open(tools.path(name), newline="", encoding="utf-8") as file:
                need(file.read() == said[what], "the program writes other %s than the library" % what)
        else:
            need(not os.path.exists(tools.path(name)), "the program failed and left an output")


def run_typed(tools, table, asked):
    """Into SQLite go the same records, and their texts byte for byte: those that are neither quasi-identifiers nor numbers."""
    with open(tools.path("g.csv"), encoding="utf-8") as file:
        groups = [line.split(",")[1].strip() for line in file][1:]
    wanted = [i for i, c in enumerate(table.columns)
              if c.role == "insensitive" or (c.role == "sensitive" and c.kind == "categorical")]
    command = [tools.program, "anonymize", "t.csv", "-s", "s.yaml", "-q", "-o", "r.db#rel"]
    for name, flag in FLAGS.items():
        if name in asked:
            command += [flag, str(asked[name])]
    for setting in asked["settings"].split("\n") if asked["settings"] else []:
        command += ["--set", setting]
    command += ["--recode", "attribute"] if "recode" in asked else []
    if "refine-settings" in asked:
        command += ["--moves", asked["refine-settings"].split("=")[1]]
    done = subprocess.run(command, cwd=tools.folder, capture_output=True, timeout=60)
    long = any(c.kind == "decimal" and c.role == "quasi" and numerals.has_bands(c) and any(len(t) > 15 for t in c.pool)
               for c in table.columns)
    if long and done.returncode == 2 and b"do not fit the type of the column" in done.stderr:
        return  # a double does not hold the end of a band: docs/library.md
    need(done.returncode == 0, "into SQLite it ends with %d: %s" % (done.returncode, done.stderr.decode(errors="replace")))
    base = sqlite3.connect(tools.path("r.db"))
    try:
        for i in wanted:
            name = table.columns[i].name.replace('"', '""')
            found = [row[0] for row in base.execute('SELECT "%s" FROM rel ORDER BY rowid' % name)]
            need(found == [row[i] for row, group in zip(table.rows, groups) if group != "0"],
                 "%s: SQLite has other texts than the table" % table.columns[i].name)
    finally:
        base.close()


def run_evaluate(tools, table):
    """The program can read what it released. A date of another century is not written in a format with %y."""
    if any("%y" in (column.format or "") for column in table.columns):
        return
    done = subprocess.run([tools.program, "evaluate", "t.csv", "-s", "s.yaml", "--release", "r.csv", "-q"],
                          cwd=tools.folder, capture_output=True, timeout=60)
    need(done.returncode == 0, "evaluate ends with %d: %s" % (done.returncode, done.stderr.decode(errors="replace")))
    need(re.search(rb"^unknown_cells +0$", done.stdout, re.M), "evaluate cannot read all cells of the release")


def run_case(rng, tools, record):
    """One case; `record` takes what a reproduction needs."""
    table = tables.random_table(rng)
    asked = request(rng, table)
    record.update({"s.yaml": asked["schema"], "t.csv": asked["table"],
                   "request.txt": "\n".join("%s: %s" % (k, v) for k, v in asked.items()
                                            if k not in ("schema", "table"))})
    said = tools.driver.ask(asked)
    record["answer.txt"] = "\n".join("%s: %s" % item for item in said.items())
    ended = check_answer(table, asked, said)
    if said["status"] == driver.OK and rng.random() < 0.2:
        check_the_check(rng, tools, table, asked, said)
    if "shuffle" not in asked and rng.random() < 0.03:
        run_program(tools, asked, said)
        if said["status"] == driver.OK:
            run_evaluate(tools, table)
            if asked["numeric"] in (0, 3):
                run_typed(tools, table, asked)
    return ended
