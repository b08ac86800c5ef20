# check --earlier and --population: joint classes as docs/audit.md has them, and how many people fit each row.

# verdict TEXT: the last line of standard output begins with it
verdict()
{
    tail -n 1 "$OUT" | awk -v wanted="verdict $*" '{ $1 = $1 } index($0, wanted) == 1 { found = 1 } END { exit !found }' ||
        failed "the last line is not: verdict $*"
}

# the example of docs/audit.md: Eve, record 5, is not in the second release
cat >one.csv <<'END2'
nr,age,zip,illness
1,[30..33],1011*,flu
2,[30..33],1011*,asthma
3,[30..33],1011*,flu
4,[61..66],8033*,gout
5,[61..66],8033*,depression
6,[61..66],8033*,flu
7,[61..66],8033*,asthma
8,[61..66],8033*,gout
END2
grep -v '^5,' one.csv >two.csv
cat >s.yaml <<'END2'
attributes: {nr: insensitive, age: quasi, zip: quasi, illness: sensitive}
privacy: {k: 3}
END2
expect 0 "$KANON" check two.csv -s s.yaml
expect 1 "$KANON" check two.csv -s s.yaml --earlier one.csv --key nr
verdict "fails: together with 1 earlier release 1 record is among fewer than 3 records: joint k is 1"
grep -q '^joint_k  *1$' "$OUT" || failed "joint_k is not 1"
grep -q '^records_below_k  *1$' "$OUT" || failed "records_below_k is not 1"
grep -q '^joint_distinct  *1 illness$' "$OUT" || failed "joint_distinct is not 1"
# Dan is withheld as well: two records are absent, and 2 is enough
grep -v '^[45],' one.csv >three.csv
expect 0 "$KANON" check three.csv -s s.yaml -k 2 --earlier one.csv --key nr
grep -q '^joint_k  *2$' "$OUT" || failed "joint_k is not 2"
grep -q '^joint_distinct  *2 illness$' "$OUT" || failed "joint_distinct is not 2"
sed 's/k: 3/k: 3, joint-k: off/' s.yaml >off.yaml
expect 0 "$KANON" check two.csv -s off.yaml --earlier one.csv --key nr
sed 's/k: 3/k: 3, joint-k: 2/' s.yaml >two.yaml
expect 0 "$KANON" check three.csv -s two.yaml --earlier one.csv --key nr
# the order of the rows does not matter, and three releases are more than two
{ head -n 1 two.csv; tail -n +2 two.csv | sort -r; } >reversed.csv
expect 1 "$KANON" check reversed.csv -s s.yaml -k 2 --earlier three.csv --earlier one.csv --key nr
verdict "fails: together with 2 earlier releases 2 records are among fewer than 2 records: joint k is 1"

# without a key nobody knows who is who
expect 1 "$KANON" check two.csv -s s.yaml --earlier one.csv
verdict "fails: what 1 earlier release reveals together with this one cannot be counted"
# unless all have the rows of the original
printf 'nr,age,zip,illness\n1,30,10115,flu\n2,32,10117,asthma\n3,33,10119,flu\n4,61,80331,gout\n5,62,80333,depression\n' >t.csv
printf '6,63,80335,flu\n7,64,80337,asthma\n8,66,80339,gout\n' >>t.csv
sed 's/zip: quasi/zip: {role: quasi, type: categorical, mask: right}/' s.yaml >m.yaml
expect 1 "$KANON" check two.csv -s m.yaml --earlier one.csv --original t.csv
verdict "fails: together with 1 earlier release 1 record is among fewer than 3 records"
sed '2s/33/31/' one.csv >odd.csv
expect 0 "$KANON" check one.csv -s m.yaml --earlier one.csv --original t.csv
expect 1 "$KANON" check one.csv -s m.yaml --earlier odd.csv --original t.csv
out_has "together with 1 earlier release 3 records are among fewer than 3 records"

# persons
cat >p.yaml <<'END2'
attributes: {nr: insensitive, who: identifying, age: quasi}
entity: who
privacy: {k: 2}
END2
printf 'nr,who,age\n1,a,20\n2,a,21\n3,b,22\n4,c,40\n5,d,41\n' >w.csv
printf 'nr,age\n1,[20..22]\n2,[20..22]\n3,[20..22]\n4,[40..41]\n5,[40..41]\n' >w1.csv
printf 'nr,age\n1,[20..21]\n2,[20..21]\n3,*\n4,*\n5,*\n' >w2.csv
expect 1 "$KANON" check w1.csv -s p.yaml --earlier w2.csv --key nr
out_has "cannot be counted: whose their records are is not known"
expect 1 "$KANON" check w1.csv -s p.yaml --earlier w2.csv --key nr --original w.csv
out_has "together with 1 earlier release 3 records are among fewer than 2 persons: joint k is 1"
expect 0 "$KANON" check w1.csv -s p.yaml --earlier w1.csv --key nr --original w.csv

# bad files
expect 3 "$KANON" check two.csv -s s.yaml --earlier t.csv --key id
err_has "t.csv:1: id: there is no such column, which is one of the key"
sed '4s/^3/2/' one.csv >double.csv
expect 3 "$KANON" check two.csv -s s.yaml --earlier double.csv --key nr
err_has "double.csv:4: nr: an earlier record has the same key"
printf 'nr,years\n1,2\n' >other.csv
expect 3 "$KANON" check two.csv -s s.yaml --earlier other.csv --key nr
err_has "other.csv:1: no column of the file is a quasi one"
expect 4 "$KANON" check two.csv -s s.yaml --earlier none.csv --key nr

# ---- people: the example of the specification ----
printf 'age,zip\n[30..33],1011*\n[30..33],1011*\n' >r.csv
printf 'zip,name,age\n10115,a,30\n10117,b,31\n10119,c,33\n10111,d,33\n10115,e,40\n10200,f,30\n' >people.csv
expect 0 "$KANON" check r.csv --quasi age,zip --mask zip=right -k 2 --population people.csv
out_has "population           each row fits at least 4 of the 6 people of the population"
for line in "journalist_risk 0.25" "marketer_risk 0.25" "rows_fit_one 0" "rows_fit_few 0" "rows_fit_k 2" "presence_least 0" \
    "presence_most 0.5"; do
    awk -v wanted="$line" '{ $1 = $1 } $0 == wanted { found = 1 } END { exit !found }' "$OUT" || failed "no line: $line"
done
cat >k.yaml <<'END2'
attributes: {age: quasi, zip: {role: quasi, mask: right}}
privacy: {k: 2, constraints: [{model: k-map, k: 4}]}
END2
expect 0 "$KANON" check r.csv -s k.yaml --population people.csv
verdict "holds"
sed 's/k: 4/k: 5/' k.yaml >k5.yaml
expect 1 "$KANON" check r.csv -s k5.yaml --population people.csv
verdict "fails: k-map: fewer than 5 people of the population fit 2 rows"
expect 1 "$KANON" check r.csv -s k.yaml
verdict "fails: k-map: how many people fit each row is known by a population only"
sed 's/k: 4/k: some/' k.yaml >bad.yaml
expect 3 "$KANON" check r.csv -s bad.yaml --population people.csv
err_has "bad.yaml:2: k-map: k must be a whole number from 1 upwards"
head -n 2 people.csv >few.csv
expect 3 "$KANON" check r.csv --quasi age,zip --population people.csv
err_has "people.csv: zip: 2 cells of the release cannot be read as values of the population"
expect 3 "$KANON" check r.csv -s k.yaml --population few.csv
err_has "few.csv: at least 1 person of the release is not in the population"
cut -d, -f1,2 people.csv >lacks.csv
expect 3 "$KANON" check r.csv --quasi age,zip --population lacks.csv
err_has "lacks.csv:1: age: the population has no such column"

# no release is written of which a row fits too few of them
cat >t.csv <<'END2'
age,zip
30,10115
31,10117
40,10115
30,10200
END2
expect 1 "$KANON" anonymize t.csv -s k.yaml --population people.csv -a mondrian -o k.csv
err_has "k-map: fewer than 4 people of the population fit 2 rows" # 30 and 31, 1011*: a and b
no_file k.csv
expect 0 "$KANON" anonymize t.csv -s k.yaml -k 4 --population people.csv -a mondrian -o k.csv --verbose
err_has "met: Population: at least 4 people of the population fit each row"
expect 0 "$KANON" check k.csv -s k.yaml --population people.csv
expect 2 "$KANON" anonymize t.csv -s k.yaml -a mondrian -o none.csv
err_has "k-map: only a population shows how many people fit each row"
no_file none.csv
expect 2 "$KANON" anonymize t.csv --quasi age,zip -k 2 -a mondrian --population people.csv -o none.csv
err_has "a population is for a k-map, and none is asked for"
expect 2 "$KANON" anonymize t.csv -s k.yaml -a mondrian --population people.csv --state k.state
err_has "a state cannot keep a k-map"
no_file k.state

# the default role makes quasi-identifiers, too: of a column that has a type alone, and of one without an entry
printf 'a,b,c,s,id\n1,1,1,x,1\n1,2,1,y,2\n1,1,2,z,3\n1,2,2,x,4\n' >people.csv
printf 'a,b,c,s,id\n1,1,*,x,1\n1,1,*,z,3\n1,2,*,y,2\n1,2,*,x,4\n' >now.csv
printf 'a,b,c,s,id\n1,*,1,x,1\n1,*,1,y,2\n1,*,2,z,3\n1,*,2,x,4\n' >before.csv
cat >role.yaml <<'END2'
default-role: quasi
attributes:
  a: {role: quasi, type: integer}
  b: {type: integer}
  s: {role: sensitive}
  id: {role: insensitive}
privacy: {k: 2, constraints: [{model: k-map, k: 4}]}
END2
for file in now before; do
    expect 1 "$KANON" check $file.csv -s role.yaml --population people.csv
    verdict "fails: k-map: fewer than 4 people of the population fit 4 rows"
done
expect 1 "$KANON" check now.csv -s role.yaml --earlier before.csv --key id --population people.csv
grep -q '^joint_k  *1$' "$OUT" || failed "joint_k is not 1"
# one record alone, and nothing asked
printf 'attributes: {nr: insensitive, age: quasi, zip: quasi, illness: sensitive}\n' >no-k.yaml
"$KANON" check two.csv -s no-k.yaml --earlier one.csv --key nr >out.txt
grep -q 'each record is among at least 1 record$' out.txt || failed "a plural"
