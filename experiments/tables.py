"""The tables of the experiments: Adult or the sample, parts of them, outliers added, and a normal table."""
import csv
import hashlib
import json
import os
import random
import re
import subprocess
import threading

OUTLIER_SEED = 7


def sha256(path):
    with open(path, "rb") as f:
        return hashlib.sha256(f.read()).hexdigest()


def read(path):
    with open(path, newline="", encoding="utf-8") as f:
        rows = list(csv.reader(f))
    return rows[0], rows[1:]


def write(path, header, rows):
    """Under another name first, which is the thread's own: whoever finds the file finds all of it."""
    part = f"{path}.{os.getpid()}.{threading.get_ident()}"
    with open(part, "w", newline="", encoding="utf-8") as f:
        csv.writer(f, lineterminator="\n").writerows([header] + rows)
    os.replace(part, path)


class Tables:
    """Makes tables and schemas in `work` from what an experiment says, each once.

    A table is described by `from` (adult or normal), and then, in this order: `rows` (that many records drawn at random),
    `first` (the first ones), `share` (drawn with replacement), `part` (train: two thirds, or test: the others), `slice`
    (from, to, after shuffling), `outliers` (a share of the records, added; `far` puts their numbers beyond the range) and
    `number` (a column that numbers the records). `seed` is that of all draws. Where there is no Adult, the
    sample stands in for it.
    """

    def __init__(self, kanon, data, work, here, sample_rows):
        self.kanon, self.work, self.here, self.sample_rows = kanon, work, here, sample_rows
        self.adult = os.path.join(data, "adult")
        os.makedirs(work, exist_ok=True)
        if sample_rows:
            self.adult = os.path.join(work, f"hospital-{sample_rows}")
            if not os.path.exists(self.adult):
                arguments = ["--rows", str(sample_rows), "--seed", "1", "-q", "-o", self.adult]
                subprocess.run([kanon, "sample", "hospital", *arguments], check=True)

    def schema(self, name):
        """The file of a schema: those of experiments/schemas speak of DATA, where the taxonomies are."""
        if self.sample_rows and name != "normal":
            with open(os.path.join(self.adult, "hospital.yaml"), encoding="utf-8") as f:
                text = f.read().replace("taxonomies/", os.path.join(self.adult, "taxonomies", ""))
            if name == "adult-keyed":
                text = text.replace("attributes:\n", "attributes:\n  number: {role: identifying}\n", 1) + "\nkey: [number]\n"
        else:
            with open(os.path.join(self.here, "schemas", name + ".yaml"), encoding="utf-8") as f:
                text = f.read().replace("DATA/", os.path.join(self.adult, ""))
        path = os.path.join(self.work, f"schema-{name}.yaml")
        if not os.path.exists(path) or open(path, encoding="utf-8").read() != text:
            with open(path, "w", encoding="utf-8") as f:
                f.write(text)
        return path

    def schema_digest(self, name):
        """Of the schema and of the taxonomies it names, wherever they are."""
        with open(self.schema(name), encoding="utf-8") as f:
            text = f.read()
        digest = hashlib.sha256(text.replace(self.adult, "DATA").encode())
        for taxonomy in re.findall(r"taxonomy: ([^ ,}]+)", text):
            digest.update(sha256(taxonomy).encode())
        return digest.hexdigest()

    def table(self, spec):
        """The file of the table that `spec` describes."""
        source = spec["from"]
        if source == "adult" and len(spec) == 1:
            return os.path.join(self.adult, "hospital.csv" if self.sample_rows else "adult.csv")
        name = hashlib.sha256(json.dumps(spec, sort_keys=True).encode()).hexdigest()[:12]
        path = os.path.join(self.work, f"table-{source}-{name}.csv")
        if not os.path.exists(path):
            header, rows = self.normal(spec) if source == "normal" else read(self.table({"from": source}))
            write(path, *self.change(spec, header, rows))
        return path

    def normal(self, spec):
        """Independent standard normal values, two digits: four quasi-identifiers, a sensitive attribute (Loukides 4.2)."""
        draw = random.Random(spec.get("seed", 0))
        n = min(8000, self.sample_rows or 8000)
        return list("abcde"), [[f"{draw.gauss(0, 1):.2f}" for _ in range(5)] for _ in range(n)]

    @staticmethod
    def change(spec, header, rows):
        draw = random.Random(spec.get("seed", 0))
        if "rows" in spec:
            rows = [rows[i] for i in sorted(draw.sample(range(len(rows)), min(spec["rows"], len(rows))))]
        if "first" in spec:
            rows = rows[: spec["first"]]
        if "share" in spec:
            rows = draw.choices(rows, k=max(100, round(len(rows) * spec["share"])))
        if "part" in spec:
            order = draw.sample(range(len(rows)), len(rows))
            cut = len(rows) * 2 // 3
            rows = [rows[i] for i in sorted(order[:cut] if spec["part"] == "train" else order[cut:])]
        if "slice" in spec:
            order = draw.sample(range(len(rows)), len(rows))
            rows = [rows[i] for i in order[spec["slice"][0]: spec["slice"][1]]]
        if spec.get("outliers"):
            rows = rows + outliers(rows, round(spec["outliers"] * len(rows)), spec.get("far", 0))
        if spec.get("number"):
            header, rows = ["number"] + header, [[str(i + 1)] + row for i, row in enumerate(rows)]
        return header, rows


def outliers(rows, count, far):
    """Records whose cells are drawn one by one from the values that a column has, each value as likely as the others, so
    that rare values meet rare values. `far`: whole numbers are moved beyond the largest one, by up to `far`
    times the range."""
    draw = random.Random(OUTLIER_SEED)
    columns = []
    for cells in zip(*rows):
        values = sorted(set(cells))
        if far and all(re.fullmatch("[0-9]+", v) for v in values):
            low, high = min(map(int, values)), max(map(int, values))
            values = [str(v) for v in range(high + (high - low) * far // 2, high + (high - low) * far + 1)]
        columns.append(values)
    return [[draw.choice(values) for values in columns] for _ in range(count)]
