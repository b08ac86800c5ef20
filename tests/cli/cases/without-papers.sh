# A program without src/papers lists the other algorithms and knows no more.
"$KANON" algorithms >list
awk '$2 == "-" { print $1 }' list >names
sed -n '/KANON_PAPERS/q; s/^KANON_ALGORITHM(\(.*\))$/\1/p' "$SOURCE/src/algorithms/algorithms.def" | tr _ - >kept
head -n "$(wc -l <kept)" names | diff kept - || failed "the list is not that of algorithms.def"
sed -n '/KANON_PAPERS/,$s/^KANON_ALGORITHM(\(.*\))$/\1/p' "$SOURCE/src/algorithms/algorithms.def" | tr _ - >left_out
[ "$(wc -l <left_out)" -gt 0 ] || failed "nothing is left out"

printf 'a,b\n1,x\n2,x\n3,y\n4,y\n' >table.csv
while read -r name; do
    expect 2 "$KANON" algorithms "$name"
    expect 2 "$KANON" anonymize table.csv --quasi a,b -k 2 -a "$name" -o r.csv
    err_has "there is no algorithm '$name'"
    for text in "help" "docs algorithms" "completion bash"; do
        expect 0 "$KANON" $text
        ! grep -qw -e "$name" "$OUT" || failed "kanon $text names $name"
    done
done <left_out
while read -r name; do
    expect 0 "$KANON" anonymize table.csv --quasi a,b -k 2 -a "$name" -o r.csv
done <kept

# no example of the help runs what is not there
for command in anonymize tradeoff improve bound profile; do
    expect 0 "$KANON" "$command" --help
    sed -n 's/.* -a \([a-z-]*\).*/\1/p; s/.*--algorithm[ =]\([a-z-]\{2,\}\).*/\1/p' "$OUT" >used
    ! grep -qxFf left_out used || failed "the help of $command runs an algorithm of papers"
done
