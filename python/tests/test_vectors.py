"""The cases in tests/hosts: the same groups, released text and figures as the program, from text and from typed columns."""

import csv
import json
import math
import pathlib
import re

import pyarrow as pa
import pyarrow.csv
import pytest

import pykanon

#: In a checkout, and in the source package.
HERE = pathlib.Path(__file__).resolve().parent
HOSTS = next(p for p in (HERE.parents[1] / "tests" / "hosts", HERE / "hosts") if p.is_dir())
TOLD = {p.name: json.loads((p / "case.json").read_text(encoding="utf-8")) for p in sorted(HOSTS.iterdir()) if p.is_dir()}
#: CASE, or CASE/NAME for each run of a case that has several.
CASES = [f"{case}/{run}" if run else case for case, told in TOLD.items() for run in told.get("each", [""])]
SKIPS = json.loads((HOSTS / "skips.json").read_text(encoding="utf-8")).get("python", {})
#: The place at the beginning of a message, which differs between a file and a table in memory.
PLACE = re.compile(r"^(\S+:\d+|row \d+): ")
STATUS = {"usage": pykanon.UsageError, "data": pykanon.DataError, "infeasible": pykanon.InfeasibleError}
seen = set()


def parts(name):
    """The folder of a run, and its name in the list of the case, if there is one."""
    case, _, run = name.partition("/")
    return HOSTS / case, run


def texts(case):
    columns = TOLD[case.name]["columns"]
    return pa.csv.read_csv(
        case / "table.csv",
        parse_options=pa.csv.ParseOptions(newlines_in_values=True),
        convert_options=pa.csv.ConvertOptions(
            column_types={name: pa.string() for name in columns}, null_values=[""], strings_can_be_null=True))  # fmt: skip


def typed(case):
    with pa.ipc.open_stream(str(case / "table.arrows")) as reader:
        return reader.read_all()


def group_numbers(path):
    with open(path, encoding="utf-8", newline="") as file:
        return [int(row["group"]) for row in csv.DictReader(file)]


def anonymize(case, run, table, threads):
    told = TOLD[case.name]
    assert told["format"] == 1
    options = told["options"] | (told["each"][run] if run else {})
    numeric = options.pop("numeric", "interval")
    if (case / "start.csv").exists():
        options["groups"] = group_numbers(case / "start.csv")
    act = pykanon.improve if "groups" in options else pykanon.anonymize
    result = act(table, schema=case / "schema.yaml", threads=threads, **options)
    return result, result.to_csv(numeric=numeric, shuffle_seed=options.get("shuffle_seed"))


def near(found, wanted):
    """Counts exactly, other figures to 1e-12; null is no figure, or none that is finite."""
    if wanted is None or found is None:
        return wanted is None and (found is None or not math.isfinite(found))
    if isinstance(wanted, int) and isinstance(found, int):
        return wanted == found
    return math.isclose(found, wanted, rel_tol=1e-12, abs_tol=1e-12)


def compare_figures(found, wanted):
    assert set(found) == set(wanted["table"])
    assert [n for n in found if not near(found[n], wanted["table"][n])] == []
    assert set(found.columns()) == set(wanted["columns"])
    for column, figures in wanted["columns"].items():
        of_column = found.of(column)
        assert set(of_column) == set(figures)
        assert [n for n in figures if not near(of_column[n], figures[n])] == []


def test_near_can_fail():
    assert near(1.0, 1.0 + 1e-14) and near(None, None) and near(math.inf, None)
    assert not near(1, 2) and not near(1.0, 1.0001) and not near(0.0, None) and not near(None, 0.0)


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("read", [texts, typed])
@pytest.mark.parametrize("name", CASES)
def test_case(name, read, threads):
    seen.add((name, read, threads))
    if name in SKIPS:
        pytest.skip(SKIPS[name])
    case, run = parts(name)
    if (case / "error.json").exists():
        wanted = json.loads((case / "error.json").read_text(encoding="utf-8"))
        wanted = wanted[run] if run else wanted
        with pytest.raises(STATUS[wanted["status"]]) as failure:
            anonymize(case, run, read(case), threads)
        assert PLACE.sub("", failure.value.message) == PLACE.sub("", wanted["message"])
        assert failure.value.topic == wanted["topic"]
        return
    result, released = anonymize(case, run, read(case), threads)
    assert list(result.groups) == group_numbers(case / "groups.csv")
    assert released == (case / "release.csv").read_bytes()
    compare_figures(result.measures, json.loads((case / "measures.json").read_text(encoding="utf-8")))


def test_every_case_was_seen():
    assert seen == {(n, r, t) for n in CASES for r in (texts, typed) for t in (1, 3)} and len(CASES) >= 20


def as_pandas(table):
    import pandas as pd

    return table.to_pandas(types_mapper={pa.int64(): pd.Int64Dtype()}.get)


def as_polars(table):
    import polars as pl

    return pl.DataFrame(table)


def as_duckdb(table):
    import duckdb

    return duckdb.from_arrow(table)


@pytest.mark.parametrize("frame", [as_pandas, as_polars, as_duckdb])
@pytest.mark.parametrize("name", [n for n in CASES if not n.startswith("error-")])
def test_case_in_every_frame(name, frame):
    """The typed columns in the frames of other libraries, which have types of their own for some of them."""
    if name in SKIPS:
        pytest.skip(SKIPS[name])
    case, run = parts(name)
    result, released = anonymize(case, run, frame(typed(case)), 1)
    assert list(result.groups) == group_numbers(case / "groups.csv")
    assert released == (case / "release.csv").read_bytes()
