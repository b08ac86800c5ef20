"""Campaign b: random sequences of changes of a state, with a model in Python of who is in the table. No record is
lost or doubled, a change that is refused changes nothing, every release passes the checker, and what all
releases together give away is what the model says."""
import copy
import re
from collections import Counter, defaultdict

import checker
import driver
import runs
import tables
from checker import Wrong, need


class Model:
    """Who is in the table: key -> row, in the order of the table; and of each record its group in every release."""

    def __init__(self, table):
        self.table = table
        self.rows = {row[0]: row for row in table.rows}
        self.fresh = len(table.rows)
        self.seen = defaultdict(dict)  # record -> release -> group
        self.releases = 0

    def table_of(self, keys):
        part = copy.copy(self.table)
        part.rows = [self.rows[key] for key in keys]
        return part

    def whole(self):
        return list(self.rows.values())


def start(rng):
    """A table whose records can be told apart in the release, by a column that is released as it is."""
    while True:
        table = tables.random_table(rng, most_rows=30, keyed=True)
        if len(table.rows) > table.k:
            break
    table.columns[0].role = "insensitive"
    for column in table.columns:
        if column.mask is not None:  # the places of a mask stay those of the first table
            width = max(len(text) for text in column.pool)
            column.pool = [text.ljust(width, "0") for text in column.pool]
            column.places = width
    for row in table.rows:
        for i, column in enumerate(table.columns):
            if column.mask is not None and not checker.is_missing(table, row[i]):
                row[i] = row[i].ljust(column.places, "0")
    return table


def random_delta(rng, model, what):
    """What is to be changed: the text, and the rows as they are afterwards."""
    table = model.table
    keys = list(model.rows)
    if what == "insert":
        rows = tables.random_rows(rng, without_key(table), rng.randint(1, 6))
        for row in rows:
            row.insert(0, "k%d" % model.fresh)
            model.fresh += 1
        if rng.random() < 0.05 and keys:
            rows[-1][0] = rng.choice(keys)  # a key that is there already: refused
        order = list(range(len(table.columns)))
        return table.csv(rows, order), {row[0]: row for row in rows}
    chosen = rng.sample(keys, rng.randint(1, max(1, min(len(keys), 5))))
    if what == "delete":
        return table.csv([[key] for key in chosen], [0]), {key: None for key in chosen}
    columns = [0] + sorted(rng.sample(range(1, len(table.columns)), rng.randint(1, len(table.columns) - 1)))
    rows = {}
    for key in chosen:
        row = list(model.rows[key])
        for i in columns[1:]:
            row[i] = rng.choice(table.columns[i].pool)
        rows[key] = row
    return table.csv(list(rows.values()), columns), rows


def without_key(table):
    part = copy.copy(table)
    part.columns = table.columns[1:]
    return part


def check_released(model, said, form, joint_k, shuffled):
    """The records of the release are those of the model, less those that are withheld."""
    withheld = int(said.get("withheld", 0))
    place = [i for i, (c, _) in enumerate(checker.released_header(model.table, form)) if c == 0][0]
    lines = checker.read_csv(said["release"], model.table.delimiter)[1:]
    keys = [line[place] for line in lines]
    need(len(set(keys)) == len(keys), "a record is twice in the release")
    need(set(keys) <= set(model.rows), "the release has a record that is not in the table")
    need(len(keys) + withheld == len(model.rows), "the release has %d records and %d are withheld, of %d" % (
        len(keys), withheld, len(model.rows)))
    need(joint_k or withheld == 0, "records are withheld though nobody asked for it")
    part = model.table_of(keys)
    groups = checker.check_release(part, said["release"], said["groups"], form, everybody=model.whole())
    model.releases += 1
    for key, group in zip(keys, groups):
        model.seen[key][model.releases] = group


def joint_classes(model):
    """Sizes of the joint classes of all records that were ever released: not to be in a release counts as well."""
    signatures = Counter(tuple(seen.get(r) for r in range(1, model.releases + 1)) for seen in model.seen.values())
    return sorted(signatures.values())


def refusal_is_true(model, what, rows):
    """Whether the table after the change could not be grouped."""
    after = dict(model.rows)
    for key, row in rows.items():
        after.pop(key, None)
        if row is not None:
            after[key] = row
    part = model.table_of([])
    part.rows = list(after.values())
    if not part.rows:
        return True
    return checker.satisfied(part, part.rows, True) is not None or checker.grouping_exists(part) is not True


def step(rng, tools, model, joint_k, log):
    what = rng.choice(["insert", "insert", "delete", "delete", "update", "optimize", "release"])
    if model.table.together and what == "optimize":  # refinements move single records
        what = "release"
    form = rng.choice([0, 0, 0, 1, 2, 3])
    if checker.refused_form(model.table, runs.FORMS[form]):
        form = 0
    asked = {"do": what, "state": tools.path("x.state"), "threads": 1, "numeric": form}
    rows = {}
    if what in ("insert", "delete", "update"):
        if not model.rows:
            return "empty"
        asked["delta"], rows = random_delta(rng, model, what)
        asked["grow"] = 1
    elif what == "optimize":
        asked["refine"] = rng.choice(["il-optimization", None])
    if what == "release" or rng.random() < 0.4:
        asked["want"] = "release groups"
        asked["joint-k"] = joint_k
    log.append(asked)
    said = tools.driver.ask(asked)
    log.append(said)
    need("broken" not in said, said.get("broken", ""))
    if said["status"] == driver.OK:
        for key, row in rows.items():
            need(model.rows.pop(key, None) is None or what != "insert", "a key that is there already was inserted")
            if row is not None:
                model.rows[key] = row
        if rows:
            need(int(said["changed"]) == len(rows), "%s records changed, not %d" % (said["changed"], len(rows)))
        need(int(said["records"]) == len(model.rows), "the state says %s records, there are %d" % (
            said["records"], len(model.rows)))
        if "want" in asked:
            check_released(model, said, runs.FORMS[form], joint_k, False)
        return "done"
    need(said["message"] and "\n" not in said["message"] + said["hint"], "the message is not one line")
    if said["status"] == driver.EINFEASIBLE:
        need(joint_k or refusal_is_true(model, what, rows), "refused, but a grouping exists: " + said["message"])
        return "refused"
    if said["status"] == driver.EDATA and what == "insert" and any(key in model.rows for key in rows):
        return "refused"
    raise Wrong("%s: status %s: %s" % (what, driver.STATUS[said["status"]], said["message"]))


def create(rng, tools, table, log):
    asked = runs.request(rng, table)
    while "recode" in asked or "shuffle" in asked or "all" in asked:
        asked = runs.request(rng, table)
    asked.update({"state": tools.path("x.state"), "want": "release groups", "numeric": 0})
    log.append(asked)
    said = tools.driver.ask(asked)
    log.append(said)
    return said


def run_case(rng, tools, record):
    table = start(rng)
    log = []
    try:
        return sequence(rng, tools, table, log)
    finally:
        record["s.yaml"], record["t.csv"] = table.schema(), table.csv()
        record["sequence.txt"] = "\n\n".join("\n".join("%s: %s" % item for item in entry.items()) for entry in log)


def sequence(rng, tools, table, log):
    said = create(rng, tools, table, log)
    if said["status"] == driver.EINFEASIBLE:
        return "not begun"
    if said["status"] == driver.EINVAL and ("blocks" in log[0] or re.search("cannot|state", said["message"])):
        return "not begun"
    need(said["status"] == driver.OK, "status %s: %s" % (driver.STATUS[said["status"]], said.get("message")))
    model = Model(table)
    joint_k = table.k if table.entity is None and rng.random() < 0.4 else 0
    check_released(model, said, "interval", 0, False)
    below = joint_classes(model)[0] < joint_k  # what was released cannot be taken back
    for _ in range(rng.randint(3, 12)):
        step(rng, tools, model, joint_k, log)
        below += int(log[-1].get("below-joint-k", 0))
    found = tools.driver.ask({"do": "describe", "state": tools.path("x.state")})
    need(found["status"] == driver.OK, "the state is not sound: " + found.get("message", ""))
    need(int(found["records"]) == len(model.rows), "the state has %s records, not %d" % (
        found["records"], len(model.rows)))
    need(int(found["releases"]) == model.releases, "the state has %s releases, not %d" % (
        found["releases"], model.releases))
    audit = tools.driver.ask({"do": "audit", "state": tools.path("x.state"), "k": table.k})
    log.append(audit)
    sizes = joint_classes(model)
    need(audit["status"] == driver.OK, "audit: " + audit.get("message", ""))
    need(int(audit["smallest"]) == sizes[0], "audit says the smallest joint class has %s records, it has %d" % (
        audit["smallest"], sizes[0]))
    need(not joint_k or below or sizes[0] >= joint_k, "a joint class has %d records, joint-k is %d" % (
        sizes[0], joint_k))
    final = tools.driver.ask({"do": "release", "state": tools.path("x.state"), "want": "release groups"})
    log.append(final)
    need(final["status"] == driver.OK, "release: " + final.get("message", ""))
    check_released(model, final, "interval", 0, False)
    return "with joint-k" if joint_k else "done"
