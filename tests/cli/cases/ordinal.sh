# Ordinal columns: intervals of levels through every command, and what is refused.

cat >t.csv <<'END'
id,school,age,pain
1,none,20,low
2,primary,21,"so, so"
3,secondary,50,high
4,secondary,51,high
5,?,52,low
6,primary,22,high
END
cat >s.yaml <<'END'
missing: ["?"]
key: [id]
joint-k: off
attributes:
  id:     {role: insensitive}
  school: {role: quasi, type: ordinal, order: [none, primary, secondary, "[tertiary]"]}
  age:    {role: quasi, type: integer}
  pain:   {role: sensitive, order: [low, "so, so", high]}
privacy: {k: 3}
END
cat >wanted.csv <<'END'
id,school,age,pain
1,[none..primary],[20..22],low
2,[none..primary],[20..22],"so, so"
3,*,[50..52],high
4,*,[50..52],high
5,*,[50..52],low
6,[none..primary],[20..22],high
END
expect 0 "$KANON" anonymize t.csv -s s.yaml -a kmember --seed 1 -o r.csv --groups g.csv --state st.state --codebook c.html -q
same wanted.csv r.csv
grep -q 'order: none, primary, secondary, \[tertiary\]' c.html || failed "the codebook does not say the order"
# ages lose 2/32 each; one group loses 1/3 of its schools, the other one all
expect 0 "$KANON" evaluate t.csv -s s.yaml --groups g.csv
grep -Eq '^information_loss +4\.375$' "$OUT" || failed "not the loss that was worked out by hand"
expect 0 "$KANON" evaluate t.csv -s s.yaml --release r.csv
grep -Eq '^information_loss +4\.375$' "$OUT" || failed "the release does not lose what its groups lose"
expect 0 "$KANON" check r.csv -s s.yaml
out_has "holds"
expect 0 "$KANON" anonymize t.csv -s s.yaml -a kmember --seed 1 -q -o r.html.csv --report r.html
grep -q 'none' r.html || failed "the report does not name levels"

# the same by flags; levels of any order
expect 0 "$KANON" anonymize t.csv --quasi school --missing '?' --order 'school=secondary,none,primary' -k 3 -a kmember -q -o -
out_has '[none..primary]'
for order in '' 'none,none' 'a..b' '*'; do
    expect 2 "$KANON" anonymize t.csv --quasi school --order "school=$order" -k 3 -o -
    err_has "column 'school': a level that "
done
expect 3 "$KANON" anonymize t.csv --quasi school --missing '?' --order school=none,primary -k 3 -o -
err_has "t.csv:4: school: the value is none of the levels of the column"
err_lacks "secondary"
expect 3 "$KANON" anonymize t.csv --quasi school --type school=ordinal -k 3 -o -
err_has "an ordinal column without an order"

# a state keeps its levels: the unused one may come, another one may not
printf 'id,school,age,pain\n7,[tertiary],53,low\n8,secondary,54,low\n' >new.csv
expect 0 "$KANON" insert st.state new.csv -q -o r2.csv
grep -q '^7,.*\[tertiary\]' r2.csv || grep -q '^7,\*' r2.csv || failed "the new record is not there"
expect 0 "$KANON" check r2.csv -s s.yaml
printf 'id,school,age,pain\n9,academy,53,low\n' >odd.csv
expect 3 "$KANON" insert st.state odd.csv -q
err_has "odd.csv:2: school: none of the levels of the column"
err_lacks academy
expect 0 "$KANON" state st.state
