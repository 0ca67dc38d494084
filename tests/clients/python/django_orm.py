"""Django's ORM writes the statements: models over tables that it does not manage."""
import datetime
import os

import django
from django.conf import settings

settings.configure(
    DATABASES={"default": {
        "ENGINE": "django.db.backends.postgresql",
        "NAME": os.environ["PGDATABASE"],
        "USER": os.environ["PGUSER"],
        "PASSWORD": os.environ["PGPASSWORD"],
        "HOST": os.environ["PGHOST"],
        "PORT": os.environ["PGPORT"],
    }},
    USE_TZ=True,
    TIME_ZONE="UTC",
    DEFAULT_AUTO_FIELD="django.db.models.AutoField",
)
django.setup()

import psycopg2
from django.db import connection, models
from django.db.models import Avg, Count, ExpressionWrapper, F, Q, Sum
from django.db.models.functions import Floor, TruncMonth

from client import serve

utc = datetime.timezone.utc


class Region(models.Model):
    name = models.TextField()

    class Meta:
        app_label, managed, db_table = "shop", False, "regions"


class Customer(models.Model):
    region = models.ForeignKey(Region, models.DO_NOTHING)
    name = models.TextField()
    born = models.DateField()
    active = models.BooleanField()

    class Meta:
        app_label, managed, db_table = "shop", False, "customers"


class Order(models.Model):
    customer = models.ForeignKey(Customer, models.DO_NOTHING)
    status = models.TextField()
    ordered_at = models.DateTimeField()
    amount = models.DecimalField(max_digits=10, decimal_places=2)
    quantity = models.IntegerField()

    class Meta:
        app_label, managed, db_table = "shop", False, "orders"


orders = Order.objects


def tables():
    with connection.cursor() as cursor:
        return [[name] for name in sorted(connection.introspection.table_names(cursor))]


def columns():
    """What manage.py inspectdb asks."""
    with connection.cursor() as cursor:
        described = connection.introspection.get_table_description(cursor, "orders")
        return [[column.name, column.type_code, column.null_ok] for column in described]


def by_month():
    return list(orders.annotate(month=TruncMonth("ordered_at")).values("month").annotate(n=Count("id"))
                .order_by("month").values_list("month", "n"))


def average():
    found = orders.aggregate(mean=Avg("amount"), large=Avg("amount", filter=Q(quantity__gte=3)))
    return [[found["mean"], found["large"]]]


def bins():
    bin = ExpressionWrapper(Floor(F("amount") / 100) * 100, output_field=models.DecimalField())
    return list(orders.annotate(bin=bin).values("bin").annotate(n=Count("id")).order_by("bin").values_list("bin", "n"))


def parameters():
    chosen = orders.filter(status__in=["paid", "shipped"], amount__range=(100, 900), ordered_at__year=2025,
                           ordered_at__gte=datetime.datetime(2025, 3, 1, tzinfo=utc))
    answers = [chosen.aggregate(n=Count("id"), revenue=Sum("amount")) for _ in range(8)]
    assert all(answer == answers[0] for answer in answers), answers
    return [[answers[0]["n"], answers[0]["revenue"]]]


def cursor():
    """A result that is streamed from a cursor on the server."""
    answers = orders.values("status", "quantity").annotate(n=Count("id")).order_by("status", "quantity")
    return [[row["status"], row["quantity"], row["n"]] for row in answers.iterator()]


serve({
    "version": lambda: f"Django {django.__version__}, psycopg2 {psycopg2.__version__.split()[0]}",
    "tables": tables,
    "columns": columns,
    "choices": lambda: list(orders.values_list("status").distinct().order_by("status")),
    "probe": lambda: [[orders.filter(pk__in=[]).count(), orders.none().count()]],
    "explain": lambda: [[bool(orders.values("status").annotate(n=Count("id")).explain())]],
    "count": lambda: [[orders.count()]],
    "by_category": lambda: list(orders.values("status").annotate(n=Count("id"), revenue=Sum("amount"))
                                .order_by("status").values_list("status", "n", "revenue")),
    "by_month": by_month,
    "average": average,
    "bins": bins,
    "top": lambda: list(orders.values("customer__region__name").annotate(revenue=Sum("amount")).order_by("-revenue")
                        .values_list("customer__region__name", "revenue")[:3]),
    "persons": lambda: [[orders.filter(quantity__gt=2).aggregate(n=Count("customer", distinct=True))["n"]]],
    "parameters": parameters,
    "cursor": cursor,
    "rows": lambda: [[order.id, order.amount] for order in orders.all()[:10]],
})
