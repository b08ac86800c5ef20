# Help that was asked for goes to standard output, fits 80 columns and ends with examples.

expect 0 "$KANON" --help
out_has "usage: kanon COMMAND"
err_lines 0
for command in anonymize evaluate bound tradeoff check algorithms sample; do
    out_has "  $command "
done
out_lacks "  man "

for command in anonymize evaluate bound tradeoff check algorithms sample man; do
    expect 0 "$KANON" $command --help
    out_has "usage: kanon $command"
    out_has "--help"
    out_has "examples:"
    err_lines 0
    awk 'length > 80 { exit 1 }' "$OUT" || failed "help of $command is wider than 80 columns"
    cp "$OUT" long
    expect 0 "$KANON" $command -h
    same "$OUT" long
    expect 0 "$KANON" help $command
    same "$OUT" long
done

expect 0 "$KANON" help
expect 0 "$KANON" -h
# what stands before --help does not matter, as long as it is right
expect 0 "$KANON" anonymize x.csv -k 3 --help
out_has "usage: kanon anonymize"

expect 0 "$KANON" --version
[ "$(cat "$OUT")" = "kanon $(cat "$SOURCE/VERSION")" ] || failed "wrong version"

expect 2 "$KANON"
err_has "usage: kanon COMMAND"
[ ! -s "$OUT" ] || failed "usage that nobody asked for is on standard output"
