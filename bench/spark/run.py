"""Measures pykanon.spark on a cluster of processes on this machine: python bench/spark/run.py ROWS WORKERS [mondrian|equal].

Prints seconds of processors by stage, records per second, bytes shuffled per record, the memory of Python tasks, and the
loss; with `mondrian` those of the scheme of mondrian.py; `equal` also compares the release with that of the program, byte
by byte, and prints the seconds that the program takes. KANON_PROGRAM makes the table, which stays below build/bench/data.
K, BLOCKS, EFFORT and ALGORITHM are taken from the environment.
"""

from __future__ import annotations

import hashlib
import json
import os
import pathlib
import resource
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path += [str(ROOT / "python" / "tests" / "spark"), str(pathlib.Path(__file__).parent)]
os.environ["PYTHONPATH"] = str(pathlib.Path(__file__).parent)  # for the executors: they import mondrian.py

import pyarrow as pa  # noqa: E402
import pyarrow.csv  # noqa: E402
import pyarrow.parquet as pq  # noqa: E402
from cluster import Cluster  # noqa: E402

PROGRAM = os.environ.get("KANON_PROGRAM", str(ROOT / "build" / "release" / "kanon"))
K, BLOCKS = int(os.environ.get("K", "10")), int(os.environ.get("BLOCKS", "50000"))
RUN = {name: os.environ[name.upper()] for name in ("effort", "algorithm") if name.upper() in os.environ}


def table(rows: int) -> pathlib.Path:
    """The sample as CSV and as Parquet in several files, with the row as key and every other column as text."""
    folder = ROOT / "build" / "bench" / "data" / f"spark-{rows}"
    if not (folder / "parquet").exists():
        subprocess.run([PROGRAM, "sample", "hospital", "-q", "--rows", str(rows), "--seed", "1", "-o", folder], check=True)
        (folder / "new").mkdir(exist_ok=True)
        names = (folder / "hospital.csv").open().readline().strip().split(",")
        convert = pa.csv.ConvertOptions(column_types={n: pa.string() for n in names}, strings_can_be_null=False)
        at = 0
        reader = pa.csv.open_csv(folder / "hospital.csv", convert_options=convert,
                                 read_options=pa.csv.ReadOptions(block_size=32 * 2**20))  # fmt: skip
        for i, batch in enumerate(reader):
            key = pa.array(range(at, at + batch.num_rows), pa.int64())
            at += batch.num_rows
            pq.write_table(pa.Table.from_batches([batch]).append_column("row", key), folder / "new" / f"{i:04}.parquet")
        (folder / "new").rename(folder / "parquet")
    return folder


def figures_of(log: pathlib.Path) -> dict[str, float]:
    """Bytes written by shuffles, and the largest Python process of an executor, from the event log."""
    shuffled = python = 0
    for file in log.glob("**/*"):
        for line in file.open() if file.is_file() else ():
            if '"SparkListenerTaskEnd"' in line:
                event = json.loads(line)
                metrics = event.get("Task Metrics") or {}
                shuffled += metrics.get("Shuffle Write Metrics", {}).get("Shuffle Bytes Written", 0)
                python = max(python, event.get("Task Executor Metrics", {}).get("ProcessTreePythonRSSMemory", 0))
    return {"shuffled": shuffled, "python": python}


def ours(spark, cluster: Cluster, folder: pathlib.Path, rows: int, equal: bool) -> None:
    import pykanon.spark

    warm(spark)

    stages: list[tuple[str, float]] = []

    def progress(stage: str, line: str) -> None:
        stages.append((stage, cluster.processor_seconds()))
        print(f"  {stage}: {line}", flush=True)

    begin, used = time.time(), cluster.processor_seconds()
    released = pykanon.spark.anonymize(
        spark.read.parquet(str(folder / "parquet")), key="row", schema=folder / "hospital.yaml", k=K, blocks=BLOCKS,
        seed=1, progress=progress, **(dict(insensitive="row", numeric="text") if equal else {}), **RUN,
    )  # fmt: skip
    end, last = time.time(), cluster.processor_seconds()
    used, took = last - used, {}
    for (stage, at), (_, then) in zip(stages, [*stages[1:], ("", last)]):
        took[stage] = took.get(stage, 0) + then - at
    print("  of processors: " + ", ".join(f"{stage} {seconds:.1f} s" for stage, seconds in took.items()))
    say(rows, end - begin, used, f"average loss {released.measures['avg_loss']:.5f}, {released.checked['classes']:,} classes")
    if equal:
        compare(released, folder)


def compare(released, folder: pathlib.Path) -> None:
    """The release in the order of the rows as the CSV that the program writes, and that of the program."""
    names = [n for n in released.columns if n != "row"]
    released.orderBy("row").select(*[f"`{n}`" for n in names]).write.mode("overwrite").parquet(str(folder / "release"))
    nothing = {"diagnosis": "", "cost": ""}  # released as they are; elsewhere no value is any value
    plain = pa.csv.WriteOptions(include_header=False, quoting_style="none")
    spark = hashlib.sha256((",".join(names) + "\n").encode())
    for part in sorted((folder / "release").glob("*.parquet")):
        for batch in pq.ParquetFile(part).iter_batches(200_000):
            full = [c.fill_null(nothing.get(n, "*")) for n, c in zip(names, batch.columns)]
            text = pa.BufferOutputStream()
            pa.csv.write_csv(pa.RecordBatch.from_arrays(full, names), text, plain)
            spark.update(text.getvalue())
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    options = [text for name, value in RUN.items() for text in (f"--{name}", value)]
    subprocess.run([PROGRAM, "anonymize", folder / "hospital.csv", "-s", folder / "hospital.yaml", "-k", str(K), "--blocks",
                    str(BLOCKS), "--seed", "1", "-q", "-o", folder / "release.csv", *options], check=True)  # fmt: skip
    used = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
    with open(folder / "release.csv", "rb") as file:
        program = hashlib.file_digest(file, "sha256")
    said = "equal" if spark.digest() == program.digest() else "DIFFERENT"
    print(f"  program: {used:.1f} s of processors, {said}: sha256 {spark.hexdigest()[:16]} and {program.hexdigest()[:16]}")


def warm(spark) -> None:
    """Executors are there, and have compiled what every job needs."""
    spark.range(0, 100, 1, 4).mapInArrow(lambda batches: batches, "id long").repartition(4, "id").count()


def say(rows: int, seconds: float, used: float, more: str) -> None:
    print(f"  {seconds:.1f} s, {used:.1f} s of processors: {rows / seconds:,.0f} records a second, {rows / used:,.0f} a second "
          f"of a processor; {more}")  # fmt: skip


def theirs(spark, cluster: Cluster, folder: pathlib.Path, rows: int, workers: int) -> None:
    """Mondrian in pandas. The loss of its groups is computed by the library, from the group of each record."""
    import mondrian
    import numpy as np

    from pykanon import _kanon, schema

    quasi = ["age", "admission", "sex", "zip", "marital-status", "occupation"]
    given = pq.read_table(folder / "parquet")
    codes = {"row": given["row"]}
    for name in quasi:
        texts = given[name].combine_chunks()
        order = leaves(folder, name) or sorted(set(texts.to_pylist()))
        place = {text: i for i, text in enumerate(order)}
        codes[name] = pa.array([float(t) if name == "age" and t else place.get(t, 0) for t in texts.to_pylist()], pa.float64())
    pq.write_table(pa.table(codes), folder / "codes.parquet", row_group_size=200_000)
    warm(spark)
    begin, used = time.time(), cluster.processor_seconds()
    found = mondrian.anonymize(spark.read.parquet(str(folder / "codes.parquet")), quasi, "row", K, workers,
                               min(1.0, 100_000 / rows))  # fmt: skip
    groups = found.toPandas().sort_values("row")
    end, used = time.time(), cluster.processor_seconds() - used
    numbers = groups.groupby(["fragment", "part"]).ngroup().to_numpy().astype(np.int64) + 1
    handle = schema.make(schema=folder / "hospital.yaml", insensitive=["cost", "row"])
    loaded = _kanon.table_import(handle, given.__arrow_c_stream__(), _kanon.ticker_new(), threads=1)
    grouping = _kanon.grouping_new(loaded, numbers.tobytes())
    loss = {n: v for n, c, v, _ in _kanon.evaluate(loaded, grouping, _kanon.ticker_new(), brief=True) if c is None}
    more = f"average loss {loss['avg_loss']:.5f}, smallest group {np.bincount(numbers)[1:].min()}"
    say(rows, end - begin, used, "Mondrian in pandas, " + more)


def leaves(folder: pathlib.Path, name: str) -> list[str]:
    """The values of a taxonomy in the order of its file; none: there is no file."""
    file = folder / "taxonomies" / f"{name}.csv"
    return [line.partition(";")[0] for line in file.read_text().splitlines()] if file.exists() else []


def main(rows: int, workers: int, mondrian: bool, equal: bool) -> None:
    folder = table(rows)
    with Cluster(workers=workers, memory="2g") as cluster:
        log = pathlib.Path(cluster.folder.name) / "events"
        log.mkdir()
        spark = cluster.session(**{
            "spark.executor.memory": "1500m", "spark.driver.memory": "2g", "spark.eventLog.enabled": "true",
            "spark.eventLog.dir": f"file://{log}", "spark.eventLog.rolling.enabled": "false",
            "spark.eventLog.compress": "false",
            "spark.executor.processTreeMetrics.enabled": "true", "spark.eventLog.logStageExecutorMetrics": "true",
            "spark.executor.metrics.pollingInterval": "200ms", "spark.sql.codegen.wholeStage": "true",
            "spark.executor.extraJavaOptions": "-XX:+UseSerialGC", "spark.driver.extraJavaOptions": "-XX:+UseSerialGC",
        })  # fmt: skip
        print(f"{rows:,} records, {workers} workers, Spark {spark.version}, k = {K}, blocks of {BLOCKS:,} {RUN}", flush=True)
        theirs(spark, cluster, folder, rows, workers) if mondrian else ours(spark, cluster, folder, rows, equal)
        spark.stop()
        found = figures_of(log)
        print(f"  {found['shuffled'] / rows:.1f} bytes shuffled per record, Python processes of an executor at most "
              f"{found['python'] / 2**20:.0f} MB", flush=True)  # fmt: skip


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]), "mondrian" in sys.argv[3:], "equal" in sys.argv[3:])
