# A bad table: exit status 3, one line with file, line and column, no value of a cell in it, and no file left behind.

cat >s.yaml <<'END'
attributes:
  age: {role: quasi, type: integer}
  town: {role: quasi, type: categorical, taxonomy: town.csv}
  illness: {role: sensitive}
END
printf 'Ulm;South;*\nAalen;South;*\nKiel;North;*\n' >town.csv
files=$(ls -A)

# bad NAME TEXT WHERE: the table TEXT is refused, and the line has every word of WHERE
bad()
{
    printf "$2" >t.csv
    expect 3 "$KANON" anonymize t.csv -s s.yaml -k 2 -o r.csv --groups g.csv --report p.json
    err_lines 1
    for word in $3; do
        err_has "$word"
    done
    for value in secret 1234567 Berlin; do
        err_lacks "$value"
    done
    [ ! -s "$OUT" ] || failed "$1: there is something on standard output"
    rm t.csv
    [ "$(ls -A)" = "$files" ] || failed "$1: files were left behind: $(ls -A)"
}

bad "ragged, short" 'age,town,illness\n20,Ulm,flu\n21,Ulm\n1234567,Ulm,secret\n' 't.csv:3:'
bad "ragged, long" 'age,town,illness\n20,Ulm,flu,secret\n' 't.csv:2:'
bad "unterminated quote" 'age,town,illness\n20,Ulm,flu\n21,Ulm,"secret\n22,Ulm,flu\n' 't.csv:3: illness'
bad "text after a quote" 'age,town,illness\n20,Ulm,"flu"secret\n' 't.csv:2: illness'
bad "a quote in a cell" 'age,town,illness\n20,Ulm,sec"ret\n' 't.csv:2: illness'
bad "duplicate header" 'age,town,age,illness\n20,Ulm,3,flu\n' 't.csv:1: column 3'
bad "a column of the schema is not there" 'age,illness\n20,flu\n' 'town'
bad "not a number" 'age,town,illness\n20,Ulm,flu\nsecret,Ulm,flu\n' 't.csv:3: age'
bad "not a whole number" 'age,town,illness\n20,Ulm,flu\n12345.67,Ulm,flu\n' 't.csv:3: age'
bad "not in the taxonomy" 'age,town,illness\n20,Ulm,flu\n21,Berlin,flu\n' 't.csv:3: town'
bad "not UTF-8" 'age,town,illness\n20,Ulm,flu\n21,Ulm,secret\201\n' 't.csv:3: illness'
bad "a NUL byte" 'age,town,illness\n20,Ulm,flu\n21,Ulm,sec\000ret\n' 't.csv:3: illness'
bad "empty" '' 't.csv:1: column'
bad "only a line break" '\n' 't.csv:1: column'
bad "header only" 'age,town,illness\n' 't.csv:2: age'
bad "an empty line inside" 'age,town,illness\n20,Ulm,flu\n\n21,Ulm,flu\n' 't.csv:3:'

# the line counts the line breaks inside quoted cells
bad "line after a quoted line break" 'age,town,illness\n20,Ulm,"a\nb"\nsecret,Ulm,flu\n' 't.csv:4: age'

# from standard input the place has a name too
printf 'age,town,illness\n20,Ulm\n' >in
expect 3 "$KANON" anonymize - -s s.yaml -k 2 -o r.csv <in
err_lines 1
err_has "standard input:2:"
no_file r.csv

# a groups file is input like any other
printf 'age,town,illness\n20,Ulm,flu\n21,Ulm,flu\n' >t.csv
for groups in 'row,group\n1,1\n' 'row,group\n1,1\n1,1\n' \
    'row,group\n1,1\n3,1\n' 'row,group\n1,1\n2,x\n' 'a,b\n1,1\n2,1\n' ''; do
    printf "$groups" >g.csv
    expect 3 "$KANON" evaluate t.csv -s s.yaml --groups g.csv
    err_lines 1
    err_has g.csv
done
