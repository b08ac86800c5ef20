"""Profiles, proposals, and how dates and numbers are written."""

import pyarrow as pa
import pytest

import pykanon


def test_profile(people, roles):
    found = pykanon.profile(people, **roles)
    tuples = list(zip(people["age"], people["zip"]))
    assert found["unique_records"] == sum(tuples.count(t) == 1 for t in tuples)
    assert found["records"] == 200 and found["classes"] == len(set(tuples))
    assert [c["k"] for c in found["costs"]] and "200 records" in repr(found)
    assert not pykanon.profile(people, costs=False, **roles)["costs"]


def test_propose(people, tmp_path):
    proposed = pykanon.propose(people)
    assert "name" in proposed.role("identifying") and {"age", "zip"} <= set(proposed.role("quasi"))
    assert all(column["reason"] for column in proposed.columns) and "attributes:" in str(proposed)
    result = pykanon.anonymize(people, schema=proposed, k=5)
    proposed.save(tmp_path / "s.yaml")
    assert pykanon.anonymize(people, schema=tmp_path / "s.yaml", k=5).groups.tolist() == result.groups.tolist()
    for value in {*people["disease"], *people["name"], *people["zip"]}:
        assert value not in proposed.text


def test_what_is_said_wins_over_a_proposal(people):
    proposed = pykanon.propose(people)
    result = pykanon.anonymize(people, schema=proposed, identifying=["zip"], k=5)
    assert "zip" not in result.table.column_names


def test_dates_and_numbers_that_are_written_in_other_ways():
    table = {"born": ["31.12.1980", "01.02.1981", "05.06.1990", "07.08.1991"], "pay": ["1.200,5", "1.300,0", "900,0", "1.000,0"]}
    said = {"quasi": ["born", "pay"], "types": {"born": "date", "pay": "decimal"}, "k": 2}
    result = pykanon.anonymize(table, formats={"born": "%d.%m.%Y"}, decimal=",", thousands=".", **said)
    assert dict((n, t) for n, _, t in result.columns) == {"born": "date", "pay": "decimal"}
    assert result.table.schema.field("born_min").type == pa.date32()
    assert sorted(set(result.table.column("pay_max").to_pylist())) in ([1000.0, 1300.0], [1200.5, 1300.0])
    by_column = pykanon.anonymize(table, formats={"born": "%d.%m.%Y"}, decimal={"pay": ","}, thousands={"pay": "."}, **said)
    assert by_column.groups.tolist() == result.groups.tolist()
    for wrong in (dict(decimal=";;"), dict(decimal="\u00b7"), dict(decimal="x"), dict(formats={"born": "%q"})):
        with pytest.raises(pykanon.Error):
            pykanon.anonymize(table, **wrong, **said)


def test_what_weakens_a_release_is_a_warning(people):
    with pytest.warns(pykanon.PrivacyWarning, match="name"):
        result = pykanon.anonymize(people, quasi=["age"], default_role="insensitive", k=5)
    assert any("name" in text for text in result.warnings)


def test_groups_with_one_sensitive_value_are_a_warning():
    table = pa.table({"age": [20, 21, 60, 61] * 20, "d": ["hiv", "hiv", "flu", "flu"] * 20})
    text = "100 % of the records are in groups with one value of d; consider distinct-l-diversity"
    with pytest.warns(pykanon.PrivacyWarning, match=text):
        result = pykanon.anonymize(table, quasi="age", sensitive="d", k=10)
    assert result.warnings == [text]
    assert result.measures.of("d")["homogeneous"] == result.measures.of("d")["nearly_homogeneous"] == 1
    assert text in pykanon.check(result.table, quasi=["age_min", "age_max"], sensitive="d", k=10).warnings
    constraint = {"model": "distinct-l-diversity", "attribute": "d", "l": 2}
    assert pykanon.anonymize(table, quasi="age", sensitive="d", k=10, constraints=[constraint]).warnings == []
