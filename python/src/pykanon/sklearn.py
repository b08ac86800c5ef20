"""A transformer for pipelines of scikit-learn."""

from __future__ import annotations

from typing import Any, Literal

from sklearn.base import BaseEstimator, TransformerMixin

import pykanon


class Anonymizer(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Anonymises a frame inside a pipeline: ``fit_transform`` only.

    There is no ``transform``. Groups are made of all records together: new rows could neither join them without changing
    what was released, nor be k-anonymous by themselves. ``pykanon.State`` keeps a release up to date instead. In a
    pipeline it can therefore be the last step only: scikit-learn refuses any other step without ``transform``. A
    pipeline that has to predict for new rows is trained on the output of ``fit_transform``.

    The output has as many rows as the input, in their order, so that labels still belong to them. Records that
    ``options={"suppress": 0.02}`` suppresses therefore stay as rows without values (``suppressed="keep"``); where they would
    be no class that satisfies everything, none is suppressed. With ``"suppressed": "drop"`` a release that lacks rows is an
    error.

    >>> import pandas as pd
    >>> from pykanon.sklearn import Anonymizer
    >>> frame = pd.DataFrame({"age": [23, 25, 41, 44], "income": [1, 2, 3, 4]})
    >>> Anonymizer(quasi=["age"], insensitive=["income"], k=2, numeric="mean").fit_transform(frame)["age"].tolist()
    [24.0, 24.0, 42.5, 42.5]
    """

    def __init__(
        self,
        k: int = 10,
        quasi: Any = None,
        sensitive: Any = None,
        identifying: Any = None,
        insensitive: Any = None,
        numeric: Literal["columns", "interval", "mean"] = "mean",
        options: dict[str, Any] | None = None,
    ) -> None:
        self.k = k
        self.quasi = quasi
        self.sensitive = sensitive
        self.identifying = identifying
        self.insensitive = insensitive
        self.numeric = numeric
        self.options = options

    def fit(self, X: Any, y: Any = None) -> Anonymizer:
        """Groups the records; ``release_`` is the :class:`pykanon.Release`."""
        self.release_ = pykanon.anonymize(
            X, k=self.k, quasi=self.quasi, sensitive=self.sensitive, identifying=self.identifying,
            insensitive=self.insensitive, numeric=self.numeric,
            **{"index": "keep", "suppressed": "keep", **(self.options or {})},
        )  # fmt: skip
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
