"""k-anonymity for DataFrames of Apache Spark: the release that ``kanon anonymize --blocks`` gives, made by many executors.

    released = pykanon.spark.anonymize(df, quasi=["age", "zip"], sensitive="disease", k=10, key="id", blocks=200_000)
    released.write.parquet("release")
    released.measures["avg_loss"]

The library runs inside the executors, in ``mapInArrow``: pykanon must be installed where they run. docs/spark.md says more.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal

from pykanon import arguments, forms
from pykanon.errors import UsageError
from pykanon.schema import Names, Schema, Taxonomy, names

try:
    from pyspark import StorageLevel
    from pyspark.sql import DataFrame

    from pykanon.spark.explain import Explanation, of_job
    from pykanon.spark.job import Job, Progress, translated
except ImportError as problem:
    raise ImportError(f"pykanon.spark needs {problem.name}: pip install 'pykanon[spark]'") from problem

__all__ = ["Explanation", "anonymize", "explain"]


def anonymize(
    frame: DataFrame,
    *,
    key: Names,
    blocks: int,
    # generated: spark
    k: int = 0,
    quasi: Names = None,
    sensitive: Names = None,
    identifying: Names = None,
    insensitive: Names = None,
    schema: Schema = None,
    default_role: Literal["quasi", "sensitive", "identifying", "insensitive"] | None = None,
    taxonomies: Mapping[str, Taxonomy] | None = None,
    bands: Mapping[str, Any] | None = None,
    top: Mapping[str, Any] | None = None,
    bottom: Mapping[str, Any] | None = None,
    masks: Mapping[str, str] | None = None,
    weights: Mapping[str, float] | None = None,
    types: Mapping[str, str] | None = None,
    orders: Mapping[str, Sequence[Any]] | None = None,
    formats: Mapping[str, str] | None = None,
    missing: Names = None,
    empty: Literal["missing", "value"] | None = None,
    decimal: str | Mapping[str, str] | None = None,
    thousands: str | Mapping[str, str] | None = None,
    algorithm: str | None = None,
    settings: Mapping[str, Any] | None = None,
    constraints: str | Mapping[str, Any] | Iterable[str | Mapping[str, Any]] | None = None,
    entity: str | None = None,
    entity_together: bool = False,
    suppress: float | str | None = None,
    refine: str | None = None,
    effort: Literal["fast", "balanced", "best"] | None = None,
    refine_settings: Mapping[str, Any] | None = None,
    recode: Literal["record", "attribute"] = "record",
    seed: int = 0,
    numeric: Literal["columns", "interval", "mean"] = "columns",
    strict: bool = False,
    # end
    storage: StorageLevel = StorageLevel.MEMORY_AND_DISK,
    progress: Progress = None,
) -> DataFrame:
    """The release of a DataFrame, as a DataFrame that is persisted and has been checked.

    ``key`` names the column, or the columns, that tell records apart. The order of keys stands for the order of rows in a
    file: the release is that of ``kanon anonymize --blocks`` on a file in this order. The key is not released, unless it has
    another role: ``insensitive="id"``. ``blocks``: at least so many records are grouped at a time. The other arguments are
    those of :func:`pykanon.anonymize`; what cannot be done by many processes is refused before any work.

    The DataFrame has attributes: ``measures`` (its figures), ``checked`` (what Spark counted in the finished release) and
    ``warnings``.
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
    released.unpersist = job.finished.unpersist  # what is persisted also holds the figures
    return released


def explain(frame: DataFrame, **said: Any) -> Explanation:
    """What :func:`anonymize` would do with these arguments: what is shuffled, and the memory of a task.

    The table is read once for it, to count its records and to find its values; nothing is shuffled but the keys.
    """
    given = {**(anonymize.__kwdefaults__ or {}), **said}
    missing = [name for name in ("key", "blocks") if name not in given]
    if missing:
        raise UsageError(f"explain needs {', '.join(missing)}")
    for name in given:
        if name not in anonymize.__annotations__:
            raise arguments.unknown("explain", name, anonymize.__annotations__)
    job = _job({**given, "frame": frame})
    try:
        with translated():
            job.number()
            job.find_domain()
            return of_job(job)
    finally:
        job.drop(*job.held)


#: Arguments that say what columns are.
_SAID = (
    "schema", "quasi", "sensitive", "identifying", "insensitive", "types", "orders", "weights", "taxonomies", "masks", "bands",
    "top", "bottom", "formats", "decimal", "thousands", "missing", "empty", "constraints", "entity",
    "entity_together", "default_role",
)  # fmt: skip


def _job(given: dict[str, Any]) -> Job:
    """The job that the arguments of :func:`anonymize` ask for."""
    arguments.check_words(given)
    suppress = given["suppress"]
    frame = given["frame"]
    options: dict[str, Any] = dict(
        k=given["k"], algorithm=given["algorithm"], settings=arguments.settings(given["settings"]), seed=arguments.seed(given["seed"]),
        refine=given["refine"], refine_settings=arguments.settings(given["refine_settings"], "refine_settings"), blocks=given["blocks"],
        effort=given["effort"], by_attribute=given["recode"] == "attribute",
        suppress=None if suppress is None else str(suppress),
        threads=int(frame.sparkSession.conf.get("spark.task.cpus", "1")),
    )  # fmt: skip
    return Job(
        frame, names(given["key"]), {name: given[name] for name in _SAID}, given["strict"], options,
        forms.of(given["numeric"], forms.TABLE), given["progress"], given["storage"],
    )  # fmt: skip
