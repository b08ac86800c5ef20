# Figures that depend on values which the release does not show have two significant digits in external reports.

"$KANON" sample hospital --rows 300 --seed 2 -q -o demo
expect 0 "$KANON" anonymize demo/hospital.csv -s demo/hospital.yaml -k 5 -a mondrian -q -o release.csv \
    --report inside.json --report-external outside.json
python3 - <<'EOF' || failed "rounding"
import json
inside, outside = (json.load(open(f"{side}.json")) for side in ("inside", "outside"))
hidden = "neighbour_bound neighbour_gap square_error query_error uniques_before k_before distinct_tuples".split()
for name in hidden:
    assert float(f"{inside[name]:.2g}") == outside[name], name
assert any(inside[name] != outside[name] for name in hidden)
for name in "records groups suppressed k information_loss discernibility highest_risk".split():
    assert inside[name] == outside[name], name
EOF
