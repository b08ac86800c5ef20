# What no grouping can meet: exit status 1, one line, nothing written.

printf 'age,zip\n20,1\n21,1\n30,2\n' >t.csv
printf 'attributes: {age: {role: quasi}, zip: {role: quasi}}\n' >s.yaml
for k in 4 1000000 9223372036854775807; do
    expect 1 "$KANON" anonymize t.csv -s s.yaml -k $k -o r.csv --groups g.csv --report p.json
    err_lines 1
    err_has 3
    [ ! -s "$OUT" ] || failed "there is something on standard output"
done
[ "$(echo *)" = "s.yaml t.csv" ] || failed "files were left behind: $(ls -A)"

# as many as there are is possible
expect 0 "$KANON" anonymize t.csv -s s.yaml -k 3 -q
out_has '[20..30],[1..2]'
