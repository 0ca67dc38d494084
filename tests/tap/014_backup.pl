# What an administrator does with a database that holds budgets and releases: dumping and restoring
# it, also while answers are given, upgrading the extension, dropping it, dropping the database.
use strict;
use warnings FATAL => 'all';

use Cwd qw(abs_path);
use FindBin;
use lib $FindBin::RealBin;
use IdpTest;
use IPC::Run;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = new_node('backup', 'bare', 'max_prepared_transactions = 0');
my $dir = abs_path($node->basedir);

# A database without anything in it.
sub create
{
	my ($database, $extension) = @_;
	$node->safe_psql('postgres', "CREATE DATABASE $database TEMPLATE template0");
	$node->safe_psql($database, $extension) if $extension;
	return session($node, $database);
}

sub dump_to
{
	my ($database, $format, $file) = @_;
	$node->command_ok([ 'pg_dump', "--format=$format", '-f', $file, $node->connstr($database) ],
		"pg_dump of $database, $format");
	return $file;
}

sub restore
{
	my ($file, $format, $copy, $extension) = @_;
	create($copy, $extension)->quit;
	$node->command_ok($format eq 'plain'
		? [ 'psql', '-Xq', '-v', 'ON_ERROR_STOP=1', '-d', $node->connstr($copy), '-f', $file ]
		: [ 'pg_restore', '--exit-on-error', '-d', $node->connstr($copy), $file ],
		"restore to $copy");
	return session($node, $copy);
}

# --- Budgets and releases ------------------------------------------------------------------------

my $s = create('original', 'CREATE EXTENSION idp');
$s->value(<<'SQL');
CREATE TABLE people AS SELECT i AS x, i % 3 AS g FROM generate_series(1, 99) i;
CREATE SCHEMA "odd schema";
CREATE TABLE "odd schema"."odd ""table" AS TABLE people;
CREATE TABLE gone AS TABLE people;
CREATE TABLE unprotected AS TABLE people;
CREATE TABLE parts (x int, g int) PARTITION BY LIST (g);
CREATE TABLE part0 PARTITION OF parts FOR VALUES IN (0);
CREATE TABLE part1 PARTITION OF parts FOR VALUES IN (1, 2);
INSERT INTO parts TABLE people;
SELECT idp.protect('people', 100, min_epsilon => 0.001, floor => 0.5);
SELECT idp.protect('"odd schema"."odd ""table"', 100, 'add_remove');
SELECT idp.protect('gone', 100), idp.protect('parts', 100), idp.protect('unprotected', 100),
  idp.unprotect('unprotected');
SQL
$s->value('SELECT dp_count(0.25), idp_median(x, 0.5), g FROM people GROUP BY g');
$s->value("SELECT dp_count(0.1, 'count'), dp_histogram(x, 0.1, 0, 99, 20, E'histogram ''\"\\\\\\n\x{c3}\x{a9}'), "
	  . "idp_median(x::float8, 0.1, 'median'), "
	  . "idp_avg(x, ARRAY[0.1, 0.2], 0, 100, 'groups') FROM people");
$s->value("SELECT idp.relax('count', 0.5), idp.relax('count', 0.02), idp.relax('count', 0.3)");
$s->value("SELECT dp_count(0.1, 'family ' || g) FROM people GROUP BY g");
$s->value(q{SELECT dp_sum(x, 0.1, 0, 99, 'odd') FROM "odd schema"."odd ""table"});
$s->value("SELECT dp_count(0.1, 'gone'), idp_median(x, 0.1, 'gone median') FROM gone");
$s->value("SELECT dp_count(0.1, 'parts') FROM parts");
$s->value("SELECT dp_count(0.1, 'free'), dp_count(0.1, 'of no table') IS NULL FROM unprotected");
$s->value("SELECT dp_count(0.1, 'function') FROM generate_series(1, 50)");
$s->value("SELECT idp_median(x, 0.1, 'suppressed') FROM people WHERE x < 2");
$s->value("SELECT dp_count(0.1, 'again') FROM people");
$s->value("SELECT idp.refresh('again')");
$s->value('DROP TABLE gone; DELETE FROM people WHERE x > 50; UPDATE people SET x = x + 1000');

my $budgets = 'SELECT * FROM idp.protection ORDER BY table_name';
my $ledger = 'SELECT * FROM idp.ledger ORDER BY at, table_name, epsilon';
my $releases = 'SELECT * FROM idp.releases ORDER BY name';
# every answer that was given
my $answers = "SELECT name, e, idp.relax(name, e) FROM idp.releases, "
  . "LATERAL (SELECT epsilons[1] FROM idp.chain c JOIN idp.chain_level l ON l.chain = c.id "
  . "WHERE c.name = releases.name AND cardinality(epsilons) = 1) l (e) ORDER BY 1, 2";
my %before = map { $_ => $s->value($_) } $budgets, $ledger, $releases, $answers;
cmp_ok(scalar(split /\n/, $before{$answers}), '>', 14, 'there are answers to compare');
is($s->value($budgets), $before{$budgets}, 'repeating them costs nothing');
my $spent = "SELECT spent FROM idp.budget WHERE table_name = 'people'";

foreach my $format ('plain', 'custom')
{
	my $copy = "copy_$format";
	my $r = restore(dump_to('original', $format, "$dir/$copy"), $format, $copy);
	is($r->value($_), $before{$_}, "$format: as before: $_") foreach $budgets, $ledger, $releases;
	is($r->value($answers), $before{$answers}, "$format: every answer is repeated");
	is($r->value($budgets), $before{$budgets}, "$format: at no cost");
	is($r->value("SELECT dp_count(0.5, 'count') FROM people"), $s->value("SELECT idp.relax('count', 0.5)"),
		"$format: also over the table, which has changed");

	# refined from what was stored: the frozen value, the difference charged, the rest unchanged
	my $before = $r->value($spent);
	is($r->value("SELECT idp.relax('count', 50)"), '99', "$format: refined to the value before the rows were deleted");
	is($r->value("$spent") - $before, '49.5', "$format: at the difference");
	is($r->value("SELECT idp.relax('count', 0.5)"), $s->value("SELECT idp.relax('count', 0.5)"),
		"$format: what was there stays");
	$before = $r->value($spent);
	is($r->value("SELECT idp.relax('family 0', 1.1) IS NULL, idp.relax('family 1', 1.1) IS NULL, "
		  . "idp.relax('family 2', 1.1) IS NULL"), 'f|f|f', "$format: groups refined");
	is(sprintf('%.3f', $r->value($spent) - $before), '2.000',
		"$format: for one group's cost, twice under substitution");
	is($r->value('SELECT count(DISTINCT family) FROM idp.chain WHERE name LIKE \'family%\''), 1,
		"$format: they are one family still");
	$before = $r->value($spent);
	is($r->value("SELECT abs(dp_count(10, 'again') - 50) < 10 FROM people"), 't',
		"$format: one to be begun again begins over the table as it is");
	is($r->value($spent) - $before, 10, "$format: in full");
	like($r->run("SELECT dp_count(1000) FROM people")->{message}, qr/^privacy budget of table "people" is exhausted/,
		"$format: the budget holds");
	like($r->run("SELECT dp_count(0.0001) FROM people")->{message}, qr/below the minimum/,
		"$format: so does the least epsilon");
	is($r->value("SELECT dp_count(0.1, 'odd 2') IS NULL FROM \"odd schema\".\"odd \"\"table\""), 'f',
		"$format: an odd name is protected");
	is($r->value("SELECT spent FROM idp.budget WHERE table_name LIKE '%odd%'"), '0.2',
		"$format: at the cost of addition and removal");
	is($r->value("SELECT dp_count(0.1) IS NULL FROM part1"), 'f', "$format: so are partitions");
	is($r->value("SELECT spent FROM idp.budget WHERE table_name = 'parts'"), '0.2', "$format: and charged");

	# a table that was dropped: its releases, and its account when it comes again
	$before = $r->value("SELECT spent FROM idp.budget WHERE table_name = 'public.gone'");
	is($r->value("SELECT idp.relax('gone', 30)"), '99', "$format: a release of a dropped table is refined");
	is($r->value("SELECT spent FROM idp.budget WHERE table_name = 'public.gone'") - $before, '29.9',
		"$format: on the account of that table");
	$r->value('CREATE TABLE gone AS TABLE people');
	$r->value('SELECT dp_count(1) FROM gone');
	is($r->value("SELECT spent FROM idp.budget WHERE table_name = 'gone'") - $before, '30.9',
		"$format: which waits for a table of its name");
	$r->value('DROP TABLE people');
	is($r->value("SELECT spent FROM idp.budget WHERE table_name = 'public.people'") > 60, 1,
		"$format: dropping is noticed");
	$r->quit;
}

# a copy of a copy, and the schema alone
is(restore(dump_to('copy_plain', 'custom', "$dir/second"), 'custom',
	'second')->value("SELECT idp.relax('count', 50), idp.relax('count', 0.5)"),
	'99|' . $s->value("SELECT idp.relax('count', 0.5)"), 'a copy of a copy');
$node->command_ok([ 'pg_dump', '--schema-only', '-f', "$dir/schema", $node->connstr('original') ],
	'pg_dump --schema-only');
is(restore("$dir/schema", 'plain', 'schema')->value('SELECT count(*) FROM idp.account'), 0,
	'the schema alone has no budgets');

# --- While answers are given ---------------------------------------------------------------------

# New releases, families, and refinements of old ones, each a transaction, until told to stop.
$s->value(<<'SQL');
CREATE TABLE busy AS SELECT i AS x, i % 5 AS g FROM generate_series(1, 100) i;
SELECT idp.protect('busy', 1e9);
CREATE TABLE stop (x int);
CREATE PROCEDURE keep_busy() LANGUAGE plpgsql AS $$
DECLARE i int := 0;
BEGIN
  WHILE NOT EXISTS (SELECT FROM stop) LOOP
    i := i + 1;
    PERFORM dp_count(0.1, 'busy ' || i) FROM busy;
    PERFORM dp_count(0.1, 'busy ' || i || '/' || g) FROM busy GROUP BY g;
    COMMIT;
    PERFORM idp.relax('busy ' || 1 + i / 2, i), idp.relax('busy ' || 1 + i / 3 || '/1', i);
    COMMIT;
  END LOOP;
END $$;
SQL
my ($in, $out, $err) = ('', '', '');
my $busy = IPC::Run::start([ 'psql', '-Xq', '-v', 'ON_ERROR_STOP=1', '-d', $node->connstr('original'), '-c',
	'CALL keep_busy()' ], \$in, \$out, \$err);
$node->poll_query_until('original', "SELECT count(*) > 20 FROM idp.chain WHERE name LIKE 'busy%'");
my $chains = "SELECT count(*) FROM idp.chain WHERE name LIKE 'busy%'";
my @dumps;
foreach my $format ('plain', 'custom', 'plain')
{
	my $first = $s->value($chains);
	push @dumps, [ dump_to('original', $format, "$dir/busy" . @dumps), $format, $first, $s->value($chains) ];
}
$s->value('INSERT INTO stop VALUES (1)');
ok($busy->finish, "answers were given all the while: $err");
foreach my $dump (@dumps)
{
	my ($file, $format, $first, $last) = @$dump;
	my $r = restore($file, $format, 'busy_' . substr($file, -1));
	cmp_ok($last, '>', $first, "there were new releases during the dump: from $first to $last");
	cmp_ok($r->value($chains), '>=', $first, 'none that was there before is missing');
	is($r->value("SELECT count(*) FROM idp.chain c JOIN idp.chain_level l ON l.chain = c.id "
			  . "LEFT JOIN (SELECT family, max(family_epsilon) AS paid FROM idp.charge GROUP BY 1) f USING (family) "
			  . "WHERE c.accounts NOT IN ('{}', '{0}') AND l.epsilons[1] > coalesce(paid, 0)"), 0,
		'the restored ledger lacks no charge of a release it holds');
	is($r->value('SELECT count(*) FROM (SELECT spent, sum(epsilon) OVER (PARTITION BY account ORDER BY entry) AS total '
		  . 'FROM idp.charge) q WHERE spent <> total'), 0,
		'and its totals are those of its entries');
	is($r->value("SELECT count(*) FROM (SELECT DISTINCT name FROM idp.chain WHERE name LIKE 'busy%') n "
			  . "WHERE idp.release_answer(name) IS NULL AND "
			  . 'EXISTS (SELECT FROM idp.chain c JOIN idp.chain_level l ON l.chain = c.id WHERE c.name = n.name)'), 0,
		'every release has its answer');
	is($r->value("SELECT dp_count(0.1, 'busy 1') = $_ FROM busy"), 't', 'which is the one given')
	  foreach $s->value("SELECT idp.relax('busy 1', 0.1)");
	is($r->value("SELECT dp_count(1e6, 'busy ' || g || ' more') FROM busy WHERE g = 0 GROUP BY g"), 20,
		'and answers go on');
	$r->quit;
}

# --- Upgrade -------------------------------------------------------------------------------------

my $u = create('upgraded', "CREATE EXTENSION idp VERSION '0.1.0'");
$u->value(<<'SQL');
CREATE TABLE t AS SELECT i AS x, i % 3 AS g FROM generate_series(1, 99) i;
CREATE VIEW v AS SELECT idp_median(x, 1000) AS m, dp_count(1000) AS c FROM t;
CREATE AGGREGATE median_state(int, float8) (SFUNC = idp.idp_median_accum, STYPE = idp_state, INITCOND = 'empty',
  COMBINEFUNC = idp.combine, PARALLEL = SAFE);
CREATE AGGREGATE median_merge(idp_state) (SFUNC = idp.combine, STYPE = idp_state, INITCOND = 'empty',
  FINALFUNC = idp.int4_final);
CREATE TABLE states AS SELECT g, median_state(x, 1000) AS state FROM t GROUP BY g;
PREPARE p AS SELECT dp_count(1000) FROM t;
SQL
is($u->value('SELECT extversion FROM pg_extension WHERE extname = \'idp\''), '0.1.0', 'an old version');
is($u->value('SELECT m, c, (SELECT median_merge(state) FROM states) FROM v'), '50|99|50', 'works with the new library');
is($u->value('EXECUTE p'), '99', 'in prepared statements too');
is($u->run("SELECT dp_count(1, 'name') FROM t")->{sqlstate}, '42883', 'it has no named releases');
is($u->run("SELECT idp.protect('t', 1)")->{sqlstate}, '42883', 'and no budgets');
dump_to('upgraded', 'plain', "$dir/old");
is($u->value('ALTER EXTENSION idp UPDATE; SELECT extversion FROM pg_extension WHERE extname = \'idp\''),
	$node->safe_psql('original', "SELECT extversion FROM pg_extension WHERE extname = 'idp'"),
	'ALTER EXTENSION UPDATE');
is($u->value('SELECT m, c, (SELECT median_merge(state) FROM states) FROM v'), '50|99|50',
	'views and stored states work on');
is($u->value('EXECUTE p'), '99', 'so do prepared statements');
is($u->value("SELECT dp_count(1000, 'name'), idp_median(x, 1000, 'median') FROM t"), '99|50',
	'there are named releases');
$u->value("SELECT idp.protect('t', 2000)");
is($u->value('EXECUTE p'), '99', 'a prepared statement is charged');
is($u->value('SELECT m FROM v'), '50', 'a view as well');
like($u->run('SELECT c FROM v')->{message} // '', qr/^privacy budget of table "t" is exhausted/, 'up to the budget');
is($u->value('SELECT spent FROM idp.budget'), '2000', 'which is spent');
is($u->run('SELECT median_state(x, 1000) FROM t')->{sqlstate}, '0A000', 'a protected table gives out no states');
my $names = "SELECT string_agg(p.oid::regprocedure::text, ', ' ORDER BY p.oid::regprocedure::text COLLATE \"C\") "
  . "FROM pg_depend d JOIN pg_proc p ON p.oid = d.objid "
  . "WHERE d.classid = 'pg_proc'::regclass AND d.deptype = 'e' AND refclassid = 'pg_extension'::regclass";
$u->value('CREATE DATABASE fresh TEMPLATE template0');
my $f = session($node, 'fresh');
$f->value('CREATE EXTENSION idp');
is($u->value($names), $f->value($names), 'an upgraded database has the functions of a new one');
$f->quit;
# what was dumped by the old version is restored by the new one
is(restore("$dir/old", 'plain', 'from_old')->value('SELECT m, c, (SELECT median_merge(state) FROM states) FROM v'),
	'50|99|50', 'a dump of the old version is restored');

# What users made of arguments whose types have changed since 0.2.0 stays theirs, and works on.
my $v = create('typed', "CREATE EXTENSION idp VERSION '0.2.0'");
$v->value(<<'SQL');
CREATE ROLE outsider;
CREATE TABLE t AS SELECT i AS x, i % 3 AS g FROM generate_series(1, 99) i;
CREATE VIEW v AS SELECT idp_median(x, ARRAY[1e300, 1e300]) AS m, idp_kth_largest(x, 1e300, g.k) AS s,
  dp_histogram(x, 1e300, 1, 99, 3) AS h,
  dp_median_smooth(x, 1e300, 0, 100, 4) AS g FROM t, (SELECT 2 AS k) g GROUP BY g.k;
CREATE FUNCTION f(k int) RETURNS int LANGUAGE sql AS 'SELECT idp_kth_largest(x, ARRAY[1e300], k) FROM t';
CREATE FUNCTION g(k int) RETURNS int LANGUAGE sql BEGIN ATOMIC SELECT idp_kth_smallest(x, ARRAY[1e300], k) FROM t; END;
CREATE AGGREGATE seconds(int, float8, int) (SFUNC = idp.idp_kth_largest_accum, STYPE = idp_state, INITCOND = 'empty',
  FINALFUNC = idp.int4_final);
CREATE AGGREGATE families(int, float8[]) (SFUNC = idp.idp_median_accum, STYPE = idp_state, INITCOND = 'empty',
  FINALFUNC = idp.int4_final);
CREATE VIEW w AS SELECT seconds(x, 1e300, 2) AS s, families(x, ARRAY[1e300, 1e300]) AS f FROM t;
PREPARE p(float8[], int) AS SELECT idp_median(x, $1), idp_kth_largest(x, $1, $2) FROM t;
REVOKE EXECUTE ON FUNCTION idp_median(int, float8[]) FROM PUBLIC;
SQL
my $views = 'SELECT m, s, h, g, f(2), g(3) FROM v';
my $exact = '50|98|{33,33,33}|50|98|3';
is($v->value($views), $exact, 'views and functions of 0.2.0 with the new library');
is($v->value('SELECT s, f FROM w'), '98|50', 'aggregates of users');
is($v->value("EXECUTE p('{1e300,1e300}', 3)"), '50|97', 'prepared statements');
dump_to('typed', 'plain', "$dir/typed");
$v->value('ALTER EXTENSION idp UPDATE');
is($v->value("SELECT pg_get_function_arguments(p.oid) FROM pg_proc p "
	  . "WHERE proname = 'idp_kth_largest' AND proargtypes[0] = 'int'::regtype ORDER BY 1 LIMIT 1 OFFSET 2"),
	'x integer, epsilons idp.epsilons, k bigint', 'ALTER EXTENSION UPDATE gives the arguments other types');
is($v->value($views), $exact, 'views and functions work on');
is($v->value('SELECT s, f FROM w'), '98|50', 'so do aggregates of users');
is($v->value("EXECUTE p('{1e300,1e300}', 3)"), '50|97', 'and prepared statements');
is($v->value("SELECT has_function_privilege('outsider', 'idp_median(int, idp.epsilons)', 'EXECUTE'), "
	  . "has_function_privilege('outsider', 'idp_sum(int, idp.epsilons, int, int)', 'EXECUTE')"),
	'f|t', 'privileges stay');
foreach my $type ('int', 'bigint')
{
	$v->value("CREATE AGGREGATE firsts(int, float8, $type) (SFUNC = idp.idp_kth_smallest_accum, STYPE = idp_state, "
		  . "FINALFUNC = idp.int4_final, INITCOND = 'empty')");
	is($v->value('SELECT firsts(x, 1e300, 2) FROM t'), '2', "an aggregate of users takes $type");
	$v->value("DROP AGGREGATE firsts(int, float8, $type)");
}
my $copy = restore(dump_to('typed', 'custom', "$dir/typed.new"), 'custom', 'typed_again');
is($copy->value($views), $exact, 'the views of an upgraded database are dumped and restored');
is($copy->value('SELECT s, f FROM w'), '98|50', 'with the aggregates of users');
$copy->quit;
# privileges were dumped with the types of old
$copy = restore("$dir/typed", 'plain', 'typed_old', "CREATE EXTENSION idp VERSION '0.2.0'");
$copy->value('ALTER EXTENSION idp UPDATE');
is($copy->value($views), $exact, 'a dump of the old database is restored with the old version, and upgraded');
is($copy->value("SELECT has_function_privilege('outsider', 'idp_median(int, idp.epsilons)', 'EXECUTE')"), 'f',
	'with its privileges');
$copy->quit;
is($v->run('DROP TYPE idp.epsilons CASCADE')->{sqlstate}, '2BP01', 'the type cannot be dropped from under them');

# --- Drop ----------------------------------------------------------------------------------------

my $here = create('dropped', 'CREATE EXTENSION idp');
my $everything = 'SELECT (SELECT count(*) FROM pg_class) AS classes, (SELECT count(*) FROM pg_proc) AS functions, '
  . '(SELECT count(*) FROM pg_type) AS types, '
  . '(SELECT count(*) FROM pg_event_trigger) AS triggers, (SELECT count(*) FROM pg_namespace '
  . 'WHERE nspname !~ \'^pg_(toast_)?temp\') AS schemas, '
  . '(SELECT count(*) FROM pg_description) AS descriptions, (SELECT count(*) FROM pg_depend) AS dependencies, '
  . '(SELECT count(*) FROM pg_init_privs) AS privileges';
my $fresh = create('nothing');
$here->value("CREATE TABLE t AS SELECT generate_series(1, 9) AS x; SELECT idp.protect('t', 10, rows => 'visible'); "
	  . "SELECT dp_count(1, 'release') FROM t");
is($here->value('SELECT count(*) FROM idp.charge'), 1, 'a charge');
is($here->run('DROP TABLE idp.charge')->{sqlstate}, '2BP01', 'the ledger cannot be dropped alone');
is($here->run('DROP EVENT TRIGGER idp_forget_dropped_tables')->{sqlstate}, '2BP01', 'nor what keeps it up to date');
$here->value('DROP EXTENSION idp');
$here->value('DROP TABLE t');
is($here->value($everything), $fresh->value($everything), 'DROP EXTENSION leaves nothing behind');
$here->value('CREATE TABLE t AS SELECT generate_series(1, 9) AS x');
$here->value('CREATE EXTENSION idp');
$here->value('SELECT dp_count(1) FROM t');
is($here->value('SELECT (SELECT count(*) FROM idp.charge), (SELECT count(*) FROM idp.account)'), '0|0',
	'made again, it knows nothing');
$here->value("SELECT idp.protect('t', 10, rows => 'visible'); SELECT dp_count(1, 'release') FROM t");
is($here->value('SELECT spent FROM idp.budget'), '1', 'and works');
$here->alive('after all that');
$here->quit;
is($node->psql('postgres', 'DROP DATABASE dropped'), 0, 'DROP DATABASE right after a charge');
is($node->psql('postgres', 'ALTER DATABASE upgraded RENAME TO renamed'), 3, 'a database in use is in use');
$u->quit;
is($node->psql('postgres', 'ALTER DATABASE upgraded RENAME TO renamed'), 0, 'and not once its sessions are gone');
is($node->safe_psql('renamed', 'SELECT spent FROM idp.budget'), '2000', 'renamed, it has its ledger');
$node->safe_psql('postgres', 'CREATE DATABASE template_copy TEMPLATE renamed');
is($node->safe_psql('template_copy', 'SELECT spent, (SELECT count(*) FROM idp.releases) FROM idp.budget'), '2000|2',
	'so does a copy made as from a template');

$fresh->quit;
$s->quit;
$node->stop;
done_testing();
