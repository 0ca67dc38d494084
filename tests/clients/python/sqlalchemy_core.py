"""SQLAlchemy writes the statements: expressions over tables that it has read from the catalog."""
import datetime

import psycopg2
import sqlalchemy
from sqlalchemy import MetaData, case, create_engine, func, inspect, select, text
from sqlalchemy.orm import Session

from client import serve

utc = datetime.timezone.utc
engine = create_engine("postgresql+psycopg2://")
metadata = MetaData()


def table(name):
    """Reflected: with all the catalog queries that this takes."""
    if name not in metadata.tables:
        metadata.reflect(engine, only=["orders", "customers", "regions"])
    return metadata.tables[name]


def ask(statement):
    with engine.connect() as connection:
        return [tuple(row) for row in connection.execute(statement)]


def columns():
    return [[column["name"], str(column["type"]), column["nullable"]] for column in inspect(engine).get_columns("orders")]


def probe():
    """What pandas and Superset do to learn a result's columns."""
    orders = table("orders")
    inner = select(orders.c.status, func.count().label("n"), func.avg(orders.c.amount).label("mean")).group_by(orders.c.status)
    with engine.connect() as connection:
        result = connection.execute(select(inner.subquery()).limit(0))
        return [[key] for key in result.keys()]


def explain():
    orders = table("orders")
    statement = select(orders.c.status, func.count()).group_by(orders.c.status).compile(engine)
    return [[bool(ask(text("EXPLAIN " + str(statement))))]]


def by_category():
    orders = table("orders")
    return ask(select(orders.c.status, func.count(orders.c.id), func.coalesce(func.sum(orders.c.amount), 0))
               .group_by(orders.c.status).order_by(orders.c.status))


def by_month():
    orders = table("orders")
    month = func.date_trunc("month", orders.c.ordered_at).label("month")
    return ask(select(month, func.count()).group_by(month).order_by(month))


def average():
    orders = table("orders")
    return ask(select(func.avg(orders.c.amount), func.avg(case((orders.c.status == "paid", orders.c.quantity)))))


def bins():
    orders = table("orders")
    bin = (func.floor(orders.c.amount / 100) * 100).label("bin")
    return ask(select(bin, func.count()).group_by(bin).order_by(bin))


def top():
    orders, customers, regions = table("orders"), table("customers"), table("regions")
    revenue = func.sum(orders.c.amount).label("revenue")
    return ask(select(regions.c.name, revenue).select_from(orders.join(customers).join(regions))
               .group_by(regions.c.name).order_by(revenue.desc()).limit(3))


def parameters():
    orders = table("orders")
    statement = (select(func.count(), func.sum(orders.c.amount))
                 .where(orders.c.status.in_(["paid", "shipped"]), orders.c.amount.between(100, 900))
                 .where(orders.c.ordered_at >= datetime.datetime(2025, 3, 1, tzinfo=utc)))
    answers = [ask(statement) for _ in range(8)]
    assert all(answer == answers[0] for answer in answers), answers
    return answers[0]


def cursor():
    """Session.query(…).count(), and a result that is streamed from a cursor on the server."""
    orders = table("orders")
    with Session(engine) as session:
        counted = session.query(orders).filter(orders.c.quantity > 2).count()
    statement = select(orders.c.quantity, func.count()).group_by(orders.c.quantity).order_by(orders.c.quantity)
    with engine.connect().execution_options(stream_results=True) as connection:
        return [[counted, 0]] + [tuple(row) for row in connection.execute(statement)]


serve({
    "version": lambda: f"SQLAlchemy {sqlalchemy.__version__}, psycopg2 {psycopg2.__version__.split()[0]}",
    "tables": lambda: [[name] for name in sorted(inspect(engine).get_table_names())],
    "columns": columns,
    "choices": lambda: ask(select(table("orders").c.status).distinct().order_by(table("orders").c.status)),
    "probe": probe,
    "explain": explain,
    "count": lambda: ask(select(func.count()).select_from(table("orders"))),
    "by_category": by_category,
    "by_month": by_month,
    "average": average,
    "bins": bins,
    "top": top,
    "persons": lambda: ask(select(func.count(table("orders").c.customer_id.distinct()))),
    "parameters": parameters,
    "cursor": cursor,
    "rows": lambda: ask(select(table("orders")).limit(10)),
})
