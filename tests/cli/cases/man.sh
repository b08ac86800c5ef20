# The manual pages come from the tables of the help and are good roff. There is one for every command.

commands=$("$KANON" docs commands | sed -n 's/^| `kanon \([a-z-]*\)` .*/\1/p')
expect 0 "$KANON" --help
[ "$(sed -n '/^commands:/,/^$/s/^  \([a-z-]*\)  *.*/\1/p' "$OUT")" = "$commands" ] || failed "the help lists other commands"
expect 0 "$SOURCE/scripts/make-man" "$KANON" pages
for command in $commands; do
    [ -s "pages/kanon-$command.1" ] || failed "no manual page of $command"
done
[ "$(ls pages | wc -l)" -eq "$(($(echo "$commands" | wc -l) + 1))" ] || failed "there are other pages, too: $(ls pages)"

for command in "" $commands; do
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
for option in $("$KANON" anonymize --help all | grep -o -e '--[a-z-]*' | sort -u | sed 's/-/\\-/g'); do
    out_has "$option"
done

command -v groff >/dev/null || skip "no groff"
for page in pages/* "$SOURCE/docs/kanon-schema.5"; do
    groff -man -Tascii -ww -rLL=78n "$page" >/dev/null 2>complaints
    [ ! -s complaints ] || failed "$page: groff: $(head -n 1 complaints)"
done
