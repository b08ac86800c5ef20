# Figures about one column carry its name, and the settings of the measures are in the help.

cat >t.csv <<'END'
age,zip code,disease
20,1,flu
30,1,flu
40,2,cold
60,2,flu
END
cat >s.yaml <<'END'
attributes:
  age: {role: quasi, type: integer}
  zip code: {role: quasi, type: categorical}
  disease: {role: sensitive, type: categorical}
END
printf 'row,group\n1,1\n2,1\n3,2\n4,2\n' >g.csv

# value NAME VALUE: the line that begins with NAME ends with VALUE
value()
{
    awk -v name="$1" -v wanted="$2" 'index($0, name " ") == 1 { found = 1; same = $NF == wanted }
        END { exit !(found && same) }' "$OUT" || failed "$1 is not $2"
}

expect 0 "$KANON" evaluate t.csv -s s.yaml --groups g.csv --set r=0.4 --set population-size=40
err_lines 1 # one of the two groups has one disease
value 'attribute_loss[age]' 1.5
value 'attribute_loss[zip code]' 0
value 'attribute_share[age]' 1
value 'loss_without[age]' 0
value 'distinct_l[disease]' 1
value 'recursive_c[disease]' inf
value 'cl_c_max[disease]' 1
# (1 + 2/4) / 2: at r = 0.4 two different values of two are too far apart
value 'protection' 0.75
value 'journalist_risk' 0.05
awk '$NF == "" { exit 1 }' "$OUT" || failed "a figure without value"

# in the report, under the column's name; what is infinite is null
expect 0 "$KANON" evaluate t.csv -s s.yaml --groups g.csv --report -
out_has '"attribute_loss": 1.5'
out_has '"recursive_c": null'

expect 2 "$KANON" evaluate t.csv -s s.yaml --groups g.csv --set population-size=3
err_has "population-size"
err_has "4 records"
expect 2 "$KANON" evaluate t.csv -s s.yaml --groups g.csv --set r=1.5
expect 2 "$KANON" evaluate t.csv -s s.yaml --groups g.csv --set s=1
err_has "population-size"

expect 0 "$KANON" evaluate --help
out_has "settings:"
out_has "r (number from 0 to 1, default 1)"
out_has "population-size (whole number"
expect 0 "$KANON" man evaluate
out_has ".SH SETTINGS"
