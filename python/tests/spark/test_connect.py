"""The same over Spark Connect, which has no sparkContext. A process of its own: a session is either this or that."""

import os
import subprocess
import sys

import pyspark
import pytest

SCRIPT = """
import sys
from pyspark.sql import SparkSession
import pykanon.spark
from tables import lines_of
spark = SparkSession.builder.remote("local[2]").config("spark.sql.shuffle.partitions", "2").getOrCreate()
assert "connect" in type(spark).__module__
released = pykanon.spark.anonymize(spark.read.parquet(sys.argv[1]), key="row", schema=sys.argv[2], k=10, blocks=500, seed=3,
                                   insensitive="row", numeric="interval")
print("\\n".join(lines_of(released)))
spark.stop()
"""


@pytest.mark.skipif(pyspark.__version__ < "4", reason="the wheel of Spark 3.5 does not contain Connect")
def test_connect(adult):
    env = {**os.environ, "PYTHONPATH": os.path.dirname(__file__), "PYSPARK_PYTHON": sys.executable}
    done = subprocess.run([sys.executable, "-c", SCRIPT, adult.parquet, str(adult.options[1])], env=env, check=True,
                          capture_output=True, text=True)  # fmt: skip
    assert done.stdout.splitlines() == adult.released_by_program("-k", "10", "--blocks", "500", "--seed", "3")
