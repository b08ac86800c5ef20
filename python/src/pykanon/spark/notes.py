"""One look at the whole table before it is anonymised: sums for the check, columns with too many values, and what the user
should know about columns that are released as they are.

On one machine the library sees every cell. Here it sees the encoded columns only, so Spark counts in the others: all cells
for formulas, and the first records for the rest, which the library then judges as it does on one machine.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterable
from typing import Any

import pyarrow as pa
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from pykanon import _kanon
from pykanon.spark import check, group
from pykanon.spark.plan import BYTES, PLACE, Plan

#: So many records, in the order of their places, tell whether a column names persons (FIRST in table/read/released_text.c).
FIRST = 10_000
#: Of quantiles: they are off by one in so many records.
ACCURACY = 10_000

#: A cell that spreadsheets run: its first character says so, unless it is only signs or a number.
SIGNS = [ord(sign) for sign in "=+-@\t\r"]
NO_FORMULA = r"^[+\-]+$|^\s*[+\-]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][+\-]?[0-9]+)?\s*$"
#: The library's line about them. Of a part it counts those of this part, so its lines give way to ours.
FORMULA_LINE = re.compile(r": [0-9]+ cells? begins? like a formula")


@dataclasses.dataclass(frozen=True)
class Found:
    """What one pass over the table has found."""

    sums: list[Any]  # of places, for check.py
    early: int | None  # at least FIRST records have a place up to this one; None: take all
    values: dict[str, int]  # by column: about so many distinct values
    formulas: dict[str, int]  # by column: so many cells


def survey(rows: DataFrame, records: int, counted: list[str], texts: list[str]) -> Found:
    """Counts values of the columns ``counted`` and formulas in the columns ``texts``."""
    share = (FIRST + 2 * records / ACCURACY) / records
    asked: list[Column] = [*check.sums(PLACE), F.percentile_approx(PLACE, min(share, 1.0), ACCURACY)]
    asked += [F.approx_count_distinct(_column(name)) for name in counted]
    for name in texts:
        text = _column(name)
        is_one = F.ascii(text).isin(SIGNS) & (F.length(text) > 1) & ~text.rlike(NO_FORMULA)
        asked.append(F.coalesce(F.sum(is_one.cast("long")), F.lit(0)))
    found = list(rows.agg(*asked).first() or [0] * len(asked))
    values, formulas = found[3 : 3 + len(counted)], found[3 + len(counted) :]
    return Found(found[:2], None if share >= 1 else found[2], dict(zip(counted, values)), dict(zip(texts, formulas)))


def of_kept(rows: DataFrame, plan: Plan, schema: Any, early: int | None) -> list[str]:
    """What the library says about columns that are released as they are, from the first records of the whole."""
    kept = [c for c in plan.kept if c not in plan.encoded]
    if not kept:
        return []
    some = rows if early is None else rows.where(_column(PLACE) <= early)
    first = some.select(PLACE, *map(_column, plan.kept)).orderBy(PLACE).limit(FIRST)
    packed = first.mapInArrow(group.pack, f"{BYTES} binary").collect()
    part = pa.concat_tables(group.from_ipc(bytes(row[0])) for row in packed)
    domain = _kanon.domain_read(
        schema, group.complete(part, plan).__arrow_c_stream__(), group.place_bytes(part), _kanon.ticker_new(), threads=1,
        strict=plan.recipe.strict,
    )  # fmt: skip
    _kanon.domain_seal(domain, schema)
    return [line for line in _kanon.domain_describe(domain)[1] if any(line.startswith(f"{c}: ") for c in kept)]


def merged(of_values: Iterable[str], of_kept: Iterable[str], formulas: dict[str, int]) -> list[str]:
    """All lines: those about the values of the whole, those about columns that are kept, and those about formulas."""
    lines = [line for line in [*of_kept, *of_values] if not FORMULA_LINE.search(line)]
    for name, n in formulas.items():
        if n > 0:
            lines.append(f"{name}: {n} cell{' begins' if n == 1 else 's begin'} like a formula (with = + - or @), which "
                         "spreadsheets run when they open the release")  # fmt: skip
    return list(dict.fromkeys(lines))


def _column(name: str) -> Column:
    return F.col("`" + name.replace("`", "``") + "`")
