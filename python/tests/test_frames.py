"""Rows as tables of the three libraries; without them a clear error."""

from __future__ import annotations

import sys
import unittest
from datetime import date, datetime, time, timezone
from decimal import Decimal
from typing import Any
from unittest import mock

from plinth import DataProductError, Result
from support import LIBRARIES

TYPES = {
    "i8": "TINYINT",
    "i32": "INTEGER",
    "i64": "BIGINT",
    "u64": "UBIGINT",
    "huge": "HUGEINT",
    "dec": "DECIMAL(18,4)",
    "f": "DOUBLE",
    "b": "BOOLEAN",
    "t": "VARCHAR",
    "d": "DATE",
    "c": "TIME",
    "ts": "TIMESTAMP",
    "tz": "TIMESTAMP WITH TIME ZONE",
    "l": "INTEGER[]",
}
ROW = [
    1, -7, "9007199254740993", "18446744073709551615", "170141183460469231731687303715884105727", "1.2300", 0.1, True,
    "é", "2024-02-29", "23:59:59.5", "0001-01-01T00:00:00.000", "9999-12-31T23:59:59.999999Z", [1, 2],
]
MEANT = [
    1, -7, 9007199254740993, 18446744073709551615, None, Decimal("1.2300"), 0.1, True,
    "é", date(2024, 2, 29), time(23, 59, 59, 500000), datetime(1, 1, 1),
    datetime(9999, 12, 31, 23, 59, 59, 999999, tzinfo=timezone.utc), "[1,2]",
]


def result(rows: list[list[Any]], types: dict[str, str] = TYPES) -> Result:
    cols = [{"name": name, "engine_type": type} for name, type in types.items()]
    return Result({"cols": cols, "rows": rows, "row_count": len(rows), "truncated": False, "next": None})


def needs(library: str) -> Any:
    return unittest.skipUnless(library in LIBRARIES, f"{library} is not in this environment: NOT TESTED here")


class Arrow(unittest.TestCase):
    @needs("pyarrow")
    def test_has_exact_types_and_values(self) -> None:
        import pyarrow as pa

        nulls = [None] * len(ROW)
        table = result([ROW, nulls]).to_arrow()
        expected = {
            "i8": pa.int8(), "i32": pa.int32(), "i64": pa.int64(), "u64": pa.uint64(), "huge": pa.string(),
            "dec": pa.decimal128(18, 4), "f": pa.float64(), "b": pa.bool_(), "t": pa.string(), "d": pa.date32(),
            "c": pa.time64("us"), "ts": pa.timestamp("us"), "tz": pa.timestamp("us", tz="UTC"), "l": pa.string(),
        }
        self.assertEqual({field.name: field.type for field in table.schema}, expected)
        values = [column.to_pylist() for column in table.columns]
        for (name, meant), value in zip(zip(TYPES, MEANT), values):
            with self.subTest(name):
                self.assertEqual(value[0], ROW[4] if name == "huge" else meant)
                self.assertIsNone(value[1])

    @needs("pyarrow")
    def test_makes_text_of_a_column_with_a_value_that_does_not_fit(self) -> None:
        for type, cell in {
            "DATE": "infinity",
            "TIMESTAMP": "290309-12-22T00:00:00.000",
            "TIMESTAMP_NS": "2024-01-01T00:00:00.000000001",
            "TIME": "24:00:00",
            "DECIMAL(3,1)": "1000.0",
            "INTEGER": "many",
        }.items():
            with self.subTest(type):
                table = result([[None], [cell]], {"a": type}).to_arrow()
                self.assertEqual(table.column("a").to_pylist(), [None, cell])

    @needs("pyarrow")
    def test_of_no_rows_and_of_names_that_repeat(self) -> None:
        self.assertEqual(result([]).to_arrow().num_rows, 0)
        twice = Result({"cols": [{"name": "id", "engine_type": "INTEGER"}, {"name": "ID", "engine_type": "INTEGER"}],
                        "rows": [[1, 2]], "row_count": 1, "truncated": False})
        self.assertEqual(twice.to_arrow().column_names, ["id", "ID_2"])
        self.assertEqual(list(twice.dicts()), [{"id": 1, "ID_2": 2}])

    @needs("pyarrow")
    def test_floats_that_json_has_no_numbers_for(self) -> None:
        table = result([["Infinity"], ["-Infinity"], ["NaN"]], {"a": "DOUBLE"}).to_arrow()
        self.assertEqual(str(table.column("a").to_pylist()), "[inf, -inf, nan]")


class Cells(unittest.TestCase):
    def test_are_integers_whatever_their_size(self) -> None:
        cols = [{"name": "n", "type": "integer", "engine_type": "HUGEINT"}, {"name": "t", "type": "text", "engine_type": "VARCHAR"}]
        rows = [[1, "2"], ["9007199254740993", "9007199254740993"], ["-170141183460469231731687303715884105728", None], [None, ""]]
        read = Result({"cols": cols, "rows": rows, "row_count": 4, "truncated": False, "next": None}).rows
        self.assertEqual([row[0] for row in read], [1, 9007199254740993, -(2**127), None])
        self.assertEqual([row[1] for row in read], ["2", "9007199254740993", None, ""])


class Pandas(unittest.TestCase):
    @needs("pandas")
    def test_keeps_integers_beside_nulls_exact(self) -> None:
        frame = result([["9007199254740993"], [None]], {"a": "BIGINT"}).to_pandas()
        self.assertEqual((str(frame["a"].dtype), frame["a"][0]), ("Int64", 9007199254740993))

    @needs("pandas")
    def test_has_types_and_values(self) -> None:
        frame = result([ROW]).to_pandas()
        types = {name: str(type) for name, type in frame.dtypes.items()}
        self.assertEqual((types["i32"], types["f"], types["b"]), ("int32", "float64", "bool"))
        self.assertEqual((types["ts"], types["tz"]), ("datetime64[us]", "datetime64[us, UTC]"))
        self.assertEqual((types["dec"], types["d"]), ("float64", "datetime64[us]"))
        self.assertEqual((frame["dec"][0], frame["d"].dt.date[0]), (1.23, date(2024, 2, 29)))
        self.assertEqual((len(result([]).to_pandas()), list(result([]).to_pandas().columns)), (0, list(TYPES)))
        empty = {name: str(type) for name, type in result([]).to_pandas().dtypes.items()}
        self.assertEqual((empty["dec"], empty["d"], empty["i64"]), ("float64", "datetime64[us]", "int64"))

    @needs("pandas")
    def test_frames_can_be_reckoned_with(self) -> None:
        types = {"d": "DATE", "amount": "DECIMAL(18,2)", "pieces": "HUGEINT"}
        rows = [["2024-01-01", "1.10", 3], ["2024-01-02", None, None], [None, "2.20", "9007199254740993"]]
        frame = result(rows, types).to_pandas()
        self.assertEqual(list(frame.select_dtypes("number").columns), ["amount", "pieces"])
        self.assertAlmostEqual(frame["amount"].sum(), 3.3)
        self.assertEqual(frame["pieces"][2], 9007199254740993)
        self.assertEqual(frame["d"].dt.day.tolist()[:2], [1, 2])
        self.assertTrue(frame["d"].isna()[2] and frame["amount"].isna()[1])
        self.assertEqual(len(frame.dropna(subset=["d"]).set_index("d").resample("D").sum()), 2)

    @needs("pandas")
    def test_decimals_and_dates_are_exact_objects_by_choice(self) -> None:
        types = {"dec": "DECIMAL(18,4)", "d": "DATE", "huge": "HUGEINT"}
        frame = result([["1.2300", "2024-02-29", 7], [None, None, None]], types).to_pandas(decimals="exact", dates="date")
        self.assertEqual([frame[name].tolist() for name in types],
                         [[Decimal("1.2300"), None], [date(2024, 2, 29), None], [Decimal(7), None]])
        huge = result([["170141183460469231731687303715884105"]], {"a": "HUGEINT"}).to_pandas()
        self.assertEqual((str(huge["a"].dtype), huge["a"][0]), ("float64", 170141183460469231731687303715884105.0))
        for wrong in ({"decimals": "double"}, {"dates": "text"}):
            with self.assertRaises(ValueError):
                result([]).to_pandas(**wrong)

    @needs("pandas")
    def test_days_and_times_from_the_first_year_to_the_last(self) -> None:
        days = ["0001-01-01", "9999-12-31", None]
        for type, cells in {
            "DATE": days,
            "TIMESTAMP": [day and f"{day}T12:00:00.000" for day in days],
            "TIMESTAMP WITH TIME ZONE": [day and f"{day}T12:00:00.000Z" for day in days],
        }.items():
            with self.subTest(type):
                column = result([[cell] for cell in cells], {"a": type}).df["a"]
                self.assertEqual(column.dt.year.tolist()[:2], [1, 9999])
                self.assertTrue(column.isna()[2])

    @needs("pandas")
    def test_df_is_the_frame(self) -> None:
        self.assertEqual(result([["1.5"]], {"a": "DECIMAL(3,1)"}).df["a"].tolist(), [1.5])


class Notebook(unittest.TestCase):
    def test_shows_a_table_in_which_texts_stay_texts(self) -> None:
        html = result([["<b>", None], ["x & y", "1.50"]], {"a<i>": "VARCHAR", "n": "DECIMAL(3,2)"})._repr_html_()
        for part in ("<th>a&lt;i&gt;</th>", "<td>&lt;b&gt;</td>", "<td>x &amp; y</td>", "<td>1.50</td>", "2 rows"):
            self.assertIn(part, html)
        self.assertNotIn("<b>", html)

    def test_shows_the_first_rows_of_many(self) -> None:
        html = result([[n] for n in range(1000)], {"a": "INTEGER"})._repr_html_()
        self.assertLess(html.count("<tr>"), 60)
        self.assertIn("of 1,000 rows", html)


class Polars(unittest.TestCase):
    @needs("polars")
    def test_has_exact_types_and_values(self) -> None:
        import polars as pl

        frame = result([ROW, [None] * len(ROW)]).to_polars()
        self.assertEqual(frame.schema["dec"], pl.Decimal(18, 4))
        self.assertEqual((frame.schema["i8"], frame.schema["u64"], frame.schema["f"]), (pl.Int8, pl.UInt64, pl.Float64))
        for (name, meant), value in zip(zip(TYPES, MEANT), frame.row(0)):
            with self.subTest(name):
                self.assertEqual(value, ROW[4] if name == "huge" else meant)
        self.assertEqual(set(frame.row(1)), {None})
        self.assertEqual(result([]).to_polars().height, 0)


class Missing(unittest.TestCase):
    def test_libraries_are_asked_for_by_name(self) -> None:
        for library, method in (("pyarrow", "to_arrow"), ("pandas", "to_pandas"), ("polars", "to_polars")):
            with self.subTest(library), mock.patch.dict(sys.modules, {library: None}):
                with self.assertRaises(DataProductError) as caught:
                    getattr(result([]), method)()
                self.assertIn(f"plinth[{library}]", caught.exception.detail)
