# --missing and the schema's missing add to the empty text, everywhere; --empty value and empty: value make that one a value.
{ echo age,job; for i in 1 2 3; do echo "2$i,nurse"; echo "3$i,"; done; echo "?,nurse"; echo ",?"; } >t.csv

run() { expect "$1" "$KANON" anonymize t.csv -k 2 -a mondrian -q $2; }

# the empty text of a column of numbers is no value, however the other text is said
run 0 "--quasi age,job --missing ?"
cp "$OUT" wanted.csv
for missing in 'missing: ["?"]' 'missing: ["?", ""]' 'missing: ["", "?"]' 'missing: ["?", " "]' 'empty: missing
missing: "?"'; do
    printf '%s\nattributes: {age: quasi, job: quasi}\n' "$missing" >s.yaml
    run 0 "-s s.yaml"
    same "$OUT" wanted.csv
done
printf 'missing: [NA]\nattributes: {age: quasi, job: quasi}\n' >s.yaml
run 0 "-s s.yaml --missing ?" # a flag wins over the texts of the file, not over the empty text
same "$OUT" wanted.csv
printf 'empty: value\nmissing: ["?"]\nattributes: {age: quasi, job: quasi}\n' >s.yaml
run 0 "-s s.yaml --empty missing"
same "$OUT" wanted.csv

# a value, which is none of a column of numbers
run 3 "-s s.yaml"
err_has "age"
printf 'age,job\n20,\n20,\n20,nurse\n20,nurse\n' >v.csv
expect 2 "$KANON" anonymize v.csv --quasi job --empty valeu -k 2 -q
err_has "--empty: there is no 'valeu'; choose one of: missing, value"
expect 3 "$KANON" anonymize v.csv --quasi age -k 2 -s "$(printf 'empty: 1\nattributes: {age: quasi}\n' >e.yaml; echo e.yaml)"
err_has "e.yaml:1: column 8: there is no such word; choose one of: missing, value"
printf 'attributes: {age: {role: quasi}, job: {role: sensitive}}\nprivacy: {k: 2}\n' >s.yaml
expect 0 "$KANON" anonymize v.csv -s s.yaml --empty value -q -o r.csv --codebook book.json --state st
expect 0 "$KANON" release st -q

# the taxonomy tools: only the texts that are values are in what is built
expect 0 "$KANON" taxonomy build t.csv --column job --prefixes 1 --missing '?'
out_lacks '?'
[ "$(wc -l <"$OUT")" -eq 1 ] || failed "the empty text is in a taxonomy"
expect 0 "$KANON" taxonomy build t.csv --column job --prefixes 1
[ "$(wc -l <"$OUT")" -eq 2 ] || failed "nurse and ? are values"

# kanon init names only what it has found
expect 0 "$KANON" init v.csv
out_lacks 'missing:'
{ echo age; for i in 1 2 3 4 5 6 7 8 9; do echo "2$i"; echo "2$i"; done; echo NA; echo NA; } >n.csv
expect 0 "$KANON" init n.csv
out_has 'missing: ["NA"]'
