# Every option that takes a number, at the largest ones: done or refused, and nothing overflows (the sanitizers look).

"$KANON" sample hospital --rows 40 --seed 2 -q -o demo
run() {
    status=0
    "$KANON" "$@" >"$OUT" 2>"$ERR" </dev/null || status=$?
    [ $status -le 4 ] || failed "$* ended with status $status"
    ! grep -q "runtime error\|Sanitizer\|nternal" "$ERR" || failed "$*: $(head -n 1 "$ERR")"
}
for number in 9223372036854775807 4611686018427387904 18446744073709551615 99999999999999999999 -1; do
    for option in -k --blocks --memory --threads --seed --shuffle-seed --suppress --time-limit; do
        run anonymize demo/hospital.csv -s demo/hospital.yaml -k 3 -a mondrian $option $number -o r.csv -q
    done
    run anonymize demo/hospital.csv -s demo/hospital.yaml -k 3 -a full-domain --blocks $number --memory ${number}G -o r.csv -q
    run anonymize demo/hospital.csv -s demo/hospital.yaml -k 3 -a kmember --blocks $number --memory 1G -o r.csv -q
    run check demo/hospital.csv -s demo/hospital.yaml -k $number
    run bound demo/hospital.csv -s demo/hospital.yaml -k $number
    run tradeoff demo/hospital.csv -s demo/hospital.yaml -a mondrian -k 3,$number --seed $number --threads $number
    for model in distinct-l-diversity,l entropy-l-diversity,l p-sensitive-k-anonymity,p alpha-k,alpha t-closeness,t; do
        run anonymize demo/hospital.csv -s demo/hospital.yaml -k 3 -a mondrian -o r.csv -q \
            --constraint "attribute=diagnosis,model=${model}=$number"
    done
done
expect 0 "$KANON" anonymize demo/hospital.csv -s demo/hospital.yaml -k 3 -a mondrian --blocks 9223372036854775807 -o r.csv -q
