#!/bin/sh
# Loss of auto on tables of several kinds, small k and large, beside that of another program: bench/quality/large-k.sh [OLD]
# writes large-k.csv. OLD is another kanon; the default is the last release. Means of three seeds, since large groups depend on
# chance. One thread; nothing in the file depends on a clock.
set -eu
export LC_ALL=C
old=${1:+$(realpath "$1")}
cd "$(dirname "$0")/../.."
[ -n "$old" ] || old=$(bench/last_release.sh)
kanon=build/release/kanon
dir=build/quality
data=$(scripts/get-data) || true
mkdir -p $dir

# loss PROGRAM TABLE SCHEMA K EFFORT
loss()
{
    for seed in 1 2 3; do
        "$1" anonymize "$2" -s "$3" -k "$4" --effort "$5" --seed $seed --threads 1 --quiet -o /dev/null \
            --report $dir/report.json
        sed -n 's/^ *"information_loss": \([0-9][0-9.]*\),*$/\1/p' $dir/report.json
    done | awk '{ sum += $1 } END { print sum / NR }'
}

# rows LABEL TABLE SCHEMA
rows()
{
    for effort in fast balanced; do
        for k in 2 5 10 25 50 100; do
            printf '%s,%s,%d,%.1f,%.1f\n' "$1" $effort $k "$(loss "$old" "$2" "$3" $k $effort)" \
                "$(loss $kanon "$2" "$3" $k $effort)"
        done
    done
}

cat >$dir/mixture.yaml <<END
attributes:
  a: {role: quasi, type: integer}
  b: {role: quasi, type: integer}
  c: {role: quasi, type: integer}
  d: {role: quasi, type: integer}
  e: {role: quasi, type: categorical}
  f: {role: quasi, type: categorical}
END
{
    echo "table,effort,k,loss_before,loss"
    for kind in uniform clustered heavy; do
        awk -v kind=$kind -v rows=5000 -f bench/quality/mixture.awk >$dir/$kind.csv
        rows $kind $dir/$kind.csv $dir/mixture.yaml
    done
    $kanon sample hospital --rows 5000 --seed 1 -o $dir/hospital-5000 --quiet
    rows hospital-5000 $dir/hospital-5000/hospital.csv $dir/hospital-5000/hospital.yaml
    if [ -f "$data/adult/adult.csv" ]; then
        rows adult "$data/adult/adult.csv" "$data/adult/adult8.yaml"
    fi
} >$dir/large-k.csv
mv $dir/large-k.csv bench/quality/large-k.csv
