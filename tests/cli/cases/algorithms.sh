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
