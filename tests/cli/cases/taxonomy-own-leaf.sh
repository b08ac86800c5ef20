# Hierarchies of ARX in which a value is also a node: ICD has 250 beside 250.01.

printf '250;250;Endocrine;*\n250.01;250;Endocrine;*\n250.02;250;Endocrine;*\n401;401;Circulatory;*\n402;402;Circulatory;*\n' >icd.csv
printf 'code\n250\n250.01\n250.02\n401\n402\n402\n' >t.csv
expect 0 "$KANON" anonymize t.csv --quasi code --taxonomy code=icd.csv -k 3 -q
printf 'code\n250\n250\n250\nCirculatory\nCirculatory\nCirculatory\n' >wanted.csv
same "$OUT" wanted.csv
expect 0 "$KANON" check wanted.csv --quasi code --taxonomy code=icd.csv -k 3
expect 0 "$KANON" evaluate t.csv --quasi code --taxonomy code=icd.csv --release wanted.csv

# three levels up, the same
printf '250;250;250;*\n250.01;250.0;250;*\n250.02;250.0;250;*\n' >deep.csv
printf 'code\n250\n250\n250.01\n250.02\n' >d.csv
expect 0 "$KANON" anonymize d.csv --quasi code --taxonomy code=deep.csv -k 2 -q
printf 'code\n250\n250\n250.0\n250.0\n' >wanted.csv
same "$OUT" wanted.csv

# a line that does not name the node again is an error as before
printf '250;Endocrine;*\n250.01;250;Endocrine;*\n' >bad.csv
expect 3 "$KANON" anonymize d.csv --quasi code --taxonomy code=bad.csv -k 2
err_has "bad.csv:1: column 1: the leaf has other values below it on line 2"
expect 2 "$KANON" anonymize d.csv --quasi code --taxonomy code=deep.csv -k 2 --state s.db -o r.csv
err_has "code: a state cannot keep a taxonomy in which a value is also a node"
no_file s.db
