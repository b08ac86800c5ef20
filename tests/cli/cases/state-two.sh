# Two processes at one state: one waits for the other, or says so; both changes are there in the end.

"$KANON" sample hospital --rows 2000 --seed 1 -q -o h
"$KANON" anonymize h/hospital.csv -s h/hospital.yaml -k 5 -a mondrian -q -o /dev/null --state x.state
for i in 1 2 3 4; do "$KANON" sample hospital --rows 50 --seed $((i + 10)) -q -o m$i; done

pids=
for i in 1 2 3 4; do
    "$KANON" insert x.state m$i/hospital.csv --grow-taxonomy --wait 60 -q &
    pids="$pids $!"
done
for pid in $pids; do wait "$pid" || failed "an insert did not wait for the others"; done
expect 0 "$KANON" state x.state
out_has "records        2200"
out_has "history        5 "

# somebody who has the file locked and does not let go
command -v sqlite3 >/dev/null || skip "there is no sqlite3 to hold a lock"
mkfifo hold locked
sqlite3 x.state <hold >/dev/null 2>&1 &
pid=$!
exec 9>hold
printf 'BEGIN EXCLUSIVE;\n.shell echo >locked\n' >&9
reached locked
got=0
"$KANON" insert x.state m1/hospital.csv --grow-taxonomy --wait 0 2>"$ERR" >"$OUT" || got=$?
echo 'ROLLBACK;' >&9
exec 9>&-
wait $pid || :
[ $got -eq 4 ] || failed "exit status $got instead of 4 while the state is locked"
err_has "x.state: another process is working on it; try again later, or wait longer; --wait SECONDS says how long"
expect 0 "$KANON" state x.state
out_has "records        2200"
