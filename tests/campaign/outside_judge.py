#!/usr/bin/env python3
"""pyCANON, a program of others, judges releases of kanon: outside_judge.py KANON [RELEASES [SEED]]

Random tables with all types, taxonomies, masks, bands, missing texts and entities are released with random algorithms,
forms, constraints and suppression, the suppressed records left out or kept. Every second release is then written anew in
the notations of other tools, cell by cell. The file is read as text and nothing else. k, distinct l and alpha must be what
`kanon check` says. pyCANON counts rows: where there are entities, they are recounted here.

Needs pandas and pycanon. Nothing is shared with the product but its command line."""
import csv
import io
import os
import random
import re
import subprocess
import sys
import tempfile

import pandas
from pycanon import anonymity

TOWNS = {"Ulm": "South", "Aalen": "South", "Kiel": "North", "Husum": "North", "Jever": "North"}
JOBS = ["nurse", "cook", "judge", "{cook}", "baker "]
ILLS = ["flu", "gout", "hiv", "cold", "asthma"]
FORMS = ["interval", "range", "columns", "mean"]
ALGORITHMS = [["--effort", "fast"], ["-a", "tgc-b"], ["-a", "kmember"], ["-a", "mondrian"]]


def random_table(rng):
    n = rng.randint(12, 90)
    columns = {
        "age": lambda: rng.choice(["?", "NA", ""]) if rng.random() < 0.05 else str(rng.randint(18, 60)),
        "weight": lambda: f"{rng.uniform(45, 110):.1f}",
        "born": lambda: f"19{rng.randint(50, 99)}-{rng.randint(1, 12):02}-{rng.randint(1, 28):02}",
        "town": lambda: rng.choice(list(TOWNS)),
        "zip": lambda: f"8{rng.randint(0, 99):02}{rng.randint(0, 9)}",
        "job": lambda: rng.choice(JOBS),
    }
    names = rng.sample(list(columns), rng.randint(1, 4))
    persons = rng.random() < 0.4
    header = names + ["who", "ill", "note"]
    rows = [[columns[c]() for c in names] + [f"p{rng.randint(0, n // 2)}" if persons else f"p{i}",
             rng.choice(ILLS), rng.choice("xyz")] for i in range(n)]  # fmt: skip
    return names, persons, header, rows


def random_schema(rng, names, persons):
    kinds = {"age": "type: integer", "weight": "type: decimal", "born": "type: date",
             "town": "taxonomy: {Any: {South: [Ulm, Aalen], North: [Kiel, Husum, Jever]}}",
             "zip": "type: categorical, mask: right", "job": "type: categorical"}  # fmt: skip
    if rng.random() < 0.3:
        kinds["age"] += ", bands: 5"
    lines = ['missing: ["?", NA]', "attributes:"]
    lines += [f"  {c}: {{role: quasi, {kinds[c]}}}" for c in names]
    lines += ["  who: {role: insensitive}", "  ill: {role: sensitive}", "  note: {role: insensitive}"]
    k = rng.randint(2, 6)
    constraints = rng.choice([[], ["{model: distinct-l-diversity, attribute: ill, l: 2}"],
                              ["{model: alpha-k, attribute: ill, alpha: 0.6}"],
                              ["{model: entropy-l-diversity, attribute: ill, l: 1.5}"]])  # fmt: skip
    kept = ", suppressed: keep" if rng.random() < 0.5 else ""
    lines.append(f"privacy: {{k: {k}, constraints: [{', '.join(constraints)}], suppress: {rng.choice([0, 0.1, 0.3])}{kept}}}")
    if persons:
        lines.append("entity: who")
    return k, "\n".join(lines) + "\n"


def other_notation(rng, cell):
    """The same interval or value as another tool may write it; a cell that has no other form stays."""
    found = re.fullmatch(r"\[([0-9.-]+)\.\.([0-9.-]+)\]", cell)
    if found:
        lo, hi = found.groups()
        return rng.choice([f"[{lo}-{hi}]", f"[{lo}, {hi}]", f"[{lo},{hi}]", f"{lo}..{hi}", cell])
    if cell and set(cell) == {"*"}:
        return rng.choice(["*", "**", " *"])
    return rng.choice([f"{{{cell}}}", cell + " ", cell]) if cell else cell


def rewritten(rng, text, quasi):
    rows = list(csv.reader(io.StringIO(text)))
    places = [rows[0].index(c) for c in quasi]
    share = rng.choice([0.02, 0.2, 1])
    for row in rows[1:]:
        for i in places:
            if rng.random() < share:
                row[i] = other_notation(rng, row[i])
    out = io.StringIO(newline="")
    csv.writer(out).writerows(rows)
    return out.getvalue()


def figures(printed):
    """The lines of kanon check: the figures of the table, and those of the column ill."""
    out = {}
    for line in printed.splitlines():
        words = line.split()
        if words and (len(words) < 3 or words[2] == "ill" or words[0] == "entities"):
            out.setdefault(words[0], words[1] if len(words) > 1 else "")
    return out


def fewest_persons(frame, quasi):
    classes = {}
    for row in frame.to_dict("records"):
        classes.setdefault(tuple(row[c] for c in quasi), set()).add(row["who"].strip())
    return min(map(len, classes.values()))


def judge(kanon, rng, folder, number):
    names, persons, header, rows = random_table(rng)
    k, schema = random_schema(rng, names, persons)
    with open(os.path.join(folder, "t.csv"), "w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([header, *rows])
    with open(os.path.join(folder, "s.yaml"), "w", encoding="utf-8") as file:
        file.write(schema)
    form = rng.choice(FORMS)
    made = subprocess.run([kanon, "anonymize", "t.csv", "-s", "s.yaml", "-q", *rng.choice(ALGORITHMS), "--numeric", form,
                           "-o", "r.csv"], cwd=folder, capture_output=True, text=True)  # fmt: skip
    if made.returncode != 0:
        if made.returncode not in (1, 2): # cannot be met, or means of bands
            sys.exit(f"{number}: anonymize ended with {made.returncode}: {made.stderr}\n{schema}")
        return None
    with open(os.path.join(folder, "r.csv"), newline="", encoding="utf-8") as file:
        text = file.read()
    quasi = [c for c in next(csv.reader(io.StringIO(text))) if c not in ("who", "ill", "note")]
    other = rng.random() < 0.5
    if other:
        text = rewritten(rng, text, quasi)
        with open(os.path.join(folder, "r.csv"), "w", newline="", encoding="utf-8") as file:
            file.write(text)
    frame = pandas.read_csv(io.StringIO(text), dtype=str, keep_default_na=False, na_filter=False)
    if len(frame) == 0:
        return None
    said = subprocess.run([kanon, "check", "r.csv", "-s", "s.yaml"], cwd=folder, capture_output=True, text=True)
    if said.returncode not in (0, 1) or (not other and said.returncode != 0):
        sys.exit(f"{number}: check ended with {said.returncode}\n{said.stdout}{said.stderr}{schema}")
    found = figures(said.stdout)
    records = anonymity.k_anonymity(frame, quasi)
    wanted = {"records": len(frame), "k": records}
    if persons:
        wanted["entities"] = fewest_persons(frame, quasi)
    else: # with entities, values count once per person
        wanted["distinct_l"] = anonymity.l_diversity(frame, quasi, ["ill"])
        wanted["alpha"] = anonymity.alpha_k_anonymity(frame, quasi, ["ill"])[0]
    for name, value in wanted.items():
        if abs(float(found[name]) - value) > 1e-9:
            sys.exit(f"{number}: {name} is {found[name]}, and {value} to the judge\n{schema}{text}")
    if said.returncode == 0 and min(wanted.get("entities", records), records) < k:
        sys.exit(f"{number}: check passes a release with k = {records}\n{schema}{text}")
    return other, persons, "suppressed: keep" in schema and "suppressed           0" not in said.stdout


def main():
    kanon = os.path.abspath(sys.argv[1])
    n, seed = (int(text) for text in (sys.argv[2:] + ["200", "1"][len(sys.argv) - 2:])[:2])
    print("seed", seed)
    rng, judged, number = random.Random(seed), [], 0
    with tempfile.TemporaryDirectory(prefix="kanon-judge-") as folder:
        while len(judged) < n:
            number += 1
            result = judge(kanon, random.Random(rng.random()), folder, number)
            if result is not None:
                judged.append(result)
    others, persons, kept = (sum(r[i] for r in judged) for i in range(3))
    print(f"{n} releases: {others} in other notations, {persons} with entities, {kept} with suppressed records kept; "
          f"{number - n} refused")  # fmt: skip


main()
