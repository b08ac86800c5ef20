#!/usr/bin/env python3
"""score.py [-v] KANON [KANON...]: what `kanon init` proposes for the tables of tables/, against the roles that were written there
by hand, one row per table and program; -v also lists what is not right. Tables called public_ have the headers of
well-known data sets, and values that were made up.

A line of a table is `NAME  MAKER  ROLES`, with at least two spaces between; ROLES are one or several with slashes. After ~
stand texts for "no value". Values are drawn with a fixed seed.

    right      the proposed role is one of the roles
    useful     right, and not withheld
    withheld   identifying is proposed and is not right
    generous   identifying or quasi would be right, and the column is released as it is
    wrong      the rest"""
import csv
import datetime
import io
import pathlib
import random
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROWS = 400
FIRST = "Ann Robert Maria Thomas Julia David Laura Peter Clara Martin Sofia Hugo Emma Paul Nora Felix Irene Oscar Lucy Victor".split()
LAST = "Adler Brooks Castro Dubois Evans Fischer Garcia Huber Ivanov Jones Keller Lambert Moreno Novak Olsen Peters Quinn Rossi".split()
ICD = "E11.9 I10 I21.0 J45.8 J18.9 M54.5 F32.1 K21.0 N39.0 C50.9 S72.0 G40.2".split()
ATC = "A10BA02 C09AA05 C07AB02 N02BE01 B01AC06 R03AC02 H03AA01 M01AE01".split()
WORDS = "came alone after the shift and asked twice for help because it was late at night again on Monday".split()


def digits(rng, pattern):
    """# is a digit from 0, 9 one from 1, X a letter."""
    choices = {"#": "0123456789", "9": "123456789", "X": "ABCDEFGHJKLM"}
    return "".join(rng.choice(choices[c]) if c in choices else c for c in pattern)


def grouped(number, places):
    """1.234,50"""
    return f"{number:,.{places}f}".replace(",", "_").replace(".", ",").replace("_", ".")


def number_of(rng, args):
    return rng.uniform(float(args[0]), float(args[1])), int(args[2])


def draw(rng, maker, args, row):
    """The text of one cell."""
    name = rng.choice(FIRST) + " " + rng.choice(LAST)
    if maker in ("dec", "deccomma", "deccomma2", "decdot"):
        value, places = number_of(rng, args)
        text = f"{value:.{places}f}"
        return {"dec": text, "decdot": grouped(value, places)}.get(maker, text.replace(".", ","))
    if maker == "date":
        day = datetime.date(int(args[-2]), 1, 1) + datetime.timedelta(rng.randrange(365 * (int(args[-1]) - int(args[-2]) + 1)))
        return day.strftime(" ".join(args[:-2]))
    makers = {
        "seq": lambda: str(int(args[0]) + row),
        "int": lambda: str(rng.randint(int(args[0]), int(args[1]))),
        "pick": lambda: rng.choice(" ".join(args).split("|")),
        "code": lambda: digits(rng, args[0]),
        "fullname": lambda: name,
        "first": lambda: rng.choice(FIRST),
        "last": lambda: rng.choice(LAST),
        "mail": lambda: f"{name.replace(' ', '.').lower()}{row}@mail.example",
        "phone": lambda: f"+34 6{rng.randint(10, 99)} {rng.randint(100, 999)} {rng.randint(100, 999)}",
        "icd": lambda: rng.choice(ICD),
        "atc": lambda: rng.choice(ATC),
        "text": lambda: " ".join(rng.choices(WORDS, k=rng.randint(8, 14))),
    }
    return makers[maker]()


def read_columns(path):
    """(name, maker, its arguments, texts for "no value", roles) of each line, and the delimiter."""
    lines = path.read_text(encoding="utf-8").splitlines()
    delimiter = ";" if "delimiter=;" in lines[0] else ","
    columns = []
    for line in lines[1:]:
        name, how, roles = split_line(line)
        how, _, missing = how.partition(" ~ ")
        maker, *args = how.split(" ")
        columns.append((name, maker, args, missing_texts(missing), roles.split("/")))
    return columns, delimiter


def missing_texts(text):
    """Codes are one word each; what has a word without a digit or a point is one text: "keine Angabe"."""
    return [text] if re.search(r"[a-z]{3}", text) and " " in text else text.split()


def split_line(line):
    return re.split(r"  +", line.strip(), maxsplit=2)


def make_table(path):
    rng = random.Random(path.stem)
    columns, delimiter = read_columns(path)
    out = io.StringIO()
    writer = csv.writer(out, delimiter=delimiter, lineterminator="\n")
    writer.writerow([column[0] for column in columns])
    for row in range(ROWS):
        cells = []
        for _, maker, args, missing, _ in columns:
            cell = draw(rng, maker, args, row)
            cells.append(rng.choice(missing) if missing and rng.random() < 0.06 else cell)
        writer.writerow(cells)
    return out.getvalue(), columns


def proposed_roles(kanon, table):
    schema = subprocess.run([kanon, "init", table, "-q"], capture_output=True, text=True, encoding="utf-8", check=True).stdout
    found = {}
    for quoted, plain, role in re.findall(r'^  (?:"((?:[^"\\]|\\.)*)"|([^\s":]+)): +\{role: (\w+)', schema, re.M):
        found[quoted or plain] = role
    return found


def grade(role, right):
    if role in right:
        return "right"
    if role == "identifying":
        return "withheld"
    if role in ("sensitive", "insensitive") and "quasi" in right + ["quasi" if "identifying" in right else ""]:
        return "generous"
    return "wrong"


def main(programs, verbose):
    print("program,table,columns,right,useful,withheld,wrong,generous")
    for number, kanon in enumerate(programs):
        total = dict.fromkeys(("columns", "right", "useful", "withheld", "wrong", "generous"), 0)
        for path in sorted((HERE / "tables").glob("*.txt")):
            text, columns = make_table(path)
            with tempfile.NamedTemporaryFile("w", suffix=".csv", encoding="utf-8") as file:
                file.write(text)
                file.flush()
                roles = proposed_roles(kanon, file.name)
            counts = dict.fromkeys(total, 0)
            for name, _, _, _, right in columns:
                result = grade(roles[name], right)
                counts["columns"] += 1
                counts[result] += 1
                counts["useful"] += result == "right" and roles[name] != "identifying"
                if verbose and result != "right":
                    print(f"  {path.stem}: {name} is {roles[name]} instead of {'/'.join(right)}", file=sys.stderr)
            print(f"{number + 1},{path.stem},{','.join(str(n) for n in counts.values())}")
            for key, n in counts.items():
                total[key] += n
        print(f"{number + 1},all,{','.join(str(n) for n in total.values())}")


if __name__ == "__main__":
    main([word for word in sys.argv[1:] if word != "-v"], "-v" in sys.argv)
