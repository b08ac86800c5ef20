"""What the program does and Python does as well, with the figures and files of the program: advice, codebooks, certificates,
taxonomies, measures of groups, and releases that are improved."""

import csv
import io
import json
import os
import pickle
import re
import subprocess

import pandas as pd
import pyarrow as pa
import pyarrow.csv
import pytest

import pykanon

SAID = dict(quasi=["age", "zip"], identifying=["name"], sensitive=["disease"], masks={"zip": "right"}, types={"age": "integer"})
FLAGS = ["--quasi", "age,zip", "--identifying", "name", "--sensitive", "disease", "--mask", "zip=right", "--type", "zip=categorical"]


@pytest.fixture
def kanon(people, tmp_path):
    """Runs the program in a folder with the table as people.csv; what it printed."""
    program = os.environ.get("KANON_PROGRAM")
    if not program:
        pytest.skip("KANON_PROGRAM is not set")
    pd.DataFrame(people).to_csv(tmp_path / "people.csv", index=False)

    def run(*words, status=0):
        found = subprocess.run([program, *map(str, words)], cwd=tmp_path, capture_output=True, text=True)
        assert found.returncode == status, found.stderr
        return found.stdout, found.stderr

    return run


def test_advice_is_that_of_the_program(people, kanon):
    _, told = kanon("anonymize", "people.csv", *FLAGS, "-k", 5, "-o", "r.csv", "--report", "p.json")
    theirs = [re.sub(r" \(.*\)$", "", line) for line in re.findall(r"^kanon: advice: (.*)$", told, re.MULTILINE)]
    ours = [re.sub(r" \(.*\)$", "", line) for line in pykanon.anonymize(people, k=5, **SAID).advice()]
    assert theirs and [line for line in ours if line in theirs] == theirs
    assert any(line.startswith("leaving out ") for line in ours)  # what was tried


def test_the_verdict_is_that_of_the_program(people, kanon, tmp_path):
    kanon("anonymize", "people.csv", *FLAGS, "-k", 5, "-o", "r.csv", "--report", "r.json")
    theirs = json.loads((tmp_path / "r.json").read_text())["verdict"]
    release = pykanon.anonymize(people, k=5, **SAID)
    ours = [(row.name, row.heading, row.mark, row.asked) for row in release.verdict]
    assert ours == [(row["row"], row["heading"], row["mark"], row["asked"]) for row in theirs]
    assert release.verdict and "k" in [row.name for row in release.verdict]
    assert repr(release.verdict).startswith("met       Group size: the smallest group has ")
    assert {row.name: row.mark for row in pykanon.anonymize(people, k=5, shuffle=True, **SAID).verdict}["order"] == "met"
    assert pickle.loads(pickle.dumps(release)).verdict == release.verdict
    failed = pykanon.Verdict([("k", "Group size", "failed", "too small", True)])
    assert not failed and "too small" in failed._repr_html_()


def test_a_codebook_is_that_of_the_program(people, kanon, tmp_path):
    for name in ("book.json", "book.html", "book-metadata.json"):
        kanon("anonymize", "people.csv", *FLAGS, "-k", 5, "-o", "r.csv", "--codebook", name, "--numeric", "columns")
        theirs = (tmp_path / name).read_text()
        release = pykanon.anonymize(people, k=5, **SAID)
        release.codebook(tmp_path / ("our-" + name))
        ours = (tmp_path / ("our-" + name)).read_text()
        assert ("<html" in ours) == name.endswith(".html")
        if name == "book.json":
            fields = [field["name"] for field in json.loads(ours)["fields"]]
            assert fields == [field["name"] for field in json.loads(theirs)["fields"]] == list(release.table.column_names)
    assert [f["name"] for f in json.loads(release.codebook(numeric="interval"))["fields"]] == ["age", "zip", "disease"]
    assert json.loads(release.codebook()) == json.loads((tmp_path / "our-book.json").read_text())


def test_groups_are_written_and_measured_as_by_the_program(people, kanon, tmp_path):
    release = pykanon.anonymize(people, k=5, seed=3, **SAID)
    release.to_groups(tmp_path / "g.csv")
    with open(tmp_path / "g.csv", newline="", encoding="utf-8") as file:
        assert [int(row["group"]) for row in csv.DictReader(file)] == list(release.groups)
    kanon("evaluate", "people.csv", *FLAGS, "--groups", "g.csv", "-k", 5, "--set", "r=0.7", "--report", "e.json")
    theirs = json.loads((tmp_path / "e.json").read_text())
    for groups in (release, list(release.groups)):
        ours = pykanon.evaluate(people, groups=groups, k=5, measure_settings={"r": 0.7}, **SAID)
        compared = [name for name, value in theirs.items() if isinstance(value, (int, float)) and name in ours]
        assert len(compared) > 10 and all(ours[name] == pytest.approx(theirs[name], rel=1e-9) for name in compared)
    assert ours["query_error"] == release.evaluate(r=0.7)["query_error"]
    with pytest.raises(pykanon.UsageError, match="either release or groups"):
        pykanon.evaluate(people, **SAID)
    with pytest.raises(pykanon.UsageError, match="has 2 numbers, and the table 200 records"):
        pykanon.evaluate(people, groups=[1, 1], **SAID)


def test_certificates(people, kanon, tmp_path):
    release = pykanon.anonymize(people, k=5, **SAID)
    lower = pykanon.bound(people, k=5, certificate=tmp_path / "ours.json", **SAID)
    kanon("bound", "people.csv", *FLAGS, "-k", 5, "--certificate", "theirs.json")
    ours, theirs = (json.loads((tmp_path / name).read_text()) for name in ("ours.json", "theirs.json"))
    assert {**ours, "table_sha256": ""} == {**theirs, "table_sha256": ""}  # which is that of the file or of the Arrow table
    assert pykanon.check_certificate(people, tmp_path / "theirs.json", **SAID).reason == "the certificate is for another table"
    for given in (tmp_path / "ours.json", str(tmp_path / "ours.json"), (tmp_path / "ours.json").read_bytes()):
        found = pykanon.check_certificate(people, given, **SAID)
        assert found and found.reason == "" and found.lower_bound == pytest.approx(lower.lower_bound) and found["k"] == 5
    # a claim that is too high
    claim = json.loads((tmp_path / "ours.json").read_text())
    claim["prices"] = [2 * price for price in claim["prices"]]
    wrong = pykanon.check_certificate(people, json.dumps(claim).encode(), **SAID)
    assert not wrong and wrong.reason and "not proved" in repr(wrong)
    with pytest.raises(pykanon.DataError) as caught:
        pykanon.check_certificate(people, b"{}", **SAID)
    assert "pykanon.bound" in caught.value.hint
    # the proven gap is among the measures, and in the report
    figures = release.evaluate(from_certificate=tmp_path / "ours.json")
    assert figures["gap"] == pytest.approx(figures["information_loss"] / lower.lower_bound)
    assert pykanon.evaluate(people, groups=release, from_certificate=tmp_path / "ours.json", **SAID)["gap"] == figures["gap"]
    release.report(tmp_path / "r.json", from_certificate=tmp_path / "ours.json")
    assert json.loads((tmp_path / "r.json").read_text())["gap"] == pytest.approx(figures["gap"])
    assert "gap" not in release.measures
    with pytest.raises(pykanon.InfeasibleError):
        pykanon.anonymize(people, k=6, **SAID).evaluate(from_certificate=tmp_path / "ours.json")


def test_improve_takes_a_release_as_a_file_as_bytes_and_as_a_table(people, kanon, tmp_path):
    quick = pykanon.anonymize(people, k=5, algorithm="mondrian", **SAID)
    quick.to_csv(tmp_path / "quick.csv")
    kanon("improve", "people.csv", *FLAGS, "-k", 5, "--release", "quick.csv", "--seed", 1, "--moves", 2000, "-o", "better.csv")
    table = pa.csv.read_csv(tmp_path / "quick.csv", convert_options=pa.csv.ConvertOptions(column_types={"zip": pa.string()}))
    for given in (tmp_path / "quick.csv", quick.to_csv(), table, table.to_pandas(), quick.table):
        better = pykanon.improve(people, release=given, k=5, seed=1, moves=2000, **SAID)
        assert better.to_csv() == (tmp_path / "better.csv").read_bytes()
    with pytest.raises(pykanon.DataError, match="which are missing cannot be told"):
        pykanon.improve(people, release=table.slice(5), k=5, **SAID)
    assert pykanon.evaluate(people, quick.to_csv(), **SAID)["information_loss"] == pytest.approx(quick.measures["information_loss"])


def test_tradeoff_takes_settings_of_measures(people):
    plain, other = (pykanon.tradeoff(people, k=5, suppress=0.1, measure_settings=s, **SAID) for s in (None, {"query-seed": 9}))
    assert len(plain) == len(other) == 1 and plain[0]["query_error"] != other[0]["query_error"]


# ---- taxonomies --------------------------------------------------------------------------------------------------------

WAYS = [("zip", "prefixes", [3, 1]), ("zip", "mask", "right"), ("age", "widths", [5, 20]), ("age", "frequencies", [16, 4]),
        ("disease", "rare", 45), ("seen", "dates", ["month", "year"])]  # fmt: skip


@pytest.mark.parametrize("column, way, levels", WAYS)
def test_a_taxonomy_is_that_of_the_program(people, kanon, tmp_path, column, way, levels):
    table = {**people, "seen": [f"20{20 + i % 4}-0{1 + i % 9}-11" for i in range(200)]}
    pd.DataFrame(table).to_csv(tmp_path / "people.csv", index=False)
    text = ",".join(map(str, levels)) if isinstance(levels, list) else str(levels)
    theirs, _ = kanon("taxonomy", "build", "people.csv", "--column", column, f"--{way}", text)
    frame = pd.DataFrame(table)
    for given in (table, frame, frame.assign(zip=frame.zip.astype("category")), tmp_path / "people.csv"):
        made = pykanon.Taxonomy.build(given, column, **{way: levels})
        assert made.csv() == theirs
    assert made.check(table, column) and max(made.count(table, column).values()) == 200
    for form in ("txt", "yaml", "json"):
        made.save(tmp_path / f"t.{form}")
        kanon("taxonomy", "convert", tmp_path / f"t.{form}", "--form", "csv", "-o", "back.csv")
        assert pykanon.Taxonomy(tmp_path / f"t.{form}").to_dict() == made.to_dict() == pykanon.Taxonomy(tmp_path / "back.csv").to_dict()


def test_a_taxonomy_is_checked_shown_and_used(people, kanon, tmp_path):
    tree = {"*": {"infection": {"flu": None, "cold": None}, "angina": None}}
    one = pykanon.Taxonomy(tree)
    assert one.show(1) == "*\n    infection  ... 2 leaves\n    angina" and one.to_dict() == {"*": {"infection": {"flu": {}, "cold": {}}, "angina": {}}}
    found = one.check(people, "disease")
    asthma = people["disease"].count("asthma")
    assert not found and [f["count"] for f in found.findings if f["is_error"]] == [1] and "asthma" not in repr(found)
    one.save(tmp_path / "tree.csv")
    assert "bad: 1 kind of errors" in kanon("taxonomy", "check", "tree.csv", "--table", "people.csv", "--column", "disease", status=1)[0]
    assert one.count(people, "disease") == {"*": 200 - asthma, None: asthma, **{
        name: people["disease"].count(name) for name in ("flu", "cold", "angina")}, "infection": sum(
        people["disease"].count(name) for name in ("flu", "cold"))}  # fmt: skip
    assert one.check({**people, "disease": ["?"] + people["disease"][1:]}, "disease", missing="?")["errors"] == 1
    whole = pykanon.Taxonomy({"*": {"infection": {"flu": None, "cold": None, "asthma": None}, "angina": None}})
    said = {**SAID, "quasi": ["age", "disease"], "sensitive": []}
    used = [pykanon.anonymize(people, k=5, **{**said, "taxonomies": {"disease": t}}) for t in (whole, whole.to_dict())]
    del said["masks"]
    columns = {"disease": pykanon.Quasi(taxonomy=pickle.loads(pickle.dumps(whole)))}
    assert used[0].to_csv() == used[1].to_csv() == pykanon.anonymize(people, k=5, columns=columns, **said).to_csv()
    # one that cannot be used can be checked
    (tmp_path / "bad.csv").write_text("flu;infection;*\nflu;other;*\n")
    assert not pykanon.Taxonomy(tmp_path / "bad.csv").check()
    with pytest.raises(pykanon.DataError):
        pykanon.Taxonomy(tmp_path / "bad.csv").show()
    for wrong, told in ((dict(), "give one of"), (dict(mask="right", rare=5), "give one of"), (dict(mask="up"), "there is no 'up'")):
        with pytest.raises(pykanon.UsageError, match=told):
            pykanon.Taxonomy.build(people, "zip", **wrong)
    with pytest.raises(pykanon.DataError, match="no such column"):
        pykanon.Taxonomy.build(people, "zipp", mask="right")
    assert len(list(csv.reader(io.StringIO(whole.csv()), delimiter=";"))) == 4
