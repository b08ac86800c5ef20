"""Random tables with their schemas, small and awkward: types, missing values, quotes, line breaks, dates,
taxonomies, masks, equal records, persons with several records. A column keeps what it is made of, so that the
checker needs no reading of schemas and none of the product's code."""
import json
import random
import re
from datetime import date, timedelta
from fractions import Fraction

WORDS = ["flu", "gout", "asthma", "a,b", 'say "hi"', "x;y", "two\nlines", "Grüße", "東京", "[1..2]", "{a}", "nurse",
         "O'Neil", "p|q", "-", "1-2", "tab\there", "#", "=1+1", "null", "NaN", "~", "yes", "&a",
         "very " + "long " * 12 + "end"]
DELIMITERS = ",,,,;|\t"


class Column:
    """role: identifying, quasi, sensitive or insensitive; kind: integer, decimal, date or categorical. tree: for
    every value its path to the root, for taxonomies; mask: 'right' or 'left'."""

    def __init__(self, name, role, kind="categorical", pool=(), tree=None, mask=None):
        self.name, self.role, self.kind, self.pool, self.tree, self.mask = name, role, kind, list(pool), tree, mask
        self.nested = None
        self.weight = None
        self.places = None  # of a mask, where it is not the longest value of the rows
        self.decimal = self.thousands = self.format = None  # how numbers and dates are written
        self.said = True  # whether the schema says so; else it is found, or asked for
        self.bands = self.top = self.bottom = None  # texts, as the schema has them; edges are a list of texts
        self.say_type = True

    def describe(self):
        out = {"role": self.role}
        if self.kind != "categorical" or (self.say_type and self.mask is None and self.tree is None):
            out["type"] = self.kind
        if self.nested is not None:
            out["taxonomy"] = self.nested
        if self.mask is not None:
            out["mask"] = self.mask
        if self.weight is not None:
            out["weight"] = self.weight
        for key in ("decimal", "thousands", "format"):
            if getattr(self, key) is not None and self.said:
                out[key] = getattr(self, key)
        limit = str if self.kind == "date" else Plain
        if isinstance(self.bands, list):
            out["bands"] = [limit(edge) for edge in self.bands]
        elif self.bands is not None:
            out["bands"] = self.bands if self.bands[0].isalpha() else Plain(self.bands)
        for key in ("top", "bottom"):
            if getattr(self, key) is not None:
                out[key] = limit(getattr(self, key))
        return out


class Table:
    def __init__(self):
        self.columns, self.rows = [], []
        self.missing = [""]
        self.delimiter = ","
        self.k, self.constraints, self.suppress = 2, [], None
        self.entity, self.together, self.key = None, False, None
        self.joint_k = None  # "off" or a number
        self.clean = True  # nothing in it that may be refused as bad input
        self.quoted = random.Random(0)

    def index(self, name):
        return [c.name for c in self.columns].index(name)

    def quasi(self):
        return [i for i, c in enumerate(self.columns) if c.role == "quasi"]

    def csv(self, rows=None, columns=None):
        """The text of the table; each cell is quoted where it must be, and now and then where it need not be."""
        columns = range(len(self.columns)) if columns is None else columns
        lines = [[self.columns[i].name for i in columns]]
        lines += [[row[i] for i in columns] for row in (self.rows if rows is None else rows)]
        end = "\r\n" if self.quoted.random() < 0.2 else "\n"
        text = end.join(self.delimiter.join(self.cell(c, len(line)) for c in line) for line in lines)
        return text + (end if self.quoted.random() < 0.9 else "")

    def cell(self, text, width):
        must = any(c in text for c in '"\r\n' + self.delimiter) or (text == "" and width == 1)
        if must or self.quoted.random() < 0.1:
            return '"' + text.replace('"', '""') + '"'
        return text

    def schema(self, with_k=True):
        """JSON, which is YAML."""
        out = {"missing": self.missing, "attributes": {c.name: c.describe() for c in self.columns}}
        privacy = {"k": self.k} if with_k else {}
        if self.constraints:
            privacy["constraints"] = self.constraints
        if self.suppress is not None:
            privacy["suppress"] = Plain(self.suppress)
        if self.joint_k is not None:
            privacy["joint-k"] = self.joint_k
        if privacy:
            out["privacy"] = privacy
        if self.entity is not None:
            out["entity"] = self.entity
            out["entity-together"] = self.together
        if self.key is not None:
            out["key"] = self.key
        return dump(out)


class Plain(str):
    """A number that is written as it is."""


def dump(thing):
    if isinstance(thing, Plain):
        return str(thing)
    if isinstance(thing, dict):
        return "{" + ", ".join(json.dumps(str(k)) + ": " + dump(v) for k, v in thing.items()) + "}"
    if isinstance(thing, list):
        return "[" + ", ".join(dump(v) for v in thing) + "]"
    if thing is None:
        return ""
    return json.dumps(thing)


def some_words(rng, n):
    words = rng.sample(WORDS, min(n, len(WORDS)))
    return words + ["w%d" % i for i in range(n - len(words))]


def make_tree(rng, leaves):
    """A random tree over the leaves, which may be ragged: nested mappings, and the path of every leaf up to the
    root."""
    counter = [0]

    def grow(names, depth):
        if len(names) == 1 and (depth > 0 and rng.random() < 0.7):
            return {names[0]: None}
        out, rest = {}, list(names)
        while rest:
            size = rng.randint(1, max(1, len(rest) // 2 + 1))
            part, rest = rest[:size], rest[size:]
            if len(part) == 1 and rng.random() < 0.8 or depth >= 3:
                out.update({name: None for name in part})
            else:
                counter[0] += 1
                name = "Node %d" % counter[0]
                out[name] = grow(part, depth + 1)
        return out

    top = grow(leaves, 0)
    single = len(top) == 1 and next(iter(top.values())) is not None
    if not single and len(top) == 1:  # a single leaf needs a root
        top = {"All": top}
        single = True
    paths = {}

    def walk(node, above):
        for name, below in node.items():
            if below is None:
                paths[name] = [name] + above
            else:
                walk(below, [name] + above)

    walk(top, [] if single else ["*"])
    return top, paths


def number_text(rng, kind):
    if kind == "date":
        return (date(1999, 12, 20) + timedelta(days=rng.randint(0, 40))).isoformat()
    if kind == "decimal":
        text = "%d.%s" % (rng.randint(-3, 8), rng.choice(["0", "5", "50", "25", "75"]))
        return text if rng.random() < 0.8 else str(rng.randint(-3, 8))
    return str(rng.choice([rng.randint(0, 9), rng.randint(-20, 90), rng.randint(30, 34)]))


DATE_FORMATS = ["%d.%m.%Y", "%m/%d/%Y", "%d/%m/%Y", "%d-%b-%Y", "%B %d, %Y", "%Y%m%d", "%d.%m.%y", "%Y.%m.%d.",
                "%y-%m-%d"]
SEPARATORS = [(",", None), (",", "."), (",", " "), (None, "."), (".", ","), (None, "'"), (None, "_"), (".", " ")]
UNITS = ["week", "month", "quarter", "year", "decade"]


def date_text(rng, day, form):
    """A date by a format; days and months may lack their zero, months be short or long."""
    short = rng.random() < 0.3 and "%m%d" not in form
    zero = "%d" if short else "%02d"
    month = day.strftime("%B")
    out = {"Y": "%04d" % day.year, "y": "%02d" % (day.year % 100), "m": zero % day.month, "d": zero % day.day,
           "b": month[:3], "B": month if rng.random() < 0.7 else month[:3]}
    for letter, text in out.items():
        form = form.replace("%" + letter, text)
    return form


def spelled(rng, column, text):
    """A number as the column writes it, with its separators."""
    sign = "-" if text.startswith("-") else ""
    whole, _, rest = text.lstrip("-").partition(".")
    if column.thousands is not None and rng.random() < 0.9:
        whole = column.thousands.join(re.findall(r"\d{1,3}(?=(?:\d{3})*$)", whole))
    mark = column.decimal or ("," if column.thousands == "." else ".")
    return sign + whole + (mark + rest if rest else "")


def number_column(rng, name, role, kind, n):
    """A column of numbers or dates, some with a format or separators of their own."""
    column = Column(name, role, kind)
    texts = [number_text(rng, kind) for _ in range(n)]
    if kind == "date" and rng.random() < 0.4:
        column.format = rng.choice(DATE_FORMATS)
        texts = [date_text(rng, date.fromisoformat(text), column.format) for text in texts]
    elif kind != "date" and rng.random() < 0.3:
        column.decimal, column.thousands = rng.choice(SEPARATORS)
        if rng.random() < 0.7:
            texts = [text if text.startswith("-") else str(rng.choice([1, 4, 12345])) + text.rjust(3, "0")
                     if "." not in text else "1%03d.%s" % (int(text.split(".")[0]), text.split(".")[1])
                     for text in texts]
        texts = [spelled(rng, column, text) for text in texts]
    column.pool = texts
    column.said = rng.random() < 0.8
    return column


def some_limit(rng, kind):
    if kind == "date":
        return (date(1999, 12, 15) + timedelta(days=rng.randint(0, 50))).isoformat()
    if kind == "decimal":
        return rng.choice(["%d", "%d.5", "%d.25", "%d.3"]) % rng.randint(0, 8)
    return str(rng.choice([rng.randint(-10, 60), rng.randint(0, 12)]))


def ordered_limits(rng, kind, n):
    key = (lambda text: text) if kind == "date" else Fraction
    return sorted({key(text): text for text in (some_limit(rng, kind) for _ in range(n))}.values(), key=key)


def add_bands(rng, column):
    """Bands, top and bottom: one of them at least."""
    kind = column.kind
    shape = rng.choice(["width", "edges", "none"] + ["unit"] * (kind == "date"))
    if shape == "unit":
        column.bands = rng.choice(UNITS)
    elif shape == "width":
        column.bands = rng.choice(["0.5", "2", "0.25", "2.5", "1"] if kind == "decimal" else ["1", "2", "5", "7", "10"])
    elif shape == "edges":
        column.bands = ordered_limits(rng, kind, rng.randint(2, 4))
        if len(column.bands) < 2:
            column.bands = rng.choice(["2", "5"])
    limits = ordered_limits(rng, kind, 2)
    if rng.random() < 0.4 or column.bands is None:
        column.top = limits[-1]
    if rng.random() < 0.4 and len(limits) == 2:
        column.bottom = limits[0]


SHARE_EXTREME = 0.1  # of the numeric quasi-identifiers
LAST_AND_FIRST = ["9999-12-31", "9999-12-30", "9998-01-01", "0001-01-01", "0001-01-02", "0012-03-04", "2020-01-01"]


def extreme_column(rng, name, kind):
    """Decimals of more digits than a double has, and the first and last dates, in bands."""
    column = Column(name, "quasi", kind)
    if kind == "date":
        column.pool = rng.sample(LAST_AND_FIRST, rng.randint(1, 5))
        column.bands = rng.choice(["1", "7", "30", "365"] + UNITS)
    else:
        whole = rng.randint(10 ** 11, 10 ** 14)
        column.pool = ["%s%d.%03d" % (rng.choice(["", "-"]), whole + rng.randint(0, 1), rng.randint(0, 999))
                       for _ in range(rng.randint(1, 5))]
        column.bands = rng.choice(["0.007", "0.03", "0.5", "1", "0.001"])
    return column


def quasi_column(rng, name):
    shape = rng.choice(["integer", "integer", "decimal", "date", "flat", "tree", "tree", "mask"])
    if shape in ("integer", "decimal", "date"):
        if shape != "integer" and rng.random() < SHARE_EXTREME:
            return extreme_column(rng, name, shape)
        column = number_column(rng, name, "quasi", shape, rng.randint(1, 8))
        if rng.random() < 0.3:
            add_bands(rng, column)
        return column
    if shape == "mask":
        even = rng.randint(2, 4)
        pool = ["".join(rng.choice("0123") for _ in range(even if rng.random() < 0.8 else rng.randint(1, 5)))
                for _ in range(rng.randint(1, 6))]
        return Column(name, "quasi", "categorical", pool, mask=rng.choice(["right", "right", "left"]))
    leaves = some_words(rng, rng.randint(1, 7))
    column = Column(name, "quasi", "categorical", leaves)
    if shape == "tree":
        column.nested, column.tree = make_tree(rng, leaves)
        column.pool = list(column.tree)
    return column


def sensitive_column(rng, name):
    if rng.random() < 0.3:
        kind = rng.choice(["integer", "decimal"])
        return number_column(rng, name, "sensitive", kind, rng.randint(2, 6))
    leaves = some_words(rng, rng.randint(2, 6))
    column = Column(name, "sensitive", "categorical", leaves)
    if rng.random() < 0.5:
        column.nested, column.tree = make_tree(rng, leaves)
    return column


def constraint(rng, column):
    model = rng.choice(["distinct-l-diversity", "p-sensitive-k-anonymity", "entropy-l-diversity",
                        "recursive-l-diversity", "alpha-k", "t-closeness"])
    out = {"model": model, "attribute": column.name}
    if model == "distinct-l-diversity":
        out["l"] = rng.randint(2, 3)
    elif model == "p-sensitive-k-anonymity":
        out["p"] = rng.randint(2, 3)
    elif model == "entropy-l-diversity":
        out["l"] = Plain(rng.choice(["1", "1.5", "2", "2.2"]))
    elif model == "recursive-l-diversity":
        out["c"] = Plain(rng.choice(["0.5", "1", "2", "3.5"]))
        out["l"] = rng.randint(2, 3)
    elif model == "alpha-k":
        out["alpha"] = Plain(rng.choice(["0.4", "0.5", "0.75", "1"]))
    else:
        out["t"] = Plain(rng.choice(["0", "0.15", "0.3", "0.5", "1"]))
        if rng.random() < 0.5:
            out["distance"] = rng.choice(["ordered", "equal"] + (["taxonomy"] if column.tree else []))
    return out


SHARE_PADDED = 0.1  # of the tables
PADDING = ["", " ", "  ", "\u00a0"]


def random_rows(rng, table, n):
    """n rows; now and then equal to one before them, missing values, and texts with spaces around them."""
    rows = []
    some_missing = rng.random() < 0.4
    padded = rng.random() < SHARE_PADDED
    table.clean = table.clean and not padded
    for _ in range(n):
        if rows and rng.random() < 0.2:
            rows.append(list(rng.choice(rows)))
            continue
        row = []
        for column in table.columns:
            text = rng.choice(column.pool)
            if padded and column.kind == "categorical" and column.mask is None and rng.random() < 0.3:
                text = rng.choice(PADDING) + text + rng.choice(PADDING)
            if some_missing and column.role in ("quasi", "sensitive") and rng.random() < 0.12:
                text = rng.choice(table.missing)
            row.append(text)
        rows.append(row)
    return rows


def random_table(rng, most_rows=40, keyed=False):
    table = Table()
    table.quoted = random.Random(rng.random())
    table.delimiter = rng.choice(DELIMITERS)
    table.missing = rng.choice([[""], ["?", ""], ["?"], ["n/a", "?"]])
    table.columns = [quasi_column(rng, "q%d" % i if rng.random() < 0.9 else "q %d, \"é\"" % i)
                     for i in range(rng.randint(1, 4))]
    table.columns += [sensitive_column(rng, "s%d" % i) for i in range(rng.choice([0, 1, 1, 2]))]
    if rng.random() < 0.4:
        table.columns.append(Column("note", "insensitive", "categorical", some_words(rng, 5)))
        table.columns[-1].say_type = False
    if rng.random() < 0.5:
        table.columns.append(Column("name", "identifying", "categorical", ["SECRET%d" % i for i in range(40)]))
    if rng.random() < 0.35:
        persons = ["P%d" % i for i in range(rng.randint(2, 14))]
        table.columns.append(Column("person", "identifying", "categorical", persons))
        table.entity, table.together = "person", rng.random() < 0.5
    rng.shuffle(table.columns)
    if len(table.columns) == 1:  # nothing tells its separator
        table.delimiter = ","
    for column in table.columns:
        if column.role == "quasi" and rng.random() < 0.15:
            column.weight = Plain(rng.choice(["2", "0.5", "10"]))
    n = rng.choice([rng.randint(1, 8), rng.randint(4, 14), rng.randint(10, most_rows)])
    table.rows = random_rows(rng, table, n)
    for i, column in enumerate(table.columns):
        # what comes later may be unlike what was found, and a separator that no cell has cannot be found
        marks = [mark for mark in (column.decimal, column.thousands) if mark is not None]
        if column.thousands is not None and column.decimal is None:
            marks.append("," if column.thousands == "." else ".")
        found = all(any(mark in row[i] for row in table.rows) for mark in marks)
        column.said = column.said or keyed or not found
    if keyed:
        table.columns.insert(0, Column("key", "identifying"))
        table.key = "key"
        for i, row in enumerate(table.rows):
            row.insert(0, "k%d" % i)
    table.k = rng.choice([2, 2, 2, 3, 3, 4, 5])
    sensitive = [c for c in table.columns if c.role == "sensitive"]
    if sensitive and rng.random() < 0.5:
        table.constraints = [constraint(rng, rng.choice(sensitive)) for _ in range(rng.randint(1, 2))]
    if rng.random() < 0.3:
        table.suppress = rng.choice(["0", "0.1", "0.25", "0.5", "0.3333", "1"])
    return table
