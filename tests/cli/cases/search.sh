# The local search: its flags, the same number of moves gives the same release, Ctrl-C ends it with what it has.

"$KANON" sample hospital --rows 600 -q -o demo
table="demo/hospital.csv -s demo/hospital.yaml -k 5 -a top-down"

expect 0 "$KANON" anonymize $table -o plain.csv --report plain.json -q
expect 0 "$KANON" anonymize $table --refine search --moves 60000 --threads 1 -o one.csv --report one.json -q
expect 0 "$KANON" anonymize $table --refine search --moves 60000 --threads 4 -o two.csv --report two.html -q
cmp one.csv two.csv || failed "the number of threads changed the release"
grep -q -e "--refine search --moves 60000" two.html || failed "the page does not say how to repeat the run"
grep -q '"moves=60000"' one.json || failed "the report does not tell the moves"
loss() { sed -n 's/.*"information_loss": \([0-9.]*\),.*/\1/p' "$1" | head -n 1; }
awk -v was="$(loss plain.json)" -v is="$(loss one.json)" 'BEGIN { exit !(is > 0 && is < 0.95 * was) }' ||
    failed "the loss went from $(loss plain.json) to $(loss one.json)"

expect 0 at_tick "" "$KANON" anonymize $table --refine search --time-limit 2 -o timed.csv
expect 2 "$KANON" anonymize $table --moves 100 -o r.csv
err_has "needs a refinement"
expect 2 "$KANON" anonymize $table --refine search --moves many -o r.csv
err_has "'moves'"
expect 2 "$KANON" anonymize $table --refine il-optimization --time-limit 3 -o r.csv
err_has "il-optimization has no setting 'time-limit'"
no_file r.csv

# Ctrl-C: this would take days
expect 0 at_tick "refining 200 INT" "$KANON" anonymize $table --refine search --moves 1000000000000 -o best.csv
[ "$(wc -l <best.csv)" -eq 601 ] || failed "best.csv is not complete"
