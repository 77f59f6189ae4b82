"""Cells of JSON as columns with types: the same types that the server gives a result in the format Arrow.

A column with a value that does not fit its type (infinity as a date, nanoseconds) becomes text as a whole.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from datetime import date, datetime, time, timezone
from decimal import Decimal, InvalidOperation
from html import escape
from typing import TYPE_CHECKING, Any, Callable, NamedTuple, NoReturn, Optional

from .errors import NOT_IMPLEMENTED, DataProductError
from .records import Record

if TYPE_CHECKING:
    import pandas
    import polars
    import pyarrow

_INTEGERS = {
    "TINYINT": "int8",
    "SMALLINT": "int16",
    "INTEGER": "int32",
    "INT": "int32",
    "BIGINT": "int64",
    "UTINYINT": "uint8",
    "USMALLINT": "uint16",
    "UINTEGER": "uint32",
    "UBIGINT": "uint64",
}
_DECIMAL = re.compile(r"(?:DECIMAL|NUMERIC)\((\d+)(?:,\s*(\d+))?\)")
_CLOCK = re.compile(r"(\d\d):(\d\d):(\d\d)(?:\.(\d+))?", re.ASCII)


class Column(NamedTuple):
    """``kind`` is a name of Arrow's types (``int32``, ``text``…) or ``decimal``, which has a precision and a scale."""

    name: str
    kind: str
    values: list[Any]
    precision: int = 38
    scale: int = 0
    is_whole: bool = False
    """Whether the engine's type is one of integers, that fit only into a decimal."""


def unique_names(names: Sequence[str]) -> list[str]:
    """Names of which no two are equal; a second ``id`` is ``id_2``."""
    taken: set[str] = set()
    unique = []
    for name in names:
        candidate, n = name, 2
        while candidate.lower() in taken:
            candidate, n = f"{name}_{n}", n + 1
        taken.add(candidate.lower())
        unique.append(candidate)
    return unique


def columns_of(cols: Sequence[Record], rows: Sequence[Sequence[Any]]) -> list[Column]:
    names = unique_names([str(col["name"]) for col in cols])
    return [_column(name, col, [row[at] for row in rows]) for at, (name, col) in enumerate(zip(names, cols))]


def _column(name: str, col: Record, cells: list[Any]) -> Column:
    kind, precision, scale = _kind_of(str(col.get("engine_type", "")).upper())
    read = _READERS.get(kind, _integer if "int" in kind else None)
    if read is None:
        return Column(name, "text", [_text(cell) for cell in cells])
    try:
        values = [None if cell is None else read(cell) for cell in cells]
        _check_fit(kind, values, precision, scale)
    except (ValueError, TypeError, InvalidOperation):
        return Column(name, "text", [_text(cell) for cell in cells])
    return Column(name, kind, values, precision, scale, is_whole=_is_huge(col))


def _is_huge(col: Record) -> bool:
    return str(col.get("engine_type", "")).upper() == "HUGEINT"


def _kind_of(engine_type: str) -> tuple[str, int, int]:
    if engine_type in _INTEGERS:
        return _INTEGERS[engine_type], 0, 0
    decimal = _DECIMAL.fullmatch(engine_type)
    if decimal is not None:
        return "decimal", int(decimal.group(1)), int(decimal.group(2) or 0)
    fixed = {
        "HUGEINT": "decimal",
        "BOOLEAN": "bool",
        "DOUBLE": "float64",
        "FLOAT": "float32",
        "REAL": "float32",
        "DATE": "date",
        "TIME": "time",
        "TIMESTAMP": "timestamp",
        "TIMESTAMP_S": "timestamp",
        "TIMESTAMP_MS": "timestamp",
        "TIMESTAMP_NS": "timestamp",
        "TIMESTAMP WITH TIME ZONE": "timestamptz",
    }
    return fixed.get(engine_type, "text"), 38, 0


def _check_fit(kind: str, values: list[Any], precision: int, scale: int) -> None:
    if kind != "decimal":
        return
    for value in values:
        if value is None:
            continue
        _, digits, exponent = value.as_tuple()
        if not isinstance(exponent, int) or -exponent > scale or len(digits) + exponent + scale > precision:
            raise ValueError("a decimal does not fit")


def _text(cell: Any) -> Optional[str]:
    if cell is None or isinstance(cell, str):
        return cell
    if isinstance(cell, bool):
        return "true" if cell else "false"
    return json.dumps(cell, ensure_ascii=False, separators=(",", ":"))


def _bool(cell: Any) -> bool:
    if not isinstance(cell, bool):
        raise ValueError("no boolean")
    return cell


def _integer(cell: Any) -> int:
    if isinstance(cell, (bool, float)):
        raise ValueError("no integer")
    return int(cell)


def _date(cell: Any) -> date:
    if not isinstance(cell, str) or len(cell) != 10:
        raise ValueError("no date")
    return date.fromisoformat(cell)


def _time(cell: Any) -> time:
    found = _CLOCK.fullmatch(cell)
    if found is None:
        raise ValueError("no time")
    hour, minute, second, fraction = found.groups("")
    if fraction[6:].strip("0"):
        raise ValueError("finer than microseconds")
    return time(int(hour), int(minute), int(second), int(fraction[:6].ljust(6, "0")))


def _timestamp(cell: Any) -> datetime:
    return datetime.combine(_date(cell[:10]), _time(cell[11:].removesuffix("Z")))


def _instant(cell: Any) -> datetime:
    return _timestamp(cell).replace(tzinfo=timezone.utc)


_READERS: dict[str, Callable[[Any], Any]] = {
    "bool": _bool,
    "decimal": lambda cell: Decimal(str(cell)),
    "float32": float,
    "float64": float,
    "date": _date,
    "time": _time,
    "timestamp": _timestamp,
    "timestamptz": _instant,
}


def _capitals(kind: str) -> str:
    """``uint8`` is ``UInt8`` in pandas and polars."""
    return kind.replace("uint", "UInt").replace("int", "Int").replace("float", "Float")


def _missing(library: str, error: ImportError) -> NoReturn:
    raise DataProductError(
        NOT_IMPLEMENTED,
        f"{library} is not installed: pip install 'plinth[{library}]'",
        code="client.missing-library",
    ) from error


def arrow_table(cols: Sequence[Record], rows: Sequence[Sequence[Any]]) -> pyarrow.Table:
    try:
        import pyarrow as pa
    except ImportError as error:
        _missing("pyarrow", error)

    def type_of(column: Column) -> Any:
        if column.kind == "decimal":
            return pa.decimal128(column.precision, column.scale)
        types = {
            "bool": pa.bool_,
            "date": pa.date32,
            "time": lambda: pa.time64("us"),
            "timestamp": lambda: pa.timestamp("us"),
            "timestamptz": lambda: pa.timestamp("us", tz="UTC"),
            "text": pa.string,
        }
        return types.get(column.kind, lambda: getattr(pa, column.kind)())()

    columns = columns_of(cols, rows)
    return pa.table(
        [pa.array(column.values, type=type_of(column)) for column in columns],
        schema=pa.schema([pa.field(column.name, type_of(column)) for column in columns]),
    )


def pandas_frame(
    cols: Sequence[Record], rows: Sequence[Sequence[Any]], decimals: str, dates: str
) -> pandas.DataFrame:
    if decimals not in ("float", "exact"):
        raise ValueError(f"decimals is 'float' or 'exact', not {decimals!r}")
    if dates not in ("datetime64", "date"):
        raise ValueError(f"dates is 'datetime64' or 'date', not {dates!r}")
    try:
        import pandas as pd
    except ImportError as error:
        _missing("pandas", error)

    def dtype_of(column: Column) -> str:
        has_null = None in column.values
        if column.kind == "decimal" and decimals == "float":
            if column.is_whole and _fits_int64(column.values):
                return "Int64" if has_null else "int64"
            return "float64"
        if "int" in column.kind:
            # Only the nullable types, whose names begin with capitals, keep an integer beside NULL exact.
            return _capitals(column.kind) if has_null else column.kind
        types = {
            "bool": "boolean" if has_null else "bool",
            "float32": "float32",
            "float64": "float64",
        }
        return types.get(column.kind, "object")

    def series_of(column: Column) -> Any:
        dtype = dtype_of(column)
        values = column.values
        if column.kind in ("timestamp", "timestamptz") or (column.kind == "date" and dates == "datetime64"):
            return _times(values, has_zone=column.kind == "timestamptz")
        if column.kind == "decimal" and dtype != "object":
            number = float if dtype == "float64" else int
            values = [None if value is None else number(value) for value in values]
        return pd.Series(values, dtype=dtype)

    series = {column.name: series_of(column) for column in columns_of(cols, rows)}
    return pd.DataFrame(series, index=pd.RangeIndex(len(rows)))


def _times(values: Sequence[Any], has_zone: bool) -> Any:
    import numpy as np
    import pandas as pd

    # Through numpy: pandas before 2.2 goes over nanoseconds otherwise, which end in 2262, before an open end of 9999-12-31.
    naive = [value.replace(tzinfo=None) if has_zone and value is not None else value for value in values]
    series = pd.Series(np.array(naive, dtype="datetime64[us]"))
    return series.dt.tz_localize("UTC") if has_zone else series


def _fits_int64(values: Sequence[Any]) -> bool:
    return all(value is None or -(2**63) <= value < 2**63 for value in values)


_SHOWN_ROWS = 50


def html_table(cols: Sequence[Record], rows: Sequence[Sequence[Any]], row_count: int) -> str:
    """The first rows for a notebook; whatever the cells say, they are text."""
    head = "".join(f"<th>{escape(str(col['name']))}</th>" for col in cols)
    shown = rows[:_SHOWN_ROWS]

    def cell_html(cell: Any) -> str:
        text = _text(cell)
        return f"<td>{'<i>NULL</i>' if text is None else escape(text)}</td>"

    body = "".join(f"<tr>{''.join(map(cell_html, row))}</tr>" for row in shown)
    count = f"{row_count:,} row{'' if row_count == 1 else 's'}"
    note = count if len(shown) == row_count else f"the first {len(shown):,} of {count}"
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table><p>{note}</p>"


def polars_frame(cols: Sequence[Record], rows: Sequence[Sequence[Any]]) -> polars.DataFrame:
    try:
        import polars as pl
    except ImportError as error:
        _missing("polars", error)

    def type_of(column: Column) -> Any:
        if column.kind == "decimal":
            return pl.Decimal(column.precision, column.scale)
        types: dict[str, Any] = {
            "bool": pl.Boolean,
            "date": pl.Date,
            "time": pl.Time,
            "timestamp": pl.Datetime("us"),
            "timestamptz": pl.Datetime("us", "UTC"),
            "text": pl.Utf8,  # String only since 0.20.4
        }
        return types.get(column.kind) or getattr(pl, _capitals(column.kind))

    return pl.DataFrame(
        [pl.Series(column.name, column.values, dtype=type_of(column)) for column in columns_of(cols, rows)]
    )
