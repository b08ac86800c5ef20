# The example of docs/audit.md: two harmless releases that expose a person, and the same with --joint-k.

cat >people.csv <<'EOF'
name,age,zip,illness
Ann,30,10115,flu
Bob,32,10117,asthma
Cid,33,10119,flu
Dan,61,80331,gout
Eve,62,80333,depression
Fay,63,80335,flu
Gus,64,80337,asthma
Hal,66,80339,gout
EOF
cat >people.yaml <<'EOF'
attributes:
  name:    {role: identifying}
  age:     {role: quasi, type: integer}
  zip:     {role: quasi, mask: right}
  illness: {role: sensitive}
privacy: {k: 3}
key: [name]
EOF
printf 'name\nEve\n' >gone.csv

expect 0 "$KANON" anonymize people.csv -s people.yaml -q -o release-1.csv --state people.state
cp people.state careful.state
expect 0 "$KANON" audit people.state
out_has "joint_k          3"

expect 0 "$KANON" delete people.state gone.csv -o release-2.csv --joint-k off
err_has "can tell 1 records from fewer than 2 others"
expect 0 "$KANON" check release-1.csv -s people.yaml -k 3
expect 0 "$KANON" check release-2.csv -s people.yaml -k 3
# the one line that is gone is Eve's
[ "$(diff release-1.csv release-2.csv | sed -n 's/^< //p')" = '[61..66],8033*,depression' ] || failed "another line is gone"
expect 1 "$KANON" audit people.state
out_has "joint_k          1"
out_has "records_below_k  1"
out_has "joint_distinct   1 illness"
err_has "1 records can be told from fewer than 2 others"

expect 0 "$KANON" delete careful.state gone.csv -o release-2.csv --joint-k 2
err_has "1 records withheld"
expect 0 "$KANON" check release-2.csv -s people.yaml -k 3
expect 0 "$KANON" audit careful.state -k 2
out_has "joint_k          2"
out_has "joint_distinct   2 illness"
expect 0 "$KANON" state careful.state
out_has "joint k 2, 1 withheld"

# three new people in one place: they wait until they are enough
printf 'name,age,zip,illness\nIda,31,10115,flu\nJan,31,10117,gout\n' >new.csv
expect 0 "$KANON" insert careful.state new.csv -o release-3.csv --joint-k 3
err_has "withheld"
expect 1 "$KANON" audit careful.state
