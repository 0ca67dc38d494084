# The extension as an object: schemas, comments, privileges, declared properties, dropping and
# making it again, dump and restore.
use strict;
use warnings FATAL => 'all';

use Cwd qw(abs_path);
use FindBin;
use lib $FindBin::RealBin;
use IdpTest;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = new_node('schema', 'bare');

# The exact answer of a query as seen from a database, or the error.
sub answer
{
	my ($database, $sql) = @_;
	my $r = fresh_query($node, $sql, $database);
	return defined $r->{sqlstate} ? "$r->{sqlstate} $r->{message}" : $r->{out};
}
my $data = 'unnest(ARRAY[1, 5, 5, 5, 9]) x';

# --- Any schema ----------------------------------------------------------------------------------

foreach my $case (
	[ 'in_public', '', '', 'public' ],
	[ 'in_other', 'CREATE SCHEMA other', 'SCHEMA other', 'other' ],
	[ 'in_odd', 'CREATE SCHEMA "An odd;schema"', 'SCHEMA "An odd;schema"', '"An odd;schema"' ],
	[ 'in_percent', 'CREATE SCHEMA "100% s"', 'SCHEMA "100% s"', '"100% s"' ],
	[ 'in_idp', 'CREATE SCHEMA idp', 'SCHEMA idp', 'idp' ],)
{
	my ($database, $before, $where, $schema) = @$case;
	$node->safe_psql('postgres', "CREATE DATABASE $database TEMPLATE template0");
	$node->safe_psql($database, $before) if $before;
	foreach my $round (1 .. 2)
	{
		my $made = answer($database, "CREATE EXTENSION idp $where");
		is($made, '', "$database, round $round: CREATE EXTENSION $where");
		next if $made ne '';
		is(answer($database, "SELECT $schema.idp_median(x, 1), $schema.dp_count(1000), "
			  . "$schema.idp_max(x::numeric, 1, 20) IS NOT NULL FROM $data"),
			'5|5|t', "$database, round $round: qualified calls");
		is(answer($database,
			"SET search_path = $schema; SELECT idp_median(x, 1), idp_count_range(x, 1000, 2, 8) FROM $data"),
			'5|3', "$database, round $round: calls through search_path");
		is(answer($database,
			"SET search_path = pg_catalog; SELECT $schema.idp_median(x, 1), 'empty'::$schema.idp_state FROM $data"),
			'5|empty', "$database, round $round: nothing depends on search_path");
		is(answer($database, "SELECT count(*) FROM pg_depend d JOIN pg_extension e ON d.refobjid = e.oid "
				  . "JOIN pg_proc p ON p.oid = d.objid "
				  . "WHERE d.deptype = 'e' AND extname = 'idp' AND p.pronamespace NOT IN (to_regnamespace('idp'), "
				  . "(SELECT extnamespace FROM pg_extension WHERE extname = 'idp'))"),
			0, "$database, round $round: nothing lies elsewhere");
		next if $round == 2;
		is(answer($database, 'DROP EXTENSION idp'), '', "$database: DROP EXTENSION");
		is(answer($database, "SELECT count(*) FROM pg_proc WHERE proname ~ '^i?dp_'"), 0,
			"$database: no function stays");
		is(answer($database, "SELECT count(*) FROM pg_type WHERE typname LIKE '%idp_state'"), 0,
			"$database: no type stays");
		is(answer($database, "SELECT to_regnamespace('idp') IS NULL"), $database eq 'in_idp' ? 'f' : 't',
			"$database: schema idp goes with what made it");
	}
}

# not relocatable, and once per database
like(answer('in_public', 'ALTER EXTENSION idp SET SCHEMA pg_catalog'), qr/^0A000/, 'the extension is not relocatable');
like(answer('in_public', 'CREATE EXTENSION idp'), qr/^42710/, 'a second CREATE EXTENSION is refused');
is(answer('in_public', 'CREATE EXTENSION IF NOT EXISTS idp'), '', 'CREATE EXTENSION IF NOT EXISTS');

# in a session that has the library loaded already
my $s = session($node, 'in_public');
$s->value("SELECT idp_median(x, 1) FROM $data");
$s->value('DROP EXTENSION idp');
is($s->run("SELECT idp_median(x, 1) FROM $data")->{sqlstate}, '42883', 'dropped: the functions are gone');
$s->value('CREATE EXTENSION idp');
is($s->value("SELECT idp_median(x, 1) FROM $data"), '5', 'made again in the same session');
is($s->run("SELECT idp_median(x, -1) FROM $data")->{sqlstate}, '22023', 'arguments are still checked');

# what a user made of it keeps it from being dropped
$s->value('CREATE TABLE keeps (s idp_state)');
is($s->run('DROP EXTENSION idp')->{sqlstate}, '2BP01', 'DROP EXTENSION stops at a column of idp_state');
$s->value('DROP TABLE keeps');
is($s->run('DROP FUNCTION idp_median(int, float8)')->{sqlstate}, '42809', 'a member cannot be dropped as a function');
is($s->run('DROP AGGREGATE idp_median(int, float8)')->{sqlstate}, '2BP01', 'nor as an aggregate');

# --- Comments and properties ---------------------------------------------------------------------

my $members = "(SELECT objid, classid FROM pg_depend WHERE refclassid = 'pg_extension'::regclass AND deptype = 'e' "
  . "AND refobjid = (SELECT oid FROM pg_extension WHERE extname = 'idp'))";
is($s->value("SELECT string_agg(p.oid::regprocedure::text, ', ') FROM pg_proc p "
		  . "JOIN $members m ON m.objid = p.oid AND m.classid = 'pg_proc'::regclass "
		  . "WHERE obj_description(p.oid, 'pg_proc') IS NULL"), '', 'every function and aggregate has a comment');
is($s->value("SELECT string_agg(t.oid::regtype::text, ', ') FROM pg_type t "
		  . "JOIN $members m ON m.objid = t.oid AND m.classid = 'pg_type'::regclass "
		  . "WHERE obj_description(t.oid, 'pg_type') IS NULL AND t.typelem = 0 AND t.typrelid = 0"), '',
	'every type has a comment');
isnt($s->value("SELECT obj_description('idp'::regnamespace, 'pg_namespace')"), '', 'the schema has a comment');
isnt($s->value("SELECT obj_description(oid, 'pg_extension') FROM pg_extension WHERE extname = 'idp'"), '',
	'the extension has a comment');

is($s->value("SELECT count(*) FROM pg_aggregate a JOIN $members m ON m.objid = a.aggfnoid "
	  . "WHERE aggtranstype = 'idp_state'::regtype"), 2 * (9 * (2 * 6 + 15) + 6 * 17 + 3 * 11 + 2),
	'aggregates of nine types (six of them also for groups), of six, three of eleven, and of rows, '
	  . 'each with and without a release name');
my $named = "coalesce('release' = ANY (p.proargnames), false)";
is($s->value("SELECT string_agg(p.oid::regprocedure::text, ', ') FROM pg_proc p "
		  . "JOIN $members m ON m.objid = p.oid AND m.classid = 'pg_proc'::regclass "
		  . "WHERE proparallel <> CASE WHEN p.prokind = 'a' AND $named THEN 'r' WHEN prosrc ~ "
		  . "'^idp_(protect|add_shares|set_domain|drop_domain|limit_role|limit_left|limit_spent|unprotect|forget_table|"
		  . 'bind_columns|take_account|relax|refresh|drop_release|release_answer|chain_answer|share|read|link|unlink|'
		  . "cost|audit|forget_answers)' "
		  . "OR p.proname IN ('synthesize', 'synthesize_rows', 'set_domain', "
		  . "'hide_rows', 'show_rows', 'trust_function', 'distrust_function', 'close_side_channels') "
		  . "OR prorettype = 'event_trigger'::regtype THEN 'u' ELSE 's' END::\"char\""), '',
	'functions are PARALLEL SAFE, aggregates with a release name RESTRICTED, administration UNSAFE');
is($s->value("SELECT string_agg(a.aggfnoid::text, ', ') FROM pg_aggregate a JOIN $members m ON m.objid = a.aggfnoid "
		  . "JOIN pg_proc p ON p.oid = a.aggfnoid "
		  . "WHERE aggtranstype <> 'internal'::regtype "
		  . "AND ((aggcombinefn = 0) <> $named OR aggfinalfn = 0 OR aggfinalmodify <> 'w' OR agginitval <> 'empty' "
		  . "OR aggtranstype <> 'idp_state'::regtype OR aggkind <> 'n' OR aggmtransfn <> 0)"),
	'', 'all aggregates: combine function unless named, read-write final function, state idp_state, no moving form');
is($s->value("SELECT string_agg(p.oid::regprocedure::text, ', ') FROM pg_proc p "
		  . "JOIN pg_aggregate a ON p.oid = a.aggfinalfn JOIN $members m ON m.objid = a.aggfnoid "
		  . "WHERE provolatile <> 'v' AND a.aggtranstype <> 'internal'::regtype"), '',
	'whatever draws noise is volatile');
is($s->value("SELECT string_agg(a.aggfnoid::regprocedure::text, ', ') FROM pg_aggregate a JOIN $members m "
		  . "ON m.objid = a.aggfnoid JOIN pg_proc p ON p.oid = a.aggfnoid JOIN pg_proc t ON t.oid = a.aggtransfn "
		  . "WHERE t.prosrc !~ '_refused\$' AND (NOT t.proisstrict AND a.aggtranstype <> 'internal'::regtype "
		  . "OR p.proargtypes::text <> substr(t.proargtypes::text, strpos(t.proargtypes::text, ' ') + 1) "
		  . "OR p.proargnames::text IS DISTINCT FROM t.proargnames[2:]::text)"), '',
	'transition functions are strict and take the arguments of their aggregate by the same names');
is($s->value("SELECT count(DISTINCT t.oid) || ' of ' || count(*) FROM pg_aggregate a JOIN $members m "
		  . "ON m.objid = a.aggfnoid JOIN pg_proc p ON p.oid = a.aggfnoid JOIN pg_proc t ON t.oid = a.aggtransfn "
		  . "WHERE t.prosrc ~ '_refused\$' AND obj_description(p.oid, 'pg_proc') ~ '^always refused' "
		  . "AND p.proargnames::text = t.proargnames[2:]::text AND p.proargtypes[p.pronargs - 1] = 'text'::regtype"),
	'17 of 137', 'aggregates that refuse a name share one of each statistic');
is($s->value("SELECT string_agg(a.aggfnoid::regprocedure::text, ', ') FROM pg_aggregate a "
		  . "JOIN $members m ON m.objid = a.aggfnoid JOIN pg_proc p ON p.oid = a.aggfnoid "
		  . "WHERE p.prorettype <> CASE WHEN p.proname LIKE '%count%' THEN 'bigint'::regtype "
		  . "WHEN p.proname = 'dp_keep_group' THEN 'boolean'::regtype "
		  . "WHEN p.proname = 'dp_histogram' THEN 'bigint[]'::regtype ELSE p.proargtypes[0] END "
		  . "AND a.aggtranstype <> 'internal'::regtype AND p.proname !~ '_(sum|avg|variance|stddev)\$'"), '',
	'order statistics yield the type of their column, counts bigint, histograms an array of them, decisions boolean');
is($s->value("SELECT bool_or(has_function_privilege('public', p, 'EXECUTE')) "
	  . "FROM unnest(ARRAY['idp.hide_rows', 'idp.show_rows']::regproc[]) p"), 'f',
	'which idp.protect alone calls');
is($s->value("SELECT string_agg(p.oid::regprocedure::text, ', ') FROM pg_proc p "
		  . "JOIN $members m ON m.objid = p.oid AND m.classid = 'pg_proc'::regclass "
		  . "WHERE proleakproof OR prosecdef <> (prorettype = 'event_trigger'::regtype AND p.proname <> 'keep_past' "
		  . "OR p.proname IN ('hide_rows', 'show_rows')) OR prosecdef AND proconfig IS NULL"), '',
	'nothing is LEAKPROOF; SECURITY DEFINER are event triggers, but for one that looks for the names of a command, '
	  . 'and what locks rows, with a search path of their own');
is($s->value("SELECT typcategory, typstorage, typalign, typlen, typsend <> 0, typreceive <> 0 FROM pg_type "
	  . "WHERE oid = 'idp_state'::regtype"), 'U|x|d|-1|t|t',
	'idp_state: storage, alignment, binary form');
is($s->value("SELECT count(*) FROM pg_cast "
	  . "WHERE castsource = 'idp_state'::regtype OR casttarget = 'idp_state'::regtype"), 0, 'idp_state has no casts');

# the aggregate of the type of the column is found without a cast
foreach my $type (@types)
{
	is($s->value("SELECT pg_typeof(idp_median(x, 1)) = '$type->{sql}'::regtype FROM (SELECT "
		  . $type->{value}->('i') . " AS x FROM generate_series(1, 5) i) d"),
		't', "$type->{name}: the type of the column is the type of the answer");
}
foreach my $value ("'a'::text", "'1 day'::interval", "true", "'10:00'::time", "'{1}'::int[]", "'\\x00'::bytea")
{
	is($s->run("SELECT idp_median($value, 1)")->{sqlstate}, '42883', "no median of $value");
}

# what the transition functions of refused names are used for by others
is($s->run("CREATE AGGREGATE collect(int, float8, int, int, text) (SFUNC = idp.dp_median_refused, STYPE = idp_state, "
	  . "INITCOND = 'empty')")->{sqlstate}, undef,
	'an aggregate of a user refuses names');
is($s->run("SELECT collect(x, 1, 0, 9, 'n') FROM $data")->{sqlstate}, '0A000', 'and says so');
$s->value('DROP AGGREGATE collect(int, float8, int, int, text)');

# a view of an earlier version that asks for what is refused
$node->safe_psql('postgres', 'CREATE DATABASE earlier TEMPLATE template0');
my $earlier = session($node, 'earlier');
$earlier->value("CREATE EXTENSION idp VERSION '0.3.0'; "
	  . "CREATE VIEW named AS SELECT dp_median(x, 1, 0, 9, 'n') FROM $data");
is($earlier->run('ALTER EXTENSION idp UPDATE')->{sqlstate}, undef,
	'a view over an aggregate that refuses names: the update leaves it');
$earlier = session($node, 'earlier');
is($earlier->run('SELECT * FROM named')->{message}, 'answers of dp_median cannot be released under a name',
	'which is refused as ever');
is($earlier->value("SELECT count(DISTINCT a.aggtransfn) FROM pg_aggregate a "
	  . "JOIN pg_description d ON d.objoid = a.aggfnoid WHERE d.description ~ '^always refused'"), '18',
	'it is the only one with a function of its own');

# --- Privileges ----------------------------------------------------------------------------------

$s->value(<<'SQL');
CREATE TABLE secret AS SELECT 5 AS x, 7 AS hidden FROM generate_series(1, 9);
CREATE ROLE analyst LOGIN;
CREATE ROLE reader LOGIN;
CREATE ROLE column_reader LOGIN;
GRANT SELECT ON secret TO reader;
GRANT SELECT (x) ON secret TO column_reader;
REVOKE ALL ON SCHEMA idp FROM PUBLIC;
SQL
sub as_role { my ($role, $sql) = @_; return answer('in_public', "SET SESSION AUTHORIZATION $role; $sql") }
is(as_role('analyst', "SELECT idp_median(x, 1), dp_count(1000), idp_count_range(x, 1000, 5, 5) FROM $data"), '5|5|3',
	'PUBLIC uses the aggregates without rights on schema idp');
is(as_role('analyst', 'SELECT idp_median(x, 1) FROM secret'), '42501 permission denied for table secret',
	'a role without rights on the table');
is(as_role('analyst', 'SELECT idp_median(x, -1) FROM secret'), '42501 permission denied for table secret',
	'and a bad argument: still no permission');
is(as_role('reader', 'SELECT idp_median(x, 1), idp_max(hidden, 1, 7) FROM secret'), '5|7',
	'a role with rights on the table');
is(as_role('column_reader', 'SELECT idp_median(x, 1) FROM secret'), '5', 'a role with rights on the column');
is(as_role('column_reader', 'SELECT idp_median(hidden, 1) FROM secret'), '42501 permission denied for table secret',
	'but not on another column');
like(as_role('analyst', "SELECT idp.combine('empty', 'empty')"), qr/^42501/, 'schema idp is closed to PUBLIC now');
$s->value('GRANT USAGE ON SCHEMA idp TO PUBLIC; REVOKE EXECUTE ON FUNCTION idp_median(int, float8) FROM PUBLIC');
like(as_role('reader', 'SELECT idp_median(x, 1) FROM secret'),
	qr/^42501 permission denied for (aggregate|function) idp_median/, 'an aggregate can be taken from PUBLIC');
is(as_role('reader', 'SELECT idp_median(x::bigint, 1) FROM secret'), '5', 'one overload at a time');
$s->value('GRANT EXECUTE ON FUNCTION idp_median(int, float8) TO PUBLIC');
like(as_role('analyst', 'CREATE EXTENSION idp SCHEMA pg_temp'), qr/^(42501|42710|0A000)/,
	'a plain user cannot make the extension');
$s->value('ALTER TABLE secret ENABLE ROW LEVEL SECURITY; '
	  . 'CREATE POLICY none_of_them ON secret FOR SELECT TO reader USING (hidden = 0)');
is(as_role('reader', 'SELECT dp_count(1000), idp_median(x, 1) IS NULL FROM secret'), '0|t',
	'row level security is respected');

# --- Dump and restore ----------------------------------------------------------------------------

my $dir = abs_path($node->basedir);
foreach my $database ('in_public', 'in_other', 'in_odd', 'in_idp')
{
	my $schema = answer($database, "SELECT quote_ident(nspname) FROM pg_extension "
		  . "JOIN pg_namespace n ON n.oid = extnamespace WHERE extname = 'idp'");
  SKIP:
	{
		skip "$database has no extension", 1 if $schema eq '';
		$node->safe_psql($database, "CREATE TABLE kept (s $schema.idp_state); INSERT INTO kept VALUES ('empty');"
			  . "CREATE VIEW of_kept AS SELECT $schema.idp_median(x, 1) AS m FROM $data;"
			  . "CREATE AGGREGATE public.own(int, float8) (sfunc = idp.idp_median_accum, stype = $schema.idp_state, "
			  . "initcond = 'empty', finalfunc = idp.int4_final)");
		foreach my $format ('plain', 'custom')
		{
			my $copy = "${database}_$format";
			$node->safe_psql('postgres', "CREATE DATABASE $copy TEMPLATE template0");
			my $file = "$dir/$copy.dump";
			$node->command_ok([ 'pg_dump', "--format=$format", '-f', $file, $node->connstr($database) ],
				"$database: pg_dump, $format");
			$node->command_ok($format eq 'plain'
				? [ 'psql', '-Xq', '-v', 'ON_ERROR_STOP=1', '-d', $node->connstr($copy), '-f', $file ]
				: [ 'pg_restore', '--exit-on-error', '-d', $node->connstr($copy), $file ],
				"$database: restore, $format");
			is(answer($copy, "SELECT m, (SELECT s FROM kept), (SELECT public.own(x, 1) FROM $data) FROM of_kept"),
				'5|empty|5', "$database: restored, $format");
		}
		unlike(slurp_file("$dir/${database}_plain.dump"), qr/CREATE FUNCTION/, "$database: members are not dumped");
	}
}

# every path of upgrade scripts leads from an installed version to the default one
my $paths = answer('in_public', "SELECT string_agg(source, ', ') FROM pg_extension_update_paths('idp') "
	  . "WHERE target = (SELECT extversion FROM pg_extension WHERE extname = 'idp') AND path IS NULL");
is($paths, '', 'every older version can be upgraded');
is(answer('in_public', 'ALTER EXTENSION idp UPDATE'), '', 'ALTER EXTENSION UPDATE at the newest version');

$s->alive('at the end');
$s->quit;
$node->stop;
done_testing();
