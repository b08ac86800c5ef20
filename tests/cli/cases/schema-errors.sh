# A bad schema: exit status 3 and one line with file and line.

printf 'age,town,illness\n20,Ulm,flu\n21,Ulm,flu\n22,Ulm,flu\n' >t.csv

bad()
{
    printf -- "$2" >s.yaml
    expect 3 "$KANON" anonymize t.csv -s s.yaml -k 2 -o r.csv
    err_lines 1
    for word in $3; do
        err_has "$word"
    done
    no_file r.csv
    [ ! -s "$OUT" ] || failed "$1: there is something on standard output"
}

bad "syntax" 'attributes:\n  age: {role: quasi\n  town: [\n' 's.yaml:'
bad "a tab" 'attributes:\n\tage: {role: quasi}\n' 's.yaml:2'
bad "unknown key" 'atributes:\n  age: {role: quasi}\n' 's.yaml:1 atributes attributes'
bad "unknown key of an attribute" 'attributes:\n  age: {role: quasi}\n  town: {rolle: quasi}\n' 's.yaml:3 rolle role'
bad "unknown role" 'attributes:\n  age: {role: quasy}\n' 's.yaml:2 quasi'
bad "unknown type" 'attributes:\n  age: {role: quasi, type: whole}\n' 's.yaml:2 integer'
bad "no attributes" 'privacy: {k: 3}\n' 's.yaml attributes'
bad "empty" '' 's.yaml'
bad "a list" '- age\n' 's.yaml:1'
bad "a column twice" 'attributes:\n  age: {role: quasi}\n  age: {role: sensitive}\n' 's.yaml:3 age'
bad "k is not a number" 'attributes: {age: {role: quasi}}\nprivacy: {k: many}\n' 's.yaml:2'
bad "k is 1" 'attributes: {age: {role: quasi}}\nprivacy: {k: 1}\n' 's.yaml:2'
bad "a weight that is none" 'attributes:\n  age: {role: quasi, weight: -1}\n' 's.yaml:2'
bad "unknown column" 'attributes:\n  age: {role: quasi}\n  twon: {role: quasi}\n' 'twon town'
bad "not UTF-8" 'attributes:\n  ag\377e: {role: quasi}\n' 's.yaml'

# no quasi-identifier: there is nothing to group by
printf 'attributes: {illness: {role: sensitive}}\n' >s.yaml
expect 3 "$KANON" anonymize t.csv -s s.yaml -k 2 -o r.csv
err_lines 1
no_file r.csv

# unknown columns: a warning, with --strict an error
printf 'attributes: {age: {role: quasi}}\n' >s.yaml
expect 0 "$KANON" anonymize t.csv -s s.yaml -k 2 -o r.csv
err_has "warning: "
err_has town
expect 3 "$KANON" anonymize t.csv -s s.yaml -k 2 -o strict.csv --strict
err_lines 1
err_has town
no_file strict.csv

# a schema that is not there is the system's failure
expect 4 "$KANON" anonymize t.csv -s none.yaml -k 2 -o none.csv
err_lines 1
err_has none.yaml
no_file none.csv
