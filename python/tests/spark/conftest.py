"""A cluster for all tests here: a master and three workers as processes of their own. ``make check-spark`` runs them."""

import subprocess

import pytest

try:
    import pyspark  # noqa: F401
except ImportError:
    collect_ignore_glob = ["test_*.py"]
else:
    from cluster import Cluster
    from tables import DATA, PROGRAM, Table, texts_of


@pytest.fixture(scope="session")
def cluster():
    with Cluster(workers=3) as cluster:
        yield cluster


@pytest.fixture(scope="session")
def spark(cluster):
    """Speculation is on: a slow task is started twice, and either result is taken."""
    session = cluster.session(**{
        "spark.speculation": "true", "spark.speculation.interval": "50ms", "spark.speculation.multiplier": "1.1",
        "spark.speculation.quantile": "0.1", "spark.speculation.minTaskRuntime": "100ms",
    })  # fmt: skip
    yield session
    session.stop()


@pytest.fixture(scope="session")
def adult(tmp_path_factory):
    """A tenth of Adult, with the taxonomies of the papers."""
    if not (DATA / "adult" / "adult.csv").exists():
        pytest.skip("adult.csv is not there")
    columns = texts_of(DATA / "adult" / "adult.csv")
    tenth = columns.take(list(range(0, columns.num_rows, 10)))
    return Table(tmp_path_factory.mktemp("adult"), tenth, ["-s", DATA / "adult" / "adult8.yaml"])


@pytest.fixture(scope="session")
def hospital(tmp_path_factory):
    """Made-up patients: a date, a mask, taxonomies, missing values."""
    folder = tmp_path_factory.mktemp("hospital")
    subprocess.run([PROGRAM, "sample", "hospital", "--rows", "3000", "--seed", "5", "-q", "-o", folder], check=True)
    return Table(folder, texts_of(folder / "hospital.csv"), ["-s", folder / "hospital.yaml"])


@pytest.fixture(autouse=True, scope="session")
def nothing_is_kept():
    """The last plan that ran in this process is kept, for the next task: it must not look like a leak."""
    yield
    from pykanon.spark import plan

    plan._last.clear()
