"""What must hold of a release, worked out from the definitions alone: docs/release.md and docs/privacy.md are the
contract. Standard library only; nothing is shared with the product. Every function returns nothing and raises
Wrong with a sentence."""
import csv
import io
import itertools
import math
import re
from collections import Counter, defaultdict
from fractions import Fraction

import numerals

TOLERANCE = 1e-9
SPACES = " \t\r\n\v\f\u00a0"


class Wrong(Exception):
    """The product did what it must not do."""


def need(holds, sentence):
    if not holds:
        raise Wrong(sentence)


def trimmed(text):
    return text.strip(SPACES)


def read_csv(text, delimiter):
    return list(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True))


def is_missing(table, text):
    return trimmed(text) in table.missing or text in table.missing


def number(column, text):
    """A number as a fraction, a date as days, by the separators and the format of the column."""
    return numerals.read_value(column, trimmed(text))


# ---- trees -----------------------------------------------------------------------------------------------------------

def mask_path(text, mask, places):
    """What a value looks like at each level: a value with fewer characters is filled up on the masked side."""
    out = [text]
    for level in range(1, places + 1):
        visible = min(len(text), places - level)
        out.append(text[:visible] + "*" * level if mask == "right" else "*" * level + text[len(text) - visible:])
    return out


def paths_of(table, i):
    """For every value of the column its path from the value to the root, missing values directly below the root."""
    column = table.columns[i]
    values = {trimmed(row[i]) for row in table.rows if not is_missing(table, row[i])}
    if column.tree is not None:
        paths = {v: column.tree[v] for v in values if v in column.tree}
        root = next(iter(column.tree.values()))[-1]
    elif column.mask is not None:
        places = column.places or max([len(v) for v in values], default=1)
        paths = {v: mask_path(v, column.mask, places) for v in values}
        root = "*" * places
    else:
        paths = {v: [v, "*"] for v in values}
        root = "*"
    return paths, root


def heights(paths, root):
    """h of every node: the longest way down to a leaf."""
    out = {root: 1}
    for path in paths.values():
        for up, name in enumerate(path):
            out[name] = max(out.get(name, 0), up)
    return out


def lowest_common(paths, values, root, missing):
    """The name of the lowest node above all values; missing ones are leaves below the root."""
    if missing and values:
        return root
    if missing:
        return None
    common = None
    for value in values:
        path = paths[value]
        common = path if common is None else [name for name in common if name in path]
    return common[0]


# ---- constraints -----------------------------------------------------------------------------------------------------

def values_of(table, rows, i):
    """The values of a sensitive column in some rows; of each entity a value counts once."""
    column = table.columns[i]
    e = table.index(table.entity) if table.entity is not None else None
    seen, out = set(), []
    for row in rows:
        if is_missing(table, row[i]):
            value = None
        else:
            value = number(column, row[i]) if column.kind != "categorical" else trimmed(row[i])
        if e is not None:
            who = None if is_missing(table, row[e]) else trimmed(row[e])
            if (who, value) in seen:
                continue
            seen.add((who, value))
        out.append(value)
    return out


def n_entities(table, rows):
    e = table.index(table.entity)
    return len({None if is_missing(table, row[e]) else trimmed(row[e]) for row in rows})


def earth_mover(table, i, group, whole, distance):
    """The distance of two lists of values: the least and the most that it can be where the contract leaves it open."""
    column = table.columns[i]
    p, q = Counter(group), Counter(whole)
    difference = {v: Fraction(p[v], len(group)) - Fraction(q[v], len(whole)) for v in q}
    if distance is None:
        distance = "ordered" if column.kind != "categorical" else "taxonomy" if column.tree else "equal"
    if distance == "equal" or (distance == "taxonomy" and column.tree is None):
        return (sum(abs(d) for d in difference.values()) / 2,) * 2
    if distance == "ordered":
        return ordered_distance(column, difference)
    return (tree_distance(column.tree, difference),) * 2


def ordered_distance(column, difference):
    """Numbers have ranks among those of the table, missing ones last. Categories have those of the leaves of their
    taxonomy; where a missing one stands among them, and which leaves a flat column has in which order, is not said."""
    if column.kind == "categorical" and (column.tree is None or None in difference):
        return Fraction(0), Fraction(1)
    if column.kind == "categorical":
        order, steps = list(column.tree), (len(column.tree), len(column.tree) - 1)
    else:
        order = sorted(v for v in difference if v is not None) + [v for v in difference if v is None]
        steps = (len(order) - 1,) * 2
    total, carried = Fraction(0), Fraction(0)
    for v in order:
        carried += difference.get(v, 0)
        total += abs(carried)
    return total / max(1, steps[0]), total / max(1, steps[1])


def tree_distance(tree, difference):
    """With h(lca) / H between two leaves the mass below each node moves half of the step up to its parent."""
    root = next(iter(tree.values()))[-1]
    h = heights(tree, root)
    mass = defaultdict(Fraction)
    for v, d in difference.items():
        for name in ([None, root] if v is None else tree[v]):
            mass[name] += d
    total = Fraction(0)
    for v in list(tree) + [None]:
        path = [None, root] if v is None else tree[v]
        for below, above in zip(path, path[1:]):
            if below in mass:
                total += abs(mass.pop(below)) * (h[above] - h.get(below, 0))
    return total / (2 * h[root])


def constraint_holds(table, constraint, rows, whole, surely=False):
    """Whether some rows satisfy a constraint; where the contract leaves that open, `surely` asks for both readings."""
    i = table.index(constraint["attribute"])
    values = values_of(table, rows, i)
    counts = sorted(Counter(values).values(), reverse=True)
    model = constraint["model"]
    if model == "distinct-l-diversity":
        return len(counts) >= constraint["l"]
    if model == "p-sensitive-k-anonymity":
        return len(counts) >= constraint["p"]
    if model == "entropy-l-diversity":
        entropy = -sum(c / len(values) * math.log(c / len(values)) for c in counts)
        return entropy >= math.log(float(constraint["l"])) - TOLERANCE
    if model == "recursive-l-diversity":
        return counts[0] < Fraction(constraint["c"]) * sum(counts[constraint["l"] - 1:])
    if model == "alpha-k":
        return Fraction(counts[0], len(values)) <= Fraction(constraint["alpha"])
    least, most = earth_mover(table, i, values, values_of(table, whole, i), constraint.get("distance"))
    return (most if surely else least) <= Fraction(constraint["t"]) + Fraction(1, 10 ** 9)


def satisfied(table, rows, surely=False):
    """None, or what some rows as one group do not satisfy."""
    size = n_entities(table, rows) if table.entity is not None else len(rows)
    if size < table.k:
        return "%d %s, k is %d" % (size, "entities" if table.entity is not None else "records", table.k)
    for constraint in table.constraints:
        if not constraint_holds(table, constraint, rows, table.rows, surely):
            return "%s on %s" % (constraint["model"], constraint["attribute"])
    return None


def budget(table, rows=None):
    """How many records may be suppressed; None: nothing was said."""
    n = len(table.rows if rows is None else rows)
    return None if table.suppress is None else math.floor(Fraction(table.suppress) * n)


# ---- is a refusal true? ----------------------------------------------------------------------------------------------

def partitions(items):
    if not items:
        yield []
        return
    first, rest = items[0], items[1:]
    for others in partitions(rest):
        yield [[first]] + others
        for i, part in enumerate(others):
            yield others[:i] + [[first] + part] + others[i + 1:]


def grouping_exists(table, most=7):
    """Whether any grouping satisfies everything, with as many records suppressed as may be: True, False, or None
    where the table is too large to try. The union of two good groups is good unless an entity is in both, so
    one group is tried first, and all partitions only of tiny tables."""
    n = len(table.rows)
    allowed = budget(table) or 0
    tried = 0
    for gone in range(0, min(allowed, n - 1) + 1):
        for out in itertools.combinations(range(n), gone):
            tried += 1
            if tried > 3000:
                return None
            rows = [row for i, row in enumerate(table.rows) if i not in out]
            if satisfied(table, rows, True) is None:
                return True
    if table.entity is None or not table.constraints:
        return False
    if n > most or allowed > 2:
        return None
    e = table.index(table.entity)
    for gone in range(0, min(allowed, n - 1) + 1):
        for out in itertools.combinations(range(n), gone):
            left = [i for i in range(n) if i not in out]
            for parts in partitions(left):
                if table.together and any(
                        len({id(p) for p in parts for i in p if table.rows[i][e] == who}) > 1
                        for who in {table.rows[i][e] for i in left}):
                    continue
                if all(satisfied(table, [table.rows[i] for i in part], True) is None for part in parts):
                    return True
    return False


# ---- cells -----------------------------------------------------------------------------------------------------------

INTERVAL = re.compile(r"\[(.*)\.\.(.*)\]", re.S)
RANGE = re.compile(r"\[(.*),(.*)\]", re.S)


def shows_all(table, i, rows, missing):
    """Whether the bands of a group reach from the lowest open one to the highest."""
    column = table.columns[i]
    if not numerals.has_bands(column) or any(missing):
        return False
    numbers = [number(column, row[i]) for row in rows]
    return numerals.band_of(column, min(numbers)).low is None and numerals.band_of(column, max(numbers)).high is None


def split_bands(cell, form):
    """Two texts of a cell with bands, and whether the upper end is included; an open end is empty."""
    between = r"\.\." if form == "interval" else ","
    match = re.fullmatch(r"([\[(])(.*)%s(.*)([\])])" % between, cell, re.S)
    if match is None:
        need(form == "interval", "a range is not written as one")
        return cell, cell, True
    opens, left, right, closes = match.groups()
    if form == "range":
        need((opens == "(") == (left == "") and (right != "" or closes == ")"), "an open end has the wrong bracket")
    else:
        need(opens == "[" and (right != "" or closes == "]"), "an open end has the wrong bracket")
    return left, right, closes == "]" or right == ""


def read_end(column, text):
    """An end as the column writes its values; a date that its format cannot say is YYYY-MM-DD."""
    if text == "":
        return None
    try:
        return number(column, text)
    except ValueError:
        if column.kind != "date" or "%y" not in (column.format or ""):
            raise
    day = numerals.read_date(text, "%Y-%m-%d")
    need(not 1969 <= int(text[:4]) <= 2068, "%s: a date is not written in the format of its column" % column.name)
    return day


def check_bands(column, cells, low, high, form, exact):
    """A group shows the interval from its lowest to its highest band; with an attribute's recoding a wider one, which
    begins and ends where bands do."""
    need(form != "mean", "%s: the mean of a column with bands" % column.name)
    if form == "columns":
        left, right, included = cells[0], cells[1], True
    else:
        left, right, included = split_bands(cells[0], form)
    try:
        left, right = read_end(column, left), read_end(column, right)
    except ValueError:
        raise Wrong("%s: a released number cannot be read" % column.name) from None
    first, last = numerals.band_of(column, low), numerals.band_of(column, high)
    if exact and form == "interval" and first.low == last.high and last.is_point():
        need("[" not in cells[0], "%s: a single number is shown as an interval" % column.name)
    if form == "columns":  # which do not say whether the upper end is included
        included = last.included if right == last.high else numerals.ends_band(column, right, True)
    need(left is None or (first.low is not None and left <= first.low), "%s: a band is not covered" % column.name)
    need(right is None or (last.high is not None and (right > last.high or (
        right == last.high and (included or not last.included)))), "%s: a band is not covered" % column.name)
    if exact:
        need((left, right, included) == (first.low, last.high, last.included),
             "%s: an interval is not that of the bands of its group" % column.name)
    need(numerals.begins_band(column, left) and numerals.ends_band(column, right, included),
         "%s: an interval does not begin and end where bands do" % column.name)


def refused_form(table, form):
    """Whether a form of numbers is not for this table: means of bands, and ranges of what has commas."""
    for i in table.quasi():
        column = table.columns[i]
        comma = column.decimal == "," or column.thousands in (",", ".") or "," in (column.format or "")
        if column.kind == "categorical":
            continue
        if (form == "mean" and numerals.has_bands(column)) or (form == "range" and comma):
            return True
    return False


def check_numbers(table, i, cells, rows, form, exact):
    """The released cell (two with the form 'columns') of a group covers its numbers, and with `exact` shows no more."""
    column = table.columns[i]
    missing = [is_missing(table, row[i]) for row in rows]
    if all(cell == "*" for cell in cells):
        need(not exact or (any(missing) and not all(missing)) or shows_all(table, i, rows, missing),
             "%s: a group of numbers is shown as *" % column.name)
        return
    if all(missing):
        need(all(is_missing(table, cell) for cell in cells), "%s: missing numbers are shown as numbers" % column.name)
        return
    need(not any(missing), "%s: a missing number is shown as a number" % column.name)
    numbers = [number(column, row[i]) for row in rows]
    low, high = min(numbers), max(numbers)
    if numerals.has_bands(column):
        check_bands(column, cells, low, high, form, exact)
        return
    if form == "mean":
        if exact:
            shown = float(number(column, cells[0]))
            need(float(low) - TOLERANCE <= shown <= float(high) + TOLERANCE,
                 "%s: a mean outside of its group" % column.name)
            # means are rounded: dates to days, numbers to two places or more
            slack = 1 if column.kind == "date" else 0.0051
            need(abs(shown - float(sum(numbers) / len(numbers))) <= slack,
                 "%s: not the mean of its group" % column.name)
        return
    if form == "columns":
        ends = cells
    else:
        match = (INTERVAL if form == "interval" else RANGE).fullmatch(cells[0])
        ends = match.groups() if match else (cells[0], cells[0])
    try:
        left, right = number(column, ends[0]), number(column, ends[1])
    except ValueError:
        raise Wrong("%s: a released number cannot be read" % column.name) from None
    need(left <= low and high <= right, "%s: a released number does not cover its original" % column.name)
    need(not exact or (left, right) == (low, high), "%s: an interval is wider than its group" % column.name)
    spellings = {trimmed(row[i]) for row in table.rows}
    need(all(trimmed(end) in spellings for end in ends), "%s: the end of an interval is not written so in the table"
         % column.name)


def check_category(table, i, cell, rows, exact, paths, root):
    column = table.columns[i]
    values = {trimmed(row[i]) for row in rows if not is_missing(table, row[i])}
    missing = any(is_missing(table, row[i]) for row in rows)
    if exact:
        wanted = lowest_common(paths, values, root, missing)
        if wanted is None:
            need(is_missing(table, cell), "%s: missing values are shown as something else" % column.name)
        else:
            need(trimmed(cell) == wanted, "%s: not the lowest node above the group" % column.name)
        return
    if trimmed(cell) in (root, "*"):
        return
    need(not missing or is_missing(table, cell), "%s: a missing value is not covered" % column.name)
    need(all(trimmed(cell) in paths[v] for v in values), "%s: a category does not cover its original" % column.name)


# ---- a whole release -------------------------------------------------------------------------------------------------

def released_header(table, form):
    out = []
    for i, column in enumerate(table.columns):
        if column.role == "identifying":
            continue
        if column.role == "quasi" and column.kind != "categorical" and form == "columns":
            out += [(i, column.name + "_min"), (i, column.name + "_max")]
        else:
            out.append((i, column.name))
    return out


def read_groups(table, text):
    lines = read_csv(text, ",")
    need(lines and lines[0] == ["row", "group"], "the groups file has another header")
    need([line[0] for line in lines[1:]] == [str(i + 1) for i in range(len(table.rows))],
         "the groups file does not have each row once, in order")
    return [int(line[1]) for line in lines[1:]]


def check_release(table, release, groups_text, form="interval", attribute_level=False, shuffled=False, everybody=None):
    """Everything that the contract says of a release of `table`, given the groups file; returns the group of each row.
    `everybody`: all records, where some are withheld and `table` has only those that are released; the budget counts
    them, t-closeness compares with what is released."""
    rows = read_csv(release, table.delimiter)
    header = released_header(table, form)
    need(rows[0] == [name for _, name in header], "the header of the release is not that of the table")
    rows = rows[1:]
    groups = read_groups(table, groups_text)
    shown = [r for r, group in enumerate(groups) if group != 0]  # suppressed records are left out
    need(len(rows) == len(shown), "the release has %d records, the groups %d" % (len(rows), len(shown)))
    places = defaultdict(list)
    for place, (i, _) in enumerate(header):
        places[i].append(place)
    copied = [i for i in places if table.columns[i].role != "quasi"]
    if not shuffled:
        for row, r in zip(rows, shown):
            for i in copied:
                need(row[places[i][0]] == table.rows[r][i], "%s: a cell was changed" % table.columns[i].name)
    else:
        need(Counter(tuple(row[places[i][0]] for i in copied) for row in rows) ==
             Counter(tuple(table.rows[r][i] for i in copied) for r in shown), "cells that are copied were changed")
    need("SECRET" not in release, "an identifying value is in the release")

    members = defaultdict(list)
    for row, group in enumerate(groups):
        members[group].append(row)
    suppressed = members.pop(0, [])
    need(sorted(members) == list(range(1, len(members) + 1)), "the groups are not numbered from 1")
    allowed = budget(table, everybody)
    need(allowed is None or len(suppressed) <= allowed,
         "%d records are suppressed, %s may be" % (len(suppressed), allowed))
    for group, inside in members.items():
        lack = satisfied(table, [table.rows[r] for r in inside])
        need(lack is None, "group %d has %s" % (group, lack))
    if table.together:
        e = table.index(table.entity)
        where = defaultdict(set)
        for r, group in enumerate(groups):
            where[None if is_missing(table, table.rows[r][e]) else trimmed(table.rows[r][e])].add(group)
        need(all(len(g) == 1 for g in where.values()), "the records of an entity are in several groups")
    if not shuffled:
        check_cells(table, dict(zip(shown, rows)), places, members, form, attribute_level)
    else:
        check_shuffled(table, rows, places)
    return groups


def check_cells(table, rows, places, members, form, attribute_level):
    """`rows`: the lines of the release by the records that they show."""
    quasi = table.quasi()
    quasi_places = [p for i in quasi for p in places[i]]
    trees = {i: paths_of(table, i) for i in quasi if table.columns[i].kind == "categorical"}
    classes = defaultdict(list)
    for group, inside in members.items():
        shown = tuple(rows[inside[0]][p] for p in quasi_places)
        need(all(tuple(rows[r][p] for p in quasi_places) == shown for r in inside),
             "group %d shows different cells" % group)
        classes[shown] += inside
        originals = [table.rows[r] for r in inside]
        for i in quasi:
            cells = [rows[inside[0]][p] for p in places[i]]
            if i in trees:
                check_category(table, i, cells[0], originals, not attribute_level, *trees[i])
            else:
                check_numbers(table, i, cells, originals, form, not attribute_level)
    for inside in classes.values():
        lack = satisfied(table, [table.rows[r] for r in inside])
        need(lack is None, "a class of the release has %s" % lack)
    if attribute_level:
        for i in quasi:
            shown = {}
            for inside in members.values():
                for r in inside:
                    text = table.rows[r][i]
                    value = None if is_missing(table, text) else \
                        number(table.columns[i], text) if i not in trees else trimmed(text)
                    cell = tuple(rows[r][p] for p in places[i])
                    if form != "mean":
                        need(shown.setdefault(value, cell) == cell, "%s: equal values are shown differently"
                             % table.columns[i].name)


def check_shuffled(table, rows, places):
    """Without knowing which record is which: classes are large enough."""
    quasi_places = [p for i in table.quasi() for p in places[i]]
    counts = Counter(tuple(row[p] for p in quasi_places) for row in rows)
    need(all(size >= table.k for size in counts.values()), "a class of the release is smaller than k")
