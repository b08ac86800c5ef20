# Groups and releases that are there already, made better.

"$KANON" sample hospital --rows 400 -q -o demo
table=demo/hospital.csv
schema=demo/hospital.yaml

# loss GROUPS: the information loss of a grouping
loss()
{
    "$KANON" evaluate $table -s $schema -k 5 --groups "$1" --set query-count=1 | awk '$1 == "information_loss" { print $2 }'
}

# not_above A B: the first loss is no higher
not_above()
{
    awk -v a="$1" -v b="$2" 'BEGIN { exit !(a <= b * (1 + 1e-9)) }' || failed "a loss of $2 became $1"
}

"$KANON" anonymize $table -s $schema -k 5 -a mondrian -q -o cut.csv --groups cut-groups.csv
expect 0 "$KANON" improve $table -s $schema -k 5 --groups cut-groups.csv --moves 20000 -o better.csv --new-groups better-groups.csv
err_has "information loss"
err_has ", before "
not_above "$(loss better-groups.csv)" "$(loss cut-groups.csv)"
[ "$(loss better-groups.csv)" != "$(loss cut-groups.csv)" ] || failed "the search found nothing"
expect 0 "$KANON" check better.csv -s $schema -k 5

# from a release; the same seed gives the same groups, whatever the threads
for threads in 1 3; do
    expect 0 "$KANON" improve $table -s $schema -k 5 --release cut.csv --moves 20000 --seed 7 --threads $threads -q -o r$threads.csv \
        --new-groups g$threads.csv
done
same r1.csv r3.csv
same g1.csv g3.csv
not_above "$(loss g1.csv)" "$(loss cut-groups.csv)"

# again, by the other refinement, and for a second: never worse
expect 0 "$KANON" improve $table -s $schema -k 5 --groups g1.csv --refine il-optimization -q -o /dev/null --new-groups again.csv
not_above "$(loss again.csv)" "$(loss g1.csv)"
expect 0 "$KANON" improve $table -s $schema -k 5 --groups g1.csv --time-limit 1 -q -o /dev/null --new-groups again.csv
not_above "$(loss again.csv)" "$(loss g1.csv)"

# where a clock decided, the command that gives the same groups again is told, and does so
expect 0 "$KANON" improve $table -s $schema -k 5 --groups cut-groups.csv --time-limit 1 -o timed.csv --codebook codebook.json
err_has "written: timed.csv, codebook.json"
command=$(sed -n 's/^kanon: the same groups again: kanon //p' "$ERR")
[ -n "$command" ] || failed "no command for the same groups"
cp timed.csv first.csv
eval "expect 0 \"\$KANON\" $command"
same first.csv timed.csv

# nothing is left to be found: it says so
expect 0 "$KANON" anonymize $table -s $schema -k 200 -q -o /dev/null --groups two.csv
expect 0 "$KANON" improve $table -s $schema -k 400 --groups two.csv --repair --moves 10 -q -o /dev/null --new-groups one.csv
expect 0 "$KANON" improve $table -s $schema -k 400 --groups one.csv --moves 10 -o /dev/null
err_has "nothing better was found: the groups are the same"

# groups that are too small
expect 1 "$KANON" improve $table -s $schema -k 50 --groups cut-groups.csv -o refused.csv
err_has "groups have fewer than k = 50 records"
err_has "--repair does that"
no_file refused.csv
expect 0 "$KANON" improve $table -s $schema -k 50 --groups cut-groups.csv --repair --moves 20000 -q -o repaired.csv
expect 0 "$KANON" check repaired.csv -s $schema -k 50

# wrong usage, wrong files
expect 2 "$KANON" improve $table -s $schema -k 5
err_has "either --groups FILE or --release FILE"
expect 2 "$KANON" improve $table -s $schema -k 5 --groups g1.csv --release cut.csv
expect 2 "$KANON" improve $table -s $schema -k 5 --groups g1.csv -o g1.csv
head -n 100 cut.csv >part.csv
expect 3 "$KANON" improve $table -s $schema -k 5 --release part.csv
err_has "99 records, and the table has 400"
