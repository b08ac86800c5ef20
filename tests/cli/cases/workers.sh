# kanon anonymize --workers: the release of --blocks, byte for byte, whatever the number of workers, the options and the form of
# the file; workers that are killed, signals and a full disk.
TMPDIR=$PWD/tmp
export TMPDIR
mkdir tmp

nothing_left()
{
    [ -z "$(ls -A tmp)" ] || failed "files were left in TMPDIR: $(ls -A tmp)"
    ! ls -A | grep -q '\.kanon-' || failed "files were left beside the release: $(ls -A)"
}

# equal TABLE OPTION...: workers give what the program gives by itself.
numbers="1 2 3"
equal()
{
    expect 0 "$KANON" anonymize "$@" -q -o whole.csv --groups whole-groups.csv
    for workers in $numbers; do
        expect 0 "$KANON" anonymize "$@" -q --workers $workers -o by.csv --groups groups.csv
        same whole.csv by.csv
        same whole-groups.csv groups.csv
        nothing_left
    done
}

"$KANON" sample hospital --rows 1500 --seed 3 -q -o h
run="h/hospital.csv -s h/hospital.yaml -k 4"
# shellcheck disable=SC2086
{
    equal $run --blocks 100 --seed 5 --effort fast
    equal $run --blocks 150 --seed 6 -a kmember --refine none --numeric range
    equal $run --blocks 300 --seed 7 -a mondrian --numeric columns
    expect 0 "$KANON" anonymize $run --blocks 250 --seed 8 --effort balanced -q -o whole.csv
    expect 0 "$KANON" anonymize $run --blocks 250 --seed 8 --effort balanced --workers 2 -o by.csv -v
    same whole.csv by.csv
    err_has "1500 records in "
    err_has " blocks of at least 250, 2 workers"
    err_has "information_loss"
    [ "$(ls -l groups.csv | cut -c1-10)" = "-rw-------" ] || failed "others can read the groups"
    # one block: no short search, as with blocks in one process; else it is the plain run
    equal $run --blocks 1000 --seed 8 --effort fast
    expect 0 "$KANON" anonymize $run --blocks none --seed 8 --effort fast --refine none -q -o whole.csv
    expect 0 "$KANON" anonymize $run --blocks 1000 --seed 8 --effort fast --workers 2 -q
    same whole.csv "$OUT"
}

# algorithms that suppress records themselves: these are in no release, and in group 0
awk 'BEGIN { srand(4); print "a,b"
    for (i = 0; i < 400; i++) printf "%d,%d\n", rand() < 0.5 ? 50 * rand() : 1000000 * rand(), 10 * rand() }' >far.csv
printf 'attributes: {a: {role: quasi, type: integer}, b: {role: quasi, type: integer}}\nprivacy: {k: 2}\n' >far.yaml
equal far.csv -s far.yaml -a greedy-threshold --set threshold=0.05 --blocks 60
grep -q ',0$' groups.csv || failed "no record is suppressed"
[ "$(grep -vc ',0$' groups.csv)" -eq "$(wc -l <by.csv)" ] || failed "suppressed records are in the release"
numbers=2
equal far.csv -s far.yaml -a oka --set suppress-small=true --blocks 60
expect 2 "$KANON" anonymize far.csv -s far.yaml --suppressed keep --blocks 60 --workers 2 -q -o r.csv
err_has "keeping suppressed records is not possible in blocks by several processes"

# forms of the file: line breaks in cells, CRLF, another encoding, no header, no end of the last line, a byte order mark
awk 'BEGIN { srand(4); print "note;age;city;gr\303\266\303\237e"
    for (i = 0; i < 2000; i++) printf "%s;%d;%s;%d\n", i % 7 ? "n" i : "\"two; lines\n\"\"" i "\"\"\"", 20 + rand() * 60,
        i % 3 ? "K\303\266ln" : i % 2 ? "Bonn" : "", 150 + rand() * 40 }' >lf.csv
sed 's/$/\r/' lf.csv >crlf.csv
iconv -f UTF-8 -t ISO-8859-1 lf.csv >latin.csv
sed 1d lf.csv | awk 'NR > 1 { print last } { last = $0 } END { printf "%s", last }' >bare.csv
{ printf '\357\273\277'; cat lf.csv; } >marked.csv
numbers=2
for form in lf crlf marked; do
    equal $form.csv --quasi age,city,größe --insensitive note -k 3 --blocks 200 --effort fast
done
equal bare.csv --header no --quasi c2,c3,c4 --insensitive c1 -k 3 --blocks 200 --effort fast

expect 2 "$KANON" anonymize latin.csv --quasi age,city -k 3 --blocks 200 --workers 2 -q -o r.csv
err_has "only a file of UTF-8 text can be divided"

# errors name the line of the file
sed '1500s/;/;;/' lf.csv >wrong.csv
expect 3 "$KANON" anonymize wrong.csv --quasi age,city -k 3 --blocks 200 -q -o r.csv
cp "$ERR" plain
expect 3 "$KANON" anonymize wrong.csv --quasi age,city -k 3 --blocks 200 --workers 2 -q -o r.csv
same plain "$ERR"
no_file r.csv
nothing_left

# what is not possible is refused by name before any work
for option in "--groups g.parquet" "--report r.json" "--report-external e.json" "--codebook c.json" "--state s.state" --shuffle \
    "--threads 2" "--blocks none"; do
    # shellcheck disable=SC2086
    expect 2 "$KANON" anonymize $run --blocks 100 $option --workers 2 -o r.csv
    [ "${option%% *}" = --groups ] || err_has "${option%% *}"
    err_has "cannot be combined with --workers"
done
# shellcheck disable=SC2086
{
    expect 2 "$KANON" anonymize - -s h/hospital.yaml -k 4 --blocks 100 --workers 2 -o r.csv
    err_has "standard input cannot be combined with --workers"
    expect 2 "$KANON" anonymize $run --blocks 100 --workers 2 -o r.parquet
    expect 2 "$KANON" anonymize $run --blocks 100 --workers 2 -o r.csv --time-limit 5 --refine search
    expect 2 "$KANON" anonymize $run --blocks 100 --workers 2 -o r.csv --suppress 0.01
    expect 2 "$KANON" anonymize $run --blocks 100 --workers 2 -o r.csv --recode attribute
    expect 2 "$KANON" anonymize $run --blocks 100 --workers 0 -o r.csv
    expect 2 "$KANON" anonymize $run --blocks 3 --workers 2 -o r.csv
    err_has "smaller than k"
    expect 4 "$KANON" anonymize $run --blocks 100 --workers 2 --memory 20M -o r.csv
    err_has "2 workers need at least"
    expect 1 "$KANON" anonymize $run -k 2000 --blocks 2000 --workers 2 -o r.csv
    err_has "k = 2000, but the table has only 1500 records"
}
no_file r.csv
nothing_left

# a full disk
(
    ulimit -f 8
    # shellcheck disable=SC2086
    expect 4 "$KANON" anonymize $run --blocks 100 --workers 2 -q -o r.csv
)
no_file r.csv
nothing_left

# killed workers, a stopped and a killed driver
"$SOURCE/tests/cli/kill_workers.py" "$KANON" || failed "kill_workers.py"
