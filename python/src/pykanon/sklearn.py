"""A transformer for pipelines of scikit-learn."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal

from sklearn.base import BaseEstimator, TransformerMixin

import pykanon
from pykanon import arguments
from pykanon.run import Progress
from pykanon.said import Bands, Columns, Constraint, Edge, Names, Schema, Setting, Tree

_ROWS = "labels belong to rows, which stay in their order"
_REASONS = {"shuffle": _ROWS, "shuffle_seed": _ROWS, "index": "it is kept"}


class Anonymizer(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Anonymises a frame inside a pipeline: ``fit_transform`` only.

    There is no ``transform``. Groups are made of all records together: new rows could neither join them without changing
    what was released, nor be k-anonymous by themselves. ``pykanon.State`` keeps a release up to date instead. In a
    pipeline it can therefore be the last step only: scikit-learn refuses any other step without ``transform``. A
    pipeline that has to predict for new rows is trained on the output of ``fit_transform``.

    The output has as many rows as the input, in their order, so that labels still belong to them. Records that
    ``suppress=0.02`` suppresses therefore stay as rows without values (``suppressed="keep"``); where they would be no class
    that satisfies everything, none is suppressed. With ``suppressed="drop"`` a release that lacks rows is an error.

    Each option of :func:`pykanon.anonymize` is a parameter, except for ``shuffle``; numbers become means by default.

    >>> import pandas as pd
    >>> from pykanon.sklearn import Anonymizer
    >>> frame = pd.DataFrame({"age": [23, 25, 41, 44], "income": [1, 2, 3, 4]})
    >>> Anonymizer(quasi=["age"], insensitive=["income"], k=2, numeric="mean").fit_transform(frame)["age"].tolist()
    [24.0, 24.0, 42.5, 42.5]
    """

    @functools.partial(arguments.checked, reasons=_REASONS, look_at_values=False)  # fit() looks at them
    def __init__(
        self,
        # generated: sklearn
        k: int | None = None,
        quasi: Names = None,
        sensitive: Names = None,
        identifying: Names = None,
        schema: Schema = None,
        columns: Columns = None,
        *,
        insensitive: Names = None,
        default_role: Literal["quasi", "sensitive", "identifying", "insensitive"] | None = None,
        taxonomies: Mapping[str, Tree] | None = None,
        bands: Mapping[str, Bands] | None = None,
        top: Mapping[str, Edge] | None = None,
        bottom: Mapping[str, Edge] | None = None,
        masks: Mapping[str, Literal["right", "left"]] | None = None,
        weights: Mapping[str, float] | None = None,
        permute: Names = None,
        ends: Mapping[str, Literal["exact", "drawn"]] | None = None,
        types: Mapping[str, Literal["integer", "decimal", "date", "categorical", "ordinal"]] | None = None,
        orders: Mapping[str, Sequence[Any]] | None = None,
        formats: Mapping[str, str] | None = None,
        missing: Names = None,
        empty: Literal["missing", "value"] | None = None,
        decimal: str | Mapping[str, str] | None = None,
        thousands: str | Mapping[str, str] | None = None,
        algorithm: str | None = None,
        settings: Mapping[str, Setting] | None = None,
        constraints: Constraint | Iterable[Constraint] | None = None,
        entity: str | None = None,
        entity_together: bool = False,
        suppress: float | str | None = None,
        suppressed: Literal["drop", "keep"] | None = "keep",
        singled_out: float | str | None = None,
        key: Names = None,
        refine: str | None = None,
        effort: Literal["fast", "balanced", "best"] | None = None,
        moves: int | None = None,
        time_limit: float | None = None,
        refine_settings: Mapping[str, Setting] | None = None,
        recode: Literal["record", "attribute"] = "record",
        blocks: int | Literal["auto", "none"] = "auto",
        memory: int | str = 0,
        seed: int = 0,
        threads: int = 0,
        numeric: Literal["columns", "interval", "mean"] = "mean",
        strict: bool = False,
        # end
        progress: Progress = None,
    ) -> None:
        self.__dict__.update({name: value for name, value in locals().items() if name != "self"})

    def fit(self, X: Any, y: Any = None) -> Anonymizer:
        """Groups the records; ``release_`` is the :class:`pykanon.Release`."""
        self.release_ = pykanon.anonymize(X, index="keep", **self.get_params(deep=False))
        return self

    def fit_transform(self, X: Any, y: Any = None, **fit_params: Any) -> Any:
        """The release of these records, in their order."""
        release = self.fit(X, y).release_
        if len(release.table) != release.records:
            raise pykanon.UsageError(
                f"{release.n_suppressed} of {release.records} rows are suppressed and not in the release",
                "Leave out suppressed='drop', or say suppress=0; labels would no longer belong to their rows.",
            )
        return release.table
