"""From Parquet to Parquet beside from CSV to CSV: CPU seconds, wall-clock seconds and peak memory of the whole command.

bench_parquet.py KANON DRIVERS TABLE.csv SCHEMA [OPTION]...   The Parquet file of the table is made beside it, if it is not there."""
import ctypes
import os
import resource
import subprocess
import sys
import time

kanon, drivers, table, schema, *options = sys.argv[1:]
parquet = table[:-4] + ".parquet"


def make_parquet():
    """In a child: what DuckDB leaves in memory would count as the first memory of those that are started later."""
    child = os.fork()
    if child > 0:
        if os.waitpid(child, 0)[1] != 0:
            sys.exit("the Parquet file could not be made")
        return
    library = ctypes.CDLL(os.path.join(drivers, "libduckdb.so"))
    database, connection, result = ctypes.c_void_p(), ctypes.c_void_p(), (ctypes.c_void_p * 32)()
    library.duckdb_open(None, ctypes.byref(database))
    library.duckdb_connect(database, ctypes.byref(connection))
    sql = (f"COPY (SELECT * FROM read_csv('{table}', nullstr = ['?', ''], types = {{'zip': 'VARCHAR', 'cost': 'DOUBLE'}})) "
           f"TO '{parquet}'")
    os._exit(library.duckdb_query(connection, sql.encode(), ctypes.byref(result)))


def measure(source, release):
    """CPU seconds, seconds and MiB of a run, in a child of its own so that its peak is its own."""
    reader, writer = os.pipe()
    if os.fork() == 0:
        begin = time.monotonic()
        done = subprocess.run([kanon, "anonymize", source, "-s", schema, "-k", "10", "--seed", "1", "--quiet", "--numeric",
                               "columns", "-o", release, *options], env={**os.environ, "KANON_DRIVER_PATH": drivers})
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        os.write(writer, f"{used.ru_utime + used.ru_stime} {time.monotonic() - begin} {used.ru_maxrss / 1024}".encode())
        os._exit(done.returncode)
    status = os.waitstatus_to_exitcode(os.wait()[1])
    if status != 0:
        sys.exit(f"{source}: exit status {status}")
    os.remove(release)
    return [float(figure) for figure in os.read(reader, 200).split()]


if not os.path.exists(parquet):
    make_parquet()
print(f"{'':<20} {'CPU':>9} {'seconds':>9} {'MiB':>9}")
rows = [("CSV to CSV", measure(table, table + ".release.csv")),
        ("Parquet to Parquet", measure(parquet, parquet + ".release.parquet"))]
for name, figures in rows:
    print(f"{name:<20} {figures[0]:9.1f} {figures[1]:9.1f} {figures[2]:9.0f}")
print(f"{'ratio':<20} " + " ".join(f"{after / before:9.2f}" for before, after in zip(rows[0][1], rows[1][1])))
