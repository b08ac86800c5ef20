# External outputs count what the release shows, and nothing else: a reader who knows all other records reads off no more.

# A person with eight visits is the only astronaut; k counts persons. The release does not show the job.
awk 'BEGIN {
    print "pid,age,job,dis"
    for (p = 0; p < 60; p++)
        for (v = 0; v < (p == 7 ? 8 : 1 + p % 2); v++)
            printf "p%d,%d,%s,%s\n", p, 20 + (p * 7 + v * 3) % 41, p == 7 ? "ASTRONAUT" : p % 3 ? "nurse" : "cook",
                v % 2 ? "flu" : "gout"
}' >t.csv
printf 'attributes:\n  age: {role: quasi, type: integer}\n  job: {role: quasi}\n  dis: {role: sensitive}\nprivacy: {k: 5}\nentity: pid\n' >s.yaml
for form in html json; do
    expect 0 "$KANON" anonymize t.csv -s s.yaml -q -o r.csv --report-external e.$form --codebook c.$form
    ! grep -q ASTRONAUT r.csv e.$form c.$form || failed "$form: the job of one person is named"
done
# persons are not in the release, so neither are their risks and their number
python3 - <<'END' || failed "the report of a table of persons"
import json
report = json.load(open("e.json"))
assert not {"highest_risk", "average_risk", "thresholds", "class_sizes_after", "entities"} & set(report), sorted(report)
END

# One record is changed from alpha to delta below a shared node. The release is the same, and so is all that goes with it.
awk 'BEGIN { print "age,job,out"; split("alpha beta gamma delta", w, " ")
    for (i = 0; i < 120; i++) print int(i / 2) "," w[1 + (i * 7 + int(i / 5)) % 4] ",-" }' >u.csv
cat >u.yaml <<'END'
attributes:
  age: {role: quasi, type: integer, weight: 50}
  job: {role: quasi, taxonomy: {Any: {G1: [alpha, beta], G2: [gamma, delta]}}}
privacy: {k: 6}
END
awk -F, -v OFS=, '$2 == "alpha" && !done { $2 = "delta"; done = 1 } 1' u.csv >v.csv
for t in u v; do
    mkdir $t && cp $t.csv $t/t.csv && cp u.yaml $t/u.yaml
    for form in html json; do
        (cd $t && expect 0 "$KANON" anonymize t.csv -s u.yaml -q -o r.csv -a mondrian --report-external e.$form --codebook c.$form)
    done
done
same u/r.csv v/r.csv
for file in e.html e.json c.html c.json; do
    same u/$file v/$file
    ! sed 's/<h2>Taxonomies.*//; /taxonomy/,$d' u/$file | grep -q alpha || failed "$file has a value that the release has not"
done

# Groups that look alike are one, as in the release; suppressed records are neither counted nor told of.
printf 'a,b\n1,x\n1,x\n1,x\n1,x\n9,y\n' >w.csv
printf 'row,group\n1,1\n2,1\n3,2\n4,2\n5,0\n' >g.csv
expect 0 "$KANON" improve w.csv --groups g.csv --quasi a,b -k 2 --suppress 0.5 --moves 1 -q -o r.csv --report-external e.json
python3 - <<'END' || failed "what looks alike"
import csv, json
report = json.load(open("e.json"))
rows = list(csv.DictReader(open("r.csv")))
classes = {}
for row in rows:
    classes[tuple(row.values())] = classes.get(tuple(row.values()), 0) + 1
assert report["records"] == len(rows) and report["groups"] == len(classes), (report, classes)
assert report["k"] == min(classes.values()) and "suppressed" not in report and "most_suppressed" not in report, report
END
