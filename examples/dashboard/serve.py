#!/usr/bin/python3
"""A dashboard over hidden tables: plain SQL, and the page that draws its answers.

serve.py [PORT]    logs in by PGHOST, PGDATABASE, PGUSER and PGPASSWORD; Debian's python3-psycopg is all it needs"""
import json
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import parse_qs, urlparse

import psycopg

ALL = "orders o"
OF_REGION = ("orders o JOIN customers c ON c.id = o.customer_id JOIN regions r ON r.id = c.region_id"
             " AND r.name = %(region)s")
PANELS = {
    "months": "SELECT to_char(date_trunc('month', o.ordered_at), 'Mon') AS name, count(*) AS value,"
              " idp.margin(count(*)) AS margin FROM {orders}"
              " GROUP BY date_trunc('month', o.ordered_at) ORDER BY date_trunc('month', o.ordered_at)",
    "revenue": "SELECT o.status AS name, sum(o.amount) AS value, idp.margin(sum(o.amount)) AS margin"
               " FROM {orders} GROUP BY o.status ORDER BY 2 DESC",
    "amounts": "SELECT o.amount / 50 * 50 AS name, count(*) AS value, idp.margin(count(*)) AS margin"
               " FROM {orders} GROUP BY 1 ORDER BY 1",
    "totals": "SELECT count(*) AS orders, count(DISTINCT o.customer_id) AS customers, round(avg(o.amount), 2) AS average"
              " FROM {orders}",
    "regions": "SELECT name FROM regions ORDER BY id",
    "budget": "SELECT spent, total FROM idp.budget WHERE table_name = 'customers'",
}


def answers(region):
    """What all panels show. The budget comes last, when the others are paid."""
    with psycopg.connect("", autocommit=True, row_factory=psycopg.rows.dict_row) as connection:
        orders = OF_REGION if region else ALL
        return {name: connection.execute(panel.format(orders=orders), {"region": region}).fetchall()
                for name, panel in PANELS.items()}


class Dashboard(BaseHTTPRequestHandler):
    def do_GET(self):
        url = urlparse(self.path)
        try:
            if url.path == "/":
                self.reply(200, "text/html; charset=utf-8", Path(__file__).with_name("index.html").read_bytes())
            elif url.path == "/answers":
                found = answers(parse_qs(url.query).get("region", [""])[0])
                self.reply(200, "application/json", json.dumps(found, default=float).encode())
            else:
                self.reply(404, "text/plain", b"not found")
        except psycopg.Error as error:
            self.reply(500, "text/plain; charset=utf-8", str(error).encode())

    def reply(self, status, kind, body):
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


server = ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1]) if len(sys.argv) > 1 else 8000), Dashboard)
print(f"http://127.0.0.1:{server.server_port}/", flush=True)
server.serve_forever()
