"""The extension: functions of libkanon on capsules. Use the package instead."""
from typing import Any

Handle = Any
version: str

def live_objects() -> int: ...
def ticker_new() -> Handle: ...
def ticker_read(ticker: Handle, /) -> tuple[str, int, int, str, int]: ...
def ticker_stop(ticker: Handle, finish: bool = ..., /) -> None: ...
def schema_new(path: str | None, /) -> Handle: ...
def schema_set(schema: Handle, what: str, column: str | None, value: str, /) -> None: ...
def table_import(
    schema: Handle, stream: Any, ticker: Handle, threads: int = ..., strict: bool = ..., memory: int = ...
) -> Handle: ...
def table_describe(table: Handle, /) -> tuple[int, list[tuple[str, str, str]], list[str]]: ...
def anonymize(
    table: Handle,
    ticker: Handle,
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
) -> Handle: ...
def grouping_new(table: Handle, groups: bytes, /) -> Handle: ...
def grouping_describe(grouping: Handle, /) -> tuple[int, int, int, int, str | None, list[str], list[str]]: ...
def grouping_rows(grouping: Handle, /) -> bytes: ...
def evaluate(
    table: Handle,
    grouping: Handle,
    ticker: Handle,
    settings: dict[str, str] | None = ...,
    threads: int = ...,
    brief: bool = ...,
) -> list[tuple[str, str | None, float | int | None, str]]: ...
def release(
    table: Handle, grouping: Handle, ticker: Handle, numeric: int = ..., shuffle: bool = ..., threads: int = ...
) -> Any: ...
def publish(
    table: Handle,
    grouping: Handle,
    ticker: Handle,
    what: str,
    path: str | None,
    name: str = ...,
    numeric: int = ...,
    shuffle: bool = ...,
    threads: int = ...,
) -> bytes | None: ...
def check(schema: Handle, stream: Any, ticker: Handle, k: int = ..., risk_threshold: float = ...) -> dict[str, Any]: ...
def bound(
    table: Handle,
    ticker: Handle,
    k: int = ...,
    seconds: float = ...,
    rounds: int = ...,
    threads: int = ...,
    certificate: str | None = ...,
) -> dict[str, Any]: ...
def tradeoff(
    table: Handle,
    ticker: Handle,
    k: str | None = ...,
    suppress: str | None = ...,
    algorithm: str | None = ...,
    settings: dict[str, str] | None = ...,
    effort: str | None = ...,
    seed: int = ...,
    threads: int = ...,
    plot: str | None = ...,
) -> list[dict[str, Any]]: ...
def catalogue() -> dict[str, list[tuple[str, str]]]: ...
def state_create(path: str, table: Handle, schema: Handle, grouping: Handle, ticker: Handle) -> None: ...
def state_open(path: str, wait_seconds: int, ticker: Handle, /) -> Handle: ...
def state_change(
    state: Handle,
    what: str,
    stream: Any,
    grow_taxonomy: bool = ...,
    joint_k: int = ...,
    path: str | None = ...,
    want_release: bool = ...,
    numeric: int = ...,
) -> tuple[dict[str, Any], bytes]: ...
def state_describe(state: Handle, /) -> dict[str, Any]: ...
def state_audit(state: Handle, k: int, /) -> dict[str, Any]: ...
