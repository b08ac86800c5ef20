#!/usr/bin/env python3
"""Check a certificate of kanon bound: check_certificate.py TABLE SCHEMA CERTIFICATE

Plain and exact, for small tables. It reads integer and decimal attributes, categories with a taxonomy file or none, weights
and missing values. Exit status 0: the bound is proved; 1: it is not."""
import csv, hashlib, json, os, sys
from fractions import Fraction
import yaml

table, schema_path, certificate = sys.argv[1:4]
proof = json.load(open(certificate))
schema = yaml.safe_load(open(schema_path))
records = list(csv.DictReader(open(table, newline="")))
k, scale, prices = proof["k"], proof["scale"], proof["prices"]

def refuse(why):
    print("not proved:", why)
    sys.exit(1)

if hashlib.sha256(open(table, "rb").read()).hexdigest() != proof["table_sha256"] or len(prices) != len(records):
    refuse("another table")
if sum(prices) != proof["price_sum"]:
    refuse("the prices do not add up")

def number_boxes(name, weight):
    """(cost, the rows inside) of every interval between two values."""
    present = {i: Fraction(r[name]) for i, r in enumerate(records) if r[name] not in schema.get("missing", [])}
    values = sorted(set(present.values()))
    width = values[-1] - values[0] if values else 0
    yield 0, set(range(len(records))) - set(present)
    yield weight, set(range(len(records)))
    for low in values:
        for high in (v for v in values if v >= low):
            yield weight * (high - low) / width if width else 0, {i for i, v in present.items() if low <= v <= high}

def tree_boxes(name, weight, path):
    """(cost, the rows inside) of every node; a value that the file does not have is a leaf below the root."""
    paths = {}
    if path:
        for line in open(os.path.join(os.path.dirname(schema_path), path)):
            steps = line.strip().split(";")
            paths[steps[0]] = [s for i, s in enumerate(steps) if i == 0 or s != steps[i - 1]]
    root = next(iter(paths.values()))[-1] if paths else ("the", "root")
    for record in records:
        paths.setdefault(record[name], [record[name], root])
    height = {}
    for steps in paths.values():
        for i, node in enumerate(steps):
            height[node] = max(height.get(node, 0), i)
    for node, h in height.items():
        yield Fraction(weight * h, height[root]), {i for i, r in enumerate(records) if node in paths[r[name]]}

attributes = []
for name, is_ in schema["attributes"].items():
    if is_["role"] == "quasi":
        weight = Fraction(str(is_.get("weight", 1)))
        attributes.append(list(tree_boxes(name, weight, is_.get("taxonomy")) if is_["type"] == "categorical"
                               else number_boxes(name, weight)))

def look(i, inside, cost):
    """No box inside may hold k records whose prices add up to more than k times its cost; a larger cost is the easier."""
    highest = sorted((prices[r] for r in inside), reverse=True)[:k]
    if len(highest) < k or sum(highest) <= k * scale * cost:
        return
    if i == len(attributes):
        refuse("the prices in a box violate dual feasibility")
    for more, rows in attributes[i]:
        look(i + 1, inside & rows, cost + more)

look(0, set(range(len(records))), Fraction(0))
print("proved:", float(Fraction(proof["price_sum"], scale)))
