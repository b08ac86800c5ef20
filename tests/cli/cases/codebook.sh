# The codebook: a release can be read by it alone, it holds nothing that the release does not show, and it is written
# with the other files or not at all.

command -v python3 >/dev/null || skip "no python3"
read_by="$SOURCE/tests/reference/read_by_codebook.py"

awk 'BEGIN {
    print "name;age;job;zip;town;born;pay;illness;note"
    for (i = 0; i < 60; i++)
        printf "Name%d;%s;%s;%d;%s;%d-0%d-11;%d.5;%s;free \"text\" %d\n", i, i % 20 == 3 ? "?" : 17 + i * 7 % 61,
            i % 3 ? (i % 2 ? "cook" : "bake") : "none", 75270 + i % 9, i % 2 ? "Ulm" : "Bonn", 1980 + i % 7, 1 + i % 9,
            1000 + i * 37 % 900, i % 5 ? "flu" : "gout", i
}' | sed 's/free "text" \([0-9]*\)/"free ""text"" \1"/' >t.csv
cat >s.yaml <<'END'
missing: ["?", ""]
attributes:
  name: {role: identifying}
  age: {role: quasi, type: integer, bands: 5, top: 70, bottom: 19}
  job: {role: quasi, taxonomy: {anyone: {food: {cook: , bake: , brew: }, none: }}}
  zip: {role: quasi, type: categorical, mask: right}
  town: {role: quasi}
  born: {role: quasi, type: date}
  pay: {role: quasi, type: decimal}
  illness: {role: sensitive}
  note: {role: insensitive}
privacy: {k: 4}
END

for form in interval range columns; do
    expect 0 "$KANON" anonymize t.csv -s s.yaml -o r.csv --numeric "$form" --codebook c.json -q
    expect 0 python3 "$read_by" c.json r.csv
    out_has "60 records"
    expect 0 "$KANON" anonymize t.csv -s s.yaml -o r.csv --numeric "$form" --codebook r.csv-metadata.json -q
    expect 0 python3 "$read_by" r.csv-metadata.json r.csv
    out_has "60 records"
    expect 0 "$KANON" anonymize t.csv -s s.yaml -o r.csv --numeric "$form" --codebook c.html -q
    expect 0 python3 "$read_by" c.html r.csv
done
sed 's/age: .*/age: {role: quasi, type: integer}/' s.yaml >plain.yaml
expect 0 "$KANON" anonymize t.csv -s plain.yaml -o r.csv --numeric mean --codebook c.json -q
expect 0 python3 "$read_by" c.json r.csv
# a cell that is not as the codebook says is found, so the reader can fail
sed '2s/^[^;]*/[1..x]/' r.csv >wrong.csv
expect 1 python3 "$read_by" c.json wrong.csv

# the rule of bands and all of the taxonomy, also what nobody has; nothing of mask, towns, names, extremes
expect 0 "$KANON" anonymize t.csv -s s.yaml -k 30 -o r.csv --codebook c.json -q
for text in '"bands": "5"' '"top": "70"' '"bottom": "19"' brew anyone; do
    grep -qF "$text" c.json || failed "the codebook does not have $text"
done
for file in c.json c-metadata.json c.html; do
    expect 0 "$KANON" anonymize t.csv -s s.yaml -k 30 -o r.csv --codebook "$file" -q
    for text in Ulm Bonn 7527 Name1 1980 1986 gout 1000 1888 1899; do
        ! sed 's/<style>.*<\/style>//' "$file" | sed '/^<style>/,/^<\/style>/d' | grep -qF "$text" ||
            failed "$file has a value of the table: $text"
    done
done

# all or nothing
rm -f r.csv c.json
mkdir blocked.json
expect 4 "$KANON" anonymize t.csv -s s.yaml -o r.csv --codebook blocked.json -q
no_file r.csv
expect 2 "$KANON" anonymize t.csv -s s.yaml -o r.csv --codebook r.csv -q
no_file r.csv

# a release of a state, too; a taxonomy that has grown from the table is not told any more
expect 0 "$KANON" anonymize t.csv -s plain.yaml -a mondrian -o r.csv --state t.state --joint-k off -q
expect 0 "$KANON" release t.state -o r2.csv --codebook c.json -q
expect 0 python3 "$read_by" c.json r2.csv
grep -qF brew c.json || failed "the codebook of a state does not have its taxonomy"
! grep -qF 7527 c.json || failed "the codebook of a state has the values of a mask"
printf '%s\nLast;30;juggler;75271;Ulm;1982-02-11;1200.5;flu;new\n' "$(head -n 1 t.csv)" >d.csv
expect 0 "$KANON" insert t.state d.csv --grow-taxonomy -o r2.csv --codebook c.json -q
expect 0 python3 "$read_by" c.json r2.csv
out_has "61 records"
! grep -qF juggler c.json || failed "the codebook of a state has a category that came from a record"

# how dates are written is said in each form, also where cells are intervals
printf 'born,sex\n13/01/1980,f\n14/02/1981,m\n15/03/1982,f\n16/04/1983,m\n' >dates.csv
for book in d.json d.csv-metadata.json d.html; do
    expect 0 "$KANON" anonymize dates.csv --quasi born,sex -k 2 -o d.csv --codebook "$book" -q
    grep -qF '%d/%m/%Y' "$book" || failed "$book does not say how dates are written"
done
expect 0 "$KANON" anonymize dates.csv --quasi born,sex --bands born=year -k 2 -o d.csv --codebook d.json -q
grep -qF '[01/01/1980..' d.csv || failed "bands are not written as the column writes its dates"
grep -qF '%d/%m/%Y' d.json || failed "the codebook does not say how the ends of bands are written"
