# Wrong usage: exit status 2, one line that says what would be right and where to read on, and nothing on standard output.

printf 'age,zip\n20,1\n21,1\n30,2\n31,2\n' >t.csv
printf 'attributes: {age: {role: quasi}, zip: {role: quasi}}\n' >s.yaml

wrong()
{
    text=$1
    shift
    expect 2 "$KANON" "$@"
    err_has "$text"
    err_lines 1
    grep -q '^kanon: ' "$ERR" || failed "the line does not begin with kanon:"
    [ ! -s "$OUT" ] || failed "there is something on standard output"
}

wrong "did you mean anonymize? see kanon --help" anonimize
wrong "unknown command frobnicate; see kanon --help" frobnicate
wrong "unknown option --frobnicate; see kanon --help" --frobnicate
wrong "did you mean check?" help chekc
wrong "did you mean --seed? see kanon anonymize --help" anonymize t.csv -s s.yaml --sede 3
wrong "did you mean --groups?" evaluate t.csv --group g.csv
wrong "did you mean --risk-threshold?" check t.csv --risk-treshold=0.1
wrong "unknown option --frobnicate; see kanon check --help" check t.csv --frobnicate
wrong "unknown option -x" anonymize t.csv -x
wrong "unknown option -x" anonymize t.csv -qx
wrong "no TABLE given; see kanon anonymize --help" anonymize -s s.yaml -k 2
wrong "no RELEASE given" check -s s.yaml
wrong "one word too many" anonymize t.csv t.csv -s s.yaml -k 2
wrong "no schema; give -s SCHEMA" anonymize t.csv -k 2 -q # else it says what init would propose
wrong "no schema; give -s SCHEMA" check t.csv -k 2
wrong "no schema; give -s SCHEMA" evaluate t.csv --groups g.csv
wrong "give --groups FILE" evaluate t.csv -s s.yaml
wrong "both come from standard input" evaluate - -s s.yaml --groups -
wrong "no k; give -k K" anonymize t.csv -s s.yaml
wrong "--seed needs a value: N" anonymize t.csv --seed
wrong "-k needs a value: K" anonymize t.csv -k
wrong "--quiet takes no value" anonymize t.csv --quiet=yes
wrong "exclude each other" anonymize t.csv -s s.yaml -k 2 --quiet --verbose
wrong "standard output is named twice" anonymize t.csv -s s.yaml -k 2 --groups -
wrong "r.csv is named twice" anonymize t.csv -s s.yaml -k 2 -o r.csv --report r.csv
wrong "t.csv is named twice" anonymize t.csv -s s.yaml -k 2 -o t.csv
wrong "s.yaml is named twice" anonymize t.csv -s s.yaml -k 2 --groups s.yaml

# the same file under another name
cp t.csv before.csv
ln -s t.csv link.csv
wrong "./t.csv is named twice" anonymize t.csv -s s.yaml -k 2 -o ./t.csv
wrong "link.csv is named twice" anonymize t.csv -s s.yaml -k 2 -o link.csv
wrong "s.yaml is named twice" anonymize t.csv -s ./s.yaml -k 2 -o s.yaml
wrong "r.csv is named twice" anonymize t.csv -s s.yaml -k 2 -o r.csv --groups ./r.csv
printf 'row,group\n1,1\n2,1\n3,2\n4,2\n' >g.csv
wrong "t.csv is asked for twice" evaluate t.csv -s s.yaml --groups g.csv --report t.csv
wrong "g.csv is named twice" evaluate t.csv -s s.yaml --groups g.csv --report g.csv
same t.csv before.csv
no_file r.csv
rm before.csv link.csv g.csv
wrong "the SCHEMA is empty" anonymize t.csv -s '' -k 2
wrong "TABLE is empty" anonymize '' -s s.yaml -k 2
wrong "--set wants NAME=VALUE" anonymize t.csv -s s.yaml -k 2 --set r
wrong "--set wants NAME=VALUE" anonymize t.csv -s s.yaml -k 2 --set =r
wrong "--taxonomy wants A=FILE" anonymize t.csv -s s.yaml -k 2 --taxonomy zip.csv
wrong "a column name is empty" anonymize t.csv --quasi age,,zip -k 2
wrong "choose one of: interval, range, mean, columns" anonymize t.csv -s s.yaml -k 2 --numeric median
wrong "there is: hospital" sample school
wrong "unknown algorithm" algorithms nothing-like-it

for k in 1 0 -3 '' abc 2.5 3x ' 3' +3 0x10 99999999999999999999; do
    wrong "-k must be a whole number, 2 or more" anonymize t.csv -s s.yaml -k "$k"
done
for seed in -1 '' 1.0 1e3 9007199254740992 18446744073709551616; do
    wrong "--seed must be a whole number from 0 to 9007199254740991" anonymize t.csv -s s.yaml -k 2 --seed "$seed"
    wrong "--shuffle-seed must be a whole number from 0 to 9007199254740991" anonymize t.csv -s s.yaml -k 2 --shuffle-seed "$seed"
done
for threads in 0 1025 two; do
    wrong "--threads must be a whole number from 1 to 1024" anonymize t.csv -s s.yaml -k 2 --threads "$threads"
done
for rows in 0 2147483648 many; do
    wrong "--rows must be a whole number from 1 to 2147483647" sample hospital --rows "$rows"
done
for risk in 0 1.1 -0.1 x '' . 0.1.1; do
    wrong "--risk-threshold must be a number above 0" check t.csv -s s.yaml --risk-threshold "$risk"
done
for delimiter in '' ';;' '"' ä; do
    wrong "--delimiter must be one character" anonymize t.csv -s s.yaml -k 2 --delimiter "$delimiter"
done
[ "$(echo *)" = "s.yaml t.csv" ] || failed "files were left behind: $(ls -A)"

# control characters do not reach the terminal
wrong "unknown option --a\x1bb" anonymize "$(printf -- '--a\033b')"
