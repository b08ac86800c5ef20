# Progress is shown on a terminal, after a second, and is gone at the end; elsewhere there is none.

command -v script >/dev/null || skip "no script command to make a terminal with"
"$KANON" sample hospital --rows 100000 -q -o demo
work="\"$KANON\" anonymize demo/hospital.csv -s demo/hospital.yaml -k 5 -a kmember --set search=scan --threads 1 -o r.csv"
timeout 120 script -qfec "$work" seen >/dev/null 2>&1 &
terminal=$!
tries=0
while kill -0 $terminal 2>/dev/null && [ $tries -lt 1000 ] && ! grep -qs ' %, .* left' seen; do
    sleep 0.1
    tries=$((tries + 1))
done
kill $terminal 2>/dev/null || :
wait $terminal || :
[ -s seen ] || skip "script does not work here"
grep -q ' %, .* left' seen || { [ -f r.csv ] && skip "the work was done too soon"; failed "no progress on a terminal"; }
timeout -s TERM 3 sh -c "exec $work" 2>"$ERR" || :
! grep -q ' %,' "$ERR" || failed "progress where there is no terminal"
