"""k-anonymity for DataFrames of Apache Spark: the release that ``kanon anonymize --blocks`` gives, made by many executors.

    released = pykanon.spark.anonymize(df, quasi=["age", "zip"], sensitive="disease", k=10, key="id", blocks=200_000)
    released.write.parquet("release")
    released.measures["avg_loss"]

The library runs inside the executors, in ``mapInArrow``: pykanon must be installed where they run. docs/spark.md says more.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal

from pykanon import arguments, forms
from pykanon.about import NOT_IN_SPARK
from pykanon.errors import UsageError
from pykanon.said import Bands, Columns, Constraint, Edge, Names, Said, Schema, Setting, Tree
from pykanon.schema import names

try:
    from pyspark import StorageLevel
    from pyspark.sql import DataFrame

    from pykanon.spark.explain import Explanation, of_job
    from pykanon.spark.job import Job, Progress, translated, verdict_of
except ImportError as problem:
    raise ImportError(f"pykanon.spark needs {problem.name}: pip install 'pykanon[spark]'") from problem

__all__ = ["Explanation", "anonymize", "explain"]


#: What pykanon.anonymize takes, and a job does not.
_REASONS = {**NOT_IN_SPARK, "index": "a DataFrame of Spark has none"}


@functools.partial(arguments.checked, reasons=_REASONS)
def anonymize(
    frame: DataFrame,
    # generated: spark
    k: int | None = None,
    quasi: Names = None,
    sensitive: Names = None,
    identifying: Names = None,
    schema: Schema = None,
    columns: Columns = None,
    *,
    insensitive: Names = None,
    default_role: Literal["quasi", "sensitive", "identifying", "insensitive"] | None = None,
    taxonomies: Mapping[str, Tree] | None = None,
    bands: Mapping[str, Bands] | None = None,
    top: Mapping[str, Edge] | None = None,
    bottom: Mapping[str, Edge] | None = None,
    masks: Mapping[str, Literal["right", "left"]] | None = None,
    weights: Mapping[str, float] | None = None,
    types: Mapping[str, Literal["integer", "decimal", "date", "categorical", "ordinal"]] | None = None,
    orders: Mapping[str, Sequence[Any]] | None = None,
    formats: Mapping[str, str] | None = None,
    missing: Names = None,
    empty: Literal["missing", "value"] | None = None,
    decimal: str | Mapping[str, str] | None = None,
    thousands: str | Mapping[str, str] | None = None,
    algorithm: str | None = None,
    settings: Mapping[str, Setting] | None = None,
    constraints: Constraint | Iterable[Constraint] | None = None,
    entity: str | None = None,
    entity_together: bool = False,
    suppress: float | str | None = None,
    refine: str | None = None,
    effort: Literal["fast", "balanced", "best"] | None = None,
    moves: int | None = None,
    refine_settings: Mapping[str, Setting] | None = None,
    recode: Literal["record", "attribute"] = "record",
    seed: int = 0,
    numeric: Literal["columns", "interval", "mean"] = "columns",
    strict: bool = False,
    # end
    key: Names,
    blocks: int,
    storage: StorageLevel = StorageLevel.MEMORY_AND_DISK,
    progress: Progress = None,
) -> DataFrame:
    """The release of a DataFrame, as a DataFrame that is persisted and has been checked.

    ``key`` names the column, or the columns, that tell records apart. The order of keys stands for the order of rows in a
    file: the release is that of ``kanon anonymize --blocks`` on a file in this order. The key is not released, unless it has
    another role: ``insensitive="id"``. ``blocks``: at least so many records are grouped at a time. The other arguments are
    those of :func:`pykanon.anonymize`; what cannot be done by many processes is refused before any work.

    Returns:
        A DataFrame with attributes: ``measures`` (its figures), ``checked`` (what Spark counted in the finished release),
        ``warnings``, and ``verdict()``, which counts once more and says row by row whether it may be given away.

    Raises:
        UsageError: an argument is wrong, or asks for what many processes cannot do.
        DataError: a column is not there, its values are not of its type, or two records have one key.
    """
    job = _job(dict(locals()))
    try:
        with translated():
            job.number()
            job.find_domain()
            job.find_cuts()
            job.find_groups()
            job.place_rest()
            released: Any = job.make_release()
    finally:
        job.drop(*job.held)
    released.measures, released.checked, released.warnings = job.measures, job.checked, job.warnings
    released.verdict = functools.cache(functools.partial(verdict_of, released, job.records, job.plan, job.tally))
    released.unpersist = job.finished.unpersist  # what is persisted also holds the figures
    return released


_KNOWN = inspect.signature(anonymize).parameters
DEFAULTS = {name: one.default for name, one in _KNOWN.items() if one.default is not one.empty}


def explain(frame: DataFrame, **said: Any) -> Explanation:
    """What :func:`anonymize` would do with these arguments: what is shuffled, and the memory of a task.

    The table is read once for it, to count its records and to find its values; nothing is shuffled but the keys.
    """
    for name in said:
        if name not in _KNOWN:
            raise arguments.unknown("explain", name, _KNOWN, _REASONS)
    missing = [name for name in ("key", "blocks") if name not in said]
    if missing:
        raise UsageError(f"explain needs {', '.join(missing)}")
    job = _job({**DEFAULTS, **said, "frame": frame})
    try:
        with translated():
            job.number()
            job.find_domain()
            return of_job(job)
    finally:
        job.drop(*job.held)


def _job(given: dict[str, Any]) -> Job:
    """The job that the arguments of :func:`anonymize` ask for."""
    arguments.check_words(given)
    frame = given["frame"]
    options: dict[str, Any] = dict(
        k=arguments.size_of_groups(given["k"]), algorithm=given["algorithm"], settings=arguments.settings(given["settings"]),
        seed=arguments.seed(given["seed"]), refine=given["refine"],
        refine_settings=arguments.refine_settings(given["refine_settings"], given["moves"], None),
        blocks=arguments.whole(given["blocks"], "blocks"), effort=given["effort"],
        recode=given["recode"], suppress=arguments.share(given["suppress"]),
        threads=int(frame.sparkSession.conf.get("spark.task.cpus", "1")),
    )  # fmt: skip
    said = {name: given[name] for name in Said.__annotations__ if name in given and name != "key"}
    return Job(
        frame, names(given["key"], "key"), said, given["strict"], options, forms.of(given["numeric"], forms.TABLE),
        given["progress"], given["storage"],
    )  # fmt: skip
