#!/bin/sh
# Loss of auto under requirements beside that of another program: bench/quality/requirements.sh [OLD] writes
# requirements.csv. OLD is another kanon; the default is the last release. One thread; nothing in the file depends on a clock.
# Where OLD does not know an option, its cell is empty.
set -eu
export LC_ALL=C
old=${1:+$(realpath "$1")}
cd "$(dirname "$0")/../.."
[ -n "$old" ] || old=$(bench/last_release.sh)
kanon=build/release/kanon
dir=build/quality
data=$(scripts/get-data) || true
mkdir -p $dir

# loss PROGRAM TABLE SCHEMA OPTION...: fails where the program does
loss()
{
    program=$1 table=$2 schema=$3
    shift 3
    "$program" anonymize "$table" -s "$schema" "$@" --seed 1 --threads 1 -o /dev/null 2>$dir/told ||
        { cat $dir/told >&2; return 1; }
    sed -n 's/^.* information loss \([0-9][0-9.]*\) .*$/\1/p' $dir/told
}

# row LABEL TABLE SCHEMA EFFORT K REQUIREMENT OPTION...
row()
{
    label=$1 table=$2 schema=$3 effort=$4 k=$5 requirement=$6
    shift 6
    before=$(loss "$old" "$table" "$schema" -k "$k" --effort "$effort" "$@") || before=
    now=$(loss $kanon "$table" "$schema" -k "$k" --effort "$effort" "$@")
    printf '%s,%s,%d,%s,%s,%.1f\n' "$label" "$effort" "$k" "$requirement" "${before:+$(printf %.1f "$before")}" "$now"
}

# models LABEL TABLE SCHEMA EFFORT ATTRIBUTE
models()
{
    for k in 5 20; do
        for model in distinct-l-diversity,l=3 entropy-l-diversity,l=3 t-closeness,t=0.3 t-closeness,t=0.2; do
            row "$1" "$2" "$3" "$4" $k "$(echo $model | sed 's/,/ /')" --constraint "model=$model,attribute=$5"
        done
    done
}

cat >$dir/visits.yaml <<END
attributes:
  age: {role: quasi, type: integer}
  zip: {role: quasi, type: categorical, mask: right}
  sex: {role: quasi, type: categorical}
  job: {role: quasi, type: categorical}
  adm: {role: quasi, type: integer}
  diag: {role: sensitive, type: categorical}
END
{
    echo "table,effort,k,requirement,loss_before,loss"
    for effort in fast balanced; do
        for per in 3 8; do
            awk -v rows=20000 -v per=$per -f bench/quality/visits.awk >$dir/visits-$per.csv
            row visits-$per $dir/visits-$per.csv $dir/visits.yaml "$effort" 10 "entity suppress l=3" --entity person \
                --suppress 0.02 --constraint model=distinct-l-diversity,attribute=diag,l=3
        done
        $kanon sample hospital --rows 5000 --seed 1 -o $dir/hospital-5000 --quiet
        models hospital-5000 $dir/hospital-5000/hospital.csv $dir/hospital-5000/hospital.yaml "$effort" diagnosis
        if [ -f "$data/adult/adult.csv" ]; then
            sed -e 's/occupation: *{role: quasi/occupation: {role: sensitive/' -e 's/income: *{role: sensitive.*/income: {role: insensitive}/' \
                -e "s#taxonomies/#$(realpath "$data")/adult/taxonomies/#g" "$data/adult/adult8.yaml" >$dir/occupation.yaml
            models adult "$data/adult/adult.csv" $dir/occupation.yaml "$effort" occupation
        fi
    done
} >$dir/requirements.csv
mv $dir/requirements.csv bench/quality/requirements.csv
