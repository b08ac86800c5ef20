"""Plots through matplotlib, if it is there."""

from __future__ import annotations

from collections import Counter
from typing import Any

from pykanon.errors import UsageError


def _axes(ax: Any) -> Any:
    if ax is not None:
        return ax
    try:
        from matplotlib import pyplot
    except ImportError:
        raise UsageError("plots need matplotlib", "Install it: pip install matplotlib") from None
    return pyplot.subplots(layout="constrained")[1]


def curve(points: list[dict[str, Any]], ax: Any = None) -> Any:
    """Average loss against the highest risk. Points that another one beats are open circles."""
    ax = _axes(ax)
    done = sorted((p for p in points if p["result"] != "infeasible"), key=lambda p: float(p["highest_risk"]))
    best = [p for p in done if p["result"] == "optimal"]
    ax.plot([p["highest_risk"] for p in best], [p["avg_loss"] for p in best], "o-", label="best")
    rest = [p for p in done if p["result"] == "dominated"]
    if rest:
        ax.plot([p["highest_risk"] for p in rest], [p["avg_loss"] for p in rest], "o", mfc="none", label="beaten")
    for point in done:
        ax.annotate(
            f"k = {point['settings']['k']}", (point["highest_risk"], point["avg_loss"]), xytext=(6, 6),
            textcoords="offset points",
        )  # fmt: skip
    risks = sorted({p["highest_risk"] for p in done})
    ax.set(xscale="log", xlabel="highest risk of a person", ylabel="average loss of a record", title="Loss against risk")
    ax.set_xticks(risks, [f"{100 * r:.3g} %" for r in risks])
    ax.set_xticks([], minor=True)
    ax.margins(x=0.1, y=0.1)
    return ax


def sizes(release: Any, ax: Any = None) -> Any:
    """How many groups have which number of records."""
    ax = _axes(ax)
    counts = Counter(Counter(g for g in release.groups if g > 0).values())
    ax.bar(list(counts), list(counts.values()))
    ax.xaxis.get_major_locator().set_params(integer=True)
    ax.set(xlabel="records in a group", ylabel="groups", title=f"{release.n_groups:,} groups, k = {release.k}")
    return ax


def loss(release: Any, ax: Any = None) -> Any:
    """The share of each quasi-identifier in the loss."""
    ax = _axes(ax)
    measures = release.measures
    shares = {c: measures.of(c).get("attribute_share") for c in measures.columns()}
    shown = sorted(((s, c) for c, s in shares.items() if s is not None))
    ax.barh([c for _, c in shown], [100 * s for s, _ in shown])
    ax.set(xlabel="share of the loss, %", title="Where information is lost")
    return ax
