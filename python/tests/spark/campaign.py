"""Many releases with faults: python campaign.py RUNS SEED. Each run has a seed of its own, which is printed."""

import pathlib
import random
import sys
import tempfile
import time

from cluster import Cluster
from faults import Disturbance, run
from tables import DATA, Table, texts_of

STAGES = ("key", "domain", "cuts", "groups", "left over", "release", "check")


def main(runs: int, seed: int) -> int:
    wrong = missed = 0
    with tempfile.TemporaryDirectory() as folder:
        columns = texts_of(DATA / "adult" / "adult.csv")
        tenth = columns.take(list(range(0, columns.num_rows, 10)))
        table = Table(pathlib.Path(folder), tenth, ["-s", DATA / "adult" / "adult8.yaml"])
        expected = table.released_by_program("-k", "10", "--blocks", "700", "--seed", "3")
        with Cluster(workers=3) as cluster:
            spark = cluster.session(**{
                "spark.speculation": "true", "spark.speculation.interval": "50ms", "spark.speculation.multiplier": "1.1",
                "spark.speculation.quantile": "0.1", "spark.speculation.minTaskRuntime": "100ms",
            })  # fmt: skip
            for i in range(runs):
                rng = random.Random(1000 * seed + i)
                how = "worker" if i % 5 == 4 else "executor"
                disturbance = Disturbance(cluster, rng, STAGES[i % len(STAGES)], how)
                partitions, begin = rng.randint(1, 12), time.time()
                lines = run(spark, table, partitions, disturbance, blocks=700)
                equal = lines == expected
                wrong += not equal
                missed += not disturbance.done
                print(f"{i + 1}: {how} in {disturbance.stage}{'' if disturbance.done else ' (ended before)'}, "
                      f"{partitions} partitions: {'equal' if equal else 'DIFFERENT'}, {time.time() - begin:.0f} s",
                      flush=True)  # fmt: skip
                if how == "worker":
                    cluster.add_worker()
            spark.stop()
    print(f"{runs} runs, {runs - wrong} equal, {missed} without a fault")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]), int(sys.argv[2])))
