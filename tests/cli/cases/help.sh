# Help that was asked for goes to standard output, fits 80 columns and ends with examples.

expect 0 "$KANON" --help
out_has "usage: kanon COMMAND"
err_lines 0
for command in anonymize evaluate bound tradeoff check algorithms sample; do
    out_has "  $command "
done
out_lacks "  man "
out_lacks "  docs "

# --constraint names every privacy model
expect 0 "$KANON" anonymize --help
tr -s ' \n' ' ' <"$OUT" >flat
for model in $("$KANON" docs models | sed -n 's/^- `\([a-z-]*\)`.*/\1/p'); do
    grep -qF "$model" flat || failed "the help of --constraint does not name $model"
done
expect 2 "$KANON" docs nothing
err_has "kanon docs names them"

commands=$("$KANON" docs commands | sed -n 's/^| `kanon \([a-z-]*\)` .*/\1/p')
for command in $commands man docs; do
    expect 0 "$KANON" $command --help
    out_has "usage: kanon $command"
    out_has "--help"
    out_has "examples:"
    err_lines 0
    awk 'length > 80 { exit 1 }' "$OUT" || failed "help of $command is wider than 80 columns"
    # an option and its description are two spaces apart, or on two lines
    awk '/^options:/ { inside = 1 } /^$/ { inside = 0 }
        inside && /^  (-.|  )/ && !/^ +(-., )?--[a-z-]+ [^ ]+$/ && length > 26 && substr($0, 25, 2) != "  " { exit 1 }' "$OUT" ||
        failed "help of $command: an option runs into its description"
    cp "$OUT" long
    expect 0 "$KANON" $command -h
    same "$OUT" long
    expect 0 "$KANON" help $command
    same "$OUT" long
    expect 0 "$KANON" $command --help all
    awk 'length > 80 { exit 1 }' "$OUT" || failed "all the help of $command is wider than 80 columns"
    cp "$OUT" all
    expect 0 "$KANON" help $command all
    same "$OUT" all
done

# where there are many options, --help shows those that most runs need and says how many there are
options_of() { sed -n 's/^ \{2,6\}\(-., \)\{0,1\}\(--*[a-z-]*\).*/\2/p' "$OUT"; }
expect 0 "$KANON" anonymize --help
[ "$(options_of | wc -l)" -eq 11 ] || failed "the help of anonymize has other than ten options and --help"
total=$(sed -n 's/^All \([0-9]*\) options: kanon anonymize --help all$/\1/p' "$OUT")
options_of | sort >few
expect 0 "$KANON" anonymize --help all
options_of | sort >many
[ "$(wc -l <many)" -eq "$total" ] || failed "--help all shows $(wc -l <many) of $total options"
[ -z "$(comm -23 few many)" ] || failed "--help shows what --help all does not: $(comm -23 few many)"
[ "$(grep -c '^options: ' "$OUT")" -gt 5 ] || failed "--help all has no categories"
expect 2 "$KANON" help anonymize everything
expect 2 "$KANON" help schema all

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
