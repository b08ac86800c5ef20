# --shuffle gives the same records in another order, the same for the same seed.

"$KANON" sample hospital --rows 500 --seed 2 -q -o demo
for seed in 1 2; do
    expect 0 "$KANON" anonymize demo/hospital.csv -s demo/hospital.yaml -k 5 -a mondrian --seed $seed -q
    cp "$OUT" plain.csv
    expect 0 "$KANON" anonymize demo/hospital.csv -s demo/hospital.yaml -k 5 -a mondrian --seed $seed -q --shuffle
    cp "$OUT" shuffled.csv
    expect 0 "$KANON" anonymize demo/hospital.csv -s demo/hospital.yaml -k 5 -a mondrian --seed $seed -q --shuffle
    same "$OUT" shuffled.csv
    ! cmp -s plain.csv shuffled.csv || failed "the order is the same"
    sort plain.csv >plain.sorted
    sort shuffled.csv >shuffled.sorted
    same plain.sorted shuffled.sorted
    head -n 1 plain.csv >header
    head -n 1 shuffled.csv | cmp -s - header || failed "the header moved"
    cp shuffled.csv shuffled-$seed.csv
done
! cmp -s shuffled-1.csv shuffled-2.csv || failed "another seed gives the same order"
