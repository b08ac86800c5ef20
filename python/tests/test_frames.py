"""The same table in every kind of frame: the same groups, the same released values, and the kind comes back."""

import datetime
import traceback

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import pykanon

FRAMES = {
    "dict": lambda d: d,
    "pyarrow": pa.table,
    "pandas": pd.DataFrame,
    "polars": pl.DataFrame,
    "duckdb": lambda d: duckdb.from_arrow(pa.table(d)),
    "reader": lambda d: pa.table(d).to_reader(),
}


def rows(table):
    """A release as plain rows, whatever holds it."""
    if isinstance(table, pd.DataFrame):
        table = pa.Table.from_pandas(table, preserve_index=False)
    elif isinstance(table, duckdb.DuckDBPyRelation):
        table = table.to_arrow_table()
    elif isinstance(table, pl.DataFrame):
        table = table.to_arrow()
    return [list(map(str, row.values())) for row in pa.table(table).to_pylist()]


@pytest.mark.parametrize("kind", FRAMES)
def test_every_kind_gives_the_same(kind, people, roles):
    plain = pykanon.anonymize(people, k=5, **roles)
    result = pykanon.anonymize(FRAMES[kind](people), k=5, **roles)
    assert list(result.groups) == list(plain.groups)
    assert rows(result.table) == rows(plain.table)


@pytest.mark.parametrize("kind, expected", [
    ("pandas", pd.DataFrame), ("polars", pl.DataFrame), ("pyarrow", pa.Table), ("duckdb", duckdb.DuckDBPyRelation),
])  # fmt: skip
def test_the_kind_comes_back(kind, expected, people, roles):
    assert isinstance(pykanon.anonymize(FRAMES[kind](people), k=5, **roles).table, expected)


def test_columns_that_nobody_named(people):
    with pytest.raises(pykanon.DataError) as failure:
        pykanon.anonymize(people, quasi=["age"], k=5, strict=True)
    with pytest.warns(UserWarning, match="so withheld: .*; to release a column") as caught:
        withheld = pykanon.anonymize(people, quasi=["age"], k=5)
    for column in ("name", "zip", "disease"):
        assert column in str(failure.value) and column in str(caught[0].message)
    assert withheld.table.column_names == ["age_min", "age_max"]
    assert caught[0].filename == __file__


def test_a_column_that_is_not_there(people, roles):
    with pytest.raises(pykanon.Error, match="salary"):
        pykanon.anonymize(people, k=5, **{**roles, "quasi": ["age", "zip", "salary"]})


def test_two_roles(people):
    with pytest.raises(pykanon.UsageError, match="age"):
        pykanon.anonymize(people, quasi=["age"], sensitive=["age"], k=5)


def test_pandas_index(people, roles):
    frame = pd.DataFrame(people).set_index(pd.Index([f"p{i}" for i in range(200)], name="who"))
    with pytest.raises(pykanon.UsageError, match="index"):
        pykanon.anonymize(frame, k=5, **roles)
    kept = pykanon.anonymize(frame, k=5, index="keep", **roles).table
    assert list(kept.index) == list(frame.index)
    dropped = pykanon.anonymize(frame, k=5, index="drop", **roles).table
    assert list(dropped.index) == list(range(200))


def test_a_filtered_or_sorted_frame_is_taken(people, roles):
    frame = pd.DataFrame(people)
    some = frame[frame.age > 30]
    assert list(pykanon.anonymize(some, k=5, **roles).table.index) == list(range(len(some)))
    assert list(pykanon.anonymize(some, k=5, index="keep", **roles).table.index) == list(some.index)
    assert len(pykanon.anonymize(frame.sort_values("age"), k=5, **roles).table) == 200
    for index in (pd.Index(people["name"]), pd.Index(range(200), name="patient"), pd.MultiIndex.from_arrays([range(200)] * 2)):
        with pytest.raises(pykanon.UsageError, match="index"):
            pykanon.anonymize(frame.set_index(index), k=5, **roles)


def test_a_shuffled_release_cannot_keep_an_index(people, roles):
    with pytest.raises(pykanon.UsageError, match="index"):
        pykanon.anonymize(pd.DataFrame(people), k=5, index="keep", shuffle_seed=3, **roles)


@pytest.mark.parametrize("kind", [pd.DataFrame, pl.DataFrame, pa.table])
def test_means_of_times_keep_their_zone(kind):
    times = pd.date_range("2020-03-01", periods=24, freq="D", tz="Europe/Berlin")
    data = pa.table({"seen": pa.array(times, type=pa.timestamp("us", "Europe/Berlin"))})
    table = {pd.DataFrame: data.to_pandas, pl.DataFrame: lambda: pl.DataFrame(data), pa.table: lambda: data}[kind]()
    released = pa.table(pykanon.anonymize(table, quasi="seen", k=24, numeric="mean").table)
    assert released.schema.field("seen").type.tz == "Europe/Berlin"
    mean = times.tz_convert("UTC").as_unit("s").mean()
    assert abs(released.column("seen")[0].as_py() - mean.to_pydatetime()) < datetime.timedelta(seconds=1)


def test_types_of_arrow_and_text_stay(people, roles):
    frame = pd.DataFrame(people).astype({"age": "int64[pyarrow]", "disease": "string[pyarrow]"})
    released = pykanon.anonymize(frame, k=5, **roles).table
    assert released.age_min.dtype == frame.age.dtype and released.disease.dtype == frame.disease.dtype


def test_arguments_of_a_wrong_kind(people, roles):
    wrong = [(dict(quasi=[0]), "a column name is a text, not int"), (dict(quasi=5), "a column name is a text, not int"),
             (dict(masks=["zip"]), "masks is a dict by column, not list"), (dict(weights=2), "weights is a dict by column, not int"),
             (dict(bands=[5]), "bands is a dict by column"), (dict(taxonomies="tree.csv"), "taxonomies is a dict by column"),
             (dict(k=2.5), "k must be a whole number, not 2.5"), (dict(k="5"), "k must be a whole number, not str")]  # fmt: skip
    for given, message in wrong:
        with pytest.raises(pykanon.UsageError, match=message):
            pykanon.anonymize(people, **{**roles, "k": 5, **given})
    assert pykanon.anonymize(people, k=5.0, **roles).k >= 5
    with pytest.raises(KeyError, match="avg_loss"):
        pykanon.anonymize(people, k=5, **roles).measures["average_loss"]


def test_pandas_types():
    n = 40
    frame = pd.DataFrame({
        "age": pd.array([20 + i % 7 if i % 5 else None for i in range(n)], dtype="Int64"),
        "sex": pd.Categorical(["f" if i % 2 else "m" for i in range(n)]),
        "seen": pd.to_datetime(["2020-01-01"] * 20 + ["2021-06-05"] * 20).tz_localize("Europe/Berlin"),
        "ok": pd.array([True, False, None, True] * 10, dtype="boolean"),
        "note": pd.array(["x"] * n, dtype="string"),
    })  # fmt: skip
    result = pykanon.anonymize(frame, quasi=["age", "sex"], insensitive=["seen", "ok", "note"], k=4).table
    assert str(result.seen.dtype) == str(frame.seen.dtype) and list(result.seen) == list(frame.seen)
    assert result.ok.isna().sum() == 10 and str(result.ok.dtype) == "boolean"
    assert result.age_min.dtype == pd.Int64Dtype()
    assert isinstance(result.sex.dtype, pd.CategoricalDtype)


def test_types_are_respected():
    """By hand: ranks 0, 1 and 2 of four levels; what is text or a category is no number; booleans stay boolean."""
    levels, n = ["none", "primary", "secondary", "tertiary"], 12
    frame = pd.DataFrame({
        "school": pd.Categorical([levels[i // 4] for i in range(n)], categories=levels, ordered=True),
        "grade": pd.Categorical([[1, 2, 9][i // 4] for i in range(n)], categories=[1, 2, 9], ordered=True),
        "zip": ["79098"] * 8 + ["79100"] * 4, "ok": [True] * 8 + [False] * 4, "visits": [[1, 2]] * n,
    })  # fmt: skip
    said = dict(quasi=["school", "grade", "zip", "ok"], identifying="visits", k=6, algorithm="mondrian")
    released = pykanon.anonymize(frame, **said).table
    assert list(released.columns) == ["school_min", "school_max", "grade_min", "grade_max", "zip", "ok"]
    assert released.school_min.cat.ordered and list(released.school_max.cat.categories) == levels
    assert list(released.grade_min.cat.categories) == [1, 2, 9] and set(released.zip.dropna()) <= {"79098", "79100"}
    assert str(released.ok.dtype) in ("bool", "boolean")
    texts = pd.DataFrame({"school": [levels[i // 6] for i in range(n)]})
    told = pykanon.anonymize(texts, quasi="school", orders={"school": levels}, k=12, numeric="interval")
    assert set(told.table.school) == {"[none..primary]"} and told.measures["avg_loss"] == pytest.approx(1 / 3)
    with pytest.raises(pykanon.DataError, match="none of the levels") as failure:
        pykanon.anonymize(texts, quasi="school", orders={"school": levels[:1]}, k=12)
    assert "primary" not in str(failure.value)
    with pytest.raises(pykanon.DataError, match="type list"):
        pykanon.anonymize(frame, quasi="school", default_role="insensitive", k=6)


def test_dates_and_numpy_records():
    days = [datetime.date(2020, 1, 1) + datetime.timedelta(i) for i in range(20)]
    result = pykanon.anonymize(pa.table({"born": days}), quasi="born", k=5)
    assert result.table.schema.field("born_min").type == pa.date32()
    records = np.array([(20 + i, i % 3) for i in range(12)], dtype=[("age", "i4"), ("kids", "i8")])
    released = pykanon.anonymize(records, quasi=["age"], insensitive=["kids"], k=3).table
    assert released.dtype.names == ("age_min", "age_max", "kids")


@pytest.mark.parametrize("table", ["patients.csv", 3, None, np.arange(4), pd.Series([1, 2])])
def test_what_is_not_a_table(table):
    with pytest.raises(pykanon.UsageError, match="not a table"):
        pykanon.anonymize(table, quasi=["age"], k=2)


def test_a_column_of_mixed_values_is_named_but_not_shown():
    frame = pd.DataFrame({"age": [1, "secret value", 3], "sex": ["f", "m", "f"]})
    with pytest.raises(pykanon.DataError) as failure:
        pykanon.anonymize(frame, quasi=["age"], insensitive=["sex"], k=2)
    assert "age" in str(failure.value) and "secret" not in str(failure.value)


def test_a_capsule_is_read_once(people, roles):
    reader = pa.table(people).to_reader()
    pykanon.anonymize(reader, k=5, **roles)
    with pytest.raises(Exception):
        pykanon.anonymize(reader, k=5, **roles).table


def test_a_stream_outlives_the_release(people, roles):
    result = pykanon.anonymize(people, k=5, **roles)
    before = rows(result.table)
    stream = pykanon.frames.Stream(result.__arrow_c_stream__())
    del result
    assert rows(pa.table(stream)) == before
    with pytest.raises(pykanon.UsageError):
        pa.table(stream)


def test_a_dict_of_mixed_values_is_named_but_not_shown():
    with pytest.raises(pykanon.DataError) as failure:
        pykanon.anonymize({"age": [1, "secret value", 3]}, quasi=["age"], k=2)
    assert "age" in str(failure.value) and "secret" not in str(failure.value)
    with pytest.raises(pykanon.DataError, match="equally long"):
        pykanon.anonymize({"age": [1, 2], "sex": ["f"]}, quasi=["age"], k=2)


def test_a_subclass_of_a_frame_is_a_frame(people, roles):
    class Frame(pd.DataFrame):
        pass

    with pytest.raises(pykanon.UsageError, match="index"):
        pykanon.anonymize(Frame(people).set_index("name"), k=5, **{**roles, "identifying": None})
    assert isinstance(pykanon.anonymize(Frame(people), k=5, **roles).table, pd.DataFrame)


def test_shares_of_numpy(people, roles):
    assert pykanon.anonymize(people, k=5, suppress=np.float64(0.05), **roles).n_suppressed <= 10
    assert pykanon.anonymize(people, k=5, suppress=1e-5, **roles).n_suppressed == 0


def test_suppressed_rows_are_not_in_the_table(people, roles):
    """The only astronaut and the only pope are too unusual for any group."""
    table = {**people, "occ": [["cook", "nurse"][i % 2] for i in range(200)], "row": list(range(200))}
    table["occ"][7], table["occ"][9] = "astronaut", "pope"
    frame = pd.DataFrame(table).set_index(pd.Index([f"r{i}" for i in range(200)]))
    said = dict(quasi=["occ"], identifying=["name", "age", "zip"], sensitive="disease", insensitive="row", k=5, index="keep")
    release = pykanon.anonymize(frame, suppress=0.02, **said)
    assert (release.n_suppressed, len(release.groups), list(release.groups).count(0)) == (2, 200, 2)
    there = [i for i, group in enumerate(release.groups) if group != 0]
    assert 7 not in there and 9 not in there
    assert release.table.row.tolist() == there and release.table.index.tolist() == [f"r{i}" for i in there]
    assert release.to_csv().decode().count("\n") == 199
    # kept, they would be a class of two: they are in a group, as one class with others
    kept = pykanon.anonymize(frame, suppress=0.02, suppressed="keep", **said)
    assert kept.n_suppressed == 0 and len(kept.table) == 200 and min(kept.table.occ.value_counts(dropna=False)) >= 5
    with pytest.raises(pykanon.UsageError, match="suppressed"):
        pykanon.anonymize(frame, suppressed="perhaps", **said)


def test_a_shuffle_with_a_seed_can_be_repeated(people, roles):
    first, again, other = (pykanon.anonymize(people, k=5, shuffle=True, shuffle_seed=s, **roles) for s in (3, 3, 0))
    assert rows(first.table) == rows(again.table) and sorted(rows(first.table)) == sorted(rows(other.table))
    assert rows(first.table) != rows(other.table)


def test_bands(people, roles):
    result = pykanon.anonymize(people, k=5, bands={"age": 10}, top={"age": 80}, bottom={"age": 29}, **roles)
    cells = [line.split(",")[0] for line in result.to_csv().decode().splitlines()[1:]]
    ends = {end for cell in cells for end in cell.strip("[]").split("..") if end not in ("", "*")}
    assert {int(e) % 10 for e in ends} <= {0, 9}
    table = pa.table(result)
    assert {low % 10 for low in table.column("age_min").to_pylist() if low is not None} == {0}
    assert {high % 10 for high in table.column("age_max").to_pylist() if high is not None} == {9}
    edges = pykanon.anonymize(people, k=5, bands={"age": [18, 30, 65, 91]}, **roles)
    assert "18" in edges.to_csv().decode()


def test_no_value_is_in_the_traceback_of_a_refused_frame():
    whole = pd.array([None, *range(1, 20)], dtype="Int64")  # pd.NA has no truth value
    mixed = pd.Series([1, "a value"] * 10, dtype=object)
    with pytest.raises(pykanon.DataError, match="several types.*: mixed") as caught:
        pykanon.anonymize(pd.DataFrame({"whole": whole, "mixed": mixed}), k=2, quasi=["whole", "mixed"])
    shown = traceback.format_exception(caught.value)
    assert not any("with type" in line for line in shown)  # the words of Arrow, which are about a value
    with pytest.raises(pykanon.DataError, match="not known: z"):
        pykanon.anonymize(pd.DataFrame({"whole": whole, "z": [1j] * 20}), k=2, quasi=["whole", "z"])


def test_periods_are_not_released_as_numbers():
    months = pd.period_range("2020", periods=20, freq="M")
    with pytest.raises(pykanon.DataError, match="not supported: month"):
        pykanon.anonymize(pd.DataFrame({"age": range(20), "month": months}), k=2, quasi=["age"], insensitive=["month"])


def test_an_identifying_column_may_hold_anything():
    odd = {
        "object": [object() for _ in range(12)],
        "mixed": [1, "a"] * 6,
        "complex": [1j] * 12,
        "broken": pd.Series(["a\udce9"] * 12, dtype=object),
        "month": pd.period_range("2020", periods=12, freq="M"),
        "range": pd.interval_range(0, 12),
        "list": [[1]] * 12,
    }
    frame = pd.DataFrame({"age": range(12), **odd})
    columns = {name: list(frame[name]) for name in ("age", "object", "mixed", "complex", "broken")}
    for table in (frame, columns):
        for said in (dict(identifying=[c for c in table if c != "age"]), dict(default_role="identifying")):
            released = pa.table(pykanon.anonymize(table, quasi="age", k=3, **said))
            assert released.column_names == ["age_min", "age_max"] and released.num_rows == 12
    for name in odd:
        said = dict(quasi="age", k=3)
        part = frame[["age", name]]
        for role in (dict(insensitive=name), dict(default_role="insensitive"), dict(identifying=name, entity=name)):
            with pytest.raises(pykanon.DataError, match=name):
                pykanon.anonymize(part, **said, **role)


@pytest.mark.parametrize("kind", ["pandas", "polars", "pyarrow", "dict"])
def test_means_of_times_keep_zone_and_unit(kind):
    frame = pd.DataFrame({"fixed": pd.date_range("2024-01-01", periods=12, tz="+02:00"), "none": pd.date_range("2024", periods=12)})
    frame = frame.astype({"none": "datetime64[ms]"})
    arrow = pa.Table.from_pandas(frame)
    table = {"pandas": frame, "polars": pl.from_pandas(frame), "pyarrow": arrow, "dict": arrow.to_pydict()}[kind]
    released = pykanon.anonymize(table, quasi=["fixed", "none"], k=3, numeric="mean").table
    if kind == "pandas":
        assert dict(released.dtypes) == dict(frame.dtypes)
    elif kind == "polars":
        assert released.schema == table.schema
    else:
        assert [f.type for f in released.schema] == [f.type for f in pa.table(table).schema]


@pytest.mark.parametrize(
    "said, words",
    [
        (dict(masks={"age": "left"}, bands={"age": 5}), "column age has a mask (masks), and bands (bands)"),
        (dict(masks={"zip": "left"}, taxonomies={"zip": {"A": None}}), "column zip has a mask (masks), and a taxonomy (taxonomies)"),
        (dict(orders={"age": ["a"]}, top={"age": 5}), "column age has an order (orders), and bands (top)"),
        (dict(types={"zip": "integer"}, masks={"zip": "left"}), "column zip has a mask (masks), and the type integer (types)"),
        (dict(types={"age": "categorical"}, orders={"age": ["a"]}), "column age has an order (orders), and the type categorical (types)"),
        (dict(orders={"age": []}), "column 'age': an order without levels"),
        (dict(orders=["zip"]), "orders is a dict by column"),
        (dict(weights={"age": "x"}), "the weight of age is not a number"),
        (dict(taxonomies={"age": 5}), "the taxonomy of age is of type int"),
        (dict(missing=5), "missing: each is a text, not int"),
        (dict(constraints=[("l", 2)]), "a constraint is a dict or a text, not tuple"),
        (dict(settings=[1]), "settings is a dict by name, not list"),
        (dict(algorithm=5), "algorithm must be a text, not int"),
        (dict(schema=5), "schema is a file or a proposal, not int"),
        (dict(threads=1.5), "threads must be a whole number, not 1.5"),
        (dict(memory="1 GB"), "memory must be a number of bytes such as 500M or 2G"),
        (dict(blocks="all"), "blocks must be a whole number from 2 upwards, auto or none"),
        (dict(threads=-1), "threads must be a whole number, 0 or more, not -1"),
        (dict(k=True), "k must be a whole number, not bool"),
        (dict(k=0), "k must be a whole number, 2 or more"),
        (dict(k=1), "k must be a whole number, 2 or more"),
        (dict(suppress=True), "suppress: not a share of the records"),
        (dict(suppress=5), "suppress: not a share of the records"),
        (dict(time_limit=0), "time_limit must be a number above 0, not 0"),
        (dict(moves=5, refine_settings={"moves": 6}), "moves and refine_settings say another moves"),
        (dict(progress="yes"), "progress is True, False or a function, not str"),
        (dict(schema={"age": "quasi"}), "columns={"),
        (dict(k=2**70), "k is out of range"),
        (dict(shuffle=7), "shuffle is True or False"),
    ],
)
def test_arguments_that_contradict_or_are_of_a_wrong_kind(people, roles, said, words):
    with pytest.raises(pykanon.UsageError) as caught:
        pykanon.anonymize(people, **{"k": 5, **{n: v for n, v in roles.items() if n not in said}, **said})
    assert words in str(caught.value)


def test_one_constraint_needs_no_list(people, roles):
    one = {"model": "distinct-l-diversity", "attribute": "disease", "l": 2}
    assert all(pykanon.anonymize(people, k=5, constraints=c, **roles).measures.of("disease")["distinct_l"] >= 2
               for c in (one, [one], "model=distinct-l-diversity,attribute=disease,l=2"))  # fmt: skip
