#!/bin/sh
# pykanon.spark on a cluster of processes on this machine: one and two workers, two sizes of tables, the program, and Mondrian
# in pandas on the same rows. `make check-spark` must have run before: it makes the environment.
#
#   BENCH_SPARK_ROWS  rows of the tables (default "200000 1000000")
#   K, BLOCKS, ALGORITHM, EFFORT  of the runs (default 10, 50000 and the program's)
set -eu
export LC_ALL=C
cd "$(dirname "$0")/.."
python=${PYTHON:-build/spark/spark4/bin/python}
[ -x "$python" ] || { echo "build/spark is not there: make check-spark makes it"; exit 0; }
for rows in ${BENCH_SPARK_ROWS:-200000 1000000}; do
    for workers in 1 2; do
        "$python" bench/spark/run.py "$rows" "$workers" 2>/dev/null
    done
    "$python" bench/spark/run.py "$rows" 2 mondrian 2>/dev/null
    table=build/bench/data/spark-$rows
    printf 'the program, two threads: '
    /usr/bin/env time -f '%e s, %U s of processors, %M KB' "${KANON_PROGRAM:-build/release/kanon}" anonymize $table/hospital.csv \
        -s $table/hospital.yaml --insensitive cost -k "${K:-10}" --blocks "${BLOCKS:-50000}" --seed 1 --threads 2 -q \
        ${ALGORITHM:+--algorithm "$ALGORITHM"} ${EFFORT:+--effort "$EFFORT"} -o /dev/null
done
