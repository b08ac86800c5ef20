#!/bin/bash
# The program beside the last release (bench/last_release.sh), from file to file on one thread: processor seconds, the best of
# three runs in turn, and loss.
#
#   KANON         the program (default: build/release/kanon)
#   BENCH_BESIDE  rows of the sample tables (default "30000 300000")
set -eu
export LC_ALL=C
cd "$(dirname "$0")/.."
kanon=${KANON:-build/release/kanon}
last=$(bench/last_release.sh)
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

# run PROGRAM ROWS OPTION...: processor seconds and loss
run()
{
    local TIMEFORMAT='%U %S' program=$1 table=$dir/$2/hospital
    shift 2
    { time "$program" anonymize "$table.csv" -s "$table.yaml" -k 10 --seed 1 --threads 1 -q -o /dev/null \
        --report "$dir/report.json" "$@"; } 2>"$dir/time"
    awk -v loss="$(sed -n 's/.*"information_loss": *\([0-9][0-9.]*\).*/\1/p' "$dir/report.json" | head -n 1)" \
        '{ print $1 + $2, loss }' "$dir/time"
}

printf '%-10s %-24s %10s %10s %8s %12s %12s %8s\n' records '' seconds 'last' ratio loss 'last' ratio
for rows in ${BENCH_BESIDE:-30000 300000}; do
    "$kanon" sample hospital --rows "$rows" --seed 1 -q -o "$dir/$rows"
    for options in "-a mondrian" "-a kmember" "--effort fast" "--effort balanced"; do
        for i in 1 2 3; do
            # shellcheck disable=SC2086
            echo "$(run "$kanon" "$rows" $options) $(run "$last" "$rows" $options)"
        done | awk -v rows="$rows" -v options="$options" '
            NR == 1 || $1 < now { now = $1 }
            NR == 1 || $3 < before { before = $3 }
            END { printf "%-10s %-24s %10.2f %10.2f %8.2f %12.1f %12.1f %8.3f\n", rows, options, now, before, now / before, $2, $4,
                  $2 / $4 }'
    done
done
