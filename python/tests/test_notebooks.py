"""The notebooks in examples/notebooks run, and show what they say they show."""

import pathlib

import pytest
from notebooks import run

FOLDER = pathlib.Path(__file__).resolve().parents[2] / "examples" / "notebooks"
NOTEBOOKS = ["first-release", "choosing-k", "utility", "living-data"]


@pytest.mark.skipif(not FOLDER.is_dir(), reason="the source package has no notebooks")
@pytest.mark.parametrize("name", NOTEBOOKS)
def test_notebook(name):
    outputs = [o for cell in run(FOLDER / f"{name}.ipynb")["cells"] for o in cell.get("outputs", [])]
    assert any("image/png" in o.get("data", {}) for o in outputs) or name == "living-data"
    assert any(o.get("data", {}).get("text/plain") or o.get("text") for o in outputs)


@pytest.mark.skipif(not FOLDER.is_dir(), reason="the source package has no notebooks")
def test_every_notebook_is_run():
    assert {p.stem for p in FOLDER.glob("*.ipynb")} == set(NOTEBOOKS)


def test_a_cell_that_fails_is_noticed(tmp_path):
    (tmp_path / "n.ipynb").write_text('{"cells": [{"cell_type": "code", "source": ["1 / 0"]}]}')
    with pytest.raises(ZeroDivisionError):
        run(tmp_path / "n.ipynb")
