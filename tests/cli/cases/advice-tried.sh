# What advice promises is what a run with it gives: with an algorithm that is quick by itself, on a small table, to the last
# digits. Losses are in the units of the run before, so a lower weight saves nothing by the unit.

command -v python3 >/dev/null || skip "no python3"
cat >try.py <<'END'
import collections, csv, json, os, random, subprocess, sys
kanon = sys.argv[1]
draw = random.Random(7)

# zip is masked on advice; weights count; some ages are missing
mixed = {"age": "integer", "zip": "categorical", "sex": "categorical", "pay": "decimal"}, {"pay": 2}, "k: 8, suppress: 0.004"
mixed_rows = [("" if draw.random() < 0.02 else 18 + int(60 * draw.random() ** 1.5), 47000 + 13 * int(40 * draw.random() ** 2),
               draw.choice("fm"), f"{9 + 30 * draw.random() ** 3:.1f}") for _ in range(500)]
# exact numbers of which others pay
numbers = {"age": "integer", "x": "integer", "job": "categorical", "sex": "categorical"}, {}, "k: 5"
draw = random.Random(1)
numbers_rows = [(18 + int(60 * draw.random()), int(100 * draw.random() ** 2), draw.choice("abc"), draw.choice("fm"))
                for _ in range(400)]
# four records that are like no other
alone = {"job": "categorical", "sex": "categorical", "x": "integer"}, {}, "k: 20"
alone_rows = [("a", "f", i % 4 == 0) for i in range(400)] + [(f"j{i}", "f", 50 * i) for i in range(4)]
alone_rows = [(job, sex, int(x)) for job, sex, x in alone_rows]


def run(*words):
    done = subprocess.run([kanon, *words], capture_output=True, text=True)
    assert done.returncode == 0, (words, done.stderr)
    return done.stdout


def cost(kind, values, column, masked):
    """What a group of these cells loses, by the definition of the information loss."""
    if len(set(values)) == 1:
        return 0
    if masked: # of five characters, those that are not common to all
        return (5 - len(os.path.commonprefix(values))) / 5
    if kind == "categorical" or "" in values:
        return 1
    known = [float(v) for v in column if v]
    return (max(map(float, values)) - min(map(float, values))) / (max(known) - min(known))


def losses(table, kinds, weights, masked=False):
    groups = collections.defaultdict(list)
    for line, row in zip(csv.DictReader(open("g.csv")), table):
        groups[line["group"]].append(row)
    suppressed = len(groups.pop("0", []))
    return {c: weights.get(c, 1) * (suppressed + sum(
        len(g) * cost(kind, [r[c] for r in g], [r[c] for r in table], masked and c == "zip") for g in groups.values()))
        for c, kind in kinds.items()}


def losses_of_release():
    lines = run("evaluate", "t.csv", "-s", "s.yaml", "--release", "r.csv", "-q").splitlines()
    found = {line.split()[0]: line.split()[-1] for line in lines if line.startswith("attribute_loss")}
    return {name[len("attribute_loss["):-1]: float(value) for name, value in found.items()}


def follow(algorithm, said, rows):
    kinds, weights, privacy = said
    rows = [row + (f"w{i * i % 7}", i % 11) for i, row in enumerate(rows)] # two columns that are released as they are
    with open("t.csv", "w") as file:
        csv.writer(file, lineterminator="\n").writerows([list(kinds) + ["ward", "bed"]] + rows)
    with open("s.yaml", "w") as file:
        print("default-role: insensitive\nattributes:", file=file)
        for c, kind in kinds.items():
            print(f"  {c}: {{role: quasi, type: {kind}, weight: {weights.get(c, 1)}}}", file=file)
        print(f"privacy: {{{privacy}}}", file=file)
    table = list(csv.DictReader(open("t.csv")))
    start = ["anonymize", "t.csv", "-s", "s.yaml", "-a", algorithm, "-q"]
    run(*start, "-o", "r.csv", "--groups", "g.csv", "--report", "p.json")
    before = losses(table, kinds, weights)
    tried = json.load(open("p.json"))["advice_tried"]
    kept = [t["saves"] for t in tried if t["option"] in ("identifying", "mask", "suppress")]
    assert kept == sorted(kept, reverse=True) and all(s >= 0.02 for s in kept), kept
    for t in tried:
        option, value, column = t["option"], t["value"], t["column"]
        light = ["--weight", "ward=0.1", "--weight", "bed=0.1"] if option == "quasi" else []
        run(*start, "-k" if option == "k" else "--" + option, value, *light, "-o", "r.csv", "--groups", "g.csv")
        after = losses_of_release() if option == "bands" else losses(table, kinds, weights, option == "mask")
        if option == "identifying":
            after[column] = 0
        saves = 1 - sum(after.values()) / sum(before.values())
        assert abs(saves - t["saves"]) < 1e-6, (algorithm, t, saves)
        assert (value == "ward,bed") == (option == "quasi"), t
        if column is not None:
            others = 1 - (sum(after.values()) - after[column]) / (sum(before.values()) - before[column])
            assert abs(others - t["others"]) < 1e-6, (algorithm, t, others)
        assert option not in ("weight", "bands") or t["others"] >= 0.15, t
        seen.add(option)


seen = set()
for algorithm in ("mondrian", "kmember"):
    follow(algorithm, mixed, mixed_rows)
    follow(algorithm, alone, alone_rows)
follow("strips", numbers, numbers_rows)
assert seen == {"identifying", "weight", "bands", "mask", "suppress", "k", "quasi"}, seen
END
expect 0 python3 try.py "$KANON"
