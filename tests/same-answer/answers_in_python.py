"""Questions on stdin, answers on stdout, one JSON a line: the Python client and pyarrow as a user has them.

Cells go out as the API spells them, so that they can be compared with those of any other door.
"""

import io
import json
import sys
from datetime import date, datetime
from decimal import Decimal

import pyarrow as pa
import pyarrow.ipc
import pyarrow.parquet

from plinth import DataProductClient, DataProductError

SAFE = 2**53 - 1


def spelled(value, type_=""):
    if type_ == "HUGEINT" and value is not None:
        value = int(value)
    if isinstance(value, bool) or value is None or isinstance(value, str):
        return value
    if isinstance(value, int):
        return value if abs(value) <= SAFE else str(value)
    if isinstance(value, float):
        if value != value:
            return "NaN"
        return value if abs(value) != float("inf") else ("Infinity" if value > 0 else "-Infinity")
    if isinstance(value, Decimal):
        return format(value, "f")
    if isinstance(value, datetime):
        micros = f"{value.microsecond:06d}".rstrip("0").ljust(3, "0")
        return value.strftime("%Y-%m-%dT%H:%M:%S.") + micros + ("Z" if value.tzinfo else "")
    if isinstance(value, date):
        return value.isoformat()
    raise TypeError(f"no cell is a {type(value)}")


def rows_of_table(table, types):
    columns = [[spelled(cell, type_) for cell in column.to_pylist()] for column, type_ in zip(table.columns, types)]
    return [list(row) for row in zip(*columns)] if columns else []


def result_of(client, statement):
    """A page at a time, as a program with little memory would."""
    pages = list(client.query.iter_statement_result(statement.id, page_size=7))
    whole = client.query.get_statement_result(statement.id)
    rows = [row for page in pages for row in page.rows]
    if rows != whole.rows:
        raise AssertionError(f"pages of {statement.id} are not the whole")
    types = [col.engine_type for col in whole.cols]
    frame = rows_of_table(whole.to_arrow(), types)
    arrow = pa.ipc.open_stream(io.BytesIO(client.query.download_statement_result(statement.id, "arrow"))).read_all()
    parquet = pa.parquet.read_table(io.BytesIO(client.query.download_statement_result(statement.id, "parquet")))
    return {
        "rows": [[spelled(cell) for cell in row] for row in rows],
        "integers": all(
            isinstance(row[at], int) or row[at] is None
            for at, col in enumerate(whole.cols)
            if col.type == "integer"
            for row in rows
        ),
        "frame": frame,
        "arrow": rows_of_table(arrow, types),
        "parquet": rows_of_table(parquet, types),
        "arrow_types": [str(field.type) for field in arrow.schema],
        "parquet_types": [str(field.type) for field in parquet.schema],
    }


def answered(client, asked):
    kind = asked["kind"]
    if kind == "semantic":
        statement = client.query.query_semantic(asked["query"])
    elif kind == "sql":
        return {"rows": [[spelled(cell) for cell in row] for row in client.query.run(asked["sql"]).rows]}
    elif kind == "metric":
        options = asked["options"]
        statement = client.query.query_metric(asked["name"], **options)
        again = client.query.get_metric(asked["name"], **options)
        if again["result"].rows != statement["result"].rows:
            raise AssertionError("get_metric and query_metric differ")
    else:
        return {"data": client.query.query_graphql(asked["query"]).to_dict()}
    if not statement.is_terminal:
        statement = client.query.get_statement(statement.id, wait=25)
    if not statement.is_successful:
        return {"failed": statement["error"].to_dict()}
    return result_of(client, statement)


def main():
    url, product, tenant = sys.argv[1:4]
    clients = {}
    for line in sys.stdin:
        asked = json.loads(line)
        token = asked["token"]
        if token not in clients:
            clients[token] = DataProductClient(fqdn=url, dp_name=product, access_token=token, tenant=tenant)
        try:
            answer = answered(clients[token], asked)
        except DataProductError as error:
            answer = {"refused": {"status": error.status_code, "code": error.code}}
        except Exception as error:  # The test shall say what it was, and go on.
            answer = {"broken": f"{type(error).__name__}: {error}"}
        print(json.dumps(answer), flush=True)


main()
