# check reads intervals, masks and sets as other tools write them.

cat >s.yaml <<'END'
attributes:
  age: {role: quasi, type: integer}
  zip: {role: quasi, type: categorical}
END

k_is()
{
    awk -v k="$1" '$1 == "k" && $2 == k { found = 1 } END { exit !found }' "$OUT" || failed "k is not $1"
}

# each notation alone: three records alike, and two
for cell in '[15-19]' '"[15,20)"' '"[15, 20["' '15-19' '15' '"{15, 16}"'; do
    printf 'age,zip\n%s,8130*\n%s,8130*\n%s,8130*\n40,81667\n40,81667\n' "$cell" "$cell" "$cell" >r.csv
    expect 0 "$KANON" check r.csv -s s.yaml -k 2
    k_is 2
    expect 1 "$KANON" check r.csv -s s.yaml -k 3
    err_lines 1
done

# one meaning in several notations: whoever has the file can tell them apart, unless the user says that two are one
printf 'age,zip\n[15-19],8130*\n"[15,20)",8130*\n"[15, 20[",8130*\n15-19,8130*\n' >r.csv
expect 1 "$KANON" check r.csv -s s.yaml -k 2
k_is 1
out_has "warning              age: some cells mean the same and are written differently"
expect 0 "$KANON" check r.csv -s s.yaml -k 4 --same '[15-19]=[15,20)' --same '[15, 20[=15-19' --same '15-19=[15,20)'
k_is 4
out_lacks warning
for cells in '1\n1.0' '1\n01' '5-9\n[5-9]' '[1..2]\n[1-2]' '[15;20)\n[15..19]' '{a;b}\n{b;a}' '<5\n<=4'; do
    # shellcheck disable=SC2059
    printf "c\\n$cells\\n" | tr ';' , | sed 's/^[{[].*/"&"/' >r.csv
    expect 1 "$KANON" check r.csv --quasi c -k 2
    err_has "k is 1"
    out_has "c: some cells mean the same and are written differently"
done
# quotes that CSV does not need are no difference
printf 'c\nnurse\n"nurse"\n' >r.csv
expect 0 "$KANON" check r.csv --quasi c -k 2

# other meanings are other classes
printf 'age,zip\n[15-19],8130*\n[15-20],8130*\n' >r.csv
expect 1 "$KANON" check r.csv -s s.yaml -k 2
k_is 1

# a star is any value; records of nothing but stars are a class
printf 'age,zip\n*,8130*\n*,8130*\n*,*\n' >r.csv
expect 1 "$KANON" check r.csv -s s.yaml -k 2
k_is 1
grep -q '^suppressed  *1$' "$OUT" || failed "not one suppressed record"

# semicolons, as ARX writes them
printf 'age;zip\n[15, 20[;8130*\n[15, 20[;8130*\n' >r.csv
expect 0 "$KANON" check r.csv -s s.yaml -k 2
expect 0 "$KANON" check r.csv -s s.yaml -k 2 --delimiter ';'
