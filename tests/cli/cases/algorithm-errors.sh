# Unknown algorithms and settings: exit status 2, one line that names the valid ones.

printf 'age,zip\n20,1\n21,1\n30,2\n31,2\n' >t.csv
printf 'attributes: {age: {role: quasi}, zip: {role: quasi}}\n' >s.yaml

expect 2 "$KANON" anonymize t.csv -s s.yaml -k 2 -a kmembre -o r.csv
err_lines 1
err_has kmember
err_has "did you mean 'kmember'?"
expect 2 "$KANON" anonymize t.csv -s s.yaml -k 2 -a simulated-quantum -o r.csv
err_has mondrian # all that there are
expect 2 "$KANON" anonymize t.csv -s s.yaml -k 2 -a mondrian --set shape=round -o r.csv
err_lines 1
err_has shape
expect 0 "$KANON" algorithms mondrian
setting=$(sed -n 's/^  \([a-z-]*\) (.*/\1/p' "$OUT" | head -n 1)
[ -n "$setting" ] || failed "mondrian shows no setting"
expect 2 "$KANON" anonymize t.csv -s s.yaml -k 2 -a mondrian --set shape=round -o r.csv
err_has "$setting"
expect 2 "$KANON" anonymize t.csv -s s.yaml -k 2 -a mondrian --set "$setting=nonsense" -o r.csv
err_lines 1
err_has "$setting"
no_file r.csv

printf 'row,group\n1,1\n2,1\n3,2\n4,2\n' >g.csv
expect 2 "$KANON" evaluate t.csv -s s.yaml --groups g.csv --set shape=round
err_lines 1
err_has shape
expect 2 "$KANON" evaluate t.csv -s s.yaml --groups g.csv --set r=7
err_lines 1
