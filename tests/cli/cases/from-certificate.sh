# The proved bound among the figures of a grouping: the certificate is verified for this table and this k first.

printf 'a,b\n' >t.csv
awk 'BEGIN { for (i = 0; i < 60; i++) print i * 37 % 60 "," i * 17 % 13 }' >>t.csv
expect 0 "$KANON" anonymize t.csv --quasi a,b -k 4 -a mondrian -q -o r.csv --groups g.csv
expect 0 "$KANON" bound t.csv --quasi a,b -k 4 --certificate proof.json -q
expect 0 "$KANON" bound t.csv --quasi a,b -k 4 --groups g.csv
grep -E '^(lower_bound|gap) ' "$OUT" | tr -s ' ' >wanted

expect 0 "$KANON" evaluate t.csv --quasi a,b -k 4 --groups g.csv --from-certificate proof.json -q --report p.json
grep -E '^(lower_bound|gap) ' "$OUT" | tr -s ' ' >found
same wanted found
python3 - <<'END' || failed "the report"
import json
report = json.load(open("p.json"))
bound, gap = (float(line.split()[1]) for line in open("wanted"))
assert abs(report["lower_bound"] - bound) < 1e-6 and abs(report["gap"] - gap) < 1e-6
assert 1 <= report["gap"] <= report["neighbour_gap"] and "bound" in report["formulas"]["gap"]
END
expect 0 "$KANON" anonymize t.csv --quasi a,b -k 4 -a mondrian -q -o r.csv --from-certificate proof.json --report p.html \
    --report-external e.json
grep -q "The certificate proof.json proves it" p.html || failed "the page does not have the proved bound"
more=$(awk -v gap="$(sed -n 's/^gap //p' wanted)" 'BEGIN { printf "%.1f", 100 * (gap - 1) }')
grep -q "at most <b>$more %</b> more than the least" p.html || failed "the page does not say $more %"
err_lacks "kanon bound"
! grep -q "can be proved" p.html || failed "a proof is advised that is there"
grep -q '"certificate": "proof.json"' p.json || failed "JSON does not name the certificate"
! grep -q -e lower_bound -e '"gap"' e.json || failed "others are told of originals"

# another k, another table, no certificate: nothing is written
rm r.csv
expect 1 "$KANON" anonymize t.csv --quasi a,b -k 5 -a mondrian -q -o r.csv --from-certificate proof.json
err_has "the proof is about k = 4"
sed '2s/^0,/59,/' t.csv >u.csv
expect 1 "$KANON" evaluate u.csv --quasi a,b -k 4 --groups g.csv --from-certificate proof.json -q
err_has "not proved"
expect 3 "$KANON" anonymize t.csv --quasi a,b -k 4 -q -o r.csv --from-certificate g.csv
expect 2 "$KANON" evaluate t.csv --quasi a,b --release t.csv --from-certificate proof.json
no_file r.csv

# the bound is about groupings of all records
{ head -n 1 g.csv; sed '1d; s/,1$/,0/' g.csv; } >s.csv
expect 0 "$KANON" evaluate t.csv --quasi a,b -k 4 --groups s.csv --from-certificate proof.json -q
grep -qE '^gap +-$' "$OUT" || failed "a gap for suppressed records"
