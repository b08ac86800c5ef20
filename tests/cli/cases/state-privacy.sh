# A state keeps the requirements in addition to k: constraints, entities, the suppression budget.

printf 'id,who,age,job,ill\n' >t.csv
i=0
while [ $i -lt 36 ]; do
    case $((i % 3)) in 0) ill=flu ;; 1) ill=cold ;; *) ill=gout ;; esac
    echo "r$i,p$((i / 2)),$((20 + i)),$([ $((i % 2)) = 0 ] && echo cook || echo clerk),$ill" >>t.csv
    i=$((i + 1))
done
cat >s.yaml <<'EOF2'
attributes:
  id: {role: identifying}
  who: {role: insensitive}
  age: {role: quasi, type: integer}
  job: {role: quasi, type: categorical}
  ill: {role: sensitive}
privacy:
  k: 3
  constraints:
    - {model: distinct-l-diversity, attribute: ill, l: 2}
    - {model: t-closeness, attribute: ill, t: 0.4}
key: [id]
EOF2

# what no group may be: three alike
expect 0 "$KANON" anonymize t.csv -s s.yaml -q -o r.csv --state x.state
printf 'id,who,age,job,ill\na1,q1,20,cook,flu\na2,q2,20,cook,flu\na3,q3,20,cook,flu\na4,q4,20,cook,flu\na5,q5,20,cook,flu\na6,q6,21,cook,flu\n' >d.csv
expect 0 "$KANON" insert x.state d.csv -o r.csv --report p.json
err_has "6 records inserted; 42 records"
expect 0 "$KANON" check r.csv -s s.yaml
grep -q '"sentence": "ill: every group has at least 2 different values"' p.json || failed "the report says nothing about constraints"
expect 0 "$KANON" state x.state
out_has "keeps          ill: every group has at least 2 different values (asked 2, reached "
out_has "keeps          ill: in every group the values are distributed as in the table"
out_has "file           sound"
printf 'id\nr1\nr4\nr7\nr10\nr13\nr16\n' >d.csv
expect 0 "$KANON" delete x.state d.csv -o r.csv
expect 0 "$KANON" check r.csv -s s.yaml
expect 0 "$KANON" optimize x.state --refine search -o r.csv
expect 0 "$KANON" check r.csv -s s.yaml
expect 0 "$KANON" release x.state --joint-k 2 -o r.csv
expect 0 "$KANON" check r.csv -s s.yaml

# one value alone would be left: nothing changes
{ echo id; awk -F, 'NR > 1 && $5 != "flu" { print $1 }' t.csv; } | grep -v -x -e r1 -e r4 -e r7 -e r10 -e r13 -e r16 >d.csv
cp x.state before.state
expect 1 "$KANON" delete x.state d.csv
err_has "ill: distinct-l-diversity: even the whole table as one group has l = 1, asked is 2"
err_has "nothing was changed"
same x.state before.state

# whoever is there already is joined by new records; all of a person move together
expect 0 "$KANON" anonymize t.csv -s s.yaml -q --entity who --entity-together -o r.csv --state y.state --joint-k off
printf 'id,who,age,job,ill\nn1,p0,90,clerk,gout\nn2,new,33,cook,flu\nn3,new,80,cook,cold\n' >d.csv
expect 0 "$KANON" insert y.state d.csv -o r.csv
awk -F, 'NR > 1 { if ($1 in seen && seen[$1] != $2 FS $3) exit 1; seen[$1] = $2 FS $3 }' r.csv || failed "a person is in two groups"
expect 0 "$KANON" check r.csv -s s.yaml --entity who
expect 0 "$KANON" state y.state
out_has "entity         who"
out_has "all records of an entity are in one group"
expect 2 "$KANON" optimize y.state
err_has "entities are to stay together"
# the two records of one new person, and one of another, who is there already: joint classes count persons
expect 1 "$KANON" audit y.state -k 2
out_has "class_size       1 x 2"
out_has "joint_entities   1"
out_has "entities_below_k 2"
err_has "2 joint classes hold records of fewer than 2 persons"

# persons are told apart wherever their column is, and those who are missing are one
awk -F, -v OFS=, 'NR == 1 || NR % 9 != 0 { print $2, $3, $5; next } { print "", $3, $5 }' t.csv >first.csv
expect 0 "$KANON" anonymize first.csv --quasi age --sensitive ill --identifying who --entity who -k 3 -q -o r.csv --state f.state
expect 0 "$KANON" audit f.state
awk '$1 == "joint_entities" { found = $2 >= 3 } END { exit !found }' "$OUT" || failed "fewer persons than the release was made for"

# the suppression budget shrinks with the table: 12 of 36 records are suppressed, but no more than half of 20 may be
expect 0 "$KANON" anonymize t.csv --quasi age,job --sensitive ill --identifying id,who -k 6 -a greedy-threshold \
    --set threshold=0.3 -q --suppress 0.5 -o r.csv --groups g.csv --state z.state
[ "$(grep -c ,0 g.csv)" = 12 ] || failed "not as many are suppressed as this case is about"
awk -F, 'NR == FNR { group[FNR] = $2; next } FNR == 1 || (group[FNR] > 0 && n++ < 16)' g.csv t.csv >d.csv
expect 0 "$KANON" delete z.state d.csv
err_has "16 records deleted; 20 records"
expect 0 "$KANON" state z.state
out_has "may_suppress   10"
out_has "suppressed     10"
