"""The verdict: what decides whether a release may be given away, row by row."""

from __future__ import annotations

import html
from collections.abc import Iterable
from typing import NamedTuple


class VerdictRow(NamedTuple):
    """One row of a :class:`Verdict`."""

    name: str
    heading: str
    mark: str
    """``met``, ``failed``, ``look`` (somebody should look before the data are given away) or ``not shown``."""
    sentence: str
    asked: bool
    """The row was required: the verdict fails where it is not met."""


class Verdict(tuple[VerdictRow, ...]):
    """The rows of a verdict, in the order and the words of the report and the program. ``bool(verdict)``: no row failed, and
    all that was asked could be shown. ``pandas.DataFrame(verdict)`` is a table of it."""

    def __new__(cls, rows: Iterable[tuple[str, str, str, str, bool]]) -> Verdict:
        return super().__new__(cls, (VerdictRow(*row) for row in rows))

    def __bool__(self) -> bool:
        return not any(row.mark == "failed" or (row.mark == "not shown" and row.asked) for row in self)

    def __repr__(self) -> str:
        return "\n".join(f"{row.mark:<9} {row.heading}: {row.sentence}" for row in self)

    def _repr_html_(self) -> str:
        cells = "".join(
            f"<tr><td>{row.mark}</td><th style='text-align:left'>{html.escape(row.heading)}</th>"
            f"<td style='text-align:left'>{html.escape(row.sentence)}</td></tr>"
            for row in self
        )
        return f"<table>{cells}</table>"
