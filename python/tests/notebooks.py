"""Runs notebooks without Jupyter: python notebooks.py [--write] NOTEBOOK...

The code cells run in order in one namespace. Values at the end of a cell and figures of matplotlib become outputs, which
--write puts into the file; without it nothing is written. A cell that fails ends the run."""

import argparse
import ast
import base64
import contextlib
import io
import json
import os
import pathlib
import tempfile

import matplotlib

matplotlib.use("Agg")
from matplotlib import pyplot  # noqa: E402


def _value(code, names, place):
    """Runs a cell; the value of its last line, if that is an expression."""
    tree = ast.parse(code, place)
    last = tree.body.pop().value if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, place, "exec"), names)
    silent = last is None or code.rstrip().endswith(";")
    value = None if last is None else eval(compile(ast.Expression(last), place, "eval"), names)
    return None if silent else value


def _shown(value):
    shown = {"text/plain": repr(value)}
    as_html = getattr(value, "_repr_html_", None)
    page = as_html() if as_html is not None else None
    return {**shown, "text/html": page} if page else shown


def _figures():
    for number in pyplot.get_fignums():
        picture = io.BytesIO()
        pyplot.figure(number).savefig(picture, format="png", dpi=72, metadata={"Software": None})
        yield {"image/png": base64.b64encode(picture.getvalue()).decode()}
    pyplot.close("all")


def run(path):
    """The notebook as a dict, with the outputs of its cells."""
    notebook = json.loads(pathlib.Path(path).read_text(encoding="utf-8"))
    names = {"__name__": "__main__"}
    before = os.getcwd()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)  # what a notebook writes goes with it
        try:
            for number, cell in enumerate(c for c in notebook["cells"] if c["cell_type"] == "code"):
                printed = io.StringIO()
                with contextlib.redirect_stdout(printed):
                    value = _value("".join(cell["source"]), names, f"{pathlib.Path(path).name}, cell {number + 1}")
                shown = [_shown(value)] if value is not None and not hasattr(value, "get_figure") else []
                outputs = [{"output_type": "display_data", "metadata": {}, "data": d} for d in [*shown, *_figures()]]
                if printed.getvalue():
                    outputs.insert(0, {"output_type": "stream", "name": "stdout", "text": printed.getvalue()})
                cell["outputs"] = outputs
        finally:
            os.chdir(before)
    return notebook


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--write", action="store_true")
    parser.add_argument("notebooks", nargs="+")
    told = parser.parse_args()
    for path in told.notebooks:
        notebook = run(path)
        if told.write:
            pathlib.Path(path).write_text(json.dumps(notebook, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
