"""Tables in both worlds: as files of the program, and as Parquet for Spark."""

import csv
import io
import os
import pathlib
import subprocess

import pyarrow as pa
import pyarrow.parquet as pq

ROOT = pathlib.Path(__file__).resolve().parents[3]
DATA = pathlib.Path(subprocess.run([ROOT / "scripts" / "get-data"], stdout=subprocess.PIPE, text=True).stdout.strip())
PROGRAM = os.environ.get("KANON_PROGRAM", str(ROOT / "build" / "release" / "kanon"))


class Table:
    """A table as a file of the program, and as Parquet with the number of each row as key."""

    def __init__(self, folder, columns, options):
        self.folder, self.options = folder, options
        self.csv, self.parquet = folder / "table.csv", str(folder / "table.parquet")
        write_csv(self.csv, columns)
        pq.write_table(columns.append_column("row", pa.array(range(columns.num_rows), pa.int64())), self.parquet)
        self.rows = columns.num_rows

    def released_by_program(self, *more):
        """The lines of the release, in the order of the file."""
        out = self.folder / "release.csv"
        subprocess.run([PROGRAM, "anonymize", self.csv, *self.options, *more, "-q", "-o", out], check=True)
        return out.read_text().splitlines()


def write_csv(path, columns):
    with open(path, "w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(columns.column_names)
        writer.writerows(zip(*(c.to_pylist() for c in columns.columns)))


#: What is released as it is, in the tables below. A null there is no value; elsewhere it is any value, "*" in a file.
AS_IT_IS = {"row", "income", "relationship", "hours-per-week", "diagnosis", "cost"}


def lines_of(released):
    """A release of Spark as the lines of a file, in the order of the key ``row``, which is left out."""
    names = [n for n in released.columns if n != "row"]
    nothing = ["" if n in AS_IT_IS else "*" for n in names]
    rows = released.orderBy("row").select(*[f"`{n}`" for n in names]).collect()
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(names)
    writer.writerows([none if v is None else v for v, none in zip(row, nothing)] for row in rows)
    return text.getvalue().splitlines()


def texts_of(path):
    """A CSV with every column as text and empty cells as null."""
    with open(path, newline="") as file:
        header, *rows = csv.reader(file)
    return pa.table({n: pa.array([r[i] or None for r in rows], pa.string()) for i, n in enumerate(header)})
