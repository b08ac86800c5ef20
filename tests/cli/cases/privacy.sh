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
out_has "broken"
err_has "entities, fewer than the 5 asked for"

# asked for: kept, and check agrees
expect 0 "$KANON" anonymize t.csv -s s.yaml -q --entity who --constraint model=distinct-l-diversity,attribute=disease,l=2 -o good.csv \
    --report r.json
expect 0 "$KANON" check good.csv -s s.yaml --entity who --constraint model=distinct-l-diversity,attribute=disease,l=2
out_has "kept"
grep -qF -e "every group holds records of at least 5 different entities" r.json || failed "r.json lacks something"
grep -qF -e '"entities": 20' r.json || failed "r.json lacks something"
grep -qF -e "loss_without_constraints" r.json || failed "r.json lacks something"
expect 0 "$KANON" anonymize t.csv -s s.yaml -q --entity who --entity-together -o together.csv

# impossible, or wrong
expect 1 "$KANON" anonymize t.csv -s s.yaml -q --constraint model=distinct-l-diversity,attribute=disease,l=5 -o none.csv
err_has "l = 4, asked is 5"
no_file none.csv
expect 1 "$KANON" anonymize t.csv -s s.yaml -q -k 21 --entity who -o none.csv
err_has "only 20 different entities"
expect 2 "$KANON" anonymize t.csv -s s.yaml -q --constraint distinct -o none.csv
expect 2 "$KANON" anonymize t.csv -s s.yaml -q --constraint model=distinct,attribute=disease,l=2 -o none.csv
err_has "no such model"
expect 2 "$KANON" anonymize t.csv -s s.yaml -q --suppress 2 -o none.csv
expect 2 "$KANON" anonymize t.csv -s s.yaml -q --entity who --entity-together --refine il-optimization -o none.csv
