"""The check of a finished release by Spark alone: no part of the library, and nothing of what made the release, is used."""

from __future__ import annotations

from typing import Any

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from pykanon.errors import InternalError


def sums(place: str) -> list[Column]:
    """Equal for equal sets of records, in any order: the sum of their places, and that of hashed places."""
    exact = "decimal(38,0)"
    return [F.sum(F.col(place).cast(exact)), F.sum(F.xxhash64(place).cast(exact))]


def release(released: DataFrame, quasi: list[str], place: str, records: int, expected: list[Any], k: int) -> dict[str, int]:
    """Counts records and classes. Raises unless every record is there once and each class has at least k of them.

    ``expected`` are the sums of the places of the table.
    """
    names = ["`" + name.replace("`", "``") + "`" for name in quasi]
    places, hashes = sums(place)
    classes = released.groupBy(*names).agg(F.count(F.lit(1)).alias("n"), places.alias("places"), hashes.alias("hashes"))
    found = classes.agg(F.count(F.lit(1)), F.min("n"), F.sum("n"), F.sum("places"), F.sum("hashes")).first()
    n_classes, smallest, counted, *ours = [n or 0 for n in found or [0] * 5]
    if counted != records:
        raise InternalError(f"the release has {counted} records instead of {records}")
    if smallest < k:
        raise InternalError("records of the release are like fewer than k - 1 others")
    if ours != [n or 0 for n in expected]:
        raise InternalError("the records of the release are not those of the table: one was lost, another is there twice")
    return {"records": int(counted), "classes": int(n_classes), "smallest": int(smallest)}


def singled_out(released: DataFrame, records: int) -> float:
    """The share of the rows that no other row equals in all columns."""
    names = ["`" + name.replace("`", "``") + "`" for name in released.columns]
    alone = released.groupBy(*names).count().where(F.col("count") == 1).count()
    return alone / records if records > 0 else 0.0
