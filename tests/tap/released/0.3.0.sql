--
-- PostgreSQL database dump
--


-- Dumped from database version 15.20 (Debian 15.20-0+deb12u1)
-- Dumped by pg_dump version 15.20 (Debian 15.20-0+deb12u1)

SET statement_timeout = 0;
SET lock_timeout = 0;
SET idle_in_transaction_session_timeout = 0;
SET client_encoding = 'UTF8';
SET standard_conforming_strings = on;
SELECT pg_catalog.set_config('search_path', '', false);
SET check_function_bodies = false;
SET xmloption = content;
SET client_min_messages = warning;
SET row_security = off;

--
-- Name: idp; Type: EXTENSION; Schema: -; Owner: -
--

CREATE EXTENSION IF NOT EXISTS idp WITH SCHEMA public;


--
-- Name: EXTENSION idp; Type: COMMENT; Schema: -; Owner: -
--

COMMENT ON EXTENSION idp IS 'differential privacy: private statistics of personal data, computed inside the server';


--
-- Name: odd schema; Type: SCHEMA; Schema: -; Owner: -
--

CREATE SCHEMA "odd schema";


--
-- Name: noted; Type: TYPE; Schema: public; Owner: -
--

CREATE TYPE public.noted AS (
	note text,
	state public.idp_state
);


--
-- Name: answer_of(text); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.answer_of(query text) RETURNS text
    LANGUAGE plpgsql
    SET "TimeZone" TO 'UTC'
    AS $$
DECLARE
  answer text;
BEGIN
  EXECUTE format('SELECT (q)::text FROM (%s) q', query) INTO STRICT answer;
  RETURN answer;
END $$;


--
-- Name: in_plpgsql(integer); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.in_plpgsql(bound integer, OUT youngest integer, OUT number bigint) RETURNS record
    LANGUAGE plpgsql
    AS $$
BEGIN
  SELECT idp_kth_smallest(int4, 0.01, bound), dp_count(1000) INTO youngest, number FROM people;
END $$;


--
-- Name: in_sql(integer); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.in_sql(bound integer) RETURNS bigint
    LANGUAGE sql
    AS $$SELECT dp_count_range(int4, 1000, 0, bound) FROM people$$;


SET default_tablespace = '';

SET default_table_access_method = heap;

--
-- Name: people; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.people (
    i integer,
    g integer,
    int2 smallint,
    int4 integer,
    int8 bigint,
    float4 real,
    float8 double precision,
    "numeric" numeric,
    scaled numeric(10,2),
    date date,
    "timestamp" timestamp without time zone,
    timestamptz timestamp with time zone,
    text text,
    uuid uuid
);


--
-- Name: in_sql_body(double precision); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.in_sql_body(epsilon double precision) RETURNS numeric
    LANGUAGE sql
    BEGIN ATOMIC
 SELECT public.idp_median(people."numeric", in_sql_body.epsilon) AS idp_median
    FROM public.people;
END;


--
-- Name: is_early(integer); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.is_early(integer) RETURNS boolean
    LANGUAGE plpgsql IMMUTABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $_$BEGIN RETURN $1 <= 30; END$_$;


--
-- Name: is_late(integer); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.is_late(integer) RETURNS boolean
    LANGUAGE plpgsql IMMUTABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $_$BEGIN RETURN $1 > 30; END$_$;


--
-- Name: count_of(public.idp_state); Type: AGGREGATE; Schema: public; Owner: -
--

CREATE AGGREGATE public.count_of(public.idp_state) (
    SFUNC = idp.combine,
    STYPE = public.idp_state,
    INITCOND = 'empty',
    FINALFUNC = idp.count_final
);


--
-- Name: distinct_state(text, double precision); Type: AGGREGATE; Schema: public; Owner: -
--

CREATE AGGREGATE public.distinct_state(text, double precision) (
    SFUNC = idp.dp_count_distinct_accum,
    STYPE = public.idp_state,
    INITCOND = 'empty',
    COMBINEFUNC = idp.combine,
    PARALLEL = safe
);


--
-- Name: float_of(public.idp_state); Type: AGGREGATE; Schema: public; Owner: -
--

CREATE AGGREGATE public.float_of(public.idp_state) (
    SFUNC = idp.combine,
    STYPE = public.idp_state,
    INITCOND = 'empty',
    FINALFUNC = idp.float8_final
);


--
-- Name: histogram_of(public.idp_state); Type: AGGREGATE; Schema: public; Owner: -
--

CREATE AGGREGATE public.histogram_of(public.idp_state) (
    SFUNC = idp.combine,
    STYPE = public.idp_state,
    INITCOND = 'empty',
    FINALFUNC = idp.histogram_final
);


--
-- Name: histogram_state(date, double precision, date, date, integer); Type: AGGREGATE; Schema: public; Owner: -
--

CREATE AGGREGATE public.histogram_state(date, double precision, date, date, integer) (
    SFUNC = idp.dp_histogram_accum,
    STYPE = public.idp_state,
    INITCOND = 'empty',
    COMBINEFUNC = idp.combine,
    PARALLEL = safe
);


--
-- Name: int_of(public.idp_state); Type: AGGREGATE; Schema: public; Owner: -
--

CREATE AGGREGATE public.int_of(public.idp_state) (
    SFUNC = idp.combine,
    STYPE = public.idp_state,
    INITCOND = 'empty',
    FINALFUNC = idp.int4_final
);


--
-- Name: max_state(numeric, double precision, numeric); Type: AGGREGATE; Schema: public; Owner: -
--

CREATE AGGREGATE public.max_state(numeric, double precision, numeric) (
    SFUNC = idp.idp_max_accum,
    STYPE = public.idp_state,
    INITCOND = 'empty',
    COMBINEFUNC = idp.combine,
    PARALLEL = safe
);


--
-- Name: median_state(double precision, double precision); Type: AGGREGATE; Schema: public; Owner: -
--

CREATE AGGREGATE public.median_state(double precision, double precision) (
    SFUNC = idp.idp_median_accum,
    STYPE = public.idp_state,
    INITCOND = 'empty',
    COMBINEFUNC = idp.combine,
    PARALLEL = safe
);


--
-- Name: median_state(integer, double precision); Type: AGGREGATE; Schema: public; Owner: -
--

CREATE AGGREGATE public.median_state(integer, double precision) (
    SFUNC = idp.idp_median_accum,
    STYPE = public.idp_state,
    INITCOND = 'empty',
    COMBINEFUNC = idp.combine,
    PARALLEL = safe
);


--
-- Name: medians_state(integer, double precision[]); Type: AGGREGATE; Schema: public; Owner: -
--

CREATE AGGREGATE public.medians_state(integer, double precision[]) (
    SFUNC = idp.idp_median_accum,
    STYPE = public.idp_state,
    INITCOND = 'empty',
    COMBINEFUNC = idp.combine,
    PARALLEL = safe
);


--
-- Name: numeric_of(public.idp_state); Type: AGGREGATE; Schema: public; Owner: -
--

CREATE AGGREGATE public.numeric_of(public.idp_state) (
    SFUNC = idp.combine,
    STYPE = public.idp_state,
    INITCOND = 'empty',
    FINALFUNC = idp.numeric_final
);


--
-- Name: own_median(integer, double precision); Type: AGGREGATE; Schema: public; Owner: -
--

CREATE AGGREGATE public.own_median(integer, double precision) (
    SFUNC = idp.idp_median_accum,
    STYPE = public.idp_state,
    INITCOND = 'empty',
    FINALFUNC = idp.int4_final,
    FINALFUNC_MODIFY = READ_WRITE,
    COMBINEFUNC = idp.combine,
    PARALLEL = safe
);


--
-- Name: range_state(timestamp without time zone, double precision, timestamp without time zone, timestamp without time zone); Type: AGGREGATE; Schema: public; Owner: -
--

CREATE AGGREGATE public.range_state(timestamp without time zone, double precision, timestamp without time zone, timestamp without time zone) (
    SFUNC = idp.dp_count_range_accum,
    STYPE = public.idp_state,
    INITCOND = 'empty',
    COMBINEFUNC = idp.combine,
    PARALLEL = safe
);


--
-- Name: sum_of(public.idp_state); Type: AGGREGATE; Schema: public; Owner: -
--

CREATE AGGREGATE public.sum_of(public.idp_state) (
    SFUNC = idp.combine,
    STYPE = public.idp_state,
    INITCOND = 'empty',
    FINALFUNC = idp.moments_int8_final
);


--
-- Name: sum_state(integer, double precision, integer, integer); Type: AGGREGATE; Schema: public; Owner: -
--

CREATE AGGREGATE public.sum_state(integer, double precision, integer, integer) (
    SFUNC = idp.dp_sum_accum,
    STYPE = public.idp_state,
    INITCOND = 'empty',
    COMBINEFUNC = idp.combine,
    PARALLEL = safe
);


--
-- Name: variance_of(public.idp_state); Type: AGGREGATE; Schema: public; Owner: -
--

CREATE AGGREGATE public.variance_of(public.idp_state) (
    SFUNC = idp.combine,
    STYPE = public.idp_state,
    INITCOND = 'empty',
    FINALFUNC = idp.moments_numeric_final
);


--
-- Name: variance_state(numeric, double precision, numeric, numeric); Type: AGGREGATE; Schema: public; Owner: -
--

CREATE AGGREGATE public.variance_state(numeric, double precision, numeric, numeric) (
    SFUNC = idp.dp_variance_accum,
    STYPE = public.idp_state,
    INITCOND = 'empty',
    COMBINEFUNC = idp.combine,
    PARALLEL = safe
);


--
-- Name: odd "table; Type: TABLE; Schema: odd schema; Owner: -
--

CREATE TABLE "odd schema"."odd ""table" (
    x integer,
    g integer,
    wage numeric(10,2)
);


--
-- Name: by_group; Type: VIEW; Schema: public; Owner: -
--

CREATE VIEW public.by_group AS
 SELECT people.g,
    public.idp_median(people.int4, (0.01)::double precision) AS median,
    public.dp_count((1000)::double precision) FILTER (WHERE (people.int4 < 5)) AS young,
    public.dp_histogram(people.date, (1000)::double precision, '2000-02-27'::date, '2000-03-09'::date, (11)::bigint) AS days
   FROM public.people
  GROUP BY people.g
 HAVING (public.dp_count((1000)::double precision) > 10);


--
-- Name: customers; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.customers (
    id integer NOT NULL,
    nation integer NOT NULL,
    segment text NOT NULL,
    born date NOT NULL
);


--
-- Name: items; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.items (
    id integer NOT NULL,
    "order" integer NOT NULL,
    quantity integer NOT NULL
);


--
-- Name: kept; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.kept (
    name text NOT NULL,
    query text NOT NULL,
    answer text
);


--
-- Name: large_states; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.large_states (
    parts public.idp_state[]
);


--
-- Name: left_alone; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.left_alone (
    x integer,
    g integer,
    wage numeric(10,2)
);


--
-- Name: materialized; Type: MATERIALIZED VIEW; Schema: public; Owner: -
--

CREATE MATERIALIZED VIEW public.materialized AS
 SELECT public.idp_kth_largest(people."numeric", (0.01)::double precision, (2)::bigint) AS second
   FROM public.people
  WITH NO DATA;


--
-- Name: notes; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.notes OF public.noted;


--
-- Name: on_own; Type: VIEW; Schema: public; Owner: -
--

CREATE VIEW public.on_own AS
 SELECT public.own_median(people.int4, (0.01)::double precision) AS median,
    public.in_sql(3) AS in_sql
   FROM public.people;


--
-- Name: orders; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.orders (
    id integer NOT NULL,
    customer integer NOT NULL,
    price numeric(10,2) NOT NULL
);


--
-- Name: parcels; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.parcels (
    day date NOT NULL,
    depot integer NOT NULL,
    weight integer NOT NULL
)
PARTITION BY RANGE (day);


--
-- Name: parcels_1; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.parcels_1 (
    day date NOT NULL,
    depot integer NOT NULL,
    weight integer NOT NULL
);


--
-- Name: parcels_2; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.parcels_2 (
    day date NOT NULL,
    depot integer NOT NULL,
    weight integer NOT NULL
)
PARTITION BY LIST (depot);


--
-- Name: parcels_2_0; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.parcels_2_0 (
    day date NOT NULL,
    depot integer NOT NULL,
    weight integer NOT NULL
);


--
-- Name: parcels_2_1; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.parcels_2_1 (
    day date NOT NULL,
    depot integer NOT NULL,
    weight integer NOT NULL
);


--
-- Name: parcels_3; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.parcels_3 (
    day date NOT NULL,
    depot integer NOT NULL,
    weight integer NOT NULL
);


--
-- Name: parts; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.parts (
    x integer,
    g integer,
    wage numeric
)
PARTITION BY LIST (g);


--
-- Name: part0; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.part0 (
    x integer,
    g integer,
    wage numeric
);


--
-- Name: part1; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.part1 (
    x integer,
    g integer,
    wage numeric
);


--
-- Name: readings; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.readings (
    x integer,
    sensor integer
);


--
-- Name: staff; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.staff (
    x integer,
    g integer,
    wage numeric(10,2)
);


--
-- Name: staff_count; Type: VIEW; Schema: public; Owner: -
--

CREATE VIEW public.staff_count AS
 SELECT (public.dp_count((0.25)::double precision) IS NOT NULL) AS counted
   FROM public.staff;


--
-- Name: staff_median; Type: VIEW; Schema: public; Owner: -
--

CREATE VIEW public.staff_median AS
 SELECT public.idp_median(staff.wage, (0.1)::double precision, 'median wage'::text) AS median
   FROM public.staff;


--
-- Name: states; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.states (
    g integer,
    median public.idp_state,
    medians public.idp_state,
    "greatest" public.idp_state,
    in_range public.idp_state,
    total public.idp_state,
    variance public.idp_state,
    buckets public.idp_state,
    names public.idp_state
);


--
-- Name: visits; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.visits (
    id integer NOT NULL,
    customer integer NOT NULL
);


--
-- Name: parcels_1; Type: TABLE ATTACH; Schema: public; Owner: -
--

ALTER TABLE ONLY public.parcels ATTACH PARTITION public.parcels_1 FOR VALUES FROM ('2026-01-01') TO ('2026-02-01');


--
-- Name: parcels_2; Type: TABLE ATTACH; Schema: public; Owner: -
--

ALTER TABLE ONLY public.parcels ATTACH PARTITION public.parcels_2 FOR VALUES FROM ('2026-02-01') TO ('2026-03-01');


--
-- Name: parcels_2_0; Type: TABLE ATTACH; Schema: public; Owner: -
--

ALTER TABLE ONLY public.parcels_2 ATTACH PARTITION public.parcels_2_0 FOR VALUES IN (0);


--
-- Name: parcels_2_1; Type: TABLE ATTACH; Schema: public; Owner: -
--

ALTER TABLE ONLY public.parcels_2 ATTACH PARTITION public.parcels_2_1 FOR VALUES IN (1);


--
-- Name: part0; Type: TABLE ATTACH; Schema: public; Owner: -
--

ALTER TABLE ONLY public.parts ATTACH PARTITION public.part0 FOR VALUES IN (0);


--
-- Name: part1; Type: TABLE ATTACH; Schema: public; Owner: -
--

ALTER TABLE ONLY public.parts ATTACH PARTITION public.part1 FOR VALUES IN (1, 2);


--
-- Data for Name: account; Type: TABLE DATA; Schema: idp; Owner: -
--

COPY idp.account (id, relation, name, owner, active, budget, neighbours, min_epsilon, floor, since, hidden, per, renewal, part_of, unit, delta) FROM stdin;
1	public.staff	public.staff	postgres	t	100	substitute	0.001	0.5	2026-11-22 20:47:28.03839+00	t	table	\N	\N	\N	\N
2	"odd schema"."odd ""table"	"odd schema"."odd ""table"	postgres	t	100	add_remove	\N	\N	2026-11-22 20:47:28.042238+00	t	table	\N	\N	\N	\N
4	public.parts	public.parts	postgres	t	100	substitute	\N	\N	2026-11-22 20:47:28.045139+00	t	table	\N	\N	\N	\N
5	public.left_alone	public.left_alone	postgres	f	100	substitute	\N	\N	2026-11-22 20:47:28.051277+00	t	table	\N	\N	\N	\N
3	\N	public.gone	postgres	t	50	substitute	\N	\N	2026-11-22 20:47:28.043848+00	t	table	\N	\N	\N	\N
6	public.customers	public.customers	postgres	t	100000	add_remove	0.001	\N	2026-11-22 20:47:28.099737+00	t	table	\N	\N	id	0.001
7	public.parcels	public.parcels	postgres	t	5000	substitute	\N	0.25	2026-11-22 20:47:28.129749+00	t	partition	\N	\N	\N	\N
8	public.parcels_1	public.parcels_1	postgres	t	5000	substitute	\N	0.25	2026-11-22 20:47:28.129773+00	t	table	\N	7	\N	\N
9	public.parcels_3	public.parcels_3	postgres	t	5000	substitute	\N	0.25	2026-11-22 20:47:28.129795+00	t	table	\N	7	\N	\N
11	public.parcels_2_0	public.parcels_2_0	postgres	t	5000	substitute	\N	0.25	2026-11-22 20:47:28.129826+00	t	table	\N	7	\N	\N
12	public.parcels_2_1	public.parcels_2_1	postgres	t	5000	substitute	\N	0.25	2026-11-22 20:47:28.129842+00	t	table	\N	7	\N	\N
10	\N	public.parcels_4	postgres	t	5000	substitute	\N	0.25	2026-11-22 20:47:28.129811+00	t	table	\N	7	\N	\N
13	public.readings	public.readings	postgres	t	5000	add_remove	\N	\N	2026-11-22 20:47:28.146121+00	f	table	100 years	\N	\N	0.01
\.


--
-- Data for Name: account_end; Type: TABLE DATA; Schema: idp; Owner: -
--

COPY idp.account_end (account, owner) FROM stdin;
\.


--
-- Data for Name: chain; Type: TABLE DATA; Schema: idp; Owner: -
--

COPY idp.chain (id, name, name_hash, family, grouped, accounts, relation, table_name, tables, aggregate, "column", result, born, role, record, condition, used_columns) FROM stdin;
c9d6afe3-d95c-bf1c-8d9a-f9a3db8d476a	median wage	689435817618323426	c4d32f85-5558-0cd5-43a3-98960e7a7c77	f	{1}	public.staff	public.staff	{public.staff}	idp_median	wage	numeric	2026-11-22 20:47:28.054706+00	postgres	\\x49445052010106000a000200013fb999999999999a3fe00000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000002000000000000000001000206830000000101000132000101		{wage}
f7369994-8864-cc9b-835c-0d397fbb1201	count	-7868869494890853067	a34cd8f9-b536-3b66-cfe3-cb4202ec371d	f	{1}	public.staff	public.staff	{public.staff}	dp_count		bigint	2026-11-22 20:47:28.055753+00	postgres	\\x494450520108000000000000013fb999999999999a000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000020000000000000000010001630000000101000101000101		{x,wage}
3c6b79d7-5679-d5bf-4fea-6efd8c7adb21	histogram '"\\\n	-4536117280174864008	b5b00c2f-4242-9d06-10a7-a86ad5abc18c	f	{1}	public.staff	public.staff	{public.staff}	dp_histogram	x	bigint[]	2026-11-22 20:47:28.05581+00	postgres	\\x494450520117020000000000013fb999999999999a0000000000000000000000000000000a00000000000000000000000000000000000000000000000000000000000000630200000000000000000a00010900010a00010a00010a00010a00010a00010a00010a00010a00010a0000000101000102000101		{x,wage}
4127340f-6422-48da-248e-11a333c7733b	median	-7695913736348631813	4192b2b7-158e-ee63-ab40-4bba9827482f	f	{1}	public.staff	public.staff	{public.staff}	idp_median	(x)::double precision	double precision	2026-11-22 20:47:28.055857+00	postgres	\\x494450520101050000000000013fb999999999999a3fe0000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000200040a00108bc5c9ed8b482f08bc368cd67c2f2b2400000001000632000000000000000001010006010000000000000101		{x,wage}
4be72374-c788-2f1d-1ed7-52aa5feec427	groups	-340222727798620583	b74afc34-f4cc-5bb4-e85c-081c4cefb0ee	f	{1}	public.staff	public.staff	{public.staff}	idp_avg	x	numeric	2026-11-22 20:47:28.055899+00	postgres	\\x49445052010f020000000000023fb999999999999a00000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000006402000000000000000001000806f05b59d3b20000000000010200072386f26fc10000000101000746b206a051814b000101		{x,wage}
32eb08a2-993b-eca3-5d54-e596c16e78c7	sum	-4898235027273886480	c286126d-274d-7d3c-142f-f77e9e873988	f	{1}	public.staff	public.staff	{public.staff}	dp_sum	wage	numeric	2026-11-22 20:47:28.055934+00	postgres	\\x49445052011206000a000200013fb999999999999a000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000fa0020000000000000000010003028488000000010100020fa0000101		{x,wage}
73213c41-398e-646d-a514-b70ba3c510f2	maximum	3901410962600900697	5422bd53-1560-8b53-2e3b-7e0a609f909b	f	{1}	public.staff	public.staff	{public.staff}	idp_max	x	integer	2026-11-22 20:47:28.055969+00	postgres	\\x494450520104020000000000013fb999999999999a0000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000c8020000000000000000010001630000000101000165000101		{x,wage}
f9240866-d978-8653-ba31-ecd09ce61a2d	different	2035566178777781103	7a7f6d89-2423-9b40-375c-adf27d5da351	f	{1}	public.staff	public.staff	{public.staff}	dp_count_distinct	x	bigint	2026-11-22 20:47:28.055997+00	postgres	\\x494450520116020000000000013fb999999999999a000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000020000000000000000010001630000000101000101000101		{x,wage}
21354578-bdf3-bbae-010b-06aacc00dd45	group 0	3641399776856072125	396830b8-ef6a-4789-33ac-34317b846425	t	{1}	public.staff	public.staff	{public.staff}	dp_count		bigint	2026-11-22 20:47:28.058342+00	postgres	\\x494450520108000000000000013fb999999999999a000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000020000000000000000010001210000000101000101000101	WHERE (g = 0)	{g,wage}
98d5127f-92d3-2bc5-7b4c-3bfa738d4eb0	wage of group 0	-6858197078790391265	6d8123b1-648c-548d-c689-ff1f951c054e	t	{1}	public.staff	public.staff	{public.staff}	idp_median	wage	numeric	2026-11-22 20:47:28.058392+00	postgres	\\x49445052010106000a000200013fc999999999999a3fe00000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000002000000000000000001000206a40000000101000164000101	WHERE (g = 0)	{g,wage}
125db011-500c-09d3-01ee-932ffa23c0a6	group 2	-8384577560599008084	396830b8-ef6a-4789-33ac-34317b846425	t	{1}	public.staff	public.staff	{public.staff}	dp_count		bigint	2026-11-22 20:47:28.05842+00	postgres	\\x494450520108000000000000013fb999999999999a000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000020000000000000000010001210000000101000101000101	WHERE (g = 2)	{g,wage}
bcd63a57-9475-8dc9-1ca3-11fd22a0c386	wage of group 2	2699468168871853720	6d8123b1-648c-548d-c689-ff1f951c054e	t	{1}	public.staff	public.staff	{public.staff}	idp_median	wage	numeric	2026-11-22 20:47:28.058439+00	postgres	\\x49445052010106000a000200013fc999999999999a3fe00000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000002000000000000000001000206830000000101000164000101	WHERE (g = 2)	{g,wage}
c3629d25-31f7-ac7b-0fe4-48ec717ee189	group 1	-5912783529081453945	396830b8-ef6a-4789-33ac-34317b846425	t	{1}	public.staff	public.staff	{public.staff}	dp_count		bigint	2026-11-22 20:47:28.058458+00	postgres	\\x494450520108000000000000013fb999999999999a000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000020000000000000000010001210000000101000101000101	WHERE (g = 1)	{g,wage}
7e2a019c-ffcc-623f-4de1-2aa4db9bd0f0	wage of group 1	5574011683769034803	6d8123b1-648c-548d-c689-ff1f951c054e	t	{1}	public.staff	public.staff	{public.staff}	idp_median	wage	numeric	2026-11-22 20:47:28.058475+00	postgres	\\x49445052010106000a000200013fc999999999999a3fe00000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000002000000000000000001000206610000000101000164000101	WHERE (g = 1)	{g,wage}
d48a405c-07f8-7ee0-30cd-b64d0b2943c8	some	-579069493081232566	31857b3d-1f63-f1ee-f03c-100a94d9e3a3	f	{1}	public.staff	public.staff	{public.staff}	dp_count		bigint	2026-11-22 20:47:28.059+00	postgres	\\x494450520108000000000000013fb999999999999a000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000020000000000000000010001280000000101000101000101	WHERE (x <= 40)	{x}
fa1cbd51-0e10-534a-0a2c-c7c1468ce0a1	suppressed	2903582214841033305	e88afe7a-66e0-afdc-68bb-1f177197dc0b	f	{1}	public.staff	public.staff	{public.staff}	idp_median	x	integer	2026-11-22 20:47:28.05929+00	postgres	\\x494450520101020000000000013fb999999999999a3fe000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000	WHERE (x < 2)	{x}
e3036e87-c02d-82c0-a66b-ae2c1031db95	odd	-4823158354410053860	19d348dc-3b94-ec92-6890-c50ef46b0891	f	{2}	"odd schema"."odd ""table"	"odd schema"."odd ""table"	{"\\"odd schema\\".\\"odd \\"\\"table\\""}	dp_sum	x	bigint	2026-11-22 20:47:28.059616+00	postgres	\\x494450520112020000000000013fb999999999999a00000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000006302000000000000000001000213560000000101000163000101		{x}
fb4a049c-aa25-f520-1020-342eb0fabe55	parts	3867794261721835111	16377493-152e-d92d-503c-bade5c2d8206	f	{4}	public.parts	public.parts	{public.part0,public.part1}	dp_count		bigint	2026-11-22 20:47:28.060134+00	postgres	\\x494450520108000000000000013fb999999999999a000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000020000000000000000010001630000000101000101000101		{}
0f072d9c-07ac-37b1-b0c7-3043f2331e5d	left alone	-2247219896725101681	847f7f53-0216-116f-5282-e9d0243c4cfd	f	{5}	public.left_alone	public.left_alone	{public.left_alone}	dp_count		bigint	2026-11-22 20:47:28.062234+00	postgres	\\x494450520108000000000000013fb999999999999a000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000020000000000000000010001630000000101000101000101		{}
33fc3d1a-dac7-4815-ca00-619cf8280c02	no table	-8075558852200275935	5f50cd34-219f-37f2-1216-db42a5a83c4a	f	{}	\N	\N	{}	dp_count		bigint	2026-11-22 20:47:28.062482+00	postgres	\\x494450520108000000000000013fb999999999999a000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000020000000000000000010001320000000101000101000101	FROM function generate_series(1, 50) r	\N
3276afc4-f648-450a-e8d0-2b53e20fd1d1	again	1397355621601284947	413356bd-4c41-7271-72a8-adf9230e2fc9	f	{1}	public.staff	public.staff	{public.staff}	dp_count		bigint	2026-11-22 20:47:28.062937+00	postgres	\N		{}
319618b1-faac-ddcc-c10e-340af28ac679	gone median	-3590249081769497139	7f19437b-9873-c41e-0997-2a38b8e16d33	f	{3}	\N	public.gone	{-}	idp_median	x	integer	2026-11-22 20:47:28.060497+00	postgres	\\x494450520101020000000000013fb999999999999a3fe000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000020000000000000000010001320000000101000101000101		{x}
9f73a808-a827-7554-3ed0-cc440820fb28	gone	5963629676436052771	a98d63be-3a0f-bf4d-c17e-a3b17359642c	f	{3}	\N	public.gone	{-}	dp_count		bigint	2026-11-22 20:47:28.060461+00	postgres	\\x494450520108000000000000013fb999999999999a000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000020000000000000000010001630000000101000101000101		{x}
87d32489-c4fc-5e38-1871-108885e08afb	customers	5649452822662178422	8d5f90af-ca22-2d49-8418-a7b95e921bb8	f	{6}	public.customers	public.customers	{public.customers}	dp_count		bigint	2026-11-22 20:47:28.116863+00	postgres	\\x494450520108000000000000013fb999999999999a0000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000200000000000000000100015a0000000101000101000101		{nation}
fc56e4b0-b5d9-f008-b711-ea521dcd3b35	nations	1096669472439408966	cf066824-d32b-28b7-f204-9b21ee119632	f	{6}	public.customers	public.customers	{public.customers}	dp_avg	nation	numeric	2026-11-22 20:47:28.116932+00	postgres	\\x494450520113020000000000013fc999999999999a0000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000040200000000000000000280015a00015a0000000201000108000101000102000101		{nation}
20cac59f-724c-34a0-9487-9ed3c45da596	nation 3	722600901396211598	3e235766-b3ee-b26d-63a1-85d2f0489d04	t	{6}	public.customers	public.customers	{public.customers}	dp_count		bigint	2026-11-22 20:47:28.117316+00	postgres	\\x494450520108000000000000013fb999999999999a000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000020000000000000000010001160000000101000101000101	WHERE (nation = 3)	{nation}
48113050-b11a-c3f2-4f27-01a1bafdc185	nation 0	-7575323091067213870	3e235766-b3ee-b26d-63a1-85d2f0489d04	t	{6}	public.customers	public.customers	{public.customers}	dp_count		bigint	2026-11-22 20:47:28.117692+00	postgres	\\x494450520108000000000000013fb999999999999a000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000020000000000000000010001160000000101000101000101	WHERE (nation = 0)	{nation}
1b9bc4fd-d323-8a65-5ad3-3da69de91112	nation 2	5279560824834565339	3e235766-b3ee-b26d-63a1-85d2f0489d04	t	{6}	public.customers	public.customers	{public.customers}	dp_count		bigint	2026-11-22 20:47:28.117713+00	postgres	\\x494450520108000000000000013fb999999999999a000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000020000000000000000010001170000000101000101000101	WHERE (nation = 2)	{nation}
418a0cd7-ac16-f4ec-9eeb-00914b62a70f	nation 1	-2969771166882552538	3e235766-b3ee-b26d-63a1-85d2f0489d04	t	{6}	public.customers	public.customers	{public.customers}	dp_count		bigint	2026-11-22 20:47:28.11773+00	postgres	\\x494450520108000000000000013fb999999999999a000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000020000000000000000010001170000000101000101000101	WHERE (nation = 1)	{nation}
b1d0a765-eab3-d1fa-b10c-a3aa9f641943	february	5605297535312368026	26b13c76-9651-fc31-722b-f77939aae41e	f	{11,12}	public.parcels	public.parcels	{public.parcels_2_0,public.parcels_2_1}	dp_count		bigint	2026-11-22 20:47:28.138753+00	postgres	\\x494450520108000000000000013fb999999999999a000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000020000000000000000010001700000000101000101000101	WHERE (day < '2026-03-01'::date) AND (day >= '2026-02-01'::date)	{day}
afe95fc1-8e8c-4028-c6fc-ffe270bbfdbe	readings	7602389567521825475	86b9fce9-5c3e-5f33-ec47-cd2f9db95b15	f	{13}	public.readings	public.readings	{public.readings}	dp_sum	x	bigint	2026-11-22 20:47:28.147227+00	postgres	\\x494450520112020000000000013fd000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000006402000000000000000001000207260000000101000164000101		{x}
\.


--
-- Data for Name: chain_level; Type: TABLE DATA; Schema: idp; Owner: -
--

COPY idp.chain_level (chain, epsilons, noise, at, role) FROM stdin;
c9d6afe3-d95c-bf1c-8d9a-f9a3db8d476a	{0.1}	\\x4944504e01000000018002028d	2026-11-22 20:47:28.054923+00	postgres
f7369994-8864-cc9b-835c-0d397fbb1201	{0.1}	\\x4944504e010000000100010e	2026-11-22 20:47:28.055767+00	postgres
3c6b79d7-5679-d5bf-4fea-6efd8c7adb21	{0.1}	\\x4944504e010000000a80014b80013580011500010a000176800123800107000108800127800109	2026-11-22 20:47:28.055817+00	postgres
4127340f-6422-48da-248e-11a333c7733b	{0.1}	\\x4944504e01000000010006098990994218	2026-11-22 20:47:28.055864+00	postgres
4be72374-c788-2f1d-1ed7-52aa5feec427	{0.1,0.2}	\\x4944504e010000000180077d330e65fbc5eb	2026-11-22 20:47:28.055905+00	postgres
32eb08a2-993b-eca3-5d54-e596c16e78c7	{0.1}	\\x4944504e01000000010002b797	2026-11-22 20:47:28.055939+00	postgres
73213c41-398e-646d-a514-b70ba3c510f2	{0.1}	\\x4944504e010000000180020e2b	2026-11-22 20:47:28.055975+00	postgres
f9240866-d978-8653-ba31-ecd09ce61a2d	{0.1}	\\x4944504e0100000001800103	2026-11-22 20:47:28.056003+00	postgres
f7369994-8864-cc9b-835c-0d397fbb1201	{0.5}	\\x4944504e0100000001000103	2026-11-22 20:47:28.056354+00	postgres
f7369994-8864-cc9b-835c-0d397fbb1201	{0.02}	\\x4944504e010000000100019d	2026-11-22 20:47:28.056403+00	postgres
f7369994-8864-cc9b-835c-0d397fbb1201	{0.3}	\\x4944504e0100000001000106	2026-11-22 20:47:28.056456+00	postgres
32eb08a2-993b-eca3-5d54-e596c16e78c7	{0.7}	\\x4944504e0100000001800204c3	2026-11-22 20:47:28.056515+00	postgres
4be72374-c788-2f1d-1ed7-52aa5feec427	{0.4,0.5}	\\x4944504e0100000001800801cbc6c1678eace9	2026-11-22 20:47:28.056594+00	postgres
4127340f-6422-48da-248e-11a333c7733b	{0.05}	\\x4944504e01000000010006033c227aabc5	2026-11-22 20:47:28.056644+00	postgres
21354578-bdf3-bbae-010b-06aacc00dd45	{0.1}	\\x4944504e010000000180012c	2026-11-22 20:47:28.058354+00	postgres
98d5127f-92d3-2bc5-7b4c-3bfa738d4eb0	{0.2}	\\x4944504e010000000100020210	2026-11-22 20:47:28.058399+00	postgres
125db011-500c-09d3-01ee-932ffa23c0a6	{0.1}	\\x4944504e0100000001800101	2026-11-22 20:47:28.058427+00	postgres
bcd63a57-9475-8dc9-1ca3-11fd22a0c386	{0.2}	\\x4944504e010000000100020268	2026-11-22 20:47:28.058446+00	postgres
c3629d25-31f7-ac7b-0fe4-48ec717ee189	{0.1}	\\x4944504e010000000100010c	2026-11-22 20:47:28.058464+00	postgres
7e2a019c-ffcc-623f-4de1-2aa4db9bd0f0	{0.2}	\\x4944504e01000000010002016b	2026-11-22 20:47:28.05848+00	postgres
21354578-bdf3-bbae-010b-06aacc00dd45	{0.6}	\\x4944504e0100000001800101	2026-11-22 20:47:28.058727+00	postgres
125db011-500c-09d3-01ee-932ffa23c0a6	{0.6}	\\x4944504e01000000010000	2026-11-22 20:47:28.058736+00	postgres
c3629d25-31f7-ac7b-0fe4-48ec717ee189	{0.6}	\\x4944504e0100000001800103	2026-11-22 20:47:28.058744+00	postgres
d48a405c-07f8-7ee0-30cd-b64d0b2943c8	{0.1}	\\x4944504e0100000001000106	2026-11-22 20:47:28.059009+00	postgres
fa1cbd51-0e10-534a-0a2c-c7c1468ce0a1	{0.1}	\\x4944504e0100000000	2026-11-22 20:47:28.059299+00	postgres
e3036e87-c02d-82c0-a66b-ae2c1031db95	{0.1}	\\x4944504e01000000018001b1	2026-11-22 20:47:28.059624+00	postgres
fb4a049c-aa25-f520-1020-342eb0fabe55	{0.1}	\\x4944504e0100000001800101	2026-11-22 20:47:28.060142+00	postgres
9f73a808-a827-7554-3ed0-cc440820fb28	{0.1}	\\x4944504e010000000180011a	2026-11-22 20:47:28.060469+00	postgres
319618b1-faac-ddcc-c10e-340af28ac679	{0.1}	\\x4944504e01000000010000	2026-11-22 20:47:28.060504+00	postgres
0f072d9c-07ac-37b1-b0c7-3043f2331e5d	{0.1}	\\x4944504e0100000001000106	2026-11-22 20:47:28.062244+00	postgres
33fc3d1a-dac7-4815-ca00-619cf8280c02	{0.1}	\\x4944504e0100000001000107	2026-11-22 20:47:28.062494+00	postgres
87d32489-c4fc-5e38-1871-108885e08afb	{0.1}	\\x4944504e010000000180011f	2026-11-22 20:47:28.116883+00	postgres
fc56e4b0-b5d9-f008-b711-ea521dcd3b35	{0.2}	\\x4944504e010000000280014c800105	2026-11-22 20:47:28.116941+00	postgres
20cac59f-724c-34a0-9487-9ed3c45da596	{0.1}	\\x4944504e0100000001000108	2026-11-22 20:47:28.11766+00	postgres
48113050-b11a-c3f2-4f27-01a1bafdc185	{0.1}	\\x4944504e010000000180010c	2026-11-22 20:47:28.117699+00	postgres
1b9bc4fd-d323-8a65-5ad3-3da69de91112	{0.1}	\\x4944504e0100000001800107	2026-11-22 20:47:28.117719+00	postgres
418a0cd7-ac16-f4ec-9eeb-00914b62a70f	{0.1}	\\x4944504e0100000001800110	2026-11-22 20:47:28.117736+00	postgres
87d32489-c4fc-5e38-1871-108885e08afb	{0.05}	\\x4944504e0100000001800128	2026-11-22 20:47:28.123935+00	postgres
fc56e4b0-b5d9-f008-b711-ea521dcd3b35	{0.4}	\\x4944504e010000000280012e0000	2026-11-22 20:47:28.124256+00	postgres
b1d0a765-eab3-d1fa-b10c-a3aa9f641943	{0.1}	\\x4944504e010000000100010f	2026-11-22 20:47:28.138767+00	postgres
afe95fc1-8e8c-4028-c6fc-ffe270bbfdbe	{0.25}	\\x4944504e01000000018001b4	2026-11-22 20:47:28.147242+00	postgres
\.


--
-- Data for Name: charge; Type: TABLE DATA; Schema: idp; Owner: -
--

COPY idp.charge (account, entry, at, role, aggregate, epsilon, spent, release, family, family_epsilon, delta, delta_spent, outer_role, session_role) FROM stdin;
1	1	2026-11-22 20:47:28.05387+00	postgres	dp_count	0.25	0.25	\N	\N	\N	\N	\N	postgres	postgres
1	2	2026-11-22 20:47:28.054636+00	postgres	idp_median	0.1	0.35	median wage	c4d32f85-5558-0cd5-43a3-98960e7a7c77	0.1	\N	\N	postgres	postgres
1	3	2026-11-22 20:47:28.05573+00	postgres	dp_count	0.1	0.45	count	a34cd8f9-b536-3b66-cfe3-cb4202ec371d	0.1	\N	\N	postgres	postgres
1	4	2026-11-22 20:47:28.055787+00	postgres	dp_histogram	0.1	0.55	histogram '"\\\n	b5b00c2f-4242-9d06-10a7-a86ad5abc18c	0.1	\N	\N	postgres	postgres
1	5	2026-11-22 20:47:28.055846+00	postgres	idp_median	0.1	0.65	median	4192b2b7-158e-ee63-ab40-4bba9827482f	0.1	\N	\N	postgres	postgres
1	6	2026-11-22 20:47:28.055887+00	postgres	idp_avg	0.1	0.75	groups	b74afc34-f4cc-5bb4-e85c-081c4cefb0ee	0.1	\N	\N	postgres	postgres
1	7	2026-11-22 20:47:28.055923+00	postgres	dp_sum	0.1	0.85	sum	c286126d-274d-7d3c-142f-f77e9e873988	0.1	\N	\N	postgres	postgres
1	8	2026-11-22 20:47:28.055957+00	postgres	idp_max	0.1	0.95	maximum	5422bd53-1560-8b53-2e3b-7e0a609f909b	0.1	\N	\N	postgres	postgres
1	9	2026-11-22 20:47:28.055986+00	postgres	dp_count_distinct	0.1	1.05	different	7a7f6d89-2423-9b40-375c-adf27d5da351	0.1	\N	\N	postgres	postgres
1	10	2026-11-22 20:47:28.056311+00	postgres	dp_count	0.4	1.45	count	a34cd8f9-b536-3b66-cfe3-cb4202ec371d	0.5	\N	\N	postgres	postgres
1	11	2026-11-22 20:47:28.056499+00	postgres	dp_sum	0.6	2.05	sum	c286126d-274d-7d3c-142f-f77e9e873988	0.7	\N	\N	postgres	postgres
1	12	2026-11-22 20:47:28.056561+00	postgres	idp_avg	0.3	2.35	groups	b74afc34-f4cc-5bb4-e85c-081c4cefb0ee	0.4	\N	\N	postgres	postgres
1	13	2026-11-22 20:47:28.058317+00	postgres	dp_count	0.2	2.55	group 0	396830b8-ef6a-4789-33ac-34317b846425	0.1	\N	\N	postgres	postgres
1	14	2026-11-22 20:47:28.058381+00	postgres	idp_median	0.4	2.95	wage of group 0	6d8123b1-648c-548d-c689-ff1f951c054e	0.2	\N	\N	postgres	postgres
1	15	2026-11-22 20:47:28.058697+00	postgres	dp_count	1.0	3.95	group 1	396830b8-ef6a-4789-33ac-34317b846425	0.6	\N	\N	postgres	postgres
1	16	2026-11-22 20:47:28.058982+00	postgres	dp_count	0.1	4.05	some	31857b3d-1f63-f1ee-f03c-100a94d9e3a3	0.1	\N	\N	postgres	postgres
1	17	2026-11-22 20:47:28.059275+00	postgres	idp_median	0.1	4.15	suppressed	e88afe7a-66e0-afdc-68bb-1f177197dc0b	0.1	\N	\N	postgres	postgres
2	1	2026-11-22 20:47:28.059595+00	postgres	dp_sum	0.1	0.1	odd	19d348dc-3b94-ec92-6890-c50ef46b0891	0.1	\N	\N	postgres	postgres
4	1	2026-11-22 20:47:28.060115+00	postgres	dp_count	0.1	0.1	parts	16377493-152e-d92d-503c-bade5c2d8206	0.1	\N	\N	postgres	postgres
3	1	2026-11-22 20:47:28.060443+00	postgres	dp_count	0.1	0.1	gone	a98d63be-3a0f-bf4d-c17e-a3b17359642c	0.1	\N	\N	postgres	postgres
3	2	2026-11-22 20:47:28.060486+00	postgres	idp_median	0.1	0.2	gone median	7f19437b-9873-c41e-0997-2a38b8e16d33	0.1	\N	\N	postgres	postgres
5	1	2026-11-22 20:47:28.062211+00	postgres	dp_count	0.1	0.1	left alone	847f7f53-0216-116f-5282-e9d0243c4cfd	0.1	\N	\N	postgres	postgres
1	18	2026-11-22 20:47:28.062689+00	postgres	dp_count	0.1	4.25	again	eb08ecb7-4a07-8097-e966-0f2a53c3030b	0.1	\N	\N	postgres	postgres
1	19	2026-11-22 20:47:28.063148+00	postgres	dp_count	0.1	4.35	dropped	35248412-b726-4458-b3ab-ee66fbbcd27c	0.1	\N	\N	postgres	postgres
6	1	2026-11-22 20:47:28.116824+00	postgres	dp_count	0.1	0.1	customers	8d5f90af-ca22-2d49-8418-a7b95e921bb8	0.1	\N	\N	postgres	postgres
6	2	2026-11-22 20:47:28.116917+00	postgres	dp_avg	0.2	0.3	nations	cf066824-d32b-28b7-f204-9b21ee119632	0.2	\N	\N	postgres	postgres
6	3	2026-11-22 20:47:28.117291+00	postgres	dp_count	0.1	0.4	nation 3	3e235766-b3ee-b26d-63a1-85d2f0489d04	0.1	\N	\N	postgres	postgres
6	4	2026-11-22 20:47:28.122331+00	postgres	dp_count	0.3	0.7	\N	\N	\N	\N	\N	postgres	postgres
6	5	2026-11-22 20:47:28.123023+00	postgres	dp_count	0.1	0.8	\N	\N	\N	\N	\N	postgres	postgres
6	6	2026-11-22 20:47:28.123448+00	postgres	dp_keep_group	0.5	1.3	\N	\N	\N	0.0001	0.0001	postgres	postgres
6	7	2026-11-22 20:47:28.124223+00	postgres	dp_avg	0.2	1.5	nations	cf066824-d32b-28b7-f204-9b21ee119632	0.4	\N	0.0001	postgres	postgres
8	1	2026-11-22 20:47:28.136198+00	postgres	dp_count	0.2	0.2	\N	\N	\N	\N	\N	postgres	postgres
9	1	2026-11-22 20:47:28.136204+00	postgres	dp_count	0.2	0.2	\N	\N	\N	\N	\N	postgres	postgres
10	1	2026-11-22 20:47:28.136207+00	postgres	dp_count	0.2	0.2	\N	\N	\N	\N	\N	postgres	postgres
11	1	2026-11-22 20:47:28.13621+00	postgres	dp_count	0.2	0.2	\N	\N	\N	\N	\N	postgres	postgres
12	1	2026-11-22 20:47:28.136212+00	postgres	dp_count	0.2	0.2	\N	\N	\N	\N	\N	postgres	postgres
11	2	2026-11-22 20:47:28.138712+00	postgres	dp_count	0.2	0.4	february	26b13c76-9651-fc31-722b-f77939aae41e	0.1	\N	\N	postgres	postgres
12	2	2026-11-22 20:47:28.138714+00	postgres	dp_count	0.2	0.4	february	26b13c76-9651-fc31-722b-f77939aae41e	0.1	\N	\N	postgres	postgres
9	2	2026-11-22 20:47:28.139237+00	postgres	dp_sum	0.4	0.6	\N	\N	\N	\N	\N	postgres	postgres
10	2	2026-11-22 20:47:28.139243+00	postgres	dp_sum	0.4	0.6	\N	\N	\N	\N	\N	postgres	postgres
13	1	2026-11-22 20:47:28.146551+00	postgres	dp_count	0.5	0.5	\N	\N	\N	\N	\N	postgres	postgres
13	2	2026-11-22 20:47:28.146775+00	postgres	dp_keep_group	0.25	0.75	\N	\N	\N	0.001	0.001	postgres	postgres
13	3	2026-11-22 20:47:28.147199+00	postgres	dp_sum	0.25	1.00	readings	86b9fce9-5c3e-5f33-ec47-cd2f9db95b15	0.25	\N	0.001	postgres	postgres
\.


--
-- Data for Name: domain; Type: TABLE DATA; Schema: idp; Owner: -
--

COPY idp.domain (relation, column_name, keys, lower, upper) FROM stdin;
public.customers	nation	{0,1,2,3,4}	\N	\N
public.customers	segment	{retail,trade,public}	\N	\N
public.customers	born	\N	1960-01-01	1960-03-31
\.


--
-- Data for Name: link; Type: TABLE DATA; Schema: idp; Owner: -
--

COPY idp.link (account, relation, name, owner, "column", parent) FROM stdin;
6	public.orders	public.orders	postgres	customer	public.customers
6	public.items	public.items	postgres	order	public.orders
6	\N	public.returns	postgres	item	public.items
\.


--
-- Data for Name: role_limit; Type: TABLE DATA; Schema: idp; Owner: -
--

COPY idp.role_limit (account, role, budget) FROM stdin;
6	clerk	2
\.


--
-- Data for Name: share; Type: TABLE DATA; Schema: idp; Owner: -
--

COPY idp.share (chain, role, epsilons) FROM stdin;
87d32489-c4fc-5e38-1871-108885e08afb	clerk	{0.05}
fc56e4b0-b5d9-f008-b711-ea521dcd3b35	analyst	{0.4}
\.


--
-- Data for Name: trusted_function; Type: TABLE DATA; Schema: idp; Owner: -
--

COPY idp.trusted_function (function) FROM stdin;
public.is_early(integer)
\.


--
-- Data for Name: odd "table; Type: TABLE DATA; Schema: odd schema; Owner: -
--

COPY "odd schema"."odd ""table" (x, g, wage) FROM stdin;
1	1	0.33
2	2	0.67
3	0	1.00
4	1	1.33
5	2	1.67
6	0	2.00
7	1	2.33
8	2	2.67
9	0	3.00
10	1	3.33
11	2	3.67
12	0	4.00
13	1	4.33
14	2	4.67
15	0	5.00
16	1	5.33
17	2	5.67
18	0	6.00
19	1	6.33
20	2	6.67
21	0	7.00
22	1	7.33
23	2	7.67
24	0	8.00
25	1	8.33
26	2	8.67
27	0	9.00
28	1	9.33
29	2	9.67
30	0	10.00
31	1	10.33
32	2	10.67
33	0	11.00
34	1	11.33
35	2	11.67
36	0	12.00
37	1	12.33
38	2	12.67
39	0	13.00
40	1	13.33
41	2	13.67
42	0	14.00
43	1	14.33
44	2	14.67
45	0	15.00
46	1	15.33
47	2	15.67
48	0	16.00
49	1	16.33
50	2	16.67
51	0	17.00
52	1	17.33
53	2	17.67
54	0	18.00
55	1	18.33
56	2	18.67
57	0	19.00
58	1	19.33
59	2	19.67
60	0	20.00
61	1	20.33
62	2	20.67
63	0	21.00
64	1	21.33
65	2	21.67
66	0	22.00
67	1	22.33
68	2	22.67
69	0	23.00
70	1	23.33
71	2	23.67
72	0	24.00
73	1	24.33
74	2	24.67
75	0	25.00
76	1	25.33
77	2	25.67
78	0	26.00
79	1	26.33
80	2	26.67
81	0	27.00
82	1	27.33
83	2	27.67
84	0	28.00
85	1	28.33
86	2	28.67
87	0	29.00
88	1	29.33
89	2	29.67
90	0	30.00
91	1	30.33
92	2	30.67
93	0	31.00
94	1	31.33
95	2	31.67
96	0	32.00
97	1	32.33
98	2	32.67
99	0	33.00
\.


--
-- Data for Name: customers; Type: TABLE DATA; Schema: public; Owner: -
--

COPY public.customers (id, nation, segment, born) FROM stdin;
1	1	trade	1960-01-02
2	2	retail	1960-01-03
3	3	trade	1960-01-04
4	0	retail	1960-01-05
5	1	trade	1960-01-06
6	2	retail	1960-01-07
7	3	trade	1960-01-08
8	0	retail	1960-01-09
9	1	trade	1960-01-10
10	2	retail	1960-01-11
11	3	trade	1960-01-12
12	0	retail	1960-01-13
13	1	trade	1960-01-14
14	2	retail	1960-01-15
15	3	trade	1960-01-16
16	0	retail	1960-01-17
17	1	trade	1960-01-18
18	2	retail	1960-01-19
19	3	trade	1960-01-20
20	0	retail	1960-01-21
21	1	trade	1960-01-22
22	2	retail	1960-01-23
23	3	trade	1960-01-24
24	0	retail	1960-01-25
25	1	trade	1960-01-26
26	2	retail	1960-01-27
27	3	trade	1960-01-28
28	0	retail	1960-01-29
29	1	trade	1960-01-30
30	2	retail	1960-01-31
31	3	trade	1960-02-01
32	0	retail	1960-02-02
33	1	trade	1960-02-03
34	2	retail	1960-02-04
35	3	trade	1960-02-05
36	0	retail	1960-02-06
37	1	trade	1960-02-07
38	2	retail	1960-02-08
39	3	trade	1960-02-09
40	0	retail	1960-02-10
41	1	trade	1960-02-11
42	2	retail	1960-02-12
43	3	trade	1960-02-13
44	0	retail	1960-02-14
45	1	trade	1960-02-15
46	2	retail	1960-02-16
47	3	trade	1960-02-17
48	0	retail	1960-02-18
49	1	trade	1960-02-19
50	2	retail	1960-02-20
51	3	trade	1960-02-21
52	0	retail	1960-02-22
53	1	trade	1960-02-23
54	2	retail	1960-02-24
55	3	trade	1960-02-25
56	0	retail	1960-02-26
57	1	trade	1960-02-27
58	2	retail	1960-02-28
59	3	trade	1960-02-29
60	0	retail	1960-03-01
61	1	trade	1960-03-02
62	2	retail	1960-03-03
63	3	trade	1960-03-04
64	0	retail	1960-03-05
65	1	trade	1960-03-06
66	2	retail	1960-03-07
67	3	trade	1960-03-08
68	0	retail	1960-03-09
69	1	trade	1960-03-10
70	2	retail	1960-03-11
71	3	trade	1960-03-12
72	0	retail	1960-03-13
73	1	trade	1960-03-14
74	2	retail	1960-03-15
75	3	trade	1960-03-16
76	0	retail	1960-03-17
77	1	trade	1960-03-18
78	2	retail	1960-03-19
79	3	trade	1960-03-20
80	0	retail	1960-03-21
81	1	trade	1960-03-22
82	2	retail	1960-03-23
83	3	trade	1960-03-24
84	0	retail	1960-03-25
85	1	trade	1960-03-26
86	2	retail	1960-03-27
87	3	trade	1960-03-28
88	0	retail	1960-03-29
89	1	trade	1960-03-30
90	2	retail	1960-03-31
\.


--
-- Data for Name: items; Type: TABLE DATA; Schema: public; Owner: -
--

COPY public.items (id, "order", quantity) FROM stdin;
1	2	1
2	3	2
3	4	3
4	5	4
5	6	5
6	7	6
7	8	0
8	9	1
9	10	2
10	11	3
11	12	4
12	13	5
13	14	6
14	15	0
15	16	1
16	17	2
17	18	3
18	19	4
19	20	5
20	21	6
21	22	0
22	23	1
23	24	2
24	25	3
25	26	4
26	27	5
27	28	6
28	29	0
29	30	1
30	31	2
31	32	3
32	33	4
33	34	5
34	35	6
35	36	0
36	37	1
37	38	2
38	39	3
39	40	4
40	41	5
41	42	6
42	43	0
43	44	1
44	45	2
45	46	3
46	47	4
47	48	5
48	49	6
49	50	0
50	51	1
51	52	2
52	53	3
53	54	4
54	55	5
55	56	6
56	57	0
57	58	1
58	59	2
59	60	3
60	61	4
61	62	5
62	63	6
63	64	0
64	65	1
65	66	2
66	67	3
67	68	4
68	69	5
69	70	6
70	71	0
71	72	1
72	73	2
73	74	3
74	75	4
75	76	5
76	77	6
77	78	0
78	79	1
79	80	2
80	81	3
81	82	4
82	83	5
83	84	6
84	85	0
85	86	1
86	87	2
87	88	3
88	89	4
89	90	5
90	91	6
91	92	0
92	93	1
93	94	2
94	95	3
95	96	4
96	97	5
97	98	6
98	99	0
99	100	1
100	101	2
101	102	3
102	103	4
103	104	5
104	105	6
105	106	0
106	107	1
107	108	2
108	109	3
109	110	4
110	111	5
111	112	6
112	113	0
113	114	1
114	115	2
115	116	3
116	117	4
117	118	5
118	119	6
119	120	0
120	121	1
121	122	2
122	123	3
123	124	4
124	125	5
125	126	6
126	127	0
127	128	1
128	129	2
129	130	3
130	131	4
131	132	5
132	133	6
133	134	0
134	135	1
135	136	2
136	137	3
137	138	4
138	139	5
139	140	6
140	141	0
141	142	1
142	143	2
143	144	3
144	145	4
145	146	5
146	147	6
147	148	0
148	149	1
149	150	2
150	151	3
151	152	4
152	153	5
153	154	6
154	155	0
155	156	1
156	157	2
157	158	3
158	159	4
159	160	5
160	161	6
161	162	0
162	163	1
163	164	2
164	165	3
165	166	4
166	167	5
167	168	6
168	169	0
169	170	1
170	171	2
171	172	3
172	173	4
173	174	5
174	175	6
175	176	0
176	177	1
177	178	2
178	179	3
179	180	4
180	181	5
181	182	6
182	183	0
183	184	1
184	185	2
185	186	3
186	187	4
187	188	5
188	189	6
189	190	0
190	191	1
191	192	2
192	193	3
193	194	4
194	195	5
195	196	6
196	197	0
197	198	1
198	199	2
199	200	3
200	201	4
201	202	5
202	203	6
203	204	0
204	205	1
205	206	2
206	207	3
207	208	4
208	209	5
209	210	6
210	211	0
211	212	1
212	213	2
213	214	3
214	215	4
215	216	5
216	217	6
217	218	0
218	219	1
219	220	2
220	221	3
221	222	4
222	223	5
223	224	6
224	225	0
225	226	1
226	227	2
227	228	3
228	229	4
229	230	5
230	231	6
231	232	0
232	233	1
233	234	2
234	235	3
235	236	4
236	237	5
237	238	6
238	239	0
239	240	1
240	241	2
241	242	3
242	243	4
243	244	5
244	245	6
245	246	0
246	247	1
247	248	2
248	249	3
249	250	4
250	251	5
251	252	6
252	253	0
253	254	1
254	255	2
255	256	3
256	257	4
257	258	5
258	259	6
259	260	0
260	261	1
261	262	2
262	263	3
263	264	4
264	265	5
265	266	6
266	267	0
267	268	1
268	269	2
269	270	3
270	1	4
271	2	5
272	3	6
273	4	0
274	5	1
275	6	2
276	7	3
277	8	4
278	9	5
279	10	6
280	11	0
281	12	1
282	13	2
283	14	3
284	15	4
285	16	5
286	17	6
287	18	0
288	19	1
289	20	2
290	21	3
291	22	4
292	23	5
293	24	6
294	25	0
295	26	1
296	27	2
297	28	3
298	29	4
299	30	5
300	31	6
301	32	0
302	33	1
303	34	2
304	35	3
305	36	4
306	37	5
307	38	6
308	39	0
309	40	1
310	41	2
311	42	3
312	43	4
313	44	5
314	45	6
315	46	0
316	47	1
317	48	2
318	49	3
319	50	4
320	51	5
321	52	6
322	53	0
323	54	1
324	55	2
325	56	3
326	57	4
327	58	5
328	59	6
329	60	0
330	61	1
331	62	2
332	63	3
333	64	4
334	65	5
335	66	6
336	67	0
337	68	1
338	69	2
339	70	3
340	71	4
341	72	5
342	73	6
343	74	0
344	75	1
345	76	2
346	77	3
347	78	4
348	79	5
349	80	6
350	81	0
351	82	1
352	83	2
353	84	3
354	85	4
355	86	5
356	87	6
357	88	0
358	89	1
359	90	2
360	91	3
361	92	4
362	93	5
363	94	6
364	95	0
365	96	1
366	97	2
367	98	3
368	99	4
369	100	5
370	101	6
371	102	0
372	103	1
373	104	2
374	105	3
375	106	4
376	107	5
377	108	6
378	109	0
379	110	1
380	111	2
381	112	3
382	113	4
383	114	5
384	115	6
385	116	0
386	117	1
387	118	2
388	119	3
389	120	4
390	121	5
391	122	6
392	123	0
393	124	1
394	125	2
395	126	3
396	127	4
397	128	5
398	129	6
399	130	0
400	131	1
401	132	2
402	133	3
403	134	4
404	135	5
405	136	6
406	137	0
407	138	1
408	139	2
409	140	3
410	141	4
411	142	5
412	143	6
413	144	0
414	145	1
415	146	2
416	147	3
417	148	4
418	149	5
419	150	6
420	151	0
421	152	1
422	153	2
423	154	3
424	155	4
425	156	5
426	157	6
427	158	0
428	159	1
429	160	2
430	161	3
431	162	4
432	163	5
433	164	6
434	165	0
435	166	1
436	167	2
437	168	3
438	169	4
439	170	5
440	171	6
441	172	0
442	173	1
443	174	2
444	175	3
445	176	4
446	177	5
447	178	6
448	179	0
449	180	1
450	181	2
451	182	3
452	183	4
453	184	5
454	185	6
455	186	0
456	187	1
457	188	2
458	189	3
459	190	4
460	191	5
461	192	6
462	193	0
463	194	1
464	195	2
465	196	3
466	197	4
467	198	5
468	199	6
469	200	0
470	201	1
471	202	2
472	203	3
473	204	4
474	205	5
475	206	6
476	207	0
477	208	1
478	209	2
479	210	3
480	211	4
481	212	5
482	213	6
483	214	0
484	215	1
485	216	2
486	217	3
487	218	4
488	219	5
489	220	6
490	221	0
491	222	1
492	223	2
493	224	3
494	225	4
495	226	5
496	227	6
497	228	0
498	229	1
499	230	2
500	231	3
501	232	4
502	233	5
503	234	6
504	235	0
505	236	1
506	237	2
507	238	3
508	239	4
509	240	5
510	241	6
511	242	0
512	243	1
513	244	2
514	245	3
515	246	4
516	247	5
517	248	6
518	249	0
519	250	1
520	251	2
521	252	3
522	253	4
523	254	5
524	255	6
525	256	0
526	257	1
527	258	2
528	259	3
529	260	4
530	261	5
531	262	6
532	263	0
533	264	1
534	265	2
535	266	3
536	267	4
537	268	5
538	269	6
539	270	0
540	1	1
541	2	2
542	3	3
543	4	4
544	5	5
545	6	6
546	7	0
547	8	1
548	9	2
549	10	3
550	11	4
551	12	5
552	13	6
553	14	0
554	15	1
555	16	2
556	17	3
557	18	4
558	19	5
559	20	6
560	21	0
561	22	1
562	23	2
563	24	3
564	25	4
565	26	5
566	27	6
567	28	0
568	29	1
569	30	2
570	31	3
571	32	4
572	33	5
573	34	6
574	35	0
575	36	1
576	37	2
577	38	3
578	39	4
579	40	5
580	41	6
581	42	0
582	43	1
583	44	2
584	45	3
585	46	4
586	47	5
587	48	6
588	49	0
589	50	1
590	51	2
591	52	3
592	53	4
593	54	5
594	55	6
595	56	0
596	57	1
597	58	2
598	59	3
599	60	4
600	61	5
601	62	6
602	63	0
603	64	1
604	65	2
605	66	3
606	67	4
607	68	5
608	69	6
609	70	0
610	71	1
611	72	2
612	73	3
613	74	4
614	75	5
615	76	6
616	77	0
617	78	1
618	79	2
619	80	3
620	81	4
621	82	5
622	83	6
623	84	0
624	85	1
625	86	2
626	87	3
627	88	4
628	89	5
629	90	6
630	91	0
631	92	1
632	93	2
633	94	3
634	95	4
635	96	5
636	97	6
637	98	0
638	99	1
639	100	2
640	101	3
641	102	4
642	103	5
643	104	6
644	105	0
645	106	1
646	107	2
647	108	3
648	109	4
649	110	5
650	111	6
651	112	0
652	113	1
653	114	2
654	115	3
655	116	4
656	117	5
657	118	6
658	119	0
659	120	1
660	121	2
661	122	3
662	123	4
663	124	5
664	125	6
665	126	0
666	127	1
667	128	2
668	129	3
669	130	4
670	131	5
671	132	6
672	133	0
673	134	1
674	135	2
675	136	3
676	137	4
677	138	5
678	139	6
679	140	0
680	141	1
681	142	2
682	143	3
683	144	4
684	145	5
685	146	6
686	147	0
687	148	1
688	149	2
689	150	3
690	151	4
691	152	5
692	153	6
693	154	0
694	155	1
695	156	2
696	157	3
697	158	4
698	159	5
699	160	6
700	161	0
701	162	1
702	163	2
703	164	3
704	165	4
705	166	5
706	167	6
707	168	0
708	169	1
709	170	2
710	171	3
711	172	4
712	173	5
713	174	6
714	175	0
715	176	1
716	177	2
717	178	3
718	179	4
719	180	5
720	181	6
721	182	0
722	183	1
723	184	2
724	185	3
725	186	4
726	187	5
727	188	6
728	189	0
729	190	1
730	191	2
731	192	3
732	193	4
733	194	5
734	195	6
735	196	0
736	197	1
737	198	2
738	199	3
739	200	4
740	201	5
741	202	6
742	203	0
743	204	1
744	205	2
745	206	3
746	207	4
747	208	5
748	209	6
749	210	0
750	211	1
751	212	2
752	213	3
753	214	4
754	215	5
755	216	6
756	217	0
757	218	1
758	219	2
759	220	3
760	221	4
761	222	5
762	223	6
763	224	0
764	225	1
765	226	2
766	227	3
767	228	4
768	229	5
769	230	6
770	231	0
771	232	1
772	233	2
773	234	3
774	235	4
775	236	5
776	237	6
777	238	0
778	239	1
779	240	2
780	241	3
781	242	4
782	243	5
783	244	6
784	245	0
785	246	1
786	247	2
787	248	3
788	249	4
789	250	5
790	251	6
791	252	0
792	253	1
793	254	2
794	255	3
795	256	4
796	257	5
797	258	6
798	259	0
799	260	1
800	261	2
801	262	3
802	263	4
803	264	5
804	265	6
805	266	0
806	267	1
807	268	2
808	269	3
809	270	4
810	1	5
\.


--
-- Data for Name: kept; Type: TABLE DATA; Schema: public; Owner: -
--

COPY public.kept (name, query, answer) FROM stdin;
count	SELECT dp_count(1000) FROM people	(100)
int2, median	SELECT idp_median(int2, 0.01) FROM people	(5)
int2, medians	SELECT array_agg(m ORDER BY g) FROM (SELECT g, idp_median(int2, 0.01) AS m FROM people GROUP BY g) p	("{1,4,6,9}")
int2, quantile	SELECT idp_quantile(int2, 0.01, 0.3) FROM people	(3)
int2, third	SELECT idp_kth_smallest(int2, 0.01, 3), idp_kth_largest(int2, 0.01, 3) FROM people	(0,10)
int2, groups	SELECT idp_median(int2, ARRAY[0.01, 0.02]) FROM people	(5)
int2, few	SELECT idp_median(int2, 0.01) FROM people WHERE i < 1	()
int2, different	SELECT dp_count_distinct(int2, 1000) FROM people	(11)
int4, median	SELECT idp_median(int4, 0.01) FROM people	(5)
int4, medians	SELECT array_agg(m ORDER BY g) FROM (SELECT g, idp_median(int4, 0.01) AS m FROM people GROUP BY g) p	("{1,4,6,9}")
int4, quantile	SELECT idp_quantile(int4, 0.01, 0.3) FROM people	(3)
int4, third	SELECT idp_kth_smallest(int4, 0.01, 3), idp_kth_largest(int4, 0.01, 3) FROM people	(0,10)
int4, groups	SELECT idp_median(int4, ARRAY[0.01, 0.02]) FROM people	(5)
int4, few	SELECT idp_median(int4, 0.01) FROM people WHERE i < 1	()
int4, different	SELECT dp_count_distinct(int4, 1000) FROM people	(11)
int8, median	SELECT idp_median(int8, 0.01) FROM people	(5000000035)
int8, medians	SELECT array_agg(m ORDER BY g) FROM (SELECT g, idp_median(int8, 0.01) AS m FROM people GROUP BY g) p	("{1000000007,4000000028,6000000042,9000000063}")
int8, quantile	SELECT idp_quantile(int8, 0.01, 0.3) FROM people	(3000000021)
int8, third	SELECT idp_kth_smallest(int8, 0.01, 3), idp_kth_largest(int8, 0.01, 3) FROM people	(0,10000000070)
int8, groups	SELECT idp_median(int8, ARRAY[0.01, 0.02]) FROM people	(5000000035)
int8, few	SELECT idp_median(int8, 0.01) FROM people WHERE i < 1	()
int8, different	SELECT dp_count_distinct(int8, 1000) FROM people	(11)
float4, median	SELECT idp_median(float4, 0.01) FROM people	(0.625)
float4, medians	SELECT array_agg(m ORDER BY g) FROM (SELECT g, idp_median(float4, 0.01) AS m FROM people GROUP BY g) p	("{0.125,0.5,0.75,1.125}")
float4, quantile	SELECT idp_quantile(float4, 0.01, 0.3) FROM people	(0.375)
float4, third	SELECT idp_kth_smallest(float4, 0.01, 3), idp_kth_largest(float4, 0.01, 3) FROM people	(0,1.25)
float4, groups	SELECT idp_median(float4, ARRAY[0.01, 0.02]) FROM people	(0.625)
float4, few	SELECT idp_median(float4, 0.01) FROM people WHERE i < 1	()
float4, different	SELECT dp_count_distinct(float4, 1000) FROM people	(11)
float8, median	SELECT idp_median(float8, 0.01) FROM people	(0.7142857142857143)
float8, medians	SELECT array_agg(m ORDER BY g) FROM (SELECT g, idp_median(float8, 0.01) AS m FROM people GROUP BY g) p	("{0.14285714285714285,0.5714285714285714,0.8571428571428571,1.2857142857142858}")
float8, quantile	SELECT idp_quantile(float8, 0.01, 0.3) FROM people	(0.42857142857142855)
float8, third	SELECT idp_kth_smallest(float8, 0.01, 3), idp_kth_largest(float8, 0.01, 3) FROM people	(0,1.4285714285714286)
float8, groups	SELECT idp_median(float8, ARRAY[0.01, 0.02]) FROM people	(0.7142857142857143)
float8, few	SELECT idp_median(float8, 0.01) FROM people WHERE i < 1	()
float8, different	SELECT dp_count_distinct(float8, 1000) FROM people	(11)
numeric, median	SELECT idp_median("numeric", 0.01) FROM people	(1.25)
numeric, medians	SELECT array_agg(m ORDER BY g) FROM (SELECT g, idp_median("numeric", 0.01) AS m FROM people GROUP BY g) p	("{0.25,1,1.5,2.25}")
numeric, quantile	SELECT idp_quantile("numeric", 0.01, 0.3) FROM people	(0.75)
numeric, third	SELECT idp_kth_smallest("numeric", 0.01, 3), idp_kth_largest("numeric", 0.01, 3) FROM people	(0,2.5)
numeric, groups	SELECT idp_median("numeric", ARRAY[0.01, 0.02]) FROM people	(1.25)
numeric, few	SELECT idp_median("numeric", 0.01) FROM people WHERE i < 1	()
numeric, different	SELECT dp_count_distinct("numeric", 1000) FROM people	(11)
scaled, median	SELECT idp_median(scaled, 0.01) FROM people	(1.25)
median of a range	SELECT dp_median(int4, 10000, 0, 10), dp_quantile(int4, 10000, 0, 10, 0.3) FROM people	(5,3)
scaled, medians	SELECT array_agg(m ORDER BY g) FROM (SELECT g, idp_median(scaled, 0.01) AS m FROM people GROUP BY g) p	("{0.25,1.00,1.50,2.25}")
scaled, quantile	SELECT idp_quantile(scaled, 0.01, 0.3) FROM people	(0.75)
scaled, third	SELECT idp_kth_smallest(scaled, 0.01, 3), idp_kth_largest(scaled, 0.01, 3) FROM people	(0.00,2.50)
scaled, groups	SELECT idp_median(scaled, ARRAY[0.01, 0.02]) FROM people	(1.25)
scaled, few	SELECT idp_median(scaled, 0.01) FROM people WHERE i < 1	()
scaled, different	SELECT dp_count_distinct(scaled, 1000) FROM people	(11)
date, median	SELECT idp_median(date, 0.01) FROM people	(2000-03-03)
date, medians	SELECT array_agg(m ORDER BY g) FROM (SELECT g, idp_median(date, 0.01) AS m FROM people GROUP BY g) p	("{2000-02-28,2000-03-02,2000-03-04,2000-03-07}")
date, quantile	SELECT idp_quantile(date, 0.01, 0.3) FROM people	(2000-03-01)
date, third	SELECT idp_kth_smallest(date, 0.01, 3), idp_kth_largest(date, 0.01, 3) FROM people	(2000-02-27,2000-03-08)
date, groups	SELECT idp_median(date, ARRAY[0.01, 0.02]) FROM people	(2000-03-03)
date, few	SELECT idp_median(date, 0.01) FROM people WHERE i < 1	()
date, different	SELECT dp_count_distinct(date, 1000) FROM people	(11)
timestamp, median	SELECT idp_median("timestamp", 0.01) FROM people	("2000-01-01 00:25:00")
timestamp, medians	SELECT array_agg(m ORDER BY g) FROM (SELECT g, idp_median("timestamp", 0.01) AS m FROM people GROUP BY g) p	("{""1999-12-31 23:17:00"",""2000-01-01 00:08:00"",""2000-01-01 00:42:00"",""2000-01-01 01:33:00""}")
timestamp, quantile	SELECT idp_quantile("timestamp", 0.01, 0.3) FROM people	("1999-12-31 23:51:00")
timestamp, third	SELECT idp_kth_smallest("timestamp", 0.01, 3), idp_kth_largest("timestamp", 0.01, 3) FROM people	("1999-12-31 23:00:00","2000-01-01 01:50:00")
timestamp, groups	SELECT idp_median("timestamp", ARRAY[0.01, 0.02]) FROM people	("2000-01-01 00:25:00")
timestamp, few	SELECT idp_median("timestamp", 0.01) FROM people WHERE i < 1	()
timestamp, different	SELECT dp_count_distinct("timestamp", 1000) FROM people	(11)
timestamptz, median	SELECT idp_median(timestamptz, 0.01) FROM people	("2000-01-01 00:25:00+00")
timestamptz, medians	SELECT array_agg(m ORDER BY g) FROM (SELECT g, idp_median(timestamptz, 0.01) AS m FROM people GROUP BY g) p	("{""1999-12-31 23:17:00+00"",""2000-01-01 00:08:00+00"",""2000-01-01 00:42:00+00"",""2000-01-01 01:33:00+00""}")
timestamptz, quantile	SELECT idp_quantile(timestamptz, 0.01, 0.3) FROM people	("1999-12-31 23:51:00+00")
timestamptz, third	SELECT idp_kth_smallest(timestamptz, 0.01, 3), idp_kth_largest(timestamptz, 0.01, 3) FROM people	("1999-12-31 23:00:00+00","2000-01-01 01:50:00+00")
timestamptz, groups	SELECT idp_median(timestamptz, ARRAY[0.01, 0.02]) FROM people	("2000-01-01 00:25:00+00")
timestamptz, few	SELECT idp_median(timestamptz, 0.01) FROM people WHERE i < 1	()
timestamptz, different	SELECT dp_count_distinct(timestamptz, 1000) FROM people	(11)
of nothing	SELECT dp_count(1000) FROM people WHERE i < 0	(0)
range	SELECT dp_count_range(date, 1000, '2000-02-28', '2000-03-01'), idp_count_range(int8, 1000, 0, 5000000035) FROM people	(30,55)
ends	SELECT idp_min(int4, 0.01, 0), idp_max(int4, 0.01, 10), dp_min(int4, 10000, 0, 10), dp_max(int4, 10000, 0, 10) FROM people	(0,10,0,10)
sum	SELECT idp_sum(int4, 1e6, 0, 10), dp_sum(int4, 1e6, 0, 10), round(dp_sum("numeric", 1e6, 0, 3), 1) FROM people	(500,500,125.0)
average	SELECT round(dp_avg(int4, 1e6, 0, 10), 2), round(idp_variance("numeric", 1e6, 0, 3), 2) FROM people	(5.00,0.53)
histogram	SELECT dp_histogram(int4, 1000, 0, 11, 11) FROM people	("{5,10,10,10,10,10,10,10,10,10,5}")
texts	SELECT dp_count_distinct(text, 1000), dp_count_distinct(uuid, 1000) FROM people	(11,11)
filtered	SELECT idp_median(int4, 0.01) FILTER (WHERE i >= 25), dp_count(1000) FILTER (WHERE g = 1) FROM people	(6,25)
grouping sets	SELECT array_agg(c ORDER BY c) FROM (SELECT dp_count(1000) AS c FROM people GROUP BY GROUPING SETS ((g), ())) p	("{25,25,25,25,100}")
state: median	SELECT int_of(median) FROM states	(5)
state: medians	SELECT array_agg(m ORDER BY g) FROM (SELECT g, int_of(median) AS m FROM states GROUP BY g) s	("{1,4,6,9,NULL}")
state: groups	SELECT int_of(medians) FROM states	(5)
state: maximum	SELECT numeric_of(greatest) FROM states	(2.5)
state: range	SELECT count_of(in_range) FROM states	(65)
state: sum	SELECT sum_of(total) FROM states	(500)
state: variance	SELECT round(variance_of(variance), 2) FROM states	(0.53)
state: histogram	SELECT histogram_of(buckets) FROM states	("{5,10,10,10,10,10,10,10,10,10,5}")
state: different	SELECT count_of(names) FROM states	(11)
state: with rows of today	SELECT int_of(s) FROM (SELECT median FROM states UNION ALL SELECT median_state(int4, 0.01) FROM people) u (s)	(5)
state: large	SELECT float_of(s) FROM large_states, unnest(parts) s	(60)
state: composite	SELECT int_of(state), min(note) FROM notes	(4,"group 0")
view	SELECT array_agg(v ORDER BY g) FROM by_group v	("{""(0,1,25,\\\\""{5,10,10,0,0,0,0,0,0,0,0}\\\\"")"",""(1,4,20,\\\\""{0,0,0,10,10,5,0,0,0,0,0}\\\\"")"",""(2,6,0,\\\\""{0,0,0,0,0,5,10,10,0,0,0}\\\\"")"",""(3,9,0,\\\\""{0,0,0,0,0,0,0,0,10,10,5}\\\\"")""}")
materialized view	SELECT second FROM materialized	(2.5)
SQL function	SELECT in_sql(5)	(55)
SQL function with a body	SELECT in_sql_body(0.01)	(1.25)
PL/pgSQL function	SELECT in_plpgsql(3)	("(0,100)")
aggregate of one's own	SELECT own_median(int4, 0.01) FROM people	(5)
view on one's own	SELECT * FROM on_own	(5,35)
release: median wage at {0.1}	SELECT idp.relax('median wage', '0.1'::float8)	(10.14)
release: count at {0.1}	SELECT idp.relax('count', '0.1'::float8)	(113)
release: histogram '"\\\n at {0.1}	SELECT idp.relax(E'histogram ''"\\\\\n', '0.1'::float8)	("{-66,-43,-11,20,128,-25,3,18,-29,1}")
release: median at {0.1}	SELECT idp.relax('median', '0.1'::float8)	(59.5373626505248)
release: groups at {0.1,0.2}	SELECT idp.relax('groups', '{0.1,0.2}'::float8[])	(46.4759490977610261)
release: sum at {0.1}	SELECT idp.relax('sum', '0.1'::float8)	(2119.99)
release: maximum at {0.1}	SELECT idp.relax('maximum', '0.1'::float8)	(-3528)
release: different at {0.1}	SELECT idp.relax('different', '0.1'::float8)	(96)
release: count at {0.5}	SELECT idp.relax('count', '0.5'::float8)	(102)
release: count at {0.02}	SELECT idp.relax('count', '0.02'::float8)	(256)
release: count at {0.3}	SELECT idp.relax('count', '0.3'::float8)	(105)
release: sum at {0.7}	SELECT idp.relax('sum', '0.7'::float8)	(1637.81)
release: groups at {0.4,0.5}	SELECT idp.relax('groups', '{0.4,0.5}'::float8[])	(37.0584451721417495)
release: median at {0.05}	SELECT idp.relax('median', '0.05'::float8)	(53.234901110588495)
release: group 0 at {0.1}	SELECT idp.relax('group 0', '0.1'::float8)	(-11)
release: wage of group 0 at {0.2}	SELECT idp.relax('wage of group 0', '0.2'::float8)	(22.28)
release: group 2 at {0.1}	SELECT idp.relax('group 2', '0.1'::float8)	(32)
release: wage of group 2 at {0.2}	SELECT idp.relax('wage of group 2', '0.2'::float8)	(22.83)
release: group 1 at {0.1}	SELECT idp.relax('group 1', '0.1'::float8)	(45)
release: wage of group 1 at {0.2}	SELECT idp.relax('wage of group 1', '0.2'::float8)	(19.96)
release: group 0 at {0.6}	SELECT idp.relax('group 0', '0.6'::float8)	(32)
release: group 2 at {0.6}	SELECT idp.relax('group 2', '0.6'::float8)	(33)
release: group 1 at {0.6}	SELECT idp.relax('group 1', '0.6'::float8)	(30)
release: some at {0.1}	SELECT idp.relax('some', '0.1'::float8)	(46)
release: suppressed at {0.1}	SELECT idp.relax('suppressed', '0.1'::float8)	()
release: odd at {0.1}	SELECT idp.relax('odd', '0.1'::float8)	(4773)
release: parts at {0.1}	SELECT idp.relax('parts', '0.1'::float8)	(98)
release: gone at {0.1}	SELECT idp.relax('gone', '0.1'::float8)	(73)
release: gone median at {0.1}	SELECT idp.relax('gone median', '0.1'::float8)	(50)
release: left alone at {0.1}	SELECT idp.relax('left alone', '0.1'::float8)	(105)
release: no table at {0.1}	SELECT idp.relax('no table', '0.1'::float8)	(57)
asked again: count	SELECT dp_count(0.1, 'count'), dp_count(0.5, 'count') FROM staff	(113,102)
asked again: median	SELECT idp_median(x::float8, 0.1, 'median') FROM staff	(59.5373626505248)
asked again: histogram	SELECT dp_histogram(x, 0.1, 0, 99, 10, E'histogram ''"\\\\\\n') FROM staff	("{-66,-43,-11,20,128,-25,3,18,-29,1}")
asked again: groups	SELECT array_agg(c ORDER BY g) FROM (SELECT g, dp_count(0.1, 'group ' || g) AS c FROM staff GROUP BY g) s	("{-11,45,32}")
asked again: some	SELECT dp_count(0.1, 'some') FROM staff WHERE x <= 40	(46)
asked again: a view	SELECT * FROM staff_median	(10.14)
asked again: suppressed	SELECT idp_median(x, 0.1, 'suppressed') FROM staff WHERE x < 2	()
asked again: parts	SELECT dp_count(0.1, 'parts') FROM parts	(98)
releases	SELECT array_agg((name, table_name, aggregate, column_name, epsilon, answer) ORDER BY name) FROM idp.releases WHERE name <> 'again'	("{""(count,staff,dp_count,\\\\""\\\\"",0.5,102)"",""(customers,customers,dp_count,\\\\""\\\\"",0.1,59)"",""(different,staff,dp_count_distinct,x,0.1,96)"",""(february,parcels,dp_count,\\\\""\\\\"",0.1,127)"",""(gone,public.gone,dp_count,\\\\""\\\\"",0.1,73)"",""(\\\\""gone median\\\\"",public.gone,idp_median,x,0.1,50)"",""(\\\\""group 0\\\\"",staff,dp_count,\\\\""\\\\"",0.6,32)"",""(\\\\""group 1\\\\"",staff,dp_count,\\\\""\\\\"",0.6,30)"",""(\\\\""group 2\\\\"",staff,dp_count,\\\\""\\\\"",0.6,33)"",""(groups,staff,idp_avg,x,0.4,37.0584451721417495)"",""(\\\\""histogram '\\\\""\\\\""\\\\\\\\\\\\\\\\\n\\\\"",staff,dp_histogram,x,0.1,\\\\""{-66,-43,-11,20,128,-25,3,18,-29,1}\\\\"")"",""(\\\\""left alone\\\\"",left_alone,dp_count,\\\\""\\\\"",0.1,105)"",""(maximum,staff,idp_max,x,0.1,-3528)"",""(median,staff,idp_median,\\\\""(x)::double precision\\\\"",0.1,59.5373626505248)"",""(\\\\""median wage\\\\"",staff,idp_median,wage,0.1,10.14)"",""(\\\\""nation 0\\\\"",customers,dp_count,\\\\""\\\\"",0.1,10)"",""(\\\\""nation 1\\\\"",customers,dp_count,\\\\""\\\\"",0.1,7)"",""(\\\\""nation 2\\\\"",customers,dp_count,\\\\""\\\\"",0.1,16)"",""(\\\\""nation 3\\\\"",customers,dp_count,\\\\""\\\\"",0.1,30)"",""(nations,customers,dp_avg,nation,0.4,1.2444444444444444)"",""(\\\\""no table\\\\"",,dp_count,\\\\""\\\\"",0.1,57)"",""(odd,\\\\""\\\\""\\\\""odd schema\\\\""\\\\"".\\\\""\\\\""odd \\\\""\\\\""\\\\""\\\\""table\\\\""\\\\""\\\\"",dp_sum,x,0.1,4773)"",""(parts,parts,dp_count,\\\\""\\\\"",0.1,98)"",""(readings,readings,dp_sum,x,0.25,1650)"",""(some,staff,dp_count,\\\\""\\\\"",0.1,46)"",""(sum,staff,dp_sum,wage,0.7,1637.81)"",""(suppressed,staff,idp_median,x,0.1,)"",""(\\\\""wage of group 0\\\\"",staff,idp_median,wage,0.2,22.28)"",""(\\\\""wage of group 1\\\\"",staff,idp_median,wage,0.2,19.96)"",""(\\\\""wage of group 2\\\\"",staff,idp_median,wage,0.2,22.83)""}")
budgets	SELECT array_agg((table_name, active, neighbours, min_epsilon, floor, total, spent, remaining) ORDER BY table_name) FROM idp.budget	("{""(\\\\""\\\\""\\\\""odd schema\\\\""\\\\"".\\\\""\\\\""odd \\\\""\\\\""\\\\""\\\\""table\\\\""\\\\""\\\\"",t,add_remove,,,100,0.1,99.9)"",""(customers,t,add_remove,0.001,,100000,1.5,99998.5)"",""(left_alone,f,substitute,,,100,0.1,99.9)"",""(parcels,t,substitute,,0.25,5000,0,5000)"",""(parcels_1,t,substitute,,0.25,5000,0.2,4999.8)"",""(parcels_2_0,t,substitute,,0.25,5000,0.4,4999.6)"",""(parcels_2_1,t,substitute,,0.25,5000,0.4,4999.6)"",""(parcels_3,t,substitute,,0.25,5000,0.6,4999.4)"",""(parts,t,substitute,,,100,0.1,99.9)"",""(public.gone,t,substitute,,,50,0.2,49.8)"",""(public.parcels_4,t,substitute,,0.25,5000,0.6,4999.4)"",""(readings,t,add_remove,,,5000,1.00,4999.00)"",""(staff,t,substitute,0.001,0.5,100,4.35,95.65)""}")
ledger	SELECT array_agg((table_name, aggregate, epsilon, release) ORDER BY at, table_name, aggregate, epsilon, release) FROM idp.ledger	("{""(staff,dp_count,0.25,)"",""(staff,idp_median,0.1,\\\\""median wage\\\\"")"",""(staff,dp_count,0.1,count)"",""(staff,dp_histogram,0.1,\\\\""histogram '\\\\""\\\\""\\\\\\\\\\\\\\\\\n\\\\"")"",""(staff,idp_median,0.1,median)"",""(staff,idp_avg,0.1,groups)"",""(staff,dp_sum,0.1,sum)"",""(staff,idp_max,0.1,maximum)"",""(staff,dp_count_distinct,0.1,different)"",""(staff,dp_count,0.4,count)"",""(staff,dp_sum,0.6,sum)"",""(staff,idp_avg,0.3,groups)"",""(staff,dp_count,0.2,\\\\""group 0\\\\"")"",""(staff,idp_median,0.4,\\\\""wage of group 0\\\\"")"",""(staff,dp_count,1.0,\\\\""group 1\\\\"")"",""(staff,dp_count,0.1,some)"",""(staff,idp_median,0.1,suppressed)"",""(\\\\""\\\\""\\\\""odd schema\\\\""\\\\"".\\\\""\\\\""odd \\\\""\\\\""\\\\""\\\\""table\\\\""\\\\""\\\\"",dp_sum,0.1,odd)"",""(parts,dp_count,0.1,parts)"",""(public.gone,dp_count,0.1,gone)"",""(public.gone,idp_median,0.1,\\\\""gone median\\\\"")"",""(left_alone,dp_count,0.1,\\\\""left alone\\\\"")"",""(staff,dp_count,0.1,again)"",""(staff,dp_count,0.1,dropped)"",""(customers,dp_count,0.1,customers)"",""(customers,dp_avg,0.2,nations)"",""(customers,dp_count,0.1,\\\\""nation 3\\\\"")"",""(customers,dp_count,0.3,)"",""(customers,dp_count,0.1,)"",""(customers,dp_keep_group,0.5,)"",""(customers,dp_avg,0.2,nations)"",""(parcels_1,dp_count,0.2,)"",""(parcels_3,dp_count,0.2,)"",""(public.parcels_4,dp_count,0.2,)"",""(parcels_2_0,dp_count,0.2,)"",""(parcels_2_1,dp_count,0.2,)"",""(parcels_2_0,dp_count,0.2,february)"",""(parcels_2_1,dp_count,0.2,february)"",""(parcels_3,dp_sum,0.4,)"",""(public.parcels_4,dp_sum,0.4,)"",""(readings,dp_count,0.5,)"",""(readings,dp_keep_group,0.25,)"",""(readings,dp_sum,0.25,readings)""}")
persons: customers at {0.1}	SELECT idp.relax('customers', '0.1'::float8)	(59)
persons: nations at {0.2}	SELECT idp.relax('nations', '0.2'::float8)	(1.0235294117647058)
persons: nation 3 at {0.1}	SELECT idp.relax('nation 3', '0.1'::float8)	(30)
persons: nation 0 at {0.1}	SELECT idp.relax('nation 0', '0.1'::float8)	(10)
persons: nation 2 at {0.1}	SELECT idp.relax('nation 2', '0.1'::float8)	(16)
persons: nation 1 at {0.1}	SELECT idp.relax('nation 1', '0.1'::float8)	(7)
persons: customers at {0.05}	SELECT idp.relax('customers', '0.05'::float8)	(50)
persons: nations at {0.4}	SELECT idp.relax('nations', '0.4'::float8)	(1.2444444444444444)
persons: february at {0.1}	SELECT idp.relax('february', '0.1'::float8)	(127)
persons: readings at {0.25}	SELECT idp.relax('readings', '0.25'::float8)	(1650)
persons: asked again	SELECT dp_count(0.1, 'customers'), dp_avg(nation, 0.4, 0, 4, 'nations') FROM customers	(59,1.2444444444444444)
persons: groups	SELECT array_agg(c ORDER BY nation) FROM (SELECT nation, dp_count(0.1, 'nation ' || nation) AS c FROM customers GROUP BY nation) s	("{10,7,16,30}")
persons: shares	SELECT array_agg((name, table_name, role, epsilons) ORDER BY name) FROM idp.shares	("{""(customers,customers,clerk,{0.05})"",""(nations,customers,analyst,{0.4})""}")
persons: domains	SELECT array_agg((table_name, column_name, keys, lower, upper) ORDER BY table_name, column_name) FROM idp.domains	("{""(customers,born,,1960-01-01,1960-03-31)"",""(customers,nation,\\\\""{0,1,2,3,4}\\\\"",,)"",""(customers,segment,\\\\""{retail,trade,public}\\\\"",,)""}")
persons: days	SELECT count(*), min(day), max(day) FROM idp.domain('customers', 'born') day	(91,1960-01-01,1960-03-31)
persons: trusted	SELECT array_agg(function::text) FROM idp.trusted_function	("{is_early(integer)}")
persons: budgets	SELECT array_agg((table_name, active, rows, per, renew, renews_at, partition_of, unit, linked_tables, delta, delta_spent) ORDER BY table_name, active) FROM idp.budget	("{""(\\\\""\\\\""\\\\""odd schema\\\\""\\\\"".\\\\""\\\\""odd \\\\""\\\\""\\\\""\\\\""table\\\\""\\\\""\\\\"",t,hidden,table,,,,,,0,0)"",""(customers,t,hidden,table,,,,id,\\\\""{items,orders,public.returns}\\\\"",0.001,0.0001)"",""(left_alone,f,visible,table,,,,,,0,0)"",""(parcels,t,hidden,partition,,,,,,0,0)"",""(parcels_1,t,hidden,table,,,parcels,,,0,0)"",""(parcels_2_0,t,hidden,table,,,parcels,,,0,0)"",""(parcels_2_1,t,hidden,table,,,parcels,,,0,0)"",""(parcels_3,t,hidden,table,,,parcels,,,0,0)"",""(parts,t,hidden,table,,,,,,0,0)"",""(public.gone,t,visible,table,,,,,,0,0)"",""(public.parcels_4,t,visible,table,,,parcels,,,0,0)"",""(readings,t,visible,table,\\\\""100 years\\\\"",\\\\""2101-01-01 00:00:00+00\\\\"",,,,0.01,0.001)"",""(staff,t,hidden,table,,,,,,0,0)""}")
persons: deltas	SELECT array_agg((table_name, aggregate, epsilon, delta, session_role) ORDER BY at, table_name, aggregate, epsilon) FROM idp.ledger WHERE delta > 0	("{""(customers,dp_keep_group,0.5,0.0001,postgres)"",""(readings,dp_keep_group,0.25,0.001,postgres)""}")
\.


--
-- Data for Name: large_states; Type: TABLE DATA; Schema: public; Owner: -
--

COPY public.large_states (parts) FROM stdin;
{"\\\\x4944500101050000000000013f847ae147ae147b3fe0000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000259000000000000000000000000000000000000000000000000000000000000000000000000000000003ff00000000000003ff00000000000003ff00000000000003ff00000000000003ff00000000000003ff00000000000003ff00000000000003ff00000000000003ff00000000000003ff000000000000040000000000000004000000000000000400000000000000040000000000000004000000000000000400000000000000040000000000000004000000000000000400000000000000040000000000000004008000000000000400800000000000040080000000000004008000000000000400800000000000040080000000000004008000000000000400800000000000040080000000000004008000000000000401000000000000040100000000000004010000000000000401000000000000040100000000000004010000000000000401000000000000040100000000000004010000000000000401000000000000040140000000000004014000000000000401400000000000040140000000000004014000000000000401400000000000040140000000000004014000000000000401400000000000040140000000000004018000000000000401800000000000040180000000000004018000000000000401800000000000040180000000000004018000000000000401800000000000040180000000000004018000000000000401c000000000000401c000000000000401c000000000000401c000000000000401c000000000000401c000000000000401c000000000000401c000000000000401c000000000000401c00000000000040200000000000004020000000000000402000000000000040200000000000004020000000000000402000000000000040200000000000004020000000000000402000000000000040200000000000004022000000000000402200000000000040220000000000004022000000000000402200000000000040220000000000004022000000000000402200000000000040220000000000004022000000000000402400000000000040240000000000004024000000000000402400000000000040240000000000004024000000000000402400000000000040240000000000004024000000000000402400000000000040260000000000004026000000000000402600000000000040260000000000004026000000000000402600000000000040260000000000004026000000000000402600000000000040260000000000004028000000000000402800000000000040280000000000004028000000000000402800000000000040280000000000004028000000000000402800000000000040280000000000004028000000000000402a000000000000402a000000000000402a000000000000402a000000000000402a000000000000402a000000000000402a000000000000402a000000000000402a000000000000402a000000000000402c000000000000402c000000000000402c000000000000402c000000000000402c000000000000402c000000000000402c000000000000402c000000000000402c000000000000402c000000000000402e000000000000402e000000000000402e000000000000402e000000000000402e000000000000402e000000000000402e000000000000402e000000000000402e000000000000402e0000000000004030000000000000403000000000000040300000000000004030000000000000403000000000000040300000000000004030000000000000403000000000000040300000000000004030000000000000403100000000000040310000000000004031000000000000403100000000000040310000000000004031000000000000403100000000000040310000000000004031000000000000403100000000000040320000000000004032000000000000403200000000000040320000000000004032000000000000403200000000000040320000000000004032000000000000403200000000000040320000000000004033000000000000403300000000000040330000000000004033000000000000403300000000000040330000000000004033000000000000403300000000000040330000000000004033000000000000403400000000000040340000000000004034000000000000403400000000000040340000000000004034000000000000403400000000000040340000000000004034000000000000403400000000000040350000000000004035000000000000403500000000000040350000000000004035000000000000403500000000000040350000000000004035000000000000403500000000000040350000000000004036000000000000403600000000000040360000000000004036000000000000403600000000000040360000000000004036000000000000403600000000000040360000000000004036000000000000403700000000000040370000000000004037000000000000403700000000000040370000000000004037000000000000403700000000000040370000000000004037000000000000403700000000000040380000000000004038000000000000403800000000000040380000000000004038000000000000403800000000000040380000000000004038000000000000403800000000000040380000000000004039000000000000403900000000000040390000000000004039000000000000403900000000000040390000000000004039000000000000403900000000000040390000000000004039000000000000403a000000000000403a000000000000403a000000000000403a000000000000403a000000000000403a000000000000403a000000000000403a000000000000403a000000000000403a000000000000403b000000000000403b000000000000403b000000000000403b000000000000403b000000000000403b000000000000403b000000000000403b000000000000403b000000000000403b000000000000403c000000000000403c000000000000403c000000000000403c000000000000403c000000000000403c000000000000403c000000000000403c000000000000403c000000000000403c000000000000403d000000000000403d000000000000403d000000000000403d000000000000403d000000000000403d000000000000403d000000000000403d000000000000403d000000000000403d000000000000403e000000000000403e000000000000403e000000000000403e000000000000403e000000000000403e000000000000403e000000000000403e000000000000403e000000000000403e000000000000403f000000000000403f000000000000403f000000000000403f000000000000403f000000000000403f000000000000403f000000000000403f000000000000403f000000000000403f00000000000040400000000000004040000000000000404000000000000040400000000000004040000000000000404000000000000040400000000000004040000000000000404000000000000040400000000000004040800000000000404080000000000040408000000000004040800000000000404080000000000040408000000000004040800000000000404080000000000040408000000000004040800000000000404100000000000040410000000000004041000000000000404100000000000040410000000000004041000000000000404100000000000040410000000000004041000000000000404100000000000040418000000000004041800000000000404180000000000040418000000000004041800000000000404180000000000040418000000000004041800000000000404180000000000040418000000000004042000000000000404200000000000040420000000000004042000000000000404200000000000040420000000000004042000000000000404200000000000040420000000000004042000000000000404280000000000040428000000000004042800000000000404280000000000040428000000000004042800000000000404280000000000040428000000000004042800000000000404280000000000040430000000000004043000000000000404300000000000040430000000000004043000000000000404300000000000040430000000000004043000000000000404300000000000040430000000000004043800000000000404380000000000040438000000000004043800000000000404380000000000040438000000000004043800000000000404380000000000040438000000000004043800000000000404400000000000040440000000000004044000000000000404400000000000040440000000000004044000000000000404400000000000040440000000000004044000000000000404400000000000040448000000000004044800000000000404480000000000040448000000000004044800000000000404480000000000040448000000000004044800000000000404480000000000040448000000000004045000000000000404500000000000040450000000000004045000000000000404500000000000040450000000000004045000000000000404500000000000040450000000000004045000000000000404580000000000040458000000000004045800000000000404580000000000040458000000000004045800000000000404580000000000040458000000000004045800000000000404580000000000040460000000000004046000000000000404600000000000040460000000000004046000000000000404600000000000040460000000000004046000000000000404600000000000040460000000000004046800000000000404680000000000040468000000000004046800000000000404680000000000040468000000000004046800000000000404680000000000040468000000000004046800000000000404700000000000040470000000000004047000000000000404700000000000040470000000000004047000000000000404700000000000040470000000000004047000000000000404700000000000040478000000000004047800000000000404780000000000040478000000000004047800000000000404780000000000040478000000000004047800000000000404780000000000040478000000000004048000000000000404800000000000040480000000000004048000000000000404800000000000040480000000000004048000000000000404800000000000040480000000000004048000000000000404880000000000040488000000000004048800000000000404880000000000040488000000000004048800000000000404880000000000040488000000000004048800000000000404880000000000040490000000000004049000000000000404900000000000040490000000000004049000000000000404900000000000040490000000000004049000000000000404900000000000040490000000000004049800000000000404980000000000040498000000000004049800000000000404980000000000040498000000000004049800000000000404980000000000040498000000000004049800000000000404a000000000000404a000000000000404a000000000000404a000000000000404a000000000000404a000000000000404a000000000000404a000000000000404a000000000000404a000000000000404a800000000000404a800000000000404a800000000000404a800000000000404a800000000000404a800000000000404a800000000000404a800000000000404a800000000000404a800000000000404b000000000000404b000000000000404b000000000000404b000000000000404b000000000000404b000000000000404b000000000000404b000000000000404b000000000000404b000000000000404b800000000000404b800000000000404b800000000000404b800000000000404b800000000000404b800000000000404b800000000000404b800000000000404b800000000000404b800000000000404c000000000000404c000000000000404c000000000000404c000000000000404c000000000000404c000000000000404c000000000000404c000000000000404c000000000000404c000000000000404c800000000000404c800000000000404c800000000000404c800000000000404c800000000000404c800000000000404c800000000000404c800000000000404c800000000000404c800000000000404d000000000000404d000000000000404d000000000000404d000000000000404d000000000000404d000000000000404d000000000000404d000000000000404d000000000000404d000000000000404d800000000000404d800000000000404d800000000000404d800000000000404d800000000000404d800000000000404d800000000000404d800000000000404d800000000000404d800000000000404e000000000000404e000000000000404e000000000000404e000000000000404e000000000000404e00000000000020e53168","\\\\x4944500101050000000000013f847ae147ae147b3fe0000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000252404e000000000000404e000000000000404e000000000000404e000000000000404e800000000000404e800000000000404e800000000000404e800000000000404e800000000000404e800000000000404e800000000000404e800000000000404e800000000000404e800000000000404f000000000000404f000000000000404f000000000000404f000000000000404f000000000000404f000000000000404f000000000000404f000000000000404f000000000000404f000000000000404f800000000000404f800000000000404f800000000000404f800000000000404f800000000000404f800000000000404f800000000000404f800000000000404f800000000000404f8000000000004050000000000000405000000000000040500000000000004050000000000000405000000000000040500000000000004050000000000000405000000000000040500000000000004050000000000000405040000000000040504000000000004050400000000000405040000000000040504000000000004050400000000000405040000000000040504000000000004050400000000000405040000000000040508000000000004050800000000000405080000000000040508000000000004050800000000000405080000000000040508000000000004050800000000000405080000000000040508000000000004050c000000000004050c000000000004050c000000000004050c000000000004050c000000000004050c000000000004050c000000000004050c000000000004050c000000000004050c000000000004051000000000000405100000000000040510000000000004051000000000000405100000000000040510000000000004051000000000000405100000000000040510000000000004051000000000000405140000000000040514000000000004051400000000000405140000000000040514000000000004051400000000000405140000000000040514000000000004051400000000000405140000000000040518000000000004051800000000000405180000000000040518000000000004051800000000000405180000000000040518000000000004051800000000000405180000000000040518000000000004051c000000000004051c000000000004051c000000000004051c000000000004051c000000000004051c000000000004051c000000000004051c000000000004051c000000000004051c000000000004052000000000000405200000000000040520000000000004052000000000000405200000000000040520000000000004052000000000000405200000000000040520000000000004052000000000000405240000000000040524000000000004052400000000000405240000000000040524000000000004052400000000000405240000000000040524000000000004052400000000000405240000000000040528000000000004052800000000000405280000000000040528000000000004052800000000000405280000000000040528000000000004052800000000000405280000000000040528000000000004052c000000000004052c000000000004052c000000000004052c000000000004052c000000000004052c000000000004052c000000000004052c000000000004052c000000000004052c000000000004053000000000000405300000000000040530000000000004053000000000000405300000000000040530000000000004053000000000000405300000000000040530000000000004053000000000000405340000000000040534000000000004053400000000000405340000000000040534000000000004053400000000000405340000000000040534000000000004053400000000000405340000000000040538000000000004053800000000000405380000000000040538000000000004053800000000000405380000000000040538000000000004053800000000000405380000000000040538000000000004053c000000000004053c000000000004053c000000000004053c000000000004053c000000000004053c000000000004053c000000000004053c000000000004053c000000000004053c000000000004054000000000000405400000000000040540000000000004054000000000000405400000000000040540000000000004054000000000000405400000000000040540000000000004054000000000000405440000000000040544000000000004054400000000000405440000000000040544000000000004054400000000000405440000000000040544000000000004054400000000000405440000000000040548000000000004054800000000000405480000000000040548000000000004054800000000000405480000000000040548000000000004054800000000000405480000000000040548000000000004054c000000000004054c000000000004054c000000000004054c000000000004054c000000000004054c000000000004054c000000000004054c000000000004054c000000000004054c000000000004055000000000000405500000000000040550000000000004055000000000000405500000000000040550000000000004055000000000000405500000000000040550000000000004055000000000000405540000000000040554000000000004055400000000000405540000000000040554000000000004055400000000000405540000000000040554000000000004055400000000000405540000000000040558000000000004055800000000000405580000000000040558000000000004055800000000000405580000000000040558000000000004055800000000000405580000000000040558000000000004055c000000000004055c000000000004055c000000000004055c000000000004055c000000000004055c000000000004055c000000000004055c000000000004055c000000000004055c000000000004056000000000000405600000000000040560000000000004056000000000000405600000000000040560000000000004056000000000000405600000000000040560000000000004056000000000000405640000000000040564000000000004056400000000000405640000000000040564000000000004056400000000000405640000000000040564000000000004056400000000000405640000000000040568000000000004056800000000000405680000000000040568000000000004056800000000000405680000000000040568000000000004056800000000000405680000000000040568000000000004056c000000000004056c000000000004056c000000000004056c000000000004056c000000000004056c000000000004056c000000000004056c000000000004056c000000000004056c000000000004057000000000000405700000000000040570000000000004057000000000000405700000000000040570000000000004057000000000000405700000000000040570000000000004057000000000000405740000000000040574000000000004057400000000000405740000000000040574000000000004057400000000000405740000000000040574000000000004057400000000000405740000000000040578000000000004057800000000000405780000000000040578000000000004057800000000000405780000000000040578000000000004057800000000000405780000000000040578000000000004057c000000000004057c000000000004057c000000000004057c000000000004057c000000000004057c000000000004057c000000000004057c000000000004057c000000000004057c000000000004058000000000000405800000000000040580000000000004058000000000000405800000000000040580000000000004058000000000000405800000000000040580000000000004058000000000000405840000000000040584000000000004058400000000000405840000000000040584000000000004058400000000000405840000000000040584000000000004058400000000000405840000000000040588000000000004058800000000000405880000000000040588000000000004058800000000000405880000000000040588000000000004058800000000000405880000000000040588000000000004058c000000000004058c000000000004058c000000000004058c000000000004058c000000000004058c000000000004058c000000000004058c000000000004058c000000000004058c000000000004059000000000000405900000000000040590000000000004059000000000000405900000000000040590000000000004059000000000000405900000000000040590000000000004059000000000000405940000000000040594000000000004059400000000000405940000000000040594000000000004059400000000000405940000000000040594000000000004059400000000000405940000000000040598000000000004059800000000000405980000000000040598000000000004059800000000000405980000000000040598000000000004059800000000000405980000000000040598000000000004059c000000000004059c000000000004059c000000000004059c000000000004059c000000000004059c000000000004059c000000000004059c000000000004059c000000000004059c00000000000405a000000000000405a000000000000405a000000000000405a000000000000405a000000000000405a000000000000405a000000000000405a000000000000405a000000000000405a000000000000405a400000000000405a400000000000405a400000000000405a400000000000405a400000000000405a400000000000405a400000000000405a400000000000405a400000000000405a400000000000405a800000000000405a800000000000405a800000000000405a800000000000405a800000000000405a800000000000405a800000000000405a800000000000405a800000000000405a800000000000405ac00000000000405ac00000000000405ac00000000000405ac00000000000405ac00000000000405ac00000000000405ac00000000000405ac00000000000405ac00000000000405ac00000000000405b000000000000405b000000000000405b000000000000405b000000000000405b000000000000405b000000000000405b000000000000405b000000000000405b000000000000405b000000000000405b400000000000405b400000000000405b400000000000405b400000000000405b400000000000405b400000000000405b400000000000405b400000000000405b400000000000405b400000000000405b800000000000405b800000000000405b800000000000405b800000000000405b800000000000405b800000000000405b800000000000405b800000000000405b800000000000405b800000000000405bc00000000000405bc00000000000405bc00000000000405bc00000000000405bc00000000000405bc00000000000405bc00000000000405bc00000000000405bc00000000000405bc00000000000405c000000000000405c000000000000405c000000000000405c000000000000405c000000000000405c000000000000405c000000000000405c000000000000405c000000000000405c000000000000405c400000000000405c400000000000405c400000000000405c400000000000405c400000000000405c400000000000405c400000000000405c400000000000405c400000000000405c400000000000405c800000000000405c800000000000405c800000000000405c800000000000405c800000000000405c800000000000405c800000000000405c800000000000405c800000000000405c800000000000405cc00000000000405cc00000000000405cc00000000000405cc00000000000405cc00000000000405cc00000000000405cc00000000000405cc00000000000405cc00000000000405cc00000000000405d000000000000405d000000000000405d000000000000405d000000000000405d000000000000405d000000000000405d000000000000405d000000000000405d000000000000405d000000000000405d400000000000405d400000000000405d400000000000405d400000000000405d400000000000405d400000000000405d400000000000405d400000000000405d400000000000405d400000000000405d800000000000405d800000000000405d800000000000405d800000000000405d800000000000405d800000000000405d800000000000405d800000000000405d800000000000405d800000000000405dc00000000000405dc00000000000405dc00000000000405dc00000000000405dc00000000000405dc00000000000405dc00000000000405dc00000000000405dc00000000000405dc000000000003bd1ab4f",empty}
\.


--
-- Data for Name: left_alone; Type: TABLE DATA; Schema: public; Owner: -
--

COPY public.left_alone (x, g, wage) FROM stdin;
1	1	0.33
2	2	0.67
3	0	1.00
4	1	1.33
5	2	1.67
6	0	2.00
7	1	2.33
8	2	2.67
9	0	3.00
10	1	3.33
11	2	3.67
12	0	4.00
13	1	4.33
14	2	4.67
15	0	5.00
16	1	5.33
17	2	5.67
18	0	6.00
19	1	6.33
20	2	6.67
21	0	7.00
22	1	7.33
23	2	7.67
24	0	8.00
25	1	8.33
26	2	8.67
27	0	9.00
28	1	9.33
29	2	9.67
30	0	10.00
31	1	10.33
32	2	10.67
33	0	11.00
34	1	11.33
35	2	11.67
36	0	12.00
37	1	12.33
38	2	12.67
39	0	13.00
40	1	13.33
41	2	13.67
42	0	14.00
43	1	14.33
44	2	14.67
45	0	15.00
46	1	15.33
47	2	15.67
48	0	16.00
49	1	16.33
50	2	16.67
51	0	17.00
52	1	17.33
53	2	17.67
54	0	18.00
55	1	18.33
56	2	18.67
57	0	19.00
58	1	19.33
59	2	19.67
60	0	20.00
61	1	20.33
62	2	20.67
63	0	21.00
64	1	21.33
65	2	21.67
66	0	22.00
67	1	22.33
68	2	22.67
69	0	23.00
70	1	23.33
71	2	23.67
72	0	24.00
73	1	24.33
74	2	24.67
75	0	25.00
76	1	25.33
77	2	25.67
78	0	26.00
79	1	26.33
80	2	26.67
81	0	27.00
82	1	27.33
83	2	27.67
84	0	28.00
85	1	28.33
86	2	28.67
87	0	29.00
88	1	29.33
89	2	29.67
90	0	30.00
91	1	30.33
92	2	30.67
93	0	31.00
94	1	31.33
95	2	31.67
96	0	32.00
97	1	32.33
98	2	32.67
99	0	33.00
\.


--
-- Data for Name: notes; Type: TABLE DATA; Schema: public; Owner: -
--

COPY public.notes (note, state) FROM stdin;
group 0	\\x4944500101020000000000013f847ae147ae147b3fe000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000001900000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000100000000000000010000000000000001000000000000000100000000000000010000000000000001000000000000000100000000000000010000000000000001000000000000000100000000000000020000000000000002000000000000000200000000000000020000000000000002000000000000000200000000000000020000000000000002000000000000000200000000000000022baa82a2
group 2	\\x4944500101020000000000013f847ae147ae147b3fe00000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000190000000000000005000000000000000500000000000000050000000000000005000000000000000500000000000000060000000000000006000000000000000600000000000000060000000000000006000000000000000600000000000000060000000000000006000000000000000600000000000000060000000000000007000000000000000700000000000000070000000000000007000000000000000700000000000000070000000000000007000000000000000700000000000000070000000000000007384594de
group 1	\\x4944500101020000000000013f847ae147ae147b3fe0000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000019000000000000000300000000000000030000000000000003000000000000000300000000000000030000000000000003000000000000000300000000000000030000000000000003000000000000000300000000000000040000000000000004000000000000000400000000000000040000000000000004000000000000000400000000000000040000000000000004000000000000000400000000000000040000000000000005000000000000000500000000000000050000000000000005000000000000000561e0de9d
\.


--
-- Data for Name: orders; Type: TABLE DATA; Schema: public; Owner: -
--

COPY public.orders (id, customer, price) FROM stdin;
1	2	0.13
2	3	0.25
3	4	0.38
4	5	0.50
5	6	0.63
6	7	0.75
7	8	0.88
8	9	1.00
9	10	1.13
10	11	1.25
11	12	1.38
12	13	1.50
13	14	1.63
14	15	1.75
15	16	1.88
16	17	2.00
17	18	2.13
18	19	2.25
19	20	2.38
20	21	2.50
21	22	2.63
22	23	2.75
23	24	2.88
24	25	3.00
25	26	3.13
26	27	3.25
27	28	3.38
28	29	3.50
29	30	3.63
30	31	3.75
31	32	3.88
32	33	4.00
33	34	4.13
34	35	4.25
35	36	4.38
36	37	4.50
37	38	4.63
38	39	4.75
39	40	4.88
40	41	5.00
41	42	5.13
42	43	5.25
43	44	5.38
44	45	5.50
45	46	5.63
46	47	5.75
47	48	5.88
48	49	6.00
49	50	6.13
50	51	6.25
51	52	6.38
52	53	6.50
53	54	6.63
54	55	6.75
55	56	6.88
56	57	7.00
57	58	7.13
58	59	7.25
59	60	7.38
60	61	7.50
61	62	7.63
62	63	7.75
63	64	7.88
64	65	8.00
65	66	8.13
66	67	8.25
67	68	8.38
68	69	8.50
69	70	8.63
70	71	8.75
71	72	8.88
72	73	9.00
73	74	9.13
74	75	9.25
75	76	9.38
76	77	9.50
77	78	9.63
78	79	9.75
79	80	9.88
80	81	10.00
81	82	10.13
82	83	10.25
83	84	10.38
84	85	10.50
85	86	10.63
86	87	10.75
87	88	10.88
88	89	11.00
89	90	11.13
90	1	11.25
91	2	11.38
92	3	11.50
93	4	11.63
94	5	11.75
95	6	11.88
96	7	12.00
97	8	12.13
98	9	12.25
99	10	12.38
100	11	12.50
101	12	12.63
102	13	12.75
103	14	12.88
104	15	13.00
105	16	13.13
106	17	13.25
107	18	13.38
108	19	13.50
109	20	13.63
110	21	13.75
111	22	13.88
112	23	14.00
113	24	14.13
114	25	14.25
115	26	14.38
116	27	14.50
117	28	14.63
118	29	14.75
119	30	14.88
120	31	15.00
121	32	15.13
122	33	15.25
123	34	15.38
124	35	15.50
125	36	15.63
126	37	15.75
127	38	15.88
128	39	16.00
129	40	16.13
130	41	16.25
131	42	16.38
132	43	16.50
133	44	16.63
134	45	16.75
135	46	16.88
136	47	17.00
137	48	17.13
138	49	17.25
139	50	17.38
140	51	17.50
141	52	17.63
142	53	17.75
143	54	17.88
144	55	18.00
145	56	18.13
146	57	18.25
147	58	18.38
148	59	18.50
149	60	18.63
150	61	18.75
151	62	18.88
152	63	19.00
153	64	19.13
154	65	19.25
155	66	19.38
156	67	19.50
157	68	19.63
158	69	19.75
159	70	19.88
160	71	20.00
161	72	20.13
162	73	20.25
163	74	20.38
164	75	20.50
165	76	20.63
166	77	20.75
167	78	20.88
168	79	21.00
169	80	21.13
170	81	21.25
171	82	21.38
172	83	21.50
173	84	21.63
174	85	21.75
175	86	21.88
176	87	22.00
177	88	22.13
178	89	22.25
179	90	22.38
180	1	22.50
181	2	22.63
182	3	22.75
183	4	22.88
184	5	23.00
185	6	23.13
186	7	23.25
187	8	23.38
188	9	23.50
189	10	23.63
190	11	23.75
191	12	23.88
192	13	24.00
193	14	24.13
194	15	24.25
195	16	24.38
196	17	24.50
197	18	24.63
198	19	24.75
199	20	24.88
200	21	25.00
201	22	25.13
202	23	25.25
203	24	25.38
204	25	25.50
205	26	25.63
206	27	25.75
207	28	25.88
208	29	26.00
209	30	26.13
210	31	26.25
211	32	26.38
212	33	26.50
213	34	26.63
214	35	26.75
215	36	26.88
216	37	27.00
217	38	27.13
218	39	27.25
219	40	27.38
220	41	27.50
221	42	27.63
222	43	27.75
223	44	27.88
224	45	28.00
225	46	28.13
226	47	28.25
227	48	28.38
228	49	28.50
229	50	28.63
230	51	28.75
231	52	28.88
232	53	29.00
233	54	29.13
234	55	29.25
235	56	29.38
236	57	29.50
237	58	29.63
238	59	29.75
239	60	29.88
240	61	30.00
241	62	30.13
242	63	30.25
243	64	30.38
244	65	30.50
245	66	30.63
246	67	30.75
247	68	30.88
248	69	31.00
249	70	31.13
250	71	31.25
251	72	31.38
252	73	31.50
253	74	31.63
254	75	31.75
255	76	31.88
256	77	32.00
257	78	32.13
258	79	32.25
259	80	32.38
260	81	32.50
261	82	32.63
262	83	32.75
263	84	32.88
264	85	33.00
265	86	33.13
266	87	33.25
267	88	33.38
268	89	33.50
269	90	33.63
270	1	33.75
\.


--
-- Data for Name: parcels_1; Type: TABLE DATA; Schema: public; Owner: -
--

COPY public.parcels_1 (day, depot, weight) FROM stdin;
2026-01-01	0	0
2026-01-02	1	1
2026-01-03	0	2
2026-01-04	1	3
2026-01-05	0	4
2026-01-06	1	5
2026-01-07	0	6
2026-01-08	1	7
2026-01-09	0	8
2026-01-10	1	9
2026-01-11	0	10
2026-01-12	1	11
2026-01-13	0	12
2026-01-14	1	13
2026-01-15	0	14
2026-01-16	1	15
2026-01-17	0	16
2026-01-18	1	17
2026-01-19	0	18
2026-01-20	1	19
2026-01-21	0	20
2026-01-22	1	21
2026-01-23	0	22
2026-01-24	1	23
2026-01-25	0	24
2026-01-26	1	25
2026-01-27	0	26
2026-01-28	1	27
2026-01-29	0	28
2026-01-30	1	29
2026-01-31	0	30
2026-01-01	0	120
2026-01-02	1	121
2026-01-03	0	122
2026-01-04	1	123
2026-01-05	0	124
2026-01-06	1	125
2026-01-07	0	126
2026-01-08	1	127
2026-01-09	0	128
2026-01-10	1	129
2026-01-11	0	130
2026-01-12	1	131
2026-01-13	0	132
2026-01-14	1	133
2026-01-15	0	134
2026-01-16	1	135
2026-01-17	0	136
2026-01-18	1	137
2026-01-19	0	138
2026-01-20	1	139
2026-01-21	0	140
2026-01-22	1	141
2026-01-23	0	142
2026-01-24	1	143
2026-01-25	0	144
2026-01-26	1	145
2026-01-27	0	146
2026-01-28	1	147
2026-01-29	0	148
2026-01-30	1	149
2026-01-31	0	150
2026-01-01	0	240
2026-01-02	1	241
2026-01-03	0	242
2026-01-04	1	243
2026-01-05	0	244
2026-01-06	1	245
2026-01-07	0	246
2026-01-08	1	247
2026-01-09	0	248
2026-01-10	1	249
2026-01-11	0	250
2026-01-12	1	251
2026-01-13	0	252
2026-01-14	1	253
2026-01-15	0	254
2026-01-16	1	255
2026-01-17	0	256
2026-01-18	1	257
2026-01-19	0	258
2026-01-20	1	259
2026-01-21	0	260
2026-01-22	1	261
2026-01-23	0	262
2026-01-24	1	263
2026-01-25	0	264
2026-01-26	1	265
2026-01-27	0	266
2026-01-28	1	267
2026-01-29	0	268
2026-01-30	1	269
2026-01-31	0	270
2026-01-01	0	360
2026-01-02	1	361
2026-01-03	0	362
2026-01-04	1	363
2026-01-05	0	364
2026-01-06	1	365
2026-01-07	0	366
2026-01-08	1	367
2026-01-09	0	368
2026-01-10	1	369
2026-01-11	0	370
2026-01-12	1	371
2026-01-13	0	372
2026-01-14	1	373
2026-01-15	0	374
2026-01-16	1	375
2026-01-17	0	376
2026-01-18	1	377
2026-01-19	0	378
2026-01-20	1	379
2026-01-21	0	380
2026-01-22	1	381
2026-01-23	0	382
2026-01-24	1	383
2026-01-25	0	384
2026-01-26	1	385
2026-01-27	0	386
2026-01-28	1	387
2026-01-29	0	388
2026-01-30	1	389
2026-01-31	0	390
\.


--
-- Data for Name: parcels_2_0; Type: TABLE DATA; Schema: public; Owner: -
--

COPY public.parcels_2_0 (day, depot, weight) FROM stdin;
2026-02-02	0	32
2026-02-04	0	34
2026-02-06	0	36
2026-02-08	0	38
2026-02-10	0	40
2026-02-12	0	42
2026-02-14	0	44
2026-02-16	0	46
2026-02-18	0	48
2026-02-20	0	50
2026-02-22	0	52
2026-02-24	0	54
2026-02-26	0	56
2026-02-28	0	58
2026-02-02	0	152
2026-02-04	0	154
2026-02-06	0	156
2026-02-08	0	158
2026-02-10	0	160
2026-02-12	0	162
2026-02-14	0	164
2026-02-16	0	166
2026-02-18	0	168
2026-02-20	0	170
2026-02-22	0	172
2026-02-24	0	174
2026-02-26	0	176
2026-02-28	0	178
2026-02-02	0	272
2026-02-04	0	274
2026-02-06	0	276
2026-02-08	0	278
2026-02-10	0	280
2026-02-12	0	282
2026-02-14	0	284
2026-02-16	0	286
2026-02-18	0	288
2026-02-20	0	290
2026-02-22	0	292
2026-02-24	0	294
2026-02-26	0	296
2026-02-28	0	298
2026-02-02	0	392
2026-02-04	0	394
2026-02-06	0	396
2026-02-08	0	398
2026-02-10	0	400
2026-02-12	0	402
2026-02-14	0	404
2026-02-16	0	406
2026-02-18	0	408
2026-02-20	0	410
2026-02-22	0	412
2026-02-24	0	414
2026-02-26	0	416
2026-02-28	0	418
\.


--
-- Data for Name: parcels_2_1; Type: TABLE DATA; Schema: public; Owner: -
--

COPY public.parcels_2_1 (day, depot, weight) FROM stdin;
2026-02-01	1	31
2026-02-03	1	33
2026-02-05	1	35
2026-02-07	1	37
2026-02-09	1	39
2026-02-11	1	41
2026-02-13	1	43
2026-02-15	1	45
2026-02-17	1	47
2026-02-19	1	49
2026-02-21	1	51
2026-02-23	1	53
2026-02-25	1	55
2026-02-27	1	57
2026-02-01	1	151
2026-02-03	1	153
2026-02-05	1	155
2026-02-07	1	157
2026-02-09	1	159
2026-02-11	1	161
2026-02-13	1	163
2026-02-15	1	165
2026-02-17	1	167
2026-02-19	1	169
2026-02-21	1	171
2026-02-23	1	173
2026-02-25	1	175
2026-02-27	1	177
2026-02-01	1	271
2026-02-03	1	273
2026-02-05	1	275
2026-02-07	1	277
2026-02-09	1	279
2026-02-11	1	281
2026-02-13	1	283
2026-02-15	1	285
2026-02-17	1	287
2026-02-19	1	289
2026-02-21	1	291
2026-02-23	1	293
2026-02-25	1	295
2026-02-27	1	297
2026-02-01	1	391
2026-02-03	1	393
2026-02-05	1	395
2026-02-07	1	397
2026-02-09	1	399
2026-02-11	1	401
2026-02-13	1	403
2026-02-15	1	405
2026-02-17	1	407
2026-02-19	1	409
2026-02-21	1	411
2026-02-23	1	413
2026-02-25	1	415
2026-02-27	1	417
\.


--
-- Data for Name: parcels_3; Type: TABLE DATA; Schema: public; Owner: -
--

COPY public.parcels_3 (day, depot, weight) FROM stdin;
2026-03-01	1	59
2026-03-02	0	60
2026-03-03	1	61
2026-03-04	0	62
2026-03-05	1	63
2026-03-06	0	64
2026-03-07	1	65
2026-03-08	0	66
2026-03-09	1	67
2026-03-10	0	68
2026-03-11	1	69
2026-03-12	0	70
2026-03-13	1	71
2026-03-14	0	72
2026-03-15	1	73
2026-03-16	0	74
2026-03-17	1	75
2026-03-18	0	76
2026-03-19	1	77
2026-03-20	0	78
2026-03-21	1	79
2026-03-22	0	80
2026-03-23	1	81
2026-03-24	0	82
2026-03-25	1	83
2026-03-26	0	84
2026-03-27	1	85
2026-03-28	0	86
2026-03-29	1	87
2026-03-30	0	88
2026-03-31	1	89
2026-03-01	1	179
2026-03-02	0	180
2026-03-03	1	181
2026-03-04	0	182
2026-03-05	1	183
2026-03-06	0	184
2026-03-07	1	185
2026-03-08	0	186
2026-03-09	1	187
2026-03-10	0	188
2026-03-11	1	189
2026-03-12	0	190
2026-03-13	1	191
2026-03-14	0	192
2026-03-15	1	193
2026-03-16	0	194
2026-03-17	1	195
2026-03-18	0	196
2026-03-19	1	197
2026-03-20	0	198
2026-03-21	1	199
2026-03-22	0	200
2026-03-23	1	201
2026-03-24	0	202
2026-03-25	1	203
2026-03-26	0	204
2026-03-27	1	205
2026-03-28	0	206
2026-03-29	1	207
2026-03-30	0	208
2026-03-31	1	209
2026-03-01	1	299
2026-03-02	0	300
2026-03-03	1	301
2026-03-04	0	302
2026-03-05	1	303
2026-03-06	0	304
2026-03-07	1	305
2026-03-08	0	306
2026-03-09	1	307
2026-03-10	0	308
2026-03-11	1	309
2026-03-12	0	310
2026-03-13	1	311
2026-03-14	0	312
2026-03-15	1	313
2026-03-16	0	314
2026-03-17	1	315
2026-03-18	0	316
2026-03-19	1	317
2026-03-20	0	318
2026-03-21	1	319
2026-03-22	0	320
2026-03-23	1	321
2026-03-24	0	322
2026-03-25	1	323
2026-03-26	0	324
2026-03-27	1	325
2026-03-28	0	326
2026-03-29	1	327
2026-03-30	0	328
2026-03-31	1	329
2026-03-01	1	419
2026-03-02	0	420
2026-03-03	1	421
2026-03-04	0	422
2026-03-05	1	423
2026-03-06	0	424
2026-03-07	1	425
2026-03-08	0	426
2026-03-09	1	427
2026-03-10	0	428
2026-03-11	1	429
2026-03-12	0	430
2026-03-13	1	431
2026-03-14	0	432
2026-03-15	1	433
2026-03-16	0	434
2026-03-17	1	435
2026-03-18	0	436
2026-03-19	1	437
2026-03-20	0	438
2026-03-21	1	439
2026-03-22	0	440
2026-03-23	1	441
2026-03-24	0	442
2026-03-25	1	443
2026-03-26	0	444
2026-03-27	1	445
2026-03-28	0	446
2026-03-29	1	447
2026-03-30	0	448
2026-03-31	1	449
\.


--
-- Data for Name: part0; Type: TABLE DATA; Schema: public; Owner: -
--

COPY public.part0 (x, g, wage) FROM stdin;
3	0	1.00
6	0	2.00
9	0	3.00
12	0	4.00
15	0	5.00
18	0	6.00
21	0	7.00
24	0	8.00
27	0	9.00
30	0	10.00
33	0	11.00
36	0	12.00
39	0	13.00
42	0	14.00
45	0	15.00
48	0	16.00
51	0	17.00
54	0	18.00
57	0	19.00
60	0	20.00
63	0	21.00
66	0	22.00
69	0	23.00
72	0	24.00
75	0	25.00
78	0	26.00
81	0	27.00
84	0	28.00
87	0	29.00
90	0	30.00
93	0	31.00
96	0	32.00
99	0	33.00
\.


--
-- Data for Name: part1; Type: TABLE DATA; Schema: public; Owner: -
--

COPY public.part1 (x, g, wage) FROM stdin;
1	1	0.33
2	2	0.67
4	1	1.33
5	2	1.67
7	1	2.33
8	2	2.67
10	1	3.33
11	2	3.67
13	1	4.33
14	2	4.67
16	1	5.33
17	2	5.67
19	1	6.33
20	2	6.67
22	1	7.33
23	2	7.67
25	1	8.33
26	2	8.67
28	1	9.33
29	2	9.67
31	1	10.33
32	2	10.67
34	1	11.33
35	2	11.67
37	1	12.33
38	2	12.67
40	1	13.33
41	2	13.67
43	1	14.33
44	2	14.67
46	1	15.33
47	2	15.67
49	1	16.33
50	2	16.67
52	1	17.33
53	2	17.67
55	1	18.33
56	2	18.67
58	1	19.33
59	2	19.67
61	1	20.33
62	2	20.67
64	1	21.33
65	2	21.67
67	1	22.33
68	2	22.67
70	1	23.33
71	2	23.67
73	1	24.33
74	2	24.67
76	1	25.33
77	2	25.67
79	1	26.33
80	2	26.67
82	1	27.33
83	2	27.67
85	1	28.33
86	2	28.67
88	1	29.33
89	2	29.67
91	1	30.33
92	2	30.67
94	1	31.33
95	2	31.67
97	1	32.33
98	2	32.67
\.


--
-- Data for Name: people; Type: TABLE DATA; Schema: public; Owner: -
--

COPY public.people (i, g, int2, int4, int8, float4, float8, "numeric", scaled, date, "timestamp", timestamptz, text, uuid) FROM stdin;
0	0	0	0	0	0	0	0.00000000000000000000	0.00	2000-02-27	1999-12-31 23:00:00	1999-12-31 23:00:00+00	person 0	00000000-0000-0000-0000-000000000000
1	0	0	0	0	0	0	0.00000000000000000000	0.00	2000-02-27	1999-12-31 23:00:00	1999-12-31 23:00:00+00	person 0	00000000-0000-0000-0000-000000000000
2	0	0	0	0	0	0	0.00000000000000000000	0.00	2000-02-27	1999-12-31 23:00:00	1999-12-31 23:00:00+00	person 0	00000000-0000-0000-0000-000000000000
3	0	0	0	0	0	0	0.00000000000000000000	0.00	2000-02-27	1999-12-31 23:00:00	1999-12-31 23:00:00+00	person 0	00000000-0000-0000-0000-000000000000
4	0	0	0	0	0	0	0.00000000000000000000	0.00	2000-02-27	1999-12-31 23:00:00	1999-12-31 23:00:00+00	person 0	00000000-0000-0000-0000-000000000000
5	0	1	1	1000000007	0.125	0.14285714285714285	0.25000000000000000000	0.25	2000-02-28	1999-12-31 23:17:00	1999-12-31 23:17:00+00	person 1	00000000-0000-0000-0000-000000000001
6	0	1	1	1000000007	0.125	0.14285714285714285	0.25000000000000000000	0.25	2000-02-28	1999-12-31 23:17:00	1999-12-31 23:17:00+00	person 1	00000000-0000-0000-0000-000000000001
7	0	1	1	1000000007	0.125	0.14285714285714285	0.25000000000000000000	0.25	2000-02-28	1999-12-31 23:17:00	1999-12-31 23:17:00+00	person 1	00000000-0000-0000-0000-000000000001
8	0	1	1	1000000007	0.125	0.14285714285714285	0.25000000000000000000	0.25	2000-02-28	1999-12-31 23:17:00	1999-12-31 23:17:00+00	person 1	00000000-0000-0000-0000-000000000001
9	0	1	1	1000000007	0.125	0.14285714285714285	0.25000000000000000000	0.25	2000-02-28	1999-12-31 23:17:00	1999-12-31 23:17:00+00	person 1	00000000-0000-0000-0000-000000000001
10	0	1	1	1000000007	0.125	0.14285714285714285	0.25000000000000000000	0.25	2000-02-28	1999-12-31 23:17:00	1999-12-31 23:17:00+00	person 1	00000000-0000-0000-0000-000000000001
11	0	1	1	1000000007	0.125	0.14285714285714285	0.25000000000000000000	0.25	2000-02-28	1999-12-31 23:17:00	1999-12-31 23:17:00+00	person 1	00000000-0000-0000-0000-000000000001
12	0	1	1	1000000007	0.125	0.14285714285714285	0.25000000000000000000	0.25	2000-02-28	1999-12-31 23:17:00	1999-12-31 23:17:00+00	person 1	00000000-0000-0000-0000-000000000001
13	0	1	1	1000000007	0.125	0.14285714285714285	0.25000000000000000000	0.25	2000-02-28	1999-12-31 23:17:00	1999-12-31 23:17:00+00	person 1	00000000-0000-0000-0000-000000000001
14	0	1	1	1000000007	0.125	0.14285714285714285	0.25000000000000000000	0.25	2000-02-28	1999-12-31 23:17:00	1999-12-31 23:17:00+00	person 1	00000000-0000-0000-0000-000000000001
15	0	2	2	2000000014	0.25	0.2857142857142857	0.50000000000000000000	0.50	2000-02-29	1999-12-31 23:34:00	1999-12-31 23:34:00+00	person 2	00000000-0000-0000-0000-000000000002
16	0	2	2	2000000014	0.25	0.2857142857142857	0.50000000000000000000	0.50	2000-02-29	1999-12-31 23:34:00	1999-12-31 23:34:00+00	person 2	00000000-0000-0000-0000-000000000002
17	0	2	2	2000000014	0.25	0.2857142857142857	0.50000000000000000000	0.50	2000-02-29	1999-12-31 23:34:00	1999-12-31 23:34:00+00	person 2	00000000-0000-0000-0000-000000000002
18	0	2	2	2000000014	0.25	0.2857142857142857	0.50000000000000000000	0.50	2000-02-29	1999-12-31 23:34:00	1999-12-31 23:34:00+00	person 2	00000000-0000-0000-0000-000000000002
19	0	2	2	2000000014	0.25	0.2857142857142857	0.50000000000000000000	0.50	2000-02-29	1999-12-31 23:34:00	1999-12-31 23:34:00+00	person 2	00000000-0000-0000-0000-000000000002
20	0	2	2	2000000014	0.25	0.2857142857142857	0.50000000000000000000	0.50	2000-02-29	1999-12-31 23:34:00	1999-12-31 23:34:00+00	person 2	00000000-0000-0000-0000-000000000002
21	0	2	2	2000000014	0.25	0.2857142857142857	0.50000000000000000000	0.50	2000-02-29	1999-12-31 23:34:00	1999-12-31 23:34:00+00	person 2	00000000-0000-0000-0000-000000000002
22	0	2	2	2000000014	0.25	0.2857142857142857	0.50000000000000000000	0.50	2000-02-29	1999-12-31 23:34:00	1999-12-31 23:34:00+00	person 2	00000000-0000-0000-0000-000000000002
23	0	2	2	2000000014	0.25	0.2857142857142857	0.50000000000000000000	0.50	2000-02-29	1999-12-31 23:34:00	1999-12-31 23:34:00+00	person 2	00000000-0000-0000-0000-000000000002
24	0	2	2	2000000014	0.25	0.2857142857142857	0.50000000000000000000	0.50	2000-02-29	1999-12-31 23:34:00	1999-12-31 23:34:00+00	person 2	00000000-0000-0000-0000-000000000002
25	1	3	3	3000000021	0.375	0.42857142857142855	0.75000000000000000000	0.75	2000-03-01	1999-12-31 23:51:00	1999-12-31 23:51:00+00	person 3	00000000-0000-0000-0000-000000000003
26	1	3	3	3000000021	0.375	0.42857142857142855	0.75000000000000000000	0.75	2000-03-01	1999-12-31 23:51:00	1999-12-31 23:51:00+00	person 3	00000000-0000-0000-0000-000000000003
27	1	3	3	3000000021	0.375	0.42857142857142855	0.75000000000000000000	0.75	2000-03-01	1999-12-31 23:51:00	1999-12-31 23:51:00+00	person 3	00000000-0000-0000-0000-000000000003
28	1	3	3	3000000021	0.375	0.42857142857142855	0.75000000000000000000	0.75	2000-03-01	1999-12-31 23:51:00	1999-12-31 23:51:00+00	person 3	00000000-0000-0000-0000-000000000003
29	1	3	3	3000000021	0.375	0.42857142857142855	0.75000000000000000000	0.75	2000-03-01	1999-12-31 23:51:00	1999-12-31 23:51:00+00	person 3	00000000-0000-0000-0000-000000000003
30	1	3	3	3000000021	0.375	0.42857142857142855	0.75000000000000000000	0.75	2000-03-01	1999-12-31 23:51:00	1999-12-31 23:51:00+00	person 3	00000000-0000-0000-0000-000000000003
31	1	3	3	3000000021	0.375	0.42857142857142855	0.75000000000000000000	0.75	2000-03-01	1999-12-31 23:51:00	1999-12-31 23:51:00+00	person 3	00000000-0000-0000-0000-000000000003
32	1	3	3	3000000021	0.375	0.42857142857142855	0.75000000000000000000	0.75	2000-03-01	1999-12-31 23:51:00	1999-12-31 23:51:00+00	person 3	00000000-0000-0000-0000-000000000003
33	1	3	3	3000000021	0.375	0.42857142857142855	0.75000000000000000000	0.75	2000-03-01	1999-12-31 23:51:00	1999-12-31 23:51:00+00	person 3	00000000-0000-0000-0000-000000000003
34	1	3	3	3000000021	0.375	0.42857142857142855	0.75000000000000000000	0.75	2000-03-01	1999-12-31 23:51:00	1999-12-31 23:51:00+00	person 3	00000000-0000-0000-0000-000000000003
35	1	4	4	4000000028	0.5	0.5714285714285714	1.00000000000000000000	1.00	2000-03-02	2000-01-01 00:08:00	2000-01-01 00:08:00+00	person 4	00000000-0000-0000-0000-000000000004
36	1	4	4	4000000028	0.5	0.5714285714285714	1.00000000000000000000	1.00	2000-03-02	2000-01-01 00:08:00	2000-01-01 00:08:00+00	person 4	00000000-0000-0000-0000-000000000004
37	1	4	4	4000000028	0.5	0.5714285714285714	1.00000000000000000000	1.00	2000-03-02	2000-01-01 00:08:00	2000-01-01 00:08:00+00	person 4	00000000-0000-0000-0000-000000000004
38	1	4	4	4000000028	0.5	0.5714285714285714	1.00000000000000000000	1.00	2000-03-02	2000-01-01 00:08:00	2000-01-01 00:08:00+00	person 4	00000000-0000-0000-0000-000000000004
39	1	4	4	4000000028	0.5	0.5714285714285714	1.00000000000000000000	1.00	2000-03-02	2000-01-01 00:08:00	2000-01-01 00:08:00+00	person 4	00000000-0000-0000-0000-000000000004
40	1	4	4	4000000028	0.5	0.5714285714285714	1.00000000000000000000	1.00	2000-03-02	2000-01-01 00:08:00	2000-01-01 00:08:00+00	person 4	00000000-0000-0000-0000-000000000004
41	1	4	4	4000000028	0.5	0.5714285714285714	1.00000000000000000000	1.00	2000-03-02	2000-01-01 00:08:00	2000-01-01 00:08:00+00	person 4	00000000-0000-0000-0000-000000000004
42	1	4	4	4000000028	0.5	0.5714285714285714	1.00000000000000000000	1.00	2000-03-02	2000-01-01 00:08:00	2000-01-01 00:08:00+00	person 4	00000000-0000-0000-0000-000000000004
43	1	4	4	4000000028	0.5	0.5714285714285714	1.00000000000000000000	1.00	2000-03-02	2000-01-01 00:08:00	2000-01-01 00:08:00+00	person 4	00000000-0000-0000-0000-000000000004
44	1	4	4	4000000028	0.5	0.5714285714285714	1.00000000000000000000	1.00	2000-03-02	2000-01-01 00:08:00	2000-01-01 00:08:00+00	person 4	00000000-0000-0000-0000-000000000004
45	1	5	5	5000000035	0.625	0.7142857142857143	1.2500000000000000	1.25	2000-03-03	2000-01-01 00:25:00	2000-01-01 00:25:00+00	person 5	00000000-0000-0000-0000-000000000005
46	1	5	5	5000000035	0.625	0.7142857142857143	1.2500000000000000	1.25	2000-03-03	2000-01-01 00:25:00	2000-01-01 00:25:00+00	person 5	00000000-0000-0000-0000-000000000005
47	1	5	5	5000000035	0.625	0.7142857142857143	1.2500000000000000	1.25	2000-03-03	2000-01-01 00:25:00	2000-01-01 00:25:00+00	person 5	00000000-0000-0000-0000-000000000005
48	1	5	5	5000000035	0.625	0.7142857142857143	1.2500000000000000	1.25	2000-03-03	2000-01-01 00:25:00	2000-01-01 00:25:00+00	person 5	00000000-0000-0000-0000-000000000005
49	1	5	5	5000000035	0.625	0.7142857142857143	1.2500000000000000	1.25	2000-03-03	2000-01-01 00:25:00	2000-01-01 00:25:00+00	person 5	00000000-0000-0000-0000-000000000005
50	2	5	5	5000000035	0.625	0.7142857142857143	1.2500000000000000	1.25	2000-03-03	2000-01-01 00:25:00	2000-01-01 00:25:00+00	person 5	00000000-0000-0000-0000-000000000005
51	2	5	5	5000000035	0.625	0.7142857142857143	1.2500000000000000	1.25	2000-03-03	2000-01-01 00:25:00	2000-01-01 00:25:00+00	person 5	00000000-0000-0000-0000-000000000005
52	2	5	5	5000000035	0.625	0.7142857142857143	1.2500000000000000	1.25	2000-03-03	2000-01-01 00:25:00	2000-01-01 00:25:00+00	person 5	00000000-0000-0000-0000-000000000005
53	2	5	5	5000000035	0.625	0.7142857142857143	1.2500000000000000	1.25	2000-03-03	2000-01-01 00:25:00	2000-01-01 00:25:00+00	person 5	00000000-0000-0000-0000-000000000005
54	2	5	5	5000000035	0.625	0.7142857142857143	1.2500000000000000	1.25	2000-03-03	2000-01-01 00:25:00	2000-01-01 00:25:00+00	person 5	00000000-0000-0000-0000-000000000005
55	2	6	6	6000000042	0.75	0.8571428571428571	1.5000000000000000	1.50	2000-03-04	2000-01-01 00:42:00	2000-01-01 00:42:00+00	person 6	00000000-0000-0000-0000-000000000006
56	2	6	6	6000000042	0.75	0.8571428571428571	1.5000000000000000	1.50	2000-03-04	2000-01-01 00:42:00	2000-01-01 00:42:00+00	person 6	00000000-0000-0000-0000-000000000006
57	2	6	6	6000000042	0.75	0.8571428571428571	1.5000000000000000	1.50	2000-03-04	2000-01-01 00:42:00	2000-01-01 00:42:00+00	person 6	00000000-0000-0000-0000-000000000006
58	2	6	6	6000000042	0.75	0.8571428571428571	1.5000000000000000	1.50	2000-03-04	2000-01-01 00:42:00	2000-01-01 00:42:00+00	person 6	00000000-0000-0000-0000-000000000006
59	2	6	6	6000000042	0.75	0.8571428571428571	1.5000000000000000	1.50	2000-03-04	2000-01-01 00:42:00	2000-01-01 00:42:00+00	person 6	00000000-0000-0000-0000-000000000006
60	2	6	6	6000000042	0.75	0.8571428571428571	1.5000000000000000	1.50	2000-03-04	2000-01-01 00:42:00	2000-01-01 00:42:00+00	person 6	00000000-0000-0000-0000-000000000006
61	2	6	6	6000000042	0.75	0.8571428571428571	1.5000000000000000	1.50	2000-03-04	2000-01-01 00:42:00	2000-01-01 00:42:00+00	person 6	00000000-0000-0000-0000-000000000006
62	2	6	6	6000000042	0.75	0.8571428571428571	1.5000000000000000	1.50	2000-03-04	2000-01-01 00:42:00	2000-01-01 00:42:00+00	person 6	00000000-0000-0000-0000-000000000006
63	2	6	6	6000000042	0.75	0.8571428571428571	1.5000000000000000	1.50	2000-03-04	2000-01-01 00:42:00	2000-01-01 00:42:00+00	person 6	00000000-0000-0000-0000-000000000006
64	2	6	6	6000000042	0.75	0.8571428571428571	1.5000000000000000	1.50	2000-03-04	2000-01-01 00:42:00	2000-01-01 00:42:00+00	person 6	00000000-0000-0000-0000-000000000006
65	2	7	7	7000000049	0.875	1	1.7500000000000000	1.75	2000-03-05	2000-01-01 00:59:00	2000-01-01 00:59:00+00	person 7	00000000-0000-0000-0000-000000000007
66	2	7	7	7000000049	0.875	1	1.7500000000000000	1.75	2000-03-05	2000-01-01 00:59:00	2000-01-01 00:59:00+00	person 7	00000000-0000-0000-0000-000000000007
67	2	7	7	7000000049	0.875	1	1.7500000000000000	1.75	2000-03-05	2000-01-01 00:59:00	2000-01-01 00:59:00+00	person 7	00000000-0000-0000-0000-000000000007
68	2	7	7	7000000049	0.875	1	1.7500000000000000	1.75	2000-03-05	2000-01-01 00:59:00	2000-01-01 00:59:00+00	person 7	00000000-0000-0000-0000-000000000007
69	2	7	7	7000000049	0.875	1	1.7500000000000000	1.75	2000-03-05	2000-01-01 00:59:00	2000-01-01 00:59:00+00	person 7	00000000-0000-0000-0000-000000000007
70	2	7	7	7000000049	0.875	1	1.7500000000000000	1.75	2000-03-05	2000-01-01 00:59:00	2000-01-01 00:59:00+00	person 7	00000000-0000-0000-0000-000000000007
71	2	7	7	7000000049	0.875	1	1.7500000000000000	1.75	2000-03-05	2000-01-01 00:59:00	2000-01-01 00:59:00+00	person 7	00000000-0000-0000-0000-000000000007
72	2	7	7	7000000049	0.875	1	1.7500000000000000	1.75	2000-03-05	2000-01-01 00:59:00	2000-01-01 00:59:00+00	person 7	00000000-0000-0000-0000-000000000007
73	2	7	7	7000000049	0.875	1	1.7500000000000000	1.75	2000-03-05	2000-01-01 00:59:00	2000-01-01 00:59:00+00	person 7	00000000-0000-0000-0000-000000000007
74	2	7	7	7000000049	0.875	1	1.7500000000000000	1.75	2000-03-05	2000-01-01 00:59:00	2000-01-01 00:59:00+00	person 7	00000000-0000-0000-0000-000000000007
75	3	8	8	8000000056	1	1.1428571428571428	2.0000000000000000	2.00	2000-03-06	2000-01-01 01:16:00	2000-01-01 01:16:00+00	person 8	00000000-0000-0000-0000-000000000008
76	3	8	8	8000000056	1	1.1428571428571428	2.0000000000000000	2.00	2000-03-06	2000-01-01 01:16:00	2000-01-01 01:16:00+00	person 8	00000000-0000-0000-0000-000000000008
77	3	8	8	8000000056	1	1.1428571428571428	2.0000000000000000	2.00	2000-03-06	2000-01-01 01:16:00	2000-01-01 01:16:00+00	person 8	00000000-0000-0000-0000-000000000008
78	3	8	8	8000000056	1	1.1428571428571428	2.0000000000000000	2.00	2000-03-06	2000-01-01 01:16:00	2000-01-01 01:16:00+00	person 8	00000000-0000-0000-0000-000000000008
79	3	8	8	8000000056	1	1.1428571428571428	2.0000000000000000	2.00	2000-03-06	2000-01-01 01:16:00	2000-01-01 01:16:00+00	person 8	00000000-0000-0000-0000-000000000008
80	3	8	8	8000000056	1	1.1428571428571428	2.0000000000000000	2.00	2000-03-06	2000-01-01 01:16:00	2000-01-01 01:16:00+00	person 8	00000000-0000-0000-0000-000000000008
81	3	8	8	8000000056	1	1.1428571428571428	2.0000000000000000	2.00	2000-03-06	2000-01-01 01:16:00	2000-01-01 01:16:00+00	person 8	00000000-0000-0000-0000-000000000008
82	3	8	8	8000000056	1	1.1428571428571428	2.0000000000000000	2.00	2000-03-06	2000-01-01 01:16:00	2000-01-01 01:16:00+00	person 8	00000000-0000-0000-0000-000000000008
83	3	8	8	8000000056	1	1.1428571428571428	2.0000000000000000	2.00	2000-03-06	2000-01-01 01:16:00	2000-01-01 01:16:00+00	person 8	00000000-0000-0000-0000-000000000008
84	3	8	8	8000000056	1	1.1428571428571428	2.0000000000000000	2.00	2000-03-06	2000-01-01 01:16:00	2000-01-01 01:16:00+00	person 8	00000000-0000-0000-0000-000000000008
85	3	9	9	9000000063	1.125	1.2857142857142858	2.2500000000000000	2.25	2000-03-07	2000-01-01 01:33:00	2000-01-01 01:33:00+00	person 9	00000000-0000-0000-0000-000000000009
86	3	9	9	9000000063	1.125	1.2857142857142858	2.2500000000000000	2.25	2000-03-07	2000-01-01 01:33:00	2000-01-01 01:33:00+00	person 9	00000000-0000-0000-0000-000000000009
87	3	9	9	9000000063	1.125	1.2857142857142858	2.2500000000000000	2.25	2000-03-07	2000-01-01 01:33:00	2000-01-01 01:33:00+00	person 9	00000000-0000-0000-0000-000000000009
88	3	9	9	9000000063	1.125	1.2857142857142858	2.2500000000000000	2.25	2000-03-07	2000-01-01 01:33:00	2000-01-01 01:33:00+00	person 9	00000000-0000-0000-0000-000000000009
89	3	9	9	9000000063	1.125	1.2857142857142858	2.2500000000000000	2.25	2000-03-07	2000-01-01 01:33:00	2000-01-01 01:33:00+00	person 9	00000000-0000-0000-0000-000000000009
90	3	9	9	9000000063	1.125	1.2857142857142858	2.2500000000000000	2.25	2000-03-07	2000-01-01 01:33:00	2000-01-01 01:33:00+00	person 9	00000000-0000-0000-0000-000000000009
91	3	9	9	9000000063	1.125	1.2857142857142858	2.2500000000000000	2.25	2000-03-07	2000-01-01 01:33:00	2000-01-01 01:33:00+00	person 9	00000000-0000-0000-0000-000000000009
92	3	9	9	9000000063	1.125	1.2857142857142858	2.2500000000000000	2.25	2000-03-07	2000-01-01 01:33:00	2000-01-01 01:33:00+00	person 9	00000000-0000-0000-0000-000000000009
93	3	9	9	9000000063	1.125	1.2857142857142858	2.2500000000000000	2.25	2000-03-07	2000-01-01 01:33:00	2000-01-01 01:33:00+00	person 9	00000000-0000-0000-0000-000000000009
94	3	9	9	9000000063	1.125	1.2857142857142858	2.2500000000000000	2.25	2000-03-07	2000-01-01 01:33:00	2000-01-01 01:33:00+00	person 9	00000000-0000-0000-0000-000000000009
95	3	10	10	10000000070	1.25	1.4285714285714286	2.5000000000000000	2.50	2000-03-08	2000-01-01 01:50:00	2000-01-01 01:50:00+00	person 10	00000000-0000-0000-0000-000000000010
96	3	10	10	10000000070	1.25	1.4285714285714286	2.5000000000000000	2.50	2000-03-08	2000-01-01 01:50:00	2000-01-01 01:50:00+00	person 10	00000000-0000-0000-0000-000000000010
97	3	10	10	10000000070	1.25	1.4285714285714286	2.5000000000000000	2.50	2000-03-08	2000-01-01 01:50:00	2000-01-01 01:50:00+00	person 10	00000000-0000-0000-0000-000000000010
98	3	10	10	10000000070	1.25	1.4285714285714286	2.5000000000000000	2.50	2000-03-08	2000-01-01 01:50:00	2000-01-01 01:50:00+00	person 10	00000000-0000-0000-0000-000000000010
99	3	10	10	10000000070	1.25	1.4285714285714286	2.5000000000000000	2.50	2000-03-08	2000-01-01 01:50:00	2000-01-01 01:50:00+00	person 10	00000000-0000-0000-0000-000000000010
\.


--
-- Data for Name: readings; Type: TABLE DATA; Schema: public; Owner: -
--

COPY public.readings (x, sensor) FROM stdin;
1	1
2	2
3	0
4	1
5	2
6	0
7	1
8	2
9	0
10	1
11	2
12	0
13	1
14	2
15	0
16	1
17	2
18	0
19	1
20	2
21	0
22	1
23	2
24	0
25	1
26	2
27	0
28	1
29	2
30	0
31	1
32	2
33	0
34	1
35	2
36	0
37	1
38	2
39	0
40	1
41	2
42	0
43	1
44	2
45	0
46	1
47	2
48	0
49	1
50	2
51	0
52	1
53	2
54	0
55	1
56	2
57	0
58	1
59	2
60	0
\.


--
-- Data for Name: staff; Type: TABLE DATA; Schema: public; Owner: -
--

COPY public.staff (x, g, wage) FROM stdin;
1	1	0.33
2	2	0.67
3	0	1.00
4	1	1.33
5	2	1.67
6	0	2.00
7	1	2.33
8	2	2.67
9	0	3.00
10	1	3.33
11	2	3.67
12	0	4.00
13	1	4.33
14	2	4.67
15	0	5.00
16	1	5.33
17	2	5.67
18	0	6.00
19	1	6.33
20	2	6.67
21	0	7.00
22	1	7.33
23	2	7.67
24	0	8.00
25	1	8.33
26	2	8.67
27	0	9.00
28	1	9.33
29	2	9.67
30	0	10.00
31	1	10.33
32	2	10.67
33	0	11.00
34	1	11.33
35	2	11.67
36	0	12.00
37	1	12.33
38	2	12.67
39	0	13.00
40	1	13.33
41	2	13.67
42	0	14.00
43	1	14.33
44	2	14.67
45	0	15.00
46	1	15.33
47	2	15.67
48	0	16.00
49	1	16.33
50	2	16.67
51	0	17.00
52	1	17.33
53	2	17.67
54	0	18.00
55	1	18.33
56	2	18.67
57	0	19.00
58	1	19.33
59	2	19.67
60	0	20.00
61	1	20.33
62	2	20.67
63	0	21.00
64	1	21.33
65	2	21.67
66	0	22.00
67	1	22.33
68	2	22.67
69	0	23.00
70	1	23.33
71	2	23.67
72	0	24.00
73	1	24.33
74	2	24.67
75	0	25.00
76	1	25.33
77	2	25.67
78	0	26.00
79	1	26.33
80	2	26.67
81	0	27.00
82	1	27.33
83	2	27.67
84	0	28.00
85	1	28.33
86	2	28.67
87	0	29.00
88	1	29.33
89	2	29.67
90	0	30.00
91	1	30.33
92	2	30.67
93	0	31.00
94	1	31.33
95	2	31.67
96	0	32.00
97	1	32.33
98	2	32.67
99	0	33.00
\.


--
-- Data for Name: states; Type: TABLE DATA; Schema: public; Owner: -
--

COPY public.states (g, median, medians, "greatest", in_range, total, variance, buckets, names) FROM stdin;
3	\\x4944500101020000000000013f847ae147ae147b3fe000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000001900000000000000080000000000000008000000000000000800000000000000080000000000000008000000000000000800000000000000080000000000000008000000000000000800000000000000080000000000000009000000000000000900000000000000090000000000000009000000000000000900000000000000090000000000000009000000000000000900000000000000090000000000000009000000000000000a000000000000000a000000000000000a000000000000000a000000000000000abc15a28e	\\x4944500101020000000000023f847ae147ae147b3fe00000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000193f847ae147ae147b3f947ae147ae147b00000000000000080000000000000008000000000000000800000000000000080000000000000008000000000000000800000000000000080000000000000008000000000000000800000000000000080000000000000009000000000000000900000000000000090000000000000009000000000000000900000000000000090000000000000009000000000000000900000000000000090000000000000009000000000000000a000000000000000a000000000000000a000000000000000a000000000000000a8cb40cec	\\x4944500104060000001000013f847ae147ae147b000000000000000000000000000000000000000000000000000000000000000000000000000000000058d15e17628000000000000000000200000000000000000058d15e1762800000000000000000000058d15e176280003894e910	\\x494450010908000000000001408f40000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000141dd7600000000000000000190124c495	\\x494450011202000000000001412e84800000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000a00000000000000190000000000000000000000000000000000000000000000dce77842f8	\\x494450011406000000100001412e84800000000000000000000000000000000000000000000000000000000000000000000000000000000000000000006a94d74f43000000000000000000190000000000000000000000000000000007a1fe1602770000000000000000000000000000000000000000000000000000000258e3e0637d7243b48589e000000075b9f5f9	\\x494450011707000000000001408f4000000000000000000000000000000000000000000b0000000000000000000000000000003900000000000000000000000000000044000000000000001900000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000a000000000000000a000000000000000574f85d86	\\x49445001160a000000000001408f4000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000019844ff5c997b2f92a063be54f9e7af3b4844ff5c997b2f92a063be54f9e7af3b4844ff5c997b2f92a063be54f9e7af3b4844ff5c997b2f92a063be54f9e7af3b4844ff5c997b2f92a063be54f9e7af3b4844ff5c997b2f92a063be54f9e7af3b4844ff5c997b2f92a063be54f9e7af3b4844ff5c997b2f92a063be54f9e7af3b4844ff5c997b2f92a063be54f9e7af3b4844ff5c997b2f92a063be54f9e7af3b479f3caa97c5d05e1721fa5914d5f972679f3caa97c5d05e1721fa5914d5f972679f3caa97c5d05e1721fa5914d5f972679f3caa97c5d05e1721fa5914d5f972679f3caa97c5d05e1721fa5914d5f972679f3caa97c5d05e1721fa5914d5f972679f3caa97c5d05e1721fa5914d5f972679f3caa97c5d05e1721fa5914d5f972679f3caa97c5d05e1721fa5914d5f972679f3caa97c5d05e1721fa5914d5f9726541d6f69e1dd5600d7c29930d1aa9c6e541d6f69e1dd5600d7c29930d1aa9c6e541d6f69e1dd5600d7c29930d1aa9c6e541d6f69e1dd5600d7c29930d1aa9c6e541d6f69e1dd5600d7c29930d1aa9c6ecfbdd4f4
0	\\x4944500101020000000000013f847ae147ae147b3fe000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000001900000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000100000000000000010000000000000001000000000000000100000000000000010000000000000001000000000000000100000000000000010000000000000001000000000000000100000000000000020000000000000002000000000000000200000000000000020000000000000002000000000000000200000000000000020000000000000002000000000000000200000000000000022baa82a2	\\x4944500101020000000000023f847ae147ae147b3fe00000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000193f847ae147ae147b3f947ae147ae147b00000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000100000000000000010000000000000001000000000000000100000000000000010000000000000001000000000000000100000000000000010000000000000001000000000000000100000000000000020000000000000002000000000000000200000000000000020000000000000002000000000000000200000000000000020000000000000002000000000000000200000000000000021b0b2cc0	\\x4944500104060000001000013f847ae147ae147b000000000000000000000000000000000000000000000000000000000000000000000000000000000058d15e17628000000000000000000200000000000000000011c37937e0800000000000000000000011c37937e08000f7300187	\\x494450010908000000000001408f40000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000141dd76000000000000000000069c8d836	\\x494450011202000000000001412e84800000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000a000000000000001900000000000000000000000000000000000000000000001ec5ce14cb	\\x494450011406000000100001412e84800000000000000000000000000000000000000000000000000000000000000000000000000000000000000000006a94d74f430000000000000000001900000000000000000000000000000000010a741a4627800000000000000000000000000000000000000000000000000000000f684df56c3e01bc6c73200000005af4d711	\\x494450011707000000000001408f4000000000000000000000000000000000000000000b000000000000000000000000000000390000000000000000000000000000004400000000000000190000000000000005000000000000000a000000000000000a00000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000494823fe	\\x49445001160a000000000001408f400000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000001997ba538e67b55403f96776991cb09e6497ba538e67b55403f96776991cb09e6497ba538e67b55403f96776991cb09e6497ba538e67b55403f96776991cb09e6497ba538e67b55403f96776991cb09e64e363853bf3dee7c193f7f509b8029fd9e363853bf3dee7c193f7f509b8029fd9e363853bf3dee7c193f7f509b8029fd9e363853bf3dee7c193f7f509b8029fd9e363853bf3dee7c193f7f509b8029fd9e363853bf3dee7c193f7f509b8029fd9e363853bf3dee7c193f7f509b8029fd9e363853bf3dee7c193f7f509b8029fd9e363853bf3dee7c193f7f509b8029fd9e363853bf3dee7c193f7f509b8029fd9cb1ec717b17f64fd983a06241b03ce10cb1ec717b17f64fd983a06241b03ce10cb1ec717b17f64fd983a06241b03ce10cb1ec717b17f64fd983a06241b03ce10cb1ec717b17f64fd983a06241b03ce10cb1ec717b17f64fd983a06241b03ce10cb1ec717b17f64fd983a06241b03ce10cb1ec717b17f64fd983a06241b03ce10cb1ec717b17f64fd983a06241b03ce10cb1ec717b17f64fd983a06241b03ce10d45df3b4
2	\\x4944500101020000000000013f847ae147ae147b3fe00000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000190000000000000005000000000000000500000000000000050000000000000005000000000000000500000000000000060000000000000006000000000000000600000000000000060000000000000006000000000000000600000000000000060000000000000006000000000000000600000000000000060000000000000007000000000000000700000000000000070000000000000007000000000000000700000000000000070000000000000007000000000000000700000000000000070000000000000007384594de	\\x4944500101020000000000023f847ae147ae147b3fe00000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000193f847ae147ae147b3f947ae147ae147b000000000000000500000000000000050000000000000005000000000000000500000000000000050000000000000006000000000000000600000000000000060000000000000006000000000000000600000000000000060000000000000006000000000000000600000000000000060000000000000006000000000000000700000000000000070000000000000007000000000000000700000000000000070000000000000007000000000000000700000000000000070000000000000007000000000000000708e43abc	\\x4944500104060000001000013f847ae147ae147b000000000000000000000000000000000000000000000000000000000000000000000000000000000058d15e1762800000000000000000020000000000000000003e2c284391c0000000000000000000003e2c284391c000a03a2ff1	\\x494450010908000000000001408f40000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000141dd7600000000000000000190124c495	\\x494450011202000000000001412e84800000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000a000000000000001900000000000000000000000000000000000000000000009b72c93baf	\\x494450011406000000100001412e84800000000000000000000000000000000000000000000000000000000000000000000000000000000000000000006a94d74f4300000000000000000019000000000000000000000000000000000560ad326a76c00000000000000000000000000000000000000000000000000000012c71f031beb921da42c4f0000000908fe4ce	\\x494450011707000000000001408f4000000000000000000000000000000000000000000b00000000000000000000000000000039000000000000000000000000000000440000000000000019000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000005000000000000000a000000000000000a0000000000000000000000000000000000000000000000004c0a16fd	\\x49445001160a000000000001408f4000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000019ddc60c4094226915d09f813475ff24cbddc60c4094226915d09f813475ff24cbddc60c4094226915d09f813475ff24cbddc60c4094226915d09f813475ff24cbddc60c4094226915d09f813475ff24cb719c3aa97c7a714c1eb09a4bc286c706719c3aa97c7a714c1eb09a4bc286c706719c3aa97c7a714c1eb09a4bc286c706719c3aa97c7a714c1eb09a4bc286c706719c3aa97c7a714c1eb09a4bc286c706719c3aa97c7a714c1eb09a4bc286c706719c3aa97c7a714c1eb09a4bc286c706719c3aa97c7a714c1eb09a4bc286c706719c3aa97c7a714c1eb09a4bc286c706719c3aa97c7a714c1eb09a4bc286c70623d28b440bfaf0243dbe957435ba31e623d28b440bfaf0243dbe957435ba31e623d28b440bfaf0243dbe957435ba31e623d28b440bfaf0243dbe957435ba31e623d28b440bfaf0243dbe957435ba31e623d28b440bfaf0243dbe957435ba31e623d28b440bfaf0243dbe957435ba31e623d28b440bfaf0243dbe957435ba31e623d28b440bfaf0243dbe957435ba31e623d28b440bfaf0243dbe957435ba31e605fde850
1	\\x4944500101020000000000013f847ae147ae147b3fe0000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000019000000000000000300000000000000030000000000000003000000000000000300000000000000030000000000000003000000000000000300000000000000030000000000000003000000000000000300000000000000040000000000000004000000000000000400000000000000040000000000000004000000000000000400000000000000040000000000000004000000000000000400000000000000040000000000000005000000000000000500000000000000050000000000000005000000000000000561e0de9d	\\x4944500101020000000000023f847ae147ae147b3fe00000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000193f847ae147ae147b3f947ae147ae147b0000000000000003000000000000000300000000000000030000000000000003000000000000000300000000000000030000000000000003000000000000000300000000000000030000000000000003000000000000000400000000000000040000000000000004000000000000000400000000000000040000000000000004000000000000000400000000000000040000000000000004000000000000000400000000000000050000000000000005000000000000000500000000000000050000000000000005514170ff	\\x4944500104060000001000013f847ae147ae147b000000000000000000000000000000000000000000000000000000000000000000000000000000000058d15e1762800000000000000000020000000000000000002c68af0bb140000000000000000000002c68af0bb140006cc782df	\\x494450010908000000000001408f40000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000141dd76000000000000000000f37dbe412	\\x494450011202000000000001412e84800000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000a000000000000001900000000000000000000000000000000000000000000005f76de8a74	\\x494450011406000000100001412e84800000000000000000000000000000000000000000000000000000000000000000000000000000000000000000006a94d74f430000000000000000001900000000000000000000000000000000034bc4fdde27c0000000000000000000000000000000000000000000000000000000738e48b0abd10d052d5f70000000aa96f6e4	\\x494450011707000000000001408f4000000000000000000000000000000000000000000b00000000000000000000000000000039000000000000000000000000000000440000000000000019000000000000000000000000000000000000000000000000000000000000000a000000000000000a00000000000000050000000000000000000000000000000000000000000000000000000000000000000000000000000095da0f3c	\\x49445001160a000000000001408f40000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000199cd55f344e1b8f1f2cd0a158bd9e6a2c9cd55f344e1b8f1f2cd0a158bd9e6a2c9cd55f344e1b8f1f2cd0a158bd9e6a2c9cd55f344e1b8f1f2cd0a158bd9e6a2c9cd55f344e1b8f1f2cd0a158bd9e6a2c9cd55f344e1b8f1f2cd0a158bd9e6a2c9cd55f344e1b8f1f2cd0a158bd9e6a2c9cd55f344e1b8f1f2cd0a158bd9e6a2c9cd55f344e1b8f1f2cd0a158bd9e6a2c9cd55f344e1b8f1f2cd0a158bd9e6a2cd08a662d16c142ab32c3259e1c6547e6d08a662d16c142ab32c3259e1c6547e6d08a662d16c142ab32c3259e1c6547e6d08a662d16c142ab32c3259e1c6547e6d08a662d16c142ab32c3259e1c6547e6d08a662d16c142ab32c3259e1c6547e6d08a662d16c142ab32c3259e1c6547e6d08a662d16c142ab32c3259e1c6547e6d08a662d16c142ab32c3259e1c6547e6d08a662d16c142ab32c3259e1c6547e6ddc60c4094226915d09f813475ff24cbddc60c4094226915d09f813475ff24cbddc60c4094226915d09f813475ff24cbddc60c4094226915d09f813475ff24cbddc60c4094226915d09f813475ff24cbe184cd44
\N	\N	\N	\N	\N	\N	\N	\N	\N
\.


--
-- Data for Name: visits; Type: TABLE DATA; Schema: public; Owner: -
--

COPY public.visits (id, customer) FROM stdin;
1	2
2	3
3	4
4	5
5	6
6	7
7	8
8	9
9	10
10	11
11	12
12	13
13	14
14	15
15	16
16	17
17	18
18	19
19	20
20	21
21	22
22	23
23	24
24	25
25	26
26	27
27	28
28	29
29	30
30	31
31	32
32	33
33	34
34	35
35	36
36	37
37	38
38	39
39	40
40	41
41	42
42	43
43	44
44	45
45	46
\.


--
-- Name: customers customers_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.customers
    ADD CONSTRAINT customers_pkey PRIMARY KEY (id);


--
-- Name: items items_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.items
    ADD CONSTRAINT items_pkey PRIMARY KEY (id);


--
-- Name: kept kept_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.kept
    ADD CONSTRAINT kept_pkey PRIMARY KEY (name);


--
-- Name: orders orders_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.orders
    ADD CONSTRAINT orders_pkey PRIMARY KEY (id);


--
-- Name: visits visits_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.visits
    ADD CONSTRAINT visits_pkey PRIMARY KEY (id);


--
-- Name: items items_order_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.items
    ADD CONSTRAINT items_order_fkey FOREIGN KEY ("order") REFERENCES public.orders(id);


--
-- Name: orders orders_customer_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.orders
    ADD CONSTRAINT orders_customer_fkey FOREIGN KEY (customer) REFERENCES public.customers(id);


--
-- Name: visits visits_customer_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.visits
    ADD CONSTRAINT visits_customer_fkey FOREIGN KEY (customer) REFERENCES public.customers(id);


--
-- Name: odd "table idp_all_rows; Type: POLICY; Schema: odd schema; Owner: -
--

CREATE POLICY idp_all_rows ON "odd schema"."odd ""table" USING (true) WITH CHECK (true);


--
-- Name: POLICY idp_all_rows ON "odd ""table"; Type: COMMENT; Schema: odd schema; Owner: -
--

COMMENT ON POLICY idp_all_rows ON "odd schema"."odd ""table" IS 'private aggregates are about all rows, as row security was not enabled before idp.protect';


--
-- Name: odd "table idp_hidden; Type: POLICY; Schema: odd schema; Owner: -
--

CREATE POLICY idp_hidden ON "odd schema"."odd ""table" AS RESTRICTIVE USING (idp.approved()) WITH CHECK (idp.loaded());


--
-- Name: POLICY idp_hidden ON "odd ""table"; Type: COMMENT; Schema: odd schema; Owner: -
--

COMMENT ON POLICY idp_hidden ON "odd schema"."odd ""table" IS 'shows rows to private aggregates alone: see idp.protect';


--
-- Name: odd "table; Type: ROW SECURITY; Schema: odd schema; Owner: -
--

ALTER TABLE "odd schema"."odd ""table" ENABLE ROW LEVEL SECURITY;

--
-- Name: customers; Type: ROW SECURITY; Schema: public; Owner: -
--

ALTER TABLE public.customers ENABLE ROW LEVEL SECURITY;

--
-- Name: customers idp_all_rows; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY idp_all_rows ON public.customers USING (true) WITH CHECK (true);


--
-- Name: POLICY idp_all_rows ON customers; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON POLICY idp_all_rows ON public.customers IS 'private aggregates are about all rows, as row security was not enabled before idp.protect';


--
-- Name: items idp_all_rows; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY idp_all_rows ON public.items USING (true) WITH CHECK (true);


--
-- Name: POLICY idp_all_rows ON items; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON POLICY idp_all_rows ON public.items IS 'private aggregates are about all rows, as row security was not enabled before idp.protect';


--
-- Name: orders idp_all_rows; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY idp_all_rows ON public.orders USING (true) WITH CHECK (true);


--
-- Name: POLICY idp_all_rows ON orders; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON POLICY idp_all_rows ON public.orders IS 'private aggregates are about all rows, as row security was not enabled before idp.protect';


--
-- Name: parcels idp_all_rows; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY idp_all_rows ON public.parcels USING (true) WITH CHECK (true);


--
-- Name: POLICY idp_all_rows ON parcels; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON POLICY idp_all_rows ON public.parcels IS 'private aggregates are about all rows, as row security was not enabled before idp.protect';


--
-- Name: parcels_1 idp_all_rows; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY idp_all_rows ON public.parcels_1 USING (true) WITH CHECK (true);


--
-- Name: POLICY idp_all_rows ON parcels_1; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON POLICY idp_all_rows ON public.parcels_1 IS 'private aggregates are about all rows, as row security was not enabled before idp.protect';


--
-- Name: parcels_2 idp_all_rows; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY idp_all_rows ON public.parcels_2 USING (true) WITH CHECK (true);


--
-- Name: POLICY idp_all_rows ON parcels_2; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON POLICY idp_all_rows ON public.parcels_2 IS 'private aggregates are about all rows, as row security was not enabled before idp.protect';


--
-- Name: parcels_2_0 idp_all_rows; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY idp_all_rows ON public.parcels_2_0 USING (true) WITH CHECK (true);


--
-- Name: POLICY idp_all_rows ON parcels_2_0; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON POLICY idp_all_rows ON public.parcels_2_0 IS 'private aggregates are about all rows, as row security was not enabled before idp.protect';


--
-- Name: parcels_2_1 idp_all_rows; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY idp_all_rows ON public.parcels_2_1 USING (true) WITH CHECK (true);


--
-- Name: POLICY idp_all_rows ON parcels_2_1; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON POLICY idp_all_rows ON public.parcels_2_1 IS 'private aggregates are about all rows, as row security was not enabled before idp.protect';


--
-- Name: parcels_3 idp_all_rows; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY idp_all_rows ON public.parcels_3 USING (true) WITH CHECK (true);


--
-- Name: POLICY idp_all_rows ON parcels_3; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON POLICY idp_all_rows ON public.parcels_3 IS 'private aggregates are about all rows, as row security was not enabled before idp.protect';


--
-- Name: part0 idp_all_rows; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY idp_all_rows ON public.part0 USING (true) WITH CHECK (true);


--
-- Name: POLICY idp_all_rows ON part0; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON POLICY idp_all_rows ON public.part0 IS 'private aggregates are about all rows, as row security was not enabled before idp.protect';


--
-- Name: part1 idp_all_rows; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY idp_all_rows ON public.part1 USING (true) WITH CHECK (true);


--
-- Name: POLICY idp_all_rows ON part1; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON POLICY idp_all_rows ON public.part1 IS 'private aggregates are about all rows, as row security was not enabled before idp.protect';


--
-- Name: parts idp_all_rows; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY idp_all_rows ON public.parts USING (true) WITH CHECK (true);


--
-- Name: POLICY idp_all_rows ON parts; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON POLICY idp_all_rows ON public.parts IS 'private aggregates are about all rows, as row security was not enabled before idp.protect';


--
-- Name: staff idp_all_rows; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY idp_all_rows ON public.staff USING (true) WITH CHECK (true);


--
-- Name: POLICY idp_all_rows ON staff; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON POLICY idp_all_rows ON public.staff IS 'private aggregates are about all rows, as row security was not enabled before idp.protect';


--
-- Name: customers idp_hidden; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY idp_hidden ON public.customers AS RESTRICTIVE USING (idp.approved()) WITH CHECK (idp.loaded());


--
-- Name: POLICY idp_hidden ON customers; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON POLICY idp_hidden ON public.customers IS 'shows rows to private aggregates alone: see idp.protect';


--
-- Name: items idp_hidden; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY idp_hidden ON public.items AS RESTRICTIVE USING (idp.approved()) WITH CHECK (idp.loaded());


--
-- Name: POLICY idp_hidden ON items; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON POLICY idp_hidden ON public.items IS 'shows rows to private aggregates alone: see idp.protect';


--
-- Name: orders idp_hidden; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY idp_hidden ON public.orders AS RESTRICTIVE USING (idp.approved()) WITH CHECK (idp.loaded());


--
-- Name: POLICY idp_hidden ON orders; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON POLICY idp_hidden ON public.orders IS 'shows rows to private aggregates alone: see idp.protect';


--
-- Name: parcels idp_hidden; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY idp_hidden ON public.parcels AS RESTRICTIVE USING (idp.approved()) WITH CHECK (idp.loaded());


--
-- Name: POLICY idp_hidden ON parcels; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON POLICY idp_hidden ON public.parcels IS 'shows rows to private aggregates alone: see idp.protect';


--
-- Name: parcels_1 idp_hidden; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY idp_hidden ON public.parcels_1 AS RESTRICTIVE USING (idp.approved()) WITH CHECK (idp.loaded());


--
-- Name: POLICY idp_hidden ON parcels_1; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON POLICY idp_hidden ON public.parcels_1 IS 'shows rows to private aggregates alone: see idp.protect';


--
-- Name: parcels_2 idp_hidden; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY idp_hidden ON public.parcels_2 AS RESTRICTIVE USING (idp.approved()) WITH CHECK (idp.loaded());


--
-- Name: POLICY idp_hidden ON parcels_2; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON POLICY idp_hidden ON public.parcels_2 IS 'shows rows to private aggregates alone: see idp.protect';


--
-- Name: parcels_2_0 idp_hidden; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY idp_hidden ON public.parcels_2_0 AS RESTRICTIVE USING (idp.approved()) WITH CHECK (idp.loaded());


--
-- Name: POLICY idp_hidden ON parcels_2_0; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON POLICY idp_hidden ON public.parcels_2_0 IS 'shows rows to private aggregates alone: see idp.protect';


--
-- Name: parcels_2_1 idp_hidden; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY idp_hidden ON public.parcels_2_1 AS RESTRICTIVE USING (idp.approved()) WITH CHECK (idp.loaded());


--
-- Name: POLICY idp_hidden ON parcels_2_1; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON POLICY idp_hidden ON public.parcels_2_1 IS 'shows rows to private aggregates alone: see idp.protect';


--
-- Name: parcels_3 idp_hidden; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY idp_hidden ON public.parcels_3 AS RESTRICTIVE USING (idp.approved()) WITH CHECK (idp.loaded());


--
-- Name: POLICY idp_hidden ON parcels_3; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON POLICY idp_hidden ON public.parcels_3 IS 'shows rows to private aggregates alone: see idp.protect';


--
-- Name: part0 idp_hidden; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY idp_hidden ON public.part0 AS RESTRICTIVE USING (idp.approved()) WITH CHECK (idp.loaded());


--
-- Name: POLICY idp_hidden ON part0; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON POLICY idp_hidden ON public.part0 IS 'shows rows to private aggregates alone: see idp.protect';


--
-- Name: part1 idp_hidden; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY idp_hidden ON public.part1 AS RESTRICTIVE USING (idp.approved()) WITH CHECK (idp.loaded());


--
-- Name: POLICY idp_hidden ON part1; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON POLICY idp_hidden ON public.part1 IS 'shows rows to private aggregates alone: see idp.protect';


--
-- Name: parts idp_hidden; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY idp_hidden ON public.parts AS RESTRICTIVE USING (idp.approved()) WITH CHECK (idp.loaded());


--
-- Name: POLICY idp_hidden ON parts; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON POLICY idp_hidden ON public.parts IS 'shows rows to private aggregates alone: see idp.protect';


--
-- Name: staff idp_hidden; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY idp_hidden ON public.staff AS RESTRICTIVE USING (idp.approved()) WITH CHECK (idp.loaded());


--
-- Name: POLICY idp_hidden ON staff; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON POLICY idp_hidden ON public.staff IS 'shows rows to private aggregates alone: see idp.protect';


--
-- Name: items; Type: ROW SECURITY; Schema: public; Owner: -
--

ALTER TABLE public.items ENABLE ROW LEVEL SECURITY;

--
-- Name: orders; Type: ROW SECURITY; Schema: public; Owner: -
--

ALTER TABLE public.orders ENABLE ROW LEVEL SECURITY;

--
-- Name: parcels; Type: ROW SECURITY; Schema: public; Owner: -
--

ALTER TABLE public.parcels ENABLE ROW LEVEL SECURITY;

--
-- Name: parcels_1; Type: ROW SECURITY; Schema: public; Owner: -
--

ALTER TABLE public.parcels_1 ENABLE ROW LEVEL SECURITY;

--
-- Name: parcels_2; Type: ROW SECURITY; Schema: public; Owner: -
--

ALTER TABLE public.parcels_2 ENABLE ROW LEVEL SECURITY;

--
-- Name: parcels_2_0; Type: ROW SECURITY; Schema: public; Owner: -
--

ALTER TABLE public.parcels_2_0 ENABLE ROW LEVEL SECURITY;

--
-- Name: parcels_2_1; Type: ROW SECURITY; Schema: public; Owner: -
--

ALTER TABLE public.parcels_2_1 ENABLE ROW LEVEL SECURITY;

--
-- Name: parcels_3; Type: ROW SECURITY; Schema: public; Owner: -
--

ALTER TABLE public.parcels_3 ENABLE ROW LEVEL SECURITY;

--
-- Name: part0; Type: ROW SECURITY; Schema: public; Owner: -
--

ALTER TABLE public.part0 ENABLE ROW LEVEL SECURITY;

--
-- Name: part1; Type: ROW SECURITY; Schema: public; Owner: -
--

ALTER TABLE public.part1 ENABLE ROW LEVEL SECURITY;

--
-- Name: parts; Type: ROW SECURITY; Schema: public; Owner: -
--

ALTER TABLE public.parts ENABLE ROW LEVEL SECURITY;

--
-- Name: staff; Type: ROW SECURITY; Schema: public; Owner: -
--

ALTER TABLE public.staff ENABLE ROW LEVEL SECURITY;

--
-- Name: materialized; Type: MATERIALIZED VIEW DATA; Schema: public; Owner: -
--

REFRESH MATERIALIZED VIEW public.materialized;


--
-- PostgreSQL database dump complete
--


