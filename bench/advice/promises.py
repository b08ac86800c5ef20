#!/usr/bin/env python3
"""What advice promises, against a run that follows it: bench/advice/promises.py KANON [TABLE]... writes promises.csv.

Every piece of advice that was tried for the report of a run with the default effort is followed by a run of its own, with the
same effort. Its groups are measured in the units of the first run: with that schema, and without what a column that is left out
loses; bands are measured as they are released. Nothing in the file depends on a clock or on the number of threads.

saves: the share of the loss; of pieces by which one column pays for the others (weight, bands), what the others no longer lose.
"""
import csv, json, os, random, subprocess, sys, tempfile

here = os.path.dirname(os.path.abspath(__file__))
root = os.path.dirname(os.path.dirname(here))
kanon = os.path.abspath(sys.argv[1])
data = os.environ.get("KANON_DATA", os.path.join(root, "build", "data"))
work = tempfile.mkdtemp(prefix="kanon-promises-")


def run(*words):
    done = subprocess.run([kanon, *map(str, words)], cwd=work, capture_output=True, text=True)
    assert done.returncode == 0, (words, done.stderr)
    return done.stdout


def awk(program, out, **variables):
    with open(os.path.join(work, out), "w") as file:
        given = [word for name, value in variables.items() for word in ("-v", f"{name}={value}")]
        subprocess.run(["awk", *given, "-f", os.path.join(root, "bench/quality", program)], stdout=file, check=True)


def schema(columns, k, sensitive="", **more):
    """Quasi-identifiers with a type each, "age:integer zip"; YAML of its own, as an option wins over a schema, not over another."""
    with open(os.path.join(work, "schema.yaml"), "w") as file:
        print("default-role: insensitive\nattributes:", file=file)
        for word in columns.split():
            name, _, kind = word.partition(":")
            print(f"  {name}: {{role: quasi{', type: ' + kind if kind else ''}}}", file=file)
        if sensitive:
            print(f"  {sensitive}: {{role: sensitive}}", file=file)
        print(f"privacy: {{k: {k}}}", file=file)
    return ["-s", "schema.yaml"]


def births():
    """Persons with dates of birth, of which 2.7 % are missing, codes of places, and an hourly wage."""
    draw = random.Random(38)
    with open(os.path.join(work, "births.csv"), "w") as file:
        print("born,place,sex,wage,children", file=file)
        for _ in range(6000):
            year, place = 2005 - int(75 * draw.random() ** 0.8), int(60 * draw.random() ** 2)
            born = "" if draw.random() < 0.027 else f"{year}-{draw.randint(1, 12):02}-{draw.randint(1, 28):02}"
            wage = 9 + 20 * draw.random() ** 3 + place / 10
            print(born, f"{47000 + place * 37}", draw.choice("fm"), f"{wage:.2f}", int(4 * draw.random() ** 2), sep=",", file=file)
    return ["births.csv", *schema("born:date place:categorical sex wage children", 5)]


def numbers():
    subprocess.run([sys.executable, os.path.join(root, "bench/quality/make_numbers.py"), work, "6000"], check=True)
    return ["numbers.csv", "-s", "numbers.yaml", "-k", 10]


def visits():
    awk("visits.awk", "visits.csv", rows=8000, per=3)
    return ["visits.csv", *schema("age zip:categorical sex job adm", 5, "diag")]


def mixture():
    awk("mixture.awk", "mixture.csv", kind="clustered", rows=12000)
    return ["mixture.csv", *schema("a b c d e f", 10)]


def hospital():
    run("sample", "hospital", "-o", ".", "-q")
    return ["hospital.csv", "-s", "hospital.yaml", "-k", 10]


tables = {
    "adult": lambda: [f"{data}/adult/adult.csv", "-s", f"{data}/adult/adult8.yaml", "-k", 10],
    "hospital": hospital,
    "census": lambda: [f"{data}/microaggregation/census.csv", *schema("AFNLWGT AGI EMCONTRB TAXINC INTVAL PEARNVAL", 5)],
    "tarragona": lambda: [f"{data}/microaggregation/tarragona.csv",
                          *schema("FIXED.ASSETS CURRENT.ASSETS TREASURY PAID.UP.CAPITAL SALES LABOR.COSTS", 3)],
    "numbers": numbers,
    "visits": visits,
    "mixture": mixture,
    "births": births,
}


def losses(table, *what):
    """The loss by quasi-identifier, in the units of that schema."""
    run("evaluate", *table, *what, "--report", "figures.json", "-q")
    with open(os.path.join(work, "figures.json")) as file:
        return {name: f["attribute_loss"] for name, f in json.load(file)["attributes"].items() if "attribute_loss" in f}


def losses_of_release(table):
    out = {}
    for line in run("evaluate", *table, "--release", "bands.csv", "-q").splitlines():
        words = line.split()
        if words and words[0].startswith("attribute_loss"):
            out[words[0].split("[")[1].rstrip("]") if "[" in words[0] else words[1]] = float(words[-1])
    return out


def followed(table, piece):
    option, value = piece["option"], piece["value"]
    flag = ["-k" if option == "k" else "--" + option, value]
    run("anonymize", *table, *flag, "-o", "bands.csv", "--groups", "groups.csv", "-q")
    if option == "bands":
        return losses_of_release(table)
    found = losses(table + flag if option == "mask" else table, "--groups", "groups.csv")
    if option == "identifying":
        found[piece["column"]] = 0
    return found


def rows(name, table):
    run("anonymize", *table, "-o", os.devnull, "--groups", "base.csv", "--report", "report.json", "-q")
    before = losses(table, "--groups", "base.csv")
    with open(os.path.join(work, "report.json")) as file:
        tried = json.load(file)["advice_tried"]
    for piece in tried:
        if piece["option"] == "quasi":  # what protection costs: too little for shares of it
            continue
        shift = piece["option"] in ("weight", "bands")
        after = followed(table, piece)
        others = [c for c in before if not shift or c != piece["column"]]
        promised = piece["others"] if shift else piece["saves"]
        found = 1 - sum(after[c] for c in others) / sum(before[c] for c in others)
        yield name, piece["option"], piece["value"], f"{promised:.3f}", f"{found:.3f}", f"{promised / found - 1:+.2f}"


def main():
    wanted = sys.argv[2:] or list(tables)
    out = csv.writer(sys.stdout if sys.argv[2:] else open(os.path.join(here, "promises.csv"), "w"), lineterminator="\n")
    out.writerow(["table", "option", "value", "promised", "found", "error"])
    for name in wanted:
        out.writerows(rows(name, tables[name]()))
        sys.stdout.flush()


main()
