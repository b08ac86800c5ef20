# A grid of settings: the points as CSV, JSON and plots, and grids that are none.

"$KANON" sample hospital --rows 300 -q -o demo
tradeoff() { "$KANON" tradeoff demo/hospital.csv -s demo/hospital.yaml "$@"; }

expect 0 tradeoff -a mondrian -k 2,5,20 --suppress 0,0.05
[ "$(head -n 1 "$OUT")" = "result,k,suppress,groups,suppressed,information_loss,avg_loss,highest_risk,average_risk,protection,\
utility_um,query_error,discernibility,neighbour_bound,neighbour_gap,from_k,seconds" ] || failed "the header is another"
awk -F , 'NR > 1 && ($8 > 1 / $2 || $9 > $8 || $15 != "" && $15 < 1 || $3 == 0 && $5 > 0) { bad = 1 } END { exit bad || NR != 7 }' \
    "$OUT" || failed "the figures of a point cannot be"
err_has "6 points: "

# a point is what anonymize makes with its settings
expect 0 tradeoff -a mondrian -k 5 --suppress 0.05 -q
err_lines 0
"$KANON" anonymize demo/hospital.csv -s demo/hospital.yaml -a mondrian -k 5 --suppress 0.05 --report r.json -o r.csv -q
alone=$(sed -n 's/^  "information_loss": \([0-9]*\.[0-9]\{6\}\).*/\1/p' r.json)
point=$(tail -n 1 "$OUT" | cut -d , -f 6 | sed 's/\(\.[0-9]\{6\}\).*/\1/')
[ "$point" = "$alone" ] || failed "the point loses $point, its run $alone"

# any number of threads, the same curve
for threads in 1 2 5; do
    expect 0 tradeoff -a tgc -k 3,10 --set w-u=0,0.5,1 --set r=0.5,1 --threads $threads -o curve.csv --plot curve.html
    sed 's/,[^,]*$//' curve.csv >curve.$threads
    mv curve.html page.$threads
done
same curve.1 curve.2
same curve.1 curve.5
same page.1 page.5

# who is dominated, by the definition; JSON and SVG for other programs
expect 0 tradeoff -a mondrian -k 2,4 --set ties=strict,relaxed --json curve.json --plot curve.svg -o curve.csv
grep -q '^optimal,' curve.csv || failed "no point is optimal"
if command -v python3 >/dev/null; then
    python3 - <<'END' || failed "JSON or SVG are not well-formed, or not the same curve"
import csv, json
from xml.etree import ElementTree
curve = json.load(open("curve.json"))
rows = list(csv.DictReader(open("curve.csv")))
assert len(rows) == len(curve["points"]) == 4
for row, point in zip(rows, curve["points"]):
    assert row["result"] == point["result"] and row["k"] == point["settings"]["k"] and row["ties"] == point["settings"]["ties"]
    assert all(abs(float(row[name]) - point[name]) < 1e-9 for name in curve["criteria"])
    better = [other for other in curve["points"] if all(other[c] <= point[c] * (1 + 1e-9) for c in curve["criteria"])
              and any(other[c] < point[c] * (1 - 1e-9) for c in curve["criteria"])]
    assert (point["result"] == "dominated") == (len(better) > 0)
svg = ElementTree.parse("curve.svg").getroot()
assert svg.tag == "{http://www.w3.org/2000/svg}svg"
assert len(svg.findall(".//{*}circle/{*}title")) == 3 * 4
# the recommended point has a ring in every panel: of those that are not dominated, the one nearest to the corner
assert len(svg.findall(".//{*}circle[@class='chosen']")) == 3
from math import hypot, log
best = [p for p in curve["points"] if p["result"] == "optimal"]
def place(p):
    axes = []
    for figure in (lambda q: q["information_loss"], lambda q: log(q["average_risk"])):
        least, most = min(map(figure, best)), max(map(figure, best))
        axes.append((figure(p) - least) / (most - least) if most > least else 0)
    return hypot(*axes)
assert curve["points"][curve["recommended"]] is min(best, key=place)
END
fi

# a larger k never loses less: its groups are groups of a smaller one, too, and the point says whose they are
expect 0 tradeoff -a tgc -k 4,2,6,3,5 -o curve.csv --json curve.json -q
awk -F , 'NR > 1 { print $2 "," $5 "," $15 }' curve.csv | sort -n >losses
awk -F , '$2 < last { bad = 1 } { last = $2 } $3 != "" && $3 <= $1 { bad = 1 } END { exit bad }' losses ||
    failed "a larger k loses less"
taken=$(awk -F , '$3 != "" { print $1, $3; exit }' losses)
[ -n "$taken" ] || failed "no point took groups over: choose another table"
for k in $taken; do
    "$KANON" anonymize demo/hospital.csv -s demo/hospital.yaml -a tgc -k "$k" --report r.json -o r.csv -q
    sed -n 's/^  "information_loss": \([0-9]*\.[0-9]\{6\}\).*/\1/p' r.json
done >alone
awk 'NR == 1 { own = $1 } NR == 2 { exit !($1 < own) }' alone || failed "the groups of the larger k lose no less"
grep "^${taken% *}," losses | grep -q "$(sed -n 2p alone)" || failed "the point has other groups"
grep -q "\"from_k\": ${taken#* }" curve.json || failed "JSON does not say whose groups they are"

# k that the table cannot have are told as such
expect 0 tradeoff -a mondrian -k 5,301
grep -q '^infeasible,301,,' "$OUT" || failed "301 of 300 records"
expect 1 tradeoff -a mondrian -k 301,302 -o none.csv --plot none.svg
err_has "no point of the grid can be met"

# grids that are none
expect 2 tradeoff -k 2,1
err_has "k: 1 is not a whole number from 2"
expect 2 tradeoff -k 2,,5
err_has "k: an empty value in the list"
expect 2 tradeoff -k 5,2,5
err_has "k: 5 is named twice"
expect 2 tradeoff --suppress 0,1.5
err_has "suppress: not a share of the records; write 0.01 for one percent"
expect 2 tradeoff -a tgc --set w-u=0,2
err_has "no value for the setting 'w-u'"
expect 2 tradeoff -a tgc --set w-u=0 --set w-u=1
err_has "w-u is given twice"
expect 2 tradeoff -a mondrian --set depth=1
expect 2 tradeoff -a nobody
expect 2 tradeoff --measure depth=1
expect 2 "$KANON" tradeoff demo/hospital.csv
expect 2 tradeoff -a mondrian -o demo/hospital.yaml
expect 2 tradeoff -a mondrian -o none.csv --json ./none.csv
expect 4 tradeoff -a mondrian -o none.csv --plot nowhere/none.svg
no_file none.csv
no_file none.svg

# stopped: nothing is written
expect 143 at_tick "measuring 10 TERM" "$KANON" tradeoff demo/hospital.csv -s demo/hospital.yaml -a mondrian -k 2,3,4,5 \
    -o none.csv --json none.json
no_file none.csv
no_file none.json
[ "$(find . -name '*none*' | wc -l)" -eq 0 ] || failed "something is left of a curve that was not finished"
