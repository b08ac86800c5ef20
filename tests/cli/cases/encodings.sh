# Files as they are: other encodings, packed ones, and what is no text at all.

printf 'attributes: {age: {role: quasi}, town: {role: quasi}}\n' >s.yaml
printf 'age,town\n20,Köln\n21,Köln\n30,Zürich\n31,Zürich\n' >t.csv
printf 'age,town\n[20..21],Köln\n[20..21],Köln\n[30..31],Zürich\n[30..31],Zürich\n' >wanted.csv
release()
{
    expect 0 "$KANON" anonymize "$@" -s s.yaml -k 2 -a kmember
    same "$OUT" wanted.csv
}
digest()
{
    sha256sum "$1" | cut -d ' ' -f 1
}
release t.csv
err_lacks "read as"

for encoding in UTF-16LE UTF-16BE ISO-8859-1; do
    iconv -f UTF-8 -t "$encoding" t.csv >e.csv
    release e.csv
    err_has "e.csv: read as $encoding"
    err_has "if that is wrong, say which encoding it has"
    release e.csv --encoding "$(echo "$encoding" | tr A-Z a-z)"
    err_lacks "read as"
done
iconv -f UTF-8 -t UTF-16 t.csv >bom.csv # with a byte order mark
release bom.csv --report r.json
err_has "bom.csv: read as UTF-16LE"
grep -q "$(digest bom.csv)" r.json || failed "the report does not name the file as it is"
release bom.csv --encoding utf-16
release - <bom.csv
err_has "standard input: read as UTF-16LE"
printf 'age,town\n20,K\200ln\n21,K\200ln\n' >w.csv
expect 0 "$KANON" anonymize w.csv -s s.yaml -k 2
err_has "w.csv: read as Windows-1252"
out_has 'K€ln'
expect 2 "$KANON" anonymize t.csv -s s.yaml -k 2 --encoding klingon
err_has "there is no encoding 'klingon'; encodings are utf-8, utf-16, utf-16le, utf-16be, latin-1 and windows-1252"
printf 'encoding: latin-1\nattributes: {age: {role: quasi}, town: {role: quasi}}\n' >latin.yaml
iconv -f UTF-8 -t ISO-8859-1 t.csv >l1.csv
expect 0 "$KANON" anonymize l1.csv -s latin.yaml -k 2 -a kmember
same "$OUT" wanted.csv
err_lacks "read as"
printf 'encoding: klingon\nattributes: {age: quasi}\n' >bad.yaml
expect 3 "$KANON" anonymize t.csv -s bad.yaml -k 2
err_has "bad.yaml:1: column 11: not an encoding"

# UTF-8 with a wrong byte stays UTF-8, so that the place is told; UTF-16 that ends in the middle
printf 'age,town\n20,Köln Köln\n21,K\377ln\n' >damaged.csv
expect 3 "$KANON" anonymize damaged.csv -s s.yaml -k 2
err_has "damaged.csv:3: town: not UTF-8"
head -c 31 bom.csv >cut.csv
expect 3 "$KANON" anonymize cut.csv -s s.yaml -k 2
err_has "cut.csv: not UTF-16LE; say which encoding it has; --encoding NAME does that"

# Files of more than 1 MiB are read as UTF-8 first. All that is not ASCII stands at the end: a town, and a row that is wrong
many()
{
    printf 'age,town\n'
    yes '20,Bern
30,Oslo' | head -n 160000
    printf '%b' "$1"
}
many '20,Köln\n30,Köln\n' >many.csv
many '20,K\366ln\n30,K\366ln\n' >many-l1.csv
for table in many.csv many-l1.csv - ; do
    expect 0 "$KANON" anonymize "$table" -s s.yaml -k 2 -a mondrian -o "of-$table" <many-l1.csv
    same of-many.csv "of-$table"
    [ "$table" = many.csv ] && err_lacks "read as" || err_has "read as ISO-8859-1"
done
many '20,Köln Köln\n30,K\366ln\n' >damaged.csv
expect 3 "$KANON" anonymize damaged.csv -s s.yaml -k 2
err_has "damaged.csv:160003: town: not UTF-8"
many '20\n30,K\366ln\n' >short.csv
expect 3 "$KANON" anonymize short.csv -s s.yaml -k 2
err_has "short.csv:160002: town: 1 cell, expected 2"

# check, deltas, taxonomies
iconv -f UTF-8 -t UTF-16 wanted.csv >r16.csv
expect 0 "$KANON" check r16.csv -s s.yaml -k 2
out_has "r16.csv: read as UTF-16LE"
printf 'Köln;Rhein;*\nZürich;Limmat;*\n' | iconv -f UTF-8 -t ISO-8859-1 >tax.csv
expect 0 "$KANON" anonymize t.csv -s s.yaml -k 2 -a kmember --taxonomy town=tax.csv -q
same "$OUT" wanted.csv
expect 0 "$KANON" anonymize t.csv -s s.yaml -k 2 --state s.db -o x.csv -q
printf 'age,town\n22,Köln\n' | iconv -f UTF-8 -t UTF-16 >delta.csv
expect 0 "$KANON" insert s.db delta.csv

# packed files: also several one after the other
gzip -c t.csv >t.csv.gz
release t.csv.gz --report r.json
grep -q "$(digest t.csv.gz)" r.json || failed "the report does not name the packed file"
{ head -n 3 t.csv | gzip -c; tail -n 2 t.csv | gzip -c; } >two.gz
release two.gz
iconv -f UTF-8 -t UTF-16 t.csv | gzip -c >t16.gz
release t16.gz
head -c 40 t.csv.gz >half.gz
expect 3 "$KANON" anonymize half.gz -s s.yaml -k 2
err_has "half.gz: the gzip file is damaged or not complete; copy it again from where it was made"
if command -v zstd >/dev/null; then
    zstd -q -c t.csv >t.csv.zst
    release t.csv.zst
    head -c 40 t.csv.zst >half.zst
    expect 3 "$KANON" anonymize half.zst -s s.yaml -k 2
    err_has "half.zst: the zstd file is damaged or not complete"
fi
# larger than what is kept in memory, and read by several threads
awk 'BEGIN { print "age,town"; for (i = 0; i < 120000; i++) print i % 90 ",K\303\266ln" }' >large.csv
expect 0 "$KANON" anonymize large.csv -s s.yaml -k 2 -a mondrian -q -o plain.csv
gzip -c large.csv >large.gz
expect 0 "$KANON" anonymize large.gz -s s.yaml -k 2 -a mondrian -q -o unpacked.csv
same plain.csv unpacked.csv
iconv -f UTF-8 -t ISO-8859-1 large.csv | gzip -c >large.gz
expect 0 "$KANON" anonymize large.gz -s s.yaml -k 2 -a mondrian -q -o unpacked.csv
same plain.csv unpacked.csv
# what is made to fill disks
head -c 90000000 /dev/zero | tr '\0' '1' | gzip -c >bomb.gz
expect 3 "$KANON" anonymize bomb.gz -s s.yaml -k 2
err_has "bomb.gz: it unpacks to more than 250 times its size; unpack it yourself if that is right, and read the file that comes out"
gzip -c t.csv.gz >twice.gz
expect 3 "$KANON" anonymize twice.gz -s s.yaml -k 2
err_has "twice.gz: it was packed twice"

# no text: what it is, and what to do
refused()
{
    expect 3 "$KANON" anonymize "$1" -s s.yaml -k 2
    err_has "$1: this is $2, not CSV; $3"
}
printf 'PK\003\004\024\000\000\000abc.csv' >a.zip
refused a.zip "a zip file" "unpack it, and read the CSV file that is inside"
printf 'PK\003\004\024\000\000\000[Content_Types].xml' >a.xlsx
refused a.xlsx "an Excel or other Office file (a zip file inside)" "save the sheet as CSV (UTF-8), and read that"
printf 'PK\003\004\024\000\000\000docProps/app.xml' >a.xlsx # other programs begin with other parts
refused a.xlsx "an Excel or other Office file (a zip file inside)" "save the sheet as CSV (UTF-8), and read that"
printf 'PK\003\004\024\000\000\000xl/workbook.xml' >b.xlsx
refused b.xlsx "an Excel file (a zip file inside)" "save the sheet as CSV (UTF-8), and read that"
printf 'PAR1\025\000\025\000' >a.parquet
expect 3 "$KANON" anonymize - -s s.yaml -k 2 <a.parquet # a file has to have a name for DuckDB
err_has "this is a Parquet file, not CSV; give it as a file by its name"
printf '%%PDF-1.7\n' >a.pdf
refused a.pdf "a PDF file" "get the table that it shows as CSV"
printf 'SQLite format 3\000' >a.db
expect 3 "$KANON" anonymize a.db -s s.yaml -k 2
err_has "a.db: "
expect 2 "$KANON" anonymize s.db -s s.yaml -k 2 # it has tables, and nobody said which
err_has "s.db: an SQLite file with "
printf 'PK,BZh\n1,2\n3,4\n' >begins.csv # a text may begin like that
expect 0 "$KANON" anonymize begins.csv --quasi PK -k 2 -q

# tables and taxonomies of the command taxonomy are read the same way
expect 0 "$KANON" taxonomy build t.csv --column town --prefixes 1
cp "$OUT" tree.csv
for encoding in UTF-16LE ISO-8859-1; do
    iconv -f UTF-8 -t "$encoding" t.csv >e.csv
    expect 0 "$KANON" taxonomy build e.csv --column town --prefixes 1
    same "$OUT" tree.csv
    iconv -f UTF-8 -t "$encoding" tree.csv >e-tree.csv
    expect 0 "$KANON" taxonomy check e-tree.csv --table e.csv --column town
    out_has "good"
    expect 0 "$KANON" taxonomy show e-tree.csv --table e.csv --column town
    out_has "Köln"
done
expect 3 "$KANON" taxonomy build a.xlsx --column town --prefixes 1
err_has "a.xlsx: this is an Excel or other Office file"
expect 3 "$KANON" taxonomy check a.zip
err_has "a.zip: this is a zip file"
