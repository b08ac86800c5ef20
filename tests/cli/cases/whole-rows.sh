# Figures of whole rows of the demo: those of the specification.

# has NAME VALUE: a line of figures.
has()
{
    grep -q "^$1  *$2\$" "$OUT" || failed "$1 is not $2"
}

expect 0 "$KANON" sample hospital --rows 5000 --seed 1 -q -o demo
expect 0 "$KANON" anonymize demo/hospital.csv -s demo/hospital.yaml -k 5 -q -o demo/r.csv
expect 0 "$KANON" check demo/r.csv -s demo/hospital.yaml
for figure in "singled_out 0.8202 diagnosis" "singled_out 0.998 cost" "singled_out_all 1" "inference 0.2804 diagnosis" \
    "inference_base 0.0436 diagnosis" "inference_gain 0.2475[0-9]* diagnosis" "cap 0.2339[0-9]* diagnosis" \
    "cap_base 0.0248[0-9]* diagnosis" "disco 0.001 diagnosis"; do
    has "${figure%% *}" "${figure#* }"
done
# of the cost alone
sed 's/.*,/1,/; 1s/1,/q,/' demo/r.csv >demo/cost.csv
expect 0 "$KANON" check demo/cost.csv --quasi q --sensitive cost
has singled_out "0.3710* cost"
