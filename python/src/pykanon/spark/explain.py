"""What a release will take, before it is made."""

from __future__ import annotations

import dataclasses
from typing import Any

from pykanon import _kanon
from pykanon.spark import group
from pykanon.spark.job import MOST_TASKS, Job


@dataclasses.dataclass(frozen=True)
class Explanation:
    """Figures of a job, and as text what they mean."""

    records: int
    blocks: int  # at most
    row_bytes: int  # that are sent to the blocks, for each record
    domain_bytes: int  # that every task is given
    task_bytes: int  # memory of the largest task, about

    def __str__(self) -> str:
        def size(n: float) -> str:
            for unit in ("bytes", "KB", "MB", "GB"):
                if n < 1000 or unit == "GB":
                    return f"{n:.0f} {unit}" if unit == "bytes" else f"{n:.1f} {unit}"
                n /= 1000
            raise AssertionError

        tasks = min(self.blocks, MOST_TASKS)
        return "\n".join((
            f"records     {self.records:,} in at most {self.blocks:,} blocks",
            f"broadcast   {size(self.domain_bytes)} of distinct values to every task",
            "shuffle     keys, to see that no two records share one: about 10 bytes a record",
            f"shuffle     rows to their blocks, {tasks:,} tasks: about {self.row_bytes:,} bytes a record, "
            f"{size(self.row_bytes * self.records)} before compression",
            "shuffle     one count for each group, to check the release",
            f"stored      rows with their groups, then the release: about {size(2 * self.row_bytes * self.records)}",
            f"memory      about {size(self.task_bytes)} in the Python process of a task, for a block of twice the least size",
            "driver      values, histograms of open blocks and records left over; no other rows",
        ))  # fmt: skip

    __repr__ = __str__


def of_job(job: Job) -> Explanation:
    """The figures of a job whose domain is known."""
    least = job.plan.options["blocks"]
    cuts = _kanon.cuts_new(job.domain, least)
    largest = min(2 * least, job.records)
    row_bytes = _row_bytes(job)
    library = _kanon.block_memory(cuts, job.schema, largest, **job.plan.options)
    # Arrow holds the rows of a block as they came, and once more with their groups.
    return Explanation(
        job.records, max(1, job.records // least), row_bytes, len(job.plan.domain), library + 2 * largest * row_bytes
    )


def _row_bytes(job: Job) -> int:
    """Of the first rows: what they take in Arrow, with place, block and slot."""
    rows: Any = job.tasks(job.wide_rows(1000), group.pack)
    found = [group.from_ipc(bytes(r[0])) for r in rows.collect()]
    return 16 + int(sum(t.nbytes for t in found)) // max(1, int(sum(t.num_rows for t in found)))
