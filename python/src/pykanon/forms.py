"""How generalised numbers are released."""

from __future__ import annotations

from collections.abc import Mapping

from pykanon.errors import UsageError

#: In tables: two columns NAME_min and NAME_max, a text ``[20..29]``, or the mean of the group.
TABLE = {"columns": 4, "interval": 1, "mean": 3}
#: In CSV files: ``[20..29]``, ``[20,29]``, the mean, or two columns.
CSV = {"interval": 1, "range": 2, "mean": 3, "columns": 4}


def of(name: str, known: Mapping[str, int]) -> int:
    """The number of a form; an unknown name is an error that lists the known ones."""
    if name not in known:
        raise UsageError(f"numeric: there is no '{name}'", f"choose one of: {', '.join(known)}")
    return known[name]
