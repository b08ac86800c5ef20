"""Executors that are killed, workers that are lost: the same release. ``campaign`` does this 30 times."""

import random

import pytest
from faults import Disturbance, run


@pytest.mark.parametrize("stage, how", [("groups", "executor"), ("release", "worker")])
def test_the_same_release(cluster, spark, adult, stage, how):
    rng = random.Random(stage)
    disturbance = Disturbance(cluster, rng, stage, how)
    assert run(spark, adult, 10, disturbance) == adult.released_by_program("-k", "10", "--blocks", "700", "--seed", "3")
    assert disturbance.done
