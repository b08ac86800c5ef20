"""The extension: functions of libkanon on capsules. Use the package instead."""
from typing import Any

_Handle = Any
version: str

def live_objects() -> int: ...
def ticker_new() -> _Handle: ...
def ticker_read(ticker: _Handle, /) -> tuple[str, int, int, str, int]: ...
def ticker_stop(ticker: _Handle, finish: bool = ..., /) -> None: ...
def ticker_reset(ticker: _Handle, /) -> None: ...
def schema_new(path: str | None, text: str | None = ..., /) -> _Handle: ...
def schema_set(schema: _Handle, what: str, column: str | None, value: str, /) -> None: ...
def table_import(
    schema: _Handle, stream: Any, ticker: _Handle, threads: int = ..., strict: bool = ..., memory: int = ...
) -> _Handle: ...
def table_describe(table: _Handle, /) -> tuple[int, list[tuple[str, str, str]], list[str], int]: ...
def anonymize(
    table: _Handle,
    ticker: _Handle,
    k: int = ...,
    algorithm: str | None = ...,
    settings: dict[str, str] | None = ...,
    seed: int = ...,
    threads: int = ...,
    refine: str | None = ...,
    refine_settings: dict[str, str] | None = ...,
    blocks: int = ...,
    memory: int = ...,
    effort: str | None = ...,
    by_attribute: bool = ...,
    suppress: str | None = ...,
    start: _Handle | None = ...,
    repair: bool = ...,
) -> _Handle: ...
def grouping_new(table: _Handle, groups: bytes, /) -> _Handle: ...
def grouping_from_release(table: _Handle, schema: _Handle, path: str, /) -> _Handle: ...
def grouping_describe(grouping: _Handle, /) -> tuple[int, int, int, int, str | None, list[str], list[str]]: ...
def grouping_rows(grouping: _Handle, /) -> bytes: ...
def evaluate(
    table: _Handle,
    grouping: _Handle,
    ticker: _Handle,
    settings: dict[str, str] | None = ...,
    threads: int = ...,
    brief: bool = ...,
) -> list[tuple[str, str | None, float | int | None, str]]: ...
def release(
    table: _Handle, grouping: _Handle, ticker: _Handle, numeric: int = ..., shuffle: bool = ..., threads: int = ...,
    shuffle_seed: int = ...,
) -> Any: ...
def publish(
    table: _Handle,
    grouping: _Handle,
    ticker: _Handle,
    what: str,
    path: str | None,
    name: str = ...,
    numeric: int = ...,
    shuffle: bool = ...,
    threads: int = ...,
    shuffle_seed: int = ...,
) -> bytes | None: ...
def check(schema: _Handle, stream: Any, ticker: _Handle, k: int = ..., risk_threshold: float = ...) -> dict[str, Any]: ...
def bound(
    table: _Handle,
    ticker: _Handle,
    k: int = ...,
    seconds: float = ...,
    rounds: int = ...,
    threads: int = ...,
    certificate: str | None = ...,
) -> dict[str, Any]: ...
def tradeoff(
    table: _Handle,
    ticker: _Handle,
    k: str | None = ...,
    suppress: str | None = ...,
    algorithm: str | None = ...,
    settings: dict[str, str] | None = ...,
    effort: str | None = ...,
    seed: int = ...,
    threads: int = ...,
    plot: str | None = ...,
) -> list[dict[str, Any]]: ...
def profile(table: _Handle, ticker: _Handle, threads: int = ..., seed: int = ..., costs: bool = ...) -> bytes: ...
def propose(stream: Any, ticker: _Handle, threads: int = ..., bands: bool = ...) -> dict[str, Any]: ...
def catalogue() -> dict[str, list[tuple[str, str]]]: ...
def state_create(path: str, table: _Handle, schema: _Handle, grouping: _Handle, ticker: _Handle) -> None: ...
def state_open(path: str, wait_seconds: int, ticker: _Handle, /) -> _Handle: ...
def state_change(
    state: _Handle,
    what: str,
    stream: Any,
    grow_taxonomy: bool = ...,
    joint_k: int = ...,
    path: str | None = ...,
    want_release: bool = ...,
    numeric: int = ...,
    again: bool = ...,
    shuffle: bool = ...,
    shuffle_seed: int = ...,
) -> tuple[dict[str, Any], bytes]: ...
def state_release(
    state: _Handle, numeric: int = ..., joint_k: int = ..., shuffle: bool = ..., shuffle_seed: int = ...
) -> tuple[dict[str, Any], Any]: ...
def state_describe(state: _Handle, /) -> dict[str, Any]: ...
def state_audit(state: _Handle, k: int, /) -> dict[str, Any]: ...
