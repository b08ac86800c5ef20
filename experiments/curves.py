"""What the figures show: means over seeds of the results, as curves, and the claims that are held against them."""
import math
import re


class Curve:
    """One line of a figure: `series`, `series:figure` or `series:figure/figure` (their ratio), with or without `=label`."""

    def __init__(self, text, experiment, y):
        text, _, label = text.partition("=")
        series, _, self.y = text.partition(":")
        self.y = self.y or y
        self.series = experiment.series_named(series)
        self.label = label or self.series.get("label", self.series["name"])
        self.points = {}
        names = self.y.split("/")
        for x in experiment.values(self.series):
            rows = [[row.get(name) for name in names] for row in experiment.results.of(self.series["name"], x)]
            found = [[float(v) for v in row] for row in rows if all(row)]
            if found:
                self.points[x] = [row[0] / row[1] if len(row) > 1 else row[0] for row in found]
        if self.series.get("constant") and self.points:
            self.points = {x: next(iter(self.points.values())) for x in experiment.values({})}

    def mean(self, x):
        return math.fsum(self.points[x]) / len(self.points[x])

    def spread(self, x):
        mean = self.mean(x)
        return math.sqrt(math.fsum((v - mean) ** 2 for v in self.points[x]) / max(1, len(self.points[x]) - 1))

    def scale(self, x, low, factor):
        self.points[x] = [(v - low) * factor for v in self.points[x]]

    def relate(self):
        """To its own first point."""
        first = self.mean(next(iter(self.points))) if self.points else 1
        for x in self.points:
            self.scale(x, 0, 1 / first if first else 0)


def of_panel(experiment, panel):
    """The curves of a panel; where it says so, normalised between the best and the worst at each x, relative to each curve's
    first point, or divided by another curve."""
    curves = [Curve(text, experiment, panel["y"]) for text in panel["curves"]]
    curves = [c for c in curves if c.points]
    if panel.get("normalise"):
        for x in {x for c in curves for x in c.points}:
            means = [c.mean(x) for c in curves if x in c.points]
            width = max(means) - min(means)
            for c in curves:
                if x in c.points:
                    c.scale(x, min(means), 1 / width if width else 0)
    if panel.get("relative"):
        for c in curves:
            c.relate()
    if "divide" in panel:
        unit = Curve(panel["divide"], experiment, panel["y"])
        for c in curves:
            c.points = {x: [v / unit.mean(x) for v in found] for x, found in c.points.items() if x in unit.points}
    return curves


def number(value, digits=3):
    """A figure as people read it."""
    if value == 0:
        return "0"
    size = math.floor(math.log10(abs(value)))
    if size >= 4:
        return f"{value:,.0f}"
    return f"{value:.{max(0, digits - 1 - size)}f}"


def times(ratio):
    """A ratio as people read it: percent where it is near 1."""
    return f"{ratio:.2f}" if ratio < 10 else number(ratio, 2)


def span(ratios):
    low, high = times(min(ratios)), times(max(ratios))
    return low if low == high else f"{low} to {high}"


class Claim:
    """A statement of a paper that the results can be asked about.

    `of`, `against` and `factor` (1 unless given): at each x, `of` is below `factor` times `against`. `trend` falls or rises:
    the last point of `of` is below, or above, `factor` times its first. `stable`: the largest of `of` is at most that many
    times its smallest. `from` and `to` limit x; `relative` compares each curve divided by its first point. `ours`: not of the
    paper.

    `share` of x at which it holds, and `missed`: by what factor it is missed there, the geometric mean over all x.
    """

    def __init__(self, text, experiment, y):
        self.text = text
        y = text.get("y", y)
        curve = Curve(text["of"], experiment, y)
        if text.get("relative"):
            curve.relate()
        low, high = text.get("from", -math.inf), text.get("to", math.inf)
        inside = [x for x in curve.points if isinstance(x, str) or low <= x <= high]
        self.verdict, self.measured, self.share, self.missed = "not measured", "", 0, 1
        if not inside:
            return
        if "trend" in text:
            ratio = curve.mean(inside[-1]) / curve.mean(inside[0]) / text.get("factor", 1)
            excess = ratio if text["trend"] == "falls" else 1 / ratio
            self.decide([excess], excess < 1, f"{number(curve.mean(inside[0]))} to {number(curve.mean(inside[-1]))}")
        elif "stable" in text:
            means = [curve.mean(x) for x in inside]
            self.decide([max(means) / min(means) / text["stable"]], max(means) <= text["stable"] * min(means),
                        f"{number(min(means))} to {number(max(means))}")
        else:
            against = Curve(text["against"], experiment, y)
            if text.get("relative"):
                against.relate()
            factor = text.get("factor", 1)
            both = [x for x in inside if x in against.points and against.mean(x)]
            if not both:
                return
            ratios = [curve.mean(x) / against.mean(x) for x in both]
            good = sum(r < factor for r in ratios)
            where = f"; it holds at {good} of {len(ratios)}" if 0 < good < len(ratios) else ""
            close = sum(abs(curve.mean(x) - factor * against.mean(x)) < curve.spread(x) + factor * against.spread(x)
                        for x in both)
            where += f"; at {close} within the spread of the seeds" if close else ""
            self.decide([r / factor for r in ratios], good, span(ratios) + " times" + where)

    def decide(self, excesses, good, measured):
        """`excesses`: by x, how many times what the claim allows; `good` of them hold."""
        self.verdict = "holds" if good == len(excesses) else "depends" if good else "does not hold"
        self.measured, self.share = measured, good / len(excesses)
        self.missed = math.exp(math.fsum(math.log(max(1, e)) for e in excesses) / len(excesses))

    @property
    def stale(self):
        return self.verdict != self.text["expect"]


def fill(prose, experiment, y):
    """Replace {curve@x} by its mean, {curve/curve@x} by a ratio, and {curve/curve} by the span of the ratio over all x."""
    def at(curve, x):
        return next(curve.mean(p) for p in curve.points if str(p) == x)

    def value(match):
        first, second, x = match.groups()
        curve = Curve(first, experiment, y)
        other = Curve(second, experiment, y) if second else None
        try:
            if not other:
                return number(at(curve, x))
            if x:
                return times(at(curve, x) / at(other, x))
            ratios = [curve.mean(p) / other.mean(p) for p in curve.points if p in other.points]
            return span(ratios)
        except (StopIteration, ValueError, ZeroDivisionError):
            return "(not measured)"

    return re.sub(r"\{([^{}@/]+)(?:/([^{}@]+))?(?:@([^{}]+))?\}", value, prose.strip())
