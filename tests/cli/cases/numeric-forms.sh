# The four ways to release numbers.

printf 'age,pay\n20,1.50\n21,2\n22,1.75\n60,9.5\n60,9.5\n60,9.5\n' >t.csv
printf 'attributes: {age: {role: quasi}, pay: {role: quasi}}\n' >s.yaml

form()
{
    expect 0 "$KANON" anonymize t.csv -s s.yaml -k 3 -a kmember -q --numeric "$1"
    same "$OUT" wanted.csv
}

printf 'age,pay\n[20..22],[1.50..2]\n[20..22],[1.50..2]\n[20..22],[1.50..2]\n60,9.5\n60,9.5\n60,9.5\n' >wanted.csv
form interval
expect 0 "$KANON" anonymize t.csv -s s.yaml -k 3 -a kmember -q
same "$OUT" wanted.csv

printf 'age,pay\n21,1.75\n21,1.75\n21,1.75\n60,9.5\n60,9.5\n60,9.5\n' >wanted.csv
form mean

cat >wanted.csv <<'END'
age_min,age_max,pay_min,pay_max
20,22,1.50,2
20,22,1.50,2
20,22,1.50,2
60,60,9.5,9.5
60,60,9.5,9.5
60,60,9.5,9.5
END
form columns

# a range holds commas, so its cells are quoted; the groups stay what they are
expect 0 "$KANON" anonymize t.csv -s s.yaml -k 3 -a kmember -q --numeric range
[ "$(grep -c '^"\[20,22\]","\[1.50,2\]"$' "$OUT")" -eq 3 ] || failed "no ranges"
[ "$(wc -l <"$OUT")" -eq 7 ] || failed "not seven lines"

# each form can be checked
for form in interval range mean columns; do
    "$KANON" anonymize t.csv -s s.yaml -k 3 -a kmember -q --numeric $form >r.csv
    expect 0 "$KANON" check r.csv -s s.yaml -k 3
    grep -q '^k  *3$' "$OUT" || failed "k is not 3 in the form $form"
done

# a column that is called as one of the two would be
printf 'age,age_min\n20,1\n21,2\n22,3\n' >t.csv
expect 2 "$KANON" anonymize t.csv --quasi age --insensitive age_min -k 3 -q --numeric columns -o none.csv
err_has "choose another numeric form, or rename the column; --numeric interval and --numeric range add no columns"
no_file none.csv
