# The worked example of Truta's table 1: three clusters, and the two ways to break the third.

cat >t.csv <<'END'
age,zip,gender
25,41076,Male
40,41935,Female
35,12345,Male
55,33333,Male
33,41733,Female
42,41076,Male
38,41933,Male
END
cat >s.yaml <<'END'
attributes:
  age: {role: quasi, type: integer}
  zip: {role: quasi, type: categorical, mask: right}
  gender: {role: quasi, type: categorical}
END

# loss OF GROUPS...: the information loss of the grouping that puts record i into the i-th group
loss()
{
    loss=$1
    shift
    row=0
    echo row,group >g.csv
    for group; do
        row=$((row + 1))
        echo "$row,$group" >>g.csv
    done
    expect 0 "$KANON" evaluate t.csv -s s.yaml --groups g.csv
    err_lines 0
    figure information_loss "$loss"
}

figure()
{
    awk -v name="$1" -v wanted="$2" '$1 == name { found = 1; d = $2 - wanted }
        END { exit !(found && d < 1e-7 && d > -1e-7) }' "$OUT" || failed "$1 is not $2"
}

loss 12.966666667 1 1 2 2 1 2 2
loss 13.4 1 1 2 2 1 2 1
loss 13.233333333 1 1 2 2 3 3 3
figure records 7
figure groups 3
figure suppressed 0
figure k 2
figure avg_loss 0.630158730
figure discernibility 17
cp "$OUT" figures

# the formula too
expect 0 "$KANON" evaluate t.csv -s s.yaml --groups g.csv --verbose
[ "$(wc -l <"$OUT")" -eq "$(wc -l <figures)" ] || failed "not one line for each figure"
awk 'NF < 3 { exit 1 }' "$OUT" || failed "a figure without formula"

# the report has the same figures, and can take their place
expect 0 "$KANON" evaluate t.csv -s s.yaml --groups g.csv --report p.json
same "$OUT" figures
grep -q '"information_loss": 13.2333' p.json || failed "the report does not have the information loss"
expect 0 "$KANON" evaluate t.csv -s s.yaml --groups g.csv --report -
out_has '"information_loss"'
[ "$(head -c 1 "$OUT")" = "{" ] || failed "the report is not alone on standard output"

# a suppressed record costs 1 on each attribute: 4.2 + 10/3 + 2 * (9/30 + 3/5 + 1) + 3
loss 14.333333333 1 1 2 2 3 3 0
figure suppressed 1
