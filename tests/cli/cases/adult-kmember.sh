# Adult, eight quasi-identifiers, k = 10: the loss that k-member reaches is known.

adult=$DATA/adult
[ -f "$adult/adult.csv" ] || skip "no Adult data in $DATA"
expect 0 "$KANON" anonymize "$adult/adult.csv" -s "$adult/adult8.yaml" -k 10 -a kmember --seed 1 -o r.csv --groups g.csv
err_results 4
err_has "groups with one value of income"
expect 0 "$KANON" check r.csv -s "$adult/adult8.yaml" -k 10
awk -F, 'NR > 1 { size[$2]++ }
    END { for (g in size) if (size[g] < 10) exit 1; if (NR != 30163 || 0 in size) exit 1 }' g.csv ||
    failed "a group has fewer than ten records"
expect 0 "$KANON" evaluate "$adult/adult.csv" -s "$adult/adult8.yaml" --groups g.csv
awk '$1 == "information_loss" { ok = $2 > 21354 * 0.97 && $2 < 21354 * 1.03 } END { exit !ok }' "$OUT" ||
    failed "the information loss is not within 3 % of 21354"
