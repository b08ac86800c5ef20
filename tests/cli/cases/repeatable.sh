# The same command gives the same bytes, whatever the number of threads; a finished run leaves nothing but its outputs.

"$KANON" sample hospital --rows 1500 --seed 7 -q -o demo
for algorithm in $("$KANON" algorithms | awk '!/ - refinement: / { print $1 }'); do
    for threads in 1 2; do
        expect 0 "$KANON" anonymize demo/hospital.csv -s demo/hospital.yaml -k 5 -a "$algorithm" --seed 3 \
            --threads $threads -o r$threads.csv --groups g$threads.csv -q
        ! grep -v -e 'warning: id repeats' -e 'warning: Columns released' "$ERR" || failed "there is more on standard error than about privacy"
        [ ! -s "$OUT" ] || failed "there is something on standard output"
    done
    same r1.csv r2.csv
    same g1.csv g2.csv
    expect 0 "$KANON" anonymize demo/hospital.csv -s demo/hospital.yaml -k 5 -a "$algorithm" --seed 3 -q
    same r1.csv "$OUT"
    # what was published holds what was asked for
    expect 0 "$KANON" check r1.csv -s demo/hospital.yaml -k 5
    rm r1.csv r2.csv g1.csv g2.csv
done
[ "$(ls -A)" = demo ] || failed "files were left behind: $(ls -A)"
