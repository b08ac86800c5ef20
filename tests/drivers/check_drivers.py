"""Parquet files and databases against CSV, with the real drivers and a real PostgreSQL server: check_drivers.py KANON [FAILING]

One table with every type and nulls goes in by CSV, Parquet, SQLite, a DuckDB query and PostgreSQL: the groups and the released
values are the same. It comes out as a Parquet file and as tables: the values are those of the CSV release. Then what can go wrong:
no driver, a nested type, a full disk, each call of DuckDB, a kill, a server that goes away. Nothing is half-written, and nothing is told."""
import ctypes
import contextlib
import csv
import datetime
import os
import random
import resource
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
KANON = os.path.abspath(sys.argv[1])
FAILING = os.path.abspath(sys.argv[2]) if len(sys.argv) > 2 else None # the folder of failing_duckdb.c, as libduckdb.so
POSTGRES = "/usr/lib/postgresql/15/bin"
SECRET = "hunter2"
ROWS = 600
N_COLUMNS = ["id", "age", "height", "member", "born", "seen", "city", "illness"]
SCHEMA = """missing: ["", "?"]
attributes:
  id:      {role: identifying}
  age:     {role: quasi}
  height:  {role: quasi, type: decimal}
  born:    {role: quasi, type: date}
  seen:    {role: insensitive}
  city:    {role: quasi, type: categorical}
  member:  {role: insensitive}
  illness: {role: sensitive, type: categorical}
privacy: {k: 5}
"""


def skip(why):
    print("check_drivers:", why)
    sys.exit(1 if os.environ.get("CI") == "true" else 77)


def make_rows():
    draw = random.Random(1)
    rows = []
    for i in range(ROWS):
        born = datetime.date(1940, 1, 1) + datetime.timedelta(days=draw.randrange(25000))
        seen = datetime.datetime(2024, 1, 1) + datetime.timedelta(seconds=draw.randrange(10**7))
        row = [str(i), str(draw.randrange(18, 95)), f"{draw.randrange(1400, 2100) / 8:g}", draw.choice(["true", "false"]),
               born.isoformat(), seen.isoformat(), draw.choice(["Rome", "Oslo", "São Paulo", 'the "Hague"']),
               draw.choice(["flu", "gout", "cold", "none, really"])]
        for column in (1, 2, 4, 6, 7):
            if draw.random() < 0.03:
                row[column] = ""
        rows.append(row)
    return rows


class DuckDB:
    """The C interface of libduckdb, as far as it runs statements."""

    def __init__(self, folder):
        self.library = ctypes.CDLL(os.path.join(folder, "libduckdb.so"))
        self.library.duckdb_result_error.restype = ctypes.c_char_p
        self.database, self.connection = ctypes.c_void_p(), ctypes.c_void_p()
        assert self.library.duckdb_open(None, ctypes.byref(self.database)) == 0
        assert self.library.duckdb_connect(self.database, ctypes.byref(self.connection)) == 0

    def run(self, sql):
        result = (ctypes.c_void_p * 32)()
        failed = self.library.duckdb_query(self.connection, sql.encode(), ctypes.byref(result))
        assert not failed, self.library.duckdb_result_error(ctypes.byref(result))
        self.library.duckdb_destroy_result(ctypes.byref(result))


class Server:
    """PostgreSQL in a folder of its own, as a user who may run it."""

    def __init__(self, folder):
        self.folder, self.data = folder, os.path.join(folder, "data")
        self.user = ["setpriv", "--reuid=nobody", "--regid=nogroup", "--clear-groups"] if os.geteuid() == 0 else []
        os.makedirs(folder)
        os.chmod(os.path.dirname(folder), 0o755)
        if self.user:
            subprocess.run(["chown", "nobody", folder], check=True)
        self.call("initdb", "-D", self.data, "-A", "trust", "-U", "kanon", "--no-sync", "-E", "UTF8", "--locale=C")
        self.start()

    def start(self):
        self.call("pg_ctl", "-D", self.data, "-w", "-o", f"-k {self.folder} -c listen_addresses='' -c fsync=off",
                  "-l", os.path.join(self.folder, "log"), "start")

    def call(self, program, *words):
        subprocess.run([*self.user, os.path.join(POSTGRES, program), *words], check=True, stdout=subprocess.DEVNULL,
                       cwd=self.folder)

    def stop(self, mode="fast"):
        self.call("pg_ctl", "-D", self.data, "-m", mode, "-w", "stop")

    def sql(self, text, stdin=None):
        return subprocess.run(["psql", "-X", "-q", "-A", "-t", "-F", ",", "-h", self.folder, "-U", "kanon", "-d", "postgres",
                               "-v", "ON_ERROR_STOP=1", "-c", text], check=True, input=stdin, capture_output=True,
                              text=True).stdout

    def location(self, rest):
        return f"adbc:postgresql?uri=postgresql:///postgres?host={self.folder}%26user=kanon%26password={SECRET}&{rest}"


def kanon(*words, status=0, env=None, **how):
    done = subprocess.run([KANON, *words], capture_output=True, text=True, env={**os.environ, **(env or {})}, **how)
    assert done.returncode == status, (words, done.returncode, done.stdout, done.stderr)
    assert SECRET not in done.stdout + done.stderr, done.stderr
    return done


def anonymize(table, *words, **how):
    return kanon("anonymize", table, "-s", "s.yaml", "-a", "mondrian", "--seed", "1", "-q", *words, **how)


def read(path):
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.reader(file))


def first_difference(found, expected):
    return next(((one, other) for one, other in zip(found, expected) if one != other), (len(found), len(expected)))


def check_inputs(tables):
    anonymize("t.csv", "-o", "csv.csv", "--groups", "csv.groups", "--numeric", "columns")
    shuffled = ["--numeric", "columns", "--shuffle-seed", "7"]
    anonymize("t.csv", "-o", "shuffled.csv", *shuffled)
    assert read("shuffled.csv") != read("csv.csv") and sorted(read("shuffled.csv")) == sorted(read("csv.csv"))
    for name, location in tables.items():
        anonymize(location, "-o", "r.csv", "--groups", "r.groups", "--numeric", "columns", "--report", "r.json")
        assert read("r.groups") == read("csv.groups"), name
        assert read("r.csv") == read("csv.csv"), (name, first_difference(read("r.csv"), read("csv.csv")))
        assert SECRET not in open("r.json", encoding="utf-8").read(), name
        # the order is one of what is released, whatever it was read from
        anonymize(location, "-o", "r.csv", *shuffled)
        assert read("r.csv") == read("shuffled.csv"), (name, first_difference(read("r.csv"), read("shuffled.csv")))
    for command in (["profile", "-s", "s.yaml"], ["init"]):
        outputs = {name: kanon(command[0], location, *command[1:]).stdout for name, location in tables.items()}
        assert all(outputs.values()), command
    # DuckDB would read a column from the first name, and take the second for another folder
    os.mkdir("year=2026")
    shutil.copy("t.parquet", "year=2026/t.parquet")
    shutil.copy("t.parquet", "~.parquet")
    for name in ("year=2026/t.parquet", "~.parquet"):
        anonymize(name, "-o", "year=2026/out.parquet", "--groups", "r.groups")
        assert read("r.groups") == read("csv.groups"), name
    counts = kanon("taxonomy", "build", tables["parquet"], "--column", "city", "--mask", "right").stdout
    assert "Rome" in counts


def cells(rows):
    """As texts: whole numbers without a point, and nothing for no value."""
    return [["" if cell in (None, "") else str(cell)[:-2] if str(cell).endswith(".0") else str(cell) for cell in row] for row in rows]


def check_outputs(duckdb, server):
    expected = cells(read("csv.csv")[1:])
    for row in expected: # what a CSV file shows of cells without a value
        row[:] = ["" if cell in ("*", "?") else cell for cell in row]
    names = read("csv.csv")[0]
    for table in ("t.csv", "t.parquet"):
        for name in ("out.parquet", "out.db#released", "adbc:duckdb?uri=out.duckdb&table=released",
                     server.location("table=released")):
            for again in range(2 if table == "t.csv" else 1): # the second time it replaces what is there
                anonymize(table, "-o", name, "--groups", "r.groups")
            assert read("r.groups") == read("csv.groups"), name
            kanon("check", name, "-s", "s.yaml", "-k", "5")
            kanon("evaluate", table, "-s", "s.yaml", "--release", name)
        duckdb.run("COPY (SELECT * FROM read_parquet('out.parquet')) TO 'back.csv' (HEADER, TIMESTAMPFORMAT '%Y-%m-%dT%H:%M:%S')")
        back = read("back.csv")
        assert back[0] == names and cells(back[1:]) == expected, (table, first_difference(cells(back[1:]), expected))
        rows = cells(sqlite3.connect("out.db").execute("SELECT * FROM released").fetchall())
        assert rows == expected, (table, first_difference(rows, expected))
        order = "age_min, age_max, height_min, born_min, member, seen, city, illness"
        rows = server.sql(f"COPY (SELECT {order} FROM released) TO STDOUT WITH (FORMAT csv, NULL '')").splitlines()
        duckdb.run(f"COPY (SELECT {order} FROM read_parquet('out.parquet')) TO 'back.csv' (HEADER, TIMESTAMPFORMAT "
                   "'%Y-%m-%d %H:%M:%S')")
        found = cells(csv.reader(line.replace(",t,", ",true,").replace(",f,", ",false,") for line in rows))
        assert sorted(found) == sorted(cells(read("back.csv")[1:])), table # a table has no order
    duckdb.run("COPY (SELECT decode(key) AS key, decode(value) AS value FROM parquet_kv_metadata('out.parquet')) TO 'kv.csv' (HEADER)")
    marks = dict(read("kv.csv")[1:])
    assert marks["kanon.k"] == "5" and marks["kanon.algorithm"] == "mondrian" and "kanon.version" in marks, marks
    assert '"age":"quasi"' in marks["kanon.roles"] and '"id"' not in marks["kanon.roles"], marks
    assert not any("seed" in key or "sha" in key for key in marks), marks
    check_marks(duckdb, marks)


def check_marks(duckdb, marks):
    """kanon check shows what a Parquet file says of itself, and nothing where it says nothing, or not in text."""
    lines = kanon("check", "out.parquet", "-s", "s.yaml", "-k", "5").stdout.splitlines()
    assert lines[0].split(None, 1) == ["made_by", f"kanon {marks['kanon.version']}, k = 5, algorithm mondrian"], lines[0]
    assert lines[1].split(None, 1) == ["made_roles", marks["kanon.roles"]], lines[1]
    same = "COPY (SELECT * FROM read_parquet('out.parquet')) TO 'marked.parquet'"
    for words in ("", " (KV_METADATA {'kanon.version': '9\x1b[31m', 'kanon.k': '5', 'kanon.algorithm': 'a'})",
                  " (KV_METADATA {'kanon.version': '9', 'kanon.k': 'five', 'kanon.algorithm': 'a'})",
                  " (KV_METADATA {'kanon.version': '\\xFF'::BLOB, 'kanon.k': '5', 'kanon.algorithm': 'a', other: '\\xFE'::BLOB})",
                  " (KV_METADATA {'kanon.k': '5'})"):
        duckdb.run(same + words)
        assert kanon("check", "marked.parquet", "-s", "s.yaml", "-k", "5").stdout.splitlines() == lines[2:], words
    duckdb.run(same + " (KV_METADATA {'kanon.version': '9', 'kanon.k': '5', 'kanon.algorithm': 'a', other: '\\xFE'::BLOB})")
    first = kanon("check", "marked.parquet", "-s", "s.yaml", "-k", "5").stdout.splitlines()[0]
    assert first.endswith("kanon 9, k = 5, algorithm a"), first


def check_groups(duckdb, server):
    """Groups go where releases go, and with them in one transaction."""
    for release, groups in (("out.csv", "g.parquet"), ("out.db#released", "out.db#groups"), ("out.parquet", "other.db#groups"),
                            ("adbc:duckdb?uri=grouped.duckdb&table=released", "adbc:duckdb?uri=grouped.duckdb&table=groups"),
                            (server.location("table=released"), server.location("table=groups"))):
        anonymize("t.csv", "-o", release, "--groups", groups)
    for name in ("g.parquet", "grouped.duckdb", "other.db"):
        assert os.stat(name).st_mode & 0o77 == 0, name
    expected = read("csv.groups")
    for name in ("out.db", "other.db"):
        rows = sqlite3.connect(name).execute('SELECT "row", "group" FROM groups').fetchall()
        assert cells(rows) == expected[1:], name
    rows = server.sql('SELECT "row", "group" FROM groups ORDER BY "row"').split()
    assert [row.split(",") for row in rows] == expected[1:]
    duckdb.run("ATTACH 'grouped.duckdb' AS written (READ_ONLY)")
    for table in ("read_parquet('g.parquet')", "written.groups"):
        duckdb.run(f"COPY (FROM {table}) TO 'back.csv' (HEADER)")
        assert read("back.csv") == expected, table
    duckdb.run("DETACH written")
    check_groups_read(server)
    # more rows than DuckDB works on at a time, with nulls in dictionaries
    with open("many.csv", "w", newline="", encoding="utf-8") as file:
        rows = read("t.csv")
        csv.writer(file, lineterminator="\n").writerows(rows + 8 * rows[1:])
    anonymize("many.csv", "-o", "adbc:duckdb?uri=out.duckdb&table=many")
    kanon("check", "adbc:duckdb?uri=out.duckdb&table=many", "-s", "s.yaml", "-k", "5")


def check_groups_read(server):
    """Groups come from where they went, in any order of the rows."""
    figures = kanon("evaluate", "t.csv", "-s", "s.yaml", "--groups", "csv.groups").stdout
    for groups in ("g.parquet", "out.db#groups", "adbc:duckdb?uri=grouped.duckdb&table=groups", server.location("table=groups"),
                   "adbc:duckdb?query=SELECT * FROM read_parquet('g.parquet') ORDER BY row DESC"):
        assert kanon("evaluate", "t.csv", "-s", "s.yaml", "--groups", groups).stdout == figures, groups
        kanon("improve", "t.csv", "-s", "s.yaml", "--groups", groups, "-q", "-o", "r.csv")
    for query, message in (("SELECT * FROM read_parquet('t.parquet')", "not a groups file"),
                           ("SELECT row, nullif(\"group\", 3) AS \"group\" FROM read_parquet('g.parquet')", "not a group number"),
                           ("SELECT row + 1 AS row, \"group\" FROM read_parquet('g.parquet')", "row 600: row: the table has no such row"),
                           ("SELECT * FROM read_parquet('g.parquet') LIMIT 599", "1 rows of the table are not named")):
        done = kanon("evaluate", "t.csv", "-s", "s.yaml", "--groups", "adbc:duckdb?query=" + query, status=3)
        assert message in done.stderr, done.stderr


def check_full_disk():
    """A disk that is full, where one can be had: nothing appears, and what was there stays."""
    os.mkdir("disk")
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "none", "disk"], capture_output=True).returncode == 0
    if not mounted:
        print("check_drivers: no small disk can be had; a limit of the file size stands for it")
        return
    try:
        for name in ("disk/r.parquet", "disk/r.db#t"):
            anonymize("t.csv", "-o", name)
        before = {name: open(name, "rb").read() for name in ("disk/r.parquet", "disk/r.db")}
        with open("disk/ballast", "wb", buffering=0) as file:
            try:
                while True:
                    file.write(bytes(4096))
            except OSError:
                pass
        for name in ("disk/r.parquet", "disk/r.db#t", "disk/new.parquet", "disk/new.db#t", "adbc:duckdb?uri=disk/new.duckdb&table=t"):
            done = anonymize("t.csv", "-o", name, "-k", "7", status=4)
            assert "kanon: " + name.split("?")[0] in done.stderr, done.stderr
        assert all(open(name, "rb").read() == content for name, content in before.items())
        assert [name for name in os.listdir("disk") if "parquet" in name or "journal" in name] == ["r.parquet"]
    finally:
        subprocess.run(["umount", "disk"], check=True)


def check_failing_calls():
    """Each call with which DuckDB writes a Parquet file fails in turn: the old file stays."""
    before = open("out.parquet", "rb").read()
    real = os.path.join(os.environ["KANON_DRIVER_PATH"], "libduckdb.so")
    n_failed = 0
    for fail_at in range(1, 20):
        env = {"KANON_DRIVER_PATH": FAILING, "REAL_DUCKDB": real, "FAIL_AT": str(fail_at)}
        done = subprocess.run([KANON, "anonymize", "t.csv", "-s", "s.yaml", "-a", "mondrian", "-k", "7", "-q", "-o", "out.parquet"],
                              env={**os.environ, **env}, capture_output=True, text=True)
        if done.returncode == 0:
            break
        n_failed += 1
        assert done.returncode == 4 and "out.parquet" in done.stderr, (fail_at, done.returncode, done.stderr)
        assert open("out.parquet", "rb").read() == before and left_over() == [], fail_at
    assert n_failed == 6, n_failed # open, connect, settings, scan, copy; reading back
    anonymize("t.csv", "-o", "out.parquet")


def check_states(server):
    kanon("anonymize", "t.parquet", "-s", "s.yaml", "-a", "mondrian", "-q", "-o", "first.parquet", "--state", "s.state")
    kanon("insert", "s.state", server.location("query=SELECT * FROM people LIMIT 7"), "-q", "-o", "second.parquet")
    kanon("check", "second.parquet", "-s", "s.yaml", "-k", "5")


def left_over():
    return sorted(name for name in os.listdir(".") if "kanon-" in name or name.endswith("-journal"))


def limit_files():
    resource.setrlimit(resource.RLIMIT_FSIZE, (3000, 3000))


def check_failures(duckdb, server):
    without = {"KANON_DRIVER_PATH": "/nonexistent", "VIRTUAL_ENV": "", "CONDA_PREFIX": "", "HOME": "/nonexistent"}
    for words in (["t.parquet", "-o", "x.csv"], ["t.csv", "-o", "x.parquet"]):
        done = anonymize(*words, status=4, env=without)
        assert "driver duckdb" in done.stderr and "KANON_DRIVER_PATH" in done.stderr, done.stderr
    anonymize("t.csv", "-o", "x.csv", env=without)
    anonymize("t.db#people", "-o", "x.db#released", env=without)
    duckdb.run("COPY (SELECT *, [1, 2] AS visits FROM read_parquet('t.parquet')) TO 'nested.parquet'")
    done = anonymize("nested.parquet", "--insensitive", "visits", "-o", "n.csv", status=3)
    assert "visits" in done.stderr and "list" in done.stderr, done.stderr
    anonymize("nested.parquet", "-o", "withheld.csv")  # what is withheld is not read
    assert "visits" not in open("withheld.csv").readline()
    with contextlib.closing(sqlite3.connect("typed.db")) as database:  # by the declared type, not by the digits
        database.execute("CREATE TABLE t (zip VARCHAR(9), plain, born DATE, age INTEGER)")
        database.executemany("INSERT INTO t VALUES(?, ?, ?, ?)",
                             [(str(i % 4), str(i % 4), f"2000-01-0{i % 4 + 1}", i % 4 or "?") for i in range(40)])
        database.commit()
    for name, released in (("zip", {"*"}), ("plain", {"[0..3]"}), ("born", {"[2000-01-01..2000-01-04]"}), ("age", {"*"})):
        kanon("anonymize", "typed.db#t", "--quasi", name, "--missing", "?", "-k", "40", "-q", "-o", "typed.csv")
        assert {row[0] for row in list(csv.reader(open("typed.csv")))[1:]} == released, name
    done = anonymize(server.location("table=nosuch"), "-o", "n.csv", status=3)
    assert "42P01" in done.stderr, done.stderr
    done = anonymize("adbc:duckdb?query=SELECT CAST('Anna' AS INTEGER) AS age", "-o", "n.csv", status=3)
    assert "Anna" not in done.stderr, done.stderr
    # a file that cannot grow
    before = {name: open(name, "rb").read() for name in ("out.parquet", "out.db")}
    for name in ("out.parquet", "out.db#released", "new.parquet", "new.db#t"):
        anonymize("t.csv", "-o", name, status=4, preexec_fn=limit_files)
    assert all(open(name, "rb").read() == content for name, content in before.items())
    assert not os.path.exists("new.parquet") and not os.path.exists("new.db") and not os.path.exists("n.csv")
    assert left_over() == []


def killed_at(name, kind, at):
    """Makes a release of k = 7, and is killed before call number `at` of this kind; 0: never. The calls made, by kind."""
    env = dict(os.environ, LD_PRELOAD=os.path.join(os.path.dirname(KANON), "libfail_nth.so"), FAIL_COUNTS="counts",
               FAIL_KIND=kind, FAIL_AT=str(at), FAIL_SIGNAL=str(int(signal.SIGKILL)))
    subprocess.run([KANON, "anonymize", "t.csv", "-s", "s.yaml", "-a", "mondrian", "-q", "-o", name, "-k", "7"], env=env,
                   check=at == 0)
    with open("counts") as file:
        return {kind: int(n) for kind, n in (line.split() for line in file)}


def check_kills(server):
    before = open("out.parquet", "rb").read()
    draw = random.Random(2)
    for name in ("out.parquet", "out.db#released", server.location("table=released")):
        made = killed_at(name, "write", 0)
        anonymize("t.csv", "-o", name) # the old table again
        for _ in range(4):
            # it kills itself before one of its last calls of a kind, of which fault/fail_nth.c counts how many it makes
            kind = draw.choice([kind for kind in ("open", "write", "sync", "rename", "unlink") if made[kind] > 0])
            killed_at(name, kind, made[kind] - draw.randrange(min(made[kind], 5)))
        kanon("check", name, "-s", "s.yaml", "-k", "5") # the old table, or the new one, and all of it
    assert open("out.parquet", "rb").read() == before or kanon("check", "out.parquet", "-s", "s.yaml", "-k", "7")
    anonymize("t.csv", "-o", "out.parquet")
    assert left_over() == [] # what a killed process left is gone with the next run
    assert server.sql("SELECT count(*) FROM released").strip() == str(ROWS)
    check_server_gone(server)


# Every row that goes into a new table takes its time, so that the server can go away between two of them.
SLOW_TABLES = """CREATE FUNCTION slow_row() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM pg_sleep(0.2); RETURN NEW; END';
CREATE FUNCTION slow_table() RETURNS event_trigger LANGUAGE plpgsql AS $$
DECLARE made record;
BEGIN
  FOR made IN SELECT objid::regclass AS name FROM pg_event_trigger_ddl_commands() WHERE object_type = 'table' LOOP
    EXECUTE format('CREATE TRIGGER slow BEFORE INSERT ON %s FOR EACH ROW EXECUTE FUNCTION slow_row()', made.name);
  END LOOP;
END $$;
CREATE EVENT TRIGGER slow ON ddl_command_end WHEN TAG IN ('CREATE TABLE') EXECUTE FUNCTION slow_table()"""


def check_server_gone(server):
    """The server goes away while rows are written, then while they are read."""
    before = server.sql("SELECT * FROM released ORDER BY 1, 2, 3, 4, 5, 6, 7, 8, 9, 10")
    server.sql(SLOW_TABLES)
    process = subprocess.Popen([KANON, "anonymize", "t.csv", "-s", "s.yaml", "-a", "mondrian", "-k", "7", "-o", server.location("table=released"),
                                "--groups", "gone.groups"], stderr=subprocess.PIPE, text=True)
    for _ in range(600):
        if server.sql("SELECT count(*) FROM pg_stat_progress_copy WHERE tuples_processed > 0").strip() == "1":
            break # rows are on their way
        assert process.poll() is None, process.communicate()
        time.sleep(0.1) # a server tells of its queries only when it is asked
    else:
        raise AssertionError("no row is being written")
    server.stop("immediate")
    text = process.communicate(timeout=60)[1]
    assert process.returncode == 4, (process.returncode, text)
    assert text.splitlines()[-1].startswith("kanon: adbc:postgresql#released: ") and SECRET not in text, text
    assert not os.path.exists("gone.groups") and left_over() == []
    server.start()
    server.sql("DROP EVENT TRIGGER slow")
    assert server.sql("SELECT * FROM released ORDER BY 1, 2, 3, 4, 5, 6, 7, 8, 9, 10") == before # the old table, and all of it
    process = subprocess.Popen([KANON, "anonymize", server.location("query=SELECT * FROM people WHERE pg_sleep(0.1)::text IS NOT NULL"),
                                "-s", "s.yaml", "-o", "gone.csv"], stderr=subprocess.PIPE, text=True)
    while server.sql("SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'PgSleep'").strip() == "0":
        assert process.poll() is None, process.communicate()
        time.sleep(0.1) # a server tells of its queries only when it is asked
    server.stop("immediate")
    text = process.communicate(timeout=60)[1]
    assert process.returncode == 4, (process.returncode, text)
    assert "adbc:postgresql" in text and SECRET not in text, text
    assert not os.path.exists("gone.csv")


def make_tables(duckdb, server):
    rows = make_rows()
    with open("t.csv", "w", newline="", encoding="utf-8") as file:
        csv.writer(file, lineterminator="\n").writerows([N_COLUMNS, *rows])
    with open("s.yaml", "w", encoding="utf-8") as file:
        file.write(SCHEMA)
    types = {"id": "VARCHAR", "age": "SMALLINT", "height": "DOUBLE", "member": "BOOLEAN", "born": "DATE", "seen": "TIMESTAMP",
             "city": "VARCHAR", "illness": "VARCHAR"}
    columns = ", ".join(f"'{name}': '{kind}'" for name, kind in types.items())
    duckdb.run(f"COPY (SELECT * FROM read_csv('t.csv', header = true, nullstr = '', columns = {{{columns}}})) TO 't.parquet'")
    with sqlite3.connect("t.db") as database:
        database.execute("CREATE TABLE people (id TEXT, age INTEGER, height REAL, member TEXT, born TEXT, seen TEXT, "
                         "city TEXT, illness TEXT)")
        database.executemany("INSERT INTO people VALUES (?, ?, ?, ?, ?, ?, ?, ?)", [[c or None for c in row] for row in rows])
    server.sql("CREATE TABLE people (id text, age smallint, height double precision, member boolean, born date, "
               "seen timestamp, city text, illness varchar(20))")
    with open("t.csv", encoding="utf-8") as file:
        server.sql("COPY people FROM STDIN WITH (FORMAT csv, HEADER, NULL '')", file.read())
    return {"parquet": "t.parquet", "sqlite": "t.db#people", "sqlite without a name": "t.db",
            "duckdb": "adbc:duckdb?query=SELECT * FROM read_parquet('t.parquet')",
            "postgresql": server.location("query=SELECT * FROM people ORDER BY id::int")} # a table there has no order


def main():
    got = subprocess.run([os.path.join(ROOT, "scripts", "get-drivers")], capture_output=True, text=True)
    if got.returncode != 0:
        skip("the drivers cannot be had: " + got.stderr.strip())
    if not os.path.exists(os.path.join(POSTGRES, "initdb")):
        skip("there is no PostgreSQL 15: apt-get install postgresql")
    os.environ["KANON_DRIVER_PATH"] = got.stdout.strip()
    with tempfile.TemporaryDirectory() as folder:
        server = Server(os.path.join(folder, "pg"))
        os.makedirs(os.path.join(folder, "work"))
        os.chdir(os.path.join(folder, "work"))
        try:
            duckdb = DuckDB(os.environ["KANON_DRIVER_PATH"])
            tables = make_tables(duckdb, server)
            check_inputs(tables)
            check_outputs(duckdb, server)
            check_groups(duckdb, server)
            check_full_disk()
            if FAILING is not None:
                check_failing_calls()
            check_states(server)
            check_failures(duckdb, server)
            check_kills(server)
        finally:
            os.chdir("/")
            if os.path.exists(os.path.join(server.data, "postmaster.pid")):
                server.stop("immediate")
    print("check_drivers: all tables are the same")


main()
