"""The tasks without Spark: driver and tasks in this process, over parts of rows in any order, compared with one machine.

Spark itself takes seconds for each table; here many are tried.
"""

import json
import pathlib
import random

import pyarrow as pa
import pytest

import pykanon
from pykanon import _kanon, frames
from pykanon.spark import group
from pykanon.spark.plan import BLOCK, BYTES, GROUP, PLACE, Plan, Recipe

HOSTS = pathlib.Path(__file__).resolve().parents[3] / "tests" / "hosts"


def merged(batches, domain=None):
    whole = None
    for batch in batches:
        for piece in batch.column(BYTES):
            whole = group.fold(whole, _kanon.piece_read(piece.as_py(), domain))
    return whole


def parts_of(rows, rng):
    """The rows in any order, in any parts; some are empty."""
    order = list(range(rows.num_rows))
    rng.shuffle(order)
    cuts = sorted(rng.randint(0, len(order)) for _ in range(rng.randint(0, 4)))
    for begin, end in zip([0, *cuts], [*cuts, len(order)]):
        yield rows.take(pa.array(order[begin:end], pa.int64())).to_batches(max_chunksize=rng.randint(1, 400))


def play(table, said, options, numeric, rng):
    """What job.py does, with lists in place of DataFrames: the release in the order of the table, and the figures."""
    names = table.column_names
    recipe, handle = Recipe.of(said, names, [], options["k"], True)
    options = {**options, "k": options["k"] or int(_kanon.schema_get(handle, "k", None) or 0), "threads": 1}
    _kanon.blocks_allow(handle, **options)
    described = _kanon.table_import(handle, table.__arrow_c_stream__(), _kanon.ticker_new(), strict=recipe.strict)
    roles = {name: role for name, role, _ in _kanon.table_describe(described)[1]}
    plan = Plan(recipe, tuple(names), tuple(c for c in names if roles[c] in ("quasi", "sensitive")),
                tuple(c for c in names if roles[c] != "identifying"), options, numeric)  # fmt: skip
    places = sorted(rng.sample(range(-(10**9), 10**12), table.num_rows))
    rows = table.append_column(PLACE, pa.array(places, pa.int64()))
    narrow, wide = rows.select([PLACE, *plan.encoded]), rows.select([PLACE, *plan.kept])

    domain = merged(b for p in parts_of(narrow, rng) for b in group.domain_of_part(plan, group.shrink(iter(p))))
    plan = plan.with_(domain=_kanon.piece_write(domain))
    _kanon.domain_seal(domain, handle)
    cuts = _kanon.cuts_new(domain, options["blocks"])
    plan = plan.with_(cuts=_kanon.piece_write(cuts))
    while not _kanon.cuts_describe(cuts)[0]:
        found = (b for p in parts_of(narrow, rng) for b in group.counts_of_part(plan, group.shrink(iter(p))))
        _kanon.cuts_next(cuts, merged(found))
        plan = plan.with_(cuts=_kanon.piece_write(cuts))
    sizes = _kanon.cuts_describe(cuts)[2]

    routed = pa.Table.from_batches([b for p in parts_of(wide, rng) for b in group.route(plan, [0], iter(p))])
    routed = routed.sort_by([(BLOCK, "ascending"), (PLACE, "ascending")])
    grouped = pa.Table.from_batches(list(group.group(plan, iter(routed.to_batches(max_chunksize=rng.randint(1, 999))))))
    blocks = grouped.filter(pa.compute.equal(grouped.column(GROUP), -1)).select([BYTES])
    rest = merged((b for p in parts_of(blocks, rng) for b in group.rest_of_blocks(plan, iter(p))), domain)
    while not _kanon.rest_describe(rest)[0]:
        now = _kanon.piece_write(rest)
        found = (b for p in parts_of(blocks, rng) for b in group.offers_of_blocks(plan, now, iter(p)))
        _kanon.rest_place(rest, merged(found, domain))
    moves = _kanon.rest_describe(rest)[2]

    expected, arrivals = list(sizes), {}
    for place, origin, block, number in moves:
        expected[origin] -= 1
        expected[block] += 1
        row = grouped.filter(pa.compute.equal(grouped.column(PLACE), place))
        row = row.set_column(row.column_names.index(GROUP), GROUP, pa.array([number], pa.int64()))
        arrivals.setdefault(block, []).append(row)
    sent = {block: group.to_ipc(pa.concat_tables(found)) for block, found in arrivals.items()}
    target = target_of(rows, handle, domain, plan)
    plan = plan.with_(target=target.serialize().to_pybytes())
    released = pa.Table.from_batches(list(group.release(plan, sent, expected, iter(grouped.to_batches()))))
    figures = released.filter(pa.compute.is_valid(released.column(BYTES))).select([BYTES])
    tally = merged(figures.to_batches(), domain)
    release = released.filter(pa.compute.is_null(released.column(BYTES))).sort_by(PLACE)
    assert release.column(PLACE).to_pylist() == places
    return release.select(target.names), dict_of(_kanon.tally_measures(tally, domain)[0]), len(sizes), len(moves)


def target_of(rows, handle, domain, plan):
    k = plan.options["k"]
    stream = group.complete(pa.concat_tables([rows.slice(0, 1)] * k), plan).__arrow_c_stream__()
    table = _kanon.table_import(handle, stream, _kanon.ticker_new(), strict=plan.recipe.strict, domain=domain)
    return group.released_rows(table, _kanon.grouping_new(table, b"\1\0\0\0\0\0\0\0" * k), plan.numeric).schema


def dict_of(figures):
    return {(name, column): value for name, column, value, _ in figures}


def compare(table, said, options, rng, numeric="columns"):
    form = pykanon.forms.TABLE[numeric]
    whole = pykanon.anonymize(table, numeric=numeric, **said, **options)
    given = {n: v for n, v in options.items() if n != "threads"}
    released, figures, blocks, left = play(table, said, {"k": 0, **given}, form, rng)
    expected = pa.table(frames.Stream(whole.__arrow_c_stream__()))
    assert released.equals(expected.cast(group.plain(expected.schema)))
    measures = {(n, None): v for n, v in whole.measures.items()}
    for column in whole.measures.columns():
        measures |= {(n, column): v for n, v in whole.measures.of(column).items()}
    assert len(figures) > 5
    for name, value in figures.items():
        if measures[name] is None:
            assert value is None, name  # nothing to measure
        else:
            assert value == pytest.approx(measures[name], rel=1e-12), name
    return blocks, left


def random_table(rng, n):
    """Columns of several types with few and with many values, nulls, and texts that mean the same number."""
    some = lambda values: [None if rng.random() < 0.05 else v for v in values]  # noqa: E731
    numbers = [rng.choice(["7", "07", "7.0", "12", "3", " 3"]) if rng.random() < 0.5 else str(rng.randint(0, 40)) for _ in range(n)]
    return pa.table({
        "name": [f"n{i}" for i in range(n)],
        "a": pa.array(some(int(rng.gauss(50, 20)) for _ in range(n)), pa.int64()),
        "b": pa.array(numbers, pa.string()),
        "c": pa.array(some(rng.choice("uvwxyz") for _ in range(n)), pa.string()),
        "d": pa.array(some(round(rng.random() * rng.choice([1, 100]), 2) for _ in range(n)), pa.float64()),
        "s": pa.array(some(rng.choice(["flu", "cold", "gout"]) for _ in range(n)), pa.string()),
    })  # fmt: skip


@pytest.mark.parametrize("seed", range(8))
def test_random_tables(seed):
    print(f"seed {seed}")
    rng = random.Random(seed)
    n = rng.randint(40, 900)
    said = dict(identifying="name", quasi=["a", "b", "c", "d"], sensitive="s", weights={"a": rng.choice([1, 0.3])},
                masks={"b": "right"} if rng.random() < 0.3 else None, bands={"a": 10} if rng.random() < 0.3 else None,
                taxonomies={"c": {"*": {"low": list("uvw"), "high": list("xyz")}}})  # fmt: skip
    k = rng.randint(2, 6)
    options = dict(k=k, blocks=rng.randint(k, n // 2), seed=rng.randint(0, 99),
                   algorithm=rng.choice(["auto", "kmember", "mondrian", "oka"]))  # fmt: skip
    compare(random_table(rng, n), said, options, rng, rng.choice(["columns", "interval"]))


def test_many_blocks_leave_records_over():
    rng = random.Random(1)
    said = dict(identifying="name", quasi=["a", "b", "c", "d"], sensitive="s")
    blocks, left = compare(random_table(rng, 700), said, dict(k=4, blocks=17, seed=5, algorithm="kmember"), rng)
    assert blocks > 10 and left > 5


def test_numbers_that_doubles_do_not_tell_apart():
    """An interval ends at the outermost of them, which may be in another block."""
    rng = random.Random(3)
    table = pa.table({
        "a": pa.array([2**60 + rng.randint(0, 400) for _ in range(300)], pa.int64()),
        "b": pa.array([rng.randint(0, 9) for _ in range(300)], pa.int64()),
    })  # fmt: skip
    blocks, _ = compare(table, dict(quasi=["a", "b"]), dict(k=3, blocks=20, seed=1, algorithm="kmember"), rng)
    assert blocks > 5


CASES = sorted(p.parent.name for p in HOSTS.glob("*/groups.csv"))
REFUSED = {"constraints", "drawn", "entities", "improve", "kept", "permuted", "suppression"}


@pytest.mark.parametrize("case", CASES)
def test_cases_of_all_hosts(case):
    """In one block: the groups of a run without blocks."""
    asked = json.loads((HOSTS / case / "case.json").read_text())["options"]
    of_the_release = ("numeric", "recode", "suppress", "start", "repair", "shuffle", "shuffle_seed")
    options = {n: v for n, v in asked.items() if n not in of_the_release}
    table = pa.ipc.open_stream(HOSTS / case / "table.arrows").read_all()
    said = dict(schema=HOSTS / case / "schema.yaml")
    if case in REFUSED or asked.get("recode") == "attribute" or asked.get("suppress", "0") != "0":
        given = {"k": 0, "blocks": table.num_rows, **options}
        with pytest.raises(pykanon.UsageError):
            play(table, said, {**given, "recode": asked.get("recode"), "suppress": asked.get("suppress")}, 0, random.Random(1))
        return
    compare(table, said, {**options, "blocks": table.num_rows}, random.Random(case))
