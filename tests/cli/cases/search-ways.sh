# the scan and the index give the same groups, on the sample table and on Adult
"$KANON" sample hospital --rows 3000 --seed 5 -o h --quiet
for algorithm in kmember densest kmember-p greedy-threshold oka kmeans-adjust-each kmeans-fill wfcm tgc-u tgc-b tgc-p; do
    case $algorithm in kmeans-* | wfcm) few="--set max-iterations=2" ;; tgc-*) few="--set max-iterations=1 --set delta-prime=1" ;; densest) few="--blocks 600" ;; *) few="" ;; esac
    for way in scan index auto; do
        # shellcheck disable=SC2086
        expect 0 "$KANON" anonymize h/hospital.csv -s h/hospital.yaml -k 7 -a $algorithm $few --set search=$way --seed 3 -o /dev/null --groups $algorithm-$way.csv
    done
    same $algorithm-scan.csv $algorithm-index.csv
    same $algorithm-scan.csv $algorithm-auto.csv
done
adult=$KANON_DATA/adult
[ -f "$adult/adult.csv" ] || skip "no $adult/adult.csv"
for algorithm in kmember kmember-p; do
    for way in scan index; do
        expect 0 "$KANON" anonymize "$adult/adult.csv" -s "$adult/adult8.yaml" -k 10 -a $algorithm --set search=$way --seed 2 -o /dev/null --groups adult-$way.csv
    done
    same adult-scan.csv adult-index.csv
done
for algorithm in oka kmeans-adjust-each; do
    case $algorithm in kmeans-*) few="--set max-iterations=1" ;; *) few="" ;; esac
    for way in scan auto; do
        # shellcheck disable=SC2086
        expect 0 "$KANON" anonymize "$adult/adult.csv" -s "$adult/adult8.yaml" -k 20 -a $algorithm $few --set search=$way --seed 2 -o /dev/null --groups $algorithm-$way.csv
    done
    same $algorithm-scan.csv $algorithm-auto.csv
done
