# What a schema says can be said with flags, and flags win over the schema.

cat >t.csv <<'END'
name,age,town,disease,note
Ann,20,Ulm,flu,a
Bob,21,Aalen,gout,b
Cat,60,Kiel,flu,?
Dan,66,Kiel,cold,d
END
printf 'Ulm;South;*\nAalen;South;*\nKiel;North;*\n' >town.csv
cat >s.yaml <<'END'
attributes:
  name: {role: identifying}
  age: {role: quasi}
  town: {role: quasi, taxonomy: town.csv}
  disease: {role: sensitive}
  note: {role: insensitive}
END
expect 0 "$KANON" anonymize t.csv -s s.yaml -k 2 -a kmember -q
cp "$OUT" wanted.csv
out_has '[20..21],South,flu,a'
out_has '[60..66],Kiel,flu,?'

expect 0 "$KANON" anonymize t.csv --quasi age,town --sensitive disease --identifying name --insensitive note \
    --taxonomy town=town.csv -k 2 -a kmember --strict
same "$OUT" wanted.csv
err_results 2
expect 0 "$KANON" anonymize t.csv --quasi age --quasi=town --sensitive disease --identifying name --taxonomy town=town.csv \
    -k 2 -a kmember
out_has 'age,town,disease'
out_lacks note
err_has "warning: not named in the schema, so withheld: note"
err_has "--insensitive"

# flags win: a role, a taxonomy, what is missing
expect 0 "$KANON" anonymize t.csv -s s.yaml --identifying note -k 2 -a kmember -q
out_has 'age,town,disease'
out_lacks note
printf 'Ulm;Upper;*\nAalen;Upper;*\nKiel;*\n' >other.csv
expect 0 "$KANON" anonymize t.csv -s s.yaml --taxonomy town=other.csv -k 2 -a kmember -q
out_has '[20..21],Upper,flu,a'
printf 'age,town\n20,Ulm\n21,Ulm\n-,Kiel\n31,Kiel\n' >m.csv
expect 0 "$KANON" anonymize m.csv --quasi age,town --missing - -k 2 -a kmember -q
out_has '[20..21],Ulm'
out_has '*,Kiel'

# a column that is not there
expect 3 "$KANON" anonymize t.csv --quasi age,tonw -k 2
err_results 1
err_has tonw

# check and evaluate take them too
expect 0 "$KANON" check wanted.csv --quasi age,town --sensitive disease --insensitive note -k 2
printf 'row,group\n1,1\n2,1\n3,2\n4,2\n' >g.csv
expect 0 "$KANON" evaluate t.csv --quasi age,town --taxonomy town=town.csv --groups g.csv -q
err_lines 0
# 2 * (1/46 + 1/2) + 2 * 6/46
awk '$1 == "information_loss" { d = $2 - (2 * (1 / 46 + 0.5) + 2 * 6 / 46); ok = d < 1e-6 && d > -1e-6 }
    END { exit !ok }' "$OUT" || failed "the information loss is not what the formula says"

# a column has one role: two flags that contradict each other are refused, since one of them would publish it
expect 2 "$KANON" anonymize t.csv --quasi age,town --insensitive town -k 2
err_has "town: both --quasi and --insensitive name it; a column has one role"
out_lacks Ulm
expect 2 "$KANON" anonymize t.csv --quasi age --identifying name --insensitive name -k 2
err_has "name: both --identifying and --insensitive name it"
expect 0 "$KANON" anonymize t.csv --quasi age,age --identifying name -k 2 -q

# what is said of persons and requirements, of every command that reads a table and looks at groups
printf 'who,age,ill\na,20,x\na,21,y\nb,22,x\nc,40,y\nc,41,x\nd,42,y\n' >p.csv
printf 'row,group\n1,1\n2,1\n3,1\n4,2\n5,2\n6,2\n' >pg.csv
for command in anonymize profile tradeoff "improve --groups pg.csv --refine none" "evaluate --groups pg.csv"; do
    case $command in
    anonymize | improve*) more="-k 2" ;;
    tradeoff) more="--k 2" ;;
    *) more= ;;
    esac
    expect 0 "$KANON" ${command%% *} p.csv $(echo "$command" | cut -s -d' ' -f2-) $more --quasi age --sensitive ill --identifying who \
        --entity who --entity-together --constraint model=distinct-l-diversity,attribute=ill,l=2 -q
done
printf 'row,group\n1,1\n2,2\n3,1\n4,1\n5,2\n6,2\n' >split.csv
for repair in "" --repair; do
    expect 1 "$KANON" improve p.csv --groups split.csv -k 2 --quasi age --sensitive ill --identifying who --entity who \
        --entity-together --refine none -q $repair
done
err_has "stay together"

# masks, weights, the key and the default role have flags of the same name as their keys
printf 'id,zip,age,note\n1,79098,20,a\n2,79100,21,b\n3,79102,60,c\n4,79104,66,d\n' >z.csv
cat >z.yaml <<'YAML'
default-role: insensitive
attributes: {id: {role: identifying}, zip: {role: quasi, type: categorical, mask: right}, age: {role: quasi, weight: 3}}
key: [id]
YAML
expect 0 "$KANON" anonymize z.csv -s z.yaml -k 2 -a kmember --groups z1.csv -q --state z1.state
cp "$OUT" wanted.csv
out_has '791'
expect 0 "$KANON" anonymize z.csv --identifying id --quasi zip,age --type zip=categorical --mask zip=right --weight age=3 --key id \
    --default-role insensitive -k 2 -a kmember --groups z2.csv -q --state z2.state --report z.html
same "$OUT" wanted.csv
same z1.csv z2.csv
grep -q -e '--default-role insensitive --mask zip=right --weight age=3' z.html || failed "the command of the report lacks options"
for state in z1 z2; do # the key is in the state
    printf 'id\n1\n' >gone.csv
    expect 0 "$KANON" delete $state.state gone.csv
done
wrong_word() # MESSAGE OPTION...
{
    message=$1
    shift
    expect 2 "$KANON" anonymize z.csv --quasi zip,age -k 2 "$@"
    err_results 1
    err_has "$message"
}
wrong_word "--mask: zip: there is no 'both'; choose one of: right, left" --mask zip=both
wrong_word "--default-role: there is no 'both'; choose one of: quasi, sensitive, identifying, insensitive" --default-role both
wrong_word "--effort: there is no 'both'; choose one of: " --effort both
wrong_word "column 'age': not a weight; a weight is a number above 0, at most 1000000" --weight age=both
wrong_word "key: column 'a' is twice in the key" --key a,b,a
