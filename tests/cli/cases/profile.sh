# The risk of a table before any work: figures by hand, a slow reference, 80 columns, and no value of the table.

cat >t.csv <<'END'
who,age,zip,ill
p1,20,1067,flu
p1,20,1067,gout
p2,20,1067,flu
p3,31,1069,flu
p4,31,1097,gout
p4,47,1097,gout
END
expect 0 "$KANON" profile t.csv --quasi age,zip --entity who --report p.json -q
out_has "records                         6"
out_has "persons                         4"
out_has "unique records                  3  50.0 % of the records"
out_has "unique persons                  2  50.0 % of the persons"
out_has "   2             3             3      50.0"
out_has "   3             4             6     100.0"
out_lacks 1067
out_lacks flu
grep -q '"unique_persons": 2' p.json || failed "the report"
! grep -q '1067\|flu' p.json || failed "the report has a value"

# Lines fit 80 columns, whatever the names.
long=a_very_long_name_of_a_column_that_nobody_would_want_to_type_even_once
printf '%s1,%s2,%s3\n' $long $long $long >wide.csv
i=0
while [ $i -lt 30 ]; do
    echo "$i,$((i % 7)),x$((i % 4))" >>wide.csv
    i=$((i + 1))
done
expect 0 "$KANON" profile wide.csv --quasi ${long}1,${long}2,${long}3 -q
awk 'length > 80 { bad = 1 } END { exit bad }' "$OUT" || failed "a line has more than 80 columns"

# The estimate of the loss is near what the run gives, and the same for any number of threads.
expect 0 "$KANON" sample hospital --rows 1100 -o demo
expect 0 "$KANON" profile demo/hospital.csv -s demo/hospital.yaml --report one.json -q --threads 1
expect 0 "$KANON" profile demo/hospital.csv -s demo/hospital.yaml --report two.json -q --threads 2
grep -v seconds one.json >one && grep -v seconds two.json >two
same one two
expect 0 "$KANON" anonymize demo/hospital.csv -s demo/hospital.yaml -k 5 -o /dev/null --report run.json
python3 - <<'END' || failed "the estimate is far from the loss of the run"
import json
loss = json.load(open("run.json"))["avg_loss"]
guess = [cost["avg_loss"] for cost in json.load(open("one.json"))["costs"] if cost["k"] == 5][0]
raise SystemExit(not 0.85 * loss < guess < 1.2 * loss)
END

# A k that the table cannot have costs nothing; wrong usage; an output that would overwrite an input.
expect 0 "$KANON" profile t.csv --quasi age,zip -q
out_has none
expect 2 "$KANON" profile t.csv
err_has "kanon init proposes one"
expect 2 "$KANON" profile t.csv --quasi age --report t.csv
err_has "would overwrite an input"

expect 0 python3 -B "$SOURCE/tests/reference/ref_profile.py" "$KANON" "${SEED:-11}" 8
