"""Rows, and the three kinds of table they can become."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, Literal, Optional

from . import frames
from .records import Record

if TYPE_CHECKING:
    import pandas
    import polars
    import pyarrow

_DIGITS = re.compile(r"-?\d{1,4000}", re.ASCII)


class Result(Record):
    """The result of a statement: ``cols`` says what the columns are, ``rows`` is a list of lists of cells.

    Cells are as JSON has them: decimals are strings, times are ISO 8601; integers are ``int`` whatever their size, except
    inside lists and structures, where those beyond 2^53 are strings. The ``to_`` methods give each column its own type.
    """

    __slots__ = ("_rows",)
    _rows: list[list[Any]]

    def __init__(self, fields: Mapping[str, Any]) -> None:
        super().__init__({name: value for name, value in fields.items() if name != "rows"})
        # Rows may be many and are data, not records: they stay as they came.
        object.__setattr__(self, "_rows", _exact(fields["cols"], list(fields["rows"])))
        self._fields["rows"] = self._rows

    @property
    def cols(self) -> list[Record]:
        return list(self._fields["cols"])

    @property
    def rows(self) -> list[list[Any]]:
        return self._rows

    @property
    def row_count(self) -> int:
        """Rows of the whole result; more than ``len(rows)`` when a page was asked for."""
        return int(self._fields["row_count"])

    @property
    def truncated(self) -> bool:
        """Whether the row limit of the statement cut the result."""
        return bool(self._fields["truncated"])

    @property
    def next_offset(self) -> Optional[int]:
        """Where the next page begins; None after the last row."""
        offset = self._fields.get("next_offset")
        return None if offset is None else int(offset)

    def __repr__(self) -> str:
        names = ", ".join(str(col.get("name")) for col in self.cols)
        return f"Result(cols=[{names}], rows={len(self._rows)} of {self.row_count})"

    def to_dict(self) -> dict[str, Any]:
        return {**{k: v for k, v in super().to_dict().items() if k != "rows"}, "rows": self._rows}

    def dicts(self) -> Iterator[dict[str, Any]]:
        """Each row by the names of its columns; of columns with one name the later are ``name_2``, and so on."""
        names = frames.unique_names([str(col["name"]) for col in self.cols])
        for row in self._rows:
            yield dict(zip(names, row))

    def to_arrow(self) -> pyarrow.Table:
        """A pyarrow.Table with exact decimals and times."""
        return frames.arrow_table(self.cols, self._rows)

    def to_pandas(
        self, *, decimals: Literal["float", "exact"] = "float", dates: Literal["datetime64", "date"] = "datetime64"
    ) -> pandas.DataFrame:
        """A pandas.DataFrame: integers stay integers beside NULLs, decimals are ``float64``, dates and times ``datetime64``.

        ``decimals="exact"`` makes objects of ``Decimal`` that lose no digit, ``dates="date"`` objects of ``datetime.date``.
        """
        return frames.pandas_frame(self.cols, self._rows, decimals, dates)

    @property
    def df(self) -> pandas.DataFrame:
        """``to_pandas()``, made anew each time."""
        return self.to_pandas()

    def _repr_html_(self) -> str:
        return frames.html_table(self.cols, self._rows, self.row_count)

    def to_polars(self) -> polars.DataFrame:
        """A polars.DataFrame with exact decimals and times."""
        return frames.polars_frame(self.cols, self._rows)


def _exact(cols: list[Any], rows: list[list[Any]]) -> list[list[Any]]:
    """Rows whose integers are integers: JSON has those beyond 2^53 as strings, because others than Python would round them."""
    wide = [at for at, col in enumerate(cols) if col.get("type") == "integer"]
    for row in rows:
        for at in wide:
            cell = row[at]
            if isinstance(cell, str) and _DIGITS.fullmatch(cell):
                row[at] = int(cell)
    return rows
