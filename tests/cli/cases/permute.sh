# Permuted columns: in files, tables and states the cells of a group stay in the group.

"$KANON" sample hospital --rows 400 --seed 3 -q -o demo
anonymize() {
    expect 0 "$KANON" anonymize demo/hospital.csv -s demo/hospital.yaml -k 5 -a mondrian --seed 1 -q --groups g.csv "$@"
}
# Each pair of group and cell is there as often; other columns have not changed, row by row.
compare() { # BEFORE AFTER COLUMN...
    python3 - "$@" <<'EOF' || failed "$2: other cells than in $1"
import collections, csv, sys
before, after = (list(csv.DictReader(open(name))) for name in sys.argv[1:3])
groups = [row["group"] for row in csv.DictReader(open("g.csv")) if row["group"] != "0"]
permuted = sys.argv[3:]
assert len(before) == len(after) == len(groups)
for column in before[0]:
    pairs = [collections.Counter(zip(groups, (row[column] for row in rows))) for rows in (before, after)]
    assert pairs[0] == pairs[1], column
    moved = sum(one[column] != two[column] for one, two in zip(before, after))
    assert (moved > 0) == (column in permuted), (column, moved)
EOF
}

anonymize -o plain.csv
anonymize --permute diagnosis,cost -o one.csv --codebook book.json
compare plain.csv one.csv diagnosis cost
grep -q 'nothing tells which row has which' book.json || failed "the codebook does not say that cells change rows"
anonymize --permute diagnosis,cost -o two.csv --threads 4
same one.csv two.csv
expect 0 "$KANON" anonymize demo/hospital.csv -s demo/hospital.yaml -k 5 -a mondrian --seed 2 -q --permute diagnosis,cost -o seeded.csv
! cmp -s one.csv seeded.csv || failed "another seed gives the same places"

# the schema says it, too, and kanon check finds what it found before
sed 's/  diagnosis:      {/  diagnosis: {permute: true, /' demo/hospital.yaml >demo/p.yaml
! cmp -s demo/p.yaml demo/hospital.yaml || failed "the schema is the same"
expect 0 "$KANON" anonymize demo/hospital.csv -s demo/p.yaml -k 5 -a mondrian --seed 1 -q -o three.csv
compare plain.csv three.csv diagnosis
expect 0 "$KANON" check three.csv -s demo/p.yaml -k 5
sed 's/three.csv/plain.csv/g' "$OUT" | grep -v -e '^singled_out' -e ' Columns released' -e ' look at' >found # permuted cells tell no rows apart
expect 0 "$KANON" check plain.csv -s demo/hospital.yaml -k 5
grep -v -e '^singled_out' -e ' Columns released' -e ' look at' "$OUT" >before
same before found

# a table of a database
expect 0 "$KANON" anonymize demo/hospital.csv -s demo/p.yaml -k 5 -a mondrian --seed 1 -q -o "r.db#r"

# a state releases what a run does; then its places are drawn from the records that there are
expect 0 "$KANON" anonymize demo/hospital.csv -s demo/p.yaml -k 5 -a mondrian --seed 1 -q -o s.csv --state x.state --joint-k off
same s.csv three.csv
expect 0 "$KANON" release x.state -q -o again.csv
same again.csv three.csv
head -n 2 demo/hospital.csv | sed '2s/^[^,]*/new/' >d.csv
expect 0 "$KANON" insert x.state d.csv -q -o more.csv
[ "$(wc -l <more.csv)" -eq $(($(wc -l <three.csv) + 1)) ] || failed "not one row more"
head -n "$(wc -l <three.csv)" more.csv >first.csv
! cmp -s first.csv three.csv || failed "the places are those of the table before"

# what has no cells of its own is refused by name before any work, and so is a part of a table
expect 3 "$KANON" anonymize demo/hospital.csv -s demo/hospital.yaml -k 5 --permute age -q -o no.csv
err_has "age: the column is permuted, but its role is quasi"
no_file no.csv
expect 2 "$KANON" anonymize demo/hospital.csv --quasi age --sensitive diagnosis --permute diagnosis -k 5 --blocks 100 --workers 2 -q -o no.csv
err_has "diagnosis: a permuted column is not possible in blocks"
no_file no.csv
expect 0 "$KANON" anonymize demo/hospital.csv -s demo/p.yaml -k 5 --blocks 100 -q -o blocks.csv

# nobody finds a row by permuted cells: no warning, and nothing to be made a quasi-identifier; but names stay names, and the
# column that says whose record it is is none to be added
awk 'BEGIN { print "age,zip,visit,hobby,city,mail,who"
    for (i = 0; i < 240; i++)
        printf "%d,%d,%d-%02d-%02d,%s,%s,p%d@example.org,w%d\n", 18 + i * 7 % 97, i * i * 31 % 211, 1990 + i % 30, 1 + i % 12, 1 + i % 28,
            substr("abcdef", 1 + i % 6, 1), substr("uvwx", 1 + i * i % 4, 1), i, i % 80 }' >w.csv
printf 'attributes: {age: quasi, zip: quasi, visit: insensitive, hobby: insensitive, city: insensitive, mail: insensitive, who: insensitive}
entity: who
privacy: {k: 4}\n' >w.yaml
look() { # MORE...
    expect 0 "$KANON" anonymize w.csv -s w.yaml -a mondrian --seed 1 -q -o w.out.csv --report w.json "$@"
    cat "$OUT" "$ERR" >seen
}
look
grep -q 'visit: is released as it is, and has exact dates' seen || failed "no warning of dates: $(cat seen)"
grep -q 'others may know.*city' seen || failed "no warning of columns that are known: $(cat seen)"
grep -q '"hobby and city are released as they are, .*as quasi-identifiers of weight 0.1 they cost' w.json || failed "$(cat w.json)"
look --permute visit,hobby,mail
! grep -e 'visit: is released' -e 'others may know.*hobby' seen || failed "a permuted column is warned of"
grep -q 'mail: is released as it is' seen || failed "no warning of addresses: $(cat seen)"
grep -q '"city is released as it is, .*: as a quasi-identifier of weight 0.1 it costs' w.json || failed "$(cat w.json)"
look --permute visit,hobby,city,mail
! grep -q 'others may know' seen || failed "a permuted column is warned of"
! grep -q 'as it is, and may single out\|quasi-identifiers* of weight' w.json || failed "there is nothing to be added: $(cat w.json)"
sed 's/visit: insensitive/visit: {role: insensitive, permute: true}/' w.yaml >v.yaml
for schema in w v; do
    "$KANON" check w.out.csv -s $schema.yaml >$schema.seen 2>&1 || true
done
grep -q 'visit: .*exact dates' w.seen || failed "the check has no warning of dates: $(cat w.seen)"
! grep 'visit: .*exact dates' v.seen || failed "the check warns of a permuted column"
