# A column that is nearly a number or a date is never made categorical in silence; codes are text; numbers that may mean
# "no value" are told.

rows()
{
    i=0
    while [ $i -lt "$1" ]; do
        echo "$((20 + i)),$2"
        i=$((i + 1))
    done
}
{ echo age,x; rows 16 a; printf 'NA,a\n?,b\n44,c\nN/A,d\n'; } >t.csv
expect 3 "$KANON" anonymize t.csv --quasi age -k 2
err_has "t.csv:18: age: 17 numbers, 3 others, first in line 18; say 'missing: [\"NA\", \"?\", \"N/A\"]', or 'type: categorical'"
expect 0 "$KANON" anonymize t.csv --quasi age -k 2 --missing NA --missing '?' --missing N/A -q
expect 0 "$KANON" anonymize t.csv --quasi age -k 2 --type age=categorical -q
printf 'missing: ["NA", "?", "N/A"]\nattributes: {age: quasi}\n' >s.yaml
expect 0 "$KANON" anonymize t.csv -s s.yaml -k 2 -q

# a text that is on no list is not shown
{ echo age,x; rows 1046 a; rows 10 b | sed 's/^/about /'; } >u.csv
expect 3 "$KANON" anonymize u.csv --quasi age -k 2
err_has "u.csv:1048: age: 1,046 numbers, 10 others, first in line 1048; correct the others, name those that mean 'no value' with 'missing', or say 'type: categorical'"
err_lacks about
{ echo age,x; rows 30 a; echo 'secret,a'; echo '.,a'; } >v.csv
expect 3 "$KANON" anonymize v.csv --quasi age -k 2
err_has "v.csv:32: age: 30 numbers, 2 others, first in line 32; say 'missing: [\".\"]' and correct the others, or 'type: categorical'"
err_lacks secret

# dates, and a column of which half is missing
printf 'd\n2020-01-01\n2020-01-02\nunknown\nunknown\n' >d.csv
expect 3 "$KANON" anonymize d.csv --quasi d -k 2
err_has "d.csv:4: d: 2 dates, 2 others, first in line 4; say 'missing: [\"unknown\"]', or 'type: categorical'"

# four numbers in five are nearly numbers, fewer are categories
printf 'v\n1\n2\n3\n4\nx1\n' >five.csv
expect 0 "$KANON" anonymize five.csv --quasi v -k 2 # the fifth is a code
err_has "v: read as text, since some numbers have letters; say 'type: categorical' if that is right"
printf 'v\n1\n2\n3\n4\nfree text\n' >five.csv
expect 3 "$KANON" anonymize five.csv --quasi v -k 2
printf 'v\n1\n2\n3\nfree\ntext\n' >five.csv
expect 0 "$KANON" anonymize five.csv --quasi v -k 2 -v
err_has "categorical"

# postcodes and house numbers are text
printf 'zip,house\n01067,1\n80331,2\n10115,12a\n01067,3\n99999,4\n10115,5\n' >zip.csv
expect 0 "$KANON" anonymize zip.csv --quasi zip,house -k 2 -v
err_has "zip: read as text, since some numbers have zeros in front; say 'type: categorical' if that is right"
err_has "house: read as text, since some numbers have letters"
expect 0 "$KANON" anonymize zip.csv --quasi zip -k 2 --type zip=integer
err_lacks "zeros in front"
out_has '[80331..99999]'
expect 0 "$KANON" anonymize zip.csv --quasi zip -k 2 --type zip=categorical
err_lacks "zeros in front"
expect 2 "$KANON" anonymize zip.csv --quasi zip -k 2 --type zip=number
err_has "--type: zip: there is no 'number'; choose one of: integer, decimal, date, categorical, ordinal"

# nines
printf 'age\n30\n31\n9999\n32\n9999\n33\n' >nines.csv
expect 0 "$KANON" anonymize nines.csv --quasi age -k 2
err_has "age: 9999 is far from all other values; if it means 'no value', name it with 'missing'"
expect 0 "$KANON" anonymize nines.csv --quasi age -k 2 --missing 9999
err_lacks "9999 is far"

# nearly all values differ and there is no taxonomy: told before the work; what became of it is the last line
{ echo name,age; i=0; while [ $i -lt 30 ]; do echo "person$i,$i"; i=$((i + 1)); done | tr 0123456789 abcdefghij | tr ',' ' ' |
    awk '{ print $1 "," NR }'; } >names.csv
expect 0 "$KANON" anonymize names.csv --quasi name,age -k 3
head -n 1 "$ERR" | grep -qF "name: 30 of 30 values are different and it has no taxonomy, so most cells will be *; give it a taxonomy or a mask, or the role identifying" || failed "the first line"
tail -n 1 "$ERR" | grep -qF "mostly *: name (100 %); give these columns a taxonomy, bands or another role" || failed "the last line"
err_lacks person

# --missing adds to the default: empty cells are missing, too
{ echo age,sex; for i in 1 2 3 4 5 6 7 8; do echo "2$i,f"; done; echo ,f; echo 9999,m; echo 9999,m; } >empty.csv
expect 0 "$KANON" anonymize empty.csv --quasi age,sex --missing 9999 -k 2 -q
