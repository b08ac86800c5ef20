# The loss of a release file: the same as that of the groups it was made of, and of files in the notations of other tools.

cat >t.csv <<'END'
age,size,day,zip,job,ill
25,1.71,2020-01-31,41076,clerk,flu
40,1.60,2020-02-29,41935,judge,flu
35,1.85,2020-03-01,12345,cook,cold
55,1.92,2020-03-31,33333,farmer,flu
33,1.65,2020-01-01,41733,cook,cold
42,?,2020-02-01,41076,clerk,cold
38,1.55,2020-02-02,41933,farmer,flu
END
cat >s.yaml <<'END'
missing: ["?"]
attributes:
  age: {role: quasi, type: integer}
  size: {role: quasi, type: decimal, weight: 2}
  day: {role: quasi, type: date}
  zip: {role: quasi, type: categorical, mask: right}
  job: {role: quasi, taxonomy: {In: {Desk: {clerk: , judge: }, cook: }, farmer: }}
  ill: {role: sensitive}
END

# figure NAME [FILE]: its value
figure()
{
    awk -v name="$1" '$1 == name { print $2; exit }' "${2:-$OUT}"
}

# is NAME VALUE
is()
{
    awk -v a="$(figure "$1")" -v b="$2" 'BEGIN { d = a - b; exit !(a != "" && d <= 1e-9 * (1 + b) && -d <= 1e-9 * (1 + b)) }' ||
        failed "$1 is $(figure "$1") instead of $2"
}

# kanon's own releases lose what the groups lose, in every form that keeps intervals
for numeric in interval range columns; do
    for k in 2 3 7; do
        expect 0 "$KANON" anonymize t.csv -s s.yaml -k "$k" --numeric "$numeric" --groups g.csv -o r.csv
        expect 0 "$KANON" evaluate t.csv -s s.yaml --groups g.csv
        cp "$OUT" of-groups
        expect 0 "$KANON" evaluate t.csv -s s.yaml --release r.csv
        err_lines 0
        is information_loss "$(figure information_loss of-groups)"
        is avg_loss "$(figure avg_loss of-groups)"
        is unknown_cells 0
    done
done
expect 0 "$KANON" evaluate t.csv -s s.yaml --release - <r.csv
is records 7

# a real table, all the way to 1e-9
if [ -f "$DATA/adult/adult.csv" ]; then
    expect 0 "$KANON" anonymize "$DATA/adult/adult.csv" -s "$DATA/adult/adult8.yaml" -k 10 -a mondrian --groups g.csv -o r.csv
    expect 0 "$KANON" evaluate "$DATA/adult/adult.csv" -s "$DATA/adult/adult8.yaml" --groups g.csv --set query-count=1
    cp "$OUT" of-groups
    expect 0 "$KANON" evaluate "$DATA/adult/adult.csv" -s "$DATA/adult/adult8.yaml" --release r.csv
    is information_loss "$(figure information_loss of-groups)"
fi

# other tools: semicolons, half-open intervals, sets, masks; the fourth cell is a word nobody knows. Two records are left out.
cat >u.csv <<'END'
age
0
1
2
3
4
10
END
printf 'attributes: {age: {role: quasi, type: integer}}\n' >u.yaml
printf 'age;note\n[0, 3[;x\n[0-2];x\n0-2;x\nyoung;x\n' >r.csv
expect 0 "$KANON" evaluate u.csv -s u.yaml --release r.csv
is groups 4 # whoever has the file can tell the notations apart
is k 1
is information_loss 3.6
printf 'age;note\n[0, 3[;x\n[0, 3[;x\n[0, 3[;x\nyoung;x\n' >r.csv
expect 0 "$KANON" evaluate u.csv -s u.yaml --release r.csv
is records 6
is groups 2
is suppressed 2
is k 1
is information_loss 3.6
is avg_loss 0.6
is unknown_cells 1
is "attribute_loss[age]" 3.6
is discernibility 22
is avg_class_size 3
# -k is what it is held against, as with --groups: the class of one record costs n
expect 0 "$KANON" evaluate u.csv -s u.yaml --release r.csv -k 2
is k 1
is discernibility 27
is avg_class_size 1.5
printf 'age\n"{1, 3}"\n"(4,10]"\n*\n>=3\n1*\n7\n' >r.csv
expect 0 "$KANON" evaluate u.csv -s u.yaml --release r.csv
is information_loss 2.9
is suppressed 1
is unknown_cells 0

# every figure has its formula
expect 0 "$KANON" evaluate u.csv -s u.yaml --release u.csv --verbose
is information_loss 0
awk 'NF < 3 { exit 1 }' "$OUT" || failed "a figure without formula"

# bad files
expect 3 "$KANON" evaluate u.csv -s u.yaml --release t.csv
err_has "t.csv:8: more records than the 6 of the table"
printf 'years\n1\n' >r.csv
expect 3 "$KANON" evaluate u.csv -s u.yaml --release r.csv
err_has "r.csv:1: age: the file has no such column"
expect 4 "$KANON" evaluate u.csv -s u.yaml --release none.csv
err_lines 1

# wrong usage
wrong()
{
    text=$1
    shift
    expect 2 "$KANON" evaluate "$@"
    err_has "$text"
    err_lines 1
    [ ! -s "$OUT" ] || failed "there is something on standard output"
}
wrong "give --groups FILE or --release FILE" u.csv -s u.yaml
wrong "--groups and --release exclude each other" u.csv -s u.yaml --groups g.csv --release r.csv
wrong "a report is about a grouping" u.csv -s u.yaml --release u.csv --report p.json
wrong "table and release cannot both come from standard input" - -s u.yaml --release -
wrong "there is no setting for the figures of a release file" u.csv -s u.yaml --release u.csv --set r=0.5
no_file p.json
