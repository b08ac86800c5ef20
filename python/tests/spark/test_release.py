"""A release by executors is that of the program on one machine."""

import datetime
import decimal
import random

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tables import lines_of
from pyspark.sql import functions as F

import pykanon
import pykanon.spark
from pykanon import DataError, UsageError
from pykanon.spark import check, group, job
from pykanon.spark.plan import PLACE

FORM = dict(insensitive="row", numeric="interval")


def program(table, k, blocks, seed, *more):
    return table.released_by_program("-k", str(k), "--blocks", str(blocks), "--seed", str(seed), *more)


def test_adult(spark, adult):
    """The same lines, though the rows arrive in another order and in partitions of another number."""
    rows = spark.read.parquet(adult.parquet).orderBy(F.rand(seed=1)).repartition(5)
    stages = []
    released = pykanon.spark.anonymize(
        rows, key="row", schema=adult.options[1], k=10, blocks=500, seed=3, progress=lambda *told: stages.append(told), **FORM
    )
    assert lines_of(released) == program(adult, 10, 500, 3)
    assert released.checked["records"] == adult.rows and released.checked["smallest"] >= 10
    assert [s for i, (s, _) in enumerate(stages) if i == 0 or stages[i - 1][0] != s][:4] == ["key", "domain", "cuts", "groups"]
    verdict = released.verdict()
    marks = {row.name: row.mark for row in verdict}
    assert verdict and marks["k"] == marks["cells"] == marks["order"] == "met" and released.verdict() is verdict
    told = next(row for row in verdict if row.name == "released-as-they-are")
    assert told.mark == "look" and "100 % of the rows" in told.sentence  # the number of the row is released
    released.unpersist()


def test_hospital(spark, hospital):
    """Records are left over, and the measures are those of the whole."""
    said = dict(schema=hospital.options[1], k=7, blocks=400, seed=1, algorithm="kmember", **FORM)
    stages = {}
    rows = spark.read.parquet(hospital.parquet)
    released = pykanon.spark.anonymize(rows, key="row", progress=lambda stage, line: stages.update({stage: line}), **said)
    assert lines_of(released) == program(hospital, 7, 400, 1, "--algorithm", "kmember")
    assert "left over" in stages
    whole = pykanon.anonymize(pq.read_table(hospital.parquet), **said)
    assert len(released.measures) > 5 and released.measures["records"] == 3000
    for name, value in released.measures.items():
        assert value == pytest.approx(whole.measures[name], rel=1e-12), name


def typed(n=400):
    rng = random.Random(9)
    day = datetime.date(2020, 1, 1)
    some = lambda values: [None if rng.random() < 0.1 else v for v in values]  # noqa: E731
    return pa.table({
        "id": pa.array([f"p{i:05}" for i in rng.sample(range(99999), n)]),
        "age": pa.array(some(rng.randint(1, 99) for _ in range(n)), pa.int32()),
        "born": pa.array(some(day + datetime.timedelta(rng.randint(0, 900)) for _ in range(n)), pa.date32()),
        "income": pa.array([decimal.Decimal(rng.randint(0, 9999)) / 100 for _ in range(n)], pa.decimal128(10, 2)),
        "weight": pa.array([round(rng.uniform(40, 120), 1) for _ in range(n)], pa.float64()),
        "smokes": pa.array([rng.random() < 0.3 for _ in range(n)], pa.bool_()),
        "town": pa.array(some(rng.choice(["Rom", "Bern", "Oslo", "Wien"]) for _ in range(n))),
        "note": pa.array([f"x{i % 7}" for i in range(n)]),
    })  # fmt: skip


def test_types_and_a_key_of_text(spark, tmp_path):
    """Typed columns, nulls, weights, bands, a taxonomy; records are ranked by a key that is no number."""
    table = typed()
    pq.write_table(table, tmp_path / "t.parquet")
    said = dict(
        quasi=["age", "born", "income", "weight", "smokes", "town"], insensitive=["id", "note"],
        weights={"age": 2.5}, bands={"age": 5},
        taxonomies={"town": {"*": {"north": ["Oslo"], "south": ["Rom", "Bern", "Wien"]}}},
        k=5, blocks=130, seed=4, algorithm="kmember",
    )  # fmt: skip
    rows = spark.read.parquet(str(tmp_path / "t.parquet")).repartition(3)
    released = pykanon.spark.anonymize(rows, key="id", **said)
    expected = pa.table(pykanon.anonymize(table.sort_by("id"), **said))
    got = released.orderBy("id").collect()
    assert released.columns == expected.column_names
    for i, name in enumerate(expected.column_names):
        assert [r[i] for r in got] == expected.column(name).to_pylist(), name


@pytest.mark.parametrize(
    "said, word",
    [
        (dict(suppress=0.01), "suppress"),
        (dict(constraints=["model=l-diversity,attribute=diagnosis,l=2"]), "constraint"),
        (dict(entity="name"), "entit"),
        (dict(recode="attribute"), "recod"),
        (dict(blocks=0), "block"),
        (dict(key=[]), "key"),
        (dict(key="nobody"), "nobody"),
        (dict(quasi=["nothing"]), "nothing"),
    ],
)
def test_refused_before_any_work(spark, hospital, said, word):
    """By name. The DataFrame cannot be computed at all, so any work would fail otherwise."""
    broken = spark.read.parquet(hospital.parquet).withColumn("age", F.expr("raise_error('work')").cast("string"))
    given = dict(key="row", schema=hospital.options[1], k=5, blocks=100) | said
    with pytest.raises((UsageError, DataError)) as caught:
        pykanon.spark.anonymize(broken, **given)
    assert word in str(caught.value)


def test_arguments_are_those_of_python(spark, hospital):
    """Columns as objects give the same release; what a job does not have, it says why."""
    rows = spark.read.parquet(hospital.parquet).select("row", "age", "zip", "diagnosis")
    tree = pykanon.Taxonomy.build(hospital.csv, "zip", prefixes=[3, 1])
    given = dict(key="row", k=5, blocks=500, seed=3, numeric="interval")
    columns = {"age": pykanon.Quasi(bands=5), "zip": pykanon.Quasi(taxonomy=tree), "diagnosis": pykanon.Sensitive()}
    one = pykanon.spark.anonymize(rows, **given, columns=columns)
    other = pykanon.spark.anonymize(rows, **given, quasi=["age", "zip"], sensitive="diagnosis", bands={"age": 5},
                                    taxonomies={"zip": tree.to_dict()})  # fmt: skip
    assert sorted(one.collect(), key=str) == sorted(other.collect(), key=str)
    for wrong, told in ((dict(shuffle=True), r"'shuffle': rows of a DataFrame have no order"), (dict(index="keep"), "'index': a DataFrame"),
                        (dict(threads=2), r"'threads': spark\.task\.cpus"), (dict(time_limit=3), "'time_limit': the release would"),
                        (dict(quaasi="age"), r"'quaasi'; did you mean 'quasi'\?")):  # fmt: skip
        for function in (pykanon.spark.anonymize, pykanon.spark.explain):
            with pytest.raises(TypeError, match=rf"^{function.__name__}\(\) has no argument {told}"):
                function(rows, **{**given, "columns": columns, **wrong})
    with pytest.raises(UsageError, match="column age: columns says its bands, and so does bands"):
        pykanon.spark.anonymize(rows, **given, columns=columns, bands={"age": 10})


def test_errors_of_tasks_are_those_of_the_library(spark, hospital):
    rows = spark.read.parquet(hospital.parquet)
    said = dict(schema=hospital.options[1], k=5, blocks=100)
    with pytest.raises(DataError, match="row: 1 of 301 records"):
        pykanon.spark.anonymize(rows.limit(300).union(rows.limit(1)), key="row", **said)
    wrong = rows.withColumn("age", F.expr("case when row = 77 then 'secret' else age end"))
    with pytest.raises(DataError) as caught:
        pykanon.spark.anonymize(wrong, key="row", **said)
    assert "age" in str(caught.value) and "secret" not in str(caught.value)


def test_explain(spark, hospital):
    found = pykanon.spark.explain(
        spark.read.parquet(hospital.parquet), key="row", schema=hospital.options[1], k=5, blocks=100
    )
    assert found.records == 3000 and found.blocks == 30 and found.row_bytes > 50 and found.task_bytes > 10_000
    assert "shuffle" in str(found) and "memory" in str(found)


def test_check_finds_what_is_wrong(spark):
    """The last check, of releases that were broken by hand."""
    rows = spark.range(12).select(F.col("id").alias("place"), F.expr("int(id / 3)").alias("q"))
    expected = list(rows.agg(*check.sums("place")).first())
    good = check.release(rows, ["q"], "place", 12, expected, 3)
    assert good == {"records": 12, "classes": 4, "smallest": 3}
    broken = {
        "fewer than k": rows.withColumn("q", F.expr("if(place = 0, 1, q)")),
        "instead of 12": rows.where("place <> 11"),
        "there twice": rows.withColumn("place", F.expr("if(place = 0, 1, place)")),
    }
    for word, released in broken.items():
        with pytest.raises(pykanon.InternalError, match=word):
            check.release(released, ["q"], "place", 12, expected, 3)


def test_executors_merge(spark, hospital, monkeypatch):
    """Pieces that are large together are merged by executors first, of every kind: the release does not change."""
    monkeypatch.setattr(job, "COLLECT", 0)
    monkeypatch.setattr(job, "FAN_IN", 2)
    merges, tasks, merged = [], job.Job.tasks, job.Job.merged

    def noted(self, frame, work, *args, **more):
        if work is group.merge:
            merges[-1] += 1
        return tasks(self, frame, work, *args, **more)

    def begun(self, pieces, size):
        merges.append(0)
        return merged(self, pieces, size)

    monkeypatch.setattr(job.Job, "tasks", noted)
    monkeypatch.setattr(job.Job, "merged", begun)
    released = pykanon.spark.anonymize(
        spark.read.parquet(hospital.parquet).repartition(7), key="row", schema=hospital.options[1], k=7, blocks=400, seed=1,
        algorithm="kmember", **FORM,
    )  # fmt: skip
    assert lines_of(released) == program(hospital, 7, 400, 1, "--algorithm", "kmember")
    assert len(merges) >= 5 and merges[0] > 1 and all(merges[:-1])  # the domain, counts, the rest, offers, the tally
    released.unpersist()


def test_a_sensitive_column_with_many_values(spark, hospital, monkeypatch):
    """It is not encoded, so it has no figures; the release is the same, and the user is told."""
    monkeypatch.setattr(job, "MOST_VALUES", 500)
    released = pykanon.spark.anonymize(
        spark.read.parquet(hospital.parquet), key="row", schema=hospital.options[1], k=7, blocks=400, seed=1, effort="fast",
        **FORM,
    )  # fmt: skip
    assert lines_of(released) == program(hospital, 7, 400, 1, "--effort", "fast")
    assert any(line.startswith("cost: has about") for line in released.warnings)
    assert "diagnosis" in released.measures.columns() and "cost" not in released.measures.columns()
    released.unpersist()


def test_warnings_are_those_of_the_whole(spark):
    """The first 10,000 records by key tell whether a column names persons, wherever they are; formulas are counted in all."""
    n = 12_000
    rng = random.Random(6)
    table = pa.table({
        "key": pa.array(range(n), pa.int64()),
        "age": pa.array([rng.randint(1, 99) for _ in range(n)], pa.int32()),
        "town": pa.array([rng.choice(["Rom", "=Bern", "-"]) for _ in range(n)]),
        "ticket": pa.array([f"t{min(i, 9_500)}" for i in range(n)]),
        "late": pa.array([f"t{max(i, 5_000)}" for i in range(n)]),
        "mail": pa.array([f"p{i % 50}@example.org" for i in range(n)]),
        "note": pa.array(["=1+2" if i % 4_000 == 3_999 else rng.choice(["-5", "+1e3", "--", "fine", None]) for i in range(n)]),
    })  # fmt: skip
    said = dict(quasi=["age", "town"], insensitive=["ticket", "late", "mail", "note"], k=5, blocks=3000, effort="fast")
    with pytest.warns(pykanon.PrivacyWarning):
        whole = pykanon.anonymize(table, identifying="key", **said)
    rows = spark.createDataFrame(table.to_pandas()).select(*table.column_names).orderBy(F.rand(seed=2)).repartition(5)
    with pytest.warns(pykanon.PrivacyWarning, match="mail"):
        released = pykanon.spark.anonymize(rows, key="key", **said)
    assert len(released.warnings) >= 4 and sorted(released.warnings) == sorted(whole.warnings)
    released.unpersist()


def test_what_is_lost_doubled_or_changed_is_an_error(spark, hospital, monkeypatch):
    """Rows that get lost on the way to a block, and releases that are broken after they were made: nothing is handed out."""
    given = dict(pykanon.spark.DEFAULTS, key="row", schema=hospital.options[1], k=7, blocks=900, effort="fast")
    work = pykanon.spark._job({**given, "frame": spark.read.parquet(hospital.parquet)})
    for stage in (work.number, work.find_domain, work.find_cuts):
        stage()
    tasks = job.Job.tasks
    one = f"{PLACE} = 77"

    def broken(where, change):
        def made(self, frame, work, *args, **more):
            found = tasks(self, frame, work, *args, **more)
            return change(found) if work is where else found

        monkeypatch.setattr(job.Job, "tasks", made)

    ways = {
        "lost": lambda f: f.where(f"{PLACE} is null or not {one}"),
        "doubled": lambda f: f.union(f.where(one)),
        "out of order": lambda f: f.withColumn(PLACE, F.expr(f"if({one}, -1, {PLACE})")),
    }
    for way in ("lost", "doubled"):
        broken(group.route, ways[way])
        with pytest.raises(pykanon.InternalError, match="lost records"), job.translated():
            work.find_groups()
            work.place_rest()
        work.drop(work.grouped)
    monkeypatch.setattr(job.Job, "tasks", tasks)
    work.find_groups()
    work.place_rest()
    for way, word in (("lost", "2999 records"), ("doubled", "3001 records"), ("out of order", "there twice")):
        broken(group.release, ways[way])
        with pytest.raises(pykanon.InternalError, match=word), job.translated():
            work.make_release()
    work.drop(*work.held)
