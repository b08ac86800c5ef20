# Stopped by a time limit or a signal, the bound so far is told, and its certificate is written.

"$KANON" sample hospital --rows 600 -q -o demo
expect 0 at_tick "" "$KANON" bound demo/hospital.csv -s demo/hospital.yaml -k 20 --time-limit 30
awk '$1 == "lower_bound" { b = $2 } $1 == "neighbour_bound" { n = $2 } END { exit !(b >= n && n > 0) }' "$OUT" ||
    failed "there is no bound"

expect 143 at_tick "finding-neighbours 1 TERM" "$KANON" bound demo/hospital.csv -s demo/hospital.yaml -k 20 --certificate proof.json
err_has "kanon: stopped; nothing was written"
no_file proof.json
expect 0 at_tick "improving-the-bound 600 TERM" "$KANON" bound demo/hospital.csv -s demo/hospital.yaml -k 20 --time-limit 30 \
    --certificate proof.json
out_has "lower_bound"
[ -s proof.json ] || failed "there is no certificate"
