# SIGTERM during the work: one line, nothing written, and the program dies by the signal.

"$KANON" sample hospital --rows 2000 -q -o demo
work="anonymize demo/hospital.csv -s demo/hospital.yaml -k 5 -a kmember -o r.csv --groups g.csv"
expect 143 at_tick "grouping 100 TERM" sh -c "exec \"$KANON\" $work 2>../said" # alone: the shell tells of the signal
grep -v -e "^kanon: reading" -e "^kanon: grouping" ../said >../last # a line every ten seconds, which the clock of tests makes short
[ "$(cat ../last)" = "kanon: stopped; nothing was written" ] || failed "said: $(cat ../said)"
[ "$(ls -A)" = demo ] || failed "files were left behind: $(ls -A)"

# waiting for input ends at once
mkfifo pipe
"$KANON" anonymize pipe -s demo/hospital.yaml -k 5 -o r.csv 2>"$ERR" &
pid=$!
exec 9>pipe # returns when the program has opened it
kill -TERM $pid
got=0
wait $pid || got=$?
exec 9>&-
[ $got -eq 143 ] || failed "exit status $got instead of 143"
no_file r.csv

# a reader that does not read holds nothing up: neither a release nor what is printed after the work
mkfifo stuck
printf 'default-role: quasi\nattributes: {c0: quasi}\nprivacy: {k: 2}\n' >wide.yaml
awk 'BEGIN { for (row = 0; row < 3; row++) for (i = 0; i < 20000; i++) printf "%s%s%s", row ? i % 3 : "c" i, i < 19999 ? "," : "\n", "" }' >wide.csv
for words in "anonymize demo/hospital.csv -s demo/hospital.yaml -k 5 -a mondrian -q" \
    "check wide.csv -s wide.yaml"; do
    sleep 30 <stuck &
    reader=$!
    "$KANON" $words >stuck 2>"$ERR" &
    pid=$!
    sleep 2
    kill -TERM $pid 2>/dev/null || failed "it does not wait for its reader: $words"
    sleep 1
    kill -KILL $pid 2>/dev/null || :
    got=0
    wait $pid || got=$?
    [ $got -eq 143 ] || failed "exit status $got instead of 143: $words"
    kill $reader
    wait $reader 2>/dev/null || :
done
rm -f stuck wide.csv wide.yaml

# a terminal that is closed leaves nothing behind either
# shellcheck disable=SC2086 # words of a command
expect 129 at_tick "grouping 100 HUP" "$KANON" $work
err_has "kanon: stopped; nothing was written"
no_file r.csv
