"""The examples of docs/spark.md run."""

import doctest
import pathlib

import pytest

GUIDE = pathlib.Path(__file__).resolve().parents[3] / "docs" / "spark.md"


@pytest.mark.skipif(not GUIDE.exists(), reason="the source package has no guide")
def test_guide(spark, tmp_path):
    found = doctest.testfile(
        str(GUIDE), module_relative=False, optionflags=doctest.ELLIPSIS, globs={"spark": spark, "folder": str(tmp_path)}
    )
    assert found.attempted > 8 and found.failed == 0
