# Whether the first line is a header: what looks like data is asked about, in every command that reads CSV.

printf '39,State-gov,5\n50,Private,6\n38,State-gov,7\n21,Private,8\n' >none.csv
expect 3 "$KANON" anonymize none.csv --quasi 39 -k 2
err_has "none.csv:1: column 1: names of columns are numbers or dates: is the first line a header?"
err_has "say 'header: yes' if it names the columns, 'header: no' if it is a record; --header yes and --header no do that"
err_lacks State-gov

# a record; columns have the names of their places, and the first line is counted
expect 0 "$KANON" anonymize none.csv --header no --quasi c1 --insensitive c2 -k 2 -a kmember
printf 'c1,c2\n[38..50],State-gov\n[21..50],Private\n' >shape
out_has 'c1,c2'
[ "$(wc -l <"$OUT")" -eq 5 ] || failed "not a header and four records"
err_has "so withheld: c3"
expect 0 "$KANON" anonymize none.csv --header yes --quasi 39 -k 3 -q
[ "$(wc -l <"$OUT")" -eq 4 ] || failed "not a header and three records"
printf 'header: no\nattributes: {c1: quasi, c2: insensitive}\n' >no.yaml
expect 0 "$KANON" anonymize none.csv -s no.yaml -k 2 -q
out_has 'c1,c2'
cp "$OUT" release.csv
printf 'header: maybe\nattributes: {c1: quasi}\n' >bad.yaml
expect 3 "$KANON" anonymize none.csv -s bad.yaml -k 2
err_has "bad.yaml:1: column 9: there is no such word; choose one of: yes, no"
expect 2 "$KANON" anonymize none.csv --header maybe --quasi c1 -k 2
err_has "--header: there is no 'maybe'; choose one of: yes, no"

# a release has a header, whatever the schema says of the table
expect 0 "$KANON" check release.csv -s no.yaml -k 2
expect 0 "$KANON" check release.csv -s no.yaml -k 2 --header yes

# names that come again below, and empty names, as R writes for row numbers
printf 'sex,town\nf,Ulm\nsex,town\nm,Kiel\n' >twice.csv
expect 3 "$KANON" anonymize twice.csv --quasi sex -k 2
err_has "twice.csv:1: column 1: the name of a column is also a value in it: is the first line a header?"
expect 3 "$KANON" check twice.csv --quasi sex
err_has "twice.csv:1: column 1: the name of a column is also a value in it"
printf '"",sex\n1,f\n2,f\n' >empty.csv
expect 3 "$KANON" anonymize empty.csv --quasi sex -k 2
err_has "empty.csv:1: column 1: a column has no name: is the first line a header?"
expect 0 "$KANON" anonymize empty.csv --quasi sex -k 2 --header yes
err_has "so withheld: c1"
printf 'f,f,3\nm,m,4\n' >same.csv
expect 3 "$KANON" anonymize same.csv --quasi f -k 2
err_has "same.csv:1: column 2: the same name as column 1; give every column a name of its own, or say that the file has no "

# years and sequences are names
printf 'id,2019,2020\na,1,2\nb,3,4\n' >years.csv
expect 0 "$KANON" anonymize years.csv --quasi 2019 -k 2 -q
printf 'id,1,2,3\na,5,2,9\nb,3,4,9\n' >numbered.csv
expect 0 "$KANON" anonymize numbered.csv --quasi 2 -k 2 -q

# deltas of a state
expect 0 "$KANON" anonymize none.csv -s no.yaml -k 2 -q --state s.db -o r.csv
printf '40,State-gov,9\n' >delta.csv
expect 3 "$KANON" insert s.db delta.csv
err_has "delta.csv:1: column 1: names of columns are numbers or dates"
expect 0 "$KANON" insert s.db delta.csv --header no
err_has "1 records inserted"

# what the schema says holds for its releases, its states and its taxonomies: names that look like a record
printf '1,2020,7\n' >digits.csv
awk 'BEGIN { for (i = 1; i <= 40; i++) printf "%d,%d,%d\n", i, i % 7, i % 2 }' >>digits.csv
printf 'header: yes\nattributes: {"1": {role: identifying}, "2020": {role: quasi, type: integer}, "7": {role: quasi}}
key: ["1"]\nprivacy: {k: 3}\n' >digits.yaml
expect 0 "$KANON" anonymize digits.csv -s digits.yaml -q --state d.db -o digits-r.csv
expect 0 "$KANON" check digits-r.csv -s digits.yaml
printf '1,2020,7\n100,3,1\n101,3,0\n102,4,1\n' >more.csv
expect 0 "$KANON" insert d.db more.csv
err_has "3 records inserted"
printf '1\n100\n' >less.csv
expect 0 "$KANON" delete d.db less.csv
err_has "1 record"
expect 3 "$KANON" insert d.db none.csv
expect 0 "$KANON" taxonomy build none.csv -s no.yaml --column c2 --rare 1
out_has "State-gov"
expect 3 "$KANON" taxonomy build none.csv -s no.yaml --column c9 --rare 1
err_has "c9: the table has no such column"
