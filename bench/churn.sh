#!/bin/bash
# A state of groups that auto has made, after churn: 5 % of Adult is deleted and as much inserted, in one batch and in ten,
# with and without the search around what changes. Prints what docs/state.md has a table of: loss against a fresh run
# of auto on the same records, and processor seconds of all commands.
#
#   KANON         the program (default: build/release/kanon)
#   KANON_DATA    where adult/adult.csv is (default: what scripts/get-data prints)
#   BENCH_KS      "10 5"
set -eu
export LC_ALL=C
cd "$(dirname "$0")/.."
KANON=${KANON:-$PWD/build/release/kanon}
data=$(scripts/get-data)
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
sed "s#DATA/#$data/adult/#" experiments/schemas/adult-keyed.yaml >"$dir/schema.yaml"
cd "$dir"

# Records in an order that has nothing to do with the file's: by the digits of a multiple of their number.
awk 'NR == 1 { next } { n = NR - 1; printf "%d,%d,%s\n", (n * 7919) % 30011, n, $0 }' "$data/adult/adult.csv" |
    sort -t, -k1,1n -k2,2n | cut -d, -f2- >all
header=number,$(head -n 1 "$data/adult/adult.csv")
n=$(wc -l <all) part=$(($(wc -l <all) / 20))

# table NAME FIRST LAST: those lines, with the header
table()
{
    { echo "$header"; sed -n "$2,$3p" all; } >"$1"
}
table base.csv 1 $((n - part))
table final.csv $((part + 1)) "$n"

loss()
{
    sed -n 's/.*"information_loss": \([0-9][0-9.]*\).*/\1/p' "$1"
}

# churn K BATCHES EFFORT
churn()
{
    cp "base$1.state" x.state
    local TIMEFORMAT='%U %S' i
    {
        time for ((i = 0; i < $2; i++)); do
            table gone.csv $((part * i / $2 + 1)) $((part * (i + 1) / $2))
            table new.csv $((n - part + part * i / $2 + 1)) $((n - part + part * (i + 1) / $2))
            "$KANON" delete x.state gone.csv -q --effort "$3"
            "$KANON" insert x.state new.csv -q --effort "$3"
        done
    } 2>spent
    "$KANON" release x.state -o /dev/null --report x.json -q
    awk -v k="$1" -v batches="$2" -v effort="$3" -v now="$(loss x.json)" -v fresh="$(loss "fresh$1.json")" \
        '{ printf "| %d | %d | %s | %.0f | %.0f | %+.1f %% | %.2f |\n", k, batches, effort, now, fresh, 100 * (now / fresh - 1), $1 + $2 }' spent
}

echo "| k | batches | effort | loss | fresh | more | seconds |"
echo "|-:|-:|-|-:|-:|-:|-:|"
for k in ${BENCH_KS:-10 5}; do
    "$KANON" anonymize base.csv -s schema.yaml -k "$k" -q -o /dev/null --state "base$k.state"
    "$KANON" anonymize final.csv -s schema.yaml -k "$k" -q -o /dev/null --report "fresh$k.json"
    for batches in 1 10; do
        for effort in fast balanced; do
            churn "$k" "$batches" "$effort"
        done
    done
done
