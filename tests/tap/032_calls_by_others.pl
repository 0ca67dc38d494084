# Other modules call our functions for aggregates of their own, as worker_partial_agg of Citus does. Over a
# protected table they get nothing; over others what they did get.
use strict;
use warnings FATAL => 'all';

use Cwd qw(abs_path);
use FindBin;
use lib $FindBin::RealBin;
use IdpTest;
use LedgerTest;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = new_node('calls_by_others');

# A module with a transition function that calls the one it is told, for the aggregate that runs.
my $module = abs_path($node->basedir) . '/caller';
append_to_file("$module.c", <<'C');
#include "postgres.h"
#include "fmgr.h"
PG_MODULE_MAGIC;
PG_FUNCTION_INFO_V1(call_other);
Datum call_other(PG_FUNCTION_ARGS)
{
	LOCAL_FCINFO(other, 16);
	FmgrInfo   *function = fcinfo->flinfo->fn_extra;
	int			count = PG_NARGS() - 1;

	if (function == NULL)
	{
		function = MemoryContextAlloc(fcinfo->flinfo->fn_mcxt, sizeof *function);
		fmgr_info_cxt(PG_GETARG_OID(1), function, fcinfo->flinfo->fn_mcxt);
		fcinfo->flinfo->fn_extra = function;
	}
	InitFunctionCallInfoData(*other, function, count, fcinfo->fncollation, fcinfo->context, NULL);
	other->args[0] = fcinfo->args[0];
	for (int i = 1; i < count; i++)
		other->args[i] = fcinfo->args[i + 1];
	return FunctionCallInvoke(other);
}
C

my $pg_config = $ENV{PG_CONFIG} // 'pg_config';    # the one on the PATH may be a copy, without headers
chomp(my $headers = `$pg_config --includedir-server`);
is(system("cc -fPIC -shared -I $headers -o $module.so $module.c"), 0, 'the module compiles') or BAIL_OUT('no module');
chmod 0755, "$module.so";

my $s = session($node);
$s->value(<<"SQL");
CREATE FUNCTION call_rows(idp_state, oid, float8) RETURNS idp_state AS '$module', 'call_other' LANGUAGE C;
CREATE FUNCTION call_state(idp_state, oid, idp_state) RETURNS idp_state AS '$module', 'call_other' LANGUAGE C;
CREATE AGGREGATE rows_by_other(oid, float8) (SFUNC = call_rows, STYPE = idp_state, INITCOND = 'empty');
CREATE AGGREGATE states_by_other(oid, idp_state) (SFUNC = call_state, STYPE = idp_state, INITCOND = 'empty');
CREATE TABLE t AS SELECT i AS x FROM generate_series(1, 100) i;
CREATE TABLE states AS SELECT rows_by_other('idp.dp_count_accum(idp_state, float8)'::regprocedure::oid, 1) AS state
  FROM t;
SQL
my $of_rows = "SELECT rows_by_other('idp.dp_count_accum(idp_state, float8)'::regprocedure::oid, 1) IS NULL FROM";
my $of_states = "SELECT states_by_other('idp.combine(idp_state, idp_state)'::regprocedure::oid, state) IS NULL FROM";
my $both = "$of_states states CROSS JOIN t";
is($s->value("$of_rows t"), 'f', 'an open table: rows');
is($s->value($both), 'f', 'an open table: states');
$s->value("SELECT idp.protect('t', 10)");
foreach my $sql ("$of_rows t", "$of_rows (SELECT dp_count(1) FROM t) s, t", $both)
{
	my $r = $s->run($sql);
	is($r->{sqlstate}, '0A000', "refused: $sql") or diag $r->{out}, $r->{err};
	like($r->{message} // '', qr/cannot be charged here/, 'saying why');
}
is($s->value("$of_states states"), 'f', 'states of a table of states, as before');
like($s->value('SELECT dp_count(1) FROM t'), qr/^\d+$/, 'the aggregates of the extension answer');

# Every transition function there is, whatever the type of its column. Over an open table some fail
# for their arguments, which are made up by their types.
my $functions = $s->value(<<"SQL");
CREATE VIEW transition AS
  SELECT p.oid::regprocedure AS function, 'by_other_' || p.oid AS name,
  string_agg(quote_ident(tn.nspname) || '.' || quote_ident(t.typname), ', ' ORDER BY n) AS types,
    string_agg(CASE WHEN t.typname IN ('epsilons', '_float8') THEN '{0.5}' WHEN t.typcategory = 'A' THEN '{}'
      WHEN t.typcategory = 'N' THEN '1'
      WHEN t.typcategory = 'D' THEN '2000-01-01' WHEN t.typcategory = 'B' THEN 'true' WHEN t.typname = 'uuid' THEN
        '00000000-0000-0000-0000-000000000001' ELSE 'a' END, '|' ORDER BY n) AS arguments
  FROM pg_proc p, unnest(p.proargtypes) WITH ORDINALITY a (argument, n)
    JOIN pg_type t ON t.oid = a.argument JOIN pg_namespace tn ON tn.oid = t.typnamespace
  WHERE p.pronamespace = 'idp'::regnamespace AND p.proargtypes[0] = 'idp_state'::regtype
  AND p.prosrc LIKE '%\\_accum' AND n > 1
  GROUP BY p.oid;
DO \$\$
DECLARE f record;
BEGIN
  FOR f IN SELECT * FROM transition LOOP
    EXECUTE format('CREATE FUNCTION %s(idp_state, oid, %s) RETURNS idp_state AS %L, ''call_other'' LANGUAGE C', f.name,
      f.types, '$module');
    EXECUTE format('CREATE AGGREGATE %s(oid, %s) (SFUNC = %1\$s, STYPE = idp_state, INITCOND = ''empty'')', f.name,
      f.types);
  END LOOP;
END\$\$;
CREATE FUNCTION answered("table" regclass) RETURNS SETOF text LANGUAGE plpgsql AS \$\$
DECLARE
  f record;
BEGIN
  FOR f IN SELECT * FROM transition ORDER BY 1 LOOP
    BEGIN
      EXECUTE format('SELECT %s(%s, %s) FROM %s', f.name, f.function::oid,
        (SELECT string_agg(format('%L::%s', value, type), ', ' ORDER BY v.n)
           FROM unnest(string_to_array(f.arguments, '|')) WITH ORDINALITY v (value, n)
           JOIN unnest(string_to_array(f.types, ', ')) WITH ORDINALITY t (type, n) USING (n)), "table");
      RETURN NEXT f.function;
    EXCEPTION WHEN OTHERS THEN
      IF SQLERRM <> 'private answer of a protected table cannot be charged here' AND "table" = 't'::regclass THEN
        RETURN NEXT f.function || ': ' || SQLERRM;
      END IF;
    END;
  END LOOP;
END\$\$;
SELECT count(*) FROM transition;
SQL
cmp_ok($functions, '>', 500, "$functions transition functions");
cmp_ok($s->value("SELECT count(*) FROM answered('states') a"), '>', $functions / 2, 'over an open table they collect');
is($s->value("SELECT string_agg(a, '; ') FROM answered('t') a"), '', 'over a protected one not one of them does');
$s->alive('at the end');
$s->quit;
$node->stop;
done_testing();
