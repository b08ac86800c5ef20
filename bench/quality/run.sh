#!/bin/sh
# Loss and groups of every algorithm on every table: results.csv, which is committed, so that a change in it is seen and reviewed.
# Nothing here depends on a clock. Tables that are not there (KANON_DATA) are left as they stand in the file.
set -eu
export LC_ALL=C
cd "$(dirname "$0")/../.."
scripts/setup
scripts/build --quiet release
kanon=build/release/kanon
dir=build/quality
data=$(scripts/get-data) || true
results=bench/quality/results.csv
mkdir -p $dir

# settings NAME: what keeps the slow ones within minutes.
settings()
{
    case $1 in
    kmeans-* | wfcm) echo "max-iterations=5" ;;
    *) echo "" ;;
    esac
}

# line LABEL TABLE SCHEMA ALGORITHM SETTING REFINEMENT K
line()
{
    $kanon anonymize "$2" -s "$3" -k "$7" -a "$4" ${5:+--set "$5"} ${6:+--refine "$6"} --seed 1 --quiet -o /dev/null \
        --groups $dir/groups.csv
    $kanon evaluate "$2" -s "$3" -k "$7" --groups $dir/groups.csv --set query-count=1 | awk -v row="$1,$4,$5,$6,$7" '
        $1 == "groups" { groups = $2 }
        $1 == "suppressed" { suppressed = $2 }
        $1 == "information_loss" { loss = $2 }
        END { printf "%s,%d,%d,%.4f\n", row, groups, suppressed, loss }'
}

# lines LABEL TABLE SCHEMA
lines()
{
    for algorithm in $($kanon algorithms | awk '!/ - refinement: / { print $1 }'); do
        for k in 2 10 50; do
            line "$1" "$2" "$3" "$algorithm" "$(settings "$algorithm")" "" $k
        done
        line "$1" "$2" "$3" "$algorithm" "$(settings "$algorithm")" il-optimization 10
    done
    for k in 2 10 50; do
        line "$1" "$2" "$3" auto effort=fast "" $k
        line "$1" "$2" "$3" auto effort=best "" $k
    done
}

{
    echo "table,algorithm,settings,refinement,k,groups,suppressed,information_loss"
    for rows in 1000 5000; do
        $kanon sample hospital --rows $rows --seed 1 -o $dir/hospital-$rows --quiet
        lines "hospital-$rows" $dir/hospital-$rows/hospital.csv $dir/hospital-$rows/hospital.yaml
    done
    if [ -f "$data/adult/adult.csv" ]; then
        lines adult "$data/adult/adult.csv" "$data/adult/adult8.yaml"
    elif [ -f $results ]; then
        grep '^adult,' $results || true
    fi
} >$dir/results.csv
mv $dir/results.csv $results
echo "$results is written; git diff shows what changed"
