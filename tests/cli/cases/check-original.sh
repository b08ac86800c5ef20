# check --original: each doctored file fails or is marked, each correct release of a table with persons can be shown to hold.

# verdict TEXT: the last line of standard output begins with it
verdict()
{
    tail -n 1 "$OUT" | awk -v wanted="verdict $*" '{ $1 = $1 } index($0, wanted) == 1 { found = 1 } END { exit !found }' ||
        failed "the last line is not: verdict $*"
}

expect 0 "$KANON" sample hospital --rows 2000 --seed 1 -o demo
T=demo/hospital.csv S=demo/hospital.yaml
expect 0 "$KANON" anonymize $T -s $S -k 5 -a mondrian -o r.csv
expect 0 "$KANON" check r.csv -s $S -k 5 --original $T
verdict "holds"
out_has "compared             compared with the 2000 records of the original row by row, in the order of the table"
expect 0 "$KANON" evaluate $T -s $S --release r.csv
out_has "uncovered_cells"
for figure in uncovered_cells records_doubled records_foreign columns_exchanged; do
    grep -q "^$figure  *0$" "$OUT" || failed "$figure is not 0"
done

# every form that keeps intervals, suppressed records left out or kept, in order or not
for form in "--numeric columns" "--numeric range" "--suppress 0.05 -a mondrian" "--suppress 0.05 --suppressed keep" "--shuffle" \
    "--bands age=5"; do
    # shellcheck disable=SC2086
    expect 0 "$KANON" anonymize $T -s $S -k 5 -a mondrian $form -o form.csv
    expect 0 "$KANON" check form.csv -s $S -k 5 --original $T
    verdict "holds"
done
expect 0 "$KANON" anonymize $T -s $S -k 5 -a mondrian --numeric mean -o mean.csv
expect 0 "$KANON" check mean.csv -s $S -k 5 --original $T
out_has "means                age: its cells are means"

# an extra column of full names
awk 'NR == 1 { print $0 ",full_name"; next } { print $0 ",Ann Name" NR }' r.csv >names.csv
expect 1 "$KANON" check names.csv -s $S -k 5
verdict "fails: a column without a role: full_name; give a role"
out_has "--insensitive full_name gives it a role"
expect 1 "$KANON" check names.csv -s $S -k 5 --original $T
out_has "extra_column         full_name: the original has no such column"
expect 0 "$KANON" check names.csv -s $S -k 5 --original $T --insensitive full_name
out_has "extra_column         full_name: the original has no such column"

# headers of two columns exchanged
sed '1s/age/X/; 1s/zip/age/; 1s/X/zip/' r.csv >exchanged.csv
expect 1 "$KANON" check exchanged.csv -s $S -k 5 --original $T
out_has "exchanged            the columns zip and age are exchanged"
expect 0 "$KANON" evaluate $T -s $S --release exchanged.csv
grep -q "^columns_exchanged  *2$" "$OUT" || failed "columns_exchanged is not 2"
sed '1s/marital-status/X/; 1s/occupation/marital-status/; 1s/X/occupation/' r.csv >exchanged.csv
expect 1 "$KANON" check exchanged.csv -s $S -k 5 --original $T
out_has "exchanged            the columns occupation and marital-status are exchanged"

# 200 original records ten times each
cut -d, -f3- $T | awk 'NR == 1 { print; next } NR <= 201 { for (i = 0; i < 10; i++) print }' >ten.csv
expect 0 "$KANON" check ten.csv -s $S -k 5
expect 1 "$KANON" check ten.csv -s $S -k 5 --original $T
out_has "doubled              at least 1800 rows are of records that are in the file already"
out_has "missing              1800 records of the original are not in the file"
expect 0 "$KANON" evaluate $T -s $S --release ten.csv
grep -q "^records_doubled  *1800$" "$OUT" || failed "records_doubled is not 1800"

# one cell that does not cover, one value that is not the original's, a row twice
sed '7s/^[^,]*/[1..2]/' r.csv >cell.csv
expect 1 "$KANON" check cell.csv -s $S -k 5 --original $T
out_has "uncovered            age: 1 cell does not cover the original"
sed '7s/[^,]*$/17/' r.csv >cost.csv
expect 1 "$KANON" check cost.csv -s $S -k 5 --original $T
verdict "fails: cost: 1 cell does not have the value of the original"
{ cat r.csv; sed -n 9p r.csv; } >twice.csv
expect 1 "$KANON" check twice.csv -s $S -k 5 --original $T
verdict "fails: at least 1 row is of records that are in the file already"

# a correct release of a table with persons: not shown by itself, shown with the original, in order, shuffled and by key
awk 'BEGIN { print "visit,pid,age,zip,drug"
             for (p = 0; p < 400; p++)
                 for (v = 0; v <= p % 3; v++)
                     print "v" ++n ",p" p "," 20 + p * 7 % 60 "," 10000 + p * 13 % 97 ",d" (p * 31 + v * 17) % 101 }' >visits.csv
cat >visits.yaml <<'END2'
attributes:
  visit: {role: identifying}
  pid: {role: identifying}
  age: {role: quasi, type: integer}
  zip: {role: quasi, type: categorical, mask: right}
  drug: {role: sensitive, type: categorical}
entity: pid
privacy: {k: 4}
END2
expect 0 "$KANON" anonymize visits.csv -s visits.yaml -a mondrian -o v.csv
expect 1 "$KANON" check v.csv -s visits.yaml
verdict "fails: pid: the file has no such column"
out_has "--original TABLE compares the file with it"
expect 0 "$KANON" check v.csv -s visits.yaml --original visits.csv
verdict "holds"
out_has "persons              4 in the smallest class"
expect 0 "$KANON" anonymize visits.csv -s visits.yaml --insensitive visit -a mondrian --shuffle -o vk.csv
expect 0 "$KANON" check vk.csv -s visits.yaml --insensitive visit --original visits.csv --key visit
verdict "holds"
out_has "by key"
# grouped by records, a person is alone with four visits
expect 0 "$KANON" anonymize visits.csv -s visits.yaml --quasi age,zip -k 2 -a mondrian --entity pid -o two.csv
expect 1 "$KANON" check two.csv -s visits.yaml --original visits.csv
verdict "fails: k is"

# texts that are declared to be the same are so for the other files, too
printf 'a,b,s\n1,M,x\n2,M,none\n3,M,none\n4,M,x\n' >spelled.csv
printf 'a,b,s\n[1..2],male,x\nyoung,M,-\n[3..4],M,none\n[3..4],M,x\n' >spelling.csv
cat >spelling.yaml <<'END2'
attributes: {a: {role: quasi, type: integer}, b: quasi, s: sensitive}
privacy: {k: 2}
END2
{ cat spelling.yaml; echo "same: [[male, M], [young, '[1..2]'], ['-', none]]"; } >same.yaml
{ cat spelling.yaml; echo "same: [[M, male], ['[1..2]', young], [none, '-']]"; } >same-again.yaml
printf 'nr,a,b,s\n1,[1..2],male,x\n2,young,M,-\n3,[3..4],M,none\n4,[3..4],M,x\n' >now.csv
printf 'nr,a,b,s\n1,*,M,x\n2,*,male,x\n3,*,M,none\n4,*,male,none\n' >before.csv
for file in same same-again; do
    expect 0 "$KANON" check spelling.csv -s $file.yaml --original spelled.csv
    expect 0 "$KANON" check spelling.csv -s $file.yaml --population spelled.csv
    out_has "each row fits at least 2 of the 4 people"
    expect 0 "$KANON" check now.csv -s $file.yaml --insensitive nr --earlier before.csv --key nr
    out_has "each record is among at least 2 records"
done
expect 1 "$KANON" check spelling.csv -s spelling.yaml --original spelled.csv

# wrong use and bad files
expect 2 "$KANON" check - -s visits.yaml --original -
err_has "only one file can come from standard input"
expect 3 "$KANON" check v.csv -s visits.yaml --original visits.csv --key visit
err_has "v.csv:1: visit: there is no such column, which is one of the key"
expect 3 "$KANON" check vk.csv -s visits.yaml --insensitive visit --original visits.csv --key drug
err_has "drug: an earlier record has the same key"
sed '5s/$/,x/' visits.csv >broken.csv
expect 3 "$KANON" check v.csv -s visits.yaml --original broken.csv
err_has "broken.csv:5: "
expect 4 "$KANON" check v.csv -s visits.yaml --original none.csv
