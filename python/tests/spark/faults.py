"""A release during which something dies."""

import threading

from tables import lines_of

import pykanon.spark


class Disturbance:
    """Kills an executor or a worker a moment after a stage has begun."""

    def __init__(self, cluster, rng, stage, how):
        self.cluster, self.rng, self.stage, self.how = cluster, rng, stage, how
        self.done, self.timer = False, None
        self.now = self.struck = None  # the stage that runs, and the one that was hit

    def __call__(self, stage, line):
        self.now = stage
        if stage == self.stage and self.timer is None:
            self.timer = threading.Timer(self.rng.uniform(0.05, 1.0), self.strike)
            self.timer.start()

    def strike(self):
        kill = self.cluster.kill_executor if self.how == "executor" else self.cluster.lose_worker
        self.struck = self.now
        self.done = kill(self.rng)

    def end(self):
        """Waits for what was to happen; the DataFrame is read only after that."""
        if self.timer is not None:
            self.timer.join()


def run(spark, table, partitions, disturbance, blocks=700, k=10, seed=3, **more):
    """The lines of the release."""
    rows = spark.read.parquet(table.parquet).repartition(partitions)
    released = pykanon.spark.anonymize(
        rows, key="row", schema=table.options[1], k=k, blocks=blocks, seed=seed, insensitive="row", numeric="interval",
        progress=disturbance, **more,
    )  # fmt: skip
    disturbance.end()
    lines = lines_of(released)
    released.unpersist()
    return lines
