# Every way to write an option means the same.

printf 'age,zip\n20,1\n21,1\n30,2\n31,2\n' >t.csv
printf 'attributes: {age: {role: quasi}, zip: {role: quasi}}\n' >s.yaml

expect 0 "$KANON" anonymize t.csv --schema s.yaml -k 2 --output r1.csv --seed 9007199254740991
expect 0 "$KANON" anonymize --schema=s.yaml -k2 --output=r2.csv --seed=9007199254740991 t.csv
expect 0 "$KANON" anonymize -ss.yaml -k 2 -or3.csv --seed 9007199254740991 -- t.csv
expect 0 "$KANON" anonymize -q -s s.yaml -k 2 --seed 9007199254740991 t.csv
cp "$OUT" r4.csv
expect 0 "$KANON" anonymize -qk2 -s s.yaml -o - --seed 9007199254740991 t.csv
cp "$OUT" r5.csv
for i in 2 3 4 5; do
    same r1.csv r$i.csv
done

# the last one counts
expect 0 "$KANON" anonymize t.csv -s s.yaml -k 4 -k 2 -o nowhere/r.csv -o r6.csv --seed 1 --seed 9007199254740991
same r1.csv r6.csv

# after -- a name may begin with a dash
cp t.csv ./-t.csv
expect 0 "$KANON" anonymize -s s.yaml -k 2 --seed 9007199254740991 -q -- -t.csv
same "$OUT" r1.csv

# k has a long name, too
expect 0 "$KANON" anonymize t.csv -s s.yaml --k 2 -q --seed 9007199254740991
same "$OUT" r1.csv
