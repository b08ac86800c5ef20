# Constraints, entities and suppression: what is asked, what is refused, and what check finds.
cat > t.csv <<END
who,age,disease
END
i=0
while [ $i -lt 60 ]; do
    printf 'p%d,%d,d%d\n' $((i / 3)) $((20 + i / 3)) $((i / 6 % 4)) >> t.csv
    i=$((i + 1))
done
cat > s.yaml <<END
attributes:
  who: {role: insensitive}
  age: {role: quasi}
  disease: {role: sensitive, type: categorical}
privacy: {k: 5}
END

# k alone: groups of one disease, and of fewer persons than k
expect 0 "$KANON" anonymize t.csv -s s.yaml -q -o plain.csv
expect 1 "$KANON" check plain.csv -s s.yaml --entity who --constraint model=distinct-l-diversity,attribute=disease,l=2
out_has "violated"
err_has "fewer than the 5 asked for"

# asked for: satisfied, and check agrees
expect 0 "$KANON" anonymize t.csv -s s.yaml -q --entity who --constraint model=distinct-l-diversity,attribute=disease,l=2 -o good.csv \
    --report r.json
expect 0 "$KANON" check good.csv -s s.yaml --entity who --constraint model=distinct-l-diversity,attribute=disease,l=2
out_has "satisfied"
grep -qF -e "every group holds records of at least 5 persons" r.json || failed "r.json lacks something"
grep -qF -e '"entities": 20' r.json || failed "r.json lacks something"
grep -qF -e "loss_without_constraints" r.json || failed "r.json lacks something"
expect 0 "$KANON" anonymize t.csv -s s.yaml -q --entity who --entity-together -o together.csv

# impossible, or wrong
expect 1 "$KANON" anonymize t.csv -s s.yaml -q --constraint model=distinct-l-diversity,attribute=disease,l=5 -o none.csv
err_has "l = 4, asked is 5"
no_file none.csv
expect 1 "$KANON" anonymize t.csv -s s.yaml -q -k 21 --entity who -o none.csv
err_has "only 20 persons"
expect 2 "$KANON" anonymize t.csv -s s.yaml -q --constraint distinct -o none.csv
expect 2 "$KANON" anonymize t.csv -s s.yaml -q --constraint model=distinct,attribute=disease,l=2 -o none.csv
err_has "no such model"
expect 2 "$KANON" anonymize t.csv -s s.yaml -q --suppress 2 -o none.csv
expect 2 "$KANON" anonymize t.csv -s s.yaml -q --entity who --entity-together --refine il-optimization -o none.csv
expect 2 "$KANON" anonymize t.csv -s s.yaml -q --constraint model=distinct-l-diversity,attribute=disease,l=2,l=3 -o none.csv
err_has "'l' is given twice"

# where less is stricter, the way out is up
expect 1 "$KANON" anonymize t.csv -s s.yaml -q --constraint model=alpha-k,attribute=disease,alpha=0.1 -o none.csv
err_has "ask for a larger alpha"
expect 1 "$KANON" anonymize t.csv -s s.yaml -q --constraint model=entropy-l-diversity,attribute=disease,l=9 -o none.csv
err_has "ask for a smaller l"

# entities stay together only where there are some, whoever names them
expect 2 "$KANON" anonymize t.csv -s s.yaml -q --entity-together -o none.csv
err_has "there are none"
err_has "; --entity A names it, too"
{ echo "entity: who"; cat s.yaml; } > e.yaml
expect 0 "$KANON" anonymize t.csv -s e.yaml -q --entity-together -o flag.csv
same together.csv flag.csv
{ echo "entity-together: true"; cat s.yaml; } > e.yaml
expect 3 "$KANON" anonymize t.csv -s e.yaml -q -o none.csv
err_has "e.yaml:1: "
no_file none.csv

# limits with more digits than a double holds: what the groups keep is what the check finds
printf 'age,d\n' > thirds.csv
for age in 1 1 1 5 5 5; do printf '%d,%s\n' $age x; done >> thirds.csv
sed -i -e '2s/x/y/;5s/x/y/' thirds.csv
sed -i -e '3s/x/z/;6s/x/z/' thirds.csv
expect 0 "$KANON" anonymize thirds.csv --quasi age --sensitive d -k 3 -q -o thirds.out \
    --constraint model=alpha-k,attribute=d,alpha=0.3333333333333333
expect 1 "$KANON" anonymize thirds.csv --quasi age --sensitive d -k 3 -q -o none.csv \
    --constraint model=recursive-l-diversity,attribute=d,c=0.500000000000000001,l=2
expect 0 "$KANON" anonymize thirds.csv --quasi age --sensitive d -k 3 -q -o thirds.out \
    --constraint model=recursive-l-diversity,attribute=d,c=0.51,l=2
