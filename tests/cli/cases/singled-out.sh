# A limit of the rows that are one person's by all that is released: no release is written, and kanon check fails.

cat >t.csv <<'END'
id,age,job,disease,note
1,31,nurse,flu,a
2,33,nurse,gout,a
3,36,nurse,flu,b
4,39,nurse,gout,b
5,51,cook,flu,a
6,55,cook,flu,a
7,58,cook,gout,c
8,59,cook,flu,d
END
# In two groups of four the job says nothing more, the disease singles out 1 of 8 rows, the note 2, and both 6: 1 to 4,
# 7 and 8.
cat >s.yaml <<'END'
attributes:
  id: identifying
  age: quasi
  job: quasi
  disease: sensitive
  note: insensitive
privacy: {k: 4}
END
sed 's/k: 4/k: 4, singled-out: 0.7/' s.yaml >limit.yaml

# has NAME VALUE: a line of figures.
has()
{
    grep -q "^$1  *$2\$" "$OUT" || failed "$1 is not $2"
}

expect 0 "$KANON" anonymize t.csv -s s.yaml -q -o r.csv --groups g.csv --report r.json
expect 0 "$KANON" evaluate t.csv -s s.yaml --groups g.csv -q
has singled_out_all 0.75
has "singled_out\[disease\]" 0.125
has "singled_out\[note\]" 0.25
# of the 4 rows that fit one is right; who knows the note, too, knows a row of two, or (c and d) the right one
has linkage_quasi 0.25
has linkage_all 0.625
expect 0 "$KANON" evaluate t.csv -s s.yaml --release r.csv -q
has singled_out_all 0.75
has linkage_quasi 0.25
has linkage_all 0.625
expect 0 "$KANON" check r.csv -s s.yaml --original t.csv
has linkage_quasi 0.25
has linkage_all 0.625
out_has "finds the row in 25 % of the cases; who knows all other columns, too, but one sensitive one, in 62.5 %"
expect 0 "$KANON" check r.csv -s s.yaml
out_lacks linkage
has singled_out_all 0.75
has singled_out "0.125 disease"
has singled_out "0.25 note"

refused="the release would single out 75 % of its rows, more than the 70 % that is asked; note tells most rows apart"
for output in "-o n.csv" "-o n.csv --shuffle" "-o n.csv --numeric mean" "-o n.db#t" "-o n.csv --state n.kanon" \
    "--groups n.csv" "-o n.csv -a full-domain"; do
    # shellcheck disable=SC2086
    expect 1 "$KANON" anonymize t.csv -s limit.yaml -q $output
    err_has "$refused"
    err_lines 1
    no_file n.csv
    no_file n.db
    no_file n.kanon
done
expect 1 "$KANON" improve t.csv -s limit.yaml --groups g.csv -q -o n.csv
err_has "$refused"
expect 1 "$KANON" check r.csv -s limit.yaml
err_has "the columns together single out 75 % of the rows, more than the 70 % asked for"
expect 1 "$KANON" check r.csv -s s.yaml --singled-out 0.74
expect 0 "$KANON" check r.csv -s limit.yaml --singled-out 0.75 # the option wins; no more than that is fine
expect 0 "$KANON" anonymize t.csv -s limit.yaml -q -o n.csv --singled-out 0.75
same n.csv r.csv

# each of the means
expect 0 "$KANON" anonymize t.csv -s limit.yaml -q -o p.csv --permute note
expect 0 "$KANON" check p.csv -s limit.yaml --permute note --original t.csv
expect 1 "$KANON" check p.csv -s limit.yaml --permute note # nothing in the file says that they are permuted
out_has "1 column is said to be permuted within groups; only the original shows it"
expect 0 "$KANON" anonymize t.csv -s limit.yaml -q -o q.csv --identifying note

# a state keeps the limit: what is inserted later is released only within it
expect 0 "$KANON" anonymize t.csv -s s.yaml --singled-out 0.75 --key id -q -o n.csv --state s.kanon
printf 'id,age,job,disease,note\n9,57,cook,gout,e\n' >more.csv
expect 1 "$KANON" insert s.kanon more.csv --joint-k off -q -o n2.csv
err_has "the release would single out"
no_file n2.csv
expect 0 "$KANON" insert s.kanon more.csv -q
expect 1 "$KANON" release s.kanon --joint-k off -q -o n2.csv
no_file n2.csv

# parts of a table cannot be counted
expect 2 "$KANON" anonymize t.csv -s limit.yaml --blocks 4 --workers 2 -q -o n3.csv
err_has "a limit of the rows that are singled out is not possible in blocks by several processes"
no_file n3.csv
expect 2 "$KANON" check r.csv -s s.yaml --singled-out 2
err_has "singled-out: not a share of the rows; write 0.05 for five percent"
