# Columns that are released as they are: a run and the check of a released file warn of what the schema took for harmless.
# No warning holds a cell.

awk 'BEGIN { print "age,zip,sex,both,who,day,points,hours"; srand(3)
    split("Ann Bob Eva Tom Lea Ben Max Ida", first, " "); split("Lee Fox Orr Kay Roe Day May Poe", last, " ")
    for (i = 1; i <= 600; i++) {
        age = 18 + int(rand() * 50); zip = 10115 + int(rand() * 7) * 1000
        printf "%d,%d,%s,%d/%d,%s %s,2021-%02d-%02d,%d,%d\n", age, zip, rand() < 0.5 ? "f" : "m", age, zip, first[1 + i % 8],
            last[1 + int(i / 8) % 8], 1 + int(rand() * 12), 1 + int(rand() * 28), int(rand() * 6), 20 + int(rand() * 30) } }' >t.csv
printf 'attributes: {age: {role: quasi}, zip: {role: quasi, mask: right}, sex: {role: quasi}, both: {role: insensitive},
  who: {role: insensitive}, day: {role: insensitive}, points: {role: insensitive}, hours: {role: sensitive}}\n' >s.yaml
expect 0 "$KANON" anonymize t.csv -s s.yaml -k 5 -o r.csv -q --effort fast
err_lines 4
err_has "Columns released as they are: 5 columns; together with the quasi-identifiers they single out 100 % of the rows"
err_has "warning: both: is released as it is, and repeats age, zip in every record"
err_has "warning: who: is released as it is, and looks identifying: a name"
err_has "warning: day: is released as it is, and has exact dates"
err_lacks "Ann"
expect 0 "$KANON" check r.csv -s s.yaml
out_has "both: repeats age, zip in every record"
out_has "who: looks identifying: a name"
out_has "day: has exact dates"
out_lacks "points:"
out_lacks "hours:"

# Also where intervals are two columns.
expect 0 "$KANON" anonymize t.csv -s s.yaml -k 5 -o ends.csv -q --effort fast --numeric columns
head -n 1 ends.csv | grep -q age_min,age_max || failed "no two columns"
expect 0 "$KANON" check ends.csv -s s.yaml
out_has "both: repeats age, zip in every record"
out_lacks "points:"

# The file may come from a pipe, or hold nothing that is released as it is.
"$KANON" check - -s s.yaml <r.csv >piped.txt
grep -q "who: looks identifying" piped.txt || failed "nothing is said of a file from a pipe"
expect 0 "$KANON" anonymize t.csv --quasi age,zip,sex -k 5 -o q.csv -q --effort fast
err_lacks "is released as"

# What others may know is named in one line, with the role that protects it.
printf 'age,occupation,education\n' >o.csv
awk 'BEGIN { for (i = 0; i < 200; i++) printf "%d,job %d,level %d\n", 20 + i % 41, i * 7 % 9, i * 11 % 4 }' >>o.csv
expect 0 "$KANON" anonymize o.csv --quasi age --insensitive occupation,education -k 5 -o o2.csv -q --effort fast
err_lines 2
err_has "released as they are, and others may know them: occupation, education"

# A copy of a category that the release generalises, and a code of it: the cells are compared by the leaves of the taxonomy.
printf 'none;Low;*\nschool;Low;*\nbachelor;High;*\nmaster;High;*\n' >edu.csv
awk 'BEGIN { print "age,edu,copy,code,coin"; srand(5); split("none school bachelor master", edu, " ")
    for (i = 1; i <= 500; i++) { e = 1 + int(rand() * 4)
        printf "%d,%s,%s,%d,%d\n", 18 + int(rand() * 60), edu[e], edu[e], 70 + e, rand() * 2 } }' >e.csv
printf 'attributes: {age: {role: quasi, weight: 8}, edu: {role: quasi, taxonomy: edu.csv}, copy: {role: insensitive}, code: {role: insensitive},
  coin: {role: insensitive}}\n' >e.yaml
expect 0 "$KANON" anonymize e.csv -s e.yaml -k 12 -o er.csv -q --effort fast
grep -q High er.csv || failed "nothing was generalised"
expect 0 "$KANON" check er.csv -s e.yaml
out_has "copy: repeats edu in every record"
out_has "code: tells edu in every record"
out_lacks "coin:"
