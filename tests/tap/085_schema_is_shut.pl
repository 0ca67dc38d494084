# The tables of schema idp are for superusers, whatever roles may read all tables or have by default;
# and nothing that the extension is made of, or does while it is made, is of anybody else.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib $FindBin::RealBin;
use IdpTest;
use Test::More;

my $node = new_node('schema_is_shut', 'bare');
$node->safe_psql('postgres', <<'SQL');
CREATE ROLE mallory LOGIN;
CREATE ROLE reads_all LOGIN IN ROLE pg_read_all_data;
CREATE ROLE writes_all LOGIN IN ROLE pg_write_all_data, pg_read_all_data;
CREATE ROLE by_default LOGIN;
SQL

# In a schema where mallory may create: operators and functions that match better than the server's, for
# whatever types a statement of the extension may compare or pass on.
my $hostile = <<'SQL';
GRANT CREATE ON SCHEMA public TO mallory;
SET SESSION AUTHORIZATION mallory;
DO $$
DECLARE
  a text;
  b text;
  name text;
  types text[] := ARRAY['oid', 'regclass', 'regtype', 'regproc', 'regprocedure', 'regnamespace', 'regrole',
    'smallint', 'integer',
    'bigint', 'numeric', 'float8', 'text', 'name', '"char"', 'boolean', 'timestamptz', 'interval', 'uuid', 'oid[]',
    'text[]', 'name[]'];
  spy text := 'LANGUAGE plpgsql AS ''BEGIN RAISE EXCEPTION $m$ran code of others$m$; END''';
BEGIN
  FOREACH a IN ARRAY types LOOP
    FOREACH b IN ARRAY types LOOP
      EXECUTE format('CREATE FUNCTION public.spy(%s, %s) RETURNS boolean %s', a, b, spy);
      FOREACH name IN ARRAY ARRAY['=', '<>', '<', '>', '<=', '>=', '&&', '||', '+', '-', '@>', '~'] LOOP
        EXECUTE format('CREATE OPERATOR public.%s (LEFTARG = %s, RIGHTARG = %s, FUNCTION = public.spy)', name, a, b);
      END LOOP;
    END LOOP;
    FOREACH name IN ARRAY ARRAY['unnest', 'array_agg', 'format', 'aclexplode', 'replace', 'array_to_string',
        'format_type', 'json_each',
        'pg_partition_ancestors', 'pg_has_role', 'obj_description', 'quote_ident', 'max', 'min',
        'pg_get_function_arguments'] LOOP
      EXECUTE format('CREATE FUNCTION public.%I(%s) RETURNS %2$s %s', name, a, spy);
      EXECUTE format('CREATE FUNCTION public.%I(text, %s) RETURNS text %s', name, a, spy);
    END LOOP;
  END LOOP;
  FOR n IN 3 .. 10 LOOP
    EXECUTE format('CREATE FUNCTION public.format(%s) RETURNS text %s',
      array_to_string(array_fill('text'::text, ARRAY[n]), ', '), spy);
  END LOOP;
END
$$;
RESET SESSION AUTHORIZATION;
SET search_path = pg_catalog, pg_temp;
SQL

# What the superuser grants by default.
my $defaults = <<'SQL';
ALTER DEFAULT PRIVILEGES GRANT ALL ON TABLES TO by_default;
ALTER DEFAULT PRIVILEGES GRANT ALL ON TABLES TO PUBLIC;
ALTER DEFAULT PRIVILEGES GRANT EXECUTE ON FUNCTIONS TO by_default;
ALTER DEFAULT PRIVILEGES GRANT ALL ON SCHEMAS TO by_default;
SQL

my $members = "SELECT classid, objid FROM pg_depend WHERE refclassid = 'pg_extension'::regclass AND deptype = 'e' "
  . "AND refobjid = (SELECT oid FROM pg_extension WHERE extname = 'idp')";
my $of_others = <<"SQL";
WITH member AS (
  $members
  UNION SELECT 'pg_rewrite'::regclass, r.oid FROM pg_rewrite r JOIN ($members) m ON m.classid = 'pg_class'::regclass
  AND m.objid = r.ev_class
  UNION SELECT 'pg_constraint'::regclass, c.oid FROM pg_constraint c
  JOIN ($members) m ON m.classid = 'pg_class'::regclass AND m.objid = c.conrelid
  UNION SELECT 'pg_attrdef'::regclass, a.oid FROM pg_attrdef a JOIN ($members) m ON m.classid = 'pg_class'::regclass
  AND m.objid = a.adrelid
  UNION SELECT 'pg_type'::regclass, t.oid FROM pg_type t JOIN ($members) m ON m.classid = 'pg_type'::regclass
  AND m.objid = t.typelem
    OR m.classid = 'pg_class'::regclass AND m.objid = t.typrelid)
SELECT DISTINCT pg_describe_object(d.classid, d.objid,
  0) || ' depends on ' || pg_describe_object(d.refclassid, d.refobjid, 0)
FROM pg_depend d JOIN member m USING (classid, objid)
WHERE d.refobjid >= 16384  -- not of the server
  AND NOT EXISTS (SELECT FROM member o WHERE o.classid = d.refclassid AND o.objid = d.refobjid)
  AND NOT (d.refclassid = 'pg_extension'::regclass AND d.deptype = 'e')
  AND NOT (d.refclassid = 'pg_namespace'::regclass AND d.refobjid = (SELECT extnamespace FROM pg_extension
    WHERE extname = 'idp'))
SQL

my %made = (
	created => ['CREATE EXTENSION idp SCHEMA public'],
	updated => [ "CREATE EXTENSION idp VERSION '0.2.0'", 'ALTER EXTENSION idp UPDATE' ],);
foreach my $way (sort keys %made)
{
	my @steps = @{ $made{$way} };
	my $last = pop @steps;
	$node->safe_psql('postgres', "CREATE DATABASE $way TEMPLATE template0");
	my $s = session($node, $way);
	$s->value($_) foreach @steps, $hostile, $defaults;
	$s->value('GRANT SELECT ON idp.chain TO by_default') if @steps;
	my $r = $s->run($last);
	is($r->{message} // '', '', "$way: runs nothing of others");
	is($s->value($of_others), '', "$way: depends on nothing of others");

	# the views are read, and triggers run
	$s->value("CREATE TABLE public.staff AS SELECT 5 AS wage FROM generate_series(1, 9); "
		  . "SELECT idp.protect('public.staff', 100)");
	$s->value("GRANT SELECT ON public.staff TO by_default; GRANT USAGE ON SCHEMA idp TO PUBLIC");
	$s->value("CREATE TABLE public.parts (wage int) PARTITION BY LIST (wage); SELECT idp.protect('public.parts', 1, "
		  . "per => 'partition'); CREATE TABLE public.part PARTITION OF public.parts DEFAULT");
	is($s->value("SELECT public.dp_count(50, 'n') FROM public.staff"), 9, "$way: a release");
	$s->value("SELECT idp.share('n', 'by_default', 50); SELECT idp.set_domain('public.staff', 'wage', ARRAY[5])");
	foreach my $view ('releases', 'budget', 'ledger', 'shares', 'domains')
	{
		is($s->value("SELECT count(*) > 0 FROM idp.$view"), 't', "$way: idp.$view");
	}
	is($s->value("SET ROLE by_default; SELECT answer FROM idp.shared; RESET ROLE"), 9, "$way: idp.shared");
	is($s->value('DROP TABLE public.part; SELECT count(*) FROM idp.budget'), 3, "$way: DROP TABLE");

	# no rights
	is($s->value("SELECT count(*) FROM pg_class c JOIN ($members) m ON m.objid = c.oid "
		  . "WHERE c.relkind = 'r' AND NOT c.relrowsecurity"), 0,
		"$way: every table has row level security");
	is($s->value("SELECT string_agg(c.oid::regclass || ' ' || p, ', ') FROM pg_class c "
			  . "JOIN ($members) m ON m.objid = c.oid, "
			  . "unnest(ARRAY['SELECT', 'INSERT', 'UPDATE', 'DELETE', 'TRUNCATE', 'REFERENCES', 'TRIGGER']) p, "
			  . "unnest(ARRAY['by_default', 'public']) r (name) "
			  . "WHERE has_table_privilege(r.name, c.oid, p) AND NOT (c.relkind = 'v' AND p = 'SELECT')"), '',
		"$way: no default privileges of tables");
	is($s->value("SELECT string_agg(p::text, ', ') "
			  . "FROM unnest(ARRAY['idp.forget_table(oid, text, text)', 'idp.hide_rows(regclass)', "
			  . "'idp.show_rows(regclass)', 'idp.add_shares(regclass, boolean)']::regprocedure[]) p "
			  . "WHERE has_function_privilege('by_default', p, 'EXECUTE')"),
		'', "$way: nor of functions that the extension keeps to itself");
	is($s->value("SELECT has_schema_privilege('by_default', 'idp', 'CREATE'), "
		  . "has_schema_privilege('by_default', 'idp', 'USAGE')"), 'f|t',
		"$way: nor to create in schema idp");
	is($s->value("SELECT has_function_privilege('by_default', 'public.dp_count(float8)', 'EXECUTE')"), 't',
		"$way: others stay");

	# whoever reads, or writes, all tables
	my @tables = split /\n/, $s->value("SELECT c.oid::regclass FROM pg_class c JOIN ($members) m ON m.objid = c.oid "
		  . "WHERE c.relkind = 'r' ORDER BY 1");
	cmp_ok(scalar @tables, '>=', 10, "$way: tables");
	isnt($s->value('SELECT count(*) FROM idp.chain_level'), 0, "$way: with rows");
	foreach my $table (@tables)
	{
		is($s->value("SET ROLE reads_all; SELECT count(*) FROM $table; RESET ROLE"), 0,
			"$way: pg_read_all_data finds no rows in $table");
		is($s->value("SET ROLE writes_all; WITH d AS (DELETE FROM $table RETURNING 1) SELECT count(*) "
			  . "FROM d; RESET ROLE"), 0, "$way: pg_write_all_data deletes none");
	}
	is($s->run("SET ROLE writes_all; INSERT INTO idp.trusted_function VALUES ('abs(int)')")->{sqlstate}, '42501',
		"$way: nor inserts any");
	is($s->value('RESET ROLE; SELECT count(*) FROM idp.account'), 3, "$way: all are there still");

	# what the server tells everybody
	my @telling = ('pg_stat_get_numscans(1)', 'pg_stat_get_tuples_fetched(1)', 'pg_stat_get_xact_tuples_fetched(1)',
		'pg_stat_get_db_temp_bytes(1)',
		'pg_stat_get_wal()', 'pg_tablespace_size(1663)', "pg_tablespace_size('pg_default')", 'pg_database_size(1)',
		"pg_database_size('postgres')", 'pg_current_wal_lsn()', 'pg_current_wal_insert_lsn()',
		'pg_current_wal_flush_lsn()', 'pg_control_checkpoint()', 'pg_lock_status()', "currtid2('pg_class', '(0,1)')",
		"pg_logical_emit_message(false, '', '')", 'pg_get_replication_slots()', 'pg_control_recovery()',
		"pg_get_multixact_members('1')");
	push @telling, 'pg_available_wal_summaries()', "pg_wal_summary_contents(1, '0/1', '0/2')",
	  'pg_get_wal_summarizer_state()'
	  if $major >= 17;
	my $allowed = sub { my ($r) = @_; return ($r->{sqlstate} // '') ne '42501' };
	is(join(', ', grep { !$allowed->($s->run("SET ROLE by_default; SELECT count(*) FROM pg_catalog.$_")) } @telling),
		'', "$way: open before");
	is($s->run('SELECT idp.close_side_channels()')->{sqlstate}, '42501', "$way: for superusers");
	$s->value('RESET ROLE');
	like($s->value('SELECT idp.close_side_channels()'),
		qr/^currtid2\(text,tid\)\n.*\npg_stat_get_tuples_returned\(oid\)\n/s, "$way: closed");
	is($s->value('SELECT idp.close_side_channels()'), '', "$way: once");
	is(join(', ', grep { $allowed->($s->run("SET ROLE by_default; SELECT count(*) FROM pg_catalog.$_")) } @telling), '',
		"$way: for everybody else");
	is($s->value("SELECT string_agg(oid::regprocedure::text, ' ') FROM pg_proc "
			  . "WHERE provolatile <> 'i' AND has_function_privilege('by_default', oid, 'EXECUTE') "
			  . "AND pg_get_function_arguments(oid) || coalesce(pg_get_function_result(oid), '') ~ 'pg_lsn(?!\\[\\])'"),
		'', "$way: nor is a place in the log shown");
	is($s->value("SELECT count(*) > 0 FROM pg_stat_activity"), 't', "$way: what is going on is still shown");
	$s->value('RESET ROLE');
	$s->quit;
}

$node->stop;
done_testing();
