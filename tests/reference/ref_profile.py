#!/usr/bin/env python3
"""Profiles by their definition: ref_profile.py PROGRAM SEED ROUNDS

Makes random tables, with and without persons, runs `kanon profile` and counts every figure again from the rows, in the
slowest way: classes are dictionaries of tuples, persons are sets."""
import collections
import csv
import itertools
import json
import os
import random
import subprocess
import sys
import tempfile

COLUMNS = ["age", "zip", "sex", "job", "town"]


def make_table(r):
    """Rows of a person number and the quasi-identifiers; a person has one to four records, not all alike."""
    rows = []
    for person in range(r.randint(5, 60)):
        fixed = [str(r.randint(20, 20 + r.randint(1, 40))), f"{r.randint(10, 12)}", r.choice("mf")]
        for _ in range(r.choice([1, 1, 1, 2, 4])):
            rows.append([f"p{person}", *fixed, r.choice(["", "a", "b", "c"]), r.choice(["x", "y"])])
    r.shuffle(rows)
    return rows


def classes_of(rows, columns):
    """By tuple of values: the persons of its records, one for each record."""
    found = collections.defaultdict(list)
    for row in rows:
        found[tuple(row[c] for c in columns)].append(row[0])
    return found


def singled_out(rows, columns):
    alone = [persons for persons in classes_of(rows, columns).values() if len(set(persons)) == 1]
    return sum(map(len, alone)), len({persons[0] for persons in alone})


def expected(rows):
    columns = range(1, 1 + len(COLUMNS))
    classes = [(len(persons), len(set(persons))) for persons in classes_of(rows, columns).values()]
    sizes = collections.Counter(size for _, size in classes)
    every = classes_of(rows, columns)
    below = []
    for k in range(2, 21):
        small = [persons for persons in every.values() if len(set(persons)) < k]
        below.append((k, len(small), sum(map(len, small)), len(set(itertools.chain(*small)))))
    sets = {}
    for n in (1, 2, 3):
        for chosen in itertools.combinations(columns, n):
            sets[tuple(COLUMNS[c - 1] for c in chosen)] = (len(classes_of(rows, chosen)), *singled_out(rows, chosen))
    return {
        "records": len(rows), "persons": len({row[0] for row in rows}), "classes": len(classes),
        "smallest_class": min(size for _, size in classes), "largest_class": max(size for _, size in classes),
        "unique": singled_out(rows, columns), "sizes": sorted(sizes.items()), "below": below, "sets": sets,
        "average_risk": sum(n / size for n, size in classes) / len(rows),
        "attributes": [(name, len({row[i + 1] for row in rows} - {""}), sum(row[i + 1] == "" for row in rows),
                        singled_out(rows, [i + 1])[1], singled_out(rows, [c for c in columns if c != i + 1])[1])
                       for i, name in enumerate(COLUMNS)],
    }


def read_report(path):
    with open(path, encoding="utf-8") as file:
        report = json.load(file)
    strength = [(-len(s["columns"]), s["records"]) for s in report["sets"]]
    assert strength == sorted(strength, reverse=True), "sets are not in order"
    return {
        "records": report["records"], "persons": report["persons"], "classes": report["classes"],
        "smallest_class": report["smallest_class"], "largest_class": report["largest_class"],
        "unique": (report["unique_records"], report["unique_persons"]),
        "sizes": [(s["size"], s["classes"]) for s in report["class_sizes"]],
        "below": [(b["k"], b["classes"], b["records"], b["persons"]) for b in report["below"]],
        "sets": {tuple(s["columns"]): (s["classes"], s["records"], s["persons"]) for s in report["sets"]},
        "average_risk": report["average_risk"],
        "attributes": [(a["name"], a["distinct"], a["missing"], a["unique"], a["unique_without"])
                       for a in report["attributes"]],
    }


def compare(found, wanted, where):
    for name, value in wanted.items():
        same = abs(found[name] - value) < 1e-12 if name == "average_risk" else found[name] == value
        if not same:
            sys.exit(f"{where}: {name} is {found[name]} instead of {value}")


def main(program, seed, rounds):
    print(f"seed {seed}")
    with tempfile.TemporaryDirectory() as folder:
        table, report = os.path.join(folder, "t.csv"), os.path.join(folder, "p.json")
        for number in range(rounds):
            r = random.Random(f"{seed} {number}")
            rows = make_table(r)
            with open(table, "w", newline="", encoding="utf-8") as file:
                csv.writer(file, lineterminator="\n").writerows([["person", *COLUMNS], *rows])
            persons = number % 2 == 0
            flags = ["--entity", "person"] if persons else ["--identifying", "person"]
            subprocess.run([program, "profile", table, "--quasi", ",".join(COLUMNS), "--report", report, "-q", *flags],
                           check=True, stdout=subprocess.DEVNULL)
            if not persons:
                rows = [[str(i), *row[1:]] for i, row in enumerate(rows)]
            compare(read_report(report), expected(rows), f"seed {seed}, round {number}")


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
