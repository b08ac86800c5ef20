#!/bin/sh
# Measures, does not judge: reading and writing against md5sum and cp, memory per record, and the algorithms side by side.
#
#   BENCH_ROWS        rows of the large table (default: as many as make 1 GB)
#   BENCH_SMALL_ROWS  rows of the table that the algorithms share (default 20000)
#   BENCH_ALGORITHMS  which algorithms (default "kmember mondrian tgc-u tgc-b oka")
#   BENCH_BESIDE      rows of the tables that the last release groups, too (default "30000 300000")
#   BENCH_CURVE       rows of the tables on which growth is shown (default "1000 10000 100000 1000000")
#   BENCH_SCANS       rows of the tables that kmember groups by the plain scan, too (default "30000 100000")
#   BENCH_LARGE       rows of those that it groups by the best way only (default 1000000)
#   BENCH_PARQUET_ROWS  rows of the table that goes from Parquet to Parquet (default 10000000; 0: leave it out)
#   BENCH_STATE_ROWS  rows of the table that is kept in a state (default 1000000)
#   BENCH_POSTGRES_ROWS  rows of the table that PostgreSQL refreshes (default 1000000)
#   BENCH_SPARK_ROWS  rows of the tables that Spark groups (default "200000 1000000")
#   KANON_DATA        where adult/adult.csv is (default: what scripts/get-data prints)
set -eu
export LC_ALL=C
cd "$(dirname "$0")/.."
scripts/setup
scripts/build --quiet bench
kanon=build/bench/kanon
dir=build/bench/data
data=$(scripts/get-data) || true
small_rows=${BENCH_SMALL_ROWS:-20000}

say()
{
    printf '\n== %s\n\n' "$*"
}

# time_of COMMAND...: wall-clock seconds of the command, whose output goes nowhere.
time_of()
{
    begin=$(date +%s.%N)
    "$@" >/dev/null
    end=$(date +%s.%N)
    awk -v a="$begin" -v b="$end" 'BEGIN { printf "%.2f", b - a }'
}

# sample ROWS DIR: the made-up hospital's table, unless it is there already.
sample()
{
    if [ "$(cat "$2/rows" 2>/dev/null || true)" != "$1" ]; then
        "$kanon" sample hospital --quiet --rows "$1" --seed 1 -o "$2"
        echo "$1" >"$2/rows"
    fi
}

# figure NAME FILE: a figure of a JSON report.
figure()
{
    sed -n "s/.*\"$1\": *\([-0-9][-0-9.e+]*\).*/\1/p" "$2" | head -n 1
}

bytes_of()
{
    wc -c <"$1" | tr -d ' '
}

mkdir -p $dir
sample "$small_rows" $dir/small

# ---- reading -----------------------------------------------------------------------------------------------------------

row_bytes=$(($(bytes_of $dir/small/hospital.csv) / small_rows))
rows=${BENCH_ROWS:-$((1000000000 / row_bytes))}
needed_kib=$((rows * row_bytes / 1024 + 100000))
free_kib=$(df -Pk $dir | awk 'NR == 2 { print $4 }')
if [ "$free_kib" -lt "$needed_kib" ] && [ ! -f $dir/large/rows ]; then
    say "Reading: skipped, $((needed_kib / 1024)) MiB are needed under $dir and $((free_kib / 1024)) MiB are free"
else
    sample "$rows" $dir/large
    table=$dir/large/hospital.csv
    md5sum $table >/dev/null # so that both find the file in the page cache
    md5_seconds=$(time_of md5sum $table)
    build/bench/bench/bench_read $table $dir/large/hospital.yaml 2 | sed -n 's/^seconds/seconds_by_two/p' >$dir/read
    build/bench/bench/bench_read $table $dir/large/hospital.yaml 1 >>$dir/read
    say "Reading $(($(bytes_of $table) / 1000000)) MB, the file being in the page cache"
    awk -v md5="$md5_seconds" '
        { value[$1] = $2 }
        END {
            printf "%-28s %10s\n", "rows", value["rows"]
            printf "%-28s %10s\n", "md5sum, seconds", md5
            printf "%-28s %10s\n", "kanon_table_read, seconds", value["seconds"]
            printf "%-28s %10.2f\n", "ratio to md5sum", (md5 > 0 ? value["seconds"] / md5 : 0)
            printf "%-28s %10s   (%.2f times as fast)\n", "with 2 threads, seconds", value["seconds_by_two"],
                value["seconds"] / value["seconds_by_two"]
            printf "%-28s %10s\n", "encoded attributes", value["encoded"]
            printf "%-28s %10s   (peak growth of anonymous memory, the mapped input not counted)\n", "memory, MiB", value["peak_mib"]
            printf "%-28s %10s   (limit 24 + 4 * encoded attributes = %d)\n", "bytes per record", value["bytes_per_record"],
                value["limit"]
        }' $dir/read
fi

say "A million records in 10 columns as an Arrow stream, in memory, and as CSV; best of three, milliseconds"
printf '%-8s %-8s %10s %10s %14s\n' threads '' CSV Arrow 'CSV to Arrow'
for threads in 1 2; do
    build/bench/bench/bench_arrow 1000000 $threads | awk '{ v[$1] = $2 }
        function row(what, csv, arrow, both) { printf "%-8s %-8s %10s %10s %14s\n", v["threads"], what, csv, arrow, both }
        END { row("read", v["csv_ms"], v["arrow_ms"], "-")
              row("release", v["csv_release_ms"], v["arrow_release_ms"], v["csv_to_arrow_ms"])
              row("CPU", v["csv_release_cpu_ms"], v["arrow_release_cpu_ms"], v["csv_to_arrow_cpu_ms"]) }'
done

# ---- writing -----------------------------------------------------------------------------------------------------------

# rate LABEL SECONDS [CPU]: a line about the release, held against md5sum.
rate()
{
    awk -v what="$1" -v s="$2" -v cpu="${3:--}" -v md5="$md5_seconds" -v bytes="$(bytes_of $dir/release.csv)" 'BEGIN {
        s = s > 0 ? s : 0.001
        printf "%-34s %8.3f %8s %8.0f %10.2f\n", what, s, cpu, bytes / s / 1e6, (md5 > 0 ? s / md5 : 0) }'
}

n=${BENCH_LARGE:-1000000}
sample "$n" "$dir/curve-$n"
table=$dir/curve-$n/hospital.csv
schema=$dir/curve-$n/hospital.yaml
"$kanon" anonymize $table -s $schema -k 10 -a mondrian --seed 1 --quiet -o $dir/release.csv --groups $dir/groups.csv
md5_seconds=$(time_of md5sum $dir/release.csv)
say "Writing a release of $n records, $(($(bytes_of $dir/release.csv) / 1000000)) MB: recoded, checked cell by cell, on disk"
printf '%-34s %8s %8s %8s %10s\n' '' seconds CPU MB/s 'to md5sum'
rate md5sum "$md5_seconds"
rate 'cp and sync' "$(time_of sh -c "cp $dir/release.csv $dir/copy.csv && sync $dir/copy.csv")"
for threads in 1 2; do
    build/bench/bench/bench_write $table $schema $dir/groups.csv $dir/copy.csv $threads >$dir/write
    cmp -s $dir/release.csv $dir/copy.csv && same=same || same=DIFFERENT
    read -r seconds cpu <$dir/write
    rate "kanon_publish, threads: $threads ($same)" "$seconds" "$cpu"
done

say "The same release as an Arrow stream, in memory and checked, beside CSV in two columns per number: seconds"
printf '%-34s %8s %8s %8s\n' '' CSV Arrow shuffled
for threads in 1 2; do
    build/bench/bench/bench_arrow_release $table $schema $dir/groups.csv $dir/copy.csv $threads >$dir/arrow
    read -r csv stream shuffled <$dir/arrow
    printf '%-34s %8s %8s %8s\n' "threads: $threads" "$csv" "$stream" "$shuffled"
done
rm -f $dir/copy.csv

say "Whole rows of the same table beside its groups: singled_out (columns read again: cost), linkage by a sample; seconds"
sed 's/^  cost:.*/  cost: {role: insensitive}/' $schema >"$dir/curve-$n/insensitive.yaml"
for which in hospital insensitive; do
    build/bench/bench/bench_rows $table "$dir/curve-$n/$which.yaml" 10 | awk -v which=$which '{ v[$1] = $2 }
        END { printf "%-12s mondrian %s, singled_out %s, linkage %s with an error of %s\n", which, v["mondrian"],
              v["singled_out"], v["linkage"], v["linkage_error"] }'
done

# ---- Parquet -----------------------------------------------------------------------------------------------------------

n=${BENCH_PARQUET_ROWS:-10000000}
if [ "$n" -eq 0 ]; then
    say "Parquet: left out"
elif drivers=$(scripts/get-drivers); then
    sample "$n" "$dir/parquet-$n"
    say "From Parquet to Parquet, $n records, beside from CSV to CSV; the default algorithm"
    python3 bench/bench_parquet.py "$kanon" "$drivers" "$dir/parquet-$n/hospital.csv" "$dir/parquet-$n/hospital.yaml"
    say "The same with mondrian, where reading and writing are most of the work"
    python3 bench/bench_parquet.py "$kanon" "$drivers" "$dir/parquet-$n/hospital.csv" "$dir/parquet-$n/hospital.yaml" -a mondrian
else
    say "Parquet: skipped, the drivers cannot be had"
fi

# ---- algorithms --------------------------------------------------------------------------------------------------------

# measure LABEL TABLE SCHEMA: a line for each k and algorithm.
measure()
{
    for k in 5 50; do
        for algorithm in ${BENCH_ALGORITHMS:-kmember mondrian tgc-u tgc-b oka}; do
            seconds=$(time_of "$kanon" anonymize "$2" -s "$3" -k $k -a $algorithm --seed 1 --quiet \
                -o $dir/release.csv --report $dir/report.json)
            printf '%-18s %4s  %-18s %8s %12.1f %9.4f %8s\n' "$1" $k $algorithm "$(figure groups $dir/report.json)" \
                "$(figure information_loss $dir/report.json)" "$(figure avg_loss $dir/report.json)" "$seconds"
        done
    done
}

say "Algorithms, $(getconf _NPROCESSORS_ONLN) processors; seconds are those of the whole command"
printf '%-18s %4s  %-18s %8s %12s %9s %8s\n' table k algorithm groups loss avg_loss seconds
measure "hospital, $small_rows" $dir/small/hospital.csv $dir/small/hospital.yaml
if [ -f "$data/adult/adult.csv" ]; then
    measure adult "$data/adult/adult.csv" "$data/adult/adult8.yaml"
else
    echo "adult: skipped, no $data/adult/adult.csv"
fi

# ---- the last release ----------------------------------------------------------------------------------------------------

say "Beside the last release: hospital, k = 10, one thread; processor seconds of the whole command"
KANON=$kanon bench/releases.sh

# ---- the ways to search ------------------------------------------------------------------------------------------------

# ways LABEL TABLE SCHEMA ALGORITHM [SETTING]: seconds of the grouping by the plain scan and by the best way, whose groups are the same.
ways()
{
    for way in scan auto; do
        "$kanon" anonymize "$2" -s "$3" -k 10 -a "$4" ${5:+--set "$5"} --set search=$way --seed 1 --threads 1 --quiet \
            -o $dir/release.csv --groups $dir/groups-$way.csv --report $dir/report-$way.json
    done
    cmp -s $dir/groups-scan.csv $dir/groups-auto.csv && same=same || same=DIFFERENT
    awk -v t="$1" -v a="$4" -v s="$(figure seconds $dir/report-scan.json)" -v b="$(figure seconds $dir/report-auto.json)" -v g=$same 'BEGIN {
        printf "%-18s %-20s %10.3f %10.3f %9.1f  %s\n", t, a, s, b, s / b, g }'
}

say "The plain scan against the best way to search: k = 10, one thread; seconds of the grouping alone"
printf '%-18s %-20s %10s %10s %9s  %s\n' table algorithm scan best ratio groups
sample 30000 $dir/ways
for algorithm in kmember kmember-p greedy-threshold oka; do
    ways "hospital, 30000" $dir/ways/hospital.csv $dir/ways/hospital.yaml $algorithm
done
ways "hospital, 30000" $dir/ways/hospital.csv $dir/ways/hospital.yaml kmeans-adjust-each max-iterations=2
if [ -f "$data/adult/adult.csv" ]; then
    for algorithm in kmember kmember-p greedy-threshold oka; do
        ways adult "$data/adult/adult.csv" "$data/adult/adult8.yaml" $algorithm
    done
    ways adult "$data/adult/adult.csv" "$data/adult/adult8.yaml" kmeans-adjust-each max-iterations=2
fi

# ---- kmember on many records ---------------------------------------------------------------------------------------------

# grouping ROWS WAY: seconds of kmember's grouping.
grouping()
{
    sample "$1" "$dir/curve-$1"
    "$kanon" anonymize "$dir/curve-$1/hospital.csv" -s "$dir/curve-$1/hospital.yaml" -k 10 -a kmember --set search="$2" --seed 1 \
        --threads 1 --quiet -o $dir/release.csv --report $dir/report.json
    figure seconds $dir/report.json
}

say "kmember on many records: hospital, k = 10, one thread; seconds of the grouping alone; (scan): by n^2 from the scans above it"
printf '%-10s %10s %10s %9s  %s\n' rows scan best ratio 'growth'
for n in ${BENCH_SCANS:-30000 100000} ${BENCH_LARGE:-1000000}; do
    case " ${BENCH_SCANS:-30000 100000} " in *" $n "*) scan=$(grouping "$n" scan) ;; *) scan=- ;; esac
    echo "$n $scan $(grouping "$n" auto)"
done | awk '
    $2 != "-" { per_pair += $2 / $1 / $1; n_scans++; scan = sprintf("%.3f", $2) }
    $2 == "-" { $2 = per_pair / n_scans * $1 * $1; scan = sprintf("(%.0f)", $2) }
    {
        growth = rows > 0 ? sprintf("n^%.2f", log($3 / best) / log($1 / rows)) : ""
        printf "%-10d %10s %10.3f %9.1f  %s\n", $1, scan, $3, $2 / $3, growth
        rows = $1
        best = $3
    }'
if [ -f "$data/adult/adult.csv" ]; then
    seconds=$(time_of "$kanon" anonymize "$data/adult/adult.csv" -s "$data/adult/adult8.yaml" -k 10 -a kmember --seed 1 --quiet \
        -o $dir/release.csv --report $dir/report.json)
    printf '\nadult, start to finish with release and report: %s seconds\n' "$seconds"
fi

# ---- the Python package ------------------------------------------------------------------------------------------------

python=build/python/venv/bin/python
n=$(echo "${BENCH_LARGE:-1000000}" | awk '{ print $NF }')
say "The Python package beside the program: hospital, $n records, k = 10, kmember, one thread"
if [ -x $python ] && $python -c 'import pykanon' 2>/dev/null; then
    sample "$n" "$dir/curve-$n"
    $python bench/bench_python.py "$kanon" "$dir/curve-$n/hospital.csv" "$dir/curve-$n/hospital.yaml"
else
    echo "skipped, the package is not in build/python; make check-python puts it there"
fi

# ---- auto beside kmember on many records -----------------------------------------------------------------------------------

# whole ALGORITHM THREADS: seconds of the whole command, the least of three runs, and the loss.
whole()
{
    for _ in 1 2 3; do
        echo "$(time_of "$kanon" anonymize "$dir/curve-$n/hospital.csv" -s "$dir/curve-$n/hospital.yaml" -k 10 -a "$1" --seed 1 \
            --threads "$2" --quiet -o $dir/release.csv --groups $dir/groups.csv)"
    done | sort -g | head -n 1
    "$kanon" evaluate "$dir/curve-$n/hospital.csv" -s "$dir/curve-$n/hospital.yaml" --groups $dir/groups.csv |
        awk '$1 == "information_loss" { print $2; exit }'
}

n=$(echo "${BENCH_LARGE:-1000000}" | awk '{ print $NF }')
say "auto, balanced, beside kmember: hospital, $n records, k = 10; seconds of the whole command"
printf '%-10s %10s %10s %9s %12s %12s %9s\n' threads kmember auto ratio 'loss' 'of auto' less
for threads in 1 $(getconf _NPROCESSORS_ONLN); do
    echo $threads $(whole kmember $threads) $(whole auto $threads)
done | awk '{ printf "%-10s %10.2f %10.2f %9.2f %12.0f %12.0f %8.1f%%\n", $1, $2, $4, $4 / $2, $3, $5, 100 - 100 * $5 / $3 }'

# ---- blocks on two threads ---------------------------------------------------------------------------------------------

# best_of THREADS ALGORITHM: seconds of the grouping in blocks, the least of three runs, since other programs disturb it.
best_of()
{
    for _ in 1 2 3; do
        "$kanon" anonymize "$dir/curve-$large/hospital.csv" -s "$dir/curve-$large/hospital.yaml" -k 10 -a "$2" --blocks $((large / 20)) --seed 1 \
            --threads "$1" --quiet -o $dir/release.csv --groups "$dir/groups-$1.csv" --report $dir/report.json
        figure seconds $dir/report.json
    done | sort -g | head -n 1
}

large=$(echo "${BENCH_LARGE:-1000000}" | awk '{ print $NF }')
sample "$large" "$dir/curve-$large"
say "Blocks: hospital, $large records in blocks of $((large / 20)), k = 10; seconds of the grouping alone, by the clock, the best of three"
printf '%-10s %10s %10s %9s  %s\n' algorithm '1 thread' '2 threads' ratio groups
for algorithm in kmember densest; do
    one=$(best_of 1 $algorithm)
    two=$(best_of 2 $algorithm)
    cmp -s $dir/groups-1.csv $dir/groups-2.csv && same=same || same=DIFFERENT
    awk -v a=$algorithm -v o="$one" -v t="$two" -v g=$same 'BEGIN { printf "%-10s %10.3f %10.3f %9.2f  %s\n", a, o, t, o / t, g }'
done

# ---- growth with n -----------------------------------------------------------------------------------------------------

say "Growth with n: hospital, k = 5, s = 5 k, one thread; seconds of the grouping alone, and for each n how they grew from the last"
printf '%-10s %10s %10s %10s %10s %10s\n' algorithm rows groups seconds 'us/record' 'growth'
for algorithm in mondrian tgc-u tgc-b; do
    before=0
    for n in ${BENCH_CURVE:-1000 10000 100000 1000000}; do
        sample "$n" "$dir/curve-$n"
        "$kanon" anonymize "$dir/curve-$n/hospital.csv" -s "$dir/curve-$n/hospital.yaml" -k 5 -a $algorithm --seed 1 --threads 1 \
            --quiet -o $dir/release.csv --report $dir/report.json
        seconds=$(figure seconds $dir/report.json)
        awk -v a=$algorithm -v n="$n" -v g="$(figure groups $dir/report.json)" -v s="$seconds" -v b="$before" 'BEGIN {
            printf "%-10s %10d %10d %10.3f %10.2f %10s\n", a, n, g, s, s * 1e6 / n, (b + 0 > 0 ? sprintf("x %.1f", s / b) : "") }'
        before=$seconds
    done
done

# ---- measures ----------------------------------------------------------------------------------------------------------

# evaluate LABEL TABLE SCHEMA K ALGORITHM [SETTING]: all measures of a grouping against the time of the kmember scan (or mondrian) that made it.
evaluate()
{
    making=$(time_of "$kanon" anonymize "$2" -s "$3" -k "$4" -a "$5" ${6:+--set "$6"} --seed 1 --quiet -o $dir/release.csv --groups $dir/groups.csv)
    measuring=$(time_of "$kanon" evaluate "$2" -s "$3" --groups $dir/groups.csv)
    printf '%-18s %4s  %-10s %10s %10s\n' "$1" "$4" "$5" "$making" "$measuring"
}

say "All measures of a grouping, the lower bound and 1,000 queries included; seconds of the whole command"
printf '%-18s %4s  %-10s %10s %10s\n' table k algorithm making measuring
if [ -f "$data/adult/adult.csv" ]; then
    evaluate adult "$data/adult/adult.csv" "$data/adult/adult8.yaml" 10 kmember search=scan
fi
for n in ${BENCH_CURVE:-1000 10000 100000 1000000}; do
    [ -d "$dir/curve-$n" ] && last=$n
done
[ -z "${last:-}" ] || evaluate "hospital, $last" "$dir/curve-$last/hospital.csv" "$dir/curve-$last/hospital.yaml" 10 mondrian

say "Workers: a table four times as large as their memory (bench/bench_workers.py)"
bench/bench_workers.py "$kanon" --rows "${BENCH_WORKER_ROWS:-4000000}" --memory "${BENCH_WORKER_MEMORY:-86M}" -- -k 10 -a kmember --blocks 5000

say "Ticks: how long a host may wait until a call can be stopped (bench/ticks.sh)"
bench/ticks.sh
say "PostgreSQL: a refresh beside the program, and 1,000 changed rows (bench/postgres.sh)"
BENCH_ROWS=${BENCH_POSTGRES_ROWS:-1000000} bench/postgres.sh

say "Apache Spark: a cluster of processes, the program, and Mondrian in pandas (bench/spark.sh)"
bench/spark.sh

say "States: 1,000 records more or less in a million (bench/incremental.sh)"
KANON=$PWD/$kanon KANON_DATA=/nonexistent BENCH_ROWS=${BENCH_STATE_ROWS:-1000000} bench/incremental.sh
