#!/usr/bin/env bash
# The most processor time between two ticks, which is how long a host may wait until a call can be stopped: every algorithm,
# on one thread and without blocks, and all other calls. Prints gaps of more than 60 ms.
#
#   BENCH_TICK_ROWS     rows of the table that is grouped (default 100000)
#   BENCH_TICK_LARGE    rows of the table that is read, released, checked, measured and kept (default 1000000)
#   BENCH_TICK_SECONDS  how long each algorithm works (default 10)
set -euo pipefail
export LC_ALL=C.UTF-8
cd "$(dirname "$0")/.."
scripts/build --quiet bench
program=$PWD/build/bench/bench/bench_ticks
[ -x "$program" ] || program=$(find "$PWD/build/bench" -name bench_ticks -type f | head -n 1)
kanon=$PWD/build/bench/kanon
dir=$(mktemp -d /tmp/kanon-ticks.XXXXXX)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
seconds=${BENCH_TICK_SECONDS:-10}
cat >schema.yaml <<YAML
attributes:
  age: {role: quasi, type: integer}
  admission: {role: quasi, type: date}
  sex: {role: quasi, type: categorical}
  zip: {role: quasi, type: categorical, mask: right}
  marital-status: {role: quasi, type: categorical}
  occupation: {role: quasi, type: categorical}
  diagnosis: {role: sensitive, type: categorical}
YAML
"$kanon" sample hospital --rows "${BENCH_TICK_ROWS:-100000}" --seed 1 -q -o small
"$kanon" sample hospital --rows "${BENCH_TICK_LARGE:-1000000}" --seed 1 -q -o large
echo "| Algorithm | from one tick to the next | ms |"
echo "|-|-|-:|"
failed=0
run() { "$program" "$@" || failed=$((failed + 1)); }
while read -r name how; do
    # shellcheck disable=SC2086 # several words
    run small/hospital.csv schema.yaml "$seconds" "$name" blocks=none $how
done <<LIST
auto
kmember
kmember search=scan
densest
strips
kmember-p
oka
kmeans-adjust-each
kmeans-fill
kmeans-adjust-last
tgc
tgc-u
tgc-b
tgc-p
mondrian refine=il-optimization
mondrian refine=search
top-down
greedy-threshold
wfcm
attribute-cut
full-domain
LIST
run large/hospital.csv schema.yaml "$seconds" mondrian
echo
echo "$failed of them have a gap of more than 100 ms"
