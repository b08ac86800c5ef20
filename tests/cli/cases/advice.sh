# After a run: who pays most, what is tight, what to try next, and the files; with a report also what changes would save. No
# advice holds a value of the table.

awk 'BEGIN {
    print "age,town,sex,illness"
    for (i = 0; i < 60; i++)
        printf "%d,%s,%s,%s\n", 20 + i * 7 % 45, "Town" i % 30, i % 2 ? "f" : "m", i % 3 ? "flu" : "gout"
}' >t.csv
cat >s.yaml <<'END'
attributes:
  age: {role: quasi, type: integer}
  town: {role: quasi}
  sex: {role: quasi}
  illness: {role: sensitive}
privacy: {k: 5}
END

expect 0 "$KANON" anonymize t.csv -s s.yaml -a mondrian -o r.csv --report p.json --report-external e.json \
    --constraint model=distinct-l-diversity,attribute=illness,l=2 --suppress 0.02
err_has "advice: town pays most: "
err_has "advice: leaving out town saves about "
err_has "(--identifying town)"
err_has "was tried by short runs on all 60 records"
err_has "advice: town has no taxonomy"
err_has "kanon taxonomy build"
err_has "advice: a tight requirement, of which some group reaches no more than was asked: illness:"
err_has "advice: the budget of suppressed records is used up (1)"
err_has "(--refine search)"
err_has "written: r.csv, e.json, p.json"
err_lacks Town
err_lacks gout
grep -q '"advice": \[' p.json || failed "the report has no advice"
grep -q 'town pays most: ' p.json || failed "the report does not have the sentence"
grep -q '"option": "identifying"' p.json || failed "the report does not have what was tried"
! grep -q advice e.json || failed "the external report has advice"
! grep -q -e '--' p.json || failed "the report of the library names a flag"

# the share of the attribute is that of the measures: attribute_share
if command -v python3 >/dev/null; then
    python3 - <<'END' || failed "the share is not attribute_share"
import json, re
report = json.load(open("p.json"))
share = int(re.search(r"town pays most: ([0-9]+) %", " ".join(report["advice"])).group(1))
shares = {name: figures["attribute_share"] for name, figures in report["attributes"].items() if "attribute_share" in figures}
assert max(shares, key=shares.get) == "town" and abs(share - 100 * shares["town"]) <= 0.5
END
fi

# without a report nothing is tried, and nothing promised; --quiet silences it; a search leaves the curve to try
sed 's/town: .*/town: {role: insensitive}/; s/sex: .*/sex: {role: quasi, taxonomy: {any: {f: , m: }}}/' s.yaml >n.yaml
expect 0 "$KANON" anonymize t.csv -s n.yaml --refine search -o r.csv
err_has "age pays most"
err_has "(kanon tradeoff)"
err_has "how near these groups are to the best can be proved, in about 1 second on one processor (kanon bound)"
err_lacks "leaving out"
err_lacks "saves about"
expect 0 "$KANON" anonymize t.csv -s n.yaml -o r.csv -q
err_lacks "advice"

# a few values that are missing cost many cells: the sentence counts both
awk 'BEGIN {
    print "age,job"
    for (i = 0; i < 300; i++)
        printf "%s,job%d\n", i < 6 ? "" : 20 + i % 40, i % 30
}' >m.csv
expect 0 "$KANON" anonymize m.csv --quasi age,job -k 10 -a strips -o m-out.csv
stars=$(awk -F , 'NR > 1 && $1 == "*" { n++ } END { printf "%.0f", n / 3 }' m-out.csv)
err_has "advice: age is missing in 2 % of the records, and shows nothing in $stars % because of that"

# bands that are wider than the groups need: every age is one of 60, and a band shows a sixth of them
awk 'BEGIN { print "age,sex"; for (i = 0; i < 600; i++) printf "%d,%s\n", 20 + i % 60, i % 2 ? "f" : "m" }' >b.csv
expect 0 "$KANON" anonymize b.csv --quasi age,sex --bands age=10 -k 5 -a mondrian -o r.csv --report p.json
err_has "advice: age: 100 % of the loss, of which its bands cost 100 % by themselves"
loss=$(sed -n 's/^  "information_loss": \([0-9.]*\),.*/\1/p' p.json | head -n 1)
[ "${loss%.*}" = 100 ] || failed "600 records lose $loss, and not a sixth each"

# records that are kept together, and columns that are recoded as a whole: short runs say nothing, and nothing is promised
expect 0 "$KANON" anonymize t.csv -s s.yaml --recode attribute -o r.csv --report p.json
err_has "town pays most"
err_lacks "saves about"
awk 'NR == 1 { print "who," $0; next } { print "p" int(NR / 2) "," $0 }' t.csv >w.csv
expect 0 "$KANON" anonymize w.csv -s s.yaml --entity who --entity-together -o r.csv --report p.json
err_lacks "saves about"
