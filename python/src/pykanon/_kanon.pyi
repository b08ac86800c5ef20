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
def schema_set(schema: _Handle, name: str, column: str | None, value: str | bytes | None, /) -> None: ...
def schema_get(schema: _Handle, name: str, column: str | None, /) -> str | None: ...
def table_import(
    schema: _Handle, stream: Any, ticker: _Handle, threads: int = ..., strict: bool = ..., memory: int = ...,
    domain: _Handle | None = ...,
) -> _Handle: ...
def table_describe(table: _Handle, /) -> tuple[int, list[tuple[str, str, str]], list[str], int]: ...
def anonymize(
    table: _Handle,
    ticker: _Handle,
    /,
    *,
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
    recode: str = ...,
    suppress: str | None = ...,
    start: _Handle | None = ...,
    repair: bool = ...,
) -> _Handle: ...
def grouping_new(table: _Handle, groups: bytes, /) -> _Handle: ...
def grouping_from_release(table: _Handle, schema: _Handle, release: Any, /) -> _Handle: ...
def grouping_describe(grouping: _Handle, /) -> tuple[int, int, int, int, str | None, list[str], list[str], int]: ...
def grouping_rows(grouping: _Handle, /) -> bytes: ...
def evaluate_release(
    table: _Handle, schema: _Handle, release: Any, ticker: _Handle, settings: dict[str, str] | None = ..., k: int = ...,
    threads: int = ...
) -> list[tuple[str, str | None, float | int | None, str]]: ...
def verdict(table: _Handle, grouping: _Handle, shuffle: bool, threads: int, /) -> list[tuple[str, str, str, str, bool]]: ...
def advise(table: _Handle, grouping: _Handle, /) -> list[tuple[str, str]]: ...
def evaluate(
    table: _Handle,
    grouping: _Handle,
    ticker: _Handle,
    settings: dict[str, str] | None = ...,
    threads: int = ...,
    brief: bool = ...,
    k: int = ...,
    certificate: str | None = ...,
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
    certificate: str | None = ...,
) -> bytes | None: ...
def check(
    schema: _Handle,
    stream: Any,
    ticker: _Handle,
    k: int = ...,
    risk_threshold: float = ...,
    original: Any = ...,
    earlier: list[Any] = ...,
    population: Any = ...,
    key: list[str] = ...,
) -> dict[str, Any]: ...
def bound(
    table: _Handle,
    ticker: _Handle,
    k: int = ...,
    seconds: float = ...,
    rounds: int = ...,
    threads: int = ...,
    certificate: str | None = ...,
) -> dict[str, Any]: ...
def certificate_check(table: _Handle, certificate: str | bytes, ticker: _Handle, threads: int, /) -> dict[str, Any]: ...
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
    refine: str | None = ...,
    measure_settings: dict[str, str] | None = ...,
) -> list[dict[str, Any]]: ...
def profile(table: _Handle, ticker: _Handle, threads: int = ..., seed: int = ..., costs: bool = ...) -> bytes: ...
def propose(stream: Any, ticker: _Handle, threads: int = ..., bands: bool = ...) -> dict[str, Any]: ...
def catalogue() -> dict[str, list[tuple[str, str]]]: ...
def state_create(
    path: str,
    table: _Handle,
    schema: _Handle,
    grouping: _Handle,
    ticker: _Handle,
    joint_k: int = ...,
    released: bool = ...,
) -> None: ...
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
    effort: str | None = ...,
    refine: str | None = ...,
) -> tuple[dict[str, Any], bytes]: ...
def state_release(
    state: _Handle, numeric: int = ..., joint_k: int = ..., shuffle: bool = ..., shuffle_seed: int = ...
) -> tuple[dict[str, Any], Any]: ...
def state_describe(state: _Handle, /) -> dict[str, Any]: ...
def state_audit(state: _Handle, k: int, /) -> dict[str, Any]: ...
def taxonomy_read(source: str | bytes, form: int, /) -> _Handle: ...
def taxonomy_build(
    table: Any, column: str, method: int, levels: str, missing: list[str], empty_is_value: bool, schema: _Handle | None, /
) -> _Handle: ...
def taxonomy_count(
    taxonomy: _Handle, table: Any, column: str, missing: list[str], empty_is_value: bool, schema: _Handle | None, /
) -> int: ...
def taxonomy_nodes(taxonomy: _Handle, /) -> list[tuple[str, int, int, int, int]]: ...
def taxonomy_write(taxonomy: _Handle, path: str | None, form: int, /) -> bytes | None: ...
def taxonomy_check(
    source: str | bytes, form: int, table: Any, column: str | None, missing: list[str], empty_is_value: bool, schema: _Handle | None, /
) -> dict[str, Any]: ...
def blocks_allow(
    schema: _Handle,
    /,
    *,
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
    recode: str = ...,
    suppress: str | None = ...,
) -> None: ...
def domain_read(
    schema: _Handle, stream: Any, places: bytes, ticker: _Handle, threads: int = ..., strict: bool = ...
) -> _Handle: ...
def domain_seal(domain: _Handle, schema: _Handle, /) -> None: ...
def domain_describe(domain: _Handle, /) -> tuple[int, list[str]]: ...
def cuts_new(domain: _Handle, least: int, /) -> _Handle: ...
def cuts_describe(cuts: _Handle, /) -> tuple[bool, int, list[int]]: ...
def cuts_count(cuts: _Handle, table: _Handle, /) -> _Handle: ...
def cuts_next(cuts: _Handle, counts: _Handle, /) -> None: ...
def cuts_block_of(cuts: _Handle, table: _Handle, /) -> bytes: ...
def block_memory(
    cuts: _Handle,
    schema: _Handle,
    records: int,
    /,
    *,
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
    recode: str = ...,
    suppress: str | None = ...,
) -> int: ...
def block_group(
    table: _Handle,
    cuts: _Handle,
    block: int,
    ticker: _Handle,
    /,
    *,
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
    recode: str = ...,
    suppress: str | None = ...,
) -> _Handle: ...
def block_groups_new(table: _Handle, grouping: _Handle, cuts: _Handle, block: int, places: bytes, /) -> _Handle: ...
def rest_new(groups: _Handle, /) -> _Handle: ...
def rest_offer(rest: _Handle, groups: _Handle, /) -> _Handle: ...
def rest_place(rest: _Handle, offers: _Handle, /) -> None: ...
def rest_describe(rest: _Handle, /) -> tuple[bool, int, list[tuple[int, int, int, int]]]: ...
def tally_new(table: _Handle, grouping: _Handle, /) -> _Handle: ...
def tally_verdict(tally: _Handle, domain: _Handle, singled_out: float, /) -> list[tuple[str, str, str, str, bool]]: ...
def tally_measures(
    tally: _Handle, domain: _Handle, /
) -> tuple[list[tuple[str, str | None, float | int | None, str]], list[str]]: ...
def piece_write(piece: _Handle, /) -> bytes: ...
def piece_read(bytes: bytes, domain: _Handle | None = ..., /) -> _Handle: ...
def piece_merge(into: _Handle, other: _Handle, /) -> None: ...
