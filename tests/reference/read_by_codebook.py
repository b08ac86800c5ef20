"""Read a release by means of its codebook alone: read_by_codebook.py CODEBOOK RELEASE.

Standard library only. CODEBOOK is a Frictionless Table Schema, CSVW metadata (-metadata.json) or the page (.html). The fields
that each specification requires are checked, then every cell: it is missing, or of its type, or matches its pattern, and a
category is a node of its taxonomy. Of the page, the lines of pandas are run where pandas is there; else their regular
expressions are tried on the cells."""
import csv
import datetime
import html
import json
import os
import re
import sys


def wrong(text):
    print(text)
    sys.exit(1)


def need(condition, text):
    if not condition:
        wrong(text)


def table_schema(book):
    """Table Schema: fields, each with a name; types and missingValues as the specification has them."""
    need(isinstance(book.get("fields"), list) and book["fields"], "no fields")
    need(isinstance(book["missingValues"], list), "missingValues is no list")
    fields = []
    for field in book["fields"]:
        need(isinstance(field.get("name"), str), "a field without a name")
        need(field["type"] in ("string", "integer", "number", "date", "datetime"), "an unknown type")
        taxonomy = field["kanon"].get("taxonomy")
        fields.append((field["name"], field["type"], field.get("constraints", {}).get("pattern"),
                       field.get("missingValues", book["missingValues"]), taxonomy))
    return book["kanon"]["delimiter"], fields


def csvw(book, release):
    """CSVW: the context, the address of the table, columns with titles and a datatype."""
    need(book["@context"] == "http://www.w3.org/ns/csvw", "not the context of CSVW")
    need(book["url"] == os.path.basename(release), "the url is not that of the release")
    need(all(re.fullmatch(r"[A-Za-z0-9_.-]+", c["name"]) for c in book["tableSchema"]["columns"]), "a name that is no name")
    notes = {note["column"]: note for note in book["notes"]}
    fields = []
    for column in book["tableSchema"]["columns"]:
        datatype = column["datatype"]
        base = datatype if isinstance(datatype, str) else datatype["base"]
        pattern = datatype["format"] if base == "string" and not isinstance(datatype, str) else None
        fields.append((column["titles"], base, pattern, column["null"], notes[column["titles"]].get("taxonomy")))
    return book["dialect"]["delimiter"], fields


def is_of_type(cell, kind):
    try:
        {"string": str, "integer": int, "number": float, "date": datetime.date.fromisoformat}[kind](cell)
    except ValueError:
        return False
    return True


def check_cell(cell, field):
    name, kind, pattern, missing, taxonomy = field
    if cell in missing:
        return
    need(is_of_type(cell, kind), name + ": a cell is not of its type")
    need(pattern is None or re.fullmatch(pattern, cell), name + ": a cell is not as the pattern says")
    if taxonomy is not None and cell != "*":
        need(cell in [node["name"] for node in taxonomy], name + ": a cell is no node of the taxonomy")
        need(any(cell in node.get("leaves", []) or "leaves" in node for node in taxonomy), name + ": nodes have no leaves")


def read(fields, delimiter, release):
    with open(release, newline="", encoding="utf-8") as file:
        rows = csv.reader(file, delimiter=delimiter)
        need(next(rows) == [field[0] for field in fields], "the header is not that of the codebook")
        n = 0
        for row in rows:
            need(len(row) == len(fields), "a row of another length")
            for cell, field in zip(row, fields):
                check_cell(cell, field)
            n += 1
    print(n, "records")


def run_page(page, release):
    lines = html.unescape(re.search(r'<pre id="pandas">(.*?)</pre>', page, re.S).group(1)).splitlines()
    need(len(lines) == 4, "not one import and three lines of pandas")
    need(html.unescape(page).count("read.csv(") == 1, "no lines of R")
    try:
        import pandas  # noqa: F401
    except ImportError:
        patterns = re.findall(r'str\.extract\(r"(.*?)", expand', "\n".join(lines))
        for cell, ends in {"34": ("34", "34"), "[3.5..7]": ("3.5", "7"), "[..18]": ("", "18"), "[90..]": ("90", ""),
                           "[0..0.5)": ("0", "0.5")}.items():
            cell = cell.replace("..", ",") if "," in "".join(patterns) else cell
            need(not patterns or tuple(re.search(p, cell).group(1) for p in patterns) == ends, "the ends of " + cell)
        return
    os.chdir(os.path.dirname(os.path.abspath(release)))
    names = {}
    exec("\n".join(lines), names)  # the lines of the page are what is tested
    need(len(names["table"]) > 0 and names["table"].iloc[:, -1].notna().any(), "pandas finds no numbers")


def main():
    path, release = sys.argv[1:]
    with open(path, encoding="utf-8") as file:
        text = file.read()
    if path.endswith(".html"):
        run_page(text, release)
        return
    book = json.loads(text)
    delimiter, fields = csvw(book, release) if path.endswith("-metadata.json") else table_schema(book)
    read(fields, delimiter, release)


main()
