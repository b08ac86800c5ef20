#!/bin/sh
# The lower bounds of Adult and of a table of mostly numbers, and how far the groups of auto are from them: one line of CSV each,
# for bounds.csv, which is put together by hand, since some of these take minutes. bounds.sh [SECONDS]: of the clock, for each.
set -eu
export LC_ALL=C
cd "$(dirname "$0")/../.."
scripts/setup
scripts/build --quiet release
kanon=build/release/kanon
dir=build/quality
data=$(scripts/get-data) || true
limit=${1:-300}
mkdir -p $dir

# line LABEL TABLE SCHEMA K
line()
{
    $kanon anonymize "$2" -s "$3" -k "$4" --seed 1 --quiet -o /dev/null --groups $dir/groups.csv
    $kanon bound "$2" -s "$3" -k "$4" --threads 2 --time-limit "$limit" --groups $dir/groups.csv -q | awk -v row="$1,$4" '
        { value[$1] = $2 }
        END { printf "%s,%.1f,%.1f,%d,%.0f,%.3f\n", row, value["neighbour_bound"], value["lower_bound"], value["rounds"],
                     value["seconds"], value["gap"] }'
}

echo "table,k,neighbours,prices,rounds,seconds,gap"
python3 bench/quality/make_numbers.py $dir/numbers
line numbers $dir/numbers/numbers.csv $dir/numbers/numbers.yaml 10
if [ -f "$data/adult/adult.csv" ]; then
    for k in 2 5 10 25 50 100; do
        line adult "$data/adult/adult.csv" "$data/adult/adult8.yaml" $k
    done
fi
