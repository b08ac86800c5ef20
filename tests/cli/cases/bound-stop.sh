# Stopped by a time limit or a signal, the bound so far is told, and its certificate is written.

"$KANON" sample hospital --rows 5000 -q -o demo
expect 0 "$KANON" bound demo/hospital.csv -s demo/hospital.yaml -k 20 --time-limit 1
awk '$1 == "lower_bound" { b = $2 } $1 == "neighbour_bound" { n = $2 } END { exit !(b >= n && n > 0) }' "$OUT" ||
    failed "there is no bound"

"$KANON" bound demo/hospital.csv -s demo/hospital.yaml -k 20 --threads 1 --certificate proof.json >"$OUT" 2>"$ERR" &
pid=$!
sleep 2
kill -TERM $pid 2>/dev/null || skip "the work was done too soon"
got=0
wait $pid || got=$?
if [ $got -eq 143 ]; then # it came before there was a bound
    err_has "kanon: stopped; nothing was written"
    no_file proof.json
else
    [ $got -eq 0 ] || failed "exit status $got instead of 0"
    out_has "lower_bound"
    [ -s proof.json ] || failed "there is no certificate"
fi
