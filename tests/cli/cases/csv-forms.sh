# Tables as people have them: standard input, CRLF, a byte order mark, other delimiters, quoted cells.

printf 'attributes: {age: {role: quasi}, town: {role: quasi}, note: {role: insensitive}}\n' >s.yaml
printf 'age,town,note\n20,Ulm,a\n21,Ulm,b\n30,Kiel,c\n31,Kiel,d\n' >t.csv
printf 'age,town,note\n[20..21],Ulm,a\n[20..21],Ulm,b\n[30..31],Kiel,c\n[30..31],Kiel,d\n' >wanted.csv

release()
{
    expect 0 "$KANON" anonymize "$@" -s s.yaml -k 2 -a kmember -q
}

release t.csv
same "$OUT" wanted.csv
release - <t.csv
same "$OUT" wanted.csv
got=0
# shellcheck disable=SC2002 # a pipe is what is tried
cat t.csv | "$KANON" anonymize - -s s.yaml -k 2 -a kmember -q -o piped.csv || got=$?
[ $got -eq 0 ] || failed "exit status $got instead of 0 with a pipe"
same piped.csv wanted.csv

# a byte order mark, and no line break at the end
{ printf '\357\273\277'; printf '%s' "$(cat t.csv)"; } >bom.csv
release bom.csv
same "$OUT" wanted.csv

# CRLF in gives the same cells
sed 's/$/\r/' t.csv >crlf.csv
release crlf.csv
tr -d '\r' <"$OUT" >lf.csv
same lf.csv wanted.csv

# delimiters, found and said; the release keeps the table's
for delimiter in ';' '|' "$(printf '\t')"; do
    tr , "$delimiter" <t.csv >d.csv
    tr , "$delimiter" <wanted.csv >wanted-d.csv
    release d.csv
    same "$OUT" wanted-d.csv
    release d.csv --delimiter "$delimiter"
    same "$OUT" wanted-d.csv
done
release d.csv --delimiter tab
same "$OUT" wanted-d.csv
tr , ':' <t.csv >d.csv
release d.csv --delimiter :
tr , ':' <wanted.csv >wanted-d.csv
same "$OUT" wanted-d.csv

# quoted cells: separators, quotes and line breaks survive
printf 'age,town,note\n20,"Ulm, Neu","say ""hi"""\n"21","Ulm, Neu","two\nlines"\n30,Kiel,\n31,Kiel,"d"\n' >q.csv
release q.csv
out_has '[20..21],"Ulm, Neu","say ""hi"""'
out_has '[20..21],"Ulm, Neu","two'
out_has '[30..31],Kiel,'
[ "$(wc -l <"$OUT")" -eq 6 ] || failed "not six lines"
cp "$OUT" q-release.csv
expect 0 "$KANON" check q-release.csv -s s.yaml -k 2

# lines that begin with an empty cell: one that is kept, and a number that all of a group lack
printf 'note,age,town\n,20,Ulm\n,21,Ulm\nc,30,Kiel\n,31,Kiel\n' >e.csv
printf 'note,age,town\n,[20..21],Ulm\n,[20..21],Ulm\nc,[30..31],Kiel\n,[30..31],Kiel\n' >wanted-e.csv
release e.csv
same "$OUT" wanted-e.csv
printf 'age,note\n,a\n,b\n30,c\n30,d\n' >e.csv
expect 0 "$KANON" anonymize e.csv --quasi age --insensitive note --missing '' -k 2 -q
same "$OUT" e.csv

# texts for "missing" that mean something else as well: what stands for anything, and what is the mean of a group
printf 'age,note\n*,a\n20,b\n30,c\n' >m.csv
printf 'age,note\n*,a\n*,b\n*,c\n' >wanted-m.csv
for form in interval mean; do
    expect 0 "$KANON" anonymize m.csv --quasi age --insensitive note --missing '*' -k 3 -q --numeric "$form"
    same "$OUT" wanted-m.csv
done
printf 'age,note\n32,a\n32,b\n30,c\n34,d\n' >m.csv
printf 'age,note\n32,a\n32,b\n32,c\n32,d\n' >wanted-m.csv
expect 0 "$KANON" anonymize m.csv --quasi age --insensitive note --missing 32 -k 2 -q --numeric mean
same "$OUT" wanted-m.csv

# a release of one column has no delimiter to be found by: whatever could be one stands in quotes
printf 'name\t"q,1"\na\t3\nb\t90\n' >tab.csv
printf 'attributes: {name: {role: identifying}, "q,1": {role: quasi}}\n' >one.yaml
expect 0 "$KANON" anonymize tab.csv -s one.yaml -k 2 -q --numeric range -o one.csv
printf '"q,1"\n"[3,90]"\n"[3,90]"\n' >wanted-one.csv
same one.csv wanted-one.csv
expect 0 "$KANON" evaluate tab.csv -s one.yaml --release one.csv
