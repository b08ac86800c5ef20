#!/bin/bash
# States, measured: the experiment of Truta and Campan (section 5) on Adult, and 1,000 records more or less in a large table.
# Times are of the processor (user and system), in seconds; "elapsed" ones are on the clock.
#
#   KANON         the program (default: build/bench/kanon, which is built)
#   KANON_DATA    where adult/adult.csv is (default: what scripts/get-data prints); without it the first part is left out
#   BENCH_KS      "3 5 10"
#   BENCH_DELTAS  "50 100 250 500 1000 2500 5000"
#   BENCH_ROWS    rows of the large table (default 1000000; 0: leave the second part out)
#   BENCH_K       its k (default 5, as in the sample's schema)
set -eu
export LC_ALL=C
cd "$(dirname "$0")/.."
data=$(scripts/get-data) || true
if [ -z "${KANON:-}" ]; then
    scripts/setup
    scripts/build --quiet bench
    KANON=$PWD/build/bench/kanon
fi
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"

# cpu COMMAND...: seconds of processor time
cpu()
{
    local TIMEFORMAT='%U %S'
    { time "$@" >/dev/null 2>log; } 2>&1 | awk '{ printf "%.3f", $1 + $2 }'
}
elapsed()
{
    local TIMEFORMAT=%R
    { time "$@" >/dev/null 2>log; } 2>&1
}
loss()
{
    "$KANON" state "$1" | awk '$1 == "avg_loss" { printf "%.4f", $2 }'
}
# lines FROM TO: records of the shuffled table, after its header
lines()
{
    head -n 1 shuffled.csv
    sed -n "$(($1 + 1)),$(($2 + 1))p" shuffled.csv
}
ratio()
{
    awk -v a="$1" -v b="$2" 'BEGIN { printf "%+.1f %%", 100 * (a / b - 1) }'
}

# ---- Adult --------------------------------------------------------------------------------------------------------------

# fresh NAME: group NAME.csv from scratch, with il-optimization; sets time, and leaves NAME.state
fresh()
{
    rm -f "$1.state"
    time=$(cpu "$KANON" anonymize "$1.csv" -s "$data/adult/adult8.yaml" -k "$k" -a kmember --refine il-optimization --seed 1 \
        -o /dev/null --threads 1)
    "$KANON" anonymize "$1.csv" -s "$data/adult/adult8.yaml" -k "$k" -a kmember --refine il-optimization --seed 1 -q \
        -o /dev/null --state "$1.state"
}

if [ -f "$data/adult/adult.csv" ]; then
    { head -n 1 "$data/adult/adult.csv"
      tail -n +2 "$data/adult/adult.csv" | awk 'BEGIN { srand(1) } { printf "%.9f\t%s\n", rand(), $0 }' | sort | cut -f 2-; } >shuffled.csv
    lines 1 10000 >base.csv
    echo "| change | k | records | loss, fresh | loss, state | more | seconds, fresh | seconds, state |"
    echo "|-|-|-|-|-|-|-|-|"
    for k in ${BENCH_KS:-3 5 10}; do
        fresh base
        cp base.state begin.state
        for n in ${BENCH_DELTAS:-50 100 250 500 1000 2500 5000}; do
            lines 10001 $((10000 + n)) >delta.csv
            lines 1 $((10000 + n)) >whole.csv
            fresh whole
            static=$(loss whole.state) static_time=$time
            cp begin.state x.state
            time=$(cpu "$KANON" insert x.state delta.csv)
            time=$(awk -v a="$time" -v b="$(cpu "$KANON" optimize x.state)" 'BEGIN { printf "%.2f", a + b }')
            now=$(loss x.state)
            echo "| insert | $k | $n | $static | $now | $(ratio "$now" "$static") | $static_time | $time |"
            # the other way: from the larger table to the smaller one
            time=$(cpu "$KANON" delete whole.state delta.csv)
            time=$(awk -v a="$time" -v b="$(cpu "$KANON" optimize whole.state)" 'BEGIN { printf "%.2f", a + b }')
            now=$(loss whole.state)
            static=$(loss begin.state)
            [ -n "${base_time:-}" ] || base_time=$(fresh base; echo "$time")
            echo "| delete | $k | $n | $static | $now | $(ratio "$now" "$static") | $base_time | $time |"
        done
        base_time=
    done
fi

# ---- a large table ------------------------------------------------------------------------------------------------------

rows=${BENCH_ROWS:-1000000} k=${BENCH_K:-5}
[ "$rows" -gt 0 ] || exit 0
number()
{
    sed "1s/^/key,/; 2,\$s/^/$1/" "$2" | awk -v letter="$1" 'NR == 1 { print; next } { print letter NR "," substr($0, 2) }'
}
"$KANON" sample hospital --rows "$rows" --seed 1 -q -o h
"$KANON" sample hospital --rows 1000 --seed 2 -q -o more
number a h/hospital.csv >large.csv
number b more/hospital.csv >insert.csv
{ echo key; awk -v n="$rows" 'BEGIN { srand(1); for (i = 0; i < 1000; i++) { do r = 2 + int(rand() * n); while (r in seen); seen[r]; print "a" r } }'; } >delete.csv
sed 's|^attributes:|attributes:\n  key: {role: identifying}|' h/hospital.yaml >h/keyed.yaml
echo 'key: [key]' >>h/keyed.yaml
run=("$KANON" anonymize large.csv -s h/keyed.yaml -k "$k" -a kmember --blocks 100000 -q -o release.csv)
"${run[@]}" --state begin.state
# The median of three runs, since one alone says little about hundredths of a second. The state is on disk before each, so that no
# command writes what the copy left to be written.
median()
{
    grep . | sort -n | sed -n 2p
}
changed()
{
    cp begin.state x.state
    sync x.state
    "$1" "$KANON" "$2" x.state "$2.csv"
    echo
}
three()
{
    for _ in 1 2 3; do "$@"; done | median
}
scratch()
{
    "$1" "${run[@]}"
    echo
}
keeping()
{
    rm -f y.state
    "$1" "${run[@]}" --state y.state
    echo
}
percent()
{
    awk -v a="$1" -v b="$2" 'BEGIN { printf "%.1f %%", 100 * a / b }'
}
printf '\n| %s records, k %s | processor | elapsed | of scratch |\n|-|-|-|-|\n' "$rows" "$k"
whole=$(three scratch cpu)
echo "| from scratch | $whole | $(three scratch elapsed) | |"
echo "| from scratch, with a state | $(three keeping cpu) | $(three keeping elapsed) | |"
for command in insert delete; do
    used=$(three changed cpu $command)
    echo "| $command 1000 | $used | $(three changed elapsed $command) | $(percent "$used" "$whole") |"
done
# one after the other, as the log of changes grows and is written into the leaves
cp begin.state x.state
"$KANON" sample hospital --rows 20000 --seed 3 -q -o many
number c many/hospital.csv >many.csv
total=$(for i in $(seq 0 19); do
    { head -n 1 many.csv; sed -n "$((2 + i * 1000)),$((1001 + i * 1000))p" many.csv; } >insert.csv
    cpu "$KANON" insert x.state insert.csv
    echo
done | awk '{ sum += $1 } END { printf "%.3f", sum / NR }')
echo "| insert 1000, mean of 20 in a row | $total | | $(percent "$total" "$whole") |"
cp begin.state x.state
awk -v n="$rows" 'BEGIN { srand(2); for (i = 0; i < 20000; i++) { do r = 2 + int(rand() * n); while (r in seen); seen[r]; print "a" r } }' >gone
total=$(for i in $(seq 0 19); do
    { echo key; sed -n "$((1 + i * 1000)),$((1000 + i * 1000))p" gone; } >delete.csv
    cpu "$KANON" delete x.state delete.csv
    echo
done | awk '{ sum += $1 } END { printf "%.3f", sum / NR }')
echo "| delete 1000, mean of 20 in a row | $total | | $(percent "$total" "$whole") |"
