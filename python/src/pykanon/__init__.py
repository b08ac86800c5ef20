"""k-anonymity by clustering: share tables about persons so that no one in them is singled out.

>>> import pykanon
>>> people = {"age": [23, 25, 41, 44], "zip": ["79098", "79100", "79102", "79104"],
...           "disease": ["flu", "cold", "flu", "angina"]}
>>> result = pykanon.anonymize(people, quasi=["age", "zip"], sensitive=["disease"], k=2)
>>> result.table.column("age_min").to_pylist()
[23, 23, 41, 41]
>>> result.k
2
"""

from pykanon._kanon import version as __version__
from pykanon.api import Bound, Check, Curve, Release, anonymize, bound, check, evaluate, improve, tradeoff
from pykanon.before import Profile, Proposal, profile, propose
from pykanon.errors import (
    Cancelled,
    DataError,
    Error,
    FileError,
    InfeasibleError,
    InternalError,
    OutOfMemory,
    PrivacyWarning,
    UsageError,
    VersionError,
)
from pykanon.state import State

__all__ = [
    "Bound",
    "Cancelled",
    "Check",
    "Curve",
    "DataError",
    "Error",
    "FileError",
    "InfeasibleError",
    "InternalError",
    "OutOfMemory",
    "PrivacyWarning",
    "Profile",
    "Proposal",
    "Release",
    "State",
    "UsageError",
    "VersionError",
    "__version__",
    "anonymize",
    "bound",
    "check",
    "evaluate",
    "improve",
    "profile",
    "propose",
    "tradeoff",
]
