# Values are compared without the white space at their ends, by every command; what is copied is released as written.
nbsp=$(printf '\302\240') narrow=$(printf '\342\200\257')

# sensitive values: one disease written in five ways
printf 'q,s\n1,hiv\n1,hiv \n1, hiv\n1,"hiv"\n1," hiv%s"\n1,%shiv\n' "$nbsp" "$narrow" >t.csv
c=model=distinct-l-diversity,attribute=s,l=2
expect 1 "$KANON" anonymize t.csv --quasi q --sensitive s -k 3 --constraint $c -o r.csv
err_has "even the whole table as one group has l = 1, asked is 2"
no_file r.csv
expect 0 "$KANON" anonymize t.csv --quasi q --sensitive s -k 3 -o r.csv
err_has "s: 5 values differ only in spaces at their ends and count as one"
err_lacks "hiv"
same t.csv r.csv
expect 1 "$KANON" check r.csv --quasi q --sensitive s -k 3 --constraint $c
out_has "distinct_l           1 s"
out_has "s: 5 values differ only in spaces at their ends and count as one"
printf 'q,s\n1,a\n1,a \n1,b\n1, b\n1,c\n' >t.csv
expect 0 "$KANON" anonymize t.csv --quasi q --sensitive s -k 3 -o r.csv
err_has "s: 4 values differ only in spaces at their ends and count as 2"
printf 'q,s\n1, a\n1, b\n1, c\n' >t.csv
expect 0 "$KANON" anonymize t.csv --quasi q --sensitive s -k 3 -o r.csv
err_lacks "spaces"

# entities
printf 'p,q\nA,1\nA ,1\n%sA,1\n' "$nbsp" >e.csv
expect 1 "$KANON" anonymize e.csv --quasi q --entity p -k 2 -o r.csv
err_has "the table has only 1 person"
printf 'p,q\nA,1\nA ,1\nB,1\n  ,1\n%s,1\n' "$nbsp" >e.csv # blanks are no name: those without one are one more
expect 1 "$KANON" anonymize e.csv --quasi q --entity p -k 4 -o r.csv
expect 0 "$KANON" anonymize e.csv --quasi q --entity p -k 3 -o r.csv
err_has "p: 4 values differ only in spaces at their ends and count as 2"
expect 1 "$KANON" check e.csv --quasi q --entity p -k 4
expect 0 "$KANON" check e.csv --quasi q --entity p -k 3

# quasi-identifiers: categories, masks, numbers, dates, missing texts, and the labels of a taxonomy
printf 'city,zip,age,day,n\n' >t.csv
printf 'Rome,123, 5,2020-01-01,?\nRome ,123 ,5,2020-01-01 ,? \n%sRome,"124 ",5%s, 2020-01-02, ?\n' "$nbsp" "$nbsp" >>t.csv
printf 'Pisa, 222,7,2021-01-01,7\n"Pisa%s",222,"7 ",2021-01-01,7\n Pisa,222, 7,"2021-01-01%s",7\n' "$nbsp" "$narrow" >>t.csv
cat >s.yaml <<'END'
missing: ["? "]
attributes:
  city: {role: quasi, taxonomy: {" Italy": [Rome, "Pisa "]}}
  zip: {role: quasi, mask: right}
  age: {role: quasi, type: integer}
  day: {role: quasi, type: date}
  n: {role: quasi, type: integer}
END
cat >expected.csv <<'END'
city,zip,age,day,n
Rome,12*,5,[2020-01-01..2020-01-02],?
Rome,12*,5,[2020-01-01..2020-01-02],?
Rome,12*,5,[2020-01-01..2020-01-02],?
Pisa,222,7,2021-01-01,7
Pisa,222,7,2021-01-01,7
Pisa,222,7,2021-01-01,7
END
expect 0 "$KANON" anonymize t.csv -s s.yaml -k 3 -o r.csv
same expected.csv r.csv
err_has "city: 6 values differ only in spaces at their ends and count as 2"
err_lacks "age:"
expect 0 "$KANON" check r.csv -s s.yaml -k 3
sed 's/Rome/ Rome/;s/,222/, 222/' r.csv >padded.csv
expect 0 "$KANON" evaluate t.csv -s s.yaml --release r.csv
cp "$OUT" plain.txt
expect 0 "$KANON" evaluate t.csv -s s.yaml --release padded.csv
sed 's/padded/r/' "$OUT" >padded.txt
same plain.txt padded.txt
printf ' Rome;Italy\nPisa;Italy \n' >tax.csv
sed 's/taxonomy: .*]}}/taxonomy: tax.csv}/' s.yaml >file.yaml
expect 0 "$KANON" anonymize t.csv -s file.yaml -k 3 -o r.csv
same expected.csv r.csv
sed 's/\[Rome,/[Rome, "Rome ",/' s.yaml >twice.yaml
expect 3 "$KANON" anonymize t.csv -s twice.yaml -k 3 -o none.csv
err_has "this value is twice in the taxonomy"

# states: keys of deltas, values of new records
printf 'id,q,s\n' >t.csv
for i in 1 2 3 4 5 6; do echo "r$i ,A,x" >>t.csv; done
cat >s.yaml <<'END'
attributes: {id: {role: identifying}, q: {role: quasi, type: categorical}, s: {role: sensitive}}
key: [id]
END
expect 0 "$KANON" anonymize t.csv -s s.yaml -k 2 -o r.csv --state x.state
printf 'id,q,s\nr7,A ,x \n%sr8,%sA,y\n' "$nbsp" "$nbsp" >d.csv
expect 0 "$KANON" insert x.state d.csv -o r.csv
grep -q '^A,x $' r.csv || failed "a sensitive value is not released as written"
printf 'id,q,s\n r7%s,A,z\n' "$nbsp" >d.csv
expect 0 "$KANON" update x.state d.csv -o r.csv
printf 'id\n r1\nr2%s\n"r8 "\n' "$narrow" >d.csv
expect 0 "$KANON" delete x.state d.csv -o r.csv
err_has "5 records"
expect 0 "$KANON" state x.state
out_has "sound"

# values that look the same
printf 'q,s\n1,Zo\303\253\n1,x\n1,Zoe\314\210\n1,y\n' >t.csv
expect 0 "$KANON" anonymize t.csv --quasi q --sensitive s -k 3 -o r.csv
same t.csv r.csv
err_has "s: 1 value differs from another only in its Unicode form and counts as different; the first is in line 4"
err_lacks "Zo"

# what is released as it is stays byte for byte in every form: texts for "missing", blanks at the ends; numbers have a type
printf 'age,dis,dose,note\n1,?,1, a\n1,"flu, x",02,NA\n2,NA,?,?\n2,flu ,NA,"b ""c"""\n' >typed.csv
printf 'missing: ["?", NA]\nattributes: {age: quasi, dis: sensitive, dose: {role: sensitive, type: integer}, note: insensitive}
privacy: {k: 2}\n' >typed.yaml
expect 0 "$KANON" anonymize typed.csv -s typed.yaml -q -o typed.db#rel
expect 0 python3 -c "import sqlite3
for row in sqlite3.connect('typed.db').execute('select dis, dose, note from rel order by rowid'): print(row)"
cat >typed.expected <<'END'
('?', 1, ' a')
('flu, x', 2, 'NA')
('NA', None, '?')
('flu ', None, 'b "c"')
END
same typed.expected "$OUT"
