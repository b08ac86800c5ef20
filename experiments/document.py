"""docs/experiments.md: every number in it is computed from the results."""
import os
import textwrap

import curves

WIDTH = 120

PAPERS = {
    "lin": "Lin and Wei: oka against kmember",
    "rashidy": "El-Rashidy and others: k-means with adjusted sizes",
    "loukides": "Loukides and Shao: utility and protection",
    "truta": "Truta and Campan: tables that change",
    "ours": "This project's own, on the same axes",
}


def wrap(text, indent=""):
    return textwrap.wrap(text, WIDTH, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)


def cell(curve, x):
    if x not in curve.points:
        return ""
    mean, spread = curve.mean(x), curve.spread(x)
    # what is smaller comes from rounding, not from the seeds
    varies = len(curve.points[x]) > 1 and spread > 1e-9 * abs(mean)
    return curves.number(mean) + (f" ± {curves.number(spread, 2)}" if varies else "")


def columns(label, rows, drawn):
    """A table with one column per curve; where its lines would be too long, several tables."""
    lines = [f"| {label} | " + " | ".join(c.label for c in drawn) + " |", "|-:|" + "-:|" * len(drawn)]
    lines += [f"| {f'{x:,}' if isinstance(x, int) else x} | " + " | ".join(cell(c, x) for c in drawn) + " |" for x in rows]
    if len(drawn) == 1 or max(map(len, lines)) <= WIDTH:
        return lines + [""]
    half = (len(drawn) + 1) // 2
    return columns(label, rows, drawn[:half]) + columns(label, rows, drawn[half:])


def table(experiment, figure, panel):
    drawn = curves.of_panel(experiment, panel)
    if not drawn:
        return ["(not measured)", ""]
    title = f"{panel['ylabel']}, {panel['title']}" if panel.get("title") else panel["ylabel"]
    rows = [x for x in experiment.values({}) if any(x in c.points for c in drawn)]
    return wrap(f"{title}:") + [""] + columns(figure["xlabel"], rows, drawn)


def claims_of(experiment, figure):
    return [curves.Claim(text, experiment, text.get("y", figure["panels"][0]["y"])) for text in figure.get("claim", [])]


def summary(shown):
    """How many claims hold, and the table of all."""
    verdicts = [c.verdict for e, f in shown if not f["name"].startswith("ours") for c in claims_of(e, f)]
    hold, depend, do_not = (verdicts.count(v) for v in ("holds", "depends", "does not hold"))
    lines = wrap(f"Of {len(verdicts)} claims of the papers and variations of them, {hold} hold, {depend} depend on x or on what "
                 f"is compared, and {do_not} do not hold. A ratio is that of the first to the second in the claim, from the "
                 "minimum to the maximum over all x of the figure.") + [""]
    for experiment, figure in shown:
        for claim in claims_of(experiment, figure):
            why = curves.fill(claim.text.get("why", ""), experiment, claim.text.get("y", figure["panels"][0]["y"]))
            text = f"- [{figure['name']}](#{figure['name']}): {claim.text['text']}. **{claim.verdict.capitalize()}**: {claim.measured}."
            lines += wrap(text + (f" Reason: {why}." if why else ""), "  ")
    return lines + [""]


def section(experiment, figure):
    y = figure["panels"][0]["y"]
    lines = [f"### {figure['name']}", ""] + wrap(f"{figure['title']}. `experiments/{experiment.name}.toml`") + ["",
             f"![{figure['name']}](experiments/{figure['name']}.svg)", ""]
    if "paper" in figure:
        lines += wrap("*The paper:* " + figure["paper"].strip()) + [""]
    if "here" in figure:
        lines += wrap("*Here:* " + curves.fill(figure["here"], experiment, y)) + [""]
    for panel in figure["panels"]:
        if panel.get("table", True):
            lines += table(experiment, figure, panel)
    return lines


def write(path, experiments, introduction):
    """Write the page; returns what was said with another outcome in mind."""
    shown = [(e, f) for e in experiments for f in e.figures]
    stale = [f"{e.name}.toml, {f['name']}: {c.text['text']}: {c.verdict}, not {c.text['expect']}"
             for e, f in shown for c in claims_of(e, f) if c.stale]
    with open(introduction, encoding="utf-8") as f:
        lines = f.read().rstrip("\n").split("\n") + ["", "## Claims", ""] + summary(shown)
    for paper, title in PAPERS.items():
        lines += [f"## {title}", ""]
        for experiment, figure in shown:
            if figure["name"].split("-")[0] == paper:
                lines += section(experiment, figure)
    with open(path + ".part", "w", encoding="utf-8") as f:
        f.write("\n".join(lines).rstrip("\n") + "\n")
    os.replace(path + ".part", path)
    return stale
