# A schema is proposed and runs as it is: on tables as people have them, and on the sample.

export PYTHONDONTWRITEBYTECODE=1
expect 0 python3 "$SOURCE/tests/cli/odd_tables.py" odd
for table in german no_header visits personnel survey wide r_rows forms; do
    expect 0 python3 "$SOURCE/tests/cli/check_init.py" "$KANON" odd $table
done

expect 0 "$KANON" sample hospital --rows 1500 -o demo
expect 0 "$KANON" init demo/hospital.csv -o demo.yaml
err_has "kanon: 1500 records, 10 columns: 6 quasi, 2 sensitive, 0 insensitive, 2 withheld"
err_has "kanon: read demo.yaml, then: kanon anonymize demo/hospital.csv -s demo.yaml -o RELEASE"
grep -q '^  age: .*role: quasi, type: integer' demo.yaml || failed "age"
grep -q '^  zip: .*role: quasi, type: categorical, mask: right' demo.yaml || failed "zip"
grep -q '^  admission: .*role: quasi, type: date' demo.yaml || failed "admission"
grep -q '^  name: .*role: identifying' demo.yaml || failed "name"
grep -q '^  diagnosis: .*role: sensitive' demo.yaml || failed "diagnosis"
grep -q '^entity: id$' demo.yaml || failed "a patient has several records"
expect 0 "$KANON" anonymize demo/hospital.csv -s demo.yaml --effort fast -o release.csv
expect 1 "$KANON" check release.csv -s demo.yaml
out_has "id: the file has no such column, so persons cannot be counted"
out_lacks violated

# The schema goes to standard output unless -o names a file; -q says nothing.
"$KANON" init demo/hospital.csv >stdout.yaml 2>/dev/null
same stdout.yaml demo.yaml
expect 0 "$KANON" init demo/hospital.csv -q --threads 2 -o - <demo/hospital.csv
err_lines 0

# What cannot be read is not proposed, and the table is never overwritten.
printf 'a,b\n1\n' >ragged.csv
expect 3 "$KANON" init ragged.csv -o none.yaml
no_file none.yaml
printf 'age,sex\n1,f\n2,m\n' >small.csv
expect 2 "$KANON" init small.csv -o small.csv
err_has "would overwrite the table"
printf '20,m\n21,f\n22,m\n' >data.csv
expect 3 "$KANON" init data.csv
err_has "--header"

# Dates that can be read in two ways are read as the other dates of the table are.
printf 'admission,discharge,sex\n' >dates.csv
for day in 13 14 15 16 17 18 19 20; do
    printf '03/%s/2020,04/05/2020,f\n03/%s/2020,04/06/2020,m\n' "$day" "$day" >>dates.csv
done
expect 0 "$KANON" init dates.csv
out_has 'admission: {role: quasi, type: date, format: "%m/%d/%Y"'
out_has 'discharge: {role: quasi, type: date, format: "%m/%d/%Y"'
out_has 'check the format: %d/%m/%Y is possible, too'
err_has "discharge: all dates can be read as %m/%d/%Y and as %d/%m/%Y; %m/%d/%Y is proposed"
awk 'BEGIN { print "age;income"; for (i = 1; i <= 40; i++) printf "%d;%d,%d\n", 20 + i % 9, i % 8 + 1, 100 + i }' >pay.csv
expect 0 "$KANON" init pay.csv
err_has "income: what stands in its numbers can be before decimals or between thousands"
out_has "check the decimal separator"

# A run without a schema says what would be proposed, and how to use it.
printf 'age,sex,name,disease,v\n' >bare.csv
awk 'BEGIN { for (i = 0; i < 60; i++) printf "%d,%s,N%d,d%d,%d\n", 20 + i % 30, i * 7 % 3 ? "f" : "m", i, i * 11 % 4, i * 13 % 7 }' >>bare.csv
expect 2 "$KANON" anonymize bare.csv -k 5
err_lines 3
err_has "no schema; give -s SCHEMA, or name columns with --quasi"
err_has "kanon: init would propose: quasi age, sex; sensitive disease; withheld name, v"
err_has "kanon: to use that: kanon init bare.csv -o bare.yaml, read it, then: kanon anonymize bare.csv -s bare.yaml -o RELEASE"
no_file bare.yaml
expect 2 "$KANON" anonymize bare.csv -q
err_lines 1
expect 2 "$KANON" anonymize nowhere.csv
err_lines 1
expect 2 "$KANON" anonymize - <bare.csv
err_lines 1
