# Drawn ends: wider than the exact ones and never inside them; the loss is that of what is released; states keep them.

"$KANON" sample hospital --rows 400 --seed 3 -q -o demo
anonymize() {
    expect 0 "$KANON" anonymize demo/hospital.csv -s demo/hospital.yaml -k 3 -a mondrian --seed 1 -q "$@"
}

anonymize -o exact.csv --report exact.json
anonymize -o drawn.csv --ends age=drawn --ends admission=drawn --report drawn.json --groups g.csv
anonymize -o again.csv --ends age=drawn --ends admission=drawn --threads 4
same drawn.csv again.csv
expect 0 "$KANON" anonymize demo/hospital.csv -s demo/hospital.yaml -k 3 -a mondrian --seed 2 -q --ends age=drawn --ends admission=drawn -o seeded.csv
! cmp -s drawn.csv seeded.csv || failed "another seed gives the same ends"
python3 - <<'EOF' || failed "the intervals are not those of the groups"
import csv, datetime, json
def ends(cell, read):
    low, _, high = cell.strip("[]").partition("..")
    return read(low), read(high or low)
def day(text):
    return datetime.date.fromisoformat(text).toordinal()
table, exact, drawn = (list(csv.DictReader(open(name))) for name in ("demo/hospital.csv", "exact.csv", "drawn.csv"))
loss = {"exact": 0, "drawn": 0}
for column, read in (("age", int), ("admission", day)):
    values = [read(row[column]) for row in table if row[column] not in ("?", "")]
    for row, one, other in zip(table, exact, drawn):
        if one[column] in ("*", "?", ""):
            assert other[column] == one[column]
            continue
        (a, b), (c, d) = ends(one[column], read), ends(other[column], read)
        assert min(values) <= c <= a <= b <= d <= max(values) and c < d, (one[column], other[column])
        assert d - c >= b - a + 2 or (c, d) == (min(values), max(values))
        loss["exact"] += (b - a) / (max(values) - min(values))
        loss["drawn"] += (d - c) / (max(values) - min(values))
    assert any(one[column] != other[column] for one, other in zip(exact, drawn))
told = {name: json.load(open(name + ".json"))["information_loss"] for name in loss}
assert abs(told["drawn"] - told["exact"] - loss["drawn"] + loss["exact"]) < 1e-6, (told, loss)
EOF

# who measures the file, or the groups, finds the loss that the report tells
loss_of() { # FILE
    python3 -c 'import json, sys; print("%.9f" % json.load(open(sys.argv[1]))["information_loss"])' "$1"
}
expect 0 "$KANON" evaluate demo/hospital.csv -s demo/hospital.yaml --release drawn.csv
grep '^information_loss' "$OUT" >found
python3 -c 'import json, sys; found = float(open("found").read().split()[1]); sys.exit(abs(found / json.load(open("drawn.json"))["information_loss"] - 1) > 1e-4)' ||
    failed "the file has another loss: $(cat found), $(loss_of drawn.json)"
expect 0 "$KANON" anonymize demo/hospital.csv -s demo/hospital.yaml -k 3 -a mondrian -q --ends age=drawn -o d.csv --groups g0.csv --report d.json
expect 0 "$KANON" evaluate demo/hospital.csv -s demo/hospital.yaml --ends age=drawn --groups g0.csv --report e.json
[ "$(loss_of e.json)" = "$(loss_of d.json)" ] || failed "the groups have another loss: $(loss_of e.json), $(loss_of d.json)"
expect 0 "$KANON" check drawn.csv -s demo/hospital.yaml -k 3

# other forms and outputs
anonymize -o drawn2.csv --ends age=drawn --ends admission=drawn --report-external x.html --report i.html --codebook b.html
same drawn2.csv drawn.csv
anonymize -o t.csv --ends age=drawn --numeric columns
head -n 1 t.csv | grep -q age_min,age_max || failed "no columns"
anonymize -o "r.db#r" --ends age=drawn

# a state shows what the run did, and what has not changed stays as it is whatever comes and goes
sed 's/  age:            {/  age:            {ends: drawn, /; s/  admission:      {/  admission:      {ends: drawn, /' demo/hospital.yaml >demo/d.yaml
expect 0 "$KANON" anonymize demo/hospital.csv -s demo/d.yaml -k 3 -a mondrian --seed 1 -q -o s.csv --state x.state --joint-k off
same s.csv drawn.csv
expect 0 "$KANON" release x.state -q -o again.csv
same again.csv drawn.csv
awk -F, -v OFS=, 'NR > 1 { $1 = "new" NR; $3 = 20 + 11 * NR } NR < 6' demo/hospital.csv >d.csv
expect 0 "$KANON" insert x.state d.csv -q -o more.csv
head -n 401 more.csv | paste -d'~' - drawn.csv | awk -F'~' '$1 != $2' | wc -l >changed
[ "$(cat changed)" -lt 40 ] || failed "$(cat changed) of 400 rows show something else"
[ "$(cat changed)" -gt 0 ] || failed "nothing has changed"

# also where groups go, so that the others come earlier
awk -F, -v OFS=, 'NR == 1 { print "rid", $3, $5, $9 } NR > 1 { print NR, $3, $5, $9 }' demo/hospital.csv >r.csv
expect 0 "$KANON" anonymize r.csv --quasi age,zip --sensitive diagnosis --mask zip=right --key rid --ends age=drawn -k 3 --seed 1 -q \
    -o one.csv --state y.state --joint-k off
{ echo rid; awk -F, 'NR > 1 && NR < 12 { print $1 }' r.csv; } >d.csv
expect 0 "$KANON" delete y.state d.csv -q -o two.csv
sed '2,11d' one.csv | paste -d'~' - two.csv | awk -F'~' '$1 != $2' | wc -l >changed
[ "$(cat changed)" -lt 60 ] || failed "$(cat changed) of 390 rows show something else"

# a new extreme that comes, and goes again, moves no end of other groups
for seed in 1 2 3; do
    printf 'id,age,d\n100,90,x\n101,90,y\n102,5,z\n103,5,x\n104,60,x\n105,60,y\n' >e.csv
    printf 'id,age,d\n1,120,y\n2,120,z\n3,1,x\n4,1,y\n' >new.csv
    printf 'id\n100\n101\n102\n103\n' >old.csv
    expect 0 "$KANON" anonymize e.csv --quasi age --sensitive d --key id --ends age=drawn -k 2 --seed $seed -q -o e1.csv \
        --state e$seed.state --joint-k off
    expect 0 "$KANON" insert e$seed.state new.csv -q -o e2.csv
    head -n 7 e2.csv >e3.csv
    same e1.csv e3.csv
    grep -q '\[1\.\.1\]\|\[120\.\.120\]\|^1,\|^120,' e2.csv && failed "the new extremes are shown: $(cat e2.csv)"
    expect 0 "$KANON" delete e$seed.state old.csv -q -o e4.csv --report e4.json
    tail -n +6 e2.csv >e5.csv
    tail -n +2 e4.csv >e6.csv
    same e5.csv e6.csv
done

# what has no ends to draw is refused by name before any work
expect 3 "$KANON" anonymize demo/hospital.csv -s demo/d.yaml -k 3 --bands age=5 -q -o no.csv
err_has "age: the column has drawn ends and bands"
expect 2 "$KANON" anonymize demo/hospital.csv -s demo/d.yaml -k 3 --recode attribute -q -o no.csv
err_has "age: drawn ends differ where equal values"
expect 2 "$KANON" anonymize demo/hospital.csv -s demo/d.yaml -k 3 --numeric mean -q -o no.csv
err_has "age: a mean would show more than the drawn ends"
expect 2 "$KANON" anonymize demo/hospital.csv --quasi age --ends age=drawn -k 3 --blocks 100 --workers 2 -q -o no.csv
err_has "age: ends: drawn is not possible in blocks"
no_file no.csv
