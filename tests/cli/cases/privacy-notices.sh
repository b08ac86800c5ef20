# What a release would show without a thought is named before the work, and --quiet does not silence it. Never a cell.

awk 'BEGIN { print "age,mail,note,place,cost,who"
    for (i = 1; i <= 60; i++)
        printf "%d,p%d@example.org,%s,%s,-%d,%d\n", 20 + i % 10, i, i % 20 == 0 ? "=1+1" : i % 30 == 1 ? "@SUM(A1)" : "-",
            i % 2 ? "+here" : "there", i % 7, i % 3 }' >t.csv
printf 'attributes: {age: {role: quasi}, mail: {role: insensitive}, note: {role: insensitive}, place: {role: sensitive},
  cost: {role: insensitive}, who: {role: insensitive}}\n' >s.yaml
expect 0 "$KANON" anonymize t.csv -s s.yaml -k 5 -o r.csv -q
err_lines 5
err_has "100 % of the records are in groups with one value of place"
err_has "mail: is released as it is, and nearly every record has a value of its own (60 different ones in 60 records)"
err_has "note: 5 cells begin like a formula"
err_has "place: 30 cells begin like a formula"
err_has "Columns released as they are: 5 columns; together with the quasi-identifiers they single out 100 % of the rows"
err_lacks "SUM"
err_lacks "example.org"
expect 0 "$KANON" anonymize t.csv -s s.yaml -k 5 -o r.csv --report p.json
err_has "mail: is released"
grep -q "mail: is released" p.json || failed "the report does not have the warning"
# before the work: also where it fails
expect 1 "$KANON" anonymize t.csv -s s.yaml -k 50000 -o n.csv -q
err_has "mail: is released"

# a column without a role: withheld is for who wants to know, released is for everybody
printf 'attributes: {age: {role: quasi}}\n' >w.yaml
expect 0 "$KANON" anonymize t.csv -s w.yaml -k 5 -o r.csv -q
err_lines 0
printf 'default-role: insensitive\nattributes: {age: {role: quasi}, mail: {role: identifying}}\n' >i.yaml
expect 0 "$KANON" anonymize t.csv -s i.yaml -k 5 -o r.csv -q
err_has "not named in the schema, so insensitive: note, place, cost, who"
# ... and so is the column that shows whose record it is
expect 0 "$KANON" anonymize t.csv -s s.yaml --entity who -k 3 -o r.csv -q
err_has "who: the release shows which records are one person's"

# mail addresses are named also where a person has many records, and in a small table
awk 'BEGIN { print "age,mail"; for (i = 1; i <= 60; i++) printf "%d,p%d@example.org\n", 20 + i % 10, i % 12 }' >m.csv
expect 0 "$KANON" anonymize m.csv --quasi age --insensitive mail -k 5 -o r.csv -q
err_has "mail: is released as it is, and has mail addresses, which name persons"
err_lacks "example.org"
head -n 11 m.csv >m10.csv
expect 0 "$KANON" anonymize m10.csv --quasi age --insensitive mail -k 5 -o r.csv -q
err_has "mail: is released as it is, and has mail addresses"
printf 'age,sign\n20,@\n21,a@b\n22,@b.c\n23,a@.\n24,a @b.c\n25,a@b@c.d\n' >signs.csv
expect 0 "$KANON" anonymize signs.csv --quasi age --insensitive sign -k 2 -o r.csv -q
err_lacks "mail addresses"

# a number is no formula: with any separators, and whatever stands in a column that is declared as one
awk 'BEGIN { print "age;change;delta"; for (i = 1; i <= 60; i++) printf "%d;-%d,%d;%s\n", 20 + i % 10, i % 7, i % 2, i % 3 ? "-1.5" : "-x" }' >c.csv
printf 'attributes: {age: {role: quasi}, change: {role: insensitive}, delta: {role: insensitive}}\n' >c.yaml
expect 0 "$KANON" anonymize c.csv -s c.yaml -k 5 -o r.csv -q
err_lacks "change: "
err_has "delta: 20 cells begin like a formula"
expect 0 "$KANON" anonymize c.csv -s c.yaml --type delta=decimal -k 5 -o r.csv -q
err_lacks "formula"
