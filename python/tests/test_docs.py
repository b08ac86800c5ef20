"""The examples of docs/python.md run."""

import doctest
import pathlib

import pytest

GUIDE = pathlib.Path(__file__).resolve().parents[2] / "docs" / "python.md"


@pytest.mark.skipif(not GUIDE.exists(), reason="the source package has no guide")
def test_guide():
    found = doctest.testfile(str(GUIDE), module_relative=False, optionflags=doctest.ELLIPSIS)
    assert found.attempted > 10 and found.failed == 0
