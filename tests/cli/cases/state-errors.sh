# Deltas that are wrong: the line is told, and nothing is changed.

printf 'id,age,job,city,ill\n' >t.csv
for i in 1 2 3 4 5 6; do echo "a$i,$((20 + i)),cook,Bonn,flu" >>t.csv; done
cat >s.yaml <<'EOF'
missing: ["?"]
attributes:
  id: {role: identifying}
  age: {role: quasi, type: integer}
  job: {role: quasi, taxonomy: {cook: , office: {clerk: , boss: }}}
  city: {role: quasi}
  ill: {role: sensitive}
privacy: {k: 3}
key: [id]
EOF
"$KANON" anonymize t.csv -s s.yaml -q -o r.csv --state x.state
cp x.state before

# refused STATUS MESSAGE COMMAND...
refused()
{
    wanted=$1 message=$2
    shift 2
    expect "$wanted" "$KANON" "$@"
    err_lines 1
    err_has "$message"
    same x.state before
    [ "$(ls)" = "$files" ] || failed "files were left behind: $(ls)"
}
insert()
{
    printf 'id,age,job,city,ill\nn1,30,cook,Bonn,flu\n%b' "$1" >d.csv
}

insert ''
files=$(ls)
insert 'n2,old,cook,Bonn,flu\n'
refused 3 "d.csv:3: age: not a whole number" insert x.state d.csv -o no.csv
insert 'n2,30,pilot,Bonn,flu\n'
refused 3 "d.csv:3: job: value is no leaf of the column's taxonomy" insert x.state d.csv
err_has "--grow-taxonomy"
err_lacks pilot
insert 'n2,30,office,Bonn,flu\n'
refused 3 "d.csv:3: job: value is no leaf" insert x.state d.csv --grow-taxonomy
insert 'n2,30,cook,Ulm,flu\n'
refused 3 "d.csv:3: city: no record had this value before" insert x.state d.csv
insert 'a1,30,cook,Bonn,flu\n'
refused 3 "d.csv:3: id: there is a record with this key already" insert x.state d.csv
err_has "; to change a record, update it; kanon update does that"
insert 'n1,30,cook,Bonn,flu\n'
refused 3 "d.csv:3: id: there is a record with this key already" insert x.state d.csv
insert 'n2,30,cook,Bonn\n'
refused 3 "d.csv:3:" insert x.state d.csv
printf 'id,age\nn1,3\n' >d.csv
refused 3 "d.csv:1: job: the file has no such column" insert x.state d.csv
printf 'id,age,job,city,ill,more\nn1,3,cook,Bonn,flu,x\n' >d.csv
refused 3 "d.csv:1: more: the table has no such column" insert x.state d.csv
printf 'id\na1\nnobody\n' >d.csv
refused 3 "d.csv:3: id: there is no such record" delete x.state d.csv
printf 'id\na1\na1\n' >d.csv
refused 3 "d.csv:3: id: there is no such record" delete x.state d.csv
printf 'age\n21\n' >d.csv
refused 3 "d.csv:1: id: the file has no such column" delete x.state d.csv
printf 'id\na1\na2\na3\na4\n' >d.csv
refused 1 "only 2 records would be left" delete x.state d.csv
printf 'id,age\na1,40\na1,41\n' >d.csv
refused 3 "d.csv:3: id: a record is named twice" update x.state d.csv
printf 'id,age\nnobody,40\n' >d.csv
refused 3 "d.csv:2: id: there is no such record" update x.state d.csv

# what can be asked of a state
refused 4 "none.state" insert none.state d.csv
refused 3 "not a state" state d.csv
err_has "; kanon anonymize --state makes one"
refused 2 "no DELTA given" insert x.state
refused 2 "one word too many" insert x.state d.csv more
refused 2 "there is no refinement" optimize x.state --refine magic
refused 2 "x.state is named twice" release x.state -o x.state
refused 2 "--joint-k is about a release" insert x.state d.csv --joint-k 3
refused 4 "nowhere/r.csv" release x.state -o nowhere/r.csv
refused 4 "cannot read none.csv" insert x.state none.csv

# with --grow-taxonomy the new values come below the root, with any place in the file
insert 'n2,300,pilot,Ulm,flu\nn3,-5,?,?,flu\n'
expect 0 "$KANON" insert x.state d.csv --grow-taxonomy -o r.csv
err_has "4 values are new in the taxonomies"
expect 0 "$KANON" check r.csv -s s.yaml -k 3
expect 0 "$KANON" state x.state
out_has "records        9"

# what a state cannot hold
printf 'age\n0.1234567890123456789\n1\n2\n' >w.csv
expect 2 "$KANON" anonymize w.csv --quasi age -k 2 -q -o no.csv --state w.state
err_has "at most 18 digits"
no_file no.csv
no_file w.state
printf 'age\n9000000000000000000\n1\n2\n' >w.csv
expect 2 "$KANON" anonymize w.csv --quasi age -k 2 -q -o no.csv --state w.state
err_has "at most 18 digits"
no_file w.state
printf 'age\n-900000000000000000\n-900000000000000001\n-900000000000000002\n' >w.csv
printf 'attributes: {age: {role: quasi, type: decimal}}\n' >w.yaml
expect 0 "$KANON" anonymize w.csv -s w.yaml -k 2 -q -o r.csv --state w.state
cp w.state w.before
for cell in 50000000000000000.5 0.5 0.00000000000001; do
    printf 'age\n%s\n' $cell >w.csv
    expect 3 "$KANON" insert w.state w.csv
    err_has "age: the numbers of the column would have more digits than a state can hold"
    same w.state w.before
done
expect 0 "$KANON" state w.state
rm w.state
printf 'id,age\nx,1\nx,2\ny,3\n' >w.csv
printf 'attributes: {age: {role: quasi}, id: {role: identifying}}\nkey: [id]\n' >w.yaml
expect 3 "$KANON" anonymize w.csv -s w.yaml -k 2 -q -o no.csv --state w.state
err_has "w.csv:3: key: another record has the same"
no_file no.csv
no_file w.state

if [ "$(id -u)" -ne 0 ]; then
    chmod a-w x.state
    expect 4 "$KANON" optimize x.state
    err_has "read-only"
    expect 0 "$KANON" state x.state
fi

# a key that two records have is found before the search, which would take for ever here
printf 'id,age\n1,20\n2,21\n 1,22\n3,23\n' >twice.csv
printf 'attributes: {id: identifying, age: quasi}\nkey: [id]\nprivacy: {k: 2}\n' >twice.yaml
expect 3 "$KANON" anonymize twice.csv -s twice.yaml --refine search --moves 1000000000000000 --state twice.st -o twice-r.csv
err_has "twice.csv:4: key: another record has the same"
no_file twice.st
no_file twice-r.csv
