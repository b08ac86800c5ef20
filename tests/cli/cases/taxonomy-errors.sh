# A bad taxonomy: exit status 3 and one line with file and line, without the values in it.

printf 'age,town\n20,Ulm\n21,Ulm\n22,Kiel\n' >t.csv
cat >s.yaml <<'END'
attributes:
  age: {role: quasi}
  town: {role: quasi, type: categorical, taxonomy: town.csv}
END

bad()
{
    printf "$2" >town.csv
    expect 3 "$KANON" anonymize t.csv -s s.yaml -k 2 -o r.csv
    err_lines 1
    err_has "$3"
    for value in Ulm Kiel South North Hidden; do
        err_lacks "$value"
    done
    no_file r.csv
}

bad "two roots" 'Ulm;South;*\nKiel;North;World\n' 'town.csv:2'
bad "two parents" 'Ulm;South;*\nKiel;North;*\nHidden;South;North;*\n' 'town.csv:3'
bad "a leaf twice with another path" 'Ulm;South;*\nKiel;North;*\nUlm;North;*\n' 'town.csv:3'
bad "a leaf that is an inner node" 'Ulm;South;*\nKiel;Ulm;South;*\n' 'town.csv:1'
bad "an empty cell" 'Ulm;South;*\nKiel;;*\n' 'town.csv:2'
bad "empty" '' 'town.csv'
bad "unterminated quote" 'Ulm;South;*\n"Kiel;North;*\n' 'town.csv:2'
bad "not UTF-8" 'Ulm;South;*\nKi\201el;North;*\n' 'town.csv:2'

# what is right: other line lengths, either separator, repeated labels, a leaf twice with one path
for taxonomy in 'Ulm;South;Land;*\nKiel;*\n' 'Ulm,South,*\nKiel,North,*\n' 'Ulm;Ulm;*\nKiel;North;*\nKiel;North;*\n'; do
    printf "$taxonomy" >town.csv
    expect 0 "$KANON" anonymize t.csv -s s.yaml -k 3 -q
    out_has '[20..22],*'
done

# a file that is not there is the system's failure
rm town.csv
expect 4 "$KANON" anonymize t.csv -s s.yaml -k 2 -o r.csv
err_lines 1
err_has town.csv
no_file r.csv
