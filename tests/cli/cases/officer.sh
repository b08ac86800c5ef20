# What a report tells whoever is responsible for data protection: what the schema says of the release, the accepted risk and
# whether it is met, the three criteria with the figures that there are, and how each column was treated.

printf 'name,age,town,illness,note\n' >t.csv
awk 'BEGIN { for (i = 0; i < 60; i++) printf "n%d,%d,t%d,%s,%d\n", i, 20 + i * 7 % 45, i % 4, i % 3 ? "flu" : "gout", i }' >>t.csv
cat >s.yaml <<'END'
attributes:
  name: identifying
  age: {role: quasi, type: integer}
  town: quasi
  illness: sensitive
  note: insensitive
privacy: {k: 10, constraints: [{model: distinct-l-diversity, attribute: illness, l: 2}]}
release:
  purpose: a study of <towns>
  recipient: "Institute, Bern"
  adversary: a neighbour
  threshold: 0.1
  threshold-reason: usual practice
  valid-until: 2030-12-31
  prepared-by: A. Muster
END
expect 0 "$KANON" anonymize t.csv -s s.yaml -o r.csv --report p.html --report-external e.html -q
expect 0 "$KANON" anonymize t.csv -s s.yaml -o r.csv --report p.json --report-external e.json -q
for what in "For the data protection officer" "a study of &lt;towns&gt;" "Institute, Bern" "until 2030-12-31" "Threshold met" \
    "Singling out" "Linkability" "Inference" "direct identifier, or withheld: not in the release" \
    "released as it is; a requirement limits what a group tells of it"; do
    grep -q "$what" p.html || failed "the page lacks: $what"
    grep -q "$what" e.html || failed "the page for others lacks: $what"
done
for what in "a neighbour" "usual practice" "A. Muster"; do
    grep -q "$what" p.html p.json || failed "the report lacks: $what"
    ! grep -q "$what" e.html e.json || failed "others are told: $what"
done
grep -q '"threshold_met": true' p.json || failed "a risk of 1 in 10 is above 0.1"
grep -q '"purpose": "a study of <towns>"' e.json || failed "the report for others has no purpose"
if command -v python3 >/dev/null; then
    python3 - <<'END' || failed "the criteria are not those figures"
import json
report, other = json.load(open("p.json")), json.load(open("e.json"))
criteria = report["criteria"]
assert list(criteria) == ["singling_out", "linkability", "inference"]
assert criteria["singling_out"]["highest_risk"] == report["highest_risk"] == 0.1
assert criteria["inference"]["homogeneous"] == {"illness": report["attributes"]["illness"]["homogeneous"]}
assert "linkage_quasi" in criteria["linkability"] and report["threshold_chosen"] == 0.1
assert "linkage_quasi" not in other["criteria"]["linkability"] # it needs originals
END
fi

# a lower threshold is not met, and none is said to be none
sed 's/threshold: 0.1/threshold: 0.09/' s.yaml >low.yaml
expect 0 "$KANON" anonymize t.csv -s low.yaml -o r.csv --report p.html --report-external e.json -q
grep -q "Threshold not met" p.html || failed "1 in 10 is above 0.09"
grep -q '"threshold_met": false' e.json || failed "JSON says that it is met"
sed '/^release:/,$d' s.yaml >none.yaml
expect 0 "$KANON" anonymize t.csv -s none.yaml -o r.csv --report p.html --report-external e.json -q
grep -q "No threshold was chosen" p.html || failed "the page does not say that there is none"
grep -q '"threshold_met": null' e.json || failed "JSON has a verdict on no threshold"

# what is not known is refused, with its place
for wrong in "purposes: x" "threshold: high" "valid-until: soon"; do
    sed '/^  threshold:/d; /^  valid-until:/d' s.yaml | sed "s/^  purpose: .*/  $wrong/" >wrong.yaml
    expect 3 "$KANON" anonymize t.csv -s wrong.yaml -o none.csv
    err_has "wrong.yaml:9:"
    no_file none.csv
done
err_has "valid-until: not a date; write it as 2030-12-31"
