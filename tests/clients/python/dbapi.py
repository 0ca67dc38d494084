"""Drivers with Python's DB-API: they send what they are given, each by its own way through the protocol.

dbapi.py psycopg2 | psycopg | pyodbc"""
import datetime
import os
import sys

from client import serve

driver = sys.argv[1]
utc = datetime.timezone.utc


def connect():
    if driver == "pyodbc":
        import pyodbc

        names = {"Server": "PGHOST", "Port": "PGPORT", "Database": "PGDATABASE", "Uid": "PGUSER", "Pwd": "PGPASSWORD"}
        pairs = ";".join(f"{name}={os.environ[variable]}" for name, variable in names.items())
        connection = pyodbc.connect("Driver=PostgreSQL Unicode;" + pairs, autocommit=True)
        version = f"pyodbc {pyodbc.version}, psqlodbc {connection.getinfo(pyodbc.SQL_DRIVER_VER)}"
        return connection, version, "?"
    if driver == "psycopg2":
        import psycopg2

        connection = psycopg2.connect("")
        version = f"psycopg2 {psycopg2.__version__.split()[0]}, libpq {psycopg2.extensions.libpq_version()}"
    else:
        import psycopg

        connection = psycopg.connect("")
        version = f"psycopg {psycopg.__version__}, libpq {psycopg.pq.version()}"
    connection.autocommit = True
    return connection, version, "%s"


connection, version, mark = connect()


def ask(statement, *parameters):
    cursor = connection.cursor()
    cursor.execute(statement.replace("?", mark), parameters)
    return [tuple(row) for row in cursor.fetchall()]


def tables():
    if driver != "pyodbc":
        return ask("SELECT table_name FROM information_schema.tables WHERE table_schema = 'public' ORDER BY 1")
    rows = connection.cursor().tables(schema="public", tableType="TABLE")
    return sorted([row.table_name] for row in rows)


def columns():
    if driver != "pyodbc":
        return ask("SELECT column_name, data_type, is_nullable FROM information_schema.columns"
                   " WHERE table_name = 'orders' ORDER BY ordinal_position")
    rows = connection.cursor().columns(table="orders", schema="public")
    return [[row.column_name, row.type_name, row.is_nullable] for row in rows]


def parameters():
    """As often as makes a driver prepare the statement, and the server keep its plan: each time the same."""
    statement = ("SELECT count(*), sum(amount) FROM orders"
                 " WHERE status = ? AND amount >= ? AND ordered_at >= ? AND ordered_at < ?")
    values = "paid", 100, datetime.datetime(2025, 3, 1, tzinfo=utc), datetime.datetime(2025, 9, 1, tzinfo=utc)
    if driver == "pyodbc":
        values = values[:2] + ("2025-03-01 00:00:00+00", "2025-09-01 00:00:00+00")
    answers = [ask(statement, *values) for _ in range(12)]
    assert all(answer == answers[0] for answer in answers), answers
    return answers[0]


def cursor():
    """A cursor on the server, as pandas reads large results; ODBC declares one for every statement if it is told so."""
    statement = "SELECT status, quantity, count(*) FROM orders GROUP BY 1, 2 ORDER BY 1, 2"
    if driver == "pyodbc":
        return ask(statement)
    with connection.transaction() if driver == "psycopg" else connection:
        if driver == "psycopg2":
            connection.autocommit = False
        on_server = connection.cursor("answers")
        on_server.execute(statement)
        rows = [tuple(row) for row in on_server]
    if driver == "psycopg2":
        connection.autocommit = True
    return rows


def probe():
    """The columns of a result without its rows, as tools learn them."""
    cursor = connection.cursor()
    cursor.execute("SELECT * FROM (SELECT status, count(*) AS n, avg(amount) AS mean FROM orders GROUP BY 1) q LIMIT 0")
    return [[column[0], str(column[1])] for column in cursor.description]


serve({
    "version": lambda: version,
    "tables": tables,
    "columns": columns,
    "choices": lambda: ask("SELECT DISTINCT status FROM orders ORDER BY 1"),
    "probe": probe,
    "explain": lambda: [[bool(ask("EXPLAIN SELECT status, count(*) FROM orders GROUP BY status"))]],
    "count": lambda: ask("SELECT count(*) FROM orders"),
    "by_category": lambda: ask("SELECT status, count(*), sum(amount) FROM orders GROUP BY status ORDER BY status"),
    "by_month": lambda: ask("SELECT date_trunc('month', ordered_at) AS month, count(*) FROM orders GROUP BY 1 ORDER BY 1"),
    "average": lambda: ask("SELECT avg(amount), avg(quantity) FROM orders"),
    "bins": lambda: ask("SELECT floor(amount / 100) * 100 AS bin, count(*) FROM orders GROUP BY 1 ORDER BY 1"),
    "top": lambda: ask("SELECT r.name, sum(o.amount) AS revenue FROM orders o JOIN customers c ON c.id = o.customer_id"
                       " JOIN regions r ON r.id = c.region_id GROUP BY r.name ORDER BY revenue DESC LIMIT 3"),
    "persons": lambda: ask("SELECT count(DISTINCT customer_id) FROM orders WHERE quantity > ?", 2),
    "parameters": parameters,
    "cursor": cursor,
    "rows": lambda: ask("SELECT * FROM orders ORDER BY id LIMIT 10"),
})
