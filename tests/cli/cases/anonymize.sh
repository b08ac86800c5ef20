# Two groups that lie far apart: what a release, a groups file and the summary look like.

cat >t.csv <<'END'
name,age,zip,sex,disease
Ann,20,10001,M,flu
Bob,66,90001,F,gout
Cat,21,10002,M,cold
Dan,60,90002,F,flu
Eve,22,10003,F,flu
Fay,63,90003,F,gout
END
cat >s.yaml <<'END'
attributes:
  name: {role: identifying}
  age: {role: quasi, type: integer}
  zip: {role: quasi, type: categorical, mask: right}
  sex: {role: quasi}
  disease: {role: sensitive}
privacy: {k: 3}
END
cat >wanted.csv <<'END'
age,zip,sex,disease
[20..22],1000*,*,flu
[60..66],9000*,F,gout
[20..22],1000*,*,cold
[60..66],9000*,F,flu
[20..22],1000*,*,flu
[60..66],9000*,F,gout
END
expect 0 "$KANON" anonymize t.csv -s s.yaml -a kmember -o r.csv --groups g.csv --report p.json
same r.csv wanted.csv
[ ! -s "$OUT" ] || failed "there is something on standard output"
err_results 2
err_has "it singles out 33.3 % of the rows" # cold in the one group, flu in the other: 2 of 6
for text in "6 records" "2 groups" "k 3" "information loss" kmember "seed 0" " s"; do
    err_has "$text"
done
awk -F, 'NR == 1 && $0 != "row,group" { exit 1 }
    NR > 1 && ($1 != NR - 1 || ($2 != 1 && $2 != 2)) { exit 1 }
    NR > 3 && $2 != before[NR % 2] { exit 1 }
    { before[NR % 2] = $2 }
    END { if (NR != 7 || before[0] == before[1]) exit 1 }' g.csv || failed "the groups are not those of the release"
for figure in records groups suppressed k information_loss avg_loss discernibility avg_class_size seconds \
    algorithm seed; do
    grep -q "\"$figure\"" p.json || failed "the report does not have $figure"
done
for value in Ann 10001 gout; do
    ! grep -q "$value" p.json || failed "the report has a value of a cell"
done

# standard output is where a release goes when nothing is said, and nothing else is there
expect 0 "$KANON" anonymize t.csv -s s.yaml -a kmember
same "$OUT" wanted.csv
err_results 2
expect 0 "$KANON" anonymize t.csv -s s.yaml -a kmember -o - --quiet
same "$OUT" wanted.csv
err_lines 1 # what is about privacy is not silenced

# -k wins over the schema
expect 0 "$KANON" anonymize t.csv -s s.yaml -k 6 -q
out_has '[20..66],*****,*,flu'

# more words: the columns, the figures with formulas
expect 0 "$KANON" anonymize t.csv -s s.yaml -o r.csv --verbose
[ ! -s "$OUT" ] || failed "there is something on standard output"
for text in identifying sensitive integer categorical information_loss discernibility; do
    err_has "$text"
done
err_lacks Ann

# the groups can be evaluated again, with the same loss
expect 0 "$KANON" evaluate t.csv -s s.yaml --groups g.csv
# 3 * (2/46 + 1/5 + 1) + 3 * (6/46 + 1/5)
awk '$1 == "information_loss" { d = $2 - (3 * (2 / 46 + 1.2) + 3 * (6 / 46 + 0.2)); ok = d < 1e-6 && d > -1e-6 }
    END { exit !ok }' "$OUT" || failed "the information loss is not what the formula says"

# values that doubles cannot tell apart, or whose range they cannot hold, still have their loss
printf 'v\n9007199254740992\n9007199254740993\n' >large.csv
expect 0 "$KANON" anonymize large.csv --quasi v -k 2 -o large-release.csv
err_has "information loss 2 "
printf 'v\n-1e308\n1e308\n' >large.csv
expect 0 "$KANON" anonymize large.csv --quasi v -k 2 -o large-release.csv
err_has "information loss 2 "
