"""Naive Bayes that learns from a release and is asked about originals.

A released cell stands for all the values it covers, each with an equal share: an interval for its whole numbers, a node of a
taxonomy for its leaves. Numbers are looked at in ten classes of about equal size. Counts begin at 1 (Laplace).
"""
import bisect
import math
import re

import tables

CLASSES = 10
INTERVAL = re.compile(r"\[(-?[0-9.]*[0-9])\.\.(-?[0-9.]+)\]")


def attributes(schema_path):
    """name -> (role, type, taxonomy) of the schemas here, which have one attribute a line."""
    found = {}
    with open(schema_path, encoding="utf-8") as f:
        for name, inside in re.findall(r"^  ([\w-]+): *\{(.*)\}", f.read(), re.M):
            pairs = dict(re.findall(r"([\w-]+): *([^,}]+)", inside))
            found[name] = (pairs["role"], pairs.get("type"), pairs.get("taxonomy"))
    return found


def leaves_of(taxonomy):
    """node -> its leaves"""
    nodes = {}
    with open(taxonomy, encoding="utf-8") as f:
        for line in f.read().split("\n"):
            path = re.split("[;,]", line) if line else []
            for node in path:
                nodes.setdefault(node, []).append(path[0])
    return nodes


class Numeric:
    def __init__(self, cells):
        self.values = sorted(float(c) for c in cells)
        cuts = {self.values[len(self.values) * i // CLASSES] for i in range(1, CLASSES)}
        self.cuts = sorted(cuts)
        self.size = len(self.cuts) + 1

    def place(self, value):
        return bisect.bisect_right(self.cuts, float(value))

    def spread(self, cell):
        match = INTERVAL.fullmatch(cell)
        if not match and cell != "*":
            return {self.place(cell): 1.0}
        low, high = map(float, match.groups()) if match else (self.values[0], self.values[-1])
        shares = {}
        for step in range(round(high - low) + 1):
            place = self.place(low + step)
            shares[place] = shares.get(place, 0.0) + 1.0 / (round(high - low) + 1)
        return shares


class Categorical:
    def __init__(self, cells, taxonomy):
        values = sorted(set(cells))
        self.nodes = leaves_of(taxonomy) if taxonomy else {**{v: [v] for v in values}, "*": values}
        self.code = {v: i for i, v in enumerate(sorted({leaf for leaves in self.nodes.values() for leaf in leaves}))}
        self.size = len(self.code)

    def place(self, value):
        return self.code.get(value)

    def spread(self, cell):
        leaves = self.nodes.get(cell, [])
        return {self.code[leaf]: 1.0 / len(leaves) for leaf in leaves}


def accuracy(schema_path, original, release, test, label, quasi_only):
    """Share of the records of `test` whose `label` is found by what was learned from `release`. `original` is what was
    released: it tells the values that there are."""
    known = attributes(schema_path)
    header, originals = tables.read(original)
    released_header, released = tables.read(release)
    test_header, tests = tables.read(test)
    roles = ("quasi",) if quasi_only else ("quasi", "insensitive", "sensitive")
    names = [n for n in released_header if n != label and n in known and known[n][0] in roles]
    features = []
    for name in names:
        cells = [row[header.index(name)] for row in originals]
        _, kind, taxonomy = known[name]
        features.append(Numeric(cells) if kind == "integer" else Categorical(cells, taxonomy))

    column = released_header.index(label)
    labels = sorted({row[column] for row in released})
    seen = {y: sum(row[column] == y for row in released) for y in labels}
    counts = [{y: [1.0] * f.size for y in labels} for f in features]
    for name, feature, count in zip(names, features, counts):
        at, spreads = released_header.index(name), {}
        for row in released:
            if row[at] not in spreads:
                spreads[row[at]] = feature.spread(row[at])
            for place, share in spreads[row[at]].items():
                count[row[column]][place] += share
    logs = [{y: [math.log(c / sum(count[y])) for c in count[y]] for y in labels} for count in counts]
    places = [test_header.index(n) for n in names]
    right = 0
    for row in tests:
        scores = {y: math.log(seen[y]) for y in labels}
        for at, feature, log in zip(places, features, logs):
            place = feature.place(row[at])
            if place is not None:
                for y in labels:
                    scores[y] += log[y][place]
        right += max(labels, key=scores.get) == row[test_header.index(label)]
    return right / len(tests)
