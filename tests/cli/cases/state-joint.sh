# Releases of a state after the first are audited together with those before: joint k is k unless the schema or an option
# says otherwise, persons count where there are entities, and an erasure is made even where no release is possible.

awk 'BEGIN { print "id,who,age,zip,ill"
             for (i = 1; i <= 40; i++)
                 printf "r%d,p%d,%d,%05d,%s\n", i, i % 20, 20 + i * 7 % 50, 10000 + i * 13 % 40, i % 3 ? "flu" : "gout" }' >t.csv
cat >s.yaml <<'EOT'
attributes:
  id:  {role: identifying}
  who: {role: identifying}
  age: {role: quasi, type: integer}
  zip: {role: quasi, type: integer}
  ill: {role: sensitive}
privacy: {k: 4}
key: [id]
EOT
sed 's/k: 4/k: 4, joint-k: off/' s.yaml >off.yaml
printf 'id,who,age,zip,ill\nn1,x1,21,10001,flu\nn2,x2,44,10030,flu\nn3,x3,60,10015,gout\n' >new.csv

# three new persons can be told apart in the second release: without a word before; now they wait, or it is said
expect 0 "$KANON" anonymize t.csv -s s.yaml -q -o r1.csv --state s.state
cp s.state copy.state
expect 0 "$KANON" insert s.state new.csv -o r2.csv --report r2.json
err_has "joint classes: 3 records withheld"
err_has "audit: joint k is 4 over 2 releases, 4 is required"
[ "$(wc -l <r2.csv)" -eq 41 ] || failed "not 40 records"
grep -q '"required": 4' r2.json || failed "the report says nothing about joint classes"
grep -q '"withheld": 3' r2.json || failed "the report does not say who waits"
expect 0 "$KANON" audit s.state
expect 0 "$KANON" state s.state
out_has "joint_k_asked  4"
# once more: nothing has changed
expect 0 "$KANON" release s.state -o again.csv
same r2.csv again.csv

expect 0 "$KANON" insert copy.state new.csv -q --joint-k off -o r2.csv --report page.html --report-external out.html
err_has "warning: audit: those who have all 2 releases can tell"
err_has "because joint-k is off"
grep -q '<b>Earlier releases</b>: 3 records are in joint classes of 2 releases' page.html || failed "the page says nothing about joint classes"
! grep -q 'joint class of' out.html || failed "the external page says what only the originals tell"
expect 1 "$KANON" audit copy.state
# what was small before is no reason to fail, and is said
expect 0 "$KANON" release copy.state -o r3.csv
err_has "were in joint classes below 4 before this release"
expect 0 "$KANON" anonymize t.csv -s off.yaml -q -o r1.csv --state off.state
expect 0 "$KANON" insert off.state new.csv -o r2.csv
err_has "warning: audit: those who have all 2 releases"
expect 0 "$KANON" state off.state
out_has "joint_k_asked  off"

# ten records, four are to go: they go, and the release alone fails
awk -F, 'NR <= 11' t.csv >ten.csv
expect 0 "$KANON" anonymize ten.csv -s s.yaml -q -k 5 -o r1.csv --state ten.state
printf 'id\nr1\nr2\nr3\nr4\n' >gone.csv
expect 1 "$KANON" delete ten.state gone.csv -o r2.csv --report r2-ten.json
err_has "the change is made, but no release is written: no release keeps joint classes of 5 records"
err_has "--joint-k off"
no_file r2.csv.tmp
[ ! -e r2-ten.json ] || failed "a report without a release"
expect 0 "$KANON" state ten.state
out_has "records        6"
[ "$(grep -c "^release " "$OUT")" -eq 1 ] || failed "a release was recorded"
expect 3 "$KANON" delete ten.state gone.csv
expect 1 "$KANON" release ten.state -o none.csv
no_file none.csv
expect 0 "$KANON" release ten.state --joint-k off -o r2.csv

# persons: two records of one person are no company
expect 0 "$KANON" anonymize t.csv -s s.yaml -q --entity who -o r1.csv --state e.state
printf 'id,who,age,zip,ill\nn1,x1,21,10001,flu\nn2,x1,22,10002,flu\nn3,x1,23,10003,flu\nn4,x1,24,10004,flu\n' >one.csv
expect 0 "$KANON" insert e.state one.csv -o r2.csv
err_has "joint classes: 4 records withheld"
expect 0 "$KANON" audit e.state
out_has "joint_entities   4"
expect 0 "$KANON" anonymize t.csv -s s.yaml -q --entity who --entity-together -o r1.csv --state y.state
expect 0 "$KANON" insert y.state one.csv -o r2.csv
err_has "4 records withheld"
printf 'id,who,age,zip,ill\nm1,y1,21,10001,flu\nm2,y2,22,10002,flu\nm3,y3,23,10003,flu\nm4,y4,24,10004,flu\n' >four.csv
expect 0 "$KANON" insert y.state four.csv -o r3.csv
expect 0 "$KANON" check r3.csv -s s.yaml
expect 0 "$KANON" audit y.state

# a limit on the size of groups that is below joint-k gives way
sed 's/k: 4/k: 4, joint-k: 5/' s.yaml >wide.yaml
awk 'BEGIN { print "id,who,age,zip,ill"
             for (i = 1; i <= 6; i++) printf "w%d,w%d,%d,%05d,flu\n", i, i, 20 + i * 8, 10000 + i * 6 }' >six.csv
expect 0 "$KANON" anonymize t.csv -s wide.yaml -q -a tgc-u --set max-size=4 -o r1.csv --state w.state
expect 0 "$KANON" insert w.state six.csv -o r2.csv
expect 0 "$KANON" audit w.state -k 5

# a delta whose columns are exchanged is taken, and questioned; no value is said
printf 'id,who,age,zip,ill\nq1,q1,10001,21,flu\nq2,q2,10030,44,flu\n' >odd.csv
expect 0 "$KANON" insert e.state odd.csv
err_has "warning: age: the delta makes its range more than 200 times as wide; zip: the delta makes its range more than 200 times"
err_has "age and zip: 2 records fit if the two are exchanged"
err_lacks 10001
printf 'id,who,age,zip,ill\nz1,z1,30,10010,flu\n' >fine.csv
expect 0 "$KANON" insert y.state fine.csv
err_lacks warning

expect 2 "$KANON" anonymize t.csv -s s.yaml --joint-k 5 -o none.csv
err_has "--joint-k is about the releases of a state"
expect 2 "$KANON" release s.state --joint-k 1 -o none.csv
err_has "from 2 upwards, or off"
sed 's/k: 4/k: 4, joint-k: 1/' s.yaml >bad.yaml
expect 3 "$KANON" anonymize t.csv -s bad.yaml -o none.csv
err_has "bad.yaml:7: "
err_has "not a whole number of at least 2, or off"
no_file none.csv
