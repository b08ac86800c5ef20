# docs/schema.md describes every key of the schema, and every word that a key takes.

printf 'age,job\n1,a\n2,b\n' >t.csv

# known SCHEMA: the words that the hint of a wrong one lists.
known()
{
    printf "$1" >s.yaml
    expect 3 "$KANON" anonymize t.csv -s s.yaml -k 2 -o r.csv
    sed -n -E 's/.*(valid keys are|choose one of:) //p' "$ERR" | tr -d ','
}

for schema in 'zzzzzzzz: 1\n' 'attributes: {age: {zzzzzzzz: 1}}\n' 'attributes: {age: zzzzzzzz}\n' \
    'attributes: {age: {type: zzzzzzzz}}\n' 'attributes: {age: {mask: zzzzzzzz}}\n' 'privacy: {zzzzzzzz: 1}\n'; do
    words=$(known "$schema")
    [ -n "$words" ] || failed "no words are listed for $schema"
    for word in $words; do
        grep -qE "(\`|: )$word(\`|: )" "$SOURCE/docs/schema.md" || failed "docs/schema.md does not describe $word"
    done
done
