# The list of algorithms, and one of them.

expect 0 "$KANON" algorithms
err_lines 0
for name in kmember mondrian; do
    grep -q "^$name  *- .* - " "$OUT" || failed "$name is not in the list"
done
for name in $("$KANON" algorithms | awk '{ print $1 }'); do
    expect 0 "$KANON" algorithms "$name"
    out_has "$name"
    out_has "source: "
    out_has "revision: "
    awk 'length > 80 { exit 1 }' "$OUT" || failed "the description of $name is wider than 80 columns"
done
expect 2 "$KANON" algorithms kmembre
err_lines 1
err_has "did you mean kmember?"
expect 2 "$KANON" algorithms kmember mondrian

# what was rejected, by which value, and what to change
printf 'a\n1\n2\n3\n4\n5\n6\n' >far.csv
expect 0 "$KANON" anonymize far.csv --quasi a -k 6 -a tgc-u --set delta=0.01 -o r.csv
err_has "within delta = 0.01, so all records form one group (raise delta, or leave it to the sample)"
expect 0 "$KANON" anonymize far.csv --quasi a -k 6 -a tgc-u -o r.csv
err_has "which the sample chose, so all records form one group (set a larger delta)"
expect 0 "$KANON" anonymize far.csv --quasi a -k 6 -a greedy-threshold -o r.csv
err_has "within threshold = 0.25, so all records form one group (raise threshold)"
