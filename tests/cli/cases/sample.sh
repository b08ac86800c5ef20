# Sample data: the same seed gives the same bytes, and what is made can be used.

expect 0 "$KANON" sample hospital --rows 300 --seed 5 -o one
[ ! -s "$OUT" ] || failed "there is something on standard output"
err_lines 1
err_has one/hospital.csv
err_has one/hospital.yaml
expect 0 "$KANON" sample hospital --rows 300 --seed 5 -o two -q
err_lines 0
diff -r one two || failed "the same seed gives other files"
expect 0 "$KANON" sample hospital --rows 300 --seed 6 -o three -q
! cmp -s one/hospital.csv three/hospital.csv || failed "another seed gives the same table"

expect 0 "$KANON" anonymize one/hospital.csv -s one/hospital.yaml -k 5 -o r.csv -q --strict
expect 0 "$KANON" check r.csv -s one/hospital.yaml -k 5
grep -q '^records  *300$' "$OUT" || failed "not 300 records"
