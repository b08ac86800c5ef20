# kanon taxonomy: every method of build, every finding of check, show with counts and folds, convert there and back.

cat >t.csv <<'END'
age,zip,born,job,kg
3,75201,2024-01-05,cook,50.5
4,75203,2024-02-29,cook,60
17,75999,2023-11-30,nurse,60
19,60100,2019-12-31,elf,71.25
23,6,2020-01-01,cook,80
?,75201,2020-03-01,nurse,?
END
tax="$KANON taxonomy"

expect 0 $tax build t.csv --column age --widths 5,20 --missing '?'
printf '%s\n' '3;[0..4];[0..19];*' '4;[0..4];[0..19];*' '17;[15..19];[0..19];*' '19;[15..19];[0..19];*' \
    '23;[20..24];[20..39];*' >wanted
same wanted "$OUT"
expect 0 $tax build t.csv --column kg --widths 2.5 --missing '?'
printf '%s\n' '50.5;[50..52.5);*' '60;[60..62.5);*' '71.25;[70..72.5);*' '80;[80..82.5);*' >wanted
same wanted "$OUT"
expect 0 $tax build t.csv --column kg --frequencies 4,2 --missing '?'
printf '%s\n' '50.5;[50.5..60];*' '60;[50.5..60];*' '71.25;[71.25..80];*' '80;[71.25..80];*' >wanted
same wanted "$OUT"
expect 0 $tax build t.csv --column born --dates month,quarter,year,decade
out_has '2024-02-29;2024-02;2024-Q1;2024;2020s;*'
out_has '2019-12-31;2019-12;2019-Q4;2019;2010s;*'
expect 0 $tax build t.csv --column zip --mask right
out_has '75201;7520*;752**;75***;7****;*****'
expect 0 $tax build t.csv --column zip --prefixes 3,1 -o zip.csv
printf '%s\n' '6;*' '60100;601*;6*;*' '75201;752*;7*;*' '75203;752*;7*;*' '75999;759*;7*;*' >wanted
same wanted zip.csv
expect 0 $tax build t.csv --column job --rare 2
printf '%s\n' 'cook;*' 'elf;other;*' 'nurse;*' >wanted
same wanted "$OUT"

# what was built can be used
printf 'attributes: {zip: {role: quasi, taxonomy: zip.csv}}\ndefault-role: identifying\n' >s.yaml
expect 0 "$KANON" anonymize t.csv -s s.yaml -k 2 -q -o r.csv

expect 2 $tax build t.csv --column zip
err_has "give one of --widths"
expect 2 $tax build t.csv --column zip --mask right --rare 2
expect 2 $tax build t.csv --mask right
err_has "no column"
expect 2 $tax build t.csv --column age --widths 5,7 --missing '?'
err_has "each a multiple of the one before"
expect 2 $tax build t.csv --column age --frequencies 2,4 --missing '?'
expect 2 $tax build t.csv --column born --dates year,month
expect 2 $tax build t.csv --column born --mask middle
expect 3 $tax build t.csv --column age --widths 5
err_has "t.csv:7: age: not a number"
expect 3 $tax build t.csv --column zip --dates year
err_has "t.csv:2: zip: not a date"
expect 3 $tax build t.csv --column zipp --mask right
err_has "did you mean 'zip'?"
expect 2 $tax bild t.csv
err_has "did you mean build?"

# check: nothing to say, then every finding
expect 0 $tax check zip.csv --table t.csv --column zip
out_has "single-child     3 to look at, first in zip.csv:2"
out_has "verdict          good"
cat >bad.csv <<'END'
a;x;*
b;x;*
b;y;*
c;;*
d
e;x;root
 f;x;*
A;x;*
x;z;*
g;x;g;*
h;y;w;*
h;y;w;*
i;u;*
j;u;v;*
END
printf 'v\na\nzz\nyy\na\n' >v.csv
expect 1 $tax check bad.csv --table v.csv --column v
out_has "empty-cell       1 errors, first in bad.csv:4"
out_has "no-parent        1 errors, first in bad.csv:5"
out_has "other-root       1 errors, first in bad.csv:6"
out_has "two-paths        1 errors, first in bad.csv:3"
out_has "two-parents      "
out_has "twice-on-line    1 errors, first in bad.csv:10"
out_has "unknown-value    2 errors, first in v.csv:3"
out_has "spaces           1 to look at, first in bad.csv:7"
out_has "letter-case      1 to look at, first in bad.csv:8"
out_has "leaf-and-inner   "
out_has "same-line        1 to look at, first in bad.csv:12"
out_has "depths           "
out_has "unused-leaf      "
out_has "verdict          bad"
out_lacks "zz"

# show
expect 0 $tax show zip.csv --table t.csv --column zip
cat >wanted <<'END'
*  6 records
|-- 6  1 records
|-- 6*  1 records
|   `-- 601*  1 records
|       `-- 60100  1 records
`-- 7*  4 records
    |-- 752*  3 records
    |   |-- 75201  2 records
    |   `-- 75203  1 records
    `-- 759*  1 records
        `-- 75999  1 records
END
same wanted "$OUT"
expect 0 $tax show zip.csv --depth 1
printf '%s\n' '*' '|-- 6' '|-- 6*  ... 1 leaves' '`-- 7*  ... 3 leaves' >wanted
same wanted "$OUT"
LINES=8 expect 0 $tax show zip.csv
same wanted "$OUT"
expect 0 $tax show zip.csv --table v.csv --column v
err_has "4 records have values that the taxonomy lacks"
expect 2 $tax show zip.csv --table t.csv
err_has "a table and no column"

# convert: every form leads back
printf '%s\n' '"say ""hi""";a: b;#root' '-x;a: b;#root' "it's;#root" 'é{;#root' >odd.csv
for file in zip odd; do
    for form in indented yaml parents json; do
        case $form in indented) ending=txt ;; parents) ending=csv ;; *) ending=$form ;; esac
        expect 0 $tax convert $file.csv --form $form -o there.$ending
        expect 0 $tax convert there.$ending --form csv -o back.csv
        same $file.csv back.csv
    done
done
expect 0 $tax convert zip.csv -o zip.json
python3 -c 'import json; t = json.load(open("zip.json")); assert t["name"] == "*" and len(t["children"]) == 3'
expect 0 $tax convert zip.csv --form yaml
{ printf 'attributes:\n  zip:\n    role: quasi\n    taxonomy:\n'; sed 's/^/      /' "$OUT"; } >inline.yaml
expect 0 "$KANON" anonymize t.csv -s inline.yaml -k 2 -q -o inline.csv
same r.csv inline.csv
expect 2 $tax convert zip.csv
err_has "no form"
bad_file()
{
    printf "$2" >"$1"
    expect 3 $tax convert "$1" --form csv
    err_has "$3"
}
bad_file bad.json '{"name": "a", "children": [{"nam": 1}]}' "bad.json:1: not a taxonomy in JSON"
bad_file bad.json '{"name": "a"' "not a taxonomy in JSON"
bad_file bad.yaml 'a:\n  {b}\n' "bad.yaml:2: not of the form NAME:"
bad_file bad.txt 'a\n    b\n  c\n\td\n' "bad.txt:4: indented with a tab"
bad_file bad.txt 'a\n  b\n  b\n' "two nodes of the taxonomy have the same name"
bad_file bad.txt '' "the taxonomy is empty"
bad_file par.csv 'node,parent\na,b\nb,a\n' "some nodes are above themselves"
bad_file par.csv 'node,parent\na,\nb,a\nb,a\n' "par.csv:4: the node stands on an earlier line, too"
# white space at the ends of a name does not count, in any form
printf '*\n  a\n  b\n' >plain.txt
printf ' a;*\nb;*\n' >spaced.csv
printf 'node,parent\n"a ",*\n b,* \n' >spaced-parents.csv
printf '{"name": "*", "children": [{"name": " a"}, {"name": "b\\t"}]}' >spaced.json
printf '" a":\n"b ":\n' >spaced.yaml
for file in spaced.csv spaced-parents.csv spaced.json spaced.yaml; do
    expect 0 $tax convert $file --form indented -o bare.txt
    same plain.txt bare.txt
done
printf '{"name": "*", "children": [{"name": "a\\nb"}, {"name": "c"}]}' >broken.json
expect 2 $tax convert broken.json --form indented
err_has "a name with a line break, or none, cannot be indented"

# a schema says what means "no value", and names the file
printf 'job;kind;*\ncook;work;*\nnurse;work;*\nelf;none;*\n' | sed 1d >jobs.csv
printf 'job\ncook\nnurse\nelf\nn/a\n-\n' >with-missing.csv
printf 'missing: ["n/a"]\nattributes: {job: {role: quasi, taxonomy: jobs.csv}, other: quasi}\n' >job.yaml
expect 1 $tax check jobs.csv --table with-missing.csv --column job
expect 1 $tax check jobs.csv -s job.yaml --table with-missing.csv --column job
out_has "1 errors, first in with-missing.csv:6"
expect 0 $tax check jobs.csv -s job.yaml --table with-missing.csv --column job --missing -
expect 0 $tax check -s job.yaml --table with-missing.csv --column job --missing -
expect 0 $tax show -s job.yaml --table with-missing.csv --column job --missing -
out_has "cook  1 records"
expect 2 $tax check -s job.yaml
err_has "no column"
expect 2 $tax check -s job.yaml --column other
err_has "the schema names none for other"
expect 2 $tax check
err_has "no FILE given"
"$KANON" sample hospital --rows 200 -q -o h
for column in diagnosis occupation marital-status; do
    expect 0 $tax check -s h/hospital.yaml --table h/hospital.csv --column $column
done
