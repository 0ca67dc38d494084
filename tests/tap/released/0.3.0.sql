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
1	public.staff	public.staff	postgres	t	100	substitute	0.001	0.5	2026-11-22 20:38:45.372768+00	t	table	\N	\N	\N	\N
2	"odd schema"."odd ""table"	"odd schema"."odd ""table"	postgres	t	100	add_remove	\N	\N	2026-11-22 20:38:45.376231+00	t	table	\N	\N	\N	\N
4	public.parts	public.parts	postgres	t	100	substitute	\N	\N	2026-11-22 20:38:45.379234+00	t	table	\N	\N	\N	\N
5	public.left_alone	public.left_alone	postgres	f	100	substitute	\N	\N	2026-11-22 20:38:45.381178+00	t	table	\N	\N	\N	\N
3	\N	public.gone	postgres	t	50	substitute	\N	\N	2026-11-22 20:38:45.37779+00	t	table	\N	\N	\N	\N
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
4e1fc121-c76c-6d8a-b4b8-0f5cddfe5c4c	median wage	689435817618323426	8a602da9-f58b-72e6-9f41-242cf1aab9ff	f	{1}	public.staff	public.staff	{public.staff}	idp_median	wage	numeric	2026-11-22 20:38:45.38417+00	postgres	\\x49445052010106000a000200013fb999999999999a3fe00000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000002000000000000000001000206830000000101000132000101		{wage}
4d6bfec8-134e-cfbe-c238-6d453bc58ae2	count	-7868869494890853067	c21c9daf-a039-d870-474a-08e91d636714	f	{1}	public.staff	public.staff	{public.staff}	dp_count		bigint	2026-11-22 20:38:45.385071+00	postgres	\\x494450520108000000000000013fb999999999999a000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000020000000000000000010001630000000101000101000101		{x,wage}
8fe1dead-2b7b-963a-e96f-d3505041ef5a	histogram '"\\\n	-4536117280174864008	04c9680e-6238-1c6b-f144-ef86ad9ea5eb	f	{1}	public.staff	public.staff	{public.staff}	dp_histogram	x	bigint[]	2026-11-22 20:38:45.385124+00	postgres	\\x494450520117020000000000013fb999999999999a0000000000000000000000000000000a00000000000000000000000000000000000000000000000000000000000000630200000000000000000a00010900010a00010a00010a00010a00010a00010a00010a00010a00010a0000000101000102000101		{x,wage}
7237f60a-fbd6-f446-9fef-6717546e253b	median	-7695913736348631813	784d8108-1811-2bb1-7f30-55b841ad6fa3	f	{1}	public.staff	public.staff	{public.staff}	idp_median	(x)::double precision	double precision	2026-11-22 20:38:45.385194+00	postgres	\\x494450520101050000000000013fb999999999999a3fe0000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000200040a0010495c366afe06400d0abaeb30177d11b600000001000632000000000000000001010006010000000000000101		{x,wage}
7ddc0ce0-77ce-cd48-4465-c7a21494ad0a	groups	-340222727798620583	ca916373-df25-6307-9ee9-4e0f06c2d1c0	f	{1}	public.staff	public.staff	{public.staff}	idp_avg	x	numeric	2026-11-22 20:38:45.385234+00	postgres	\\x49445052010f020000000000023fb999999999999a00000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000006402000000000000000001000806f05b59d3b20000000000010200072386f26fc10000000101000746b206a051814b000101		{x,wage}
b64e6aea-e887-e0e9-150f-e89a418b2335	sum	-4898235027273886480	eb12b73c-2963-2542-eff3-1c6226ce8fff	f	{1}	public.staff	public.staff	{public.staff}	dp_sum	wage	numeric	2026-11-22 20:38:45.385268+00	postgres	\\x49445052011206000a000200013fb999999999999a000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000fa0020000000000000000010003028488000000010100020fa0000101		{x,wage}
66a40d2a-62d0-9f1c-2b20-076b4fc3aac5	maximum	3901410962600900697	61f656bb-a81c-5a96-3c66-39dc6b538145	f	{1}	public.staff	public.staff	{public.staff}	idp_max	x	integer	2026-11-22 20:38:45.3853+00	postgres	\\x494450520104020000000000013fb999999999999a0000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000c8020000000000000000010001630000000101000165000101		{x,wage}
d9731c98-f7a2-5315-bd2f-3baa8fb2f76c	different	2035566178777781103	c32bb143-c618-9460-ee50-8820beca3822	f	{1}	public.staff	public.staff	{public.staff}	dp_count_distinct	x	bigint	2026-11-22 20:38:45.385328+00	postgres	\\x494450520116020000000000013fb999999999999a000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000020000000000000000010001630000000101000101000101		{x,wage}
ca1cfb6a-1751-be8c-d7bc-15dfb1bc1378	group 0	3641399776856072125	3d091d7b-f73d-9aa8-17bd-a3aa599405ce	t	{1}	public.staff	public.staff	{public.staff}	dp_count		bigint	2026-11-22 20:38:45.386274+00	postgres	\\x494450520108000000000000013fb999999999999a000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000020000000000000000010001210000000101000101000101	WHERE (g = 0)	{g,wage}
0834c336-0ab2-2927-fa8f-4cb246012f1c	wage of group 0	-6858197078790391265	72fff3f9-41cd-d8d8-4ad5-1deb3defb216	t	{1}	public.staff	public.staff	{public.staff}	idp_median	wage	numeric	2026-11-22 20:38:45.386321+00	postgres	\\x49445052010106000a000200013fc999999999999a3fe00000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000002000000000000000001000206a40000000101000164000101	WHERE (g = 0)	{g,wage}
739c0712-2e1c-e681-571d-688d27991881	group 2	-8384577560599008084	3d091d7b-f73d-9aa8-17bd-a3aa599405ce	t	{1}	public.staff	public.staff	{public.staff}	dp_count		bigint	2026-11-22 20:38:45.386349+00	postgres	\\x494450520108000000000000013fb999999999999a000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000020000000000000000010001210000000101000101000101	WHERE (g = 2)	{g,wage}
23f4adaf-b799-2003-2e00-1434e01dd83f	wage of group 2	2699468168871853720	72fff3f9-41cd-d8d8-4ad5-1deb3defb216	t	{1}	public.staff	public.staff	{public.staff}	idp_median	wage	numeric	2026-11-22 20:38:45.386368+00	postgres	\\x49445052010106000a000200013fc999999999999a3fe00000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000002000000000000000001000206830000000101000164000101	WHERE (g = 2)	{g,wage}
2d3820bf-5dfb-85cd-6d19-24f4e8022411	group 1	-5912783529081453945	3d091d7b-f73d-9aa8-17bd-a3aa599405ce	t	{1}	public.staff	public.staff	{public.staff}	dp_count		bigint	2026-11-22 20:38:45.386387+00	postgres	\\x494450520108000000000000013fb999999999999a000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000020000000000000000010001210000000101000101000101	WHERE (g = 1)	{g,wage}
4c92173a-8c30-f851-cbfb-866bbad2b188	wage of group 1	5574011683769034803	72fff3f9-41cd-d8d8-4ad5-1deb3defb216	t	{1}	public.staff	public.staff	{public.staff}	idp_median	wage	numeric	2026-11-22 20:38:45.386405+00	postgres	\\x49445052010106000a000200013fc999999999999a3fe00000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000002000000000000000001000206610000000101000164000101	WHERE (g = 1)	{g,wage}
7573b2f5-d9fd-54f8-55f8-a41192dc116a	some	-579069493081232566	5e75c059-2ff4-2856-717e-693d0662cf3a	f	{1}	public.staff	public.staff	{public.staff}	dp_count		bigint	2026-11-22 20:38:45.386769+00	postgres	\\x494450520108000000000000013fb999999999999a000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000020000000000000000010001280000000101000101000101	WHERE (x <= 40)	{x}
42203ccf-9dfc-a5e7-a0fb-cc986246606b	suppressed	2903582214841033305	0ec68394-20cf-857c-8573-57c0d9710e55	f	{1}	public.staff	public.staff	{public.staff}	idp_median	x	integer	2026-11-22 20:38:45.387032+00	postgres	\\x494450520101020000000000013fb999999999999a3fe000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000	WHERE (x < 2)	{x}
c0669df1-464a-d77e-0c3a-900a49511321	odd	-4823158354410053860	e78a290f-9fa4-9002-9df6-0139a5f9134c	f	{2}	"odd schema"."odd ""table"	"odd schema"."odd ""table"	{"\\"odd schema\\".\\"odd \\"\\"table\\""}	dp_sum	x	bigint	2026-11-22 20:38:45.387279+00	postgres	\\x494450520112020000000000013fb999999999999a00000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000006302000000000000000001000213560000000101000163000101		{x}
7335d872-42e4-ed17-4cdf-a363f9027128	parts	3867794261721835111	d713ed86-9b1a-248f-f567-80b00f6ab535	f	{4}	public.parts	public.parts	{public.part0,public.part1}	dp_count		bigint	2026-11-22 20:38:45.387726+00	postgres	\\x494450520108000000000000013fb999999999999a000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000020000000000000000010001630000000101000101000101		{}
1e045cbc-76a5-d801-976a-0ba34db36f45	left alone	-2247219896725101681	62f76dc7-5c2d-1708-ba01-950b39093331	f	{5}	public.left_alone	public.left_alone	{public.left_alone}	dp_count		bigint	2026-11-22 20:38:45.388274+00	postgres	\\x494450520108000000000000013fb999999999999a000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000020000000000000000010001630000000101000101000101		{}
f041cd5d-098e-45a8-80ae-b201600c7bd9	no table	-8075558852200275935	6b65fa2c-6ce0-16c2-a767-8923eeb61ce3	f	{}	\N	\N	{}	dp_count		bigint	2026-11-22 20:38:45.388409+00	postgres	\\x494450520108000000000000013fb999999999999a000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000020000000000000000010001320000000101000101000101	FROM function generate_series(1, 50) r	\N
873f3a9d-60c7-c559-e268-27d44b6f204a	again	1397355621601284947	668a3a14-9d17-45b1-540a-d132ea52f3d2	f	{1}	public.staff	public.staff	{public.staff}	dp_count		bigint	2026-11-22 20:38:45.388748+00	postgres	\N		{}
9b602714-3bca-d33f-99e5-2212bc734fd7	gone median	-3590249081769497139	af3beb99-6ed1-9f28-ab00-ec7f19408c4f	f	{3}	\N	public.gone	{-}	idp_median	x	integer	2026-11-22 20:38:45.388056+00	postgres	\\x494450520101020000000000013fb999999999999a3fe000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000020000000000000000010001320000000101000101000101		{x}
93654298-f975-5c98-3ace-b45a3831aefc	gone	5963629676436052771	43b5cfcf-29f6-56ca-997f-4d49bdfde7b7	f	{3}	\N	public.gone	{-}	dp_count		bigint	2026-11-22 20:38:45.388016+00	postgres	\\x494450520108000000000000013fb999999999999a000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000020000000000000000010001630000000101000101000101		{x}
\.


--
-- Data for Name: chain_level; Type: TABLE DATA; Schema: idp; Owner: -
--

COPY idp.chain_level (chain, epsilons, noise, at, role) FROM stdin;
4e1fc121-c76c-6d8a-b4b8-0f5cddfe5c4c	{0.1}	\\x4944504e0100000001800104	2026-11-22 20:38:45.384368+00	postgres
4d6bfec8-134e-cfbe-c238-6d453bc58ae2	{0.1}	\\x4944504e010000000100010c	2026-11-22 20:38:45.385084+00	postgres
8fe1dead-2b7b-963a-e96f-d3505041ef5a	{0.1}	\\x4944504e010000000a80010a00011300011b00010880010480012700010500011a000109800105	2026-11-22 20:38:45.385131+00	postgres
7237f60a-fbd6-f446-9fef-6717546e253b	{0.1}	\\x4944504e0100000001000601607bca55d3	2026-11-22 20:38:45.385201+00	postgres
7ddc0ce0-77ce-cd48-4465-c7a21494ad0a	{0.1,0.2}	\\x4944504e010000000180070c8511b4539768	2026-11-22 20:38:45.38524+00	postgres
b64e6aea-e887-e0e9-150f-e89a418b2335	{0.1}	\\x4944504e010000000180023e2b	2026-11-22 20:38:45.385274+00	postgres
66a40d2a-62d0-9f1c-2b20-076b4fc3aac5	{0.1}	\\x4944504e01000000010002024d	2026-11-22 20:38:45.385306+00	postgres
d9731c98-f7a2-5315-bd2f-3baa8fb2f76c	{0.1}	\\x4944504e010000000100011c	2026-11-22 20:38:45.385335+00	postgres
4d6bfec8-134e-cfbe-c238-6d453bc58ae2	{0.5}	\\x4944504e0100000001000103	2026-11-22 20:38:45.385603+00	postgres
4d6bfec8-134e-cfbe-c238-6d453bc58ae2	{0.02}	\\x4944504e0100000001000120	2026-11-22 20:38:45.385657+00	postgres
4d6bfec8-134e-cfbe-c238-6d453bc58ae2	{0.3}	\\x4944504e0100000001000107	2026-11-22 20:38:45.385703+00	postgres
b64e6aea-e887-e0e9-150f-e89a418b2335	{0.7}	\\x4944504e010000000180023e2b	2026-11-22 20:38:45.385762+00	postgres
7ddc0ce0-77ce-cd48-4465-c7a21494ad0a	{0.4,0.5}	\\x4944504e01000000010007cf41417a3c1c58	2026-11-22 20:38:45.38583+00	postgres
7237f60a-fbd6-f446-9fef-6717546e253b	{0.05}	\\x4944504e0100000001800619d261998049	2026-11-22 20:38:45.385905+00	postgres
ca1cfb6a-1751-be8c-d7bc-15dfb1bc1378	{0.1}	\\x4944504e0100000001800102	2026-11-22 20:38:45.386285+00	postgres
0834c336-0ab2-2927-fa8f-4cb246012f1c	{0.2}	\\x4944504e010000000180020338	2026-11-22 20:38:45.386329+00	postgres
739c0712-2e1c-e681-571d-688d27991881	{0.1}	\\x4944504e0100000001000109	2026-11-22 20:38:45.386355+00	postgres
23f4adaf-b799-2003-2e00-1434e01dd83f	{0.2}	\\x4944504e010000000180011a	2026-11-22 20:38:45.386375+00	postgres
2d3820bf-5dfb-85cd-6d19-24f4e8022411	{0.1}	\\x4944504e010000000100012d	2026-11-22 20:38:45.386393+00	postgres
4c92173a-8c30-f851-cbfb-866bbad2b188	{0.2}	\\x4944504e01000000010001af	2026-11-22 20:38:45.386411+00	postgres
ca1cfb6a-1751-be8c-d7bc-15dfb1bc1378	{0.6}	\\x4944504e0100000001000102	2026-11-22 20:38:45.386559+00	postgres
739c0712-2e1c-e681-571d-688d27991881	{0.6}	\\x4944504e0100000001000102	2026-11-22 20:38:45.386571+00	postgres
2d3820bf-5dfb-85cd-6d19-24f4e8022411	{0.6}	\\x4944504e0100000001800101	2026-11-22 20:38:45.38658+00	postgres
7573b2f5-d9fd-54f8-55f8-a41192dc116a	{0.1}	\\x4944504e0100000001000101	2026-11-22 20:38:45.386778+00	postgres
42203ccf-9dfc-a5e7-a0fb-cc986246606b	{0.1}	\\x4944504e0100000000	2026-11-22 20:38:45.387041+00	postgres
c0669df1-464a-d77e-0c3a-900a49511321	{0.1}	\\x4944504e01000000010001ac	2026-11-22 20:38:45.387289+00	postgres
7335d872-42e4-ed17-4cdf-a363f9027128	{0.1}	\\x4944504e0100000001000103	2026-11-22 20:38:45.387735+00	postgres
93654298-f975-5c98-3ace-b45a3831aefc	{0.1}	\\x4944504e0100000001000108	2026-11-22 20:38:45.388025+00	postgres
9b602714-3bca-d33f-99e5-2212bc734fd7	{0.1}	\\x4944504e010000000180010f	2026-11-22 20:38:45.388064+00	postgres
1e045cbc-76a5-d801-976a-0ba34db36f45	{0.1}	\\x4944504e0100000001800101	2026-11-22 20:38:45.388283+00	postgres
f041cd5d-098e-45a8-80ae-b201600c7bd9	{0.1}	\\x4944504e0100000001000105	2026-11-22 20:38:45.38842+00	postgres
\.


--
-- Data for Name: charge; Type: TABLE DATA; Schema: idp; Owner: -
--

COPY idp.charge (account, entry, at, role, aggregate, epsilon, spent, release, family, family_epsilon, delta, delta_spent, outer_role, session_role) FROM stdin;
1	1	2026-11-22 20:38:45.383501+00	postgres	dp_count	0.25	0.25	\N	\N	\N	\N	\N	postgres	postgres
1	2	2026-11-22 20:38:45.384093+00	postgres	idp_median	0.1	0.35	median wage	8a602da9-f58b-72e6-9f41-242cf1aab9ff	0.1	\N	\N	postgres	postgres
1	3	2026-11-22 20:38:45.385048+00	postgres	dp_count	0.1	0.45	count	c21c9daf-a039-d870-474a-08e91d636714	0.1	\N	\N	postgres	postgres
1	4	2026-11-22 20:38:45.385103+00	postgres	dp_histogram	0.1	0.55	histogram '"\\\n	04c9680e-6238-1c6b-f144-ef86ad9ea5eb	0.1	\N	\N	postgres	postgres
1	5	2026-11-22 20:38:45.385181+00	postgres	idp_median	0.1	0.65	median	784d8108-1811-2bb1-7f30-55b841ad6fa3	0.1	\N	\N	postgres	postgres
1	6	2026-11-22 20:38:45.385222+00	postgres	idp_avg	0.1	0.75	groups	ca916373-df25-6307-9ee9-4e0f06c2d1c0	0.1	\N	\N	postgres	postgres
1	7	2026-11-22 20:38:45.385256+00	postgres	dp_sum	0.1	0.85	sum	eb12b73c-2963-2542-eff3-1c6226ce8fff	0.1	\N	\N	postgres	postgres
1	8	2026-11-22 20:38:45.385289+00	postgres	idp_max	0.1	0.95	maximum	61f656bb-a81c-5a96-3c66-39dc6b538145	0.1	\N	\N	postgres	postgres
1	9	2026-11-22 20:38:45.385317+00	postgres	dp_count_distinct	0.1	1.05	different	c32bb143-c618-9460-ee50-8820beca3822	0.1	\N	\N	postgres	postgres
1	10	2026-11-22 20:38:45.38555+00	postgres	dp_count	0.4	1.45	count	c21c9daf-a039-d870-474a-08e91d636714	0.5	\N	\N	postgres	postgres
1	11	2026-11-22 20:38:45.385744+00	postgres	dp_sum	0.6	2.05	sum	eb12b73c-2963-2542-eff3-1c6226ce8fff	0.7	\N	\N	postgres	postgres
1	12	2026-11-22 20:38:45.385807+00	postgres	idp_avg	0.3	2.35	groups	ca916373-df25-6307-9ee9-4e0f06c2d1c0	0.4	\N	\N	postgres	postgres
1	13	2026-11-22 20:38:45.386253+00	postgres	dp_count	0.2	2.55	group 0	3d091d7b-f73d-9aa8-17bd-a3aa599405ce	0.1	\N	\N	postgres	postgres
1	14	2026-11-22 20:38:45.38631+00	postgres	idp_median	0.4	2.95	wage of group 0	72fff3f9-41cd-d8d8-4ad5-1deb3defb216	0.2	\N	\N	postgres	postgres
1	15	2026-11-22 20:38:45.386538+00	postgres	dp_count	1.0	3.95	group 1	3d091d7b-f73d-9aa8-17bd-a3aa599405ce	0.6	\N	\N	postgres	postgres
1	16	2026-11-22 20:38:45.386753+00	postgres	dp_count	0.1	4.05	some	5e75c059-2ff4-2856-717e-693d0662cf3a	0.1	\N	\N	postgres	postgres
1	17	2026-11-22 20:38:45.387017+00	postgres	idp_median	0.1	4.15	suppressed	0ec68394-20cf-857c-8573-57c0d9710e55	0.1	\N	\N	postgres	postgres
2	1	2026-11-22 20:38:45.387262+00	postgres	dp_sum	0.1	0.1	odd	e78a290f-9fa4-9002-9df6-0139a5f9134c	0.1	\N	\N	postgres	postgres
4	1	2026-11-22 20:38:45.387708+00	postgres	dp_count	0.1	0.1	parts	d713ed86-9b1a-248f-f567-80b00f6ab535	0.1	\N	\N	postgres	postgres
3	1	2026-11-22 20:38:45.387999+00	postgres	dp_count	0.1	0.1	gone	43b5cfcf-29f6-56ca-997f-4d49bdfde7b7	0.1	\N	\N	postgres	postgres
3	2	2026-11-22 20:38:45.388043+00	postgres	idp_median	0.1	0.2	gone median	af3beb99-6ed1-9f28-ab00-ec7f19408c4f	0.1	\N	\N	postgres	postgres
5	1	2026-11-22 20:38:45.388258+00	postgres	dp_count	0.1	0.1	left alone	62f76dc7-5c2d-1708-ba01-950b39093331	0.1	\N	\N	postgres	postgres
1	18	2026-11-22 20:38:45.388557+00	postgres	dp_count	0.1	4.25	again	871eff6e-b023-4927-7329-8dfd531a467d	0.1	\N	\N	postgres	postgres
1	19	2026-11-22 20:38:45.388903+00	postgres	dp_count	0.1	4.35	dropped	ae139b0d-2ccf-3902-85dd-c1f5f724f2f1	0.1	\N	\N	postgres	postgres
\.


--
-- Data for Name: domain; Type: TABLE DATA; Schema: idp; Owner: -
--

COPY idp.domain (relation, column_name, keys, lower, upper) FROM stdin;
\.


--
-- Data for Name: link; Type: TABLE DATA; Schema: idp; Owner: -
--

COPY idp.link (account, relation, name, owner, "column", parent) FROM stdin;
\.


--
-- Data for Name: role_limit; Type: TABLE DATA; Schema: idp; Owner: -
--

COPY idp.role_limit (account, role, budget) FROM stdin;
\.


--
-- Data for Name: share; Type: TABLE DATA; Schema: idp; Owner: -
--

COPY idp.share (chain, role, epsilons) FROM stdin;
\.


--
-- Data for Name: trusted_function; Type: TABLE DATA; Schema: idp; Owner: -
--

COPY idp.trusted_function (function) FROM stdin;
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
release: median wage at {0.1}	SELECT idp.relax('median wage', '0.1'::float8)	(16.63)
release: count at {0.1}	SELECT idp.relax('count', '0.1'::float8)	(111)
release: histogram '"\\\n at {0.1}	SELECT idp.relax(E'histogram ''"\\\\\n', '0.1'::float8)	("{-1,29,37,18,6,-29,15,36,19,5}")
release: median at {0.1}	SELECT idp.relax('median', '0.1'::float8)	(51.3768888911757)
release: groups at {0.1,0.2}	SELECT idp.relax('groups', '{0.1,0.2}'::float8[])	(49.6475989193156760)
release: sum at {0.1}	SELECT idp.relax('sum', '0.1'::float8)	(1490.85)
release: maximum at {0.1}	SELECT idp.relax('maximum', '0.1'::float8)	(688)
release: different at {0.1}	SELECT idp.relax('different', '0.1'::float8)	(127)
release: count at {0.5}	SELECT idp.relax('count', '0.5'::float8)	(102)
release: count at {0.02}	SELECT idp.relax('count', '0.02'::float8)	(131)
release: count at {0.3}	SELECT idp.relax('count', '0.3'::float8)	(106)
release: sum at {0.7}	SELECT idp.relax('sum', '0.7'::float8)	(1490.85)
release: groups at {0.4,0.5}	SELECT idp.relax('groups', '{0.4,0.5}'::float8[])	(55.8337069658545240)
release: median at {0.05}	SELECT idp.relax('median', '0.05'::float8)	(24.17819824808183)
release: group 0 at {0.1}	SELECT idp.relax('group 0', '0.1'::float8)	(31)
release: wage of group 0 at {0.2}	SELECT idp.relax('wage of group 0', '0.2'::float8)	(8.76)
release: group 2 at {0.1}	SELECT idp.relax('group 2', '0.1'::float8)	(42)
release: wage of group 2 at {0.2}	SELECT idp.relax('wage of group 2', '0.2'::float8)	(16.41)
release: group 1 at {0.1}	SELECT idp.relax('group 1', '0.1'::float8)	(78)
release: wage of group 1 at {0.2}	SELECT idp.relax('wage of group 1', '0.2'::float8)	(18.08)
release: group 0 at {0.6}	SELECT idp.relax('group 0', '0.6'::float8)	(35)
release: group 2 at {0.6}	SELECT idp.relax('group 2', '0.6'::float8)	(35)
release: group 1 at {0.6}	SELECT idp.relax('group 1', '0.6'::float8)	(32)
release: some at {0.1}	SELECT idp.relax('some', '0.1'::float8)	(41)
release: suppressed at {0.1}	SELECT idp.relax('suppressed', '0.1'::float8)	()
release: odd at {0.1}	SELECT idp.relax('odd', '0.1'::float8)	(5122)
release: parts at {0.1}	SELECT idp.relax('parts', '0.1'::float8)	(102)
release: gone at {0.1}	SELECT idp.relax('gone', '0.1'::float8)	(107)
release: gone median at {0.1}	SELECT idp.relax('gone median', '0.1'::float8)	(35)
release: left alone at {0.1}	SELECT idp.relax('left alone', '0.1'::float8)	(98)
release: no table at {0.1}	SELECT idp.relax('no table', '0.1'::float8)	(55)
asked again: count	SELECT dp_count(0.1, 'count'), dp_count(0.5, 'count') FROM staff	(111,102)
asked again: median	SELECT idp_median(x::float8, 0.1, 'median') FROM staff	(51.3768888911757)
asked again: histogram	SELECT dp_histogram(x, 0.1, 0, 99, 10, E'histogram ''"\\\\\\n') FROM staff	("{-1,29,37,18,6,-29,15,36,19,5}")
asked again: groups	SELECT array_agg(c ORDER BY g) FROM (SELECT g, dp_count(0.1, 'group ' || g) AS c FROM staff GROUP BY g) s	("{31,78,42}")
asked again: some	SELECT dp_count(0.1, 'some') FROM staff WHERE x <= 40	(41)
asked again: a view	SELECT * FROM staff_median	(16.63)
asked again: suppressed	SELECT idp_median(x, 0.1, 'suppressed') FROM staff WHERE x < 2	()
asked again: parts	SELECT dp_count(0.1, 'parts') FROM parts	(102)
releases	SELECT array_agg((name, table_name, aggregate, column_name, epsilon, answer) ORDER BY name) FROM idp.releases WHERE name <> 'again'	("{""(count,staff,dp_count,\\\\""\\\\"",0.5,102)"",""(different,staff,dp_count_distinct,x,0.1,127)"",""(gone,public.gone,dp_count,\\\\""\\\\"",0.1,107)"",""(\\\\""gone median\\\\"",public.gone,idp_median,x,0.1,35)"",""(\\\\""group 0\\\\"",staff,dp_count,\\\\""\\\\"",0.6,35)"",""(\\\\""group 1\\\\"",staff,dp_count,\\\\""\\\\"",0.6,32)"",""(\\\\""group 2\\\\"",staff,dp_count,\\\\""\\\\"",0.6,35)"",""(groups,staff,idp_avg,x,0.4,55.8337069658545240)"",""(\\\\""histogram '\\\\""\\\\""\\\\\\\\\\\\\\\\\n\\\\"",staff,dp_histogram,x,0.1,\\\\""{-1,29,37,18,6,-29,15,36,19,5}\\\\"")"",""(\\\\""left alone\\\\"",left_alone,dp_count,\\\\""\\\\"",0.1,98)"",""(maximum,staff,idp_max,x,0.1,688)"",""(median,staff,idp_median,\\\\""(x)::double precision\\\\"",0.1,51.3768888911757)"",""(\\\\""median wage\\\\"",staff,idp_median,wage,0.1,16.63)"",""(\\\\""no table\\\\"",,dp_count,\\\\""\\\\"",0.1,55)"",""(odd,\\\\""\\\\""\\\\""odd schema\\\\""\\\\"".\\\\""\\\\""odd \\\\""\\\\""\\\\""\\\\""table\\\\""\\\\""\\\\"",dp_sum,x,0.1,5122)"",""(parts,parts,dp_count,\\\\""\\\\"",0.1,102)"",""(some,staff,dp_count,\\\\""\\\\"",0.1,41)"",""(sum,staff,dp_sum,wage,0.7,1490.85)"",""(suppressed,staff,idp_median,x,0.1,)"",""(\\\\""wage of group 0\\\\"",staff,idp_median,wage,0.2,8.76)"",""(\\\\""wage of group 1\\\\"",staff,idp_median,wage,0.2,18.08)"",""(\\\\""wage of group 2\\\\"",staff,idp_median,wage,0.2,16.41)""}")
budgets	SELECT array_agg((table_name, active, neighbours, min_epsilon, floor, total, spent, remaining) ORDER BY table_name) FROM idp.budget	("{""(\\\\""\\\\""\\\\""odd schema\\\\""\\\\"".\\\\""\\\\""odd \\\\""\\\\""\\\\""\\\\""table\\\\""\\\\""\\\\"",t,add_remove,,,100,0.1,99.9)"",""(left_alone,f,substitute,,,100,0.1,99.9)"",""(parts,t,substitute,,,100,0.1,99.9)"",""(public.gone,t,substitute,,,50,0.2,49.8)"",""(staff,t,substitute,0.001,0.5,100,4.35,95.65)""}")
ledger	SELECT array_agg((table_name, aggregate, epsilon, release) ORDER BY at, table_name, aggregate, epsilon, release) FROM idp.ledger	("{""(staff,dp_count,0.25,)"",""(staff,idp_median,0.1,\\\\""median wage\\\\"")"",""(staff,dp_count,0.1,count)"",""(staff,dp_histogram,0.1,\\\\""histogram '\\\\""\\\\""\\\\\\\\\\\\\\\\\n\\\\"")"",""(staff,idp_median,0.1,median)"",""(staff,idp_avg,0.1,groups)"",""(staff,dp_sum,0.1,sum)"",""(staff,idp_max,0.1,maximum)"",""(staff,dp_count_distinct,0.1,different)"",""(staff,dp_count,0.4,count)"",""(staff,dp_sum,0.6,sum)"",""(staff,idp_avg,0.3,groups)"",""(staff,dp_count,0.2,\\\\""group 0\\\\"")"",""(staff,idp_median,0.4,\\\\""wage of group 0\\\\"")"",""(staff,dp_count,1.0,\\\\""group 1\\\\"")"",""(staff,dp_count,0.1,some)"",""(staff,idp_median,0.1,suppressed)"",""(\\\\""\\\\""\\\\""odd schema\\\\""\\\\"".\\\\""\\\\""odd \\\\""\\\\""\\\\""\\\\""table\\\\""\\\\""\\\\"",dp_sum,0.1,odd)"",""(parts,dp_count,0.1,parts)"",""(public.gone,dp_count,0.1,gone)"",""(public.gone,idp_median,0.1,\\\\""gone median\\\\"")"",""(left_alone,dp_count,0.1,\\\\""left alone\\\\"")"",""(staff,dp_count,0.1,again)"",""(staff,dp_count,0.1,dropped)""}")
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
-- Name: kept kept_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.kept
    ADD CONSTRAINT kept_pkey PRIMARY KEY (name);


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


