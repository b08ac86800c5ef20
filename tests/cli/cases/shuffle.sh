# --shuffle gives the same records in another order, a new one each time. Only --shuffle-seed repeats an order.

"$KANON" sample hospital --rows 500 --seed 2 -q -o demo
anonymize() {
    expect 0 "$KANON" anonymize demo/hospital.csv -s demo/hospital.yaml -k 5 -a mondrian --seed 1 -q "$@"
}

anonymize
cp "$OUT" plain.csv
anonymize --shuffle
cp "$OUT" first.csv
anonymize --shuffle
cp "$OUT" second.csv
anonymize --shuffle-seed 7
cp "$OUT" seeded.csv
for release in first second seeded; do
    ! cmp -s plain.csv $release.csv || failed "$release: the order is the same"
    sort plain.csv >plain.sorted
    sort $release.csv >$release.sorted
    same plain.sorted $release.sorted
    head -n 1 plain.csv >header
    head -n 1 $release.csv | cmp -s - header || failed "$release: the header moved"
done
! cmp -s first.csv second.csv || failed "two releases have one order"
anonymize --shuffle --shuffle-seed 7
same "$OUT" seeded.csv
anonymize --shuffle --shuffle-seed 8
! cmp -s "$OUT" seeded.csv || failed "another seed gives the same order"

# No report tells the seed of the order, and the external ones do not tell that of the groups either.
anonymize --seed 918273 --shuffle-seed 645546 -o r.csv --report report.json --report-external external.json
anonymize --seed 918273 --shuffle-seed 645546 -o r.csv --report-external external.html
! grep -l 645546 report.json external.json external.html || failed "a report tells the order"
! grep -l 918273 external.json external.html || failed "an external report tells the seed"

# Releases of a state that did not change in between.
sed 's/id: .*{role: identifying}/id: {role: insensitive}/' demo/hospital.yaml >demo/open.yaml
expect 0 "$KANON" anonymize demo/hospital.csv -s demo/open.yaml -k 5 -a kmember --state st -o /dev/null -q
expect 0 "$KANON" release st --shuffle -q -o 1.csv
expect 0 "$KANON" optimize st -q
expect 0 "$KANON" release st --shuffle -q -o 2.csv
cut -d, -f1 1.csv >1.ids
cut -d, -f1 2.csv >2.ids
! cmp -s 1.ids 2.ids || failed "two releases of a state have one order"
expect 0 "$KANON" release st --shuffle-seed 3 -q -o 3.csv
expect 0 "$KANON" release st --shuffle-seed 3 -q -o 4.csv
same 3.csv 4.csv
