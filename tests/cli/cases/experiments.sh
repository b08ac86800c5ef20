# The driver of the experiments, on a tiny sample table: every file of experiments/ is run, drawn and written about; what is there is not run
# again; a figure can be run by name; and a line that was cut off, as by a power cut, is run again.
command -v python3 >/dev/null || skip "no python3"
python3 -c 'import tomllib' 2>/dev/null || skip "python3 is older than 3.11"
run="$SOURCE/experiments/run --smoke --kanon $KANON --work work"
smoke=work/smoke

expect 0 $run
for file in "$SOURCE"/experiments/*.toml; do
    name=$(basename "$file" .toml)
    [ "$(wc -l <"$smoke/results/$name.csv")" -gt 2 ] || failed "$name has no results"
done
[ -s "$smoke/docs/experiments.md" ] || failed "no page was written"
if command -v gnuplot >/dev/null; then
    expect 0 $run --list
    while read -r _ figure _; do
        [ -s "$smoke/docs/experiments/$figure.svg" ] || failed "$figure was not drawn"
    done <"$OUT"
else
    echo "no gnuplot: the figures were not drawn"
    err_has "gnuplot is not there"
fi

# The numbers are those of the program.
loss=$(awk -F, '$1 == "kmember" && $2 == 5 && $3 == 1 { print $4 }' "$smoke/results/lin.csv")
table=$smoke/tables/hospital-200/hospital.csv
expect 0 "$KANON" anonymize "$table" -s "$smoke/tables/hospital-200/hospital.yaml" -k 5 -a kmember --seed 1 -q -o release.csv --groups groups.csv
expect 0 "$KANON" evaluate "$table" -s "$smoke/tables/hospital-200/hospital.yaml" --groups groups.csv
awk -v loss="$loss" '$1 == "information_loss" && ($2 - loss) ^ 2 < 1e-6 { found = 1 } END { exit !found }' "$OUT" || failed "another loss than $loss"

# The classifier takes a node for all its leaves: the original has no b, so that b is a tie, which goes to the first answer, no; from the release
# it learns that b may be among the yes. And an interval for all its numbers: of 10 to 17, half are below 14 and an eighth is not below 17.
cat >schema.yaml <<'END'
attributes:
  job: {role: quasi, type: categorical, taxonomy: job.csv}
END
printf 'a;x;*\nb;x;*\nc;*\n' >job.csv
printf 'job,y\nc,no\nc,no\na,yes\na,yes\n' >original.csv
printf 'job,y\nc,no\nc,no\nx,yes\nx,yes\n' >released.csv
printf 'job,y\na,yes\nb,yes\nc,no\n' >test.csv
expect 0 python3 -B -c "import sys; sys.path.insert(0, '$SOURCE/experiments')
import classifier
for release in ('original.csv', 'released.csv'):
    print(round(classifier.accuracy('schema.yaml', 'original.csv', release, 'test.csv', 'y', True), 3))
print(sorted(classifier.Categorical(['a', 'c'], 'job.csv').spread('x').items()))
print(sorted(classifier.Numeric(['10', '10', '14', '17']).spread('[10..17]').items()))"
printf '0.667\n1.0\n[(0, 0.5), (1, 0.5)]\n[(1, 0.5), (2, 0.375), (3, 0.125)]\n' >wanted
same "$OUT" wanted

# What is there is used again, and stays as it is.
cp "$smoke/results/lin.csv" before.csv
expect 0 $run
err_has "0 runs, 0 timed ones"
same "$smoke/results/lin.csv" before.csv

# One figure; half a line at the end is not a result.
head -c -30 before.csv >"$smoke/results/lin.csv"
expect 0 $run lin-3 lin-4
err_has " 1 timed ones"
[ "$(cut -d, -f1-3 "$smoke/results/lin.csv")" = "$(cut -d, -f1-3 before.csv)" ] || failed "the cut line did not come back"

expect 1 $run lin-99
err_has "no figure lin-99"

# Other settings for a family of algorithms: the claims about it are printed, and the results stay. Without a limit a cluster takes all records.
cp "$smoke/results/loukides-s-normal.csv" before.csv
expect 0 $run --reading 'tgc delta=1000 partition=none' loukides-16
out_has "loukides-16: UM of tgc-b improves up to s = 5k: does not hold: 4.00 to 4.00"
same "$smoke/results/loukides-s-normal.csv" before.csv
expect 1 $run --reading 'tgc ties' loukides-16
err_has "a family of algorithms, then NAME=VALUE"

# The page in docs is the one that the results make.
expect 0 "$SOURCE/experiments/run" --draw --kanon "$KANON" --work work --docs docs
same docs/experiments.md "$SOURCE/docs/experiments.md"

# Without gnuplot the results and the page are there all the same.
mkdir bin
rm -r "$smoke/docs"
expect 0 env PATH="$PWD/bin" "$(python3 -c 'import sys; print(sys.executable)')" $run
err_has "gnuplot is not there"
[ -s "$smoke/docs/experiments.md" ] || failed "no page without gnuplot"
no_file "$smoke/docs/experiments/lin-3.svg"
