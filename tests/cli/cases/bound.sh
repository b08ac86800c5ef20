# A lower bound, its certificate, and who finds out that a certificate is wrong.

mkdir taxonomies
printf 'cook;service;work;any\nwaiter;service;work;any\nbaker;craft;work;any\nnone;any\n' >taxonomies/job.csv
cat >s.yaml <<EOF
missing: ["?"]
attributes:
  age: {role: quasi, type: integer}
  pay: {role: quasi, type: decimal, weight: 0.5}
  job: {role: quasi, type: categorical, taxonomy: taxonomies/job.csv}
  sex: {role: quasi, type: categorical, weight: 2}
privacy: {k: 3}
EOF
cat >t.csv <<EOF
age,pay,job,sex
20,1.5,cook,f
24,2.25,waiter,m
?,3,cook,f
33,9.5,none,m
38,7,?,f
36,8,none,f
21,1.75,baker,f
60,2,baker,m
59,?,cook,m
33,9,none,m
EOF

expect 0 "$KANON" bound t.csv -s s.yaml --certificate proof.json
out_has "records          10"
out_has "k                3"
out_has "method           prices"
awk '$1 == "lower_bound" { b = $2 } $1 == "neighbour_bound" { n = $2 } END { exit !(b > n && n > 0) }' "$OUT" ||
    failed "the bound is not better than that of the neighbours"
expect 0 "$KANON" bound t.csv -s s.yaml --check proof.json
out_has "certificate      holds"

# any number of threads, the same proof
for threads in 1 3; do
    expect 0 "$KANON" bound t.csv -s s.yaml --threads $threads --certificate again.json
    same proof.json again.json
done

# the loss of a grouping beside it; the gap is never below 1
expect 0 "$KANON" anonymize t.csv -s s.yaml -o r.csv --groups g.csv -q
expect 0 "$KANON" bound t.csv -s s.yaml --groups g.csv
awk '$1 == "gap" { ok = $2 >= 1 } END { exit !ok }' "$OUT" || failed "the gap is below 1"
printf 'row,group\n' >pairs.csv
for row in 1 2 3 4 5 6 7 8 9 10; do echo "$row,$(((row + 1) / 2))" >>pairs.csv; done
expect 0 "$KANON" bound t.csv -s s.yaml --groups pairs.csv
out_has "gap              -"

# lists of candidates so long that the search thins them out: the check knows nothing of that
"$KANON" sample hospital --rows 1500 --seed 5 -q -o long
expect 0 "$KANON" bound long/hospital.csv -s long/hospital.yaml -k 5 --certificate long.json
expect 0 "$KANON" bound long/hospital.csv -s long/hospital.yaml -k 5 --check long.json
out_has "certificate      holds"

# wrong certificates
sed 's/"price_sum": /"price_sum": 1/' proof.json >wrong.json
expect 1 "$KANON" bound t.csv -s s.yaml --check wrong.json
err_has "wrong.json: not proved: the prices do not add up"
sed 's/"k": 3/"k": 2/' proof.json >wrong.json
expect 1 "$KANON" bound t.csv -s s.yaml --check wrong.json
err_has "not proved: k records around row"
sed '$ d' t.csv >shorter.csv
expect 1 "$KANON" bound shorter.csv -s s.yaml --check proof.json
err_has "not proved: the certificate is for another table"
expect 1 "$KANON" bound t.csv -s s.yaml -k 4 --check proof.json
err_has "the proof is about k = 3"
echo '{"format": 1}' >wrong.json
expect 3 "$KANON" bound t.csv -s s.yaml --check wrong.json
err_has "wrong.json: not a certificate"
err_has "; kanon bound --certificate writes one"
expect 3 "$KANON" bound t.csv -s s.yaml --check t.csv
sed 's/"format": 1/"format": 2/' proof.json >wrong.json
expect 4 "$KANON" bound t.csv -s s.yaml --check wrong.json
err_has "newer version"

# wrong usage
expect 2 "$KANON" bound t.csv
expect 2 "$KANON" bound t.csv -s s.yaml --check proof.json --groups g.csv
expect 2 "$KANON" bound t.csv --quasi age --missing '?'
err_has "k is not given; k is a whole number from 2 upwards; give -k K, or k below privacy in the schema"
expect 2 "$KANON" bound t.csv -s s.yaml --certificate t.csv
err_has "would be overwritten"
[ "$(head -n 1 t.csv)" = "age,pay,job,sex" ] || failed "the table was overwritten"
expect 1 "$KANON" bound t.csv -s s.yaml -k 11
err_has "no group can have 11"
expect 4 "$KANON" bound t.csv -s s.yaml --certificate nowhere/proof.json

# a stranger's check, with another program
if python3 -c 'import yaml' 2>/dev/null; then
    expect 0 python3 "$SOURCE/docs/check_certificate.py" t.csv s.yaml proof.json
    out_has "proved: "
    sed 's/"k": 3/"k": 2/' proof.json >wrong.json
    expect 1 python3 "$SOURCE/docs/check_certificate.py" t.csv s.yaml wrong.json
    out_has "not proved: the prices in a box violate dual feasibility"
fi
