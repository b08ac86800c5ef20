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
from pykanon.api import (
    Bound,
    Certificate,
    Check,
    Curve,
    Measures,
    Release,
    anonymize,
    bound,
    check,
    check_certificate,
    evaluate,
    improve,
    tradeoff,
)
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
from pykanon.said import Identifying, Insensitive, Quasi, Sensitive
from pykanon.state import State
from pykanon.taxonomy import Taxonomy, TaxonomyCheck
from pykanon.verdict import Verdict, VerdictRow

__all__ = [
    "Bound",
    "Cancelled",
    "Certificate",
    "Check",
    "Curve",
    "DataError",
    "Error",
    "FileError",
    "Identifying",
    "InfeasibleError",
    "Insensitive",
    "InternalError",
    "Measures",
    "OutOfMemory",
    "PrivacyWarning",
    "Profile",
    "Proposal",
    "Quasi",
    "Release",
    "Sensitive",
    "State",
    "Taxonomy",
    "TaxonomyCheck",
    "UsageError",
    "Verdict",
    "VerdictRow",
    "VersionError",
    "__version__",
    "anonymize",
    "bound",
    "check",
    "check_certificate",
    "evaluate",
    "improve",
    "profile",
    "propose",
    "tradeoff",
]
