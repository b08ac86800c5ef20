#!/usr/bin/env python3
"""The checker itself: a good release passes, and one that is wrong in a single way does not. The figures of the
models are worked out by hand."""
import sys
from fractions import Fraction

import checker
from tables import Column, Plain, Table

TREE = {"nurse": ["nurse", "Health", "*"], "surgeon": ["surgeon", "Health", "*"], "baker": ["baker", "Food", "*"],
        "cook": ["cook", "Food", "*"]}
GROUPS = "row,group\n1,1\n2,1\n3,2\n4,2\n5,0\n"
RELEASE = """age,job,zip,ill
[31..34],Health,10*,flu
[31..34],Health,10*,gout
58,Food,803,flu
58,Food,803,cold
"""


def small():
    table = Table()
    job = Column("job", "quasi", tree=TREE)
    table.columns = [Column("name", "identifying"), Column("age", "quasi", "integer"), job,
                     Column("zip", "quasi", mask="right"), Column("ill", "sensitive"), Column("who", "identifying")]
    table.rows = [["SECRET1", "31", "nurse", "101", "flu", "a"], ["SECRET2", "34", "surgeon", "102", "gout", "b"],
                  ["SECRET3", "58", "baker", "803", "flu", "c"], ["SECRET4", "58", "cook", "803", "cold", "d"],
                  ["SECRET5", "99", "cook", "999", "gout", "e"]]
    return table


def passes(table, release=RELEASE, groups=GROUPS, **how):
    try:
        checker.check_release(table, release, groups, **how)
        return True
    except checker.Wrong:
        return False


def expect(holds, what):
    if not holds:
        print("FAILED: " + what)
        sys.exit(1)


def test_releases():
    table = small()
    expect(passes(table), "a good release passes")
    changes = {
        "a number that is not covered": ("[31..34]", "[32..34]"),
        "an interval that is too wide": ("[31..34]", "[31..58]"),
        "a category that does not cover": ("Health,10*,flu", "nurse,10*,flu"),
        "a category that is too wide": ("Health", "*"),
        "a mask that does not cover": ("10*", "11*"), "a sensitive cell that was changed": ("803,cold", "803,flu"),
        "a suppressed record in the release": ("803,cold\n", "803,cold\n*,*,*,gout\n"),
        "a record that is missing": ("58,Food,803,cold\n", ""),
        "a cell of the group that differs": ("[31..34],Health,10*,gout", "[31..34],Health,1**,gout"),
        "another header": ("age,job", "job,age"), "an identifying value": ("flu\n[", "SECRET1\n["),
    }
    for what, (old, new) in changes.items():
        expect(not passes(table, RELEASE.replace(old, new)), what)
    expect(not passes(table, groups=GROUPS.replace("2,1", "2,2")), "groups that do not fit the cells")
    expect(not passes(table, groups=GROUPS.replace("5,0", "5,3")), "a group of one")
    expect(not passes(table, groups=GROUPS.replace("5,0\n", "")), "a row that no group has")
    table.k = 3
    expect(not passes(table), "groups below k")


def test_requirements():
    table = small()
    table.suppress = "0.19"
    expect(not passes(table), "one of five suppressed, less than a fifth allowed")
    table.suppress = "0.2"
    expect(passes(table), "a fifth allowed")
    table.constraints = [{"model": "distinct-l-diversity", "attribute": "ill", "l": 3}]
    expect(not passes(table), "too few values")
    table.constraints = [{"model": "alpha-k", "attribute": "ill", "alpha": Plain("0.5")}]
    expect(passes(table), "a half each")
    table.rows[1][4] = "flu"
    expect(not passes(table, RELEASE.replace("10*,gout", "10*,flu")), "one value in all of a group")
    table.constraints, table.entity = [], "who"
    expect(passes(table, RELEASE.replace("10*,gout", "10*,flu")), "two persons")
    table.rows[1][5] = "a"
    expect(not passes(table, RELEASE.replace("10*,gout", "10*,flu")), "two records of one person")
    table.k, table.together = 1, True
    expect(passes(table, RELEASE.replace("10*,gout", "10*,flu")), "together")
    table.rows[2][5] = "a"
    expect(not passes(table, RELEASE.replace("10*,gout", "10*,flu")), "a person in two groups")


BANDED = """age;kg;born
[30..34];[..2,5];[01.12.1999..31.12.1999]
[30..34];[..2,5];[01.12.1999..31.12.1999]
[55..];[1000..1234,5);[01.01.2000..29.02.2000]
[55..];[1000..1234,5);[01.01.2000..29.02.2000]
"""
PAIRS = "row,group\n1,1\n2,1\n3,2\n4,2\n"


def banded():
    """Bands of a width with a top, edges in a column with separators, and months in another format of dates."""
    table = Table()
    age, kg, born = (Column(*what) for what in (("age", "quasi", "integer"), ("kg", "quasi", "decimal"),
                                                ("born", "quasi", "date")))
    age.bands, age.top = "5", "57"
    kg.decimal, kg.thousands, kg.bands, kg.bottom, kg.top = ",", ".", ["1000", "1234.5"], "2.5", "1234.5"
    born.format, born.bands = "%d.%m.%Y", "month"
    table.delimiter, table.columns = ";", [age, kg, born]
    table.rows = [["31", "-1,25", "31.12.1999"], ["34", "2,5", "1.12.1999"],
                  ["55", "1.000", "01.01.2000"], ["99", "1.234,25", "29.02.2000"]]
    return table


def test_bands():
    table, good, groups = banded(), BANDED, PAIRS
    expect(passes(table, good, groups), "bands of each kind")
    changes = {
        "the smallest value as the end of a band": ("[30..34]", "[31..34]"),
        "an interval of two bands where one is enough": ("[30..34]", "[30..39]"),
        "a band that does not cover": ("[55..]", "[55..59]"), "one that begins between bands": ("[55..]", "[54..]"),
        "one that begins where the top does": ("[55..]", "[57..]"), "a number instead of its band": ("[30..34]", "31"),
        "everything": ("[30..34]", "*"), "an end that is not included": ("[..2,5]", "[..2,5)"),
        "an end that is included": ("1234,5)", "1234,5]"), "the other decimal separator": ("1234,5)", "1234.5)"),
        "a point for the thousands of another number": ("[1000..", "[1.00.."),
        "another format of dates": ("[01.12.1999..31.12.1999]", "[1999-12-01..1999-12-31]"),
        "a day of the next month": ("31.12.1999", "01.01.2000"), "a day too little": ("29.02.2000", "28.02.2000"),
        "an open end where no band is open": ("29.02.2000]", "]"), "the bracket of another form": ("[55..]", "[55..)"),
    }
    for what, (old, new) in changes.items():
        expect(old in good and not passes(table, good.replace(old, new), groups), what)
    wide = good.replace("[30..34]", "[30..39]")
    expect(passes(table, wide, groups, attribute_level=True), "wider bands of an attribute")
    expect(not passes(table, wide.replace("39]", "38]"), groups, attribute_level=True), "an end between bands")
    ranges = good.replace("..", ",").replace("[,", "(,").replace(",]", ",)")
    expect(not passes(table, ranges, groups, form="range"), "ranges with commas")
    expect(checker.refused_form(table, "range"), "which are refused")
    columns = "age_min;age_max;kg_min;kg_max;born_min;born_max\n" + \
        "30;34;;2,5;01.12.1999;31.12.1999\n" * 2 + "55;;1000;1234,5;01.01.2000;29.02.2000\n" * 2
    expect(passes(table, columns, groups, form="columns"), "two columns")
    expect(not passes(table, columns.replace("55;;", "55;99;"), groups, form="columns"), "the largest value of all")
    expect(not passes(table, columns, groups, form="mean") and checker.refused_form(table, "mean"), "means of bands")


def test_spelling():
    """Without bands cells are as they are in the table, by whatever format it has."""
    table, groups = banded(), PAIRS
    for column in table.columns:
        column.bands = column.top = column.bottom = None
    good = "age;kg;born\n" + "[31..34];[-1,25..2,5];[1.12.1999..31.12.1999]\n" * 2 + \
        "[55..99];[1.000..1.234,25];[01.01.2000..29.02.2000]\n" * 2
    expect(passes(table, good, groups), "as they are written")
    for old, new in (("1.000..1", "1000..1"), ("1.12.1999..", "01.12.1999.."), ("1.234,25", "1.234,250"),
                     ("[-1,25..2,5]", "[2,5..-1,25]"), ("1.000", "1,000")):
        expect(old in good and not passes(table, good.replace(old, new), groups), new)


def test_figures():
    table = small()
    whole = table.rows
    # 2 flu, 2 gout, 1 cold in the table; flu and gout in the group: half of |1/2-2/5|+|1/2-2/5|+|0-1/5| = 1/5
    group = checker.values_of(table, whole[:2], 4)
    ills = checker.values_of(table, whole, 4)
    expect(checker.earth_mover(table, 4, group, ills, "equal")[0] == Fraction(1, 5), "equal")
    # ages 31, 34, 58, 58, 99 have 4 ranks; the group {31, 34}: cumulative 3/10, 6/10, 2/10 over 3 steps
    ages = checker.values_of(table, whole, 1)
    expect(checker.earth_mover(table, 1, ages[:2], ages, "ordered")[1] == Fraction(11, 30), "ordered")
    # jobs: the group {nurse, surgeon} of nurse, surgeon, baker, 2 cook: 3/5 move to the other side, h(root)/H = 1
    jobs = checker.values_of(table, whole, 2)
    expect(checker.earth_mover(table, 2, jobs[:2], jobs, "taxonomy")[0] == Fraction(3, 5), "taxonomy")
    recursive = {"model": "recursive-l-diversity", "attribute": "ill", "c": Plain("1"), "l": 2}
    expect(checker.constraint_holds(table, recursive, whole, whole), "2 < 1 (2 + 1)")
    expect(not checker.constraint_holds(table, recursive, whole[:2], whole), "not 1 < 1")
    entropy = {"model": "entropy-l-diversity", "attribute": "ill", "l": Plain("2")}
    expect(checker.constraint_holds(table, entropy, whole[:2], whole),
           "two equally frequent values are entropy 2-diverse")
    expect(not checker.constraint_holds(table, dict(entropy, l=Plain("2.01")), whole[:2], whole), "but not more")


def test_refusals():
    table = small()
    table.constraints = [{"model": "alpha-k", "attribute": "ill", "alpha": Plain("0.39")}]
    expect(checker.grouping_exists(table) is False, "two of five are more than 0.39")
    table.suppress = "0.4"
    expect(checker.grouping_exists(table) is True, "without one flu and one gout each value is a third")
    table.k = 4
    expect(checker.grouping_exists(table) is False, "but then three are left")


for test in (test_releases, test_requirements, test_bands, test_spelling, test_figures, test_refusals):
    test()
print("checker: good")
