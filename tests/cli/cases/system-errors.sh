# What the system refuses: exit status 4, one line, no other output half there.

printf 'age,zip\n20,1\n21,1\n30,2\n31,2\n' >t.csv
printf 'attributes: {age: {role: quasi}, zip: {role: quasi}}\n' >s.yaml
mkdir place
files=$(ls -A)

refused()
{
    expect 4 "$KANON" "$@"
    err_lines 1
    [ "$(ls -A)" = "$files" ] || failed "files were left behind: $(ls -A)"
    [ -z "$(ls -A place)" ] || failed "files were left behind in place: $(ls -A place)"
}

refused anonymize none.csv -s s.yaml -k 2
err_has none.csv
refused anonymize place -s s.yaml -k 2
refused anonymize t.csv -s s.yaml -k 2 -o nowhere/r.csv --groups g.csv
err_has nowhere/r.csv
refused anonymize t.csv -s s.yaml -k 2 -o place
# ... which is known before the work: the table is not even read
refused anonymize none.csv -s s.yaml -k 2 -o nowhere/r.csv
err_has nowhere/r.csv
refused anonymize t.csv -s s.yaml -k 2 -o t.csv/r.csv
refused anonymize t.csv -s s.yaml -k 2 -o r.csv --groups nowhere/g.csv
refused anonymize t.csv -s s.yaml -k 2 -o r.csv --report nowhere/p.json
refused check none.csv -s s.yaml
printf 'row,group\n1,1\n2,1\n3,2\n4,2\n' >g.csv
files=$(ls -A)
refused evaluate t.csv -s s.yaml --groups none.csv
refused evaluate t.csv -s s.yaml --groups g.csv --report nowhere/p.json
refused sample hospital --rows 10 -o t.csv/dir

if [ "$(id -u)" -ne 0 ]; then
    chmod a-w place
    refused anonymize t.csv -s s.yaml -k 2 -o place/r.csv
    chmod u+w place
fi

if [ -c /dev/full ]; then
    refused anonymize t.csv -s s.yaml -k 2 -o /dev/full --groups place/g.csv --report place/p.json
    for command in --help --version "help check" "anonymize --help" algorithms "algorithms kmember" man \
        "check t.csv -s s.yaml" "evaluate t.csv -s s.yaml --groups g.csv" \
        "anonymize t.csv -s s.yaml -k 2 --groups place/g.csv"; do
        got=0
        # shellcheck disable=SC2086 # the words of a command are meant to be split
        "$KANON" $command >/dev/full 2>"$ERR" || got=$?
        [ $got -eq 4 ] || failed "exit status $got instead of 4 when the disk is full: $command"
        err_lines 1
        [ -z "$(ls -A place)" ] || failed "files were left behind: $(ls -A place)"
    done
fi

# a reader that went away
got=0
{ "$KANON" sample hospital --rows 5000 -q -o place && {
    "$KANON" anonymize place/hospital.csv -s place/hospital.yaml -k 5 -a mondrian 2>"$ERR" || echo $? >status
} | :; } || got=$?
[ $got -eq 0 ] || failed "no sample data"
[ "$(cat status)" = 4 ] || failed "exit status $(cat status) instead of 4 when the reader is gone"
err_lines 1

# standard output and error that are closed do not end up in files
got=0
"$KANON" anonymize t.csv -s s.yaml -k 2 -o r.csv >&- 2>&- || got=$?
[ $got -eq 0 ] || failed "exit status $got instead of 0 with closed standard output and error"
expect 0 "$KANON" anonymize t.csv -s s.yaml -k 2 -q
same "$OUT" r.csv
"$KANON" anonymize t.csv -s s.yaml -k 2 >&- 2>"$ERR" && failed "the release went nowhere and that was fine"
err_lines 1
