"""For comparison: Mondrian in pandas inside Spark, with cuts from a sample, as distributed k-anonymity is commonly done.

A sample is cut at medians into as many fragments as there are tasks; every row goes to its fragment; each fragment is
grouped by Mondrian on its own (applyInPandas). Values are codes already: numbers and dates as numbers, categories as the
place of their leaf. This is a short version written for the benchmark. Unlike what it stands for, the sample has a seed.
"""

from __future__ import annotations

import pandas as pd
from pyspark.sql import DataFrame


def widest(part: pd.DataFrame, spans: pd.Series) -> list[str]:
    """The columns, that with the widest share of its range first."""
    return list(((part.max() - part.min()) / spans).sort_values(ascending=False, kind="stable").index)


def halves(part: pd.DataFrame, spans: pd.Series, least: int) -> tuple[str, float, pd.Series] | None:
    """A cut at the median that leaves `least` rows on both sides."""
    for name in widest(part, spans):
        middle = part[name].median()
        left = part[name] <= middle
        if left.sum() >= least and (~left).sum() >= least:
            return name, middle, left
    return None


def mondrian(part: pd.DataFrame, spans: pd.Series, k: int) -> list[pd.Index]:
    """The rows of each group."""
    found, groups = [part], []
    while found:
        now = found.pop()
        cut = halves(now, spans, k) if len(now) >= 2 * k else None
        if cut is None:
            groups.append(now.index)
        else:
            found += [now[cut[2]], now[~cut[2]]]
    return groups


def sample_cuts(sample: pd.DataFrame, spans: pd.Series, fragments: int) -> list[tuple[int, str, float]]:
    """Cuts of the largest fragment, until there are enough: (fragment, column, value); what is above becomes a new one."""
    parts, cuts = [sample], []
    while len(parts) < fragments:
        at = max(range(len(parts)), key=lambda i: len(parts[i]))
        cut = halves(parts[at], spans, 1)
        if cut is None:
            break
        name, middle, left = cut
        cuts.append((at, name, middle))
        parts.append(parts[at][~left])
        parts[at] = parts[at][left]
    return cuts


def anonymize(rows: DataFrame, quasi: list[str], key: str, k: int, fragments: int, share: float) -> DataFrame:
    """(key, group) of each row; groups are numbered inside their fragment."""
    sample = rows.select(*quasi).sample(share, seed=1).toPandas().astype(float)
    spans = (sample.max() - sample.min()).replace(0, 1)
    cuts = sample_cuts(sample, spans, fragments)

    def fragment_of(batches):
        for batch in batches:
            number = pd.Series(0, index=batch.index)
            for new, (at, name, middle) in enumerate(cuts, start=1):
                number[(number == at) & (batch[name] > middle)] = new
            yield batch.assign(fragment=number)

    def group(part: pd.DataFrame) -> pd.DataFrame:
        part = part.reset_index(drop=True)
        number = pd.Series(0, index=part.index)
        for i, members in enumerate(mondrian(part[quasi].astype(float), spans, k)):
            number[members] = i
        return pd.DataFrame({key: part[key], "fragment": part["fragment"], "part": number})

    types = ", ".join(f"`{name}` double" for name in quasi)
    routed = rows.select(key, *quasi).mapInPandas(fragment_of, f"`{key}` long, {types}, fragment long")
    return routed.groupBy("fragment").applyInPandas(group, f"`{key}` long, fragment long, part long")
