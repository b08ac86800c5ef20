# --shuffle releases the rows in the order of a keyed hash of what they show, which depends on nothing else.

"$KANON" sample hospital --rows 500 --seed 2 -q -o demo
anonymize() {
    expect 0 "$KANON" anonymize demo/hospital.csv -s demo/hospital.yaml -k 5 -a mondrian --seed 1 -q "$@"
}
in_order() { # FILE SEED QUASI,...
    python3 "$SOURCE/tests/cli/release_order.py" "$@" || failed "$1: not in the order of its hashes"
}

anonymize
cp "$OUT" plain.csv
anonymize --shuffle
cp "$OUT" first.csv
anonymize --shuffle --threads 1
same "$OUT" first.csv
anonymize --shuffle-seed 0 # a seed alone shuffles
same "$OUT" first.csv
anonymize --shuffle-seed 7
cp "$OUT" seeded.csv
for release in first seeded; do
    ! cmp -s plain.csv $release.csv || failed "$release: the order is the same"
    sort plain.csv >plain.sorted
    sort $release.csv >$release.sorted
    same plain.sorted $release.sorted
    head -n 1 plain.csv >header
    head -n 1 $release.csv | cmp -s - header || failed "$release: the header moved"
done
anonymize --shuffle --shuffle-seed 7
same "$OUT" seeded.csv
! cmp -s first.csv seeded.csv || failed "another seed gives the same order"
anonymize --shuffle-seed 9007199254740991

# The definition, from the released cells alone.
{ echo age,town,ill,id; i=0; while [ $i -lt 60 ]; do echo "$((20 + i * 7 % 40)),t$((i % 3)),\"d;$((i % 4))\",x$i"; i=$((i + 1)); done; } >t.csv
for seed in 0 1 9007199254740991; do
    expect 0 "$KANON" anonymize t.csv --quasi age,town --sensitive ill --insensitive id -k 3 -a mondrian -q --shuffle-seed $seed \
        -o r.csv --report r.json --report-external e.html
    in_order r.csv $seed age,town
done
grep -q '"order": *"a keyed hash of the released rows"' r.json || failed "the report does not tell the order"
grep -q 'a keyed hash of the released rows' e.html || failed "the page does not tell the order"

# Rows in another order with the same groups: the same bytes, also with cells that are written in several ways.
printf 'age,dose,note\n30,1.0,a\n30,1,a\n30,1.00, a\n31,+1, a \n7,1e0,"a"\n7,01,a\n7,2,b\n7,2,b\n7,x,\n' >w.csv
printf 'row,group\n1,1\n2,1\n3,1\n4,1\n5,2\n6,2\n7,2\n8,2\n9,2\n' >g.csv
{ head -n 1 w.csv; tail -n +2 w.csv | tac; } >v.csv
printf 'row,group\n1,1\n2,1\n3,1\n4,1\n5,1\n6,2\n7,2\n8,2\n9,2\n' >h.csv
for form in interval range mean columns; do
    for table in w.csv:g.csv v.csv:h.csv; do
        expect 0 "$KANON" improve ${table%:*} --groups ${table#*:} --quasi age --insensitive dose,note -k 4 --effort fast -q \
            --shuffle-seed 3 --numeric $form -o ${table%:*}.$form
    done
    same w.csv.$form v.csv.$form
done

# No report tells the seed of the order, and the external ones do not tell that of the groups either.
anonymize --seed 918273 --shuffle-seed 645546 -o r.csv --report report.json --report-external external.json
anonymize --seed 918273 --shuffle-seed 645546 -o r.csv --report-external external.html
! grep -l 645546 report.json external.json external.html || failed "a report tells the order"
! grep -l 918273 external.json external.html || failed "an external report tells the seed"

# A release of a state tells nothing of the order in which records came: it is the one of the same rows in one piece.
expect 0 "$KANON" anonymize t.csv --quasi age,town --sensitive ill --insensitive id -k 3 -a kmember --state st -o /dev/null -q
expect 0 "$KANON" release st --shuffle -q -o 1.csv
in_order 1.csv 0 age,town
expect 0 "$KANON" optimize st -q
{ echo age,town,ill,id; echo 33,t1,d,late; echo 21,t1,d,later; } >delta.csv
expect 0 "$KANON" insert st delta.csv -q
expect 0 "$KANON" release st --shuffle-seed 3 -q -o 2.csv
in_order 2.csv 3 age,town
expect 0 "$KANON" release st --shuffle-seed 3 -q -o 3.csv
same 2.csv 3.csv
