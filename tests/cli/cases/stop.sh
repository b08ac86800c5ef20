# SIGTERM during the work: one line, nothing written, and the program dies by the signal.

"$KANON" sample hospital --rows 100000 -q -o demo
"$KANON" anonymize demo/hospital.csv -s demo/hospital.yaml -k 5 -a kmember --set search=scan --threads 1 -o r.csv --groups g.csv 2>"$ERR" &
pid=$!
sleep 1
kill -TERM $pid 2>/dev/null || skip "the work was done too soon"
got=0
wait $pid || got=$?
[ $got -ne 0 ] || skip "the work was done too soon"
[ $got -eq 143 ] || failed "exit status $got instead of 143"
err_lines 1
err_has "kanon: stopped; nothing was written"
[ "$(ls -A)" = demo ] || failed "files were left behind: $(ls -A)"

# waiting for input ends at once
mkfifo pipe
"$KANON" anonymize pipe -s demo/hospital.yaml -k 5 -o r.csv 2>"$ERR" &
pid=$!
sleep 1
kill -TERM $pid
sleep 1
kill -KILL $pid 2>/dev/null || :
got=0
wait $pid || got=$?
[ $got -eq 143 ] || failed "exit status $got instead of 143"
no_file r.csv

# a terminal that is closed leaves nothing behind either
"$KANON" anonymize demo/hospital.csv -s demo/hospital.yaml -k 5 -a kmember --set search=scan --threads 1 -o r.csv 2>"$ERR" &
pid=$!
sleep 1
kill -HUP $pid 2>/dev/null || skip "the work was done too soon"
got=0
wait $pid || got=$?
[ $got -ne 0 ] || skip "the work was done too soon"
[ $got -eq 129 ] || failed "exit status $got instead of 129"
err_has "kanon: stopped; nothing was written"
no_file r.csv
