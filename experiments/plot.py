"""Figures by gnuplot, as SVG."""
import math
import shutil
import subprocess

import curves

# Colours that can be told apart by people who see fewer of them, and shapes for those who print in black.
COLOURS = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#000000", "#56b4e9", "#e69f00", "#7f7f7f", "#882255"]
SHAPES = [7, 5, 9, 11, 13, 6, 4, 8, 10]
WIDTH, HEIGHT = 560, 360


def available():
    return shutil.which("gnuplot") is not None


def quoted(text):
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def block(name, curve, order):
    """Lines of x, mean, least, most."""
    lines = [f"${name} << END"]
    for x in sorted(curve.points, key=order):
        lines.append(f"{order(x)} {curve.mean(x):.9g} {min(curve.points[x]):.9g} {max(curve.points[x]):.9g}")
    return lines + ["END"]


def across(drawn):
    """How many labels fit beside each other."""
    longest = max((len(c.label) for c in drawn), default=0)
    return 1 if longest > 24 else 2 if longest > 13 else 3


def panel_lines(experiment, figure, panel, index):
    drawn = curves.of_panel(experiment, panel)
    texts = [x for x in experiment.values({}) if isinstance(x, str)]
    order = (lambda x: texts.index(x)) if texts else float
    lines, parts = [], []
    for i, curve in enumerate(drawn):
        name = f"curve{index}_{i}"
        lines += block(name, curve, order)
        colour, shape = COLOURS[i % len(COLOURS)], SHAPES[i % len(SHAPES)]
        title = quoted(curve.label)
        if texts:
            width = 0.8 / len(drawn)
            place = (i - (len(drawn) - 1) / 2) * width
            parts.append(f"${name} using ($1{place:+.3f}):2:({width * 0.92:.3f}) with boxes fill solid 0.85 "
                         f"lc rgb '{colour}' title {title}")
            continue
        dash = " dt 2" if curve.series.get("constant") or curve.series["kind"] == "bound" else ""
        several = any(len(points) > 1 for points in curve.points.values())
        style = "1:2:3:4 with yerrorlines" if several else "1:2 with linespoints"
        parts.append(f"${name} using {style} lc rgb '{colour}' pt {shape} ps 0.7 lw 1.6{dash} title {title}")
    lines += ["unset logscale", "set autoscale", "unset xtics", "set ytics nomirror"]
    x_values = [x for x in experiment.values({}) if not isinstance(x, str)]
    if texts:
        lines.append("set xtics nomirror rotate by -35 (" + ", ".join(f"{quoted(t)} {i}" for i, t in enumerate(texts)) + ")")
        lines.append(f"set xrange [-0.6:{len(texts) - 0.4}]")
    elif figure.get("logx"):
        lines.append("set logscale x")
        ticks = figure.get("ticks", x_values)
        lines.append("set xtics nomirror (" + ", ".join(f'"{t:,}" {t}' for t in ticks) + ")")
        lines.append(f"set xrange [{min(x_values) * 0.9}:{max(x_values) * 1.1}]")
    else:
        margin = (max(x_values) - min(x_values)) * 0.03
        lines += ["set xtics nomirror autofreq", f"set xrange [{min(x_values) - margin}:{max(x_values) + margin}]"]
    if panel.get("logy"):
        lines.append("set logscale y")
        lines.append("set yrange [*:*]")
    else:
        low, high = panel.get("range", [0, "*"])
        lines.append(f"set yrange [{low}:{high}]")
    lines.append(f"set key below center horizontal Left reverse maxcols {across(drawn)} samplen 2 spacing 1.15")
    lines += [f"set xlabel {quoted(figure['xlabel'])}", f"set ylabel {quoted(panel['ylabel'])}",
              f"set title {quoted(panel.get('title', ''))}"]
    return lines + (["plot " + ", \\\n  ".join(parts)] if parts else ["set yrange [0:1]", "plot -1 notitle"])


def draw(experiment, figure, path):
    """Write the figure to `path`."""
    panels = figure["panels"]
    shown = [curves.of_panel(experiment, panel) for panel in panels]
    height = HEIGHT + max(20 * math.ceil(len(drawn) / across(drawn)) for drawn in shown)
    size = f"{WIDTH * len(panels)},{height}"
    lines = [f"set terminal svg size {size} dynamic noenhanced font 'Helvetica,13' background '#ffffff'",
             f"set output {quoted(path)}", "set encoding utf8", "set border 3 lc rgb '#444444'",
             "set grid ytics lc rgb '#dddddd' lt 1", "set bars 0.4", "set format y '%.6g'", "set boxwidth 1 absolute"]
    if len(panels) > 1:
        lines.append(f"set multiplot layout 1,{len(panels)}")
    for index, panel in enumerate(panels):
        lines += panel_lines(experiment, figure, panel, index)
    lines += ["unset multiplot"] if len(panels) > 1 else []
    done = subprocess.run(["gnuplot"], input="\n".join(lines) + "\n", text=True, capture_output=True)
    if done.returncode != 0:
        raise RuntimeError(f"gnuplot could not draw {figure['name']}: {done.stderr.strip()}")
