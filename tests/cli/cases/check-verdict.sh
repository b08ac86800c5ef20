# check: the last line is the verdict, and what was asked and cannot be counted is a failure that is listed.

# verdict TEXT: the last line of standard output begins with it
verdict()
{
    tail -n 1 "$OUT" | awk -v wanted="verdict $*" '{ $1 = $1 } index($0, wanted) == 1 { found = 1 } END { exit !found }' ||
        failed "the last line is not: verdict $*"
}

# three records of one person each time
printf 'pid,age,dis\na,20,flu\na,20,flu\na,20,flu\nb,30,hiv\nb,30,hiv\nb,30,hiv\n' >t.csv
cut -d, -f2- t.csv >r.csv
cat >s.yaml <<'END2'
attributes:
  pid: {role: insensitive}
  age: {role: quasi, type: integer}
  dis: {role: sensitive}
privacy: {k: 3}
END2

expect 0 "$KANON" check r.csv -s s.yaml
verdict "holds"
expect 0 "$KANON" check r.csv --quasi age
verdict "nothing was asked"
expect 1 "$KANON" check r.csv -s s.yaml -k 4
verdict "fails: k is 3, less than the 4 asked for"

# persons: there, and too few; not there
expect 1 "$KANON" check t.csv -s s.yaml --entity pid
verdict "fails: a class has 1 entities, fewer than the 3 asked for"
expect 1 "$KANON" check r.csv -s s.yaml --entity pid
verdict "fails: pid: the file has no such column"
out_has "not_shown            pid: the file has no such column, so entities cannot be counted"
err_lines 1
err_has "r.csv: pid: the file has no such column"

# a constraint whose column has another name
sed 's/^age,dis/age,diagnosis/' r.csv >renamed.csv
expect 1 "$KANON" check renamed.csv -s s.yaml --constraint model=distinct-l-diversity,attribute=dis,l=2
verdict "fails: dis: a constraint is about it"

# a quasi column that is not there
expect 1 "$KANON" check r.csv -s s.yaml --quasi age,zip
verdict "fails: zip: a quasi column of the schema is not in the file"

# spaces tell records apart
printf 'c\nx\n"x "\n"x "\n"x "\n' >spaces.csv
expect 1 "$KANON" check spaces.csv --quasi c -k 4
verdict "fails: c: some cells differ only in the spaces around them"
