# Somebody truncates or rewrites the input during the work: exit status 4, one line, and no output.

"$KANON" sample hospital --rows 20000 -q -o demo
[ "$(wc -c <demo/hospital.csv)" -gt 1100000 ] || failed "the sample is so small that it is read whole"

# begin FILE: a run that waits when all groups are made
mkfifo ../gate
begin()
{
    at_tick "refining 20 ../gate" "$KANON" anonymize "$1" -s demo/hospital.yaml -k 5 -a mondrian --refine search --moves 20000 -q \
        -o r.csv --groups g.csv --report p.json 2>"$ERR" &
    pid=$!
    reached ../gate
}

refused()
{
    go_on ../gate
    got=0
    wait $pid || got=$?
    [ $got -eq 4 ] || failed "exit status $got instead of 4"
    err_lines 1
    err_has "kanon: t.csv: the file has changed while it was read"
    [ "$(ls -A)" = "demo
t.csv" ] || failed "files were left behind: $(ls -A)"
}

cp demo/hospital.csv t.csv
begin t.csv
: >t.csv
refused

# the same number of bytes
cp demo/hospital.csv t.csv
begin t.csv
tail -c 100 demo/hospital.csv | dd of=t.csv bs=100 seek=5000 conv=notrunc 2>/dev/null
refused

# a file that is replaced is not changed, nor is one that was read whole
cp demo/hospital.csv t.csv
begin t.csv
mv demo/hospital.yaml t.csv
go_on ../gate
wait $pid || failed "the file was replaced, not changed"
mv t.csv demo/hospital.yaml
rm r.csv g.csv p.json
head -n 1000 demo/hospital.csv >t.csv
begin t.csv
: >t.csv
go_on ../gate
wait $pid || failed "the file was read before it changed"
