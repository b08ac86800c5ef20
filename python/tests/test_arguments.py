"""How functions are called: columns as objects, keywords that are not there, help, and the parameters of scikit-learn."""

import dataclasses
import inspect
import pickle

import pandas as pd
import pytest

import pykanon
from pykanon.about import FIELDS

FUNCTIONS = ("anonymize", "improve", "evaluate", "check", "check_certificate", "bound", "tradeoff", "profile", "propose")


# ---- columns -----------------------------------------------------------------------------------------------------------


def test_columns_say_what_arguments_say(people):
    tree = {"*": {"infection": {"flu": None, "cold": None, "asthma": None}, "angina": None}}
    columns = {"name": pykanon.Identifying(), "age": pykanon.Quasi(bands=5, top=80, weight=2),
               "zip": pykanon.Quasi(mask="right"), "disease": pykanon.Sensitive(taxonomy=tree)}  # fmt: skip
    said = dict(identifying="name", quasi=["age", "zip"], sensitive="disease", masks={"zip": "right"}, bands={"age": 5},
                top={"age": 80}, weights={"age": 2}, taxonomies={"disease": tree})  # fmt: skip
    for extra in ({}, {"constraints": {"model": "distinct-l-diversity", "attribute": "disease", "l": 2}}):
        one = pykanon.anonymize(people, 5, columns=columns, **extra)
        assert one.to_csv() == pykanon.anonymize(people, k=5, **said, **extra).to_csv()
    # some here and some there; a role that is said twice is no contradiction
    mixed = pykanon.anonymize(people, 5, ["age", "zip"], columns={"age": pykanon.Quasi(bands=5), "zip": pykanon.Quasi(mask="right")})
    assert mixed.to_csv() == pykanon.anonymize(people, k=5, quasi=["age", "zip"], bands={"age": 5}, masks={"zip": "right"}).to_csv()
    assert pykanon.check(mixed.table, k=5, columns={"age_min": pykanon.Quasi(), "age_max": pykanon.Quasi(), "zip": pykanon.Quasi()})


def test_columns_say_how_values_are_read():
    table = {"born": ["01.02.1990", "03.02.1990", "05.07.1960", "07.07.1960"], "pay": ["1,5", "2,5", "30,5", "31,5"],
             "school": ["low", "mid", "mid", "high"], "sum": ["1.000", "2.000", "3.000", "4.000"]}  # fmt: skip
    columns = {"born": pykanon.Quasi(type="date", format="%d.%m.%Y"), "pay": pykanon.Quasi(type="decimal", decimal=","),
               "school": pykanon.Quasi(order=["low", "mid", "high"]),
               "sum": pykanon.Quasi(type="integer", thousands=".")}  # fmt: skip
    said = dict(quasi=["born", "pay", "school", "sum"], types={"born": "date", "pay": "decimal", "sum": "integer"},
                formats={"born": "%d.%m.%Y"}, decimal={"pay": ","}, thousands={"sum": "."},
                orders={"school": ["low", "mid", "high"]})  # fmt: skip
    one, other = pykanon.anonymize(table, k=2, columns=columns), pykanon.anonymize(table, k=2, **said)
    assert one.to_csv() == other.to_csv() and b"[1..2]" not in one.to_csv() and b"[1.000..2.000]" in one.to_csv()


@pytest.mark.parametrize("said, told", [
    (dict(sensitive="age", columns={"age": pykanon.Quasi()}), "column age: sensitive names it, and columns says that it is quasi"),
    (dict(quasi=["zip"], columns={"zip": pykanon.Sensitive()}), "column zip: quasi names it, and columns says that it is sensitive"),
    (dict(bands={"age": 10}, columns={"age": pykanon.Quasi(bands=5)}), "column age: columns says its bands, and so does bands"),
    (dict(masks={"zip": "left"}, columns={"zip": pykanon.Quasi(mask="left")}), "column zip: columns says its mask, and so does masks"),
    (dict(bands={"age": 10}, columns={"age": pykanon.Quasi(mask="left")}), "column age has a mask (columns), and bands (bands)"),
    (dict(columns={"age": pykanon.Quasi(mask="left", bands=5)}), "column age has a mask (columns), and bands (columns)"),
    (dict(types={"zip": "integer"}, columns={"zip": pykanon.Quasi(mask="left")}),
     "column zip has a mask (columns), and the type integer (types)"),
    (dict(columns={"age": "quasi"}), "columns: age is a str"), (dict(columns={"age": pykanon.Quasi}), "columns: age is a pykanon.Quasi, not Quasi()"),
    (dict(columns=["age"]), "columns is a dict by column, not list"), (dict(columns={5: pykanon.Quasi()}), "columns: a column name is a text, not int"),
])  # fmt: skip
def test_contradictions_name_the_column_and_both_places(people, said, told):
    with pytest.raises(pykanon.UsageError) as caught:
        pykanon.anonymize(people, k=5, **said)
    assert told in str(caught.value)


def test_a_column_knows_what_belongs_to_its_role():
    for wrong, told in ((lambda: pykanon.Quasi(band=5), r"Quasi\(\) has no argument 'band'; did you mean 'bands'\?"),
                        (lambda: pykanon.Sensitive(bands=5), r"Sensitive\(\) has no argument 'bands'"),
                        (lambda: pykanon.Identifying(type="date"), r"Identifying\(\) has no argument 'type'")):  # fmt: skip
        with pytest.raises(TypeError, match=f"^{told}"):
            wrong()
    for wrong, told in ((dict(mask="up"), "mask: there is no 'up'"), (dict(type="number"), "type: there is no 'number'")):
        with pytest.raises(pykanon.UsageError, match=told):
            pykanon.Quasi(**wrong)
    with pytest.raises(dataclasses.FrozenInstanceError):
        pykanon.Quasi().bands = 5
    assert repr(pykanon.Quasi(bands=5, mask=None)) == "Quasi(bands=5)" and pykanon.Quasi(bands=5) == pykanon.Quasi(bands=5)
    assert pickle.loads(pickle.dumps(pykanon.Quasi(bands=5))) == pykanon.Quasi(bands=5)
    fields = {field.name for kind in (pykanon.Quasi, pykanon.Sensitive) for field in dataclasses.fields(kind)}
    quasi = {field.name for field in dataclasses.fields(pykanon.Quasi)}
    assert fields == set(FIELDS) and fields - quasi == {"permute"}
    assert all(f"\n        {name}: " in pykanon.Quasi.__doc__ for name in quasi)


# ---- keywords ----------------------------------------------------------------------------------------------------------


def test_unknown_keywords_name_the_function_and_the_nearest_word(people, tmp_path):
    release = pykanon.anonymize({"id": ["1", "2"], "age": [1, 2]}, k=2, quasi="age", identifying="id", key="id")
    state = release.state(tmp_path / "s.kanon")
    calls = {
        "anonymize": (pykanon.anonymize, people), "State": (pykanon.State, "s.kanon"), "Taxonomy": (pykanon.Taxonomy, {}),
        "Taxonomy.build": (pykanon.Taxonomy.build, people, "zip"), "Release.to_csv": (release.to_csv,),
        "Release.report": (release.report, "r.json"), "Release.state": (release.state, "t"), "Release.plot": (release.plot,),
        "State.insert": (state.insert, {}), "State.delete": (state.delete, {}), "State.update": (state.update, {}),
        "State.improve": (state.improve,), "State.release": (state.release,),
        **{name: (getattr(pykanon, name), people) for name in FUNCTIONS},
    }  # fmt: skip
    for called, (function, *given) in calls.items():
        near = [n for n in inspect.signature(function).parameters if len(n) > 3 and n not in ("self", "said")][-1]
        with pytest.raises(TypeError) as caught:
            function(*given, **{near[:-1] + "q": 1})
        assert str(caught.value) == f"{called}() has no argument '{near[:-1]}q'; did you mean '{near}'?"
    with pytest.raises(TypeError, match=r"^anonymize\(\) has no argument 'time_limt'; did you mean 'time_limit'\?$"):
        pykanon.anonymize(people, time_limt=3)
    with pytest.raises(TypeError, match=r"^State\(\) has no argument 'wait'; did you mean 'wait_seconds'\?$"):
        pykanon.State("s.kanon", wait=3)
    with pytest.raises(TypeError, match=r"^check\(\) has no argument 'xyz'$"):
        pykanon.check(people, xyz=3)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_help_describes_every_argument(name):
    function = getattr(pykanon, name)
    head, told = function.__doc__.split("\n    Args:\n")
    told, _ = told.split("\n    Returns:\n")
    known = [n for n in inspect.signature(function).parameters if n != "said"]
    assert [n for n in known if f"\n        {n}: " not in "\n" + told] == []
    assert "--" not in told and ">>> import pykanon" in head and "\n    Raises:\n" in function.__doc__


def test_few_arguments_are_in_front():
    parameters = inspect.signature(pykanon.anonymize).parameters
    front = [name for name, one in parameters.items() if one.kind is one.POSITIONAL_OR_KEYWORD]
    assert front == ["table", "k", "quasi", "sensitive", "identifying", "schema", "columns"]


def test_moves_and_time_limit_are_settings_of_the_refinement(people, roles):
    one = pykanon.anonymize(people, k=5, moves=500, **roles)
    assert list(one.groups) == list(pykanon.anonymize(people, k=5, refine_settings={"moves": 500}, **roles).groups)
    assert pykanon.improve(people, one, k=5, moves=500, time_limit=60.5, **roles).k >= 5
    assert pykanon.anonymize(people, k=5, memory="1G", blocks="none", **roles).k >= 5
    assert pykanon.bound(people, k=5, time_limit=60, **roles).lower_bound > 0


def test_a_text_with_commas_is_no_list(people):
    with pytest.raises(pykanon.DataError) as caught:
        pykanon.anonymize(people, k=5, quasi="age, zip")
    assert caught.value.hint == 'Several columns are a list: quasi=["age", "zip"]'


def test_hints_are_those_of_python(people, roles):
    with pytest.raises(pykanon.UsageError) as caught:
        pykanon.anonymize(people, **roles)
    assert caught.value.message == "k is not given" and "write k=10" in caught.value.hint
    with pytest.raises(pykanon.DataError) as caught:
        pykanon.anonymize(people, k=5, **{**roles, "quasi": ["agee", "zip"]})
    assert str(caught.value) == "agee: the table has no such column\ndid you mean 'age'?"
    with pytest.raises(pykanon.DataError, match=r'quasi=\["age", "zip"\]'):
        pykanon.anonymize(people, k=5, identifying="name")


@pytest.mark.parametrize("table, told", [
    ("people.csv", "a str is not a table\nRead the file first"), ([{"age": 5}], "a list is not a table\nMake a frame of the rows"),
    (pd.DataFrame({"age": [1, 2]}).groupby("age"), "a DataFrameGroupBy is not a table"), (5, "an int is not a table"),
])  # fmt: skip
def test_what_is_no_table(table, told):
    with pytest.raises(pykanon.UsageError) as caught:
        pykanon.anonymize(table, k=2, quasi="age")
    assert told in str(caught.value)


def test_warnings_are_about_the_line_that_called(people, tmp_path):
    with pytest.warns(UserWarning) as caught:
        with pykanon.anonymize(people, k=5, quasi="age").state(tmp_path / "s.kanon") as state:
            state.insert({name: values[:9] for name, values in people.items()})
            state.release(kind="pandas", joint_k="off")
            state.release(joint_k="off")
    assert len(caught) >= 3 and {one.filename for one in caught} == {__file__}


# ---- scikit-learn ------------------------------------------------------------------------------------------------------


def test_the_transformer_has_a_parameter_for_each_option(people):
    from sklearn.base import clone

    from pykanon.sklearn import Anonymizer

    known = {name for name in inspect.signature(pykanon.anonymize).parameters}
    assert set(Anonymizer().get_params()) == known - {"table", "index", "shuffle", "shuffle_seed"}
    frame = pd.DataFrame({"age": people["age"], "kids": [i % 4 for i in range(200)]})
    step = Anonymizer(columns={"age": pykanon.Quasi(weight=2), "kids": pykanon.Insensitive()}, k=5, moves=100)
    again = clone(step).set_params(k=20, seed=3)
    assert again.get_params()["moves"] == 100 and again.fit(frame).release_.k >= 20 and step.k == 5
    assert again.fit_transform(frame).equals(pykanon.anonymize(
        frame, k=20, columns=step.columns, moves=100, seed=3, index="keep", numeric="mean", suppressed="keep").table)  # fmt: skip
    with pytest.raises(TypeError, match=r"^Anonymizer\(\) has no argument 'shuffle': labels belong to rows"):
        Anonymizer(shuffle=True)
    with pytest.raises(ValueError, match="Invalid parameter"):
        step.set_params(shuffle=True)


@pytest.mark.parametrize("check", [
    "check_no_attributes_set_in_init", "check_get_params_invariance", "check_set_params", "check_parameters_default_constructible",
    "check_estimator_repr", "check_estimator_cloneable", "check_do_not_raise_errors_in_init_or_set_params",
    "check_mixin_order", "check_valid_tag_types",
])  # fmt: skip
def test_the_checks_of_sklearn_that_need_no_data(check):
    """The others fit arrays of numbers without names, which have no columns that could be named."""
    from sklearn.utils import estimator_checks

    from pykanon.sklearn import Anonymizer

    getattr(estimator_checks, check)("Anonymizer", Anonymizer())
