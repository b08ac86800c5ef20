# Dates, times and numbers as they are written in different places: found where there is one reading, asked where two.

one()
{
    expect 0 "$KANON" anonymize t.csv --quasi v -k 2 -a kmember "$@"
}
table()
{
    { echo v; for cell; do echo "$cell"; done; } >t.csv
}
table 31.12.1999 01.01.2000 15.06.2010 16.06.2010
one
err_has "v: dates are read by the format %d.%m.%Y"
out_has '[31.12.1999..01.01.2000]'
out_has '[15.06.2010..16.06.2010]'
cp "$OUT" r.csv
expect 0 "$KANON" check r.csv --quasi v -k 2
one --numeric mean
out_has 16.06.2010 # between two days, the later one
one --format v=%d.%m.%Y
err_lacks "are read by"
expect 2 "$KANON" anonymize t.csv --quasi v -k 2 --format v=%d.%m
err_has "column 'v': not a format of dates; a format names the year once"
expect 2 "$KANON" anonymize t.csv --quasi v -k 2 --format v=%Q
err_has "the letters are %Y %y %m %b %B %d %H %M %S"
printf 'attributes: {v: {role: quasi, type: date, format: "%%d.%%m.%%Y"}}\n' >s.yaml
expect 0 "$KANON" anonymize t.csv -s s.yaml -k 2 -a kmember -q
same "$OUT" r.csv
printf 'attributes: {v: {role: quasi, type: date, format: "%%Q"}}\n' >bad.yaml
expect 3 "$KANON" anonymize t.csv -s bad.yaml -k 2
err_has "bad.yaml:1: column 51: not a format of dates"
printf 'attributes: {v: {role: quasi, type: integer, format: "%%Y"}}\n' >bad.yaml
expect 3 "$KANON" anonymize t.csv -s bad.yaml -k 2
err_has "'v' has a format of dates but its type is integer; remove one of the two"
expect 3 "$KANON" anonymize t.csv --quasi v -k 2 --type v=date --format v=%Y-%m-%d
err_has "t.csv:2: v: not a date (more such values: line 3, 4, 5); dates are written %Y-%m-%d, unless the column has another 'format'"

# one reading, two readings
table 13/01/2020 02/01/2020 03/01/2020 04/01/2020
one
err_has "v: dates are read by the format %d/%m/%Y"
out_has '[02/01/2020..03/01/2020]'
table 01/13/2020 02/01/2020 03/01/2020 04/01/2020
one
err_has "v: dates are read by the format %m/%d/%Y"
table 01/02/2020 02/03/2020 03/01/2020 04/01/2020
expect 3 "$KANON" anonymize t.csv --quasi v -k 2
err_has "t.csv:2: v: all dates can be read as %d/%m/%Y and as %m/%d/%Y; say which it is: 'format: \"%d/%m/%Y\"' or 'format: \"%m/%d/%Y\"'"
one --format v=%m/%d/%Y
table '1 Feb 2020' '3 March 2020' '17 dec 2021' '18 Dec 2021'
one
err_has "format %d %b %Y"
out_has '[17 dec 2021..18 Dec 2021]'

# times
table 2020-01-01T10:00:00 '2020-01-01 10:00:30' 2021-05-01T00:00:00.250 2021-05-01
one -v
err_has "date"
out_has '[2020-01-01T10:00:00..2020-01-01 10:00:30]'
out_has '[2021-05-01..2021-05-01T00:00:00.250]'
cp "$OUT" r.csv
expect 0 "$KANON" check r.csv --quasi v -k 2
one --report r.html --numeric mean
out_has 2020-01-01T10:00:15
table 2020-01-01T12:00:00Z 2020-01-01T12:30:00+02:00 2021-01-01T00:00:00Z 2021-01-01T01:00:00+01:00
one
out_has '[2020-01-01T12:30:00+02:00..2020-01-01T12:00:00Z]'
out_has 2021-01-01T00:00:00Z # the same instant, as it was first written
table '31.12.1999 23:59' '01.01.2000 00:01' '01.01.2001 00:00' '01.01.2001 00:01'
one
err_has "format %d.%m.%Y %H:%M"
out_has '[31.12.1999 23:59..01.01.2000 00:01]'

# decimal commas
table '"1.234,5"' '"2.000,0"' '"12,1"' '"1,0"'
one
err_has "v: numbers are read with a comma before decimals and a point between thousands"
out_has '"[1.234,5..2.000,0]"'
cp "$OUT" r.csv
expect 0 "$KANON" check r.csv --quasi v -k 2
one --numeric mean
out_has '"1617,25"'
expect 2 "$KANON" anonymize t.csv --quasi v -k 2 --numeric range
err_has "v: numbers with commas cannot be released as ranges; choose another numeric form: interval, mean or columns"
table '"12,5"' '"13,75"' '"99,1"' '"99,0"'
one
err_has "v: numbers are read with a comma before decimals"
table '"1,234"' '"2,345"' '5' '6'
expect 3 "$KANON" anonymize t.csv --quasi v -k 2
err_has "t.csv:2: v: the comma can stand before decimals or between thousands; say which it is: 'decimal: \",\"' or 'thousands: \",\"'"
one --thousands , --numeric mean
out_has 1789.5
out_has 5.5
one --decimal , --numeric mean
out_has '"1,7895"'
one --type v=integer --numeric mean # whole numbers have one reading
out_has 1789.5
table '"1,234,567"' '"2,345"' 5 6
one
err_has "v: numbers are read with a point before decimals and a comma between thousands"
printf 'v;w\n1.234;a\n2.345;b\n3.456;c\n5;d\n' >t.csv # a file of those who write commas
expect 3 "$KANON" anonymize t.csv --quasi v -k 2
err_has "t.csv:2: v: the point can stand before decimals or between thousands"
printf 'decimal: ","\nattributes: {v: {role: quasi}}\n' >s.yaml
printf 'v;w\n1,5;a\n2,5;b\n10;c\n11;d\n' >t.csv
expect 0 "$KANON" anonymize t.csv -s s.yaml -k 2 -a kmember
err_lacks "are read with"
out_has '[1,5..2,5]'
printf 'attributes: {v: {role: quasi, decimal: ",", thousands: ","}}\n' >bad.yaml
expect 3 "$KANON" anonymize t.csv -s bad.yaml -k 2
err_has "not a separator of numbers; thousands have another separator than decimals"
printf 'decimal: ";"\nattributes: {v: {role: quasi}}\n' >bad.yaml
expect 3 "$KANON" anonymize t.csv -s bad.yaml -k 2
err_has "the decimal separator is a point or a comma"
expect 2 "$KANON" anonymize t.csv --quasi v -k 2 --decimal ';'
err_has "decimal: not a separator of numbers; the decimal separator is a point or a comma"

# a state reads deltas as its table was
printf 'born;income\n31.12.1999;1.000,5\n01.01.2000;1.200,5\n15.06.2010;20,5\n16.06.2010;21,5\n' >t.csv
expect 0 "$KANON" anonymize t.csv --quasi born,income -k 2 -q --state s.db --joint-k off -o r.csv
printf 'born;income\n02.01.2000;1.100,0\n' >delta.csv
expect 0 "$KANON" insert s.db delta.csv -o r2.csv
grep -qF '[31.12.1999..02.01.2000];[1.000,5..1.200,5]' r2.csv || failed "the new record is not between the others"
printf 'born;income\n2000-01-02;1.100,0\n' >delta.csv
expect 3 "$KANON" insert s.db delta.csv
err_has "delta.csv:2: born: not a date; write dates as the column had them so far"
for mark in . "'" _; do # a separator of thousands alone
    printf 'v\n1%s000\n1%s200\n20\n21\n' "$mark" "$mark" >t.csv
    rm -f t.db
    expect 0 "$KANON" anonymize t.csv --quasi v --thousands "$mark" -k 2 -q --state t.db --joint-k off -o r.csv
    printf 'v\n1%s100\n' "$mark" >delta.csv
    expect 0 "$KANON" insert t.db delta.csv -o r2.csv
    [ "$(grep -cF "[1${mark}000..1${mark}200]" r2.csv)" = 3 ] || failed "the new number is not between the others"
done
printf 'key,v,born,age\n1,,,30\n2,,,30\n' >t.csv # a column of which nothing is known but what the schema says
printf '%s\n' 'key: key' 'attributes:' '  key: identifying' '  age: quasi' \
    '  v: {role: sensitive, type: integer, thousands: "."}' \
    '  born: {role: quasi, type: date, format: "%d.%m.%Y", top: 2010-01-01}' >s.yaml
expect 0 "$KANON" anonymize t.csv -s s.yaml -k 2 -q --state e.db --joint-k off -o r.csv
printf 'key,v,born,age\n3,1.034,03.04.2001,30\n4,2.500,05.04.2001,30\n' >delta.csv
expect 0 "$KANON" insert e.db delta.csv -o r2.csv

# ranges have one comma
printf 'born\n"January 3, 2020"\n"May 4, 2020"\n' >t.csv
expect 2 "$KANON" anonymize t.csv --quasi born --format 'born=%B %d, %Y' -k 2 --numeric range
err_has "born: dates with commas cannot be released as ranges; choose another numeric form: interval, mean or columns"
