# blocks: valid groups for every algorithm, the same for any number of threads; one block is the plain run
"$KANON" sample hospital --rows 1200 --seed 11 -o h --quiet
for algorithm in $("$KANON" algorithms | awk '!/ - refinement: / { print $1 }'); do
    case $algorithm in kmeans-* | wfcm) few="--set max-iterations=2" ;; *) few="" ;; esac
    for threads in 1 2; do
        # shellcheck disable=SC2086
        expect 0 "$KANON" anonymize h/hospital.csv -s h/hospital.yaml -k 4 -a "$algorithm" $few --blocks 150 --threads $threads --seed 2 \
            -o r.csv --groups g$threads.csv
    done
    same g1.csv g2.csv
    expect 0 "$KANON" check r.csv -s h/hospital.yaml -k 4
done
expect 0 "$KANON" anonymize h/hospital.csv -s h/hospital.yaml -k 4 --seed 2 -o /dev/null --groups whole.csv -q
expect 0 "$KANON" anonymize h/hospital.csv -s h/hospital.yaml -k 4 --seed 2 --blocks 1000 -o /dev/null --groups one.csv -q
same whole.csv one.csv
expect 0 "$KANON" anonymize h/hospital.csv -s h/hospital.yaml -k 4 --blocks 150 -o /dev/null --report r.json -q
grep -q '"blocks": 150' r.json
expect 2 "$KANON" anonymize h/hospital.csv -s h/hospital.yaml -k 4 --blocks 3 -o r2.csv
err_has "smaller than k"
no_file r2.csv
