# The budget of suppressed records, entities and constraints with mappings, blocks and entities that stay together.

cat >s.yaml <<'END'
missing: ["?", ""]
attributes:
  person: {role: identifying}
  code: {role: quasi, type: categorical, mask: left}
  ill: {role: sensitive, type: categorical}
privacy:
  k: 3
  constraints:
    - {model: t-closeness, attribute: ill, t: 0.2}
  suppress: 0.3
entity: person
entity-together: true
END
# six persons, of whom the budget is six of 20 records
cat >t.csv <<'END'
person,code,ill
P1,a,x
P1,a,x
P1,a,x
P5,a,y
?,a,z
P5,?,x
P4,,?
P3,a,?
P2,,x
P3,a,?
P4,a,?
P5,,z
P3,a,x
P4,a,?
P3,,x
P3,a,x
P2,?,x
P4,,x
P1,a,x
P5,a,?
END
for algorithm in full-domain attribute-cut kmember greedy-threshold; do
    expect 0 "$KANON" anonymize t.csv -s s.yaml -a $algorithm --seed 5 -o r.csv --groups g.csv -q
    suppressed=$(awk -F, 'NR > 1 && $2 == 0' g.csv | wc -l)
    [ "$suppressed" -le 6 ] || failed "$algorithm: $suppressed records of 20 are suppressed, and 6 may be"
done

# no mapping of the first record of each person is close enough to the table, but all records together are
cat >u.yaml <<'END'
attributes:
  ill: {role: sensitive, type: categorical}
  person: {role: identifying}
  job: {role: quasi, type: categorical, taxonomy: {Hand: {Smith: , Baker: }, Head: {Clerk: , Monk: }}}
privacy:
  k: 2
  constraints:
    - {model: t-closeness, attribute: ill, t: 0.2, distance: equal}
entity: person
entity-together: true
END
cat >u.csv <<'END'
ill,person,job
b,P2,Smith
e,P1,Baker
a,P4,Baker
c,P2,Smith
a,P4,Baker
a,P4,Baker
a,P4,Baker
d,P4,Smith
END
for algorithm in full-domain attribute-cut; do
    expect 0 "$KANON" anonymize u.csv -s u.yaml -a $algorithm -o r.csv -q
    expect 0 "$KANON" anonymize u.csv -s u.yaml -a $algorithm --set max-checks=3 -o r.csv -q
done

# a block whose records are all of one value
{
    echo age,ill
    for i in 1 2 3 4 5 6 7 8 9 10; do echo "2$((i % 3)),x"; done
    for i in 1 2 3 4 5 6 7 8 9 10; do echo "8$((i % 3)),y"; done
} >b.csv
for algorithm in full-domain attribute-cut; do
    for blocks in 4 10 20; do
        expect 0 "$KANON" anonymize b.csv --quasi age --sensitive ill -k 2 -a $algorithm --blocks $blocks \
            --constraint model=distinct-l-diversity,attribute=ill,l=2 -o r.csv -q
        expect 0 "$KANON" check r.csv --quasi age --sensitive ill -k 2 \
            --constraint model=distinct-l-diversity,attribute=ill,l=2
    done
done
