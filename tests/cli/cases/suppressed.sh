# Suppressed records are in no release, or, kept, a class of it that satisfies what every group must. The judge is a count of
# equal texts in the file.

# judge FILE K L: each class of the first two columns has K records and L values in the third; prints the records.
judge()
{
    awk -F, -v k="$2" -v l="$3" 'NR > 1 { n[$1 "," $2]++; if (!seen[$1 "," $2 "," $3]++) d[$1 "," $2]++ }
        END { for (c in n) if (n[c] < k || d[c] < l) { print "class " c ": " n[c] " records, " d[c] " values"; exit 1 }
              print NR - 1 }' "$1" >judged || failed "$1: $(cat judged)"
}

records()
{
    judge "$1" "$2" "$3"
    [ "$(cat judged)" = "$4" ] || failed "$1 has $(cat judged) records, not $4"
}

# 400 persons, among them the only astronaut and the only pope, who have the same illness
awk 'BEGIN { split("nurse cook clerk", occ, " "); split("flu cold gout", ill, " "); print "age,occ,ill,id"
    for (i = 0; i < 400; i++) {
        o = occ[i * 7 % 3 + 1]; d = ill[i * 5 % 11 % 3 + 1]
        if (i == 7) { o = "astronaut"; d = "syphilis" }
        if (i == 9) { o = "pope"; d = "syphilis" }
        print 20 + i * 13 % 50 "," o "," d "," 1000 + i } }' >t.csv
cat >s.yaml <<'END'
attributes:
  age: quasi
  occ: quasi
  ill: sensitive
  id: insensitive
key: [id]
privacy: {k: 5, suppress: 0.02}
END
run="anonymize t.csv -s s.yaml -a kmember --refine none --seed 1 -q"
expect 0 "$KANON" $run -o r.csv --groups g.csv
n=$((400 - $(grep -c ',0$' g.csv)))
[ $n -lt 400 ] || failed "nothing is suppressed, so this case shows nothing"
records r.csv 5 1 $n
! grep -q -e syphilis -e ',1007$' -e ',1009$' r.csv || failed "a suppressed record is in the release"
expect 0 "$KANON" $run -o shuffled.csv --shuffle --shuffle-seed 3 --threads 2
sort r.csv >one
sort shuffled.csv >two
same one two
expect 0 "$KANON" $run -o r.db#release --groups r.db#groups
expect 0 "$KANON" check r.db#release -s s.yaml
out_has "records              $n"
expect 0 "$KANON" anonymize r.db#release --quasi occ --identifying age_min,age_max,id --sensitive ill -k 2 -q -o back.csv
[ $(($(wc -l <back.csv) - 1)) = $n ] || failed "the table in the database has other rows"
! grep -q syphilis back.csv || failed "a suppressed record is in the database"

# kept, the two are no class of five records, nor would they have two illnesses
expect 0 "$KANON" ${run% -q} --suppressed keep -o kept.csv --constraint model=distinct-l-diversity,attribute=ill,l=2
err_has "warning: no record is suppressed: such records are to be released"
records kept.csv 5 2 400
[ "$(grep -c syphilis kept.csv)" = 2 ] || failed "a record is missing that is to be kept"

# what suppresses by itself
cat >k.yaml <<'END'
attributes:
  age: quasi
  occ: quasi
  ill: sensitive
  id: insensitive
privacy: {k: 3, suppressed: keep, constraints: [{model: distinct-l-diversity, attribute: ill, l: 2}]}
END
sed 's/suppressed: keep, //' k.yaml >d.yaml
for how in "greedy-threshold --set threshold=0.02" "oka --set suppress-small=true" "full-domain --suppress 0.1" \
    "attribute-cut --suppress 0.1 --recode attribute" "full-domain --suppress 0.1 --recode attribute"; do
    expect 0 "$KANON" anonymize t.csv -s d.yaml -a $how -q -o r.csv --groups g.csv
    records r.csv 3 2 $((400 - $(grep -c ',0$' g.csv)))
    expect 0 "$KANON" anonymize t.csv -s k.yaml -a $how -q -o r.csv --groups g.csv --report r.json
    records r.csv 3 2 400
    [ "$(grep -c '^\*,\*' r.csv)" -ge "$(grep -c ',0$' g.csv)" ] || failed "$how: a kept record shows something"
done
# a class that holds is released, and the measures count it: one illness is the most frequent of its records
expect 0 "$KANON" anonymize t.csv -s k.yaml -a greedy-threshold --set threshold=0.02 -q -o r.csv --groups g.csv --report r.json
stars=$(grep -c '^\*,\*' r.csv)
[ "$stars" -ge 3 ] || failed "no class of suppressed records"
expect 0 "$KANON" evaluate t.csv -s k.yaml --groups g.csv
most=$(awk -F, 'NR > 1 { c = $1 "," $2; n[c]++; m[c "," $3]++; of[c "," $3] = c }
    END { for (v in m) if (m[v] / n[of[v]] > most) most = m[v] / n[of[v]]; printf "%.10g", most }' r.csv)
grep -q "^alpha\[ill\]  *$most\$" "$OUT" || failed "alpha[ill] is not $most"
least=$(awk -F, 'NR > 1 { n[$1 "," $2]++ } END { for (c in n) if (!least || n[c] < least) least = n[c]; print least }' r.csv)
grep -q "^k  *$least\$" "$OUT" || failed "k is not $least"

# in processes of their own
expect 0 "$KANON" anonymize t.csv --quasi age,occ --sensitive ill --insensitive id -k 3 -a greedy-threshold --set threshold=0.02 \
    --blocks 100 -q -o blocks.csv --groups g.csv
records blocks.csv 3 1 $((400 - $(grep -c ',0$' g.csv)))
expect 0 "$KANON" anonymize t.csv --quasi age,occ --sensitive ill --insensitive id -k 3 -a greedy-threshold --set threshold=0.02 \
    --blocks 100 --workers 2 -q -o workers.csv
same blocks.csv workers.csv
expect 2 "$KANON" anonymize t.csv --quasi age,occ --sensitive ill --insensitive id -k 3 --blocks 100 --workers 2 -o w.csv \
    --suppressed keep
err_has "keeping suppressed records is not possible in blocks by several processes"

# a release that lacks rows says which these are by its key, or not at all
expect 0 "$KANON" $run -o r.csv --groups g.csv
expect 0 "$KANON" evaluate t.csv -s s.yaml --release r.csv
grep -q "^suppressed  *$((400 - n))\$" "$OUT" || failed "not $((400 - n)) records count as suppressed"
expect 0 "$KANON" improve t.csv -s s.yaml --groups g.csv --refine il-optimization -q --new-groups one
expect 0 "$KANON" improve t.csv -s s.yaml --release r.csv --refine il-optimization -q --new-groups two
same one two
{ head -n 1 r.csv; sed 1d r.csv | sort -t, -k4 -r; } >other-order.csv
expect 0 "$KANON" improve t.csv -s s.yaml --release other-order.csv --refine il-optimization -q --new-groups two
same one two
sed '/^key/d' s.yaml >no-key.yaml
expect 3 "$KANON" improve t.csv -s no-key.yaml --release r.csv -q
err_has "r.csv: $n records, and the table has 400: which are missing cannot be told"
sed '4s/,[0-9]*$/,9999/' r.csv >foreign.csv
expect 3 "$KANON" improve t.csv -s s.yaml --release foreign.csv -q
err_has "foreign.csv:4: id: the table has no record with this key"
sed '4s/.*//; 3p' r.csv | sed '/^$/d' >twice.csv
expect 3 "$KANON" improve t.csv -s s.yaml --release twice.csv -q
err_has "twice.csv:4: id: an earlier record has the same key"

# states leave them out, and an audit counts who was never shown as absent
expect 0 "$KANON" $run -o r1.csv --state x.state
expect 0 "$KANON" release x.state -o r2.csv -q
sort r1.csv >one
sort r2.csv >two
same one two
expect 0 "$KANON" audit x.state
out_has "records          $n"
expect 2 "$KANON" $run -o none.csv --state y.state --suppressed keep
err_has "a state leaves suppressed records out of its releases"
no_file none.csv

# words
expect 2 "$KANON" $run -o none.csv --suppressed perhaps
err_has "--suppressed: there is no 'perhaps'; choose one of: drop, keep"
sed 's/suppress: 0.02/suppressed: never/' s.yaml >bad.yaml
expect 3 "$KANON" anonymize t.csv -s bad.yaml -o none.csv
err_has "bad.yaml:7: column 29: there is no such word; choose one of: drop, keep"
no_file none.csv

# where every record may be suppressed, and nothing is lost by showing that there are two, they are shown
printf 'a,b\n33,nurse\n88,cook\n' >two.csv
for algorithm in full-domain attribute-cut kmember; do
    expect 0 "$KANON" anonymize two.csv --quasi a,b -k 2 --suppress 1 -a $algorithm -q -o two-out.csv
    [ "$(wc -l <two-out.csv)" -eq 3 ] || failed "$algorithm: a release without records"
    expect 0 "$KANON" check two-out.csv --quasi a,b -k 2
done
