# Adult: the eight quasi-identifiers of adult8.yaml, with education-num for education, what others may know with a tenth of the
# weight, and a release without an edit.

adult=$DATA/adult
[ -f "$adult/adult.csv" ] || skip "no Adult data in $DATA"
expect 0 "$KANON" init "$adult/adult.csv" -o adult.yaml
quasi=$(awk '/role: quasi/ && !/weight: 0.1/ { sub(":", "", $1); print $1 }' adult.yaml | sort | tr '\n' ' ')
wanted=$(awk '/role: quasi/ { sub(":", "", $1); print $1 }' "$adult/adult8.yaml" | sort | tr '\n' ' ')
[ "$quasi" = "$wanted" ] || failed "the quasi-identifiers are $quasi"
light=$(awk '/role: quasi/ && /weight: 0.1/ { sub(":", "", $1); print $1 }' adult.yaml | sort | tr '\n' ' ')
[ "$light" = "hours-per-week relationship " ] || failed "of light weight are $light"
grep -q '^  education: .*role: identifying.*it says the same as education-num' adult.yaml || failed "education counts twice"
grep -q '^  income: .*role: sensitive' adult.yaml || failed "income"
expect 0 "$KANON" anonymize "$adult/adult.csv" -s adult.yaml -a mondrian -o release.csv
expect 0 "$KANON" check release.csv -s adult.yaml
