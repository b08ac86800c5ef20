# Long names of columns are cut between characters, whatever the columns are; each report is whole and names no half of one.

python3 - <<'END'
import random
random.seed(1)
for shift, size in ((0, 40), (1, 120), (2, 120), (3, 120)):
    for letter, width in (("ä", 2), ("語", 3), ("😀", 4)):
        names = [c + "-" * shift + letter * size for c in "abcde"]
        stem = f"{width}-{shift}"
        with open(stem + ".csv", "w") as f:
            print(*names, sep=",", file=f)
            for i in range(120):
                print(random.randrange(20, 70), random.randrange(1000), random.choice("pqrstu"), random.randrange(6),
                      random.choice("vwxyz"), sep=",", file=f)
        roles = dict(zip(names, ("quasi", "quasi", "insensitive", "insensitive", "sensitive")))
        with open(stem + ".yaml", "w") as f:
            f.write("attributes:\n" + "".join(f'  "{n}": {r}\n' for n, r in roles.items()))
            f.write(f'privacy:\n  k: 3\n  constraints:\n    - {{model: distinct-l-diversity, attribute: "{names[4]}", l: 2}}\n')
END
for width in 2 3 4; do
    for shift in 0 1 2 3; do
        stem=$width-$shift
        expect 0 "$KANON" anonymize $stem.csv -s $stem.yaml -a mondrian --seed 1 -q -o r.csv --report $stem.json
        expect 0 "$KANON" anonymize $stem.csv -s $stem.yaml -a mondrian --seed 1 -q -o r.csv --report $stem.html
        expect 0 "$KANON" check r.csv -s $stem.yaml -k 3
        cat "$OUT" "$ERR" >c.txt
        expect 0 "$KANON" init $stem.csv -o i.yaml
        python3 - $stem.json $stem.html c.txt i.yaml <<'END' || failed "$stem: a character is cut"
import json, re, sys
for name in sys.argv[1:]:
    text = open(name, "rb").read().decode("utf-8")
    if name.endswith(".json"):
        json.loads(text)
    assert not re.search(r"\\x[89a-f][0-9a-f]|\ufffd", text), name
report = json.load(open(sys.argv[1]))
assert sum("pays most" in a for a in report["advice"]) == 1
assert any(t["option"] == "quasi" for t in report["advice_tried"]), report["advice_tried"]
END
    done
done
