# A table that lives on: insert, delete, update, optimize, release; what the release says is what check finds.

printf 'id,age,zip,job,ill\n' >t.csv
for i in 1 2 3 4 5 6 7 8 9; do
    echo "a$i,$((20 + i * 3)),7527$((i % 4)),cook,flu" >>t.csv
    echo "b$i,$((50 + i * 2)),1234$((i % 3)),clerk,cold" >>t.csv
done
cat >s.yaml <<'EOF'
attributes:
  id: {role: identifying}
  age: {role: quasi, type: integer}
  zip: {role: quasi, mask: right}
  job: {role: quasi, taxonomy: {cook: , office: {clerk: , boss: }}}
  ill: {role: sensitive}
privacy: {k: 3}
key: [id]
EOF

expect 0 "$KANON" anonymize t.csv -s s.yaml -q -o plain.csv
expect 0 "$KANON" anonymize t.csv -s s.yaml -o r.csv --state x.state --joint-k off
same r.csv plain.csv
[ "$(stat -c %a x.state)" = 600 ] || failed "the state can be read by others"
expect 0 "$KANON" release x.state -q -o again.csv
same again.csv plain.csv
expect 0 "$KANON" state x.state
out_has "file           sound"
out_has "records        18"
out_has "release        2 "
out_has "$(sha256sum r.csv | cut -d' ' -f1)"

# a state is not written over
expect 2 "$KANON" anonymize t.csv -s s.yaml -o r.csv --state x.state --joint-k off
err_lines 1
err_has "x.state is there already"

# inserting: columns in any order and with any delimiter; ranges and masks grow
printf 'zip;id;job;age;ill\n75279;c1;boss;99;"flu;cold"\n00000;c2;cook;1;flu\n' >d.csv
expect 0 "$KANON" insert x.state d.csv -o r.csv
err_has "2 records inserted; 20 records"
expect 0 "$KANON" check r.csv -s s.yaml -k 3
out_has "records              20"
grep -qF '"flu;cold"' r.csv || failed "a cell has changed"

# deleting by key, updating some columns
printf 'id\nc2\nb9\n' >d.csv
expect 0 "$KANON" delete x.state d.csv
err_has "2 records deleted; 18 records"
printf 'age,id\n21,b1\n' >d.csv
expect 0 "$KANON" update x.state d.csv --report p.json -o r.csv
grep -q '"records": 18' p.json || failed "the report is not about the state"
expect 0 "$KANON" check r.csv -s s.yaml -k 3
expect 0 "$KANON" improve x.state
err_has "before"
expect 0 "$KANON" state x.state
out_has "file           sound"
out_has "departed       2"
out_has "history        6 "

# standard input and output
expect 0 sh -c 'printf "id,age,zip,job,ill\nz1,30,75270,cook,flu\n" | "$KANON" insert x.state - -q -o -'
out_has "age,zip,job,ill"

# without a key a record is named by its row, and one of equals goes
printf 'age,zip\n20,1\n20,1\n20,1\n30,2\n31,2\n32,2\n33,2\n' >t.csv
printf 'attributes: {age: {role: quasi}, zip: {role: quasi}}\n' >s.yaml
expect 0 "$KANON" anonymize t.csv -s s.yaml -k 2 -q -o r.csv --state y.state
printf 'age,zip\n20,1\n"20",1\n' >d.csv
expect 0 "$KANON" delete y.state d.csv
err_has "2 records deleted; 5 records"
expect 3 "$KANON" delete y.state d.csv
err_has "d.csv: the state has this delta already"
err_has "; --again does that; kanon release writes a release"
expect 3 "$KANON" delete y.state d.csv --again
err_has "d.csv:3: age: there is no such record"
expect 2 "$KANON" update y.state d.csv
err_has "without a key"
# numbers get more digits
printf 'age,zip\n20,1\n20.5,1\n20.25,2\n21,2\n' >t.csv
printf 'attributes: {age: {role: quasi, type: decimal}, zip: {role: quasi}}\n' >s.yaml
expect 0 "$KANON" anonymize t.csv -s s.yaml -k 2 -q -o r.csv --state z.state
printf 'age,zip\n20.125,1\n' >d.csv
expect 0 "$KANON" insert z.state d.csv -q -o -
out_has "[20..20.5],1"
expect 0 "$KANON" state z.state
out_has "file           sound"
