#!/usr/bin/env python3
"""What the means against two columns that others may know cost, and what they do: bench/quality/means.csv.

    bench/quality/means.py KANON [--k 10] [--effort balanced] [-o FILE]      (KANON_DATA names the folder of public data sets)

Adult with its eight quasi-identifiers. Relationship and weekly hours are released as they are, taken as quasi-identifiers of
little weight, permuted, or protected by a requirement. The loss is that of the eight columns alone, so that rows can be
compared. Figures that a program does not have are left empty."""
import argparse
import csv
import json
import os
import subprocess
import sys
import tempfile

TREES = ("workclass", "marital-status", "occupation", "race", "sex", "native-country")
QUASI = ("age", "education-num", *TREES)
KNOWN = ("relationship", "hours-per-week")
FIGURES = ("singled_out_all", "linkage_quasi", "linkage_all", "inference_gain[income]")
MEANS = {
    "as they are": ["--insensitive", ",".join(KNOWN)],
    "quasi, weight 0.1": ["--quasi", ",".join((*QUASI, *KNOWN)), "--weight", "relationship=0.1", "--weight", "hours-per-week=0.1"],
    "quasi, weight 0.02": ["--quasi", ",".join((*QUASI, *KNOWN)), "--weight", "relationship=0.02", "--weight", "hours-per-week=0.02"],
    "permuted": ["--insensitive", ",".join(KNOWN), "--permute", ",".join(KNOWN)],
    "permuted, also income": ["--insensitive", ",".join(KNOWN), "--permute", ",".join((*KNOWN, "income"))],
    "permuted, ages drawn": ["--insensitive", ",".join(KNOWN), "--permute", ",".join(KNOWN), "--ends", "age=drawn"],
    "as they are, ages drawn": ["--insensitive", ",".join(KNOWN), "--ends", "age=drawn"],
    "permuted, income t-close 0.3": ["--insensitive", ",".join(KNOWN), "--permute", ",".join(KNOWN),
                                     "--constraint", "{model: t-closeness, attribute: income, t: 0.3}"],
    "as they are, income l = 2": ["--insensitive", ",".join(KNOWN),
                                  "--constraint", "{model: distinct-l-diversity, attribute: income, l: 2}"],
    "as they are, income t-close 0.3": ["--insensitive", ",".join(KNOWN),
                                        "--constraint", "{model: t-closeness, attribute: income, t: 0.3}"],
    "left out": ["--identifying", ",".join(KNOWN)],
}


def measure(kanon, data, k, effort, options, folder):
    schema = ["--missing", "?", "--sensitive", "income", "--identifying", "education",
              *(f"--taxonomy={name}={data}/taxonomies/{name}.csv" for name in TREES)]
    if "--quasi" not in options:
        schema += ["--quasi", ",".join(QUASI)]
    if "--identifying" in options:
        schema[schema.index("education")] += "," + options[options.index("--identifying") + 1]
        options = []
    table = [os.path.join(data, "adult.csv"), *schema, *options, "-k", str(k)]
    report, groups = os.path.join(folder, "r.json"), os.path.join(folder, "g.csv")
    run([kanon, "anonymize", *table, "--effort", effort, "--seed", "1", "-q", "--report", report, "--groups", groups,
         "-o", os.path.join(folder, "r.csv")])
    with open(report, encoding="utf-8") as file:
        told = json.load(file)
    weights = {"relationship": 0, "hours-per-week": 0}
    loss = sum(a["attribute_loss"] for name, a in told["attributes"].items() if name not in weights and "attribute_loss" in a)
    found = {line.split()[0]: line.split()[1] for line in run([kanon, "evaluate", *table[:-2], "--groups", groups]).splitlines()
             if len(line.split()) > 1}
    return [f"{loss:.0f}", told["groups"], *(f"{float(found[name]):.4f}" if name in found else "" for name in FIGURES)]


def run(command):
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}: exit status {done.returncode}\n{done.stderr}")
    return done.stdout


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("kanon")
    parser.add_argument("--k", type=int, default=10)
    parser.add_argument("--effort", default="balanced")
    parser.add_argument("-o", dest="output")
    given = parser.parse_args()
    data = os.path.join(os.environ["KANON_DATA"], "adult")
    rows = [["means", "loss", "groups", *FIGURES]]
    with tempfile.TemporaryDirectory() as folder:
        for name, options in MEANS.items():
            rows.append([name, *measure(os.path.abspath(given.kanon), data, given.k, given.effort, options, folder)])
            print(*rows[-1], sep="\t", file=sys.stderr)
    with open(given.output, "w", newline="", encoding="utf-8") if given.output else sys.stdout as file:
        csv.writer(file, lineterminator="\n").writerows(rows)


if __name__ == "__main__":
    main()
