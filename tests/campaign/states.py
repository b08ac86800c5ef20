"""Campaign b: random sequences of changes of a state, with a model in Python of who is in the table. No record is
lost or doubled, a change that is refused changes nothing, every release passes the checker, and what all
releases together give away is what the model says: no release makes a joint class too small without a warning, and
none at all unless joint-k is off. The model intersects the releases by key; it counts persons where there are any."""
import copy
import re
from collections import defaultdict

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
        self.cells = defaultdict(dict)  # record -> release -> its released cells
        self.person = {key: self.person_of(row) for key, row in self.rows.items()}  # also of those who are gone
        self.releases = 0

    def person_of(self, row):
        """Nothing tells missing persons apart, so they are one."""
        if self.table.entity is None:
            return row[0]
        text = row[self.table.index(self.table.entity)]
        return None if checker.is_missing(self.table, text) else checker.trimmed(text)

    def change(self, rows):
        for key, row in rows.items():
            self.rows.pop(key, None)
            if row is not None:
                self.rows[key] = row
                self.person[key] = self.person_of(row)

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
    table.joint_k = rng.choice([None, None, "off", table.k, table.k + 1])
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
    """The records of the release are those of the model, less those that are withheld or suppressed."""
    withheld = int(said.get("withheld", 0))
    place = [i for i, (c, _) in enumerate(checker.released_header(model.table, form)) if c == 0][0]
    lines = checker.read_csv(said["release"], model.table.delimiter)[1:]
    keys = [line[place] for line in lines]
    need(len(set(keys)) == len(keys), "a record is twice in the release")
    need(set(keys) <= set(model.rows), "the release has a record that is not in the table")
    numbers = [int(line[1]) for line in checker.read_csv(said["groups"], ",")[1:]]
    groups_shown = [number for number in numbers if number > 0]
    suppressed = len(numbers) - len(groups_shown)
    need(len(keys) == len(groups_shown), "the release has %d records, %d are in groups" % (len(keys), len(groups_shown)))
    need(len(keys) + suppressed + withheld == len(model.rows), "the release has %d records, %d are withheld and %d suppressed, "
         "of %d" % (len(keys), withheld, suppressed, len(model.rows)))
    allowed = checker.budget(model.table, model.whole())
    need(allowed is None or suppressed <= allowed, "%d records are suppressed, %s may be" % (suppressed, allowed))
    need(joint_k or withheld == 0, "records are withheld though joint-k is off")
    part = model.table_of(keys)
    text = "row,group\n" + "".join("%d,%d\n" % (i + 1, group) for i, group in enumerate(groups_shown))
    groups = checker.check_release(part, said["release"], text, form, everybody=model.whole())
    model.releases += 1
    quasi = [i for i, (c, _) in enumerate(checker.released_header(model.table, form))
             if model.table.columns[c].role == "quasi"]
    for key, group, line in zip(keys, groups, lines):
        model.seen[key][model.releases] = group
        model.cells[key][model.releases] = tuple(line[i] for i in quasi)
    if model.releases > 1:
        check_audit(model, said, joint_k)


def class_sizes(model, seen, releases):
    """Of each record that was ever released, how many persons its joint class has: those who were shown alike in every
    release, where not to be in a release counts as well."""
    persons = defaultdict(set)
    trace = {key: tuple(of.get(r) for r in range(1, releases + 1)) for key, of in seen.items()}
    trace = {key: of for key, of in trace.items() if any(group is not None for group in of)}
    for key, of in trace.items():
        persons[of].add(model.person[key])
    return {key: len(persons[of]) for key, of in trace.items()}


def check_audit(model, said, joint_k):
    """The audit that is part of a release says what the model does, and no class became too small that must not."""
    k = joint_k or model.table.k
    before, now = (class_sizes(model, model.seen, model.releases - i) for i in (1, 0))
    below = [key for key in now if now[key] < k]
    made = [key for key in below if before.get(key, k) >= k]
    found = {"joint-k": k, "joint-required": int(joint_k > 0), "joint-smallest": min(now.values()),
             "joint-below": len(below), "joint-made-below": len(made)}
    for name, value in found.items():
        need(int(said[name]) == value, "%s is %s, not %s" % (name, value, said[name]))
    need(not joint_k or not made, "a joint class became smaller than %d" % k)
    # what a reader sees, who has the cells alone: never less than the groups tell
    seen = class_sizes(model, model.cells, model.releases)
    need(below or min(seen.values()) >= k, "%d can be told apart, and there was no warning" % min(seen.values()))


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


def step(rng, tools, model, log):
    what = rng.choice(["insert", "insert", "delete", "delete", "update", "optimize", "release"])
    if model.table.together and what == "optimize":  # refinements move single records
        what = "release"
    form = rng.choice([0, 0, 0, 1, 2, 3])
    if checker.refused_form(model.table, runs.FORMS[form]):
        form = 0
    asked = {"do": what, "state": tools.path("x.state"), "threads": 1, "numeric": form}
    rows, joint_k = {}, model.joint_k
    if what in ("insert", "delete", "update"):
        if not model.rows:
            return "empty"
        asked["delta"], rows = random_delta(rng, model, what)
        asked["grow"] = 1
    elif what == "optimize":
        asked["refine"] = rng.choice(["il-optimization", None])
    wants = what == "release" or rng.random() < 0.4
    if wants:
        asked["want"] = "release groups"
        if rng.random() < 0.15:
            asked["joint-k"] = rng.choice([-1, model.table.k, model.table.k + 1])
            joint_k = max(asked["joint-k"], 0)
    log.append(asked)
    said = tools.driver.ask(asked)
    log.append(said)
    need("broken" not in said, said.get("broken", ""))
    if said["status"] == driver.OK:
        need(not (what == "insert" and any(key in model.rows for key in rows)), "a key that is there already was inserted")
        model.change(rows)
        if rows:
            need(int(said["changed"]) == len(rows), "%s records changed, not %d" % (said["changed"], len(rows)))
        need(int(said["records"]) == len(model.rows), "the state says %s records, there are %d" % (
            said["records"], len(model.rows)))
        if wants:
            check_released(model, said, runs.FORMS[form], joint_k, False)
        return "done"
    need(said["message"] and "\n" not in said["message"] + said["hint"], "the message is not one line")
    if said["status"] == driver.EINFEASIBLE:
        need("release" not in said, "there is a release of a call that failed")
        if int(said["committed"]):  # the records are gone, the release alone is not possible
            need(wants and joint_k and what in ("delete", "update"), "a change that failed was made")
            model.change(rows)
            return "without release"
        possible = wants and joint_k and what not in ("delete", "update")
        need(possible or refusal_is_true(model, what, rows), "refused, but a grouping exists: " + said["message"])
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
    for i, column in enumerate(table.columns):  # without values a mask has no places: later ones are right below the root
        if column.mask is not None and all(checker.is_missing(table, row[i]) for row in table.rows):
            column.mask = None
    model = Model(table)
    model.joint_k = 0 if table.joint_k == "off" else table.joint_k or table.k
    check_released(model, said, "interval", 0, False)
    made = {"done": 0, "without release": 0}
    for _ in range(rng.randint(3, 12)):
        made[step(rng, tools, model, log)] = 1
    found = tools.driver.ask({"do": "describe", "state": tools.path("x.state")})
    need(found["status"] == driver.OK, "the state is not sound: " + found.get("message", ""))
    need(int(found["records"]) == len(model.rows), "the state has %s records, not %d" % (
        found["records"], len(model.rows)))
    need(int(found["releases"]) == model.releases, "the state has %s releases, not %d" % (
        found["releases"], model.releases))
    audit = tools.driver.ask({"do": "audit", "state": tools.path("x.state"), "k": table.k})
    log.append(audit)
    sizes = class_sizes(model, model.seen, model.releases)
    need(audit["status"] == driver.OK, "audit: " + audit.get("message", ""))
    need(int(audit["smallest"]) == min(sizes.values()), "audit says the smallest joint class has %s, it has %d" % (
        audit["smallest"], min(sizes.values())))
    below = sum(size < table.k for size in sizes.values())
    need(int(audit["below"]) == below, "audit says %s records are below k, %d are" % (audit["below"], below))
    final = tools.driver.ask({"do": "release", "state": tools.path("x.state"), "want": "release groups", "joint-k": -1})
    log.append(final)
    need(final["status"] == driver.OK, "release: " + final.get("message", ""))
    check_released(model, final, "interval", 0, False)
    return "joint-k off" if not model.joint_k else "a change without its release" if made["without release"] else (
        "persons" if table.entity is not None else "records")
