# Whose record each row is: found or asked about in tables of persons with several records, and nowhere else.
expect 0 python3 "$SOURCE/tests/cli/whose_records.py" "$KANON"

# A run without an entity warns, with the groups that hold fewer than k persons. Ten persons have five visits each:
# groups of ten records cannot hold ten of them, unless all fifty are one group.
{
    echo "pid,visit,age,sex,diagnosis"
    for visit in 1 2 3 4 5; do
        for person in 1 2 3 4 5 6 7 8 9 10; do
            echo "K$person,$visit,$((20 + 7 * person)),$([ $((person % 3)) -eq 0 ] && echo m || echo f),d$(((visit + person) % 4))"
        done
    done
} >visits.csv
expect 0 "$KANON" anonymize visits.csv --identifying pid --quasi age,sex --sensitive diagnosis -k 5 -a mondrian -o r.csv --groups g.csv
groups=$(sed 1d g.csv | cut -d, -f2 | sort -u | wc -l)
err_has "warning: pid repeats and looks like the column that says whose record each row is: $groups of $groups groups have fewer than k = 5"
expect 0 "$KANON" anonymize visits.csv --identifying pid --quasi age,sex --sensitive diagnosis -k 5 -a mondrian -o r.csv -q
err_has "warning: pid repeats"
expect 0 "$KANON" anonymize visits.csv --entity pid --quasi age,sex --sensitive diagnosis -k 5 -a mondrian -o r.csv
err_lacks "pid repeats"

# One record per person: names and numbers of wards repeat, and nothing is said.
expect 0 "$KANON" sample hospital --rows 400 -q -o one
expect 0 "$KANON" anonymize one/hospital.csv -s one/hospital.yaml -a mondrian -o r.csv
err_lacks "repeats"
