-- Tables of the shape of TPC-H's, made by this file alone: eight tables with the keys, the ranges and
-- the correlations that the 22 queries ask about (TPC Benchmark H, revision 3, clause 4.2), without its
-- texts. A scale of 1 is 150 000 customers, 1 500 000 orders and about 6 000 000 lines.
--
--   psql -v scale=1 -f tables.sql
--
-- random() is seeded and no statement here is parallel: the same scale gives the same rows.
\set ON_ERROR_STOP on
SET max_parallel_workers_per_gather = 0;
SET work_mem = '256MB';
SET maintenance_work_mem = '512MB';
SELECT setseed(0.5);

-- a whole number from low to high, each as likely
CREATE FUNCTION pick(low int, high int) RETURNS int LANGUAGE sql VOLATILE
    AS 'SELECT low + floor(random() * (high - low + 1))::int';
-- one of an array's elements, each as likely
CREATE FUNCTION one_of(choices text[]) RETURNS text LANGUAGE sql VOLATILE
    AS 'SELECT choices[1 + floor(random() * cardinality(choices))::int]';

CREATE TABLE region (r_regionkey int PRIMARY KEY, r_name text NOT NULL);
INSERT INTO region
SELECT i - 1, name FROM unnest('{AFRICA,AMERICA,ASIA,EUROPE,MIDDLE EAST}'::text[]) WITH ORDINALITY r (name, i);

CREATE TABLE nation (n_nationkey int PRIMARY KEY, n_name text NOT NULL UNIQUE, n_regionkey int NOT NULL REFERENCES region);
INSERT INTO nation
SELECT i - 1, split_part(n, ':', 1), split_part(n, ':', 2)::int
FROM unnest('{ALGERIA:0,ARGENTINA:1,BRAZIL:1,CANADA:1,EGYPT:4,ETHIOPIA:0,FRANCE:3,GERMANY:3,INDIA:2,INDONESIA:2,IRAN:4,IRAQ:4,
              JAPAN:2,JORDAN:4,KENYA:0,MOROCCO:0,MOZAMBIQUE:0,PERU:1,CHINA:2,ROMANIA:3,SAUDI ARABIA:4,VIETNAM:2,RUSSIA:3,
              UNITED KINGDOM:3,UNITED STATES:1}'::text[]) WITH ORDINALITY t (n, i);

CREATE TABLE supplier (s_suppkey int PRIMARY KEY, s_name text NOT NULL, s_nationkey int NOT NULL REFERENCES nation,
                       s_acctbal numeric(12,2) NOT NULL, s_comment text NOT NULL);
INSERT INTO supplier
SELECT i, 'Supplier#' || lpad(i::text, 9, '0'), pick(0, 24), pick(-99999, 999999) / 100.0,
       CASE WHEN random() < 0.0005 THEN 'Customer Complaints' ELSE 'none' END
FROM generate_series(1, (10000 * :scale)::int) i;

CREATE TABLE part (p_partkey int PRIMARY KEY, p_name text NOT NULL, p_mfgr text NOT NULL, p_brand text NOT NULL,
                   p_type text NOT NULL, p_size int NOT NULL, p_container text NOT NULL, p_retailprice numeric(12,2) NOT NULL);
INSERT INTO part
SELECT i, one_of('{almond,azure,blue,brown,forest,green,khaki,lemon,plum,red,sky,white}') || ' '
          || one_of('{almond,azure,blue,brown,forest,green,khaki,lemon,plum,red,sky,white}'),
       'Manufacturer#' || m, 'Brand#' || m || pick(1, 5),
       one_of('{STANDARD,SMALL,MEDIUM,LARGE,ECONOMY,PROMO}') || ' ' || one_of('{ANODIZED,BURNISHED,PLATED,POLISHED,BRUSHED}')
          || ' ' || one_of('{TIN,NICKEL,BRASS,STEEL,COPPER}'),
       pick(1, 50), one_of('{SM,LG,MED,JUMBO,WRAP}') || ' ' || one_of('{CASE,BOX,BAG,JAR,PKG,PACK,CAN,DRUM}'),
       (90000 + (i / 10) % 20001 + 100 * (i % 1000)) / 100.0
FROM (SELECT i, pick(1, 5) AS m FROM generate_series(1, (200000 * :scale)::int) i) s;

CREATE TABLE partsupp (ps_partkey int NOT NULL REFERENCES part, ps_suppkey int NOT NULL REFERENCES supplier,
                       ps_availqty int NOT NULL, ps_supplycost numeric(12,2) NOT NULL, PRIMARY KEY (ps_partkey, ps_suppkey));
INSERT INTO partsupp
SELECT p, 1 + ((p + s * ((10000 * :scale)::int / 4 + (p - 1) / (10000 * :scale)::int)) % (10000 * :scale)::int),
       pick(1, 9999), pick(100, 100000) / 100.0
FROM generate_series(1, (200000 * :scale)::int) p, generate_series(0, 3) s;

CREATE TABLE customer (c_custkey int PRIMARY KEY, c_name text NOT NULL, c_nationkey int NOT NULL REFERENCES nation,
                       c_phone text NOT NULL, c_acctbal numeric(12,2) NOT NULL, c_mktsegment text NOT NULL);
INSERT INTO customer
SELECT i, 'Customer#' || lpad(i::text, 9, '0'), n, n + 10 || '-' || pick(100, 999) || '-' || pick(100, 999) || '-' || pick(1000, 9999),
       pick(-99999, 999999) / 100.0, one_of('{AUTOMOBILE,BUILDING,FURNITURE,MACHINERY,HOUSEHOLD}')
FROM (SELECT i, pick(0, 24) AS n FROM generate_series(1, (150000 * :scale)::int) i) s;

-- A third of the customers never orders anything.
CREATE TABLE orders (o_orderkey int PRIMARY KEY, o_custkey int NOT NULL, o_orderstatus text NOT NULL,
                     o_totalprice numeric(12,2) NOT NULL, o_orderdate date NOT NULL, o_orderpriority text NOT NULL,
                     o_comment text NOT NULL);
INSERT INTO orders
SELECT i, 3 * pick(0, (50000 * :scale)::int - 1) + pick(1, 2), 'P', 0, date '1992-01-01' + pick(0, 2405),
       one_of('{1-URGENT,2-HIGH,3-MEDIUM,4-NOT SPECIFIED,5-LOW}'),
       CASE WHEN random() < 0.01 THEN 'special requests' ELSE 'none' END
FROM generate_series(1, (1500000 * :scale)::int) i;

CREATE TABLE lineitem (l_orderkey int NOT NULL, l_linenumber int NOT NULL, l_partkey int NOT NULL, l_suppkey int NOT NULL,
                       l_quantity numeric(12,2) NOT NULL, l_extendedprice numeric(12,2) NOT NULL,
                       l_discount numeric(12,2) NOT NULL, l_tax numeric(12,2) NOT NULL, l_returnflag text NOT NULL,
                       l_linestatus text NOT NULL, l_shipdate date NOT NULL, l_commitdate date NOT NULL,
                       l_receiptdate date NOT NULL, l_shipinstruct text NOT NULL, l_shipmode text NOT NULL);
INSERT INTO lineitem
SELECT o, l, p, 1 + ((p + s * ((10000 * :scale)::int / 4 + (p - 1) / (10000 * :scale)::int)) % (10000 * :scale)::int),
       q, q * (90000 + (p / 10) % 20001 + 100 * (p % 1000)) / 100.0, discount / 100.0, tax / 100.0,
       CASE WHEN receipt <= date '1995-06-17' THEN one_of('{R,A}') ELSE 'N' END,
       CASE WHEN ship > date '1995-06-17' THEN 'O' ELSE 'F' END, ship, committed, receipt,
       one_of('{DELIVER IN PERSON,COLLECT COD,NONE,TAKE BACK RETURN}'), one_of('{REG AIR,AIR,RAIL,SHIP,TRUCK,MAIL,FOB}')
FROM (SELECT o_orderkey AS o, l, pick(1, (200000 * :scale)::int) AS p, pick(0, 3) AS s, pick(1, 50) AS q, pick(0, 10) AS discount,
             pick(0, 8) AS tax, ship, o_orderdate + pick(30, 90) AS committed, ship + pick(1, 30) AS receipt
      FROM (SELECT o_orderkey, o_orderdate, l, o_orderdate + pick(1, 121) AS ship
            FROM (SELECT o_orderkey, o_orderdate, pick(1, 7) AS lines FROM orders) o, generate_series(1, lines) l) s) t;

-- what no query computes with, the same everywhere
ALTER TABLE supplier ADD s_address text NOT NULL DEFAULT 'address', ADD s_phone text NOT NULL DEFAULT '00-000-000-0000';
ALTER TABLE customer ADD c_address text NOT NULL DEFAULT 'address', ADD c_comment text NOT NULL DEFAULT 'none';

ALTER TABLE lineitem ADD PRIMARY KEY (l_orderkey, l_linenumber);
CREATE TABLE priced AS
SELECT o.*, t.price, t.status
FROM orders o JOIN (SELECT l_orderkey, sum(l_extendedprice * (1 + l_tax) * (1 - l_discount))::numeric(12,2) AS price,
                           CASE WHEN bool_and(l_linestatus = 'F') THEN 'F' WHEN bool_and(l_linestatus = 'O') THEN 'O' ELSE 'P' END AS status
                    FROM lineitem GROUP BY l_orderkey) t ON l_orderkey = o_orderkey;
TRUNCATE orders;
INSERT INTO orders
SELECT o_orderkey, o_custkey, status, price, o_orderdate, o_orderpriority, o_comment FROM priced ORDER BY o_orderkey;
DROP TABLE priced;
DROP FUNCTION pick, one_of;

CREATE INDEX ON orders (o_custkey);
ALTER TABLE orders ADD FOREIGN KEY (o_custkey) REFERENCES customer;
ALTER TABLE lineitem ADD FOREIGN KEY (l_orderkey) REFERENCES orders, ADD FOREIGN KEY (l_partkey) REFERENCES part,
                     ADD FOREIGN KEY (l_suppkey) REFERENCES supplier;
ALTER TABLE orders ADD o_shippriority int NOT NULL DEFAULT 0;
VACUUM (ANALYZE);
