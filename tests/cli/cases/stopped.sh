# A search that is stopped, by Ctrl-C or a time limit, keeps its best groups after saying so, and the command that it prints
# makes the same release again. A second Ctrl-C and SIGTERM leave nothing.

"$KANON" sample hospital --rows 600 -q -o demo
table="demo/hospital.csv -s demo/hospital.yaml -k 5 -a top-down"
long="--refine search --moves 1000000000000"
files=$(ls -A)

# again FILE: run the command that the last run printed, with another output, and compare
again()
{
    command=$(sed -n 's/^kanon: the same groups again: kanon //p' "$ERR")
    [ -n "$command" ] || failed "no command that makes the release again"
    # shellcheck disable=SC2086 # words of a command
    "$KANON" ${command% -o *} --threads 1 -o again.csv -q 2>/dev/null || failed "the command does not run: $command"
    same "$1" again.csv
}

# a time limit becomes a number of moves
# shellcheck disable=SC2086
expect 0 at_tick "" "$KANON" anonymize $table --refine search --time-limit 5 -o timed.csv --report timed.json
again timed.csv
grep -q '"moves": "[0-9]*"' timed.json || failed "the report does not name the moves"
rm -f timed.csv timed.json again.csv

# run_stopped STATUS MOMENTS: the long run, with signals
run_stopped()
{
    # shellcheck disable=SC2086
    expect "$1" at_tick "$2" "$KANON" anonymize $table $long -o best.csv --groups g.csv --report p.json
}

run_stopped 0 "refining 200 INT"
err_has "kanon: stopping with the best result so far"
err_has "stopped before the search was done"
grep -q '"stopped": true' p.json || failed "the report does not say that it was stopped"
grep -q '"stop-after": "' p.json || failed "the report does not say after how many moves"
again best.csv
rm -f best.csv again.csv g.csv p.json

# the second one: nothing
run_stopped 130 "refining 200 INT refining 201 INT"
[ "$(ls -A)" = "$files" ] || failed "files were left behind: $(ls -A)"
run_stopped 143 "refining 200 TERM"
err_has "stopped; nothing was written"
[ "$(ls -A)" = "$files" ] || failed "files were left behind: $(ls -A)"
