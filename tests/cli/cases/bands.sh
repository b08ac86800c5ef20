# Bands of numbers and dates: the cells and the loss of random tables against a slow reference, and every message.

cat >t.csv <<'END'
age,income,born,kg,sex
20,1200,2001-02-03,61.5,F
24,4900,2001-03-30,64,F
31,7000,1999-12-31,80.25,M
33,9999,1999-10-01,82.5,M
90,250000,1931-05-05,55,F
97,200000,1935-06-30,59.75,F
END
cat >s.yaml <<'END'
attributes:
  age:    {role: quasi, type: integer, bands: 5, top: 90}
  income: {role: quasi, bands: 5000, top: 200000, bottom: 4999}
  born:   {role: quasi, bands: quarter}
  kg:     {role: quasi, bands: [50, 60.5, 70], bottom: 60}
  sex:    {role: quasi}
privacy: {k: 2}
END
expect 0 "$KANON" anonymize t.csv -s s.yaml -a kmember --seed 1 -o -
cat >wanted.csv <<'END'
age,income,born,kg,sex
[20..24],[..4999],[2001-01-01..2001-03-31],[60.5..70),F
[20..24],[..4999],[2001-01-01..2001-03-31],[60.5..70),F
[30..34],[5000..9999],[1999-10-01..1999-12-31],[70..],M
[30..34],[5000..9999],[1999-10-01..1999-12-31],[70..],M
[90..],[200000..],[1931-04-01..1935-06-30],[..60],F
[90..],[200000..],[1931-04-01..1935-06-30],[..60],F
END
same wanted.csv "$OUT"
expect 0 "$KANON" anonymize t.csv -s s.yaml -a kmember --seed 1 -o - --numeric columns
out_has '90,,200000,,1931-04-01,1935-06-30,,60,F'
expect 0 "$KANON" anonymize t.csv -s s.yaml -a kmember --seed 1 -o - --numeric range
out_has '"[90,)","[200000,)","[1931-04-01,1935-06-30]","(,60]",F'
expect 2 "$KANON" anonymize t.csv -s s.yaml --numeric mean
err_has "age: a mean would show more than the bands of the column; choose another numeric form"

# ends are written as the column writes its values, and are read so again
cat >german.csv <<'END'
kg;born;joined;left
1,2512;3.1.2020;05.04.68;2020.01.03.
2,5;15.1.2020;07.05.67;2020.01.15.
1.234,5;1.3.2021;03.02.69;2021.03.01.
1.240;30.11.2021;04.02.69;2021.11.30.
END
cat >german.yaml <<'END'
attributes:
  kg:     {role: quasi, decimal: ",", thousands: ".", bands: 0.125}
  born:   {role: quasi, format: "%d.%m.%Y", top: 2021-01-01}
  joined: {role: quasi, format: "%d.%m.%y", bands: decade}
  left:   {role: quasi, format: "%Y.%m.%d.", bands: month}
END
expect 0 "$KANON" anonymize german.csv -s german.yaml -k 2 -q -o german-release.csv --state german.state
cat >wanted.csv <<'END'
kg;born;joined;left
[1,25..2,625);[03.01.2020..15.01.2020];[01.01.60..2069-12-31];[2020.01.01...2020.01.31.]
[1,25..2,625);[03.01.2020..15.01.2020];[01.01.60..2069-12-31];[2020.01.01...2020.01.31.]
[1234,5..1240,125);[01.01.2021..];[1960-01-01..31.12.69];[2021.03.01...2021.11.30.]
[1234,5..1240,125);[01.01.2021..];[1960-01-01..31.12.69];[2021.03.01...2021.11.30.]
END
same wanted.csv german-release.csv
expect 0 "$KANON" release german.state -q -o -
same wanted.csv "$OUT"
expect 0 "$KANON" check german-release.csv -s german.yaml -k 2
expect 0 "$KANON" anonymize german.csv -s german.yaml -k 2 -q -o - --numeric columns
out_has '1234,5;1240,125;01.01.2021;;1960-01-01;31.12.69;2021.03.01.;2021.11.30.'
sed '/joined/d' german.yaml >readable.yaml
expect 0 "$KANON" anonymize german.csv -s readable.yaml -k 2 -q -o readable.csv
expect 0 "$KANON" evaluate german.csv -s readable.yaml --release readable.csv -q
grep -qE '^unknown_cells +0$' "$OUT" || failed "evaluate cannot read the cells"

# an open end in a column of its own, beside a decimal comma
printf 'kg\n"1.004,0"\n"1.004,0"\n4.000\n"1.005,0"\n' >comma.csv
printf "attributes: {kg: {role: quasi, type: decimal, thousands: '.', top: 3.3}}\n" >comma.yaml
expect 0 "$KANON" anonymize comma.csv -s comma.yaml -k 2 -q -o ends.csv --numeric columns
grep -qF '"3,3",' ends.csv || failed "the end is not open"
expect 0 "$KANON" evaluate comma.csv -s comma.yaml --release ends.csv -q
grep -qE '^unknown_cells +0$' "$OUT" || failed "evaluate cannot read the open end"

# by flags, which win over the file
expect 0 "$KANON" anonymize t.csv --quasi age,born --bands age=0,18,65 --bands born=decade --top age=90 -k 2 -o - -q
out_has '[18..64],[2000-01-01..2009-12-31]'
expect 2 "$KANON" anonymize t.csv --quasi age --bands age=wide -k 2
err_has "column 'age': not bands"
expect 2 "$KANON" anonymize t.csv --quasi age --bands age=65,18 -k 2
expect 2 "$KANON" anonymize t.csv --quasi age --bands age=0 -k 2
expect 2 "$KANON" anonymize t.csv --quasi age --top age=5 --bottom age=9 -k 2
err_has "the lowest band does not end below the highest one"
expect 3 "$KANON" anonymize t.csv --quasi age --bands age=month -k 2
err_has "age: not a date"
expect 3 "$KANON" anonymize t.csv --quasi age --bands age=2.5 -k 2
err_has "age: the bands do not fit the type of the column, which is integer"
expect 3 "$KANON" anonymize t.csv --quasi sex --bands sex=5 -k 2
err_has "sex: the column has bands, but not all of its values are numbers"

# what a schema must not say
refused()
{
    printf 'attributes: {age: {%s}, born: quasi}\n' "$1" >bad.yaml
    expect 3 "$KANON" anonymize t.csv -s bad.yaml -k 2
    err_has "$2"
}
refused "role: quasi, bands: 5, mask: right" "'age' has both a mask and bands"
refused "role: quasi, type: categorical, top: 5" "'age' has bands but its type is categorical"
refused "role: sensitive, bands: 5" "age: the column has bands, but its role is sensitive"
refused "role: quasi, bands: []" "a list without edges"
refused "role: quasi, bands: [5]" "a list of a single edge"
refused "role: quasi, bands: -5" "bad.yaml:1: column 40: not bands"
refused "role: quasi, top: high" "not a number or a date to begin the highest band"
refused "role: quasi, bottom: low" "not a number or a date to end the lowest band"
printf 'attributes: {age: {bands: 5}, born: quasi}\ndefault-role: insensitive\n' >bad.yaml
expect 3 "$KANON" anonymize t.csv -s bad.yaml -k 2
err_has "age: the column has bands, but its role is insensitive"
printf 'age,born\n5e300,1\n6,2\n' >large.csv
expect 3 "$KANON" anonymize large.csv --quasi age,born --bands age=5 -k 2
err_has "age: a number is too long for bands"

printf 't\n2024-01-01T10:00:00\n2024-01-02T10:00:00\n' >times.csv
printf 'attributes: {t: {role: quasi, type: date, bands: month}}\n' >times.yaml
expect 3 "$KANON" anonymize times.csv -s times.yaml -k 2
err_has "t: bands are of days, and the column has times"

# numbers of 17 digits, which no double holds: 60211141386184620 = 7 * 8601591626597802 + 6 thousandths
for sign in "" -; do
    printf 'a\n%s60211141386184.620\n%s60211141386184.620\n-5.001\n-5.001\n' "$sign" "$sign" >long.csv
    printf 'attributes: {a: {role: quasi, type: decimal, bands: 0.007}}\nprivacy: {k: 2}\n' >long.yaml
    for form in interval columns; do
        expect 0 "$KANON" anonymize long.csv -s long.yaml -a kmember --numeric $form -o long-$form.csv -q
    done
    ends="60211141386184.614..60211141386184.621"
    [ -z "$sign" ] || ends="-60211141386184.621..-60211141386184.614"
    grep -qxF -e "[$ends)" long-interval.csv || failed "a long number is in another band: $(cat long-interval.csv)"
    grep -qxF -e "${ends%%..*},${ends#*..}" long-columns.csv || failed "a long number is in another band: $(cat long-columns.csv)"
done

# bands of days are cut where dates end: 9999-12-31 is day 2932896, and 0001-01-01 day -719162
edges()
{
    printf 'a,b\n%s,x\n%s,x\n2020-01-01,y\n2020-01-01,y\n' "$1" "$1" >edge.csv
    printf 'attributes: {a: {role: quasi, type: date, bands: %s}, b: quasi}\nprivacy: {k: 2}\n' "$2" >edge.yaml
    expect 0 "$KANON" anonymize edge.csv -s edge.yaml -q
    out_has "[$3],x"
}
edges 9999-12-31 week 9999-12-27..9999-12-31
edges 9999-12-31 7 9999-12-30..9999-12-31
edges 9999-12-31 30 9999-12-25..9999-12-31
edges 9999-12-31 decade 9990-01-01..9999-12-31
edges 0001-01-01 week 0001-01-01..0001-01-07
edges 0001-01-01 7 0001-01-01..0001-01-03
edges 0001-01-01 365 0001-01-01..0001-04-22
edges 0001-01-01 decade 0001-01-01..0009-12-31

# check reads all ways to write an open end, and counts them as different
printf 'age\n"[90..]"\n"[90,)"\n>=90\n"[90,]"\n' >open.csv
expect 1 "$KANON" check open.csv --quasi age -k 4
out_has "classes              4"
out_has "age: some cells mean the same"
printf 'kg\n"[..0.5)"\n"(,0.5)"\n<0.5\n' >open.csv
expect 1 "$KANON" check open.csv --quasi kg -k 3
out_has "classes              3"
out_has "kg: some cells mean the same"

# a bound of bands comes with a proof
expect 0 "$KANON" bound t.csv -s s.yaml --certificate proof.json -q
expect 0 "$KANON" bound t.csv -s s.yaml --check proof.json
out_has "holds"

# a state keeps the bands: what comes later is released in them, too
printf 'id,age\n1,20\n2,23\n3,41\n4,44\n' >first.csv
printf 'id,age\n5,97\n6,91\n' >more.csv
printf 'attributes: {id: {role: identifying}, age: {role: quasi, bands: 5, top: 90}}\nkey: [id]\nprivacy: {k: 2}\n' >state.yaml
expect 0 "$KANON" anonymize first.csv -s state.yaml --state s.state -q -o r.csv
expect 0 "$KANON" insert s.state more.csv -q -o r.csv
printf 'age\n[20..24]\n[20..24]\n[40..44]\n[40..44]\n[90..]\n[90..]\n' >expected.csv
sort r.csv >sorted.csv
sort expected.csv >sorted-expected.csv
same sorted-expected.csv sorted.csv
expect 0 "$KANON" state s.state

expect 0 python3 "$SOURCE/tests/reference/ref_bands.py" "$KANON" "${SEED:-7}" 4
