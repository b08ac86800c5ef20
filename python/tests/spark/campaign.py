"""Many releases of Adult with faults: python campaign.py RUNS SEED. Each run has a seed of its own, which is printed.

One cluster serves all runs, three at a time, so each also meets the faults of two others; a lost worker stays lost, another
one joins when the run is over. Every fifth run uses the default algorithm, the others ``effort="fast"``; every fifth run
loses a worker, the others an executor.
"""

import collections
import concurrent.futures
import pathlib
import random
import sys
import tempfile
import time
import warnings

from cluster import Cluster
from faults import Disturbance, run
from tables import DATA, Table, texts_of

STAGES = ("key", "domain", "cuts", "groups", "left over", "release", "check")
BLOCKS, SEED, AT_A_TIME = 3000, 3, 3


class Campaign:
    """What all runs share."""

    def __init__(self, cluster, spark, table, seed):
        self.cluster, self.spark, self.table, self.seed = cluster, spark, table, seed
        asked = ["-k", "10", "--blocks", str(BLOCKS), "--seed", str(SEED)]
        self.expected = {None: table.released_by_program(*asked), "fast": table.released_by_program(*asked, "--effort", "fast")}
        self.wrong, self.hit = 0, collections.Counter()

    def run(self, i):
        """One release with one fault of its own."""
        rng = random.Random(1000 * self.seed + i)
        how, effort = "worker" if i % 5 == 4 else "executor", None if i % 5 == 3 else "fast"
        disturbance = Disturbance(self.cluster, rng, STAGES[i % len(STAGES)], how)
        partitions, begin = rng.randint(1, 12), time.time()
        lines = run(self.spark, self.table, partitions, disturbance, BLOCKS, seed=SEED, effort=effort)
        equal = lines == self.expected[effort]
        self.wrong += not equal
        self.hit[f"{how} in {disturbance.struck}" if disturbance.done else "nothing"] += 1
        fault = f"killed in {disturbance.struck}" if disturbance.done else "not killed"
        print(f"{i + 1}: {how} {fault}, {partitions} partitions, effort {effort or 'default'}: "
              f"{'equal' if equal else 'DIFFERENT'}, {time.time() - begin:.0f} s", flush=True)  # fmt: skip
        if how == "worker":
            self.cluster.add_worker()


def main(runs: int, seed: int) -> int:
    warnings.simplefilter("ignore")
    with tempfile.TemporaryDirectory() as folder, Cluster(workers=3) as cluster:
        spark = cluster.session(**{
            "spark.speculation": "true", "spark.speculation.interval": "50ms", "spark.speculation.multiplier": "1.1",
            "spark.speculation.quantile": "0.1", "spark.speculation.minTaskRuntime": "100ms", "spark.scheduler.mode": "FAIR",
        })  # fmt: skip
        adult = texts_of(DATA / "adult" / "adult.csv")
        table = Table(pathlib.Path(folder), adult, ["-s", DATA / "adult" / "adult8.yaml"])
        campaign = Campaign(cluster, spark, table, seed)
        print(f"Adult, {table.rows} records, blocks of {BLOCKS}, Spark {spark.version}, speculation, seed {seed}", flush=True)
        with concurrent.futures.ThreadPoolExecutor(AT_A_TIME) as pool:
            done = [pool.submit(campaign.run, i) for i in range(runs)]
            failed = [i + 1 for i, one in enumerate(done) if one.exception() is not None]
        spark.stop()
    wrong = campaign.wrong + len(failed)
    print(", ".join(f"{n} {what}" for what, n in sorted(campaign.hit.items())), f"failed: {failed}")
    print(f"{runs} runs, {runs - wrong} equal, {wrong} different or failed, {campaign.hit['nothing']} without a fault")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]), int(sys.argv[2])))
