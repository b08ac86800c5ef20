"""Tables that many tests use, and the promise that no object of the library outlives the tests."""

import gc
import random

import pytest

from pykanon import _kanon


@pytest.fixture(autouse=True, scope="session")
def nothing_stays_alive():
    yield
    gc.collect()
    assert _kanon.live_objects() == 0


@pytest.fixture
def people():
    """Made-up patients as a dict of columns."""
    rng = random.Random(7)
    n = 200
    return {
        "name": [f"person {i}" for i in range(n)],
        "age": [rng.randint(18, 90) for _ in range(n)],
        "zip": [rng.choice(["79098", "79100", "79102", "80331", "80333"]) for _ in range(n)],
        "disease": [rng.choice(["flu", "cold", "angina", "asthma"]) for _ in range(n)],
    }


@pytest.fixture
def roles():
    return {"quasi": ["age", "zip"], "identifying": ["name"], "sensitive": ["disease"], "masks": {"zip": "right"}}
