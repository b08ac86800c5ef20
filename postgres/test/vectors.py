"""The cases of tests/hosts on a server: the same groups, released text and figures as the program, from text and from typed
columns, with 1 and with 3 threads. Arguments: the folder of the server's programs and a folder to work in."""

import csv
import io
import json
import math
import pathlib
import re
import subprocess
import sys

import yaml

BIN, WORK = map(pathlib.Path, sys.argv[1:3])
HOSTS = WORK / "hosts"
DATA = WORK / "vectors"
TOLD = {p.name: json.loads((p / "case.json").read_text(encoding="utf-8")) for p in sorted(HOSTS.iterdir()) if p.is_dir()}
# CASE, or CASE/NAME for each run of a case that has several.
CASES = [f"{case}/{one}" if one else case for case, told in TOLD.items() for one in told.get("each", [""])]
SKIPS = json.loads((HOSTS / "skips.json").read_text(encoding="utf-8")).get("postgres", {})
STATES = {"usage": "22023", "data": "22000", "infeasible": "KN001"}
TYPES = {
    "int8": "smallint", "int16": "smallint", "int32": "integer", "int64": "bigint", "uint8": "smallint", "uint16": "integer",
    "uint32": "bigint", "uint64": "numeric(20,0)", "double": "double precision", "float": "real", "date32": "date", "bool": "boolean",
    "timestamp[us]": "timestamp", "timestamp[s, tz=UTC]": "timestamptz", "timestamp[us, tz=UTC]": "timestamptz",
    "string": "text", "large_string": "text", "dictionary": "text",
}  # fmt: skip


def server(*arguments):
    subprocess.run([BIN / "pg_ctl", "-D", DATA, "-s", "-w", *arguments], check=True)


def psql(script):
    """What the script prints, without alignment; the errors."""
    done = subprocess.run(
        [BIN / "psql", "-XqAt", "-h", DATA, "-d", "postgres", "-v", "VERBOSITY=verbose"],
        input=script, capture_output=True, encoding="utf-8", check=False)  # fmt: skip
    return done.stdout, done.stderr


# What is an argument elsewhere and said of a column here.
OF_COLUMNS = {"types": "type", "masks": "mask", "weights": "weight", "bands": "bands", "top": "top", "bottom": "bottom",
              "formats": "format"}  # fmt: skip


def quoted(text):
    return "'" + text.replace("'", "''") + "'"


def name(column):
    return '"' + column.replace('"', '""') + '"'


def array(names):
    return "ARRAY[" + ", ".join(quoted(n) for n in names) + "]::text[]"


def type_of(kind, typed):
    """The server's type of a column, and what a text column is said to be."""
    decimal = re.fullmatch(r"decimal128\((\d+), (\d+)\)", kind)
    if typed:
        return f"numeric({decimal[1]},{decimal[2]})" if decimal else TYPES[kind]
    return "text"


def said_of(kind):
    if re.match(r"u?int", kind):
        return "integer"
    if re.match(r"double|float|decimal", kind):
        return "decimal"
    return "date" if kind == "date32" else None


def arguments(case, told, o, typed):
    """The schema and the options of a case as arguments of kanon.define."""
    schema = yaml.safe_load((case / "schema.yaml").read_text(encoding="utf-8"))
    roles, columns = {}, {}
    for column, said in schema["attributes"].items():
        said = {"role": said} if isinstance(said, str) else dict(said)
        roles.setdefault(said.pop("role"), []).append(column)
        if isinstance(said.get("taxonomy"), str):
            with open(case / said["taxonomy"], encoding="utf-8", newline="") as file:
                rows = list(csv.reader(file, delimiter=";"))
            psql("CREATE TABLE IF NOT EXISTS tree (node text, parent text); TRUNCATE tree;" + "".join(
                f"INSERT INTO tree VALUES ({quoted(a)}, {quoted(b)});" for row in rows for a, b in zip(row, row[1:])))  # fmt: skip
            said["taxonomy"] = "tree"
        kind = said_of(told["columns"][column]) if column in told["columns"] else None
        if not typed and kind and not {"type", "taxonomy", "mask"} & set(said):
            said["type"] = kind
        for option, key in OF_COLUMNS.items():
            if column in o.get(option, {}):
                said[key] = o[option][column]
        if said:
            columns[column] = {k: str(v) if k in ("top", "bottom", "weight") else v for k, v in said.items()}
    given = {
        "k": str(o["k"]), "quasi": array(roles.get("quasi", [])), "sensitive": array(roles.get("sensitive", [])),
        "insensitive": array(roles.get("insensitive", [])), "columns": quoted(json.dumps(columns, default=str)), "shuffle": "false",
    }  # fmt: skip
    if "missing" in schema:
        missing = schema["missing"]
        given["missing"] = array([missing] if isinstance(missing, str) else missing)
    constraints = schema.get("privacy", {}).get("constraints", [])
    if "constraints" in o:
        given["constraints"] = array([o["constraints"]])
    elif constraints:
        given["constraints"] = array([",".join(f"{k}={v}" for k, v in c.items()) for c in constraints])
    if "entity" in schema:
        given["entity"] = quoted(schema["entity"])
        given["entity_together"] = str(schema.get("entity-together", False)).lower()
    for option in ("algorithm", "refine", "effort", "recode", "empty", "suppressed", "entity"):
        if option in o:
            given[option] = quoted(o[option])
    for option in ("suppress", "seed", "shuffle_seed", "shuffle", "strict", "entity_together"):
        if option in o:
            given[option] = str(o[option]).lower()
    if "blocks" in o:
        given["blocks"] = "0" if o["blocks"] == "auto" else str(o["blocks"])
    if "suppressed" in schema.get("privacy", {}):
        given["suppressed"] = quoted(schema["privacy"]["suppressed"])
    for option in ("settings", "refine_settings"):
        if option in o:
            given[option] = quoted(json.dumps(o[option]))
    return ", ".join(f"{k} => {v}" for k, v in given.items())


def load(case, told, typed):
    columns = ", ".join(f"{name(c)} {type_of(k, typed)}" for c, k in told["columns"].items())
    return (f"DROP TABLE IF EXISTS vector, vector_k; CREATE TABLE vector ({columns});\n"
            f"\\copy vector FROM {case / 'table.csv'} WITH (FORMAT csv, HEADER, FORCE_NULL ({', '.join(map(name, told['columns']))}))\n")  # fmt: skip


def near(found, wanted):
    if wanted is None or found is None:
        return wanted is None and found is None
    return math.isclose(found, wanted, rel_tol=1e-12, abs_tol=1e-12)


def compare_figures(text, wanted):
    found = {}
    for measure, column, value in csv.reader(io.StringIO(text)):
        number = float(value) if value else None
        found[column, measure] = None if number is not None and not math.isfinite(number) else number
    asked = {("", m): v for m, v in wanted["table"].items()}
    asked.update({(c, m): v for c, figures in wanted["columns"].items() for m, v in figures.items()})
    assert set(found) == set(asked), "other figures"
    wrong = [(key, found[key], asked[key]) for key in asked if not near(found[key], asked[key])]
    assert not wrong, f"figures differ: {wrong}"


def as_here(message):
    """A message of the program with the names of this host, and without a place."""
    message = re.sub(r"^numeric: ", "numbers: ", re.sub(r"^\S+:\d+: ", "", message))
    return re.sub(r"^(\w+): (\w+): (?=there is no ')", lambda m: f"columns: {m[2]}: {OF_COLUMNS[m[1]]}: ", message)


def run(name, typed, threads):
    folder, _, one = name.partition("/")
    case, told = HOSTS / folder, TOLD[folder]
    assert told["format"] == 1
    options = told["options"] | (told["each"][one] if one else {})
    form = options.get("numeric", "interval")
    begin = load(case, told, typed) + f"SET kanon.threads = {threads};\n\\set ON_ERROR_STOP on\n"
    define = f"SELECT kanon.define('vector_k', 'vector', {arguments(case, told, options, typed)}) \\g /dev/null\n"
    if (case / "error.json").exists():
        wanted = json.loads((case / "error.json").read_text(encoding="utf-8"))
        wanted = wanted[one] if one else wanted
        if "numeric" in options:
            define = define.replace("k => ", f"numbers => {quoted(form)}, k => ", 1)
        _, said = psql(begin + define + "SELECT * FROM kanon.refresh('vector_k');")
        said = said.split("ERROR:  ", 1)[1].split("\n")[0]
        code, message = said.split(": ", 1)
        assert (code, message.endswith(as_here(wanted["message"]))) == (STATES[wanted["status"]], True), said
        return
    shown = f"SELECT kanon.export('vector_k', 'release', {quoted(form)})"
    if "shuffle_seed" in options:  # an export has the order of the source, a table the one in which it was written
        define = define.replace("shuffle => false", "numbers => 'interval', shuffle => true")
        define += "SELECT * FROM kanon.refresh('vector_k') \\g /dev/null\n"
        shown = "COPY (SELECT * FROM vector_k ORDER BY ctid) TO STDOUT WITH (FORMAT csv, HEADER)"
    out, said = psql(begin + define + f"""
        SELECT kanon.export('vector_k', 'groups');
        \\echo =====
        {shown};
        \\echo =====
        SELECT records FROM kanon.refresh('vector_k');
        \\echo =====
        \\pset format csv
        SELECT measure, "column", value FROM kanon.measures('vector_k');""")  # fmt: skip
    assert "ERROR" not in said, said
    groups, release, records, figures = (part.strip("\n") for part in out.split("=====\n"))
    assert groups == (case / "groups.csv").read_text(encoding="utf-8").strip("\n"), "other groups"
    # Types without leading zeros, of times with a space: what the server shows is compared with the program from typed columns.
    wanted = (case / "release.csv").read_bytes().decode("utf-8").strip("\n")
    assert release == wanted, f"another release:\n{release[:300]}\n{wanted[:300]}"
    assert int(records) == len(groups.split("\n")) - 1
    compare_figures(figures, json.loads((case / "measures.json").read_text(encoding="utf-8")))


def main():
    subprocess.run([BIN / "initdb", "-D", DATA, "-U", "postgres", "-A", "trust", "-E", "UTF8", "--no-sync"], check=True,
                   stdout=subprocess.DEVNULL)  # fmt: skip
    (DATA / "postgresql.auto.conf").write_text(
        f"unix_socket_directories = '{DATA}'\nlisten_addresses = ''\nfsync = off\n", encoding="utf-8")  # fmt: skip
    server("-l", str(WORK / "vectors.log"), "start")
    failed = seen = 0
    try:
        import os
        os.environ["PGUSER"] = "postgres"
        psql("CREATE EXTENSION kanon;")
        for case in CASES:
            if case in SKIPS:
                print(f"vectors: {case}: skipped: {SKIPS[case]}")
                continue
            for typed in (False, True):
                for threads in (1, 3):
                    seen += 1
                    try:
                        run(case, typed, threads)
                    except Exception as wrong:  # noqa: BLE001: the next case is run, too
                        failed += 1
                        print(f"vectors: {case}, {'typed' if typed else 'text'}, {threads} threads: {wrong!r}")
    finally:
        server("-m", "immediate", "stop")
    crashed = "terminated by signal" in (WORK / "vectors.log").read_text(encoding="utf-8")
    print(f"vectors: {seen} runs of {len(CASES)} cases, {failed} failed{', and the server crashed' if crashed else ''}")
    return failed > 0 or crashed or len(CASES) < 20


sys.exit(main())
