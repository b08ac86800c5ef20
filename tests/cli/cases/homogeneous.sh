# Groups whose records have one sensitive value: a warning and figures everywhere, and never the value.

awk 'BEGIN {
    print "age,d"
    for (i = 0; i < 80; i++)
        print (i % 4 < 2 ? 20 : 58) + i % 4 "," (i % 4 < 2 ? "hiv" : "flu")
}' >t.csv
cat >s.yaml <<'END'
attributes:
  age: {role: quasi, type: integer}
  d: {role: sensitive}
privacy: {k: 10}
END
warning="100 % of the records are in groups with one value of d; consider distinct-l-diversity"

# also of those who want quiet, since it is about privacy
expect 0 "$KANON" anonymize t.csv -s s.yaml -q -o r.csv --groups g.csv --report r.json --report-external e.json --report r.json
err_has "warning: $warning"
err_lines 1
! grep -q -e hiv -e flu r.json e.json "$ERR" || failed "a value is named"
python3 - "$warning" <<'END'
import json, sys
inner, outer = json.load(open("r.json")), json.load(open("e.json"))
assert inner["warnings"] == [sys.argv[1]], inner["warnings"]
for report in (inner, outer):
    assert report["attributes"]["d"]["homogeneous"] == report["attributes"]["d"]["nearly_homogeneous"] == 1
END
expect 0 "$KANON" anonymize t.csv -s s.yaml -q -o r.csv --report r.html --report-external e.html
for page in r.html e.html; do
    grep -q "and 100 % in groups with one value only" $page || failed "$page does not say it"
done
expect 0 "$KANON" check r.csv -s s.yaml
out_has "homogeneous          1 d"
out_has "nearly_homogeneous   1 d"
out_has "$warning"
expect 0 "$KANON" evaluate t.csv -s s.yaml --groups g.csv -q
out_has "homogeneous[d]"
err_has "$warning"
expect 0 "$KANON" improve t.csv -s s.yaml --groups g.csv -q -o better.csv
err_has "$warning"

# a constraint leaves no such group, so nothing is said
expect 0 "$KANON" anonymize t.csv -s s.yaml -q -o r.csv --constraint model=distinct-l-diversity,attribute=d,l=2
err_lines 0
expect 0 "$KANON" check r.csv -s s.yaml
out_has "homogeneous          0 d"
out_lacks "consider"

# one group in ten, and 9 of 10 elsewhere: the shares are apart
awk 'BEGIN {
    print "age,d"
    for (i = 0; i < 100; i++)
        print int(i / 10) * 10 "," (i >= 10 && i % 10 == 0 ? "rare" : "often")
}' >u.csv
expect 0 "$KANON" anonymize u.csv -s s.yaml -q -o r.csv
err_has "10 % of the records are in groups with one value of d, 100 % in groups in which one value has 90 % or more"

# the releases of a state say it as the first one did, those that are not quiet and the others
awk 'BEGIN { print "id,age,d"; for (i = 0; i < 40; i++) print i "," int(i / 20) * 40 + i % 4 "," (i < 20 ? "flu" : "gout") }' >v.csv
printf 'attributes: {id: identifying, age: quasi, d: sensitive}\nprivacy: {k: 20}\nkey: id\n' >v.yaml
said="warning: 100 % of the records are in groups with one value of d; consider distinct-l-diversity"
expect 0 "$KANON" anonymize v.csv -s v.yaml -q -o r.csv --state v.state
err_has "$said"
expect 0 "$KANON" release v.state -q -o r.csv
err_has "$said"
printf 'id,d\n3,flu\n' >same.csv
expect 0 "$KANON" update v.state same.csv -o r.csv
err_has "$said"
expect 0 "$KANON" optimize v.state
err_lacks "one value of d"

# Adult, counted a second time from the groups
[ -f "$DATA/adult/adult.csv" ] || exit 0
expect 0 "$KANON" anonymize "$DATA/adult/adult.csv" --quasi age,sex,race,education --sensitive income -k 5 -a mondrian \
    -q --groups g.csv -o r.csv
python3 - "$DATA/adult/adult.csv" "$ERR" <<'END'
import collections, csv, sys
groups = collections.defaultdict(list)
for row, at in zip(csv.DictReader(open(sys.argv[1])), csv.DictReader(open("g.csv"))):
    groups[at["group"]].append(row["income"])
n = sum(map(len, groups.values()))
one = sum(len(g) for g in groups.values() if len(set(g)) == 1) / n
wanted = f"{100 * one:.0f} % of the records are in groups with one value of income"
assert wanted in open(sys.argv[2]).read(), (wanted, open(sys.argv[2]).read())
END
