# A state whose groups a search has made: after 10 % of churn the loss is within 10 % of a fresh run, since the search looks
# around what changed; --effort fast leaves it out. A fresh state has hardly a drift. Equal commands give equal groups, on one processor and on several.

"$KANON" sample hospital --rows 1050 --seed 3 -q -o h
head -n 1001 h/hospital.csv >base.csv
{ head -n 1 h/hospital.csv; tail -n 50 h/hospital.csv; } >new.csv
head -n 51 h/hospital.csv >gone.csv
{ head -n 1 h/hospital.csv; tail -n +52 h/hospital.csv; } >final.csv

"$KANON" anonymize base.csv -s h/hospital.yaml -k 5 -q -o /dev/null --state base.state
"$KANON" anonymize final.csv -s h/hospital.yaml -k 5 -q -o /dev/null --report fresh.json

# drift is measured with the search that made the groups, or a fresh state would seem to lose much less than a fresh run
expect 0 "$KANON" state base.state
grep -Eq "^drift  *-?0[.]0[01][0-9]* on a sample of 1000 records" "$OUT" || failed "the drift of a fresh state is far from 0"

# likewise the short one of effort=fast
"$KANON" anonymize base.csv -s h/hospital.yaml -k 5 --effort fast -q -o /dev/null --state fast.state
expect 0 "$KANON" state fast.state
grep -Eq "^drift  *-?0[.]0[01][0-9]* on a sample of 1000 records" "$OUT" || failed "the drift of a fresh state of fast is far from 0"

# churn NAME OPTION...: NAME.state and NAME.json
churn()
{
    name=$1
    shift
    cp base.state "$name.state"
    expect 0 "$KANON" delete "$name.state" gone.csv -q "$@"
    expect 0 "$KANON" insert "$name.state" new.csv -q --grow-taxonomy --groups "$name.csv" --report "$name.json" "$@"
}
loss()
{
    sed -n 's/.*"information_loss": \([0-9][0-9]*\).*/\1/p' "$1" | head -n 1
}
churn searched
churn greedy --effort fast
fresh=$(loss fresh.json) searched=$(loss searched.json) greedy=$(loss greedy.json)
[ "$searched" -lt "$greedy" ] || failed "the search did not find less loss: $searched after $greedy"
[ $((searched * 10)) -le $((fresh * 11)) ] || failed "the loss is $searched, a fresh run has $fresh"
expect 0 "$KANON" state searched.state
out_has "records        1000"
out_has "file           sound"

if command -v taskset >/dev/null; then
    kanon=$KANON
    alone() { taskset -c 0 "$kanon" "$@"; }
    cp base.state alone.state
    expect 0 alone delete alone.state gone.csv -q
    expect 0 alone insert alone.state new.csv -q --grow-taxonomy --groups alone.csv
    cmp searched.csv alone.csv || failed "the number of processors changed the groups"
fi

# groups that no search has made stay as they are
"$KANON" anonymize base.csv -s h/hospital.yaml -k 5 -a mondrian -q -o /dev/null --state plain.state
cp plain.state other.state
expect 0 "$KANON" insert plain.state new.csv -q --grow-taxonomy --groups plain.csv
expect 0 "$KANON" insert other.state new.csv -q --grow-taxonomy --groups other.csv --effort fast
cmp plain.csv other.csv || failed "a search ran in a state that none has made"
expect 2 "$KANON" insert plain.state new.csv -q --grow-taxonomy --again --effort slow
err_has "--effort: there is no 'slow'; choose one of: fast, balanced, best"
