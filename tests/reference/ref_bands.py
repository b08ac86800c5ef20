#!/usr/bin/env python3
"""Bands by their definition: ref_bands.py PROGRAM SEED ROUNDS

Makes random tables with bands of every kind, runs the program in all numeric forms, and computes from the table, the schema
and the groups what every cell must be and what the release loses. Written apart from the program: bands are found by
counting, dates by datetime, and every number is a Fraction."""
import csv
import datetime
import json
import os
import random
import subprocess
import sys
import tempfile
from fractions import Fraction

EPOCH = datetime.date(1970, 1, 1)


def as_date(days):
    return (EPOCH + datetime.timedelta(days=int(days))).isoformat()


class Column:
    """A random numeric column: how it is written, and its bands."""

    def __init__(self, rng, name, n):
        self.name, self.kind = name, rng.choice(["integer", "decimal", "date"])
        self.digits = rng.choice([0, 1, 2]) if self.kind == "decimal" else 0
        self.unit = Fraction(1, 10 ** self.digits)
        low, spread = rng.choice([(-50, 120), (0, 99), (1000, 5000), (-7, 9)])
        if self.kind == "date":
            low, spread = rng.randint(-9000, 9000), rng.choice([60, 900, 9000])
        self.values = [Fraction(low) + rng.randint(0, spread * 10 ** self.digits) * self.unit for _ in range(n)]
        if rng.random() < 0.4:
            self.values = [v if rng.random() < 0.9 else None for v in self.values]
        if not any(v is not None for v in self.values):
            self.values[0] = Fraction(low)
        self.width = self.edges = self.calendar = self.top = self.bottom = None
        span = max(2, spread)
        way = rng.choice(["width", "edges", "calendar" if self.kind == "date" else "width", "none"])
        if way == "width":
            self.width = Fraction(rng.randint(1, span // 2 or 1))
            if self.kind == "decimal" and rng.random() < 0.5:
                self.width /= 4
        elif way == "edges":
            self.edges = sorted({Fraction(low + rng.randint(0, span)) for _ in range(rng.randint(2, 6))})
            if len(self.edges) < 2:
                self.edges = [Fraction(low), Fraction(low + 1)]
        elif way == "calendar":
            self.calendar = rng.choice(["week", "month", "quarter", "year", "decade"])
        if way == "none" or rng.random() < 0.4:
            self.top = Fraction(low + span // 2 + rng.randint(0, span // 2))
        if way == "none" or rng.random() < 0.4:
            self.bottom = Fraction(low - 1 + rng.randint(0, span // 2))
        if self.top is not None and self.bottom is not None and self.bottom >= self.top:
            self.bottom = None

    def text(self, value):
        """The shortest way to write a number."""
        if value is None:
            return "?"
        if self.kind == "date":
            return as_date(value)
        digits = 0
        while (value * 10 ** digits).denominator != 1:
            digits += 1
        if digits == 0:
            return str(value.numerator)
        whole = abs(value.numerator * 10 ** digits // value.denominator)
        return ("-" if value < 0 else "") + f"{whole // 10 ** digits}.{whole % 10 ** digits:0{digits}d}"

    def schema(self):
        parts = ["role: quasi", f"type: {self.kind}"]
        if self.width is not None:
            parts.append(f"bands: {float(self.width):g}" if self.kind == "decimal" else f"bands: {self.width}")
        if self.edges is not None:
            parts.append("bands: [" + ", ".join(self.text(e) for e in self.edges) + "]")
        if self.calendar is not None:
            parts.append(f"bands: {self.calendar}")
        if self.top is not None:
            parts.append(f"top: {self.text(self.top)}")
        if self.bottom is not None:
            parts.append(f"bottom: {self.text(self.bottom)}")
        return "{" + ", ".join(parts) + "}"

    def points(self):
        return self.width is None and self.edges is None and self.calendar is None

    def calendar_edges(self, value):
        """The first day of the unit, and of the next one."""
        day = EPOCH + datetime.timedelta(days=int(value))
        if self.calendar == "week":
            first = day - datetime.timedelta(days=day.weekday())
            return Fraction((first - EPOCH).days), Fraction((first - EPOCH).days + 7)
        months = {"month": 1, "quarter": 3, "year": 12, "decade": 120}[self.calendar]
        begin = (day.year * 12 + day.month - 1) // months * months
        ends = [datetime.date(m // 12, m % 12 + 1, 1) for m in (begin, begin + months)]
        return tuple(Fraction((e - EPOCH).days) for e in ends)

    def band(self, value):
        """low and high edge, None where it is open; and whether the band is a single point."""
        whole = 1 if self.kind != "decimal" and not self.points() else 0
        if self.top is not None and value >= self.top:
            return self.top, None
        if self.bottom is not None and value <= self.bottom:
            return None, self.bottom + whole
        if self.points():
            return value, value
        if self.width is not None:
            low = value // self.width * self.width
            high = low + self.width
        elif self.calendar is not None:
            low, high = self.calendar_edges(value)
        else:
            low = max((e for e in self.edges if e <= value), default=None)
            high = min((e for e in self.edges if e > value), default=None)
        if self.bottom is not None and (low is None or low < self.bottom + whole):
            low = self.bottom + whole
        if self.top is not None and (high is None or high > self.top):
            high = self.top
        return low, high

    def present(self):
        return [v for v in self.values if v is not None]

    def ends(self, values):
        """What costs are counted between: the lowest and the highest edge, open ones to the table's extremes."""
        least, most = min(self.present()), max(self.present())
        lows, highs = zip(*(self.band(v) for v in values))
        return min(least if e is None else e for e in lows), max(most if e is None else e for e in highs)

    def cost(self, group):
        values = [self.values[i] for i in group]
        if None in values:
            return Fraction(0 if all(v is None for v in values) else 1)
        low, high = self.ends(self.present())
        a, b = self.ends(values)
        return (b - a) / (high - low) if high > low else Fraction(0)

    def cells(self, group, form):
        """The texts of the group's cells: one, or two of the form columns."""
        values = [self.values[i] for i in group]
        two = form == "columns"
        if all(v is None for v in values):
            return ["?"] * (1 + two)
        bands = [self.band(v) for v in values if v is not None]
        low = None if any(b[0] is None for b in bands) else min(b[0] for b in bands)
        high = None if any(b[1] is None for b in bands) else max(b[1] for b in bands)
        if None in values or (low is None and high is None):
            return ["*"] * (1 + two)
        # the band with the highest end says whether that end belongs to it
        closed = self.points() or high is None or (self.bottom is not None and high == self.bottom and
                                                   all(b[1] == high and b[0] is None for b in bands))
        shown = high if closed or self.kind == "decimal" else high - 1
        closed = closed or self.kind != "decimal"
        left, right = "" if low is None else self.text(low), "" if high is None else self.text(shown)
        if two:
            return [left, right]
        if form == "range":
            return [f"{'(' if low is None else '['}{left},{right}{']' if closed and high is not None else ')'}"]
        if low is not None and high is not None and closed and low == shown:
            return [left]
        return [f"[{left}..{right}{']' if closed else ')'}"]


def fail(message):
    print(message)
    sys.exit(1)


def run(program, *arguments):
    done = subprocess.run([program, *arguments], text=True, capture_output=True, check=False)
    if done.returncode != 0:
        fail(f"{' '.join(arguments)}: exit {done.returncode}\n{done.stderr}")
    return done.stdout


def write_inputs(rng, folder, columns, category, k):
    with open(f"{folder}/t.csv", "w", encoding="utf-8") as f:
        f.write(",".join(c.name for c in columns) + ",sex\n")
        for i, sex in enumerate(category):
            f.write(",".join(c.text(c.values[i]) for c in columns) + f",{sex}\n")
    with open(f"{folder}/s.yaml", "w", encoding="utf-8") as f:
        f.write('missing: ["?"]\nattributes:\n' + "".join(f"  {c.name}: {c.schema()}\n" for c in columns))
        f.write(f"  sex: {{role: quasi, type: categorical}}\nprivacy: {{k: {k}}}\n")


def groups_of(folder):
    groups = {}
    with open(f"{folder}/g.csv", encoding="utf-8") as f:
        for row in csv.DictReader(f):
            groups.setdefault(int(row["group"]), []).append(int(row["row"]) - 1)
    return groups


def check_cells(path, groups, columns, form):
    with open(path, encoding="utf-8", newline="") as f:
        rows = list(csv.reader(f))[1:]
    for number, members in groups.items():
        wanted = []
        for c in columns:
            wanted += ["*"] * (1 + (form == "columns")) if number == 0 else c.cells(members, form)
        for i in members:
            if rows[i][:-1] != wanted:
                fail(f"row {i + 1}, form {form}: {rows[i][:-1]} instead of {wanted}")


def check_round(program, rng, folder):
    n, k = rng.randint(12, 60), rng.randint(2, 4)
    columns = [Column(rng, f"c{i}", n) for i in range(rng.randint(1, 3))]
    sexes = [rng.choice("FM") for _ in range(n)]
    write_inputs(rng, folder, columns, sexes, k)
    algorithm = rng.choice(["kmember", "densest", "mondrian", "oka", "top-down", "kmeans-fill", "strips"])
    base = [f"{folder}/t.csv", "-s", f"{folder}/s.yaml"]
    search = ["--refine", "search", "--moves", "2000"] if rng.random() < 0.5 else []
    for form in ("interval", "range", "columns"):
        run(program, "anonymize", *base, "-a", algorithm, *search, "--numeric", form, "--seed", "1", "-q", "-o",
            f"{folder}/o.csv", "--groups", f"{folder}/g.csv", "--report", f"{folder}/r.json")
        groups = groups_of(folder)
        check_cells(f"{folder}/o.csv", groups, columns, form)
        loss = Fraction(0)
        for number, members in groups.items():
            costs = [Fraction(1)] * (len(columns) + 1)
            if number > 0:
                mixed = len({sexes[i] for i in members}) > 1
                costs = [c.cost(members) for c in columns] + [Fraction(int(mixed))]
            loss += len(members) * sum(costs)
        with open(f"{folder}/r.json", encoding="utf-8") as f:
            report = json.load(f)
        figures = {"the report": report.get("information_loss", report.get("measures", {}).get("information_loss"))}
        for source in (["--groups", f"{folder}/g.csv"], ["--release", f"{folder}/o.csv"]):
            for line in run(program, "evaluate", *base, *source, "-q").splitlines():
                words = line.split()
                if words[:1] == ["information_loss"]:
                    figures[source[0]] = float(words[1])
                if words[:1] == ["neighbour_bound"] and words[1] != "-" and 0 not in groups and float(words[1]) > loss + 1e-6:
                    fail(f"the neighbour bound {words[1]} is above the loss {float(loss)}")
        for name, figure in figures.items():
            if abs(figure - float(loss)) > 1e-6 * (1 + float(loss)):
                fail(f"{name}: information loss {figure} instead of {float(loss)}, form {form}, {algorithm}")
        run(program, "check", f"{folder}/o.csv", "-s", f"{folder}/s.yaml", "-k", str(k))


def main():
    program, seed, rounds = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    for number in range(rounds):
        with tempfile.TemporaryDirectory() as folder:
            try:
                check_round(program, random.Random(seed * 1000 + number), folder)
            except SystemExit:
                print(f"seed {seed}, round {number}")
                with open(f"{folder}/s.yaml", encoding="utf-8") as f:
                    print(f.read())
                if os.environ.get("KEEP"):
                    os.system(f"cp -r {folder} {os.environ['KEEP']}")
                raise


if __name__ == "__main__":
    main()
