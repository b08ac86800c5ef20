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
expect 0 "$KANON" check r.csv --quasi age --insensitive dis
verdict "nothing was asked"
expect 1 "$KANON" check r.csv -s s.yaml -k 4
verdict "fails: k is 3, less than the 4 asked for"

# persons: there, and too few; not there
expect 1 "$KANON" check t.csv -s s.yaml --entity pid
verdict "fails: a group has records of 1 person, fewer than the 3 asked for"
expect 1 "$KANON" check r.csv -s s.yaml --entity pid
verdict "fails: pid: the file has no such column"
out_has "not_shown            pid: the file has no such column, so persons cannot be counted"
err_lines 1
err_has "r.csv: pid: the file has no such column"

# a constraint whose column has another name
sed 's/^age,dis/age,diagnosis/' r.csv >renamed.csv
expect 1 "$KANON" check renamed.csv -s s.yaml --insensitive diagnosis --constraint model=distinct-l-diversity,attribute=dis,l=2
verdict "fails: dis: a constraint is about it"

# a quasi column that is not there
expect 1 "$KANON" check r.csv -s s.yaml --quasi age,zip
verdict "fails: zip: a quasi column of the schema is not in the file"

# a column that nobody gave a role fails, whatever else holds: also one that differs from another in case or blanks, and the
# exact ends beside the interval
cat >u.yaml <<'END2'
attributes:
  age: {role: quasi}
  s: {role: sensitive}
privacy: {k: 2}
END2
unnamed()
{
    # shellcheck disable=SC2059
    printf "$1" >u.csv
    expect 1 "$KANON" check u.csv -s u.yaml
    verdict "fails: $2"
    err_lines 1
    err_has "$2"
}
unnamed 'age,s,ssn\n[1..5],x,111-22-3333\n[1..5],y,222-33-4444\n' \
    "a column without a role: ssn; give a role (insensitive: released as it is)"
unnamed 'age,Age,s\n[1..5],1,x\n[1..5],5,y\n' "a column without a role: Age;"
unnamed 'age,"age ",s\n[1..5],1,x\n[1..5],5,y\n' 'a column without a role: "age ";'
unnamed 'age,age_min,age_max,s\n[1..5],1,1,x\n[1..5],5,5,y\n' "columns without a role: age_min, age_max;"
expect 0 "$KANON" check u.csv -s u.yaml --insensitive age_min,age_max
printf 'default-role: insensitive\n' | cat - u.yaml >default.yaml
expect 0 "$KANON" check u.csv -s default.yaml
out_has "not named in the schema, so insensitive: age_min, age_max"
expect 1 "$KANON" check u.csv -s u.yaml --insensitive age_min --identifying age_max
verdict "fails: 1 identifying column is in the file"

# what a reader can tell apart is apart: a set of one, a set written twice, blanks, stars, the root's name, texts for missing
apart()
{
    # shellcheck disable=SC2059
    printf "$1" >a.csv
    shift
    expect 1 "$KANON" check a.csv -k 2 "$@"
    verdict "fails: k is 1"
}
apart 'age,job\n[1..2],{nurse}\n[1..2],nurse\n' --quasi age,job
apart 'age,job\n[1..2],"{a,a}"\n[1..2],{a}\n' --quasi age,job
apart 'age,job\n[1..2],{ a}\n[1..2],{a}\n' --quasi age,job
apart 'age,zip\n[1..2],*\n[1..2],*****\n' --quasi age,zip
apart 'age_min,age_max,zip\n*,5,1\n**,5,1\n' --quasi age,zip --type age=integer
apart 'age_min,age_max,zip\n *,5,1\n**,5,1\n' --quasi age,zip --type age=integer
printf 'attributes:\n  age: quasi\n  job: {role: quasi, taxonomy: {Any: [A, B]}}\n' >root.yaml
apart 'age,job\n1,Any\n1,*\n' -s root.yaml
apart 'age,job\n1,?\n1,NA\n' --quasi age,job --missing '?' --missing NA
apart 'c\nx\n"x "\n' --quasi c
# unless the user says that they are one
expect 0 "$KANON" check a.csv --quasi c -k 2 --same 'x=x '
printf 'same: [["?", NA, none], ["a=b", "d"]]\nattributes: {c: quasi}\n' >same.yaml
printf 'c\n?\nnone\na=b\nd\n' >a.csv
expect 0 "$KANON" check a.csv -s same.yaml -k 2
expect 2 "$KANON" check a.csv --quasi c --same x
err_has "two texts with one = between them"
expect 2 "$KANON" check a.csv --quasi c --same 'a=b=c'
printf 'same: [["?"]]\nattributes: {c: quasi}\n' >bad.yaml
expect 3 "$KANON" check a.csv -s bad.yaml
err_has "bad.yaml:1: column 8: fewer than two texts"
printf 'same: ["?", NA]\nattributes: {c: quasi}\n' >bad.yaml
expect 3 "$KANON" check a.csv -s bad.yaml
err_has "bad.yaml:1: column 8: "

# a sensitive cell that is suppressed or generalised is no value of its own
sed 's/^privacy.*/privacy: {k: 2, constraints: [{model: distinct-l-diversity, attribute: s, l: 2}]}/' u.yaml >l.yaml
for x in '*' '**' '{flu}' '"{flu, gout}"' 'fl*' ' flu '; do
    printf 'age,s\n1,flu\n1,%s\n' "$x" >l.csv
    expect 1 "$KANON" check l.csv -s l.yaml
    verdict "fails: 1 of 1 constraints is violated"
    out_has "distinct_l           1 s"
done
printf 'age,s\n1,flu\n1,*\n1,gout\n' >l.csv
expect 0 "$KANON" check l.csv -s l.yaml
expect 1 "$KANON" check l.csv -s u.yaml --constraint model=t-closeness,attribute=s,t=1
verdict "fails: s: some cells are suppressed or generalised, so t-closeness cannot be counted"
