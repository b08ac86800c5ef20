"""What a release offers: measures, reports, CSV bytes of the program, checks, bounds, curves, states, plots."""

import copy
import csv
import io
import json
import os
import pickle
import subprocess

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import pykanon


@pytest.fixture
def result(people, roles):
    return pykanon.anonymize(people, k=5, **roles)


def test_measures_and_repr(result):
    m = result.measures
    assert m["records"] == 200 and m["k"] >= 5 and 0 < m["avg_loss"] < 1
    assert m.of("age")["attribute_loss"] > 0 and "sum over groups" in m.formula("information_loss")
    assert "200 records" in repr(result) and "<table>" in result._repr_html_()


def test_reports(result, tmp_path):
    result.report(tmp_path / "r.html")
    result.report(tmp_path / "r.json")
    result.report(tmp_path / "e.json", external=True)
    assert "<html" in (tmp_path / "r.html").read_text()
    assert json.loads((tmp_path / "r.json").read_text())["records"] == 200
    assert "seed" not in json.loads((tmp_path / "e.json").read_text())


def test_taxonomies_as_tree_frame_and_path(people, roles, tmp_path):
    tree = {"any": {"south": {"Freiburg": ["79098", "79100", "79102"]}, "east": {"Munich": ["80331", "80333"]}}}
    paths = [[z, "Freiburg", "south", "any"] for z in ("79098", "79100", "79102")]
    paths += [[z, "Munich", "east", "any"] for z in ("80331", "80333")]
    (tmp_path / "zip.csv").write_text("\n".join(";".join(p) for p in paths) + "\n")
    frame = pa.table({f"l{i}": [p[i] for p in paths] for i in range(4)})
    found = []
    for taxonomy in (tree, paths, frame, tmp_path / "zip.csv"):
        said = {**roles, "masks": None, "taxonomies": {"zip": taxonomy}}
        found.append(pykanon.anonymize(people, k=60, **said).table.to_pylist())
    assert all(f == found[0] for f in found)
    assert {r["zip"] for r in found[0]} & {"Freiburg", "Munich", "south", "any"}


def test_the_csv_is_the_programs(result, people, tmp_path):
    program = os.environ.get("KANON_PROGRAM")
    if not program:
        pytest.skip("KANON_PROGRAM is not set")
    with open(tmp_path / "t.csv", "w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([list(people), *zip(*people.values())])
    (tmp_path / "s.yaml").write_text("attributes:\n  name: {role: identifying}\n  age: {role: quasi}\n"
                                     "  zip: {role: quasi, type: categorical, mask: right}\n  disease: {role: sensitive}\n")  # fmt: skip
    told = subprocess.run([program, "anonymize", tmp_path / "t.csv", "-s", tmp_path / "s.yaml", "-k", "5", "-q"],
                          check=True, capture_output=True).stdout  # fmt: skip
    assert result.to_csv() == told.replace(b"\r\n", b"\n") or result.to_csv() == told


def test_permuted_columns_and_drawn_ends_are_the_programs(people, roles, tmp_path):
    program = os.environ.get("KANON_PROGRAM")
    if not program:
        pytest.skip("KANON_PROGRAM is not set")
    frame = pd.DataFrame(people).assign(born=pd.Timestamp("1990-01-01") + pd.to_timedelta(np.arange(200) * 37, "D"))
    frame["born"] = frame["born"].dt.date
    frame.to_csv(tmp_path / "t.csv", index=False)
    roles = roles | {"quasi": ["age", "zip", "born"]}
    exact, drawn = (
        pykanon.anonymize(frame, k=5, seed=3, algorithm="mondrian", **roles, **more)
        for more in ({}, {"permute": ["disease"], "ends": {"age": "drawn", "born": "drawn"}})
    )
    told = [f"--{word}" for word in "quasi=age,zip,born identifying=name sensitive=disease mask=zip=right".split()]
    told += ["--permute=disease", "--ends=age=drawn", "--ends=born=drawn", "--seed=3", "-a", "mondrian"]
    command = [program, "anonymize", str(tmp_path / "t.csv"), "-k", "5", "-q", "-o", str(tmp_path / "o.csv"), *told]
    subprocess.run(command, check=True)
    assert drawn.to_csv() == (tmp_path / "o.csv").read_bytes()
    columns = {"age": pykanon.Quasi(ends="drawn"), "born": pykanon.Quasi(ends="drawn"), "zip": pykanon.Quasi(mask="right")}
    columns |= {"disease": pykanon.Sensitive(permute=True), "name": pykanon.Identifying()}
    assert pykanon.anonymize(frame, k=5, seed=3, algorithm="mondrian", columns=columns).to_csv() == drawn.to_csv()
    assert drawn.measures["information_loss"] > exact.measures["information_loss"] and (drawn.groups == exact.groups).all()
    cells = [r.table.assign(group=r.groups).groupby("group")["disease"].apply(sorted) for r in (exact, drawn)]
    assert cells[0].equals(cells[1]) and not exact.table["disease"].equals(drawn.table["disease"])
    assert (drawn.table["age_min"] <= exact.table["age_min"]).all() and (drawn.table["age_min"] < drawn.table["age_max"]).all()


def test_check(result, people, roles):
    names = {"quasi": ["age_min", "age_max", "zip"], "sensitive": ["disease"]}
    found = pykanon.check(result.table, k=5, **names)
    assert found and found["k"] >= 5
    assert not pykanon.check(people, k=2, **{**roles, "masks": None})
    assert "does not hold" in repr(pykanon.check(people, k=2, quasi=["age", "zip"]))


def test_check_counts_what_a_reader_sees():
    released = {"age": ["1", "1"], "ssn": ["7", "8"]}
    found = pykanon.check(released, k=2, quasi="age")
    assert not found and "ssn" in found["violated"][0]
    assert pykanon.check(released, k=2, quasi="age", default_role="insensitive")
    assert not pykanon.check({"job": ["?", "NA"]}, k=2, quasi="job", missing=["?", "NA"])
    assert pykanon.check({"job": ["?", "NA"]}, k=2, quasi="job", same=[("?", "NA")])
    assert pykanon.check({"job": ["*", None]}, k=2, quasi="job")["k"] == 1
    l2 = ["model=distinct-l-diversity,attribute=ill,l=2"]
    assert not pykanon.check({"job": ["a", "a"], "ill": ["flu", "*"]}, quasi="job", sensitive="ill", constraints=l2)


def test_check_compares_with_other_tables():
    released = {"id": ["1", "2", "3"], "age": ["[20..29]", "[20..29]", "*"], "ill": ["flu", "cold", "flu"]}
    patients = {"id": ["3", "1", "2"], "age": [35, 23, 28], "ill": ["flu", "flu", "cold"]}
    roles = {"quasi": "age", "sensitive": "ill", "insensitive": "id"}
    found = pykanon.check(released, original=patients, key="id", **roles)
    assert found and found.findings[0]["name"] == "compared" and "uncovered" not in [f["name"] for f in found.findings]
    wrong = pykanon.check(released, original=b"id,age,ill\n1,23,flu\n2,41,cold\n3,35,flu\n", **roles)
    assert not wrong and "age: 1 cell does not cover the original" in wrong.violated
    both = pykanon.check(released, earlier=[released, released], key="id", population=patients, **roles)
    assert {f["name"]: f["value"] for f in both.compared if f["column"] is None}["joint_k"] == 1
    with pytest.raises(pykanon.DataError, match="no such column, which is one of the key"):
        pykanon.check({"age": ["*"]}, original=patients, key="id", **roles)


def test_bound_and_tradeoff(result, people, roles, tmp_path):
    lower = pykanon.bound(people, k=5, certificate=str(tmp_path / "proof.json"), **roles)
    assert 0 < lower.lower_bound <= result.measures["information_loss"]
    assert (tmp_path / "proof.json").exists()
    curve = pykanon.tradeoff(people, k=[2, 5, 10], **roles)
    losses = [p["information_loss"] for p in curve]
    assert len(curve) == 3 and losses == sorted(losses) and curve.optimal()


def test_state(people, tmp_path):
    table = {**people, "id": [str(i) for i in range(200)]}
    said = {"quasi": ["age", "zip"], "identifying": ["name", "id"], "sensitive": ["disease"], "key": "id"}
    first = pykanon.anonymize(table, k=5, **said)
    with first.state(tmp_path / "s.kanon", joint_k="off") as state:
        more = {**{c: v[:3] for c, v in people.items()}, "id": ["x1", "x2", "x3"]}
        assert state.insert(more)["records"] == 203
        assert state.delete({"id": ["x1", "7"]})["records"] == 201
        assert state.update({"id": ["x2"], "age": [50], "zip": ["79098"], "name": ["n"], "disease": ["flu"]})
        with pytest.warns(pykanon.PrivacyWarning, match="nothing was withheld, because joint_k is off"):
            released = state.release()
        assert len(list(csv.reader(io.StringIO(released.decode())))) == 202
        assert state.last_change["joint_below"] > 0 and not state.last_change["joint_required"]
        assert state.describe()["records"] == 201 and state.audit()["releases"] == 2
        assert state.optimize()["records"] == 201
    with pytest.raises(pykanon.UsageError, match="closed"):
        state.describe()
    with pykanon.State(tmp_path / "s.kanon") as again:
        assert again.describe()["records"] == 201
    # k is the default: those who would be told apart wait
    with first.state(tmp_path / "t.kanon") as state:
        state.insert(more)
        state.release()
        assert state.last_change["joint_required"] and state.last_change["joint_smallest"] >= 5
        assert state.last_change["withheld"] == 3
        with pytest.raises(pykanon.UsageError, match="joint_k"):
            state.release(joint_k="none")
    del state, again


def test_constraints_and_entities(people, roles):
    visits = {**people, "patient": [str(i // 2) for i in range(200)]}
    said = {**roles, "constraints": [{"model": "distinct-l-diversity", "attribute": "disease", "l": 2}]}
    found = pykanon.anonymize(visits, k=5, entity="patient", **said)
    by_group = {}
    for group, patient, disease in zip(found.groups, visits["patient"], visits["disease"]):
        by_group.setdefault(group, []).append((patient, disease))
    assert all(len({p for p, _ in g}) >= 5 and len({d for _, d in g}) >= 2 for g in by_group.values())


def test_plots(result, people, roles):
    import matplotlib

    matplotlib.use("Agg")
    assert result.plot("sizes").get_xlabel() == "records in a group"
    assert [t.get_text() for t in result.plot("loss").get_yticklabels()]
    with pytest.raises(pykanon.UsageError, match="one of"):
        result.plot("size")
    assert pykanon.tradeoff(people, k=[2, 5], **roles).plot().get_title() == "Loss against risk"


def test_sklearn(people):
    import pandas as pd
    from sklearn.base import clone
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline

    from pykanon.sklearn import Anonymizer

    frame = pd.DataFrame({"age": people["age"], "kids": [i % 4 for i in range(200)]})
    step = Anonymizer(quasi=["age"], insensitive=["kids"], k=5)
    assert not hasattr(step, "transform")
    assert clone(step).get_params()["k"] == 5
    released = step.fit_transform(frame)
    model = make_pipeline(LogisticRegression()).fit(released, [i % 2 for i in range(200)])
    assert len(model.predict(released)) == 200
    assert make_pipeline("passthrough", step).fit_transform(frame).equals(released)
    # as many rows as before, or an error
    frame.loc[[7, 9], "age"] = [500, 900]
    few = {"suppress": 0.02}
    assert len(Anonymizer(quasi=["age"], insensitive=["kids"], k=5, **few).fit_transform(frame)) == 200
    with pytest.raises(pykanon.UsageError, match="suppressed and not in the release"):
        Anonymizer(quasi=["age"], insensitive=["kids"], k=5, suppressed="drop", **few).fit_transform(frame)


def test_the_release_of_a_state_as_a_table(people, tmp_path):
    import pandas as pd
    import polars as pl

    table = {**people, "id": [str(i) for i in range(200)]}
    said = {"quasi": ["age", "zip"], "identifying": ["name", "id"], "sensitive": ["disease"], "key": "id"}
    with pykanon.anonymize(table, k=5, **said).state(tmp_path / "s.kanon") as state:
        frame = state.release(kind="pandas")
        assert isinstance(frame, pd.DataFrame) and list(frame.columns)[:2] == ["age_min", "age_max"]
        assert len(frame) == 200 and frame.age_min.dtype.kind == "i"
        again = state.release(kind="polars")
        assert isinstance(again, pl.DataFrame) and again["age_min"].to_list() == frame.age_min.tolist()
        cells = [r[0] for r in csv.reader(io.StringIO(state.release().decode()))][1:]
        assert pa.table(state.release(kind="arrow", numeric="interval")).column("age").to_pylist() == cells
        assert state.describe()["releases"] == 5
        for wrong in (dict(kind="excel"), dict(kind="pandas", numeric="range"), dict(kind="pandas", path="x")):
            with pytest.raises(pykanon.UsageError):
                state.release(**wrong)
        assert state.describe()["releases"] == 5
        with pytest.raises(pykanon.Error):
            state.insert({c: v[:1] for c, v in table.items()})
        assert state.insert({**{c: v[:1] for c, v in table.items()}, "id": ["n1"]})["records"] == 201
    del state


def test_records_that_come_again(people, tmp_path):
    said = {"quasi": ["age", "zip"], "identifying": ["name"], "sensitive": ["disease"]}
    more = {c: v[:2] for c, v in people.items()}
    with pykanon.anonymize(people, k=5, **said).state(tmp_path / "s.kanon") as state:
        state.insert(more)
        with pytest.raises(pykanon.DataError) as failure:
            state.insert(more)
        assert failure.value.topic == "again"
        assert state.insert(more, again=True)["records"] == 204
    del state


def test_improve(people, roles, tmp_path):
    quick = pykanon.anonymize(people, k=5, algorithm="mondrian", **roles)
    before = quick.measures["information_loss"]
    better = pykanon.improve(people, quick, k=5, seed=1, **roles)
    assert better.measures["information_loss"] < before and better.k >= 5
    assert list(pykanon.improve(people, list(quick.groups), k=5, seed=1, threads=3, **roles).groups) == list(better.groups)
    quick.to_csv(tmp_path / "r.csv")
    again = pykanon.improve(people, release=tmp_path / "r.csv", k=5, **roles)
    assert again.measures["information_loss"] < before
    with pytest.raises(pykanon.InfeasibleError):
        pykanon.improve(people, quick, k=50, **roles)
    assert pykanon.improve(people, quick, k=50, repair=True, **roles).k >= 50
    for wrong in (None, [1, 2], ["a"] * 200, [0.5] * 200, 3):
        with pytest.raises(pykanon.UsageError):
            pykanon.improve(people, wrong, k=5, **roles)


def test_groups_and_suppressed_are_masks(people, roles):
    release = pykanon.anonymize(pd.DataFrame(people), k=5, suppress=0.1, **roles)
    assert isinstance(release.groups, np.ndarray) and release.suppressed.dtype == bool
    assert release.suppressed.sum() == release.n_suppressed == (release.groups == 0).sum()
    first = pd.DataFrame(people)[release.groups == 1]
    assert len(first) >= 5


def test_a_release_can_be_pickled(people, roles, tmp_path):
    release = pykanon.anonymize(pd.DataFrame(people), k=5, **roles)
    for loaded in (pickle.loads(pickle.dumps(release)), copy.deepcopy(release), pickle.loads(pickle.dumps(copy.copy(release)))):
        assert repr(loaded) == repr(release) and loaded.table.equals(release.table)
        assert dict(loaded.measures) == dict(release.measures) and list(loaded.groups) == list(release.groups)
        loaded.report(tmp_path / "internal.html")
        loaded.report(tmp_path / "external.json", external=True)
        assert (tmp_path / "internal.html").stat().st_mode & 0o777 == 0o600
        assert "<html" in (tmp_path / "internal.html").read_text() and json.loads((tmp_path / "external.json").read_text())
        with pytest.raises(pykanon.UsageError, match="pickled"):
            loaded.to_csv()
    # names were never released, and a pickle does not hold them
    assert b"person 17" not in pickle.dumps(release)


def test_a_release_of_another_tool_is_evaluated(people, tmp_path):
    # Two groups of two: 23..25 and 41..44 of a range of 21, so that 2 * 2/21 + 2 * 3/21 = 10/21 is lost.
    table = {"age": [23, 25, 41, 44]}
    other = pd.DataFrame({"age": ["[41-44]", "[23-25]", "[23-25]", "[41-44]"]})
    assert pykanon.evaluate(table, other, quasi="age")["information_loss"] == pytest.approx(10 / 21)
    other.to_csv(tmp_path / "other.csv", index=False)
    assert pykanon.evaluate(table, tmp_path / "other.csv", quasi="age")["information_loss"] == pytest.approx(10 / 21)
    assert pykanon.evaluate(table, other.iloc[:2], quasi="age")["suppressed"] == 2


PEOPLE = {"age": [20, 21, 40, 41, 20, 21], "ill": ["a", "b", "a", "b", "c", "d"]}


def test_a_seed_alone_shuffles_and_the_order_is_that_of_the_rows():
    said = dict(quasi="age", sensitive="ill", k=2)
    plain = pykanon.anonymize(PEOPLE, **said)
    seeded = pykanon.anonymize(PEOPLE, **said, shuffle_seed=5)
    backwards = pykanon.improve({n: v[::-1] for n, v in PEOPLE.items()}, list(plain.groups)[::-1], **said, shuffle_seed=5,
                                refine="none")  # fmt: skip
    assert seeded.table.to_pydict() == backwards.table.to_pydict() != plain.table.to_pydict()
    assert plain.to_csv(shuffle_seed=5) == seeded.to_csv(shuffle_seed=5) == backwards.to_csv(shuffle_seed=5)
    assert plain.to_csv(shuffle_seed=0) == plain.to_csv(shuffle=True) != plain.to_csv()


@pytest.mark.parametrize("seed", [-1, 2**53, 1.5, "3", None])
def test_seeds_are_whole_numbers_that_every_host_has(seed):
    for name in ("seed", "shuffle_seed") if seed is not None else ("seed",):
        with pytest.raises(pykanon.UsageError, match=f"^{name} must be a whole number from 0 to 9007199254740991$"):
            pykanon.anonymize(PEOPLE, quasi="age", insensitive="ill", k=2, **{name: seed})
    pykanon.anonymize(PEOPLE, quasi="age", insensitive="ill", k=2, seed=2**53 - 1)


def test_unknown_keywords_name_the_function_and_the_nearest_word():
    for act in (pykanon.anonymize, pykanon.improve, pykanon.check, pykanon.profile, pykanon.bound, pykanon.tradeoff):
        with pytest.raises(TypeError, match=rf"^{act.__name__}\(\) has no argument 'quaasi'; did you mean 'quasi'\?$"):
            act(PEOPLE, quaasi="age")


def test_missing_adds_to_the_empty_text():
    cells = {"age": ["20", "", "?", "30"] * 3, "ill": ["x"] * 12}
    said = dict(quasi="age", types={"age": "integer"}, sensitive="ill", k=2, missing="?")
    assert pykanon.anonymize(cells, **said).records == 12
    with pytest.raises(pykanon.DataError, match="age"):
        pykanon.anonymize(cells, **said, empty="value")
    with pytest.raises(pykanon.UsageError, match="empty: there is no 'no'"):
        pykanon.anonymize(cells, **said, empty="no")


def test_intervals_of_pandas_are_read():
    ages = pd.DataFrame({"age": [20 + i % 40 for i in range(80)]})
    cut = pd.DataFrame({"age": pd.cut(ages.age, [0, 39, 80])})
    intervals = pd.DataFrame({"age": cut.age.astype("interval[int64, right]")})
    text = cut.astype(str)
    losses = {pykanon.evaluate(ages, frame, quasi="age")["information_loss"] for frame in (cut, intervals, text)}
    assert len(losses) == 1 and 0 < losses.pop() < 80
    assert [pykanon.check(frame, quasi="age")["k"] for frame in (cut, intervals, text)] == [40, 40, 40]
    assert pykanon.improve(ages, release=cut, quasi="age", k=2).measures["information_loss"] < 80


def test_a_refinement_can_be_chosen_for_a_curve_and_for_a_state(tmp_path):
    people = {"id": [str(i) for i in range(40)], "age": list(range(20, 60))}
    said = dict(quasi="age", identifying="id")
    with pytest.raises(pykanon.UsageError, match="magic"):
        pykanon.tradeoff(people, k=[2], refine="magic", **said)
    with pykanon.anonymize(people, k=2, key="id", **said).state(tmp_path / "people.kanon") as state:
        with pytest.raises(pykanon.UsageError, match="magic"):
            state.optimize(refine="magic")
        assert state.optimize(refine="il-optimization")["records"] == 40
        with pytest.raises(pykanon.UsageError, match="effort: there is no 'more'"):
            state.insert({"id": ["41"], "age": [30]}, effort="more")


@pytest.mark.parametrize("said, told", [
    (dict(recode="cell"), "recode: there is no 'cell'"), (dict(effort="more"), "effort: there is no 'more'"),
    (dict(numeric="text"), "numeric: there is no 'text'"), (dict(suppressed="yes"), "suppressed: there is no 'yes'"),
    (dict(default_role="key"), "default_role: there is no 'key'"), (dict(masks={"zip": "up"}), "masks: zip: there is no 'up'"),
    (dict(types={"age": "number"}), "types: age: there is no 'number'"),
])  # fmt: skip
def test_words_that_an_argument_does_not_know(said, told):
    people = {"zip": ["1", "2", "3", "4"], "age": [1, 2, 3, 4]}
    with pytest.raises(pykanon.UsageError) as failure:
        pykanon.anonymize(people, quasi=["zip", "age"], k=2, **said)
    assert failure.value.message == told and failure.value.hint.startswith("choose one of: ")
    with pytest.raises(pykanon.UsageError, match="there is no"):
        pykanon.improve(people, [1, 1, 2, 2], quasi=["zip", "age"], k=2, **{n: v for n, v in said.items() if n != "recode"} or {"effort": "x"})
