# Administration runs statements with the rights of a superuser: nothing that the caller made takes
# part in them, whatever the search path.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib $FindBin::RealBin;
use IdpTest;
use Test::More;

my $node = new_node('search_path');
my $s = session($node);
$s->value(<<'SQL');
CREATE ROLE keeper LOGIN;
CREATE SCHEMA own AUTHORIZATION keeper;
SET SESSION AUTHORIZATION keeper;
SET search_path = own, pg_catalog;
CREATE TABLE seen (what text, who name);
CREATE TABLE t AS SELECT 1 AS x;
SQL
# every operator and function that a statement of administration may name
foreach my $operator ([ '=', 'regclass' ], [ '=', 'oid' ], [ '=', 'text' ], [ '=', 'integer' ], [ '=', 'name' ],
	[ '+', 'integer' ])
{
	my ($name, $type) = @$operator;
	my $result = $name eq '+' ? $type : 'boolean';
	my $value = $name eq '+' ? '1000' : 'true';
	my $function = 'spy_' . ($name eq '+' ? 'plus' : 'equal') . "_$type";
	$s->value("CREATE FUNCTION $function($type, $type) RETURNS $result LANGUAGE plpgsql AS "
		  . "\$\$BEGIN INSERT INTO own.seen VALUES ('$name $type', current_user); RETURN $value; END\$\$;"
		  . "CREATE OPERATOR $name (LEFTARG = $type, RIGHTARG = $type, FUNCTION = $function)");
}
$s->value(q[CREATE FUNCTION clock_timestamp() RETURNS timestamptz LANGUAGE plpgsql AS $$BEGIN ]
	  . q[INSERT INTO own.seen VALUES ('clock', current_user); RETURN 'epoch'; END$$;]
	  . q[CREATE FUNCTION step(integer, integer) RETURNS integer LANGUAGE plpgsql AS $$BEGIN ]
	  . q[INSERT INTO own.seen VALUES ('max', current_user); RETURN 1000; END$$;]
	  . 'CREATE AGGREGATE max(integer) (SFUNC = step, STYPE = integer)');
my @steps = ("idp.protect('t', 10)", "idp.protect('t', 20, min_epsilon => 0.5)", "idp.relax('r', 2)",
	"idp.refresh('r')", "idp.drop_release('r')", "idp.unprotect('t')", "idp.protect('t', 30)");
foreach my $path ('own, pg_catalog', 'own', 'pg_catalog, own')
{
	foreach my $step (@steps)
	{
		$s->value("SET search_path = $path; TRUNCATE own.seen");
		$s->run("SELECT public.dp_count(1, 'r') FROM own.t");
		$s->run("SELECT $step");
		is($s->value("SELECT DISTINCT what || ' as ' || who FROM own.seen WHERE who OPERATOR(pg_catalog.<>) 'keeper' "
			  . "ORDER BY 1"), '', "search_path $path: $step runs nothing of the caller's");
	}
}
$s->value('RESET SESSION AUTHORIZATION; RESET search_path; SET search_path = own, pg_catalog, public; '
	  . 'TRUNCATE own.seen; DROP TABLE own.t');
is($s->value("SELECT count(*) FROM own.seen"), 0, 'nor does DROP TABLE');
$s->quit;
$node->stop;
done_testing();
