# --memory: refused before the work with what would fit, else kept to

expect 0 "$KANON" sample hospital --rows 20000 --seed 3 -o h -q
expect 0 "$KANON" anonymize h/hospital.csv -s h/hospital.yaml -k 5 -a mondrian -o plain.csv -q

# too little for any way: nothing is written, and the message says how much would do
expect 4 "$KANON" anonymize h/hospital.csv -s h/hospital.yaml -k 5 -a mondrian --memory 1M -o small.csv
err_has "mondrian needs about"
err_has "more than the 1M it may use; allow "
no_file small.csv

# what it says is enough
enough=$(sed -n 's/.*; allow \([0-9]*M\).*/\1/p' "$ERR")
expect 0 "$KANON" anonymize h/hospital.csv -s h/hospital.yaml -k 5 -a mondrian --memory "$enough" -o enough.csv -q
expect 0 "$KANON" anonymize h/hospital.csv -s h/hospital.yaml -k 5 -a mondrian --memory 1G -o more.csv -q
same plain.csv more.csv

# the form of the release counts: means are kept for every group, and a driver takes memory of its own
expect 0 "$KANON" sample hospital --rows 40000 --seed 3 -o larger -q
foreseen()
{
    expect 4 "$KANON" anonymize larger/hospital.csv -s larger/hospital.yaml -k 2 -a mondrian --memory 1M "$@"
    sed -n 's/.*needs about \([0-9]*\)M.*/\1/p' "$ERR"
}
intervals=$(foreseen -o small.csv)
means=$(foreseen -o small.csv --numeric mean)
table=$(foreseen -o 'small.db#release')
[ "$means" -gt "$intervals" ] || failed "means need $means, intervals $intervals"
[ "$table" -gt $((intervals + 20)) ] || failed "a table needs $table, a file $intervals"
no_file small.db

# blocks where all at once does not fit
expect 0 "$KANON" anonymize h/hospital.csv -s h/hospital.yaml -k 5 -a kmeans-fill --set max-iterations=1 --memory 17M -o blocks.csv --report r.json -q
grep -q '"blocks": ' r.json || failed "no blocks in the report"
expect 4 "$KANON" anonymize h/hospital.csv -s h/hospital.yaml -k 5 -a kmeans-fill --set max-iterations=1 --memory 17M --blocks none -o none.csv
err_has "blocks of 2000 records; --memory SIZE says how much"
no_file none.csv

# what follows the algorithm counts, too: for all records at once, or for single blocks
expect 4 "$KANON" anonymize h/hospital.csv -s h/hospital.yaml -k 5 -a mondrian --refine il-optimization --memory 1M --blocks none -o small.csv
err_has "il-optimization needs about"
err_has "with blocks of 2000 records"
expect 4 "$KANON" anonymize h/hospital.csv -s h/hospital.yaml -k 5 -a mondrian --refine search --time-limit 1 --memory 1M -o small.csv
err_has "search needs about"
err_has "or refine by none"
expect 4 "$KANON" anonymize h/hospital.csv -s h/hospital.yaml -k 5 -a mondrian --memory 1M -o small.csv \
    --constraint model=distinct-l-diversity,attribute=diagnosis,l=2
err_has "enforcing the constraints needs about"
no_file small.csv

# blocks are not used where they are not needed
expect 0 "$KANON" anonymize h/hospital.csv -s h/hospital.yaml -k 5 -a mondrian -o /dev/null --report all.json -q
! grep -q '"blocks": ' all.json || failed "blocks without need"

for wrong in 0 x 5X -1 99999999T; do
    expect 2 "$KANON" anonymize h/hospital.csv -s h/hospital.yaml -k 5 --memory "$wrong"
    err_has "such as 500M or 2G"
done
expect 2 "$KANON" anonymize h/hospital.csv -s h/hospital.yaml -k 5 --blocks many
err_has "auto or none"

# improve keeps to it as well
"$KANON" anonymize h/hospital.csv -s h/hospital.yaml -k 5 -a mondrian --groups cut.csv -q -o /dev/null
expect 4 "$KANON" improve h/hospital.csv -s h/hospital.yaml -k 5 --groups cut.csv --moves 100 --memory 1M -o small.csv
[ ! -e small.csv ] || failed "there is a release"
expect 0 "$KANON" improve h/hospital.csv -s h/hospital.yaml -k 5 --groups cut.csv --moves 100 --memory 1G -o large.csv -q
