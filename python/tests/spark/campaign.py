"""Many releases of Adult with faults: python campaign.py RUNS SEED. Each run has a seed of its own, which is printed.

One cluster serves all runs: what dies is replaced, as it would be on a cluster that goes on working. Every fifth run uses the
default algorithm, the others ``effort="fast"``; every fifth run loses a worker for good, the others an executor.
"""

import collections
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
BLOCKS, SEED = 3000, 3


def main(runs: int, seed: int) -> int:
    warnings.simplefilter("ignore")
    wrong, hit = 0, collections.Counter()
    with tempfile.TemporaryDirectory() as folder:
        adult = texts_of(DATA / "adult" / "adult.csv")
        table = Table(pathlib.Path(folder), adult, ["-s", DATA / "adult" / "adult8.yaml"])
        asked = ["-k", "10", "--blocks", str(BLOCKS), "--seed", str(SEED)]
        efforts = {"fast": table.released_by_program(*asked, "--effort", "fast"), None: table.released_by_program(*asked)}
        with Cluster(workers=3) as cluster:
            spark = cluster.session(**{
                "spark.speculation": "true", "spark.speculation.interval": "50ms", "spark.speculation.multiplier": "1.1",
                "spark.speculation.quantile": "0.1", "spark.speculation.minTaskRuntime": "100ms",
            })  # fmt: skip
            print(f"Adult, {table.rows} records, blocks of {BLOCKS}, Spark {spark.version}, speculation, seed {seed}", flush=True)
            for i in range(runs):
                rng = random.Random(1000 * seed + i)
                how, effort = "worker" if i % 5 == 4 else "executor", None if i % 5 == 3 else "fast"
                disturbance = Disturbance(cluster, rng, STAGES[i % len(STAGES)], how)
                partitions, begin = rng.randint(1, 12), time.time()
                lines = run(spark, table, partitions, disturbance, BLOCKS, seed=SEED, effort=effort)
                equal = lines == efforts[effort]
                wrong += not equal
                hit[f"{how} in {disturbance.struck}" if disturbance.done else "nothing"] += 1
                print(f"{i + 1}: {how} {'killed in ' + disturbance.struck if disturbance.done else 'not killed'}, "
                      f"{partitions} partitions, effort {effort or 'default'}: {'equal' if equal else 'DIFFERENT'}, "
                      f"{time.time() - begin:.0f} s", flush=True)  # fmt: skip
                if how == "worker":
                    cluster.add_worker()
            spark.stop()
    print(", ".join(f"{n} {what}" for what, n in sorted(hit.items())))
    print(f"{runs} runs, {runs - wrong} equal, {wrong} different, {hit['nothing']} without a fault")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]), int(sys.argv[2])))
