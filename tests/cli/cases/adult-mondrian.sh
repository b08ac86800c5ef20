# Adult, eight quasi-identifiers, k = 10: the loss that strict Mondrian reaches is known.

adult=$DATA/adult
[ -f "$adult/adult.csv" ] || skip "no Adult data in $DATA"
expect 0 "$KANON" anonymize "$adult/adult.csv" -s "$adult/adult8.yaml" -k 10 -a mondrian -o r.csv --groups g.csv
expect 0 "$KANON" check r.csv -s "$adult/adult8.yaml" -k 10
expect 0 "$KANON" evaluate "$adult/adult.csv" -s "$adult/adult8.yaml" --groups g.csv
awk '$1 == "information_loss" { ok = $2 > 34000 * 0.97 && $2 < 34000 * 1.03 } END { exit !ok }' "$OUT" ||
    failed "the information loss is not within 3 % of 34000"
