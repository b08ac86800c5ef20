# The manual pages come from the tables of the help and are good roff.

for command in "" anonymize evaluate bound tradeoff check algorithms sample; do
    expect 0 "$KANON" man $command
    err_lines 0
    out_has .TH
    out_has ".SH EXAMPLES"
    out_has ".SH EXIT STATUS"
done
expect 2 "$KANON" man nothing
err_lines 1
expect 0 "$KANON" man anonymize
# shellcheck disable=SC2013 # words are what is wanted
for option in $("$KANON" anonymize --help | grep -o -e '--[a-z-]*' | sort -u | sed 's/-/\\-/g'); do
    out_has "$option"
done

command -v groff >/dev/null || skip "no groff"
for command in "" anonymize evaluate bound tradeoff check algorithms sample; do
    "$KANON" man $command | groff -man -Tascii -ww -rLL=78n >/dev/null 2>complaints
    [ ! -s complaints ] || failed "groff: $(head -n 1 complaints)"
done
