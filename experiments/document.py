"""docs/experiments.md: every number in it is computed from the results."""
import os

import curves

PAPERS = {
    "lin": "Lin and Wei: oka against kmember",
    "rashidy": "El-Rashidy and others: k-means with adjusted sizes",
    "loukides": "Loukides and Shao: utility and protection",
    "truta": "Truta and Campan: tables that change",
    "ours": "This project's own, on the same axes",
}


def cell(curve, x):
    if x not in curve.points:
        return ""
    text = curves.number(curve.mean(x))
    return text + (f" ± {curves.number(curve.spread(x), 2)}" if len(curve.points[x]) > 1 and curve.spread(x) > 0 else "")


def table(experiment, figure, panel):
    drawn = curves.of_panel(experiment, panel)
    if not drawn:
        return ["(not measured)", ""]
    title = f"{panel['ylabel']}, {panel['title']}" if panel.get("title") else panel["ylabel"]
    lines = [f"{title}:", "", f"| {figure['xlabel']} | " + " | ".join(c.label for c in drawn) + " |",
             "|-:|" + "-:|" * len(drawn)]
    for x in experiment.values({}):
        if any(x in c.points for c in drawn):
            lines.append(f"| {x:,} | " if isinstance(x, int) else f"| {x} | ")
            lines[-1] += " | ".join(cell(c, x) for c in drawn) + " |"
    return lines + [""]


def claims_of(experiment, figure):
    return [curves.Claim(text, experiment, text.get("y", figure["panels"][0]["y"])) for text in figure.get("claim", [])]


def summary(shown):
    """How many claims hold, and the table of all."""
    verdicts = [c.verdict for e, f in shown if not f["name"].startswith("ours") for c in claims_of(e, f)]
    hold, depend, do_not = (verdicts.count(v) for v in ("holds", "depends", "does not hold"))
    lines = [f"Of {len(verdicts)} claims, the papers' and variations on them, {hold} hold, {depend} depend on x or on what",
             f"is compared, and {do_not} do not hold. A ratio is that of the first to the second in the claim, from the",
             "least to the most over all x of the figure.", ""]
    lines += ["| | The claim | | Measured | Why |", "|-|-|-|-|-|"]
    for experiment, figure in shown:
        for claim in claims_of(experiment, figure):
            why = curves.fill(claim.text.get("why", ""), experiment, claim.text.get("y", figure["panels"][0]["y"]))
            link = f"[{figure['name']}](#{figure['name']})"
            lines.append(f"| {link} | {claim.text['text']} | **{claim.verdict}** | {claim.measured} | {why} |")
    return lines + [""]


def section(experiment, figure):
    y = figure["panels"][0]["y"]
    lines = [f"### {figure['name']}", "", f"{figure['title']}. `experiments/{experiment.name}.toml`", "",
             f"![{figure['title']}](experiments/{figure['name']}.svg)", ""]
    if "paper" in figure:
        lines += ["*The paper:* " + figure["paper"].strip(), ""]
    if "here" in figure:
        lines += ["*Here:* " + curves.fill(figure["here"], experiment, y), ""]
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
